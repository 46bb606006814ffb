"""The noise of additive mechanisms on two categories: whole numbers with exponential or Gaussian tails.

Geometric noise is two-sided geometric; rounded Laplace noise has the same tails and another mass at zero. Noise of both
kinds tells its masses, also those of blocks, and how far it matters.
`tests/kernels/test_line_noise.py` holds them to the laws that are drawn from.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from discreet.arithmetic.arrays import Floats, Wholes
from discreet.arithmetic.discrete_gauss_rule import block_rule
from discreet.samplers.noise import Rounding

LOST = 42.0
"""Windows end where what is left is below e^-42, less than 1e-18."""


@dataclass(frozen=True)
class LineNoise:
    """P(noise ≥ h) = up·e^(-rate·(h-1)) for h ≥ 1, and P(noise ≤ -h) the same with down.

    >>> noise = LineNoise(rate=1.0, up=0.25, zero=0.5, down=0.25)
    >>> noise.masses(1).tolist()
    [0.25, 0.5, 0.25]
    """

    rate: float
    up: float
    zero: float
    down: float

    @classmethod
    def geometric(cls, epsilon: Fraction) -> LineNoise:
        """Two-sided geometric noise."""
        rate = float(epsilon)
        beyond = 1 / (1 + math.exp(min(rate, 700.0)))
        return cls(rate, beyond, math.tanh(rate / 2), beyond)

    @classmethod
    def laplace(cls, exact_rate: Fraction, rounding: Rounding) -> LineNoise:
        """Laplace noise that is rounded to the nearest whole number, or down."""
        rate = float(exact_rate)
        if rounding == "nearest":
            return cls(rate, math.exp(-rate / 2) / 2, -math.expm1(-rate / 2), math.exp(-rate / 2) / 2)
        return cls(rate, math.exp(-rate) / 2, -math.expm1(-rate) / 2, 0.5)

    @property
    def symmetric(self) -> bool:
        """Whether it is as often above as below."""
        return self.up == self.down

    def masses(self, reach: int) -> Floats:
        """P(noise = t) for t = -reach … reach; the first and the last stand for everything beyond them."""
        fall = np.exp(-self.rate * np.arange(reach)) * -math.expm1(-self.rate)
        fall[-1] = math.exp(-self.rate * (reach - 1))
        return np.concatenate([self.down * fall[::-1], [self.zero], self.up * fall])

    def reach(self, n: int) -> int:
        """How far the noise matters among n records: beyond, the end is reached or less than e^-42 is left."""
        # Errors in other metrics than Hellinger grow with the distance, at most like n·ln n.
        return max(1, min(n, 1 + math.ceil((LOST + 2 * math.log(n + 1)) / self.rate)))

    def block_masses(self, near: Wholes, far: Wholes) -> Floats:
        """The masses of the blocks near … far below, of no move, and of those above; the last reach to infinity."""
        share = -np.expm1(-self.rate * (far - near + 1.0))
        share[-1] = 1.0
        side = np.exp(-self.rate * (near - 1.0)) * share
        return np.concatenate([self.down * side, [self.zero], self.up * side])


@dataclass(frozen=True)
class GaussianNoise:
    """P(noise = t) ∝ e^(-t²/2·variance).

    >>> GaussianNoise(1.0).masses(2).round(4).tolist()
    [0.0586, 0.242, 0.3989, 0.242, 0.0586]
    """

    variance: float
    symmetric = True

    def log_masses(self, t: Floats) -> Floats:
        """ln P(noise = t)."""
        logs: Floats = -(t * t) / (2 * self.variance) - self._log_total
        return logs

    @cached_property
    def _log_total(self) -> float:
        """ln Σ e^(-t²/2·variance), which from a variance of 16 on is that of the integral, to the last digit."""
        if self.variance >= 16:
            return math.log(2 * math.pi * self.variance) / 2
        t = np.arange(-64, 65)
        return math.log(math.fsum(np.exp(-(t * t) / (2 * self.variance))))

    def masses(self, reach: int) -> Floats:
        """P(noise = t) for t = -reach … reach; the first and the last stand for everything beyond them."""
        inside = np.exp(self.log_masses(np.arange(1.0 - reach, reach)))
        beyond = max((1 - math.fsum(inside)) / 2, math.exp(float(self.log_masses(np.array(float(reach))))))
        return np.concatenate([[beyond], inside, [beyond]])

    @property
    def extent(self) -> int:
        """How far it goes: less than e^-42 is beyond."""
        return 1 + math.ceil(math.sqrt(2 * self.variance * LOST))

    def reach(self, n: int) -> int:
        """As for the others: Gaussian tails end sooner."""
        return max(1, min(n, 1 + math.ceil(math.sqrt(2 * self.variance * (LOST + 2 * math.log(n + 1))))))

    def block_masses(self, near: Wholes, far: Wholes) -> Floats:
        """The masses of the blocks near … far below, of no move, and of those above; the last reach to infinity."""
        places, weights, block = block_rule(near, far - near + 1)
        side = np.bincount(block, weights * np.exp(self.log_masses(places))).astype(np.float64)
        none = math.exp(-self._log_total)
        side[-1] = max((1 - none) / 2 - math.fsum(side[:-1]), float(side[-1]))
        return np.concatenate([side, [none], side])
