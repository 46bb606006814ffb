"""The snapping mechanism from its definition, for floats of any number of digits and exponents without end.

With few digits every uniform can be listed, and every pair of inputs tried; with 53 it is the mechanism of binary64.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from .precision import mp


def power_below(x: Fraction) -> int:
    """The exponent e with 2^e ≤ x < 2^(e+1)."""
    e = x.numerator.bit_length() - x.denominator.bit_length()
    return e if Fraction(2) ** e <= x else e - 1


def rounded(x: Fraction, digits: int) -> Fraction:
    """x rounded to so many binary digits, to nearest and ties to even."""
    if x == 0:
        return x
    step = Fraction(2) ** (power_below(abs(x)) - digits + 1)
    return round(x / step) * step  # Python rounds a tie to the even integer


def logarithm(u: Fraction, digits: int) -> Fraction:
    """ln u, correctly rounded: fifty decimal digits leave no doubt in any test here, and the doubt is checked."""
    with mp.workdps(60):
        value = mp.log(mp.mpf(u.numerator) / u.denominator)
        exact = Fraction(int(mp.floor(value * mp.mpf(2) ** 180)), 1 << 180)
    low, high = rounded(exact - Fraction(1, 1 << 170), digits), rounded(exact + Fraction(1, 1 << 170), digits)
    assert low == high, "fifty digits do not decide this logarithm"
    return low


def uniforms(digits: int, depth: int) -> Iterable[Fraction]:
    """All uniforms of at least 2^-depth; the probability of each is the distance to the next one up."""
    for e in range(-1, -depth - 1, -1):
        for m in range((1 << digits) - 1, (1 << (digits - 1)) - 1, -1):
            yield Fraction(m) * Fraction(2) ** (e - digits + 1)


@dataclass(frozen=True)
class Snap:
    """clamp_B(⌊clamp_B(a) ⊕ S·(λ ⊗ LN(U))⌉_Λ) with floats of so many digits."""

    scale: Fraction
    lattice: Fraction
    bound: Fraction
    digits: int = 53

    @property
    def last(self) -> int:
        """The number of the output at the clamp."""
        return math.ceil(self.bound / self.lattice)

    @property
    def depth(self) -> int:
        """Uniforms below 2^-depth give the clamp, whatever the input."""
        return math.ceil(Fraction(3, 2) * (2 * self.bound + 2 * self.lattice) / self.scale) + 1

    def noise(self, u: Fraction) -> Fraction:
        """λ ⊗ LN(u), a negative number."""
        return rounded(self.scale * logarithm(u, self.digits), self.digits)

    def land(self, a: Fraction, sign: int, noise: Fraction) -> int:
        """The number of the output."""
        y = rounded(min(max(a, -self.bound), self.bound) + sign * noise, self.digits)
        return min(max(math.floor(y / self.lattice + Fraction(1, 2)), -self.last), self.last)

    @cached_property
    def noises(self) -> list[tuple[Fraction, Fraction]]:
        """Every noise with its probability; the last one, for what is left, is beyond the clamp."""
        noises, above = [], Fraction(1)
        for u in uniforms(self.digits, self.depth):
            noises.append((self.noise(u), above - u))
            above = u
        return [*noises, (-4 * self.bound - 4 * self.lattice, above)]

    def distribution(self, a: Fraction) -> dict[int, Fraction]:
        """Every output's probability, by going through every uniform and both signs."""
        masses = dict.fromkeys(range(-self.last, self.last + 1), Fraction(0))
        for noise, probability in self.noises:
            for sign in (1, -1):
                masses[self.land(a, sign, noise)] += probability / 2
        return masses

    def tail(self, a: Fraction, sign: int, index: int) -> Fraction:
        """P(this output or beyond, on the side of the sign), by plain bisection: for floats with many digits."""
        low, high = self.depth << (self.digits - 1), 0

        def number(rank: int) -> Fraction:
            e, m = divmod(-rank, 1 << (self.digits - 1))
            return Fraction((1 << (self.digits - 1)) + m) * Fraction(2) ** (e - self.digits + 1)

        def reaches(rank: int) -> bool:
            there = self.land(a, sign, self.noise(number(rank)))
            return there <= index if sign > 0 else there >= index

        while low - high > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if reaches(middle) else (low, middle)
        return number(low - 1)
