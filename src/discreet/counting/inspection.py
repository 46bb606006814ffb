"""Does the data fit the declaration? For the curator's eyes: everything here speaks of the true data."""

# ruff: noqa: S608 - statements are put together from fixed texts and quoted names of the schema; values are bound

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from discreet.counting.crossing import Crossing

if TYPE_CHECKING:
    from discreet.counting.duck import DuckTable
    from discreet.counting.matching import Match

EXAMPLES = 10
LONGEST = 60
"""Characters of a stray that are shown."""

NOT_PUBLISHABLE = "not publishable: speaks of the true data"


@dataclass(frozen=True, slots=True)
class Inspection:
    """What the rows are like. Never for publication."""

    rows: int
    records: int
    """Rows, or with an id column people: the n of a release."""
    outside: int
    """Records outside the categories."""
    missing: int
    """Rows whose value is NULL or NaN."""
    empty: int
    """Rows whose value is the empty text."""
    unused: tuple[str, ...]
    """Categories that no record is in: a name misspelt, perhaps."""
    strays: tuple[tuple[str, int], ...]
    """The most frequent values outside the categories, with their numbers of rows."""
    unused_groups: tuple[str, ...]
    """Groups that no record is in."""
    stray_groups: tuple[tuple[str, int], ...]
    """The most frequent values outside the groups, with their numbers of rows."""
    without_id: int | None
    """Rows without an id, which are taken to be one person's."""
    fits: bool
    """Whether a release would go ahead."""


def inspect_table(table: DuckTable) -> Inspection:
    """Look at the rows in three passes, and in a fourth for groups."""
    declaration, match = table.declaration, table.match
    answers, groups = (match.answers, match.groups) if isinstance(match, Crossing) else (match, None)
    without_id = "NULL" if table.identity is None else f"count(*) FILTER ({table.identity} IS NULL)"
    [(rows, missing, empty, nameless)] = table.fetch(
        f"SELECT count(*), count(*) FILTER ({answers.missing}), count(*) FILTER (CAST(c0 AS VARCHAR) = ''), "
        f"{without_id} FROM {table.rows}",
        None,
    )
    found = table.places()
    pairs = [(*place, often) if isinstance(place, tuple) else (0, place, often) for place, often in found.items()]
    return Inspection(
        rows=rows,
        records=sum(found.values()),
        outside=sum(often for group, answer, often in pairs if group is None or answer is None),
        missing=missing,
        empty=empty,
        unused=_unused(declaration.categories, {answer for _, answer, _ in pairs}),
        strays=_strays(table, answers, "c0"),
        unused_groups=_unused(declaration.groups, {group for group, _, _ in pairs}),
        stray_groups=() if groups is None else _strays(table, groups, "c1"),
        without_id=nameless,
        fits=all(declaration.cell(place) is not None for place in found),
    )


def _unused(names: tuple[str, ...], places: set[int | None]) -> tuple[str, ...]:
    return tuple(name for place, name in enumerate(names) if place not in places)


def _strays(table: DuckTable, match: Match, column: str) -> tuple[tuple[str, int], ...]:
    """The most frequent values outside, and how often each is there."""
    text = f"CAST({column} AS VARCHAR)"
    found = table.fetch(
        f"SELECT left({text}, {LONGEST}) AS stray, count(*) AS often FROM {match.codes(table.rows)} "
        f"WHERE code IS NULL AND NOT ({match.missing}) AND {text} <> '' "
        f"GROUP BY stray ORDER BY often DESC, stray LIMIT {EXAMPLES}",
        match,
    )
    return tuple((str(stray), int(often)) for stray, often in found)
