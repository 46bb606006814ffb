"""What an opened table answers once it has said how many records are in each place: the same for every engine."""

from __future__ import annotations

from abc import ABC, abstractmethod

from discreet.counting.base import Declaration, Place
from discreet.posteriors.space import Counts


class Tallying(ABC):
    """The questions of a `Table` that its engine need not know."""

    __slots__ = ()

    declaration: Declaration

    @abstractmethod
    def places(self) -> dict[Place, int]:
        """How many records are in each place: one pass over the rows, from which only these numbers come back."""

    def count_strays(self) -> bool:
        """Whether any record is outside, with no other to take it."""
        return any(self.declaration.cell(place) is None for place in self.places())

    def count_categories(self) -> Counts:
        """The counts in the order of `Declaration.labels`."""
        return self.declaration.tally(self.places())

    def count_groups(self) -> tuple[int, ...]:
        """How many records each group has."""
        return self.declaration.tally_groups(self.places())
