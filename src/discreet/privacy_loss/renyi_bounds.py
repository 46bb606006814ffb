"""ρ of a pair of laws: the greatest Rényi divergence D_a over all orders a > 1, divided by its order.

For a symmetric pair with losses ±L_j and 0, and u = a - ½,

    D_a/a = K/(u² - ¼),   K(u) = ln[p₀ + Σ_j c_j·cosh(u·L_j)],   c_j = 2·P(L_j)·e^(-L_j/2).

K is 0 at u = ½, so D_a/a is an average of G = dK/d(u²) from there on, and no greater than the greatest G(u), u ≥ ½;

    G(u) = Σ c_j·L_j·sinh(u·L_j) / (2u·[p₀ + Σ c_j·cosh(u·L_j)]),

which at u = ½ is the Kullback-Leibler divergence, the limit of D_a/a as a → 1. Where G falls from there on, that is ρ
itself. With one loss ε above 0 it does exactly if p₀ ≤ 2c (docs/composition.md); with p₀ = 0, the pair of a mechanism
known by its ε alone, ρ is ε·tanh(ε/2). Otherwise it is proved with balls over u, as far as ε/(2u) ≥ G matters. What
cannot be proved is not used. Tests: `tests/privacy_loss/test_renyi_bounds.py`, at many orders, in fifty digits.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache

import numpy as np
from flint import arb

from discreet.arithmetic.numbers import ball, decide, fixed_upper, precision
from discreet.mechanisms.loss_pairs import CHORDS, LossPair
from discreet.privacy_loss.composition import STEP_BITS, multiple_upper, rho_of_range

BITS = 192
RAISES = (Fraction(1, 1000), Fraction(1, 100), Fraction(1, 20))
"""How far above the greatest G that floats found a bound is tried to be proved, where that is not at ½."""

MAX_TRIED = 300
"""The largest loss whose G is worked out in floats. Beyond it, ε·tanh(ε/2) is hardly more than ρ itself."""

FIRST_STEP = 1 / 16
MAX_WORK = 32_000
"""So many terms an attempt to prove a bound may take: a fifth of a second."""

Terms = Sequence[tuple[arb, arb]]
"""Losses above 0, each with its c_j."""


@lru_cache(maxsize=1024)
def rho_of_pair(pair: LossPair) -> Fraction:
    """ρ, rounded up to a multiple of 2^-128.

    >>> from discreet.mechanisms.loss_pairs import GeometricPair
    >>> [round(float(rho_of_pair(GeometricPair(Fraction(1), k)) / Fraction(1, 2)), 2) for k in (2, 3, 7, 20)]
    [0.92, 0.66, 0.53, 0.5]
    """
    if pair.range_rho is not None:
        return min(pure_rho(pair.epsilon), pair.range_rho)
    with precision(BITS):
        bound = _certain_rho(pair)
    return pure_rho(pair.epsilon) if bound is None else min(pure_rho(pair.epsilon), bound)


@lru_cache(maxsize=1024)
def pure_rho(epsilon: Fraction) -> Fraction:
    """ε·tanh(ε/2), rounded up to a multiple of 2^-128: ρ of whatever is ε-DP. A tiny ε has ε²/2, which is no more then.

    >>> round(float(pure_rho(Fraction(1))), 6)
    0.462117
    """

    if epsilon > STEP_BITS:  # tanh is 1 to more digits than are kept
        return multiple_upper(epsilon, STEP_BITS)

    def rounded() -> Fraction | None:
        scaled = (ball(epsilon) * (ball(epsilon) / 2).tanh() * arb(2) ** STEP_BITS).ceil().unique_fmpz()
        return None if scaled is None else Fraction(int(scaled), 1 << STEP_BITS)

    return min(decide(rounded), rho_of_range(2 * epsilon))


def _certain_rho(pair: LossPair) -> Fraction | None:
    """A bound on the greatest G that is certain; None if none was found."""
    step, chances = pair.chances(CHORDS)
    losses = [(ball(i * step), chance) for i, chance in enumerate(chances, 1) if not chance.contains(0)]
    terms = [(loss, 2 * chance * (-loss / 2).exp()) for loss, chance in losses]
    rest = 1 - sum((chance * (1 + (-loss).exp()) for loss, chance in losses), arb(0))
    divergence = sum((chance * -(-loss).expm1() * loss for loss, chance in losses), arb(0))
    divergence_upper = _rho_upper(divergence)
    if len(terms) == 1 and rest <= 2 * terms[0][1]:
        return divergence_upper
    if pair.epsilon > MAX_TRIED:
        return None
    rest = rest.nonnegative_part()
    greatest = Fraction(_by_floats(terms, rest))
    targets = [greatest * (1 + more) for more in RAISES]
    for target in targets if greatest > divergence_upper else [divergence_upper, *targets]:
        if target >= divergence_upper and _holds(terms, rest, ball(target), pair.epsilon / (2 * target)):
            return _rho_upper(ball(target))
    return None


def _rho_upper(rho: arb) -> Fraction:
    return Fraction(fixed_upper(rho, STEP_BITS), 1 << STEP_BITS)


def _by_floats(terms: Terms, rest: arb) -> float:
    """The greatest G on a grid of u: only a guess of what to prove."""
    losses, weights = np.array([[float(part) for part in term] for term in terms]).T
    u = 0.5 + np.geomspace(1e-3, 40 / losses.max(), 200)[:, None]
    above = (weights * losses * np.sinh(u * losses)).sum(axis=1)
    return float((above / (2 * u[:, 0] * (float(rest) + (weights * np.cosh(u * losses)).sum(axis=1)))).max())


def _holds(terms: Terms, rest: arb, target: arb, end: Fraction) -> bool:
    """Whether G ≤ target for all u from ½ to `end`: interval by interval, by its value or because it falls there.

    At the left end of each interval it is known already: at ½ it is the divergence, then by the interval before.
    """
    u, step = 0.5, FIRST_STEP
    for _ in range(MAX_WORK // len(terms)):
        if u >= end:
            return True
        value, slope = _growth(terms, rest, arb(u + step / 2, step / 2))
        if value <= target or slope < 0:
            u, step = u + step, 2 * step
        else:
            step /= 2
    return False


def _growth(terms: Terms, rest: arb, u: arb) -> tuple[arb, arb]:
    """G = A/(2uB) and its derivative over an interval; A is the derivative of B."""
    above, bent, below = arb(0), arb(0), rest
    for loss, weight in terms:
        sinh, cosh = (u * loss).sinh_cosh()
        above, bent, below = above + weight * loss * sinh, bent + weight * loss * loss * cosh, below + weight * cosh
    value = above / (2 * u * below)
    return value, bent / (2 * u * below) - value / u - value * above / below
