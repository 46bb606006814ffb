"""Does the data fit the declaration? For the curator's eyes: everything here speaks of the true data."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from discreet.arithmetic.cards import card
from discreet.arithmetic.texts import likely_name
from discreet.counting.declaration import Declaration
from discreet.counting.table import InspectableTable, Places

MAX_STRAYS = 10
MAX_STRAY_CHARS = 60
"""Characters of a stray that are shown."""

BYTES = re.compile(r"\\x([0-9A-F]{2})")
"""How bytes that are not UTF-8 are shown."""

NOT_PUBLISHABLE = "not publishable: speaks of the true data"


@dataclass(frozen=True, slots=True, repr=False)
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
    stray_columns: tuple[str, ...]
    """The columns for which it would not."""
    publishable: ClassVar = False

    def __repr__(self) -> str:
        return f"<Inspection: {'it fits' if self.fits else 'it does not fit'}; {NOT_PUBLISHABLE}>"

    def _repr_html_(self) -> str:
        facts = {name: getattr(self, name) for name in ("rows", "records", "outside", "missing", "empty", "unused")}
        title = "The data fits the declaration" if self.fits else "The data does not fit the declaration"
        return card(title, badge=NOT_PUBLISHABLE, facts=facts | dict(self.strays))


def inspect_table(table: InspectableTable) -> Inspection:
    """Look at the rows in three passes, and in a fourth for groups."""
    declaration, odd, tally = table.declaration, table.count_oddities(), table.count_records()
    inside = tally.places[: max(1, len(declaration.groups)), : len(declaration.known)]
    return Inspection(
        rows=odd.rows,
        records=tally.n,
        outside=tally.n - int(inside.sum()),
        missing=odd.missing,
        empty=odd.empty,
        unused=_unused_names(declaration.categories, tally.places.sum(axis=0)),
        strays=tuple(table.count_stray_values(groups=False)),
        unused_groups=_unused_names(declaration.groups, tally.places.sum(axis=1)),
        stray_groups=() if declaration.by is None else tuple(table.count_stray_values(groups=True)),
        without_id=odd.without_id,
        fits=tally.n > 0 and not tally.has_strays,
        stray_columns=tally.stray_columns,
    )


def inspection_document(inspection: Inspection, declaration: Declaration) -> dict[str, Any]:
    """What programs see; it speaks of the true data, and says so."""
    numbers = ("rows", "outside", "missing", "empty", "without_id")
    return {
        "fits": inspection.fits,
        "publishable": False,
        "n": inspection.records,
        **{name: getattr(inspection, name) for name in numbers},
        "unused": list(inspection.unused),
        "strays": _strays(inspection.strays, declaration.categories),
        "categories": list(declaration.categories),
        "other": declaration.other,
        "missing_category": declaration.missing,
        "by": declaration.by,
        "groups": list(declaration.groups) or None,
        "other_group": declaration.other_group,
        "unused_groups": list(inspection.unused_groups),
        "stray_groups": _strays(inspection.stray_groups, declaration.groups),
        "filters": {each.column: list(each.values) for each in declaration.filters},
    }


def _strays(strays: Sequence[tuple[str, int]], names: Sequence[str]) -> list[dict[str, Any]]:
    """Values outside, how often they are, and which name each is like."""
    return [{"value": value, "rows": rows, "like": meant_by(value, names)} for value, rows in strays]


def meant_by(stray: str, names: Sequence[str]) -> str | None:
    r"""The name that a value outside may be a misspelling of, or a spelling in another encoding; None for none.

    >>> meant_by("dole ", ["Clinton", "Dole"]), meant_by(r"caf\xE9", ["café", "thé"]), meant_by("x", ["a", "b"])
    ('Dole', 'café', None)
    """
    return likely_name(BYTES.sub(lambda byte: bytes.fromhex(byte[1]).decode("cp1252", "replace"), stray), names)


def _unused_names(names: tuple[str, ...], sizes: Places) -> tuple[str, ...]:
    return tuple(name for name, size in zip(names, sizes, strict=False) if not size)
