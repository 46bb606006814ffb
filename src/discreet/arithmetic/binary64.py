"""Binary64 as the snapping mechanism meets it: exact uniforms, the correctly rounded logarithm, exact dyadic numbers.

A uniform here has the 53 binary digits of a double and an exponent without a floor. Binary64 ends at 2⁻¹⁰⁷⁴, so its
own uniforms cannot give outputs farther than 744 scales away their due probability; the exponent costs one fair bit
more for each step down, and letting it go on costs nothing. Above 2⁻¹⁰²² the two are the same numbers with the same
probabilities.

A uniform is named by its *rank*: -1 is the greatest below 1, and every next lower number has the next lower rank.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import NamedTuple

from flint import arb

from discreet.arithmetic.numbers import decide, mantissa_and_exponent

DIGITS = 53
"""The binary digits of a double."""

ETA = Fraction(1, 1 << DIGITS)
"""η: the greatest relative error of one rounding."""

_FRACTION = DIGITS - 1


class Dyadic(NamedTuple):
    """The number mantissa·2^exponent. Tails far below the range of floats stay short this way.

    >>> Dyadic(3, -2).minus(Dyadic(1, -3)).fraction()
    Fraction(5, 8)
    """

    mantissa: int
    exponent: int

    def plus(self, other: Dyadic) -> Dyadic:
        """The exact sum, without trailing zeros: a sum that telescopes stays as short as its result."""
        if not self.mantissa or not other.mantissa:
            return self if self.mantissa else other
        low = min(self.exponent, other.exponent)
        total = (self.mantissa << (self.exponent - low)) + (other.mantissa << (other.exponent - low))
        zeros = (total & -total).bit_length() - 1 if total else 0
        return Dyadic(total >> zeros, low + zeros if total else 0)

    def minus(self, other: Dyadic) -> Dyadic:
        """The exact difference."""
        return self.plus(Dyadic(-other.mantissa, other.exponent))

    def half(self) -> Dyadic:
        """One half of it."""
        return Dyadic(self.mantissa, self.exponent - 1)

    def over(self, other: Dyadic) -> Fraction:
        """The exact ratio: as short as the two mantissas if the exponents are near each other."""
        return Fraction(self.mantissa, other.mantissa) * Fraction(2) ** (self.exponent - other.exponent)

    def fraction(self) -> Fraction:
        """The same as a rational number, with all of its digits."""
        return Fraction(self.mantissa) * Fraction(2) ** self.exponent

    def ball(self) -> arb:
        """The same as a ball of radius zero."""
        return arb((self.mantissa, self.exponent))


ZERO, ONE = Dyadic(0, 0), Dyadic(1, 0)


def unit(rank: int) -> Dyadic:
    """The uniform of this rank; its probability is the distance to the next one up, so P(U < u) = u.

    >>> unit(-1).fraction() == 1 - ETA, unit(-1 << 52).fraction()
    (True, Fraction(1, 2))
    """
    return Dyadic((1 << _FRACTION) + (rank & ((1 << _FRACTION) - 1)), (rank >> _FRACTION) - _FRACTION)


def rank_below(number: arb) -> int:
    """The rank of the greatest uniform that is not above the ball's lower end."""
    m, e = mantissa_and_exponent(number.lower())
    surplus = m.bit_length() - DIGITS
    m = m >> surplus if surplus >= 0 else m << -surplus
    return ((e + surplus + _FRACTION) << _FRACTION) + m - (1 << _FRACTION)


def minus_log(u: Dyadic) -> float:
    """-ln u, correctly rounded: the enclosure is narrowed until both of its ends round to the same double.

    ln u is irrational for u < 1, so this ends. Held against MPFR in `tests/arithmetic/test_binary64.py`.

    >>> minus_log(Dyadic(1, -1)) == math.log(2)
    True
    """

    def nearest_if_certain() -> float | None:
        value = -arb(u).log()
        low, high = _nearest(value.lower()), _nearest(value.upper())
        return low if low == high else None

    return decide(nearest_if_certain, start=2 * DIGITS)


def _nearest(point: arb) -> float:
    """The double nearest to an exact number that is well inside their range: int to float rounds half to even."""
    mantissa, exponent = mantissa_and_exponent(point)
    return math.ldexp(float(mantissa), exponent)


def add(x: Fraction, y: float) -> float:
    """x + y rounded once, to nearest and ties to even, as IEEE does: Python divides integers so."""
    top, bottom = y.as_integer_ratio()
    return (x.numerator * bottom + top * x.denominator) / (x.denominator * bottom)


def middle_below(x: float) -> Fraction:
    """The middle of x and the double below it: what is above it rounds to x or more."""
    return (Fraction(x) + Fraction(math.nextafter(x, -math.inf))) / 2


def nearest_multiple(y: float, step: float) -> int:
    """Which multiple of a power of two is nearest to y, ties upward, without any rounding.

    >>> [nearest_multiple(y, 2.0) for y in (-3.0, -1.0, 0.9999999999999999, 1.0, 3.0)]
    [-1, 0, 0, 1, 2]
    """
    top, bottom = (y / step).as_integer_ratio()
    return (2 * top + bottom) // (2 * bottom)


def spacing(x: Fraction, digits: int = DIGITS) -> Fraction:
    """The distance between neighbours among the floats of so many digits, where |x| lies.

    >>> spacing(Fraction(1)) == 2 * ETA, spacing(Fraction(7, 2), digits=3)
    (True, Fraction(1, 2))
    """
    power = abs(x.numerator).bit_length() - x.denominator.bit_length()
    if Fraction(2) ** power > abs(x):
        power -= 1
    return Fraction(2) ** (power - digits + 1)


def last_rank(holds: Callable[[int], bool], guess: int) -> int:
    """The greatest rank for which `holds`, true of all ranks up to some one and false above it; -1 is the greatest.

    Bisection over doubles, begun at a guess: a right one is confirmed by two questions.
    """
    low, step = min(guess, -1), 1
    while not holds(low):
        low -= step
        step *= 2
    high, step = low + 1, 1
    while high < 0 and holds(high):
        low, high = high, min(high + step, 0)
        step *= 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low
