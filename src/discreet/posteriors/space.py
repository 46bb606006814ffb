"""The space of posteriors: every posterior that records in k categories can lead to.

All that is public is here: the prior and, unless it is private, n, and so the candidates. Counts are only ever
arguments.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
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
from discreet.posteriors.neighbours import MAX_N, Adjacency
from discreet.posteriors.neighbours import adjacency as named_adjacency

MAX_CELLS = 1 << 26
"""Arrays of candidates beyond this many numbers (half a gigabyte) are refused before they are allocated."""

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


@dataclass(frozen=True, init=False, repr=False)
class PosteriorSpace:
    """The posteriors that n records can lead to from one prior.

    >>> space = PosteriorSpace(prior=Dirichlet([1, 1, 1]), n=10)
    >>> space.k, space.size
    (3, 66)
    >>> space.candidates()[:3]
    [(0, 0, 10), (0, 1, 9), (0, 2, 8)]

    Without n the number of records is private: one person is one record more or less. With a public cap it is private
    too, and there are candidates to enumerate.

    >>> PosteriorSpace(prior=[1, 1], n=None).adjacency.name, PosteriorSpace(prior=[1, 1], cap=2).size
    ('add-remove', 6)
    """

    prior: Dirichlet
    adjacency: Adjacency
    """What one person may change, and so what is public of the number of records."""

    def __init__(self, prior: object, n: object = None, *, adjacency: str | None = None, cap: object = None) -> None:
        object.__setattr__(self, "prior", as_prior(prior))
        sizes = [None if size is None else whole(size, name, minimum=1) for size, name in ((n, "n"), (cap, "cap"))]
        object.__setattr__(self, "adjacency", named_adjacency(adjacency, *sizes))
        for parameter in self.prior.parameters:
            PRIOR_RANGE.require(parameter, "a prior parameter")
        if self.k < self.adjacency.least_k:
            raise InvalidInput("a Dirichlet needs at least two categories", hint="give one parameter for each")
        if max(size or 0 for size in sizes) > MAX_N or self.k > MAX_K:
            raise TooLarge(
                f"spaces end at n = {MAX_N:,} and k = {MAX_K:,}", hint="take fewer records, or merge rare categories"
            )

    @property
    def n(self) -> int:
        """The number of records; refused where it is private."""
        return self.adjacency.require_n()

    def __repr__(self) -> str:
        sizes = ", ".join(f"{name}={size}" for name, size in self.adjacency.sizes.items())
        return f"PosteriorSpace(prior={self.prior!r}, {sizes or 'n=None'})"

    @property
    def k(self) -> int:
        """The number of categories."""
        return self.prior.k

    @cached_property
    def size(self) -> int:
        """The number of candidates, C(n+k-1, k-1)."""
        parts, total = self.adjacency.simplex(self.k)
        return comb(total + parts - 1, parts - 1)

    @cached_property
    def rationals(self) -> list[fmpq]:
        """The prior's parameters as FLINT has rational numbers, for the inner loops."""
        return [rational(parameter) for parameter in self.prior.parameters]

    def counts(self, values: object) -> Counts:
        """Check counts, once: k whole numbers ≥ 0 that sum to n, if that is public, as any array-like.

        The message says what counts must be, never what these are.
        """
        allows = self.adjacency.allows
        if isinstance(values, Counts) and len(values) == self.k and allows(sum(values)):
            return values
        items = as_items(values, "counts")
        try:
            checked = Counts([whole(item, "a count") for item in items])
        except InvalidInput:
            checked = Counts()
        if len(checked) != self.k or not allows(sum(checked)):
            sizes = " and".join(f" that sum to {name} = {size}" for name, size in self.adjacency.sizes.items())
            raise InvalidInput(f"counts must be {self.k} whole numbers{sizes}", hint=_HINT_COUNTS, parameter="counts")
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
        self._space = space
        self._k, self._n = space.adjacency.simplex(space.k)
        """Into how many parts which number is cut. Under a cap the last part is what is left of it."""

    @property
    def size(self) -> int:
        """How many there are; unlike `len`, for any space."""
        return self._space.size

    def __len__(self) -> int:
        return self.size

    def __iter__(self) -> Iterator[tuple[int, ...]]:
        current, k = [0] * (self._k - 1) + [self._n], self._space.k
        while True:
            yield tuple(current[:k])
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
        counts, rest = [], self._n
        for parts in range(self._k - 1, 0, -1):
            # Candidates whose first number is below f: all of them but those that put f aside first.
            first = bisect_right(range(rest + 1), rank, key=lambda f: _below(f, rest, parts)) - 1
            rank -= _below(first, rest, parts)
            counts.append(first)
            rest -= first
        return (*counts, rest)[: self._space.k]

    def index(self, candidate: tuple[int, ...]) -> int:
        """The rank of a candidate, without enumeration."""
        rank, rest = 0, self._n
        for i, value in enumerate(candidate[: self._k - 1]):
            rank += _below(value, rest, self._k - 1 - i)
            rest -= value
        return rank

    def ranks(self, rows: Wholes) -> Wholes:
        """The ranks of many candidates at once."""
        left = np.full(len(rows), self._n)
        rank = np.zeros(len(rows))
        for i in range(self._k - 1):
            parts = self._k - 1 - i
            rank += special.comb(left + parts, parts) - special.comb(left - rows[:, i] + parts, parts)
            left = left - rows[:, i]
        return np.rint(rank).astype(np.int64)

    def array(self) -> Wholes:
        """All candidates as rows of one array; `TooLarge` before anything is allocated if it would not fit."""
        require_enumerable(self._space, self._k)
        if self._k == self._space.k == 2:
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
        return np.concatenate([rows, left[:, None]], axis=1)[:, : self._space.k]


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
    return space.candidates().ranks(canonical)


def exceeds(space: PosteriorSpace, limit: int) -> bool:
    """Whether there are more candidates than this, without computing how many there are.

    >>> exceeds(PosteriorSpace(prior=[1] * 1000, n=10**12), 10**9)
    True
    """
    if space.adjacency.endless:
        return True
    (parts, total), size = space.adjacency.simplex(space.k), 1
    for i in range(1, parts):  # C(n+i, i) grows with i: stop at the first that is too large.
        size = size * (total + i) // i
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
        k, n = space.adjacency.simplex(space.k)
        exponent = (math.lgamma(n + k) - math.lgamma(n + 1) - math.lgamma(k)) / math.log(10)
        number = f"{space.size:,}" if exponent < 15 else f"about 10^{exponent:.0f}"
        raise TooLarge(f"this would enumerate {number} candidates", hint=hint)


def _below(first: int, rest: int, parts: int) -> int:
    """How many ways to split `rest` over parts+1 numbers have a first number below `first`."""
    return comb(rest + parts, parts) - comb(rest - first + parts, parts)
