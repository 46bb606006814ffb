"""Numbers of the oracles: exact at the door, fifty digits inside."""

from fractions import Fraction
from typing import Any, TypeAlias

import mpmath

Exact: TypeAlias = int | float | str | Fraction
"""A number as its author wrote it; a float means the decimal that Python prints for it."""

Real: TypeAlias = Any
"""An mpf of `mp`; mpmath has no types of its own."""

mp = mpmath.MPContext()  # a context of our own: no caller can lower its precision, and we change nobody's
mp.dps = 50


def exact(x: Exact) -> Fraction:
    """The rational number that is meant by x."""
    return x if isinstance(x, Fraction) else Fraction(str(x))


def real(x: Any) -> Real:
    """x with fifty digits; an mpf stays what it is."""
    if hasattr(x, "_mpf_"):
        return mp.mpf(x)
    q = exact(x)
    return mp.mpf(q.numerator) / q.denominator
