"""The noise of additive mechanisms on two categories: whole numbers with exponential tails, in closed form.

Geometric noise is two-sided geometric; rounded Laplace noise has the same tails and another mass at zero.
`tests/kernels/test_line_noise.py` holds them to the laws that are drawn from.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from discreet.arithmetic.arrays import Floats
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

    def masses(self, reach: int) -> Floats:
        """P(noise = t) for t = -reach … reach; the first and the last stand for everything beyond them."""
        fall = np.exp(-self.rate * np.arange(reach)) * -math.expm1(-self.rate)
        fall[-1] = math.exp(-self.rate * (reach - 1))
        return np.concatenate([self.down * fall[::-1], [self.zero], self.up * fall])

    def reach(self, n: int) -> int:
        """How far the noise matters among n records: beyond, the end is reached or less than e^-42 is left."""
        # Errors in other metrics than Hellinger grow with the distance, at most like n·ln n.
        return max(1, min(n, 1 + math.ceil((LOST + 2 * math.log(n + 1)) / self.rate)))
