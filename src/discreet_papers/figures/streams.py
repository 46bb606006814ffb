"""The exact error of one data set, summed over all candidates a slice at a time: spaces that no list would hold.

ln BC is a sum over categories, so a table for each is enough. The categories are split in two halves; a slice is all
candidates whose first half has one total, and its ln BC are the sums of a short list for each half (for two categories
one slice holds everything). `power` is 1 for the Hellinger distance and 1/ln(n+Σα) for the papers' (`legacy`).
`tests/papers/figures/test_streams.py` holds the sums to `discreet.accuracy`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from discreet import PosteriorSpace, TooLarge
from discreet.mechanisms.laplace import LaplaceLaw
from discreet.posteriors.distances import second_difference
from discreet.samplers.bits import SYSTEM, Bits
from discreet_papers.figures.error_laws import Atoms, Cells, draw_uniform

if TYPE_CHECKING:
    Half = tuple[NDArray[np.float64], NDArray[np.float64]]

_UNSEEN = 1e-18
"""Parts of a Laplace law less likely than this are left out."""


class Stream(ABC):
    """The distances from one data set to all candidates, slice by slice, and how likely they are released."""

    def __init__(self, space: PosteriorSpace, counts: Sequence[int], power: float = 1.0) -> None:
        if space.k > 4:
            raise TooLarge("slices are made for at most four categories", hint="use discreet.accuracy")
        self.space, self.counts = space, tuple(counts)
        count = np.arange(space.n + 1)
        self._tables = [
            -0.5 * power * second_difference(float(alpha) + c, float(alpha) + count, count - c)
            for alpha, c in zip(space.prior.parameters, counts, strict=True)
        ]

    @property
    def mean(self) -> float:
        """The expected distance."""
        return self._summed[0]

    @property
    def atoms(self) -> Atoms:
        """The law of the distance, in cells."""
        return self._summed[1]

    def draw_distances(self, size: int, bits: Bits = SYSTEM) -> NDArray[np.float64]:
        """Distances of independent outputs, for studies: inversion in floats, first of the slice and then within it."""
        first, inside = (draw_uniform(bits, size) for _ in range(2))
        totals = self._summed[2]
        chosen = np.searchsorted(np.cumsum(totals) / totals.sum(), first, side="right").clip(0, len(totals) - 1)
        found = np.empty(size)
        for at in np.unique(chosen):
            distance, weight = self._slice(int(at))
            sums = np.cumsum(weight)
            mine = chosen == at
            found[mine] = distance[np.searchsorted(sums / sums[-1], inside[mine], side="right").clip(0, len(sums) - 1)]
        return found

    def slices(self) -> Iterator[tuple[NDArray[np.float64], NDArray[np.float64]]]:
        """The distances and weights of all candidates, in lists."""
        return (self._slice(at) for at in range(self._length))

    @abstractmethod
    def _first(self, total: int) -> Half:
        """ln BC and weights of the first half of the categories, for each way to share its total."""

    @abstractmethod
    def _second(self, total: int) -> Half:
        """The same of the second half."""

    @abstractmethod
    def _weigh(self, distance: NDArray[np.float64], shared: NDArray[np.float64]) -> NDArray[np.float64]:
        """The weights of a slice, from its distances and the product of its halves' weights."""

    @property
    def _length(self) -> int:
        return 1 if self.space.k == 2 else self.space.n + 1

    @cached_property
    def _summed(self) -> tuple[float, Atoms, NDArray[np.float64]]:
        """The mean, the cells, and the weight of each slice."""
        totals, cells, moment = np.zeros(self._length), Cells(), 0.0
        for at, (distance, weight) in enumerate(self.slices()):
            totals[at] = weight.sum()
            moment += float(weight @ distance)
            cells.add(distance, weight)
        return moment / float(totals.sum()), cells.atoms(), totals

    def _slice(self, at: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        if self.space.k == 2:
            log_affinity, shared = self._first(self.space.n)
        else:
            one = self._first(at)
            other = self._second(self.space.n - at) if len(one[0]) else one
            log_affinity = (one[0][:, None] + other[0][None, :]).ravel()
            shared = (one[1][:, None] * other[1][None, :]).ravel()
        distance = np.sqrt(-np.expm1(np.minimum(log_affinity, 0.0)))
        return distance, self._weigh(distance, shared)

    def _pair(self, i: int, total: int) -> NDArray[np.float64]:
        """ln BC of categories i and i+1, for each way to share their total."""
        both: NDArray[np.float64] = self._tables[i][: total + 1] + self._tables[i + 1][total::-1]
        return both


class ExponentialStream(Stream):
    """Weight exp(-rate·distance) on every candidate.

    >>> stream = ExponentialStream(PosteriorSpace(prior=[1, 1], n=100), (50, 50), rate=1e9)
    >>> stream.mean < 1e-12
    True
    """

    def __init__(self, space: PosteriorSpace, counts: Sequence[int], *, rate: float, power: float = 1.0) -> None:
        super().__init__(space, counts, power)
        self.rate = rate

    def _first(self, total: int) -> Half:
        if self.space.k == 3:
            return self._tables[0][total : total + 1], np.ones(1)
        return _merged(self._pair(0, total))

    def _second(self, total: int) -> Half:
        return _merged(self._pair(self.space.k - 2, total))

    def _weigh(self, distance: NDArray[np.float64], shared: NDArray[np.float64]) -> NDArray[np.float64]:
        weight: NDArray[np.float64] = shared * np.exp(-self.rate * distance)
        return weight


class LaplaceStream(Stream):
    """The law of sequentially clamped counts with rounded Laplace noise: a product over categories."""

    def __init__(self, law: LaplaceLaw, *, power: float = 1.0) -> None:
        super().__init__(law.space, law.counts, power)
        self._noise = law.noise

    def _first(self, total: int) -> Half:
        n, value = self.space.n, np.arange(total + 1)
        if self.space.k == 3:
            masses = self._masses(0, np.array([total]), np.array([n]))
            return _likely(self._tables[0][total : total + 1], masses)
        first = self._masses(0, value, np.full(total + 1, n))
        if self.space.k == 2:
            return self._pair(0, n), first
        return _likely(self._pair(0, total), first * self._masses(1, total - value, n - value))

    def _second(self, total: int) -> Half:
        i = self.space.k - 2
        masses = self._masses(i, np.arange(total + 1), np.full(total + 1, total))
        return _likely(self._pair(i, total), masses)

    def _weigh(self, distance: NDArray[np.float64], shared: NDArray[np.float64]) -> NDArray[np.float64]:
        return shared

    def _masses(self, i: int, value: NDArray[np.int64], left: NDArray[np.int64]) -> NDArray[np.float64]:
        """The probabilities that category i is given these values of what is left."""
        inside, low, high = self._noise.log_floats(value - self.counts[i])
        part = np.where(value == 0, low, np.where(value == left, high, inside))
        masses: NDArray[np.float64] = np.where(left == 0, 1.0, np.exp(part))
        return masses


def _merged(log_affinity: NDArray[np.float64]) -> Half:
    """Equal values once, with how many they are: balanced data has everything twice."""
    value, count = np.unique(log_affinity, return_counts=True)
    return value, count.astype(np.float64)


def _likely(log_affinity: NDArray[np.float64], mass: NDArray[np.float64]) -> Half:
    kept = mass > _UNSEEN
    return log_affinity[kept], mass[kept]
