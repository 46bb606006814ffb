"""exp(-a·sqrt(1 - e^-L)) bounded from above by a sum of few exponentials e^-mL, for all L from a least one on.

The weight of a candidate is that function of L = -ln BC, and e^-mL factorises over categories: the majorant is a
mixture of laws that can be drawn from one category at a time (mathematics: section 5).

The rates m are slopes of the function's logarithm, close enough for neighbouring tangents to meet near it. Their
weights start from these tangents and are evened out by a few multiplicative steps; that decides how tight the majorant
is, never whether it holds. That it holds is checked: both logarithms are convex, so between two grid points the
majorant lies above its tangents and the function below its chord. Weights are raised, where they matter, until every
crossing of two tangents clears the chord by `CLEARANCE`, far more than floats can be wrong by. Beyond the last grid
point the constant alone is enough, because the function falls.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from discreet.arithmetic.arrays import Floats

CLEARANCE = 1e-6
_RATIO = 2.0
_MEET = 0.8
"""Neighbouring tangents meet at most this far (in the logarithm) below the function."""

_SLACK = 2e-3
"""What is left of a deficit is made good by raising all weights together: that costs as large a share of tries."""

_GRID = 240
_FITS, _STEPS = 12, 30
_FLATTEST = 0.25


@dataclass(frozen=True, slots=True)
class ExponentialMajorant:
    """Σ weights·exp(-rates·L) + constant ≥ exp(-a·sqrt(1 - e^-L)) for all L ≥ least."""

    rates: Floats
    log_weights: Floats
    log_constant: float


def exponential_majorant(a: float, least: float, log_floor: float) -> ExponentialMajorant:
    """The majorant for the given rate a, least L > 0, and a constant of at least e^log_floor.

    >>> import numpy as np
    >>> majorant = exponential_majorant(20.0, 1e-3, -25.0)
    >>> at = np.geomspace(1e-3, 100, 50)
    >>> total = np.exp(majorant.log_weights - majorant.rates * at[:, None]).sum(axis=1) + np.exp(majorant.log_constant)
    >>> bool((total >= np.exp(-20 * np.sqrt(-np.expm1(-at)))).all()), len(majorant.rates) < 30
    (True, True)
    """
    log_constant = max(log_floor, -a + 0.05)
    far = _last(a, log_constant)
    if far <= least:
        return ExponentialMajorant(np.empty(0), np.empty(0), log_constant)
    at = np.geomspace(least, far, _GRID)
    target = _log_target(a, at)
    rates = _rates(a, least, far)
    log_weights = _fit(rates, at, target, log_constant)
    for _ in range(_STEPS):
        gap, share = _deficits(rates, log_weights, log_constant, at, target)
        if gap.max() <= _SLACK:
            break
        # Raise what carries the sum where it is too low, and nothing else.
        lift = np.where(share >= 0.1, np.maximum(gap, 0.0)[:, None], 0.0).max(axis=0)
        log_weights, log_constant = log_weights + 1.01 * lift[:-1], log_constant + 1.01 * float(lift[-1])
    rise = max(0.0, float(gap.max())) + CLEARANCE
    return ExponentialMajorant(rates, log_weights + rise, log_constant + rise)


def _log_target(a: float, at: Floats) -> Floats:
    logs: Floats = -a * np.sqrt(-np.expm1(-at))
    return logs


def _slope(a: float, at: Floats) -> Floats:
    """Minus the derivative of the logarithm: the rate of the exponential that touches it."""
    slope: Floats = a * np.exp(-at) / (2 * np.sqrt(-np.expm1(-at)))
    return slope


def _last(a: float, log_constant: float) -> float:
    """Where the constant takes over: exp(-a·sqrt(1 - e^-L)) is no more than it from there on.

    The constant is at least e^(0.05 - a), and no floor is so low that 0.05 is lost in rounding: the share is below 1.
    """
    share = max(-log_constant / a, 0.0)
    return -math.log1p(-share * share)


def _rates(a: float, least: float, far: float) -> Floats:
    """The slopes at points so close that neighbouring tangents meet near the function."""
    points, at = [], least
    while at < far:
        points.append(at)
        fall, root = math.exp(-at), math.sqrt(-math.expm1(-at))
        bend = a * (fall / (2 * root) + fall * fall / (4 * root**3))
        at += min((_RATIO - 1) * at, math.sqrt(8 * _MEET / bend))
        if _slope(a, np.array(at)) < _FLATTEST:
            break
    return _slope(a, np.array([*points, min(at, far)]))[::-1]


def _fit(rates: Floats, at: Floats, target: Floats, log_constant: float) -> Floats:
    """Weights whose sum follows the target: start from each rate's own tangent, then even out the ratio."""
    log_weights: Floats = (target[:, None] + rates * at[:, None]).min(axis=0)
    falls = rates * at[:, None]
    for _ in range(_FITS):
        share = log_weights - falls
        top = np.maximum(share.max(axis=1), log_constant)
        total = np.log(np.exp(share - top[:, None]).sum(axis=1) + np.exp(log_constant - top)) + top
        share = np.exp(share - total[:, None])
        log_weights += np.log(np.exp(target - total) @ share / share.sum(axis=0))
    return log_weights


def _deficits(
    rates: Floats, log_weights: Floats, log_constant: float, at: Floats, target: Floats
) -> tuple[Floats, Floats]:
    """How far the majorant's tangents are below the target's chords, and the terms' shares there."""
    terms = np.concatenate([log_weights - rates * at[:, None], np.full((at.size, 1), log_constant)], axis=1)
    top = terms.max(axis=1)
    share = np.exp(terms - top[:, None])
    sums = share.sum(axis=1)
    total = top + np.log(sums)
    share /= sums[:, None]
    slope = -(share[:, :-1] * rates).sum(axis=1)
    one, other = slice(None, -1), slice(1, None)
    width = np.diff(at)
    # Without a bend the majorant is a line, and the ends say it all.
    bend = np.maximum(slope[other] - slope[one], 1e-200)
    step = np.clip((total[one] - total[other] + slope[other] * width) / bend, 0.0, width)
    low = np.maximum(total[one] + slope[one] * step, total[other] - slope[other] * (width - step))
    crossing = target[one] + np.diff(target) * step / width - low
    ends = target - total
    return np.maximum(np.maximum(ends[one], ends[other]), crossing), np.maximum(share[one], share[other])
