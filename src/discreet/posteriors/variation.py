"""Total variation between Dirichlet distributions: of two Betas from where they cross, of more by Fourier inversion.

The densities of two Betas cross once or twice, and their distribution functions say how much lies between crossings:
enclosures throughout, so the result is the nearest float.

For more categories the likelihood ratio of two Dirichlets is L = Σ d_i ln θ_i + const with d = p - q, and the
characteristic function of Σ d_i ln θ_i under Dir(a) is B(a + iud)/B(a). Total variation is P_p(L > 0) - P_q(L > 0).
Gil-Pelaez' formula gives it as one integral over u, whatever the number of categories: floats, within `ERROR`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction

from flint import acb, arb

from discreet.arithmetic.numbers import ball, nearest_float, precision, working_bits
from discreet.errors import Undecided
from discreet.posteriors import Dirichlet
from discreet.posteriors.distances import log_beta, require_same_k

ERROR = 1e-9
"""The stated absolute error of `total_variation` between distributions on three categories or more."""

_MAX_NODES = 1 << 14


def total_variation(p: Dirichlet, q: Dirichlet) -> float:
    """½∫|p - q|: of two Betas to the last float, of more categories within 1e-9.

    `Undecided` in the rare case that this cannot be reached: the step of the integral is halved until two results agree
    to a hundredth of that, and when all parameters move the same way they do so too slowly.

    >>> total_variation(Dirichlet([1, 1]), Dirichlet([2, 1]))
    0.25
    >>> round(total_variation(Dirichlet([70, 50, 30]), Dirichlet([71, 49, 30])), 6)
    0.074146
    """
    require_same_k(p, q)
    if p == q:
        return 0.0
    if p.k == 2:
        return nearest_float(lambda: _between_betas(p, q))
    d = [a - b for a, b in zip(p.parameters, q.parameters, strict=True)]
    if min(d) >= 0 or max(d) <= 0:
        raise Undecided(
            "total variation converges too slowly when all parameters move the same way",
            hint="compare distributions of equal total, or use hellinger",
        )
    return _by_inversion(p, q, d)


def _by_inversion(p: Dirichlet, q: Dirichlet, d: Sequence[Fraction]) -> float:
    with precision(64 + 2 * math.ceil(max(p.total, q.total)).bit_length() + 64):
        cut = log_beta(p.parameters) - log_beta(q.parameters)
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
    total, node, small = 0.0, 0, 0
    h = arb(step)
    log_p, log_q = log_beta(p.parameters), log_beta(q.parameters)
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
    total = -acb(ball(p.total), ball(sum(d, Fraction(0))) * u).lgamma()
    for a, move in zip(p.parameters, d, strict=True):
        total += acb(ball(a), ball(move) * u).lgamma()
    return total


def _moments(p: Dirichlet, d: Sequence[Fraction]) -> tuple[arb, float]:
    """The mean and standard deviation of Σ d_i ln θ_i."""
    shift = sum(d, Fraction(0))
    mean = -ball(shift) * ball(p.total).digamma()
    variance = -(ball(shift) ** 2) * _trigamma(p.total)
    for a, move in zip(p.parameters, d, strict=True):
        mean += ball(move) * ball(a).digamma()
        variance += ball(move) ** 2 * _trigamma(a)
    return mean, math.sqrt(float(variance.mid()))


def _trigamma(a: Fraction) -> arb:
    return ball(2).zeta(ball(a))


def _between_betas(p: Dirichlet, q: Dirichlet) -> arb:
    """The gap of the distribution functions at the one crossing, or how it changes from one of two to the other.

    Anything from 0 to 1 where balls of this precision do not tell the two densities apart.
    """
    a, b = (a - b for a, b in zip(p.parameters, q.parameters, strict=True))
    level = log_beta(p.parameters) - log_beta(q.parameters)

    def log_ratio(t: arb) -> arb:
        """ln p/q at the share with log-odds t: a·ln x + b·ln(1-x) - level. Crossings may lie very near 0 or 1."""
        rest = (-abs(t)).exp().log1p()
        return ball(a) * (t.min(0) - rest) + ball(b) * ((-t).min(0) - rest) - level

    below, above = -_sign(a) or _sign(b), -_sign(b) or _sign(a)  # the signs of the log-ratio near 0 and near 1
    turn = ball(a / b).log().mid() if below == above else ball(0)
    low, high = _outward(log_ratio, turn, -1, below), _outward(log_ratio, turn, 1, above)
    if low is None or high is None or (below == above and not below * log_ratio(turn) < 0):
        return arb(0.5, 0.5)
    if below != above:
        return abs(_gap(p, q, _crossing(log_ratio, low, high, above)))
    ends = _crossing(log_ratio, low, turn, -below), _crossing(log_ratio, turn, high, above)
    return abs(_gap(p, q, ends[1]) - _gap(p, q, ends[0]))


def _sign(number: Fraction) -> int:
    return (number > 0) - (number < 0)


def _outward(log_ratio: Callable[[arb], arb], start: arb, side: int, sign: int) -> arb | None:
    """A place on this side of the start where the log-ratio certainly has the sign that it keeps from there on."""
    for power in range(8 * working_bits()):
        place = (start + side * ball(2) ** power).mid()
        if sign * log_ratio(place) > 0:
            return place
    return None


def _crossing(log_ratio: Callable[[arb], arb], low: arb, high: arb, sign: int) -> arb:
    """An enclosure of where the log-ratio takes this sign, between two places of which it has it at the higher one."""
    width = ball(2) ** (8 - working_bits()) * (1 + abs(low) + abs(high))  # some units in the last place
    while high - low > width:
        middle = ((low + high) / 2).mid()
        signed = sign * log_ratio(middle)
        if signed > 0:
            high = middle
        elif signed < 0:
            low = middle
        else:  # as close as balls of this precision tell: widen until they do
            above, below = (middle + width).mid(), (middle - width).mid()
            while above < high and not sign * log_ratio(above) > 0:
                above = (2 * above - middle).mid()
            while below > low and not sign * log_ratio(below) < 0:
                below = (2 * below - middle).mid()
            return above.min(high).union(below.max(low))
    return low.union(high)


def _gap(p: Dirichlet, q: Dirichlet, t: arb) -> arb:
    """P(x) - Q(x) of the distribution functions at the share with log-odds t, from the nearer end."""
    if t < 0:
        return _below(p.parameters, t) - _below(q.parameters, t)
    return _below(q.parameters[::-1], -t) - _below(p.parameters[::-1], -t)


def _below(parameters: Sequence[Fraction], t: arb) -> arb:
    """The chance that a Beta gives to shares below the one with log-odds t."""
    a, b = map(ball, parameters)
    x = 1 / (1 + (-t).exp())
    chance = x.beta_lower(a, b, regularized=True)
    if chance.is_finite():
        return chance
    # Far in a tail that no series reaches: ∫ u^(a-1)(1-u)^(b-1) over (0, x) is at most x^a/a times the larger end of
    # the other factor, and likewise above.
    log_beta = a.lgamma() + b.lgamma() - (a + b).lgamma()
    left = (a * x.log() + ((b - 1) * (1 - x).log()).max(0) - log_beta).exp() / a
    right = (b * (1 - x).log() + ((a - 1) * x.log()).max(0) - log_beta).exp() / b
    return arb(0).union(left) if left < right else arb(1).union(1 - right)
