"""Where a function of one number changes its sign: SciPy's own search takes longer to import than to run."""

from __future__ import annotations

import math
from collections.abc import Callable


def root_between(f: Callable[[float], float], low: float, high: float, within: float) -> float:
    """A root of f, which has different signs at low and high, to within a distance.

    Chandrupatla's method: the inverse quadratic through three points where it is safe, and halving elsewhere.

    >>> round(root_between(lambda x: x**3 - 2, 0.0, 2.0, 1e-12), 10)
    1.2599210499
    """
    a, b, c = high, low, high
    fa, fb, fc = f(a), f(b), 0.0
    share = 0.5
    while 0.0 not in (fa, fb):
        x = a + share * (b - a)
        value = f(x)
        if (value < 0) == (fa < 0):
            c, fc = a, fa
        else:
            b, c, fb, fc = a, b, fa, fb
        a, fa = x, value
        best = a if abs(fa) < abs(fb) else b
        least = (within / 2 + 2 * math.ulp(best)) / abs(b - a) if b != a else 1.0
        if least > 0.5:
            return best
        place, height = (a - b) / (c - b), (fa - fb) / (fc - fb)
        share = 0.5
        if height**2 < place and (1 - height) ** 2 < 1 - place:
            share = fa / (fb - fa) * fc / (fb - fc) + (c - a) / (b - a) * fa / (fc - fa) * fb / (fc - fb)
        share = min(max(share, least), 1 - least)
    return a if fa == 0 else b
