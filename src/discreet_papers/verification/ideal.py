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
from discreet_papers.verification.affine import nonnegative_enclosure
from discreet_papers.verification.dilations import UNIFORM, Steps

BITS = 256


@dataclass(frozen=True)
class Ideal:
    """The ideal mechanism with scale 1/ε, multiples of `lattice`, and a bound or none."""

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

        def level(edge: Fraction | None, sign: int, beyond: int) -> arb:
            """The greatest u whose result, seen from the value, is beyond the edge; known where there is no edge."""
            return arb(beyond) if edge is None else ball(sign * self.epsilon * (edge - where)).exp().min(arb(1))

        down = mu.cdf(level(high, 1, 1)) - mu.cdf(level(low, 1, 0))
        up = mu.cdf(level(low, -1, 1)) - mu.cdf(level(high, -1, 0))
        return (down + up) / 2

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
            return nonnegative_enclosure(total)
