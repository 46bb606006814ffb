"""Floats that are certainly below and above what they stand for, where most questions need no ball.

All rest on second differences of lnΓ, D(low, high) = lnΓ(low) + lnΓ(high) - 2 lnΓ(middle), of which every ln BC between
candidates of one space is made. Γ(x) = Γ(x+1)/x takes out -ln(low·high/middle²) exactly; for what is left, at arguments
above 1, the second derivative of lnΓ lies between 1/x + 1/(2x²), that of x·ln x - ½ ln x, and 1/(6x³) more, that of
1/(12x). All terms are positive, so each is a few units in the last place off, which `SAFE` covers.
`tests/arithmetic/test_lgamma_bounds.py` holds them to mpmath.
"""

from __future__ import annotations

import math

import numpy as np

from discreet.arithmetic.arrays import Floats

SAFE = 1e-12
"""Relative room for rounding: thousands of units in the last place, where a dozen operations err by one or two each."""


def least_second_difference(low: float, high: float, step: int) -> float:
    """A number that is certainly at most lnΓ(low) + lnΓ(high) - 2 lnΓ(middle), where high - low is `step`.

    >>> truth = math.lgamma(3) + math.lgamma(7) - 2 * math.lgamma(5)
    >>> 0.99 * truth < least_second_difference(3, 7, 4) < truth
    True
    """
    middle = 0.5 * (low + high)
    outer = step / (2 * middle)
    inner = step / (2 * (middle + 1))
    least = -math.log1p(-outer * outer) if outer < 0.9 else -math.log(low / middle) - math.log(high / middle)
    square = inner * inner
    if inner < 0.05:  # the first terms of a series of positive ones
        least += (middle + 1) * square * (1 + square / 6 + square * square / 15)
    else:
        least += (high + 1) * math.log((high + 1) / (middle + 1)) + (low + 1) * math.log((low + 1) / (middle + 1))
    return (least - 0.5 * math.log1p(-square)) * (1 - SAFE)


def most_second_difference(low: float, high: float, step: int) -> float:
    """A number that is certainly at least lnΓ(low) + lnΓ(high) - 2 lnΓ(middle): about 1/(6·middle²) of it above.

    >>> truth = math.lgamma(3) + math.lgamma(7) - 2 * math.lgamma(5)
    >>> truth < most_second_difference(3, 7, 4) < 1.01 * truth
    True
    """
    middle = 0.5 * (low + high) + 1
    square = (step / (2 * middle)) ** 2
    rest = square / (6 * middle) + middle * square**4 / 28  # of 1/(12x), and of the series that was cut short
    return (least_second_difference(low, high, step) + rest / (1 - square)) * (1 + 3 * SAFE)


def least_second_differences(low: Floats, high: Floats, step: Floats) -> Floats:
    """`least_second_difference` for many at once."""
    middle = 0.5 * (low + high)
    outer, inner = step / (2 * middle), step / (2 * (middle + 1))
    square = inner * inner
    series = (middle + 1) * square * (1 + square / 6 + square * square / 15)
    whole = (high + 1) * np.log((high + 1) / (middle + 1)) + (low + 1) * np.log((low + 1) / (middle + 1))
    ends = np.where(
        outer < 0.9, -np.log1p(-(np.minimum(outer, 0.9) ** 2)), -np.log(low / middle) - np.log(high / middle)
    )
    least: Floats = (ends + np.where(inner < 0.05, series, whole) - 0.5 * np.log1p(-square)) * (1 - SAFE)
    return least


def most_second_differences(low: Floats, high: Floats, step: Floats) -> Floats:
    """`most_second_difference` for many at once."""
    middle = 0.5 * (low + high) + 1
    square = (step / (2 * middle)) ** 2
    rest = square / (6 * middle) + middle * square**4 / 28
    most: Floats = (least_second_differences(low, high, step) + rest / (1 - square)) * (1 + 3 * SAFE)
    return most
