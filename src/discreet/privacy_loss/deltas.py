"""δ*(ε), rounded up: the greatest Σ max(0, P - e^ε P') over neighbours, in floats to find where and in balls to say.

Floats with a stated error find the pairs that may have the greatest sum. Those are summed again with enclosures of the
laws themselves, until none that is left could exceed them; or until `MAX_BALLS` weights are enclosed, and then the
floats of the rest are raised by their error. Geometric noise has a closed form (`geometric_delta`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from flint import arb

from discreet.arithmetic.arrays import Floats
from discreet.arithmetic.numbers import ball, float_upper, fraction_lower, fraction_upper, precision
from discreet.mechanisms import Mechanism
from discreet.mechanisms.law import CandidateLaw

MAX_BALLS = 1 << 16
"""How many weights are enclosed for one δ at the most, unless the first two pairs have more."""

_BITS, _MOST_BITS = 128, 2048
_SHARP = Fraction(1, 1 << 44)
"""A δ is enclosed until its ball is narrower than this share of it."""


class Pair(NamedTuple):
    """A δ in floats, how far it may be off, and whose it is: two data sets by their rank."""

    delta: float
    error: float
    one: int
    other: int


def excess(p: Floats, q: Floats, epsilon: float, error: float) -> tuple[Floats, Floats]:
    """Σ max(0, P - e^ε P') over the last axis of log-probabilities that are off by at most `error`; and its own error.

    A term is P·(1 - e^(ε - loss)), which keeps its digits where the loss is close to ε.
    """
    with np.errstate(invalid="ignore"):
        over = np.where(np.isneginf(p), np.inf, epsilon + q - p)  # no event: it cannot tell the two apart
    chance = np.exp(p)
    terms = chance * -np.expm1(np.minimum(over, 0.0))
    return terms.sum(axis=-1), 5 * error * np.where(over < 3 * error, chance, 0.0).sum(axis=-1)


def delta_upper(pairs: Iterable[Pair], laws: Callable[[int], CandidateLaw], epsilon: Fraction) -> float:
    """The greatest δ of these pairs, rounded up; it is a probability, so 1 bounds it where floats do not."""
    contenders = sorted(pairs, key=lambda pair: pair.delta + pair.error, reverse=True)
    lower, upper, left = Fraction(0), Fraction(0), MAX_BALLS
    for i, pair in enumerate(contenders):
        most = Fraction(pair.delta) + Fraction(pair.error)
        if most <= lower:
            break
        if i > 1 and left < 0:
            upper = max(upper, most)
            break
        one, other = laws(pair.one), laws(pair.other)
        least, most = _delta_bounds(one, other, epsilon)
        left -= 2 * one.space.size
        lower, upper = max(lower, least), max(upper, most)
    return float_upper(min(upper, Fraction(1)))


def _delta_bounds(one: CandidateLaw, other: CandidateLaw, epsilon: Fraction) -> tuple[Fraction, Fraction]:
    bits = _BITS
    while True:
        with precision(bits):
            total = _enclose_delta(one, other, ball(epsilon))
            least, most = max(fraction_lower(total), Fraction(0)), fraction_upper(total)
        if most - least <= _SHARP * least or bits >= _MOST_BITS:
            return least, most
        bits *= 2


def _enclose_delta(one: CandidateLaw, other: CandidateLaw, epsilon: arb) -> arb:
    total, log_total, other_log_total = arb(0), one.log_total(), other.log_total()
    for log_weight, other_log_weight in zip(one.enclosures(), other.enclosures(), strict=True):
        if not log_weight.is_finite():  # no event
            continue
        p = log_weight - log_total
        if not other_log_weight.is_finite():
            total += p.exp()
            continue
        gap = epsilon + (other_log_weight - other_log_total) - p
        if gap < 0:
            total -= p.exp() * gap.expm1()
        elif not gap >= 0:  # too close to tell: between nothing and the most that it can be
            total += (-p.exp() * gap.expm1()).union(arb(0)).nonnegative_part()
    return total


def geometric_delta(mechanism: Mechanism, epsilon: Fraction) -> float:
    """δ*, rounded up: all neighbours have the losses of one pair, of which one is above 0."""
    [pair] = mechanism.loss_pairs()
    with precision(_BITS):
        _, [chance] = pair.chances(1)
        return float_upper(fraction_upper(-chance * ball(epsilon - pair.epsilon).expm1()))
