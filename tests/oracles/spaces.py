"""The candidates, what one person may change, and how likely counts are before they are seen (section 1)."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import permutations
from math import factorial
from typing import TypeAlias

from .precision import Exact, Real, exact, real

Counts: TypeAlias = tuple[int, ...]


def candidates(k: int, n: int) -> list[Counts]:
    """All r of k whole numbers with total n, in lexicographic order."""
    return list(_compositions(k, n))


def _compositions(k: int, n: int) -> Iterator[Counts]:
    if k == 1:
        yield (n,)
        return
    for first in range(n + 1):
        for rest in _compositions(k - 1, n - first):
            yield (first, *rest)


def records(counts: Sequence[int]) -> tuple[int, ...]:
    """A data set with these counts: category i as often as counts[i] says."""
    return tuple(i for i, count in enumerate(counts) for _ in range(count))


def count(data: Sequence[int], k: int) -> Counts:
    """How often each of the k categories occurs in a data set."""
    return tuple(sum(1 for record in data if record == i) for i in range(k))


def neighbours(counts: Sequence[int]) -> list[Counts]:
    """The counts with one record moved from a category that has one to another, in lexicographic order."""
    k = len(counts)
    moves = [(i, j) for i in range(k) for j in range(k) if i != j and counts[i] >= 1]
    return sorted(tuple(x - (at == i) + (at == j) for at, x in enumerate(counts)) for i, j in moves)


def neighbours_by_replacement(counts: Sequence[int]) -> list[Counts]:
    """The other counts that arise when one record of a data set is replaced: the definition."""
    data, k = records(counts), len(counts)
    others = {count((*data[:at], new, *data[at + 1 :]), k) for at in range(len(data)) for new in range(k)}
    return sorted(others - {tuple(counts)})


def adjacent_pairs(k: int, n: int) -> list[tuple[Counts, Counts]]:
    """All ordered pairs of adjacent counts."""
    return [(c, other) for c in candidates(k, n) for other in neighbours(c)]


def hamming(c: Sequence[int], other: Sequence[int]) -> int:
    """Records that must be replaced to get from c to other: half the sum of absolute differences."""
    twice = sum(abs(x - y) for x, y in zip(c, other, strict=True))
    assert twice % 2 == 0, "the totals differ"
    return twice // 2


def hamming_by_orderings(c: Sequence[int], other: Sequence[int]) -> int:
    """The least number of disagreeing positions over all orderings of the second data set: the definition."""
    first = records(c)
    return min(sum(x != y for x, y in zip(first, second, strict=True)) for second in set(permutations(records(other))))


def posterior(alpha: Sequence[Exact], counts: Sequence[int]) -> tuple[Fraction, ...]:
    """The parameters alpha + counts."""
    return tuple(exact(a) + x for a, x in zip(alpha, counts, strict=True))


def prior_predictive_exact(alpha: Sequence[Exact], counts: Sequence[int]) -> Fraction:
    """DirMult(counts | n, alpha) as a fraction, from the chain rule: each record by the odds of the urn so far."""
    urn = [exact(a) for a in alpha]
    total, probability = sum(urn, Fraction(0)), Fraction(factorial(sum(counts)))
    for i, x in enumerate(counts):
        probability /= factorial(x)
        for _ in range(x):
            probability *= urn[i] / total
            urn[i] += 1
            total += 1
    return probability


def prior_predictive(alpha: Sequence[Exact], n: int) -> dict[Counts, Real]:
    """DirMult(c | n, alpha) for every candidate c."""
    return {c: real(prior_predictive_exact(alpha, c)) for c in candidates(len(alpha), n)}


def uniform(k: int, n: int) -> dict[Counts, Real]:
    """The same weight for every candidate."""
    every = candidates(k, n)
    return {c: real(Fraction(1, len(every))) for c in every}
