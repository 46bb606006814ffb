"""The ideal snapping mechanism of the paper, in real numbers: its distribution in closed form, for any noise law.

    Snap(μ, v) = ⌊ v + S·ln(u)/ε ⌉_Λ,  u ~ μ on (0, 1], S = ±1 fair; with a bound, both v and the result are clamped

With S = +1 the result is at least t iff u ≥ exp(ε(t-v)), with S = -1 iff u ≤ exp(-ε(t-v)); the paper divides the
endpoints by S where it should multiply the exponent. Tests: `tests/papers/verification/test_ideal.py`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from flint import arb

from discreet.arithmetic.numbers import Enclosure, ball, exact, precision
from discreet.errors import InvalidInput
from discreet_papers.verification.affine import positive
from discreet_papers.verification.dilations import UNIFORM, Steps

BITS = 256


@dataclass(frozen=True)
class Ideal:
    """The ideal mechanism with scale 1/ε, multiples of `lattice`, and a bound or none.

    >>> from discreet.arithmetic.numbers import precision
    >>> with precision(64):
    ...     print(Ideal(epsilon=1, lattice=2).mass(0, 0).str(10, radius=False))
    0.6321205588
    """

    epsilon: Fraction
    lattice: Fraction
    bound: Fraction | None

    def __init__(self, *, epsilon: object, lattice: object, bound: object = None) -> None:
        object.__setattr__(self, "epsilon", exact(epsilon, "epsilon", above=0))
        object.__setattr__(self, "lattice", exact(lattice, "lattice", above=0))
        object.__setattr__(self, "bound", None if bound is None else exact(bound, "bound", above=0))

    @property
    def last(self) -> int:
        """The number of the greatest output, which is the clamp."""
        if self.bound is None:
            raise InvalidInput("without a bound there is no last output", hint="give a bound")
        return math.ceil(self.bound / self.lattice)

    def mass(self, value: object, index: int, mu: Steps = UNIFORM) -> arb:
        """The probability of the output index·Λ (clamped, if there is a bound), at the working precision."""
        where = exact(value, "value")
        low: Fraction | None = (index - Fraction(1, 2)) * self.lattice
        high: Fraction | None = (index + Fraction(1, 2)) * self.lattice
        if self.bound is not None:
            where = min(max(where, -self.bound), self.bound)
            low, high = None if index <= -self.last else low, None if index >= self.last else high
        rate, one, zero = self.epsilon, arb(1), arb(0)
        down = (
            zero if low is None else ball(rate * (low - where)).exp().min(one),
            one if high is None else ball(rate * (high - where)).exp().min(one),
        )
        up = (
            one if low is None else ball(rate * (where - low)).exp().min(one),
            zero if high is None else ball(rate * (where - high)).exp().min(one),
        )
        return (mu.cdf(down[1]) - mu.cdf(down[0]) + mu.cdf(up[0]) - mu.cdf(up[1])) / 2

    def closeness(
        self, value: object, neighbour: object, *, mu1: Steps = UNIFORM, mu2: Steps = UNIFORM, at: object = None
    ) -> Enclosure:
        """The least δ with P(O | value, μ₁) ≤ e^ε·P(O | neighbour, μ₂) + δ for all sets O of outputs; needs a bound.

        ε is the mechanism's own unless another is given.
        """
        epsilon = self.epsilon if at is None else exact(at, "epsilon", minimum=0)
        with precision(BITS):
            factor, total = ball(epsilon).exp(), arb(0)
            for index in range(-self.last, self.last + 1):
                gap = self.mass(value, index, mu1) - factor * self.mass(neighbour, index, mu2)
                total += gap.max(arb(0))
            return positive(total)
