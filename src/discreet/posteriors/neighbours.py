"""What one person may change. The neighbour relation is carried by every mechanism, certificate and charge."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from discreet.errors import InvalidInput


@dataclass(frozen=True, slots=True)
class ReplaceOne:
    """Two data sets of n records are adjacent when one record is replaced by another.

    >>> sorted(ReplaceOne(n=2).neighbours((1, 1)))
    [(0, 2), (2, 0)]
    """

    n: int

    @property
    def name(self) -> str:
        """How receipts and certificates name the relation."""
        return "replace-one"

    def neighbours(self, counts: Sequence[int]) -> Iterator[tuple[int, ...]]:
        """All counts that one replaced record can lead to, other than these themselves."""
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

    @property
    def name(self) -> str:
        """How receipts and certificates name the relation."""
        return "replace-answer"


def adjacency(name: object, n: int) -> ReplaceOne:
    """The neighbour relation of this name."""
    for relation in (ReplaceOne(n), ReplaceAnswer(n)):
        if relation.name == name:
            return relation
    raise InvalidInput("there is no such adjacency", hint="use replace-one or replace-answer")
