"""Does the data fit the declaration? For the curator's eyes: everything here speaks of the true data."""

# ruff: noqa: S608 - statements are put together from fixed texts and quoted names of the schema; values are bound

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from discreet.counting.duck import DuckTable

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
    without_id: int | None
    """Rows without an id, which are taken to be one person's."""
    has_other: bool
    """Whether the declaration has a category for what is outside."""

    @property
    def fits(self) -> bool:
        """Whether a release would go ahead."""
        return self.has_other or self.outside == 0


def inspect_table(table: DuckTable) -> Inspection:
    """Look at the rows in three passes."""
    text = "CAST(c0 AS VARCHAR)"
    present = f"code IS NULL AND NOT ({table.match.missing}) AND {text} <> ''"
    coded = table.match.codes(table.rows)
    without_id = "NULL" if table.identity is None else f"count(*) FILTER ({table.identity} IS NULL)"
    [(rows, missing, empty, nameless)] = table.fetch(
        f"SELECT count(*), count(*) FILTER ({table.match.missing}), count(*) FILTER ({text} = ''), {without_id} "
        f"FROM {table.rows}",
        wanted=False,
    )
    found = table.places()
    strays = table.fetch(
        f"SELECT left({text}, {LONGEST}) AS stray, count(*) AS often FROM {coded} WHERE {present} "
        f"GROUP BY stray ORDER BY often DESC, stray LIMIT {EXAMPLES}"
    )
    categories = table.declaration.categories
    return Inspection(
        rows=rows,
        records=sum(found.values()),
        outside=found.get(None, 0),
        missing=missing,
        empty=empty,
        unused=tuple(category for place, category in enumerate(categories) if place not in found),
        strays=tuple((str(stray), int(often)) for stray, often in strays),
        without_id=nameless,
        has_other=table.declaration.other is not None,
    )
