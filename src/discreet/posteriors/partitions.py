"""Candidates up to the order of their categories: partitions of n, and how many candidates of each lie how far away.

The number of replaced records between two data sets does not change when both are reordered alike. So all that depends
on it alone is known once for every partition of n into at most k parts, of which there are far fewer than candidates:
with three categories and n = 60, 331 and 1,891; with ten and n = 10, 42 and 92,378.
"""

from __future__ import annotations

import bisect
import math
from collections.abc import Iterator
from functools import lru_cache

import numpy as np

from discreet.arithmetic.arrays import Wholes

Partition = tuple[int, ...]
"""k whole numbers that sum to n, the smallest first; zeros included."""


def number_of_partitions(n: int, k: int, limit: int) -> int:
    """How many partitions of n have at most k parts; or, where there are more than the limit, some number above it.

    >>> number_of_partitions(60, 3, 1000), number_of_partitions(10, 10, 1000)
    (331, 42)
    >>> number_of_partitions(10**15, 50, 1000) > 1000
    True
    """
    if k == 1 or n // 2 + 1 > limit:  # those of two parts alone
        return n // 2 + 1 if k > 1 else 1
    ways = [1] + [0] * n
    for part in range(1, min(n, k) + 1):  # as many have at most k parts as have no part above k
        for total in range(part, n + 1):
            ways[total] += ways[total - part]
    return ways[n]


class PartitionDistances:
    """Of one data set for each partition: how many candidates of every partition are how many replaced records away.

    The counts are exact: `numbers[i]` candidates of partition `columns[i]` are `steps[i]` away from a data set of
    partition `rows[i]`. Tested against enumeration in `tests/posteriors/test_partitions.py`.

    >>> counted = partition_distances(2, 3)
    >>> counted.partitions
    [(0, 0, 2), (0, 1, 1)]
    >>> [[int(x) for x in row] for row in zip(counted.rows, counted.columns, counted.steps, counted.numbers)]
    [[0, 0, 0, 1], [0, 0, 2, 2], [0, 1, 1, 2], [0, 1, 2, 1], [1, 0, 1, 2], [1, 0, 2, 1], [1, 1, 0, 1], [1, 1, 1, 2]]
    """

    def __init__(self, n: int, k: int) -> None:
        self.n, self.k = n, k
        levels = _levels(n, k)
        self.partitions = levels[-1]
        self.index = self.row_of = {partition: i for i, partition in enumerate(self.partitions)}
        self.outcomes = math.comb(n + k - 1, k - 1)
        self._steps = [_transitions(levels[i], levels[i + 1], n, last=i + 1 == k) for i in range(k)]
        self._sizes = [len(level) for level in levels]
        entries = []
        for row, table in enumerate(self._tables()):
            column, step = table.nonzero()
            entries.append((np.full(len(column), row), column, step, table[column, step]))
        self.rows, self.columns, self.steps, self.numbers = (
            np.concatenate(part) for part in zip(*entries, strict=True)
        )

    def _tables(self) -> Iterator[Wholes]:
        """For each partition: a row for each partition, a column for each number of steps.

        Count after count of the data set, the values of a candidate are a multiset that grows by one; partitions that
        begin alike share what their beginnings have.
        """
        stack = [np.zeros((1, 2 * self.n + 1), dtype=np.int64)]
        stack[0][0, 0] = 1
        before: Partition = ()
        for partition in self.partitions:
            alike = 0
            while alike < len(before) and before[alike] == partition[alike]:
                alike += 1
            del stack[alike + 1 :]
            for level in range(alike, self.k):
                stack.append(self._grow(stack[level], level, partition[level]))
            before = partition
            yield stack[-1][:, ::2]

    def _grow(self, table: Wholes, level: int, count: int) -> Wholes:
        """Multisets with one value more, which stands against this count."""
        grown = np.zeros((self._sizes[level + 1], table.shape[1]), dtype=np.int64)
        for value, (source, target) in enumerate(self._steps[level]):
            apart = abs(count - value)
            # Adding the same value to different multisets leads to different ones: no target is met twice.
            grown[target, apart:] += table[source, : table.shape[1] - apart]
        return grown


@lru_cache(maxsize=4)
def partition_distances(n: int, k: int) -> PartitionDistances:
    """Kept, because no ε and no prior changes them."""
    return PartitionDistances(n, k)


def _levels(n: int, k: int) -> list[list[Partition]]:
    """All multisets of 0, 1, …, k values that sum to at most n, and of k values to n itself."""
    levels: list[list[Partition]] = [[()]]
    for size in range(1, k + 1):
        grown: list[Partition] = []
        for values in levels[-1]:
            left, least = n - sum(values), values[-1] if values else 0
            if size == k:
                grown.extend([(*values, left)] if left >= least else [])
            else:
                grown.extend((*values, value) for value in range(least, left + 1))
        levels.append(grown)
    return levels


def _transitions(small: list[Partition], large: list[Partition], n: int, *, last: bool) -> list[tuple[Wholes, Wholes]]:
    """For each value: the multisets that it is added to, and those that they become; the last is what is left of n."""
    index = {values: i for i, values in enumerate(large)}
    moves: list[tuple[list[int], list[int]]] = [([], []) for _ in range(n + 1)]
    for source, values in enumerate(small):
        left = n - sum(values)
        for value in range(left if last else 0, left + 1):
            grown = list(values)
            bisect.insort(grown, value)
            moves[value][0].append(source)
            moves[value][1].append(index[tuple(grown)])
    return [(np.array(source, dtype=np.int64), np.array(target, dtype=np.int64)) for source, target in moves]
