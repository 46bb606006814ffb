"""Total variation between Dirichlet distributions, by one-dimensional Fourier inversion for any k.

The likelihood ratio of two Dirichlets is L = Σ d_i ln θ_i + const with d = p - q, and the characteristic function of
Σ d_i ln θ_i under Dir(a) is B(a + iud)/B(a). Total variation is P_p(L > 0) - P_q(L > 0), which Gil-Pelaez' formula
gives as one integral over u, whatever the number of categories.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from discreet.arithmetic.numbers import ball, precision
from discreet.errors import InvalidInput, Undecided
from discreet.posteriors import Dirichlet
from discreet.posteriors.dirichlet import incomplete_beta

if TYPE_CHECKING:
    from flint import acb, arb

ERROR = 1e-9
"""The stated absolute error of `total_variation`."""

_MAX_NODES = 1 << 14
_FARTHEST = 700.0


def total_variation(p: Dirichlet, q: Dirichlet) -> float:
    """½∫|p - q|, within 1e-9; `Undecided` in the rare case that this cannot be reached.

    The step of the integral is halved until two results agree to a hundredth of that.

    >>> round(total_variation(Dirichlet([1, 1]), Dirichlet([2, 1])), 9)
    0.25
    >>> round(total_variation(Dirichlet([70, 50, 30]), Dirichlet([71, 49, 30])), 6)
    0.074146
    """
    if p.k != q.k:
        raise InvalidInput("the two distributions differ in their number of categories", hint="compare like with like")
    if p == q:
        return 0.0
    d = [a - b for a, b in zip(p.parameters, q.parameters, strict=True)]
    if min(d) >= 0 or max(d) <= 0:
        if p.k == 2:
            return _between_betas(p, q)
        raise Undecided(
            "total variation converges too slowly when all parameters move the same way",
            hint="compare distributions of equal total, or use hellinger",
        )
    return _by_inversion(p, q, d)


def _by_inversion(p: Dirichlet, q: Dirichlet, d: Sequence[Fraction]) -> float:
    with precision(64 + 2 * math.ceil(max(p.total, q.total)).bit_length() + 64):
        cut = _log_beta(p) - _log_beta(q)
        mean_p, deviation_p = _moments(p, d)
        mean_q, deviation_q = _moments(q, d)
        reach = max(abs(float(cut - mean_p)), abs(float(cut - mean_q)), deviation_p, deviation_q)
        # The rule's error is the chance of values beyond 2π/step, its cut the tail of the characteristic functions.
        step, before = 2 * math.pi / (reach + 20 * max(deviation_p, deviation_q)), math.inf
        nodes = 0
        while nodes <= _MAX_NODES:
            value, nodes = _midpoints(p, q, d, cut, step)
            if abs(value - before) < ERROR / 100:
                return min(1.0, max(0.0, value))
            before, step = value, step / 2
    raise Undecided("total variation did not reach its stated error", hint="use hellinger, which bounds it")


def _midpoints(p: Dirichlet, q: Dirichlet, d: Sequence[Fraction], cut: arb, step: float) -> tuple[float, int]:
    from flint import acb, arb

    total, node, small = 0.0, 0, 0
    h = arb(step)
    log_p, log_q = _log_beta(p), _log_beta(q)
    while small < 8 and node <= _MAX_NODES:
        u = h * (2 * node + 1) / 2
        turn = acb(0, -(u * cut))
        gap = (turn + _log_beta_along(p, d, u) - log_p).exp() - (turn + _log_beta_along(q, d, u) - log_q).exp()
        term = float((gap.imag / u).mid())
        total += term
        small = small + 1 if abs(term) * step < 1e-16 else 0
        node += 1
    return total * step / math.pi, node


def _log_beta_along(p: Dirichlet, d: Sequence[Fraction], u: arb) -> acb:
    from flint import acb

    shift = sum(d, Fraction(0))
    total = -acb(ball(p.total), ball(shift) * u).lgamma() if shift else -acb(ball(p.total).lgamma())
    for a, move in zip(p.parameters, d, strict=True):
        total += acb(ball(a), ball(move) * u).lgamma() if move else acb(ball(a).lgamma())
    return total


def _log_beta(p: Dirichlet) -> arb:
    total = -ball(p.total).lgamma()
    for a in p.parameters:
        total += ball(a).lgamma()
    return total


def _moments(p: Dirichlet, d: Sequence[Fraction]) -> tuple[arb, float]:
    """The mean and standard deviation of Σ d_i ln θ_i."""
    shift = sum(d, Fraction(0))
    mean = -ball(shift) * ball(p.total).digamma()
    variance = -(ball(shift) ** 2) * _trigamma(p.total)
    for a, move in zip(p.parameters, d, strict=True):
        if move:
            mean += ball(move) * ball(a).digamma()
            variance += ball(move) ** 2 * _trigamma(a)
    return mean, math.sqrt(float(variance.mid()))


def _trigamma(a: Fraction) -> arb:
    return ball(2).zeta(ball(a))


def _between_betas(p: Dirichlet, q: Dirichlet) -> float:
    """Beta densities whose parameters move the same way cross at most twice: sum the CDF gaps at the crossings."""
    import numpy as np
    from scipy import optimize, special

    (a, b), (c, d) = p.alpha, q.alpha
    with precision(128):
        level = float(_log_beta(p) - _log_beta(q))

    def ratio(t: float) -> float:
        """The log-ratio of the densities at the share with log-odds t: crossings may lie very near 0 or 1."""
        return float((c - a) * np.logaddexp(0, -t) + (d - b) * np.logaddexp(0, t)) - level

    def gap(t: float) -> float:
        """The gap of the distribution functions, from the nearer end."""
        if t < 0:
            share = special.expit(t)
            return float(incomplete_beta(a, b, share) - incomplete_beta(c, d, share))
        rest = special.expit(-t)
        return float(incomplete_beta(d, c, rest) - incomplete_beta(b, a, rest))

    ends = [(-_FARTHEST, _FARTHEST)]
    if (a - c) * (b - d) > 0:  # the log-ratio rises to a peak, or falls to a trough, and then turns
        peak = math.log((a - c) / (b - d))
        ends = [(-_FARTHEST, peak), (peak, _FARTHEST)]
    crossings = [optimize.brentq(ratio, low, high, xtol=1e-12) for low, high in ends if ratio(low) * ratio(high) < 0]
    gaps = np.diff([0.0, *(gap(t) for t in crossings), 0.0])
    return float(np.abs(gaps).sum() / 2)
