"""Discrete Gaussian noise, on the whole numbers and on whole vectors that sum to zero, drawn exactly.

The variance v is rational. A Gaussian on the whole numbers is drawn by inversion while its table is short. A wide one
is two-sided geometric noise y of rate a/v, for a whole number a near sqrt(v), kept with probability e^(-(|y|-a)²/2v):
the product is e^(-y²/2v) up to a constant (Canonne, Kamath and Steinke 2020). A geometric number of rate 1/2v is at
least m with probability e^(-m/2v): that is the coin, and nothing is computed for it.

Noise that sums to zero is k-1 such numbers, kept with probability e^(-(Σt)²/2v): about sqrt(k) tries.
Tests: `tests/samplers/test_gaussian_noise.py`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache

import numpy as np
from flint import arb
from numpy.typing import NDArray

from discreet.arithmetic.arrays import Wholes
from discreet.arithmetic.gaussian_sums import wave_sum, zero_sum_total
from discreet.arithmetic.numbers import ball, fixed_upper, precision
from discreet.samplers.bits import Bits, Inverter, Table, draw_accepted, tabulate_enclosed
from discreet.samplers.noise import Noise, TwoSided, geometric, unfold

_TABLED = 64
"""Up to this variance one inversion over 0, 1, -1, 2, -2, … does."""

_BATCH = 1 << 22
_SQUARES = 1 << 31
"""Larger numbers are squared beyond 64 bits."""


class DiscreteGaussian:
    """P(t) ∝ e^(-t²/2·variance) on all whole numbers."""

    def __init__(self, variance: Fraction) -> None:
        self.variance = variance
        self._folded = Inverter(self._table, 256) if variance <= _TABLED else None
        self._centre = max(1, math.isqrt(math.floor(variance)))
        self._wide = TwoSided(self._centre / variance)

    def _table(self, width: int) -> Table:
        with precision(width + 32):
            rate, weights, t = ball(1 / (2 * self.variance)), [ball(1)], 0
            while fixed_upper(weights[-1], width + 16) > 1:
                t += 1
                weights.append((-rate * t * t).exp())
            ratio = (-rate * (2 * t + 1)).exp()  # ratios fall outward
            zero, *sizes = weights[:-1]
            rest = weights[-1] / (1 - ratio)
            weights = [zero, *(size for size in sizes for _ in range(2))]
            return tabulate_enclosed(weights, 2 * rest, width + 16, width)

    def draw_many(self, bits: Bits, count: int) -> Wholes:
        """Independent exact draws."""
        if self._folded is not None:
            return unfold(self._folded.draw_many(bits, count))

        def draw_batch(missing: int) -> Wholes:
            proposals = self._wide.draw_many(bits, missing * 3 // 2 + 4)
            return proposals[toss_coins(bits, self.variance, np.abs(proposals) - self._centre)]

        return draw_accepted(count, draw_batch)


def toss_coins(bits: Bits, variance: Fraction, sizes: Wholes) -> NDArray[np.bool_]:
    """Coins that fall true with probability e^(-size²/2·variance), one for each size."""
    exact = sizes.astype(object) if len(sizes) and int(np.abs(sizes).max()) >= _SQUARES else sizes
    coins: NDArray[np.bool_] = np.asarray(geometric(1 / (2 * variance)).draw_many(bits, len(sizes)) >= exact * exact)
    return coins.astype(bool)


class GaussianNoise(Noise):
    """Noise with P(v) ∝ e^(-‖v‖²/2·variance)."""

    variance: Fraction

    def log_weight(self, v: Sequence[int]) -> Fraction:
        return -sum(each * each for each in v) / (2 * self.variance)


class IndependentGaussian(GaussianNoise):
    """Discrete Gaussian noise on each of k counts, each by itself.

    >>> from discreet.testing import HashedBits
    >>> IndependentGaussian(Fraction(100), 3).draw_many(HashedBits("an example"), 4).shape
    (4, 3)
    """

    sums_to_zero = False

    def __init__(self, variance: Fraction, k: int) -> None:
        self.variance, self.k, self._each = variance, k, DiscreteGaussian(variance)

    def log_total(self) -> arb:
        return self.k * wave_sum(self.variance).log()

    def draw_many(self, bits: Bits, count: int) -> Wholes:
        return self._each.draw_many(bits, count * self.k).reshape(count, self.k)


class ZeroSumGaussian(GaussianNoise):
    """v ∈ ℤ^k with Σv = 0 and P(v) ∝ e^(-‖v‖²/2·variance). For k = 2 it is a number of half the variance.

    >>> from discreet.testing import HashedBits
    >>> ZeroSumGaussian(Fraction(100), 3).draw_many(HashedBits("an example"), 1000).sum(axis=1).any()
    np.False_
    """

    sums_to_zero = True

    def __init__(self, variance: Fraction, k: int) -> None:
        self.variance, self.k = variance, k
        self._free = DiscreteGaussian(variance / 2 if k == 2 else variance)

    def log_total(self) -> arb:
        return zero_sum_total(self.variance, self.k).log()

    def draw_many(self, bits: Bits, count: int) -> Wholes:
        if self.k == 2:
            t = self._free.draw_many(bits, count)
            return np.stack([t, -t], axis=1)

        def draw_batch(missing: int) -> Wholes:
            size = max(1, min(math.ceil(1.25 * math.sqrt(self.k) * missing), _BATCH // self.k))
            rows = self.propose(bits, size)
            return rows[toss_coins(bits, self.variance, rows[:, -1])]

        return draw_accepted(count, draw_batch, (self.k,))

    def propose(self, bits: Bits, size: int) -> Wholes:
        """k-1 independent numbers per row, and what brings them to zero."""
        free = self._free.draw_many(bits, size * (self.k - 1)).reshape(size, self.k - 1)
        return np.concatenate([free, -free.sum(axis=1, keepdims=True)], axis=1)


zero_sum_gaussian = lru_cache(maxsize=64)(ZeroSumGaussian)
independent_gaussian = lru_cache(maxsize=64)(IndependentGaussian)
"""The noise of a variance and k, prepared once: these are public."""
