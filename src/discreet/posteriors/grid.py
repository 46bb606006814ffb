"""Hellinger distances between all candidates of a space, a row at a time, for wide scans in floats.

With two categories ln BC(c, r) = U(c+r) - ½U(2c) - ½U(2r), where U(j) = lnΓ(α₁+j/2) + lnΓ(α₂+n-j/2): one table serves
all rows. Its values agree in many leading digits, so it is kept in two parts: multiples of 2**-18, whose sums are
exact, and a rest of full relative precision. With more categories ln BC is a sum of one small table per category.
The relative error of H is below 1e-12 (`tests/posteriors/test_grid.py`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cached_property, lru_cache

import numpy as np

from discreet.arithmetic.arrays import Floats, Wholes
from discreet.arithmetic.numbers import precision
from discreet.errors import TooLarge
from discreet.posteriors.distances import TABLE_BITS, half_gammas, second_difference
from discreet.posteriors.space import PosteriorSpace, require_enumerable

LONGEST_LINE = 1 << 21
"""Lines of more candidates are not tabled."""

WIDEST_TABLES = 1 << 26

KEPT = 1 << 10
"""All distances of a space of so many candidates are kept (8 MB)."""


class Grid(ABC):
    """The distances from any candidate to all others, by rank."""

    def __init__(self, space: PosteriorSpace) -> None:
        self.space = space
        self.rows = space.candidates().array()

    @property
    def size(self) -> int:
        """The number of candidates."""
        return len(self.rows)

    def distances(self, rank: int) -> Floats:
        """H from the candidate of this rank to all, in their order."""
        return self.distances_between(rank, 0, self.size)

    def all_distances(self) -> Floats:
        """H between all candidates."""
        return self._kept if self.size <= KEPT else np.stack([self.distances(rank) for rank in range(self.size)])

    @cached_property
    def _kept(self) -> Floats:
        return np.stack([self._distances(rank, 0, self.size) for rank in range(self.size)])

    def distances_between(self, rank: int, start: int, stop: int) -> Floats:
        """H from the candidate of this rank to those of ranks start … stop-1."""
        return self._kept[rank, start:stop] if self.size <= KEPT else self._distances(rank, start, stop)

    def _distances(self, rank: int, start: int, stop: int) -> Floats:
        log_affinity = np.minimum(self._log_affinity(rank, start, stop), 0.0)
        # 1 - exp loses digits only near the candidate itself; there expm1, which is slower, keeps them.
        close = log_affinity > -1e-2
        gap = 1.0 - np.exp(log_affinity)
        gap[close] = -np.expm1(log_affinity[close])
        return np.sqrt(gap, out=gap)

    @abstractmethod
    def _log_affinity(self, rank: int, start: int, stop: int) -> Floats: ...


class Line(Grid):
    """Two categories: the rank is the first count."""

    def __init__(self, space: PosteriorSpace) -> None:
        require_enumerable(space, limit=LONGEST_LINE)
        super().__init__(space)
        self._high, self._low = _split_tables(space)
        self._half_high, self._half_low = self._high[::2] / 2, self._low[::2] / 2

    def log_affinities(self, ranks: Wholes, others: Wholes) -> Floats:
        """ln BC for many pairs of ranks."""
        exact = self._high[ranks + others] - self._half_high[others] - self._half_high[ranks]
        rest = self._low[ranks + others] - self._half_low[others] - self._half_low[ranks]
        both: Floats = exact + rest
        return both

    def steps(self) -> Floats:
        """H between each candidate and the next."""
        first = np.arange(self.size - 1)
        return np.sqrt(-np.expm1(self.log_affinities(first, first + 1)))

    def _log_affinity(self, rank: int, start: int, stop: int) -> Floats:
        sums = slice(rank + start, rank + stop)
        exact: Floats = self._high[sums] - self._half_high[start:stop] - self._half_high[rank]
        rest: Floats = self._low[sums] - self._half_low[start:stop] - self._half_low[rank]
        exact += rest
        return exact


class Simplex(Grid):
    """Three categories or more: one table of second differences for each category."""

    def __init__(self, space: PosteriorSpace) -> None:
        require_enumerable(space, space.k, limit=WIDEST_TABLES)
        if space.k * (space.n + 1) ** 2 > WIDEST_TABLES:
            raise TooLarge(f"tables of {space.k} × {space.n + 1}² distances would not fit", hint="take fewer records")
        super().__init__(space)
        first, second = np.ogrid[: space.n + 1, : space.n + 1]
        alphas = map(float, space.prior.parameters)
        self._tables = [-0.5 * second_difference(a + first, a + second, second - first) for a in alphas]
        self._columns = [np.ascontiguousarray(column) for column in self.rows.T]

    def _log_affinity(self, rank: int, start: int, stop: int) -> Floats:
        total = np.zeros(stop - start)
        for table, column in zip(self._tables, self._columns, strict=True):
            total += table[column[rank]][column[start:stop]]
        return total


@lru_cache(maxsize=4)
def grid(space: PosteriorSpace) -> Grid:
    """The distances of a space, tabled once."""
    return Line(space) if space.k == 2 else Simplex(space)


def _split_tables(space: PosteriorSpace) -> tuple[Floats, Floats]:
    """U(0), …, U(2n) as an exact multiple of 2**-18 and the rest."""
    length = 2 * space.n + 1
    first, second = (half_gammas(alpha, length - 1, TABLE_BITS)[:length] for alpha in space.prior.parameters)
    with precision(TABLE_BITS):
        values = [one + other for one, other in zip(first, reversed(second), strict=True)]
        # ln BC does not change when a line is taken from U; what is left is smaller, however strong the prior.
        middle, slope = values[space.n], (values[-1] - values[0]) / (length - 1)
        values = [value - middle - slope * (j - space.n) for j, value in enumerate(values)]
        high = np.ldexp(np.rint(np.array([float(value) for value in values]) * 2.0**18), -18)
        low = np.array([float(value - whole) for value, whole in zip(values, high.tolist(), strict=True)])
    return high, low
