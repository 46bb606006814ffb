"""What one person may change. The neighbour relation is carried by every mechanism, certificate and charge.

It also says what is public of the number of records: where a record is replaced, n is the same for all neighbours;
where one is added or removed, nobody may be told n.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from discreet.errors import InvalidInput, TooLarge

MAX_N = 10**15
"""Counts stay exact in a float, and their products with k in 64 bits."""


class Adjacency(ABC):
    """Which data sets are neighbours. Its fields are public facts about their sizes."""

    __slots__ = ()
    name: ClassVar[str]
    """How receipts and certificates name the relation."""
    moved: ClassVar[int]
    """How far one person moves the counts, in L1."""
    least_k: ClassVar[int]
    """The fewest categories with which there are neighbours."""
    change: ClassVar[str]
    """What one person does to the counts, in words."""

    @property
    def keeps_total(self) -> bool:
        """Whether neighbours have the same number of records, so that it is public."""
        return False

    @property
    def endless(self) -> bool:
        """Whether there are data sets of any size, so that they cannot be listed."""
        return False

    @abstractmethod
    def require_n(self) -> int:
        """The number of records, where it is public."""

    @property
    @abstractmethod
    def sizes(self) -> dict[str, int]:
        """What is public of the number of records, by its name; nothing, where n is private."""

    @property
    @abstractmethod
    def words(self) -> str:
        """The same in words."""

    @abstractmethod
    def allows(self, total: int) -> bool:
        """Whether a data set may have so many records."""

    @abstractmethod
    def simplex(self, k: int) -> tuple[int, int]:
        """The data sets as compositions: into how many parts of which number; the last part may be no category."""

    @abstractmethod
    def example(self, k: int) -> tuple[int, ...]:
        """The counts of one data set that has neighbours."""

    @abstractmethod
    def neighbours(self, counts: Sequence[int]) -> Iterator[tuple[int, ...]]:
        """All counts that one person can lead to, other than these themselves."""

    @abstractmethod
    def distance(self, one: Sequence[int], other: Sequence[int]) -> int:
        """The least number of such changes from one to the other."""


@dataclass(frozen=True, slots=True)
class ReplaceOne(Adjacency):
    """Two data sets of n records are adjacent when one record is replaced by another.

    >>> sorted(ReplaceOne(n=2).neighbours((1, 1)))
    [(0, 2), (2, 0)]
    """

    n: int
    name = "replace-one"
    moved = least_k = 2
    change = "a replaced record moves the counts by 2 in L1"

    @property
    def keeps_total(self) -> bool:
        return True

    def require_n(self) -> int:
        return self.n

    @property
    def sizes(self) -> dict[str, int]:
        return {"n": self.n}

    @property
    def words(self) -> str:
        return f"n = {self.n:,}"

    def allows(self, total: int) -> bool:
        return total == self.n

    def simplex(self, k: int) -> tuple[int, int]:
        return k, self.n

    def example(self, k: int) -> tuple[int, ...]:
        return (self.n, *[0] * (k - 1))

    def neighbours(self, counts: Sequence[int]) -> Iterator[tuple[int, ...]]:
        for i, taken in enumerate(counts):
            if taken == 0:
                continue
            for j in range(len(counts)):
                if i != j:
                    moved = list(counts)
                    moved[i] -= 1
                    moved[j] += 1
                    yield tuple(moved)

    def distance(self, one: Sequence[int], other: Sequence[int]) -> int:
        """The least number of records to replace: half the L1 distance of the counts.

        >>> ReplaceOne(n=4).distance((4, 0, 0), (1, 2, 1))
        3
        """
        return sum(abs(a - b) for a, b in zip(one, other, strict=True)) // 2


@dataclass(frozen=True, slots=True)
class ReplaceAnswer(ReplaceOne):
    """Two data sets are adjacent when one record has another answer, and its group is the same: groups are public.

    The n here is that of one group. A record's answer moves the counts of its own group by one replaced record, and
    those of no other: so a release for each group costs what the dearest of them costs (parallel composition).

    >>> ReplaceAnswer(n=2).name, sorted(ReplaceAnswer(n=2).neighbours((1, 1)))
    ('replace-answer', [(0, 2), (2, 0)])
    """

    name = "replace-answer"


@dataclass(frozen=True, slots=True)
class AddRemove(Adjacency):
    """Two data sets are adjacent when one has a record more than the other: the number of records is private.

    A public cap bounds it, for studies of spaces that can be enumerated: then no data set has more records.

    >>> sorted(AddRemove().neighbours((1, 0)))
    [(0, 0), (1, 1), (2, 0)]
    >>> sorted(AddRemove(cap=1).neighbours((1, 0)))
    [(0, 0)]
    """

    cap: int | None = None
    name = "add-remove"
    moved = least_k = 1
    change = "an added or removed record moves the counts by 1 in L1"

    def require_n(self) -> int:
        raise InvalidInput("n is private under add-remove", hint="use geometric, or a space with a public n or cap")

    @property
    def endless(self) -> bool:
        return self.cap is None

    @property
    def sizes(self) -> dict[str, int]:
        return {} if self.cap is None else {"cap": self.cap}

    @property
    def words(self) -> str:
        return "n private" if self.cap is None else f"n at most {self.cap:,}"

    def allows(self, total: int) -> bool:
        return total <= (MAX_N if self.cap is None else self.cap)

    def simplex(self, k: int) -> tuple[int, int]:
        if self.cap is None:
            raise TooLarge("data sets of a private n are without end", hint="give a public cap, or use geometric")
        return k + 1, self.cap

    def example(self, k: int) -> tuple[int, ...]:
        return (0,) * k

    def neighbours(self, counts: Sequence[int]) -> Iterator[tuple[int, ...]]:
        total = sum(counts)
        for i, count in enumerate(counts):
            for step in (-1, 1):
                if count + step >= 0 and self.allows(total + step):
                    yield (*counts[:i], count + step, *counts[i + 1 :])

    def distance(self, one: Sequence[int], other: Sequence[int]) -> int:
        """The number of records to add or remove: the L1 distance of the counts.

        >>> AddRemove().distance((4, 0, 0), (1, 2, 1))
        6
        """
        return sum(abs(a - b) for a, b in zip(one, other, strict=True))


def adjacency(name: str | None, n: int | None, cap: int | None = None) -> Adjacency:
    """The neighbour relation of this name, which must fit what is public of n; by default what that says.

    >>> adjacency(None, 5), adjacency(None, None), adjacency("add-remove", None, cap=3)
    (ReplaceOne(n=5), AddRemove(cap=None), AddRemove(cap=3))
    """
    if name not in (None, ReplaceOne.name, ReplaceAnswer.name, AddRemove.name):
        raise InvalidInput("there is no such adjacency", hint="use replace-one, replace-answer or add-remove")
    if n is not None and (name == AddRemove.name or cap is not None):
        raise InvalidInput("under add-remove n is private", hint="leave n out, or use replace-one", parameter="n")
    if n is not None:
        return ReplaceAnswer(n) if name == ReplaceAnswer.name else ReplaceOne(n)
    if name not in (None, AddRemove.name):
        raise InvalidInput(f"under {name} n is public", hint="give n, or use add-remove", parameter="n")
    return AddRemove(cap)
