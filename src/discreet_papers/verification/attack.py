"""The attack that snapping defends against: outputs of a float Laplace that only one of two neighbours can give.

Floats are spaced unevenly, so value ⊕ noise reaches some doubles from one value and skips them from another. Whoever
sees such an output knows which value it was: the loss is infinite. With the sign fixed the sum is monotone in the
uniform, so bisection decides exactly whether an output is possible, and with what probability. The uniforms may be
those of common generators (multiples of 2⁻⁵³) or the exact ones that snapping uses, and the logarithm is correctly
rounded: better floats don't help. Tests: `tests/papers/verification/test_attack.py`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol

from flint import arb

from discreet.arithmetic.binary64 import DIGITS, Dyadic, add, last_rank, minus_log, rank_below, unit
from discreet.arithmetic.numbers import ball, exact, exact_datum, float_upper, precision
from discreet.mechanisms.snapping.number import Snapping

_GRID = 1 << DIGITS


class Mechanism(Protocol):
    """What can be attacked: it gives outputs, and says how probable one is."""

    def outputs(self, value: Fraction, count: int) -> Iterator[float]:
        """Outputs that the value can give, from `count` uniforms spread over (0, 1) and both signs."""

    def probability(self, value: Fraction, output: float) -> Dyadic:
        """The exact probability of an output."""


@dataclass(frozen=True)
class Pore:
    """An output that one value can give, with this probability, and its neighbour cannot."""

    output: float
    probability: Dyadic


@dataclass(frozen=True)
class Scan:
    """What an attack found among so many different outputs: any pore at all makes the loss infinite."""

    tried: int
    pores: tuple[Pore, ...]


@dataclass(frozen=True)
class FloatLaplace:
    """value ⊕ S·(λ ⊗ ln U) with λ = 1/ε as a float, and nothing after it: the textbook mechanism."""

    epsilon: Fraction
    exact_uniforms: bool

    def __init__(self, *, epsilon: object, exact_uniforms: bool = False) -> None:
        object.__setattr__(self, "epsilon", exact(epsilon, "epsilon", above=0))
        object.__setattr__(self, "exact_uniforms", exact_uniforms)

    @property
    def scale(self) -> float:
        """λ, rounded up."""
        return float_upper(1 / self.epsilon)

    def outputs(self, value: Fraction, count: int) -> Iterator[float]:
        """Outputs that the value can give."""
        for u in _spread(count):
            noise = self._noise(self._place(ball(u)))
            yield from (add(value, noise), add(value, -noise))

    def probability(self, value: Fraction, output: float) -> Dyadic:
        """The exact probability of a double: 0 for those that the noise jumps over."""
        total = Dyadic(0, 0)
        for sign in (1, -1):
            reached = self._beyond(value, output, sign)
            farther = self._beyond(value, math.nextafter(output, sign * math.inf), sign)
            total = total.plus(reached.minus(farther).half())
        return total

    def _beyond(self, value: Fraction, limit: float, sign: int) -> Dyadic:
        """P(the sum reaches the limit) with this sign: the uniform after the last one that does."""

        def reaches(place: int) -> bool:
            noise = self._noise(place)
            return math.isinf(noise) or sign * add(value, sign * noise) >= sign * limit

        with precision(2 * DIGITS):
            guess = self._place((-abs(ball(Fraction(limit) - value)) / ball(Fraction(self.scale))).exp())
        return self._uniform(last_rank(reaches, guess) + 1)

    # Uniforms are numbered downward from -1, as ranks are; either kind has P(U < u) = u.

    def _uniform(self, place: int) -> Dyadic:
        return unit(place) if self.exact_uniforms else Dyadic(_GRID + place, -DIGITS)

    def _place(self, u: arb) -> int:
        rank = min(rank_below(u), -1)
        return rank if self.exact_uniforms else math.floor(unit(rank).fraction() * _GRID) - _GRID

    def _noise(self, place: int) -> float:
        if not self.exact_uniforms and place <= -_GRID:
            return math.inf  # ln 0
        return self.scale * minus_log(self._uniform(place))


@dataclass(frozen=True)
class SnappingAdapter:
    """The snapping mechanism under the same attack."""

    snapping: Snapping

    def outputs(self, value: Fraction, count: int) -> Iterator[float]:
        """Outputs that the value can give."""
        x = self.snapping.scaled(value)
        for u in _spread(count):
            for upward in (True, False):
                yield self.snapping.output(self.snapping._land(x, upward, min(rank_below(ball(u)), -1)))

    def probability(self, value: Fraction, output: float) -> Dyadic:
        """The exact probability of an output."""
        return self.snapping.probability(value, output)


def scan(mechanism: Mechanism, value: object, neighbour: object, *, count: int = 64) -> Scan:
    """Look for outputs that `value` can give and `neighbour` cannot."""
    first, second = exact_datum(value, "value"), exact_datum(neighbour, "neighbour")
    outputs = dict.fromkeys(mechanism.outputs(first, count))
    pores = [y for y in outputs if not mechanism.probability(second, y).mantissa]
    return Scan(len(outputs), tuple(Pore(y, mechanism.probability(first, y)) for y in pores))


def _spread(count: int) -> Iterator[Fraction]:
    return (Fraction(2 * i + 1, 2 * count) for i in range(count))
