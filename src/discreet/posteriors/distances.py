"""Distances between Dirichlet distributions.

Hellinger comes in three forms that agree: `hellinger_floats`, stable and vectorised, for many candidates at once;
`Affinity`, enclosures at the working precision, for whatever a privacy claim rests on; and `hellinger` for any two
Dirichlets. BC is the Bhattacharyya coefficient and H = sqrt(1 - BC).

Between candidates of one space the totals agree, so ln BC is a sum over categories of second differences of lnΓ,
none of them positive: nothing cancels between categories (mathematics: section 1 of docs/mathematics.md).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from functools import lru_cache
from operator import getitem

import numpy as np
from flint import arb
from numpy.typing import ArrayLike
from scipy.special import gammaln

from discreet.arithmetic.arrays import Floats, Wholes
from discreet.arithmetic.numbers import ball, exact, nearest_float, precision, working_bits
from discreet.errors import InvalidInput, require_kind
from discreet.posteriors import Dirichlet


def hellinger(p: Dirichlet, q: Dirichlet) -> float:
    """The Hellinger distance, sqrt(1 - BC), correct to the last float.

    >>> round(hellinger(Dirichlet([7, 4, 5]), Dirichlet([8, 3, 5])), 12)
    0.239992747797
    """
    return _divergence(p, q, lambda: _root_gap(_log_affinity_any(p, q)))


def legacy_hellinger(p: Dirichlet, q: Dirichlet) -> float:
    """What the papers plotted as Hellinger: sqrt(1 - BC^(1/ln(total))), a programming slip.

    Their program divides by ln(n+Σα) where it should subtract lnΓ(n+Σα). Kept to reproduce their figures.

    >>> round(legacy_hellinger(Dirichlet([1, 101]), Dirichlet([2, 100])), 3)
    0.161
    """
    require_same_k(p, q)
    if p.total != q.total or p.total <= 1:
        raise InvalidInput("the legacy distance needs equal totals above 1", hint="compare candidates of one space")
    return _divergence(p, q, lambda: _root_gap(_log_affinity_any(p, q) / ball(p.total).log()))


def hellinger_floats(prior: Dirichlet, c: Sequence[int], r: ArrayLike) -> Floats:
    """The Hellinger distances from the candidate c to many others, one per row of r.

    The relative error is below 1e-9 for totals up to 10¹², near and far, priors from 0.001 to 10⁶
    (`tests/posteriors/test_distances.py` against mpmath).

    >>> hellinger_floats(Dirichlet([1, 1]), [50, 50], [[50, 50], [49, 51]]).round(5).tolist()
    [0.0, 0.07028]
    """
    return np.sqrt(np.abs(np.expm1(log_affinity_floats(prior, c, r))))


def hellinger_matrix(prior: Dirichlet, rows: Wholes) -> Floats:
    """The Hellinger distances between all candidates of a list, one per row."""
    return np.stack([hellinger_floats(prior, row.tolist(), rows) for row in rows])


def log_affinity_floats(prior: Dirichlet, c: ArrayLike, r: ArrayLike) -> Floats:
    """ln BC between candidates, one per row: from one to many, or pair by pair. Stable and vectorised.

    Where all candidates have one total its Gamma functions cancel. Under a cap totals differ, and they do not.
    """
    rows, centre = np.asarray(r), np.asarray(c)
    step = rows - centre
    total = np.zeros(step.shape[0])
    for i, parameter in enumerate(prior.parameters):
        alpha = float(parameter)
        total -= 0.5 * second_difference(alpha + centre[..., i], alpha + rows[..., i], step[:, i])
    sums = float(prior.total) + centre.sum(axis=-1), float(prior.total) + rows.sum(axis=-1)
    if (sums[0] != sums[1]).any():
        total += 0.5 * second_difference(*sums, sums[1] - sums[0])
    return total


def second_difference(a: ArrayLike, b: ArrayLike, step: ArrayLike) -> Floats:
    """lnΓ(a) + lnΓ(b) - 2 lnΓ((a+b)/2) ≥ 0 where b - a is the whole number `step`, to about 13 digits.

    Far from 0, by Stirling's series the large parts of the three terms combine to m·φ(t) - ½ ln(1-t²) with
    m = (a+b)/2, t = step/(2m), φ(t) = (1+t)ln(1+t) + (1-t)ln(1-t): positive terms only. What is left of the
    series is at most a thousandth of that, so its cancellation does no harm. Near 0 the terms themselves are small
    (or the difference is of their size) and are subtracted as they are.
    """
    low, high = np.minimum(a, b), np.maximum(a, b)
    middle = 0.5 * (low + high)
    t = np.abs(np.asarray(step, dtype=np.float64)) / (2 * middle)
    direct = gammaln(low) + gammaln(high) - 2 * gammaln(middle)
    rests = [stirling_rest(np.maximum(x, 10.0)) for x in (low, high, middle)]
    with np.errstate(divide="ignore", invalid="ignore"):
        stirling = middle * _phi(t) - 0.5 * np.log1p(-t * t) + (rests[0] + rests[1]) - 2 * rests[2]
    return np.where(t == 0, 0.0, np.where(low < 10.0, direct, stirling))


def _phi(t: Floats) -> Floats:
    """(1+t)ln(1+t) + (1-t)ln(1-t) = Σ t^2j / (j(2j-1)), without cancellation for small t."""
    square = t * t
    series = np.zeros_like(square)
    for j in range(12, 0, -1):  # t < 0.2: the next term is below 1e-18 of the first.
        series = (series + 1.0 / (j * (2 * j - 1))) * square
    with np.errstate(divide="ignore", invalid="ignore"):
        whole = (1 + t) * np.log1p(t) + (1 - t) * np.log1p(-t)
    return np.where(t < 0.2, series, whole)


def stirling_rest(x: Floats) -> Floats:
    """lnΓ(x) minus (x-½)ln x - x + ½ln 2π, for x ≥ 10 to 1e-17."""
    w = 1 / (x * x)
    series: Floats = 1 / 12 - w * (1 / 360 - w * (1 / 1260 - w * (1 / 1680 - w * (1 / 1188 - w * (691 / 360360)))))
    return series / x


class Affinity:
    """Enclosures of the distances from one candidate c, with what they share computed once.

    It belongs to the working precision that it was made at. The three lnΓ of a category agree in about
    2·log2(total) leading bits; that many are added inside.
    """

    __slots__ = ("_alpha", "_bits", "_centre", "_half_logs", "_prior")

    def __init__(self, prior: Dirichlet, c: Sequence[int]) -> None:
        self._bits = working_bits() + 2 * (sum(c) + math.ceil(prior.total)).bit_length() + 16
        self._centre, self._prior = tuple(c), prior
        with precision(self._bits):
            self._alpha = [ball(parameter) for parameter in prior.parameters]
            self._half_logs = [(alpha + count).lgamma() / 2 for alpha, count in zip(self._alpha, c, strict=True)]

    def log_affinity(self, r: Sequence[int]) -> arb:
        """ln BC between c and r."""
        moved = [i for i, value in enumerate(r) if value != self._centre[i]]
        with precision(self._bits):
            return sum((self._log_factor(i, r[i]) for i in moved), ball(0))

    def hellinger(self, r: Sequence[int]) -> arb:
        """H between c and r."""
        return _root_gap(self.log_affinity(r)) if tuple(r) != self._centre else ball(0)

    def all_hellinger(self, candidates: Iterable[Sequence[int]]) -> Iterator[arb]:
        """H to each of the space's candidates: ln BC is a sum over categories, so each category is tabled first."""
        terms = [self._all_factors(i) for i in range(len(self._centre))]
        for r in candidates:
            yield _root_gap(sum(map(getitem, terms, r), ball(0))) if tuple(r) != self._centre else ball(0)

    def _all_factors(self, i: int) -> list[arb]:
        """ln g_i(0), …, ln g_i(n), from values of lnΓ that are shared between laws of one space."""
        half_log, centre, last = self._half_logs[i], self._centre[i], sum(self._centre)
        table = half_gammas(self._prior.parameters[i], 2 * last, self._bits)
        with precision(self._bits):
            factors = [table[centre + value] - half_log - table[2 * value] / 2 for value in range(last + 1)]
        factors[centre] = ball(0)
        return factors

    def _log_factor(self, i: int, value: int) -> arb:
        """ln g_i(value), from its definition."""
        alpha = self._alpha[i]
        middle = (alpha + ball(self._centre[i] + value) / 2).lgamma()
        return middle - self._half_logs[i] - (alpha + value).lgamma() / 2


def half_gammas(alpha: Fraction, last: int, bits: int) -> list[arb]:
    """lnΓ(α + j/2) for j = 0, …, last or further, with at least so many bits: enumerations of one space share them."""
    table = _half_gammas(alpha, max(bits, TABLE_BITS))
    if len(table) <= last:
        with precision(max(bits, TABLE_BITS)):
            start = ball(alpha)
            table += [(start + ball(j) / 2).lgamma() for j in range(len(table), last + 1)]
    return table


TABLE_BITS = 192
"""Enough for any scan: values near 2**45 that agree in as many bits, and then 96 more."""


@lru_cache(maxsize=4)
def _half_gammas(alpha: Fraction, bits: int) -> list[arb]:
    return []


def _root_gap(log_affinity: arb) -> arb:
    """sqrt(1 - exp(x)) for x ≤ 0, without cancellation."""
    return (-log_affinity.expm1()).nonnegative_part().sqrt()


def _log_affinity_any(p: Dirichlet, q: Dirichlet) -> arb:
    middle = [(a + b) / 2 for a, b in zip(p.parameters, q.parameters, strict=True)]
    return log_beta(middle) - (log_beta(p.parameters) + log_beta(q.parameters)) / 2


def l1(p: Dirichlet, q: Dirichlet) -> float:
    """The L1 distance of the parameters.

    >>> l1(Dirichlet([3, 4]), Dirichlet([4, 3]))
    2.0
    """
    require_same_k(p, q)
    return float(sum(abs(a - b) for a, b in zip(p.parameters, q.parameters, strict=True)))


def kl(p: Dirichlet, q: Dirichlet) -> float:
    """The Kullback–Leibler divergence of p from q, in nats, correct to the last float.

    >>> round(kl(Dirichlet([2, 2]), Dirichlet([1, 1])), 12)
    0.125092802561
    """

    def divergence() -> arb:
        total = log_beta(q.parameters) - log_beta(p.parameters)
        shared = ball(p.total).digamma()
        for a, b in zip(p.parameters, q.parameters, strict=True):
            total += ball(a - b) * (ball(a).digamma() - shared)
        return total

    return _divergence(p, q, divergence)


def renyi(p: Dirichlet, q: Dirichlet, order: object) -> float:
    """The Rényi divergence of p from q, in nats; infinite where the integral diverges.

    >>> p, q = Dirichlet([3, 4]), Dirichlet([4, 3])
    >>> abs(renyi(p, q, 0.5) + 2 * math.log(1 - hellinger(p, q) ** 2)) < 1e-12
    True
    """
    power = exact(order, "order", above=0)
    if power == 1:
        return kl(p, q)
    return _of_power(p, q, power, lambda log: log / ball(power - 1))


def chi_squared(p: Dirichlet, q: Dirichlet) -> float:
    """The χ² divergence of p from q, ∫(p-q)²/q; infinite where 2·p - q is not positive.

    >>> chi_squared(Dirichlet([1, 1]), Dirichlet([2, 2]))
    inf
    """
    return _of_power(p, q, Fraction(2), lambda log: log.expm1())


def _of_power(p: Dirichlet, q: Dirichlet, power: Fraction, divergence: Callable[[arb], arb]) -> float:
    """A divergence that is a function of ln ∫p^power·q^(1-power), which is infinite where it diverges."""
    require_same_k(p, q)
    mixed = [power * a + (1 - power) * b for a, b in zip(p.parameters, q.parameters, strict=True)]
    if min(mixed) <= 0:
        return math.inf

    def value() -> arb:
        rest = ball(power) * log_beta(p.parameters) + ball(1 - power) * log_beta(q.parameters)
        return divergence(log_beta(mixed) - rest)

    return _divergence(p, q, value)


def _divergence(p: Dirichlet, q: Dirichlet, value: Callable[[], arb]) -> float:
    """The float nearest to what encloses it; exactly 0 between equals."""
    require_same_k(p, q)
    return 0.0 if p == q else nearest_float(value)


def log_beta(parameters: Sequence[Fraction]) -> arb:
    """ln B of the parameters."""
    return sum((ball(a).lgamma() for a in parameters), -ball(sum(parameters, Fraction(0))).lgamma())


def require_same_k(p: Dirichlet, q: Dirichlet) -> None:
    """Refuse what cannot be compared."""
    for one in (p, q):
        require_kind(one, Dirichlet, "a distribution", hint="give parameters as dc.Dirichlet([1, 1])")
    if p.k != q.k:
        raise InvalidInput("the two distributions differ in their number of categories", hint="compare like with like")
