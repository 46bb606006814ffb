"""A proof for all inputs at once: every cell of the float mechanism is a cell of the ideal one with moved ends.

Let a threshold t of ⌊·⌉_Λ be reached by x ± n. Three roundings stand between a uniform real and the noise n, and each
moves the threshold by a known amount:

1. The sum. t is an even double, so x ⊕ (±n) ≥ t is x ± n ≥ m, with m the middle of t and the double below it. m does
   not depend on x: all that an input does is to shift the distance d = m - x.
2. The product. n ≥ d is λ·l ≥ M(d), the middle of the two doubles around d. M is a staircase, and where doubles are q
   apart, q dividing 1, it goes up by exactly 1 when d does. So for |s| ≤ 1, M(d+s) - M(d) is at most 1, plus half the
   difference of the two spacings where d and d+s lie in different binades.
3. The logarithm, and the 53 digits of U. -ln u must reach a middle of two doubles p apart, and u is cut to its digits:
   the threshold in l moves by at most p/2 and 2η.

Hence P(output | x) is the ideal Laplace probability of a cell whose ends are moved by at most q/2 + λ(p/2 + 2η). From x
to an adjacent input its two ends travel M₀ + ν₀ and M₁ + ν₁ with |M| ≤ 1 + (what step 2 says), |ν| ≤ λ(p + 2η), and
|M₀ - M₁| ≤ 1.75·q (q within one binade; in general the mean of four spacings, one of which is at most q/2).
Along the way ln P changes at the rate (c₀M₀ - c₁M₁ + c₀ν₀ - c₁ν₁)/λ, where for Laplace cells of width w: c₀, c₁ ≥ 0,
|c₀ - c₁| ≤ 1, c₀ + c₁ ≤ 1 + 2h, and min(c₀, c₁) ≤ h with h = 1/(e^{w/λ}-1) for a cell on one side of the input, or
½/(e^{w/2λ}-1) for one around it, where the spacings are those of small numbers. That is the formula below.

`tests/mechanisms/snapping/test_bound.py` holds it against every input of floats with few digits, by brute force.
"""

from __future__ import annotations

import math
from fractions import Fraction

from discreet.arithmetic.binary64 import DIGITS, spacing
from discreet.arithmetic.numbers import ball, fraction_upper, precision


def certified_loss(scale: Fraction, lattice: Fraction, reach: Fraction, *, digits: int = DIGITS) -> Fraction:
    """A number that no loss between inputs of [-reach, reach] at distance at most 1 exceeds.

    >>> excess = certified_loss(Fraction(1), Fraction(1), Fraction(100)) - 1
    >>> 0 < excess < 12 * 100 * Fraction(1, 2**53)
    True
    """
    unit = Fraction(1, 1 << digits)
    top = (math.ceil(reach / lattice) - Fraction(1, 2)) * lattice
    farthest = reach + top + spacing(top, digits)
    q = spacing(farthest, digits)
    p = spacing((farthest + q) / scale, digits)
    width = lattice - spacing(top, digits) / 2 - q - scale * (p + 4 * unit)
    if q > 1 or width <= 0:
        raise AssertionError("these floats are too coarse for the proof")
    travels = 1 + max(q / 4, min(q, spacing(Fraction(2), digits)) / 2)
    with precision(4 * DIGITS):
        aside = fraction_upper(1 / ball(width / scale).expm1())
        around = fraction_upper(1 / ball(width / scale / 2).expm1()) / 2
    near = min(q, spacing(2 * lattice + 2, digits))
    bends = max(aside * Fraction(7, 4) * q, around * 2 * near)
    return (travels + bends) / scale + (1 + 2 * aside) * (p + 2 * unit)
