"""What one pass over the rows tells, the same for every engine: how many records are in each place, or a refusal."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from discreet.counting.declaration import Declaration
from discreet.errors import InvalidInput, SourceError
from discreet.posteriors.space import Counts

T = TypeVar("T")

Places = NDArray[np.int64]
"""How many records are in each place: a row for each group (one without groups), a column for each category, and
last in each what is outside of them; of a cross table in as many directions as it has columns. Numbered row by row,
places are the codes that engines tell."""


@dataclass(frozen=True, slots=True, eq=False)
class Tally:
    """The records of a table, by their places: n, the sizes of groups, the one bit of strays, and the counts.

    It never shows itself. What may be told before a charge is `n`, `groups` where they are declared public, and
    `has_strays`.
    """

    declaration: Declaration
    places: Places = field(repr=False)

    @property
    def n(self) -> int:
        """The number of records: rows, or with an id column people. It is the same for all neighbours."""
        return int(self.places.sum())

    @property
    def groups(self) -> tuple[int, ...]:
        """How many records each group has, by the column of groups alone: only for groups that are declared public."""
        grouping = self.declaration.grouping
        if grouping is None:
            raise InvalidInput("there are no groups", hint="name their column with `by`")
        sizes = self.places.sum(axis=1)
        if grouping.other is None and sizes[-1]:
            raise strays_error(grouping)
        return tuple(sizes[: len(grouping.answers)].tolist())

    @property
    def has_strays(self) -> bool:
        """Whether any record is outside, with no other to take it: this one bit, and never which or how many."""
        return bool(self.stray_columns) or self.in_impossible_cells > 0

    @property
    def stray_columns(self) -> tuple[str, ...]:
        """The columns with a record outside, and no other to take it: for the curator's eyes alone."""
        axes = (*self.declaration.groupings, self.declaration)
        last = len(self.declaration.shape) - len(axes)  # without groups there is one row for all
        return tuple(
            each.column
            for i, each in enumerate(axes)
            if each.other is None and self.places.take(-1, axis=last + i).any()
        )

    @property
    def in_impossible_cells(self) -> int:
        """How many records are in cells that were declared impossible: for the curator's eyes alone."""
        return int(self._table[~self.declaration.possible].sum())

    @property
    def counts(self) -> Counts:
        """The counts in the order of `Declaration.labels`; refused if there are strays and no other."""
        if self.has_strays:
            raise strays_error(self.declaration)
        return self.inside

    @property
    def inside(self) -> Counts:
        """The same without a check: what is outside is not counted, and nothing tells that it was there."""
        return Counts(self._table[self.declaration.possible].tolist())

    @property
    def _table(self) -> Places:
        """All combinations of labels."""
        sizes = tuple(map(len, self.declaration.axes.values()))
        inside = self.places[tuple(slice(size) for size in (1, *sizes)[-self.places.ndim :])]
        return inside.reshape(sizes)


@dataclass(frozen=True, slots=True)
class Oddities:
    """How many rows there are, how many have no value and how many an empty text, and with ids how many have none."""

    rows: int
    missing: int
    empty: int
    without_id: int | None = None


class Table(ABC):
    """An opened source, for one declaration. The prefix is a promise: each `count_` is a pass over the rows."""

    __slots__ = ()

    declaration: Declaration

    @abstractmethod
    def count_places(self) -> Iterable[tuple[int, int]]:
        """The code of each place, and how many records are there: only these numbers come back from the rows."""

    def count_records(self) -> Tally:
        """All that a release asks of the rows, in one pass."""
        places = np.zeros(self.declaration.shape, dtype=np.int64)
        for code, often in self.count_places():
            places.flat[code] = often
        return Tally(self.declaration, places)


class InspectableTable(Table):
    """A table whose engine also tells a curator what the true data is like."""

    __slots__ = ()

    @abstractmethod
    def count_oddities(self) -> Oddities:
        """How many rows there are, and how many of them are odd."""

    @abstractmethod
    def count_stray_values(self, *, groups: bool) -> list[tuple[str, int]]:
        """The most frequent values outside the categories, or outside the groups."""


def strays_error(declaration: Declaration) -> InvalidInput:
    """The one thing that may be said of strays: that the assertion is false."""
    if declaration.crossed:
        return InvalidInput(
            "the crossed columns have values outside what is declared, or an impossible cell has records",
            hint="give the rest a name with `other` (NULL and empty texts with `missing`), and declare less impossible",
        )
    if declaration.by is not None:
        return InvalidInput(
            f"column {declaration.column!r} or {declaration.by!r} has values outside what is declared",
            hint="give the rest a name with `other` and `other_group`, or look with discreet check",
        )
    return InvalidInput(
        f"column {declaration.column!r} has values outside the declared categories",
        hint="give the rest a name with `other` (NULL and empty texts with `missing`), or look with discreet check",
    )


def useless_id_error(declaration: Declaration) -> InvalidInput:
    """What is said of ids of a type whose values may be neither equal nor different."""
    return InvalidInput(
        f"column {declaration.id_column!r} cannot tell people apart", hint="make a text column of it first"
    )


def unreadable_error(source: str) -> SourceError:
    """What is said of every failure to read, whatever the engine said: its words may quote a row."""
    return SourceError(
        f"{source} cannot be read as a table", hint="check that it is whole, well-formed, and what its name says"
    )


def attempt(work: Callable[[], T], error: Exception) -> T:
    """The result of work; if it fails, our error in place of its own, which is kept nowhere, not even as a cause.

    >>> attempt(lambda: int("a secret"), unreadable_error("people.csv"))
    Traceback (most recent call last):
    discreet.errors.SourceError: people.csv cannot be read as a table; check that it is whole, well-formed, and what ...
    """
    try:
        return work()
    except (InvalidInput, SourceError):
        raise
    except Exception:  # noqa: BLE001, S110 - raised below, outside of this handler, so that nothing is chained to it
        pass
    raise error
