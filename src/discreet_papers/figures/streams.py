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
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from discreet import Laplace, LaplaceImproved, PosteriorSpace, TooLarge
from discreet.kernels.additive import LaplaceKernel
from discreet.posteriors.distances import second_difference
from discreet.samplers.bits import SYSTEM, Bits
from discreet_papers.figures.error_laws import Atoms, Cells, draw_uniform, invert

Floats: TypeAlias = NDArray[np.float64]
Shares: TypeAlias = list[NDArray[np.int64]]
"""For each category of a half, its counts in all ways to share a total."""

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

    def draw_distances(self, size: int, bits: Bits = SYSTEM) -> Floats:
        """Distances of independent outputs, for studies: first of the slice and then within it."""
        first, inside = (draw_uniform(bits, size) for _ in range(2))
        chosen = invert(np.arange(self._length), self._summed[2], first)
        found = np.empty(size)
        for at in np.unique(chosen):
            mine = chosen == at
            found[mine] = invert(*self._slice(int(at)), inside[mine])
        return found

    def slices(self) -> Iterator[tuple[Floats, Floats]]:
        """The distances and weights of all candidates, in lists."""
        return (self._slice(at) for at in range(self._length))

    @abstractmethod
    def _weighted(self, log_affinity: Floats, shares: Shares, first: int, left: int) -> tuple[Floats, Floats]:
        """ln BC and weights of a half that begins at category `first`, when so many records are left for it."""

    @abstractmethod
    def _weigh(self, distance: Floats, shared: Floats) -> Floats:
        """The weights of a slice, from its distances and the product of its halves' weights."""

    @property
    def _length(self) -> int:
        return 1 if self.space.k == 2 else self.space.n + 1

    @cached_property
    def _summed(self) -> tuple[float, Atoms, Floats]:
        """The mean, the cells, and the weight of each slice."""
        totals, cells, moment = np.zeros(self._length), Cells(), 0.0
        for at, (distance, weight) in enumerate(self.slices()):
            totals[at] = weight.sum()
            moment += float(weight @ distance)
            cells.add(distance, weight)
        return moment / float(totals.sum()), cells.atoms(), totals

    def _slice(self, at: int) -> tuple[Floats, Floats]:
        n, split = self.space.n, self.space.k - 2
        log_affinity, shared = self._half(split, n - at if split else n)
        if split and len(shared):
            one = self._half(0, at)
            log_affinity = (one[0][:, None] + log_affinity[None, :]).ravel()
            shared = (one[1][:, None] * shared[None, :]).ravel()
        distance = np.sqrt(-np.expm1(np.minimum(log_affinity, 0.0)))
        return distance, self._weigh(distance, shared)

    def _half(self, first: int, total: int) -> tuple[Floats, Floats]:
        """ln BC and weights of the last two categories, or of those before them, for each way to share their total."""
        count = np.arange(total + 1)
        shares = [np.array([total])] if self.space.k - first == 3 else [count, total - count]
        log_affinity = sum((self._tables[first + i][share] for i, share in enumerate(shares)), np.zeros(1))
        return self._weighted(log_affinity, shares, first, total if first else self.space.n)


class ExponentialStream(Stream):
    """Weight exp(-rate·distance) on every candidate.

    >>> stream = ExponentialStream(PosteriorSpace(prior=[1, 1], n=100), (50, 50), rate=1e9)
    >>> stream.mean < 1e-12
    True
    """

    def __init__(self, space: PosteriorSpace, counts: Sequence[int], *, rate: float, power: float = 1.0) -> None:
        super().__init__(space, counts, power)
        self.rate = rate

    def _weighted(self, log_affinity: Floats, shares: Shares, first: int, left: int) -> tuple[Floats, Floats]:
        """Equal values once, with how many they are: balanced data has everything twice."""
        value, count = np.unique(log_affinity, return_counts=True)
        return value, count.astype(np.float64)

    def _weigh(self, distance: Floats, shared: Floats) -> Floats:
        weight: Floats = shared * np.exp(-self.rate * distance)
        return weight


class LaplaceStream(Stream):
    """The law of sequentially clamped counts with rounded Laplace noise: a product over categories."""

    def __init__(self, mechanism: Laplace | LaplaceImproved, counts: Sequence[int], *, power: float = 1.0) -> None:
        super().__init__(mechanism.space, counts, power)
        self._kernel = LaplaceKernel(mechanism)

    def _weighted(self, log_affinity: Floats, shares: Shares, first: int, left: int) -> tuple[Floats, Floats]:
        mass, rest = np.ones(len(shares[0])), np.full(len(shares[0]), left)
        for i, share in enumerate(shares, first):
            if i < self.space.k - 1:  # what the others leave is the last category's
                part = self._kernel.part(share, rest, np.array(self.counts[i]))
                mass, rest = mass * np.where(rest == 0, 1.0, np.exp(part)), rest - share
        kept = mass > _UNSEEN
        return log_affinity[kept], mass[kept]

    def _weigh(self, distance: Floats, shared: Floats) -> Floats:
        return shared
