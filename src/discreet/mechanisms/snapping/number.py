"""Mironov's snapping mechanism: a number released through binary64 floats that leak nothing.

    Snap(a) = clamp_B( ⌊ clamp_B(f(a)) ⊕ S·(λ ⊗ LN(U)) ⌉_Λ )

U is an exact uniform with 53 binary digits, LN the correctly rounded logarithm, ⊗ and ⊕ are rounded to nearest and ties
to even as IEEE does, and ⌊·⌉_Λ goes to the nearest multiple of Λ, ties upward, exactly. f(a) is a rational number,
divided exactly by its sensitivity: nothing is rounded before ⊕. `release` and `distribution` share `_land`, the one
function from a uniform to an output, so that what is verified is what is drawn. Tests: `tests/mechanisms/`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

from discreet.arithmetic.binary64 import (
    DIGITS,
    ETA,
    Dyadic,
    add,
    minus_log,
    nearest_multiple,
    unit,
)
from discreet.arithmetic.numbers import Range, exact, exact_datum, float_upper
from discreet.errors import InvalidInput
from discreet.mechanisms.snapping.bound import certified_loss
from discreet.mechanisms.snapping.law import mass, whole_law
from discreet.mechanisms.snapping.proof import Certificate, Verdict, certify, verify
from discreet.samplers.bits import SYSTEM, Bits, draw_unit
from discreet.typing import Epsilon

if TYPE_CHECKING:
    from discreet.mechanisms.snapping.law import SnappedLaw

WIDEST = 46
"""The theorem needs λ < B < 2⁴⁶λ."""

EXACT_TO = DIGITS - 2
"""Beyond 2⁵¹ sensitivities doubles are too coarse to keep neighbours at distance one."""

EPSILON_RANGE = Range("1e-14", "1e9")


@dataclass(frozen=True, kw_only=True, init=False)
class Snapping:
    """Release a number of bounded sensitivity: pure ε-differential privacy, rounding errors and all.

    `scale` is the noise's λ in units of the sensitivity, solved from (1+12Bη)/λ + 2η ≤ ε and rounded up; `lattice`
    is Λ, the least power of two that is not below it. Outputs are multiples of Λ·sensitivity, clamped to ±bound.

    >>> snapping = Snapping(epsilon=1, bound=100)
    >>> snapping.scale, snapping.lattice
    (1.0000000000001337, 2.0)
    >>> snapping.release(17.3) % 2
    0.0
    """

    name: ClassVar[str] = "snapping"
    epsilon: Fraction
    bound: Fraction
    sensitivity: Fraction
    scale: float
    lattice: float

    def __init__(self, *, epsilon: Epsilon, bound: object, sensitivity: object = 1) -> None:
        exact_epsilon = exact(epsilon, "epsilon", above=0, between=EPSILON_RANGE)
        outer, moved = exact(bound, "bound", above=0), exact(sensitivity, "sensitivity", above=0)
        scale = _solve(exact_epsilon, outer, moved)
        self._set(
            epsilon=exact_epsilon,
            bound=outer,
            sensitivity=moved,
            scale=scale,
            lattice=_lattice(scale),
        )

    @cached_property
    def reach(self) -> Fraction:
        """B: the bound in units of the sensitivity."""
        return self.bound / self.sensitivity

    @property
    def guarantee(self) -> Fraction:
        """Mironov's bound on the loss between values that differ by at most the sensitivity: (1+12Bη)/λ + 2η ≤ ε."""
        return (1 + 12 * self.reach * ETA) / Fraction(self.scale) + 2 * ETA

    @cached_property
    def last(self) -> int:
        """Outputs are numbered from -last to last; both ends are the clamp."""
        return math.ceil(self.reach / Fraction(self.lattice))

    def output(self, index: int) -> float:
        """The output of a number: the multiple of Λ in the caller's unit, clamped; the float nearest to it."""
        there = index * Fraction(self.lattice) * self.sensitivity
        return float(min(max(there, -self.bound), self.bound))

    def index(self, output: float) -> int:
        """The number of an output."""
        index = nearest_multiple(float(exact_datum(output, "output") / self.sensitivity), self.lattice)
        for candidate in (index, self.last, -self.last):
            if abs(candidate) <= self.last and self.output(candidate) == output:
                return candidate
        raise InvalidInput("this is no output of the mechanism", hint="give a multiple of the lattice, or the bound")

    def release(self, value: object) -> float:
        """One exact draw: this may be published."""
        return self.output(self._draw(self.scaled(value), SYSTEM))

    def distribution(self, value: object) -> SnappedLaw:
        """Every output with its exact probability, a dyadic rational. It is private.

        >>> law = Snapping(epsilon=1, bound=4).distribution("0.5")
        >>> [(output, float(p)) for output, p in law.probabilities().items()]
        [(-4.0, 0.015098...), (-2.0, 0.0964...), (0.0, 0.585...), (2.0, 0.262...), (4.0, 0.0410...)]
        >>> sum(law.probabilities().values())
        Fraction(1, 1)
        """
        return whole_law(self, self.scaled(value))

    def probability(self, value: object, output: float) -> Dyadic:
        """The exact probability of one output, however far away it is and however many there are. It is private.

        >>> Snapping(epsilon=1, bound=2**40).probability(0, 2.0**39).exponent < -(2**39)
        True
        """
        index = self.index(output)
        return mass(self, self.scaled(value), index, index)

    def verify(self, value: object, neighbour: object) -> Verdict:
        """The exact loss between two values, from their exact distributions: no sampling.

        >>> verdict = Snapping(epsilon=1, bound=100).verify(0, 1)
        >>> verdict.mass_is_one, verdict.ideal < verdict.exact_epsilon < verdict.bound
        (True, True)
        """
        return verify(self, exact_datum(value, "value"), exact_datum(neighbour, "neighbour"))

    def verify_all(self) -> Certificate:
        """The worst loss over all adjacent values: proved from above, and attained by an exact pair from below.

        >>> certificate = Snapping(epsilon=1, bound=100).verify_all()
        >>> certificate.attained.exact_epsilon <= certificate.certified <= certificate.bound <= 1
        True
        """
        return certify(self)

    def scaled(self, value: object) -> Fraction:
        """A value in units of the sensitivity, exactly, clamped to ±B."""
        number = exact_datum(value, "value") / self.sensitivity
        return min(max(number, -self.reach), self.reach)

    # From a uniform to an output. The planted faults of tests/faults override these, one each.

    def _draw(self, x: Fraction, bits: Bits) -> int:
        upward = bool(bits.draw_bits(1))
        return self._land(x, upward, draw_unit(bits, self._depth))

    def _land(self, x: Fraction, upward: bool, rank: int | None) -> int:
        """The number of the output for an input, a sign and a uniform; without a uniform, the clamp."""
        if rank is None:
            return self.last if upward else -self.last
        noise = self.scale * self._log(rank)
        index = self._snap(self._sum(x, noise if upward else -noise))
        return min(max(index, -self.last), self.last)

    def _log(self, rank: int) -> float:
        return minus_log(unit(rank))

    def _sum(self, x: Fraction, noise: float) -> float:
        return add(x, noise)

    def _snap(self, y: float) -> int:
        return nearest_multiple(y, self.lattice)

    def _below(self, rank: int) -> Dyadic:
        """P(U < u) for the uniform of this rank."""
        return unit(rank)

    @cached_property
    def _depth(self) -> int:
        """How many bits deep a uniform can be before every input's output is the clamp."""
        farthest = 2 * self.reach + 2 * Fraction(self.lattice)
        return 2 + math.ceil(farthest / Fraction(self.scale) * Fraction(1443, 1000))

    def _set(self, **fields: object) -> None:
        for name, value in fields.items():
            object.__setattr__(self, name, value)


def _lattice(scale: float) -> float:
    """The least power of two that is not below the scale."""
    mantissa, power = math.frexp(scale)
    return math.ldexp(1.0, power - 1 if mantissa == 0.5 else power)


def _solve(epsilon: Fraction, bound: Fraction, sensitivity: Fraction) -> float:
    """λ = (1+12Bη)/(ε-2η) rounded up, and by a hair more where our own proof of the loss asks for it."""
    reach = bound / sensitivity
    scale = float_upper((1 + 12 * reach * ETA) / (epsilon - 2 * ETA))
    while True:
        _require_range(bound, sensitivity, scale)
        loss = certified_loss(Fraction(scale), Fraction(_lattice(scale)), reach)
        if loss <= epsilon:
            return scale
        scale = max(float_upper(1 / (1 / Fraction(scale) - (loss - epsilon))), math.nextafter(scale, math.inf))


def _require_range(bound: Fraction, sensitivity: Fraction, scale: float) -> None:
    """The theorem's λ < B < 2⁴⁶λ, and doubles fine enough to tell neighbours apart. All of it is public."""
    reach = bound / sensitivity
    if not reach > Fraction(scale):
        least = float_upper(Fraction(scale) * sensitivity)
        raise InvalidInput(
            "bound must exceed the noise's scale",
            hint=f"raise it above {least:.6g}, or raise `epsilon`",
            parameter="bound",
        )
    most = min(Fraction(scale) * 2**WIDEST, Fraction(2**EXACT_TO))
    if not reach < most:
        raise InvalidInput(
            "bound is too wide for binary64",
            hint=f"lower it below {float(most * sensitivity):.6g}, or lower `epsilon`",
        )
