"""The space of posteriors: every posterior that n records in k categories can lead to.

All that is public is here: the prior, n, and so the candidates. Counts are only ever arguments.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from math import comb

import numpy as np
from flint import fmpq
from scipy import special

from discreet.arithmetic.arrays import Wholes
from discreet.arithmetic.numbers import Range, as_items, rational, whole
from discreet.errors import InvalidInput, TooLarge
from discreet.posteriors import Dirichlet, as_prior
from discreet.posteriors.distances import hellinger_floats
from discreet.posteriors.neighbours import ReplaceOne
from discreet.posteriors.neighbours import adjacency as named_adjacency

MAX_CELLS = 1 << 26
"""Arrays of candidates beyond this many numbers (half a gigabyte) are refused before they are allocated."""

MAX_N = 10**15
"""Counts stay exact in a float, and their products with k in 64 bits."""

MAX_K = 10**6

PRIOR_RANGE = Range("1e-9", "1e12")
"""Beyond these a prior says nothing that these do not, and floats no longer show the posterior."""


class Counts(tuple[int, ...]):
    """Checked counts. They never show themselves: no log, message or traceback can carry them by accident.

    >>> PosteriorSpace(prior=Dirichlet([1, 1]), n=7).counts([3, 4])
    <counts>
    """

    __slots__ = ()

    def __repr__(self) -> str:
        return "<counts>"

    __str__ = __repr__


@dataclass(frozen=True, init=False)
class PosteriorSpace:
    """The posteriors that n records can lead to from one prior.

    >>> space = PosteriorSpace(prior=Dirichlet([1, 1, 1]), n=10)
    >>> space.k, space.size
    (3, 66)
    >>> space.candidates()[:3]
    [(0, 0, 10), (0, 1, 9), (0, 2, 8)]
    """

    prior: Dirichlet
    n: int
    adjacency: ReplaceOne = field(repr=False)
    """What one person may change."""

    def __init__(self, prior: object, n: object, *, adjacency: str = "replace-one") -> None:
        object.__setattr__(self, "prior", as_prior(prior))
        object.__setattr__(self, "n", whole(n, "n", minimum=1))
        object.__setattr__(self, "adjacency", named_adjacency(adjacency, self.n))
        for parameter in self.prior.parameters:
            PRIOR_RANGE.require(parameter, "a prior parameter")
        if self.n > MAX_N or self.k > MAX_K:
            raise TooLarge(
                f"spaces end at n = {MAX_N:,} and k = {MAX_K:,}", hint="take fewer records, or merge rare categories"
            )

    @property
    def k(self) -> int:
        """The number of categories."""
        return self.prior.k

    @cached_property
    def size(self) -> int:
        """The number of candidates, C(n+k-1, k-1)."""
        return comb(self.n + self.k - 1, self.k - 1)

    @cached_property
    def rationals(self) -> list[fmpq]:
        """The prior's parameters as FLINT has rational numbers, for the inner loops."""
        return [rational(parameter) for parameter in self.prior.parameters]

    def counts(self, values: object) -> Counts:
        """Check counts, once: k whole numbers ≥ 0 that sum to n, as any array-like.

        The message says what counts must be, never what these are.
        """
        if isinstance(values, Counts) and len(values) == self.k and sum(values) == self.n:
            return values
        items = as_items(values, "counts")
        try:
            checked = Counts([whole(item, "a count") for item in items])
        except InvalidInput:
            checked = Counts()
        if len(checked) != self.k or sum(checked) != self.n:
            raise InvalidInput(
                f"counts must be {self.k} whole numbers that sum to n = {self.n}", hint=_HINT_COUNTS, parameter="counts"
            )
        return checked

    def candidates(self) -> Candidates:
        """The candidates' counts in lexicographic order, lazily."""
        return Candidates(self)

    def neighbours(self, counts: object) -> Iterator[Counts]:
        """The counts of all adjacent data sets.

        >>> [tuple(c) for c in PosteriorSpace(prior=Dirichlet([1, 1]), n=2).neighbours([1, 1])]
        [(0, 2), (2, 0)]
        """
        return (Counts(c) for c in self.adjacency.neighbours(self.counts(counts)))

    def posterior(self, counts: object) -> Dirichlet:
        """The candidate with these counts."""
        return self.prior.update(self.counts(counts))

    def distance(self, c: object, r: object) -> float:
        """The Hellinger distance of the candidates with counts c and r.

        >>> space = PosteriorSpace(prior=Dirichlet([1, 1]), n=100)
        >>> round(space.distance([0, 100], [1, 99]), 8)
        0.33893976
        """
        return float(hellinger_floats(self.prior, self.counts(c), [self.counts(r)])[0])


_HINT_SIZE = "use the geometric mechanism, which never enumerates, or fewer categories or records"
_HINT_COUNTS = "count each category once, zeros included"


class Candidates:
    """The counts of all candidates in lexicographic order: a sequence that is never stored.

    >>> r = PosteriorSpace(prior=Dirichlet([1, 1, 1]), n=10**6).candidates()
    >>> r.size, r[123456789], r.index(r[123456789])
    (500001500001, (123, 464169, 535708), 123456789)
    """

    __slots__ = ("_k", "_n", "_space")

    def __init__(self, space: PosteriorSpace) -> None:
        self._space, self._k, self._n = space, space.k, space.n

    @property
    def size(self) -> int:
        """How many there are; unlike `len`, for any space."""
        return self._space.size

    def __len__(self) -> int:
        return self.size

    def __iter__(self) -> Iterator[tuple[int, ...]]:
        current = [0] * (self._k - 1) + [self._n]
        while True:
            yield tuple(current)
            last = self._k - 1
            while not current[last]:
                last -= 1
            if last == 0:
                return
            # Raise the rightmost number that has something to its right, and empty what follows but for the last.
            rest, current[last] = current[last] - 1, 0
            current[last - 1] += 1
            current[-1] = rest

    def __getitem__(self, rank: int | slice) -> tuple[int, ...] | list[tuple[int, ...]]:
        if isinstance(rank, slice):
            return [self.unrank(i) for i in range(*rank.indices(self.size))]
        return self.unrank(rank if rank >= 0 else rank + self.size)

    def unrank(self, rank: int) -> tuple[int, ...]:
        """The candidate at a rank, without enumeration: O(k log n) big-integer steps."""
        if not 0 <= rank < self.size:
            raise IndexError("no candidate has this rank")
        found, rest = [], self._n
        for parts in range(self._k - 1, 0, -1):
            # Candidates whose first number is below f: all of them but those that put f aside first.
            first = bisect_right(range(rest + 1), rank, key=lambda f: _below(f, rest, parts)) - 1
            rank -= _below(first, rest, parts)
            found.append(first)
            rest -= first
        return (*found, rest)

    def index(self, candidate: tuple[int, ...]) -> int:
        """The rank of a candidate, without enumeration."""
        rank, rest = 0, self._n
        for i, value in enumerate(candidate[:-1]):
            rank += _below(value, rest, self._k - 1 - i)
            rest -= value
        return rank

    def array(self) -> Wholes:
        """All candidates as rows of one array; `TooLarge` before anything is allocated if it would not fit."""
        require_enumerable(self._space, self._k)
        if self._k == 2:
            first = np.arange(self._n + 1, dtype=np.int64)
            return np.stack([first, self._n - first], axis=1)
        rows = np.zeros((1, 0), dtype=np.int64)
        left = np.array([self._n], dtype=np.int64)
        for _ in range(self._k - 1):
            repeats = left + 1
            starts = np.repeat(np.cumsum(repeats) - repeats, repeats)
            value = np.arange(starts.size, dtype=np.int64) - starts
            rows = np.concatenate([np.repeat(rows, repeats, axis=0), value[:, None]], axis=1)
            left = np.repeat(left, repeats) - value
        return np.concatenate([rows, left[:, None]], axis=1)


def rank_rows(rows: Wholes) -> Wholes:
    """The ranks of many candidates at once."""
    k = rows.shape[1]
    left = rows.sum(axis=1)
    rank = np.zeros(rows.shape[0])
    for i in range(k - 1):
        parts = k - 1 - i
        rank += special.comb(left + parts, parts) - special.comb(left - rows[:, i] + parts, parts)
        left = left - rows[:, i]
    return np.rint(rank).astype(np.int64)


def orbits(space: PosteriorSpace) -> Wholes:
    """For each candidate the rank of the first one that differs from it by exchanging categories of equal prior.

    >>> orbits(PosteriorSpace(prior=[1, 1, 2], n=2)).tolist()
    [0, 1, 2, 1, 4, 2]
    """
    canonical = space.candidates().array().copy()
    alpha = space.prior.parameters
    for value in set(alpha):
        same = [i for i, parameter in enumerate(alpha) if parameter == value]
        canonical[:, same] = np.sort(canonical[:, same], axis=1)
    return rank_rows(canonical)


def exceeds(space: PosteriorSpace, limit: int) -> bool:
    """Whether there are more candidates than this, without computing how many there are.

    >>> exceeds(PosteriorSpace(prior=[1] * 1000, n=10**12), 10**9)
    True
    """
    size = 1
    for i in range(1, space.k):  # C(n+i, i) grows with i: stop at the first that is too large.
        size = size * (space.n + i) // i
        if size > limit:
            return True
    return False


def require_enumerable(
    space: PosteriorSpace, cells: int = 1, *, limit: int = MAX_CELLS, hint: str = _HINT_SIZE
) -> None:
    """Refuse an enumeration of the candidates that would not fit, from public facts, before any is made.

    `cells` is how many numbers each candidate costs.
    """
    if exceeds(space, limit // cells):
        n, k = space.n, space.k
        exponent = (math.lgamma(n + k) - math.lgamma(n + 1) - math.lgamma(k)) / math.log(10)
        number = f"{space.size:,}" if exponent < 15 else f"about 10^{exponent:.0f}"
        raise TooLarge(f"this would enumerate {number} candidates", hint=hint)


def _below(first: int, rest: int, parts: int) -> int:
    """How many ways to split `rest` over parts+1 numbers have a first number below `first`."""
    return comb(rest + parts, parts) - comb(rest - first + parts, parts)
