"""Partitions and the distances between them are those of an enumeration."""

import itertools
from collections import Counter

import pytest

from discreet.posteriors.partitions import PartitionDistances, number_of_partitions
from tests.oracles import spaces


@pytest.mark.parametrize(("n", "k"), [(1, 2), (7, 2), (6, 3), (5, 4), (4, 5), (3, 7)])
def test_distances_between_partitions_are_counted_as_by_enumeration(n: int, k: int) -> None:
    counted = PartitionDistances(n, k)
    rows = spaces.candidates(k, n)
    assert counted.partitions == sorted({tuple(sorted(row)) for row in rows})
    found = Counter[tuple[int, int, int]]()
    for row, column, step, number in zip(counted.rows, counted.columns, counted.steps, counted.numbers, strict=True):
        found[int(row), int(column), int(step)] += int(number)
    brute = Counter[tuple[int, int, int]]()
    for (i, one), other in itertools.product(enumerate(counted.partitions), rows):
        steps = sum(abs(a - b) for a, b in zip(one, other, strict=True)) // 2
        brute[i, counted.index[tuple(sorted(other))], steps] += 1
    assert found == brute


@pytest.mark.parametrize(("n", "k"), [(1, 2), (9, 2), (12, 3), (10, 10), (9, 20)])
def test_partitions_are_counted_without_being_listed(n: int, k: int) -> None:
    assert number_of_partitions(n, k, 10**6) == len(PartitionDistances(n, k).partitions)


def test_more_partitions_than_the_limit_are_known_to_be_more() -> None:
    assert all(number_of_partitions(n, k, 640) > 640 for n, k in [(10**15, 2), (10**9, 3), (85, 3), (21, 10)])
