"""The exact error of one data set, summed over all candidates a slice at a time: spaces that no list would hold.

ln BC is a sum over categories, so a table for each is enough. The categories are split in two halves; a slice is all
candidates whose first half has one total, and its ln BC are the sums of a short list for each half (for two categories
one slice holds everything). `power` is 1 for the Hellinger distance and 1/ln(n+Σα) for the papers' (`legacy`).
`tests/papers/figures/test_streams.py` holds the sums to `discreet.accuracy`.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import TypeAlias

import numpy as np

from discreet import Laplace, LaplaceImproved, PosteriorSpace, TooLarge
from discreet.arithmetic.arrays import Floats, Wholes
from discreet.kernels.additive import LaplaceKernel
from discreet.posteriors.distances import second_difference
from discreet_papers.figures.error_laws import ErrorLaw

Shares: TypeAlias = list[Wholes]
"""For each category of a half, its counts in all ways to share a total."""

_UNSEEN = 1e-18
"""Parts of a Laplace law less likely than this are left out."""


class Stream(ErrorLaw):
    """The distances from one data set to all candidates, slice by slice, and how likely they are released."""

    def __init__(self, space: PosteriorSpace, counts: Sequence[int], power: float = 1.0) -> None:
        if space.k > 4:
            raise TooLarge("slices are made for at most four categories", hint="use discreet.accuracy")
        self.space, self.counts = space, tuple(counts)
        self.length = 1 if space.k == 2 else space.n + 1
        count = np.arange(space.n + 1)
        self._tables = [
            -0.5 * power * second_difference(float(alpha) + c, float(alpha) + count, count - c)
            for alpha, c in zip(space.prior.parameters, counts, strict=True)
        ]

    @abstractmethod
    def _weigh_half(self, log_affinity: Floats, shares: Shares, first: int, left: int) -> tuple[Floats, Floats]:
        """ln BC and weights of a half that begins at category `first`, when so many records are left for it."""

    def _weigh_slice(self, distance: Floats, shared: Floats) -> Floats:
        """The weights of a slice, from its distances and the product of its halves' weights."""
        return shared

    def part(self, at: int) -> tuple[Floats, Floats]:
        n, split = self.space.n, self.space.k - 2
        log_affinity, shared = self._half(split, n - at if split else n)
        if split and len(shared):
            one = self._half(0, at)
            log_affinity = (one[0][:, None] + log_affinity[None, :]).ravel()
            shared = (one[1][:, None] * shared[None, :]).ravel()
        distance = np.sqrt(-np.expm1(np.minimum(log_affinity, 0.0)))
        return distance, self._weigh_slice(distance, shared)

    def _half(self, first: int, total: int) -> tuple[Floats, Floats]:
        """ln BC and weights of the last two categories, or of those before them, for each way to share their total."""
        count = np.arange(total + 1)
        shares = [np.array([total])] if self.space.k - first == 3 else [count, total - count]
        log_affinity = sum((self._tables[first + i][share] for i, share in enumerate(shares)), np.zeros(1))
        return self._weigh_half(log_affinity, shares, first, total if first else self.space.n)


class ExponentialStream(Stream):
    """Weight exp(-rate·distance) on every candidate."""

    def __init__(self, space: PosteriorSpace, counts: Sequence[int], *, rate: float, power: float = 1.0) -> None:
        super().__init__(space, counts, power)
        self.rate = rate

    def _weigh_half(self, log_affinity: Floats, shares: Shares, first: int, left: int) -> tuple[Floats, Floats]:
        """Equal values once, with how many they are: balanced data has everything twice."""
        value, count = np.unique(log_affinity, return_counts=True)
        return value, count.astype(np.float64)

    def _weigh_slice(self, distance: Floats, shared: Floats) -> Floats:
        weight: Floats = shared * np.exp(-self.rate * distance)
        return weight


class LaplaceStream(Stream):
    """The law of sequentially clamped counts with rounded Laplace noise: a product over categories."""

    def __init__(self, mechanism: Laplace | LaplaceImproved, counts: Sequence[int], *, power: float = 1.0) -> None:
        super().__init__(mechanism.space, counts, power)
        self._kernel = LaplaceKernel(mechanism)

    def _weigh_half(self, log_affinity: Floats, shares: Shares, first: int, left: int) -> tuple[Floats, Floats]:
        mass, rest = np.ones(len(shares[0])), np.full(len(shares[0]), left)
        for i, share in enumerate(shares, first):
            if i < self.space.k - 1:  # what the others leave is the last category's
                part = self._kernel.part(share, rest, np.array(self.counts[i]))
                mass, rest = mass * np.where(rest == 0, 1.0, np.exp(part)), rest - share
        likely = mass > _UNSEEN
        return log_affinity[likely], mass[likely]
