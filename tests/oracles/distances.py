"""Distances between two Dirichlets, from closed forms with fifty digits and again by integration (section 1).

The first argument is p, the second q; both are parameter vectors and their totals may differ.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cache
from itertools import pairwise
from typing import TypeAlias

from .precision import Exact, Real, exact, mp, real

Parameters: TypeAlias = Sequence[Exact]
Distance: TypeAlias = Callable[[Parameters, Parameters], Real]


@cache
def _log_gamma(x: Fraction) -> Real:
    return mp.loggamma(real(x))


def log_beta(a: Sequence[Fraction]) -> Real:
    """ln of the multivariate beta function, the normaliser of a Dirichlet density."""
    return mp.fsum(_log_gamma(x) for x in a) - _log_gamma(sum(a, Fraction(0)))


def _exact(a: Parameters) -> list[Fraction]:
    return [exact(x) for x in a]


def log_bhattacharyya(a: Parameters, b: Parameters) -> Real:
    """ln of the integral of sqrt(p q)."""
    p, q = _exact(a), _exact(b)
    middle = [(x + y) / 2 for x, y in zip(p, q, strict=True)]
    return log_beta(middle) - (log_beta(p) + log_beta(q)) / 2


def hellinger(a: Parameters, b: Parameters) -> Real:
    """sqrt(1 - BC)."""
    if _exact(a) == _exact(b):
        return mp.zero
    return mp.sqrt(-mp.expm1(log_bhattacharyya(a, b)))


def hellinger_legacy(a: Parameters, b: Parameters) -> Real:
    """What the papers' program plots: sqrt(1 - BC^(1/ln total)), for two Dirichlets of one total."""
    total = sum(_exact(a), Fraction(0))
    assert total == sum(_exact(b), Fraction(0)), "the legacy formula is for equal totals"
    return mp.sqrt(-mp.expm1(log_bhattacharyya(a, b) / mp.log(real(total))))


def kl(a: Parameters, b: Parameters) -> Real:
    """The integral of p ln(p/q)."""
    p, q = _exact(a), _exact(b)
    of_total = mp.digamma(real(sum(p, Fraction(0))))
    moments = (real(x - y) * (mp.digamma(real(x)) - of_total) for x, y in zip(p, q, strict=True))
    return log_beta(q) - log_beta(p) + mp.fsum(moments)


def chi_squared(a: Parameters, b: Parameters) -> Real:
    """The integral of p²/q, less 1; infinite where the integral diverges."""
    return mp.expm1(renyi(a, b, 2))


def renyi(a: Parameters, b: Parameters, order: Exact) -> Real:
    """ln of the integral of p^order q^(1-order), over order - 1; kl at order 1, infinite where it diverges."""
    p, q, t = _exact(a), _exact(b), exact(order)
    if t == 1:
        return kl(a, b)
    mixed = [t * x + (1 - t) * y for x, y in zip(p, q, strict=True)]
    if min(mixed) <= 0:
        return mp.inf
    return (log_beta(mixed) - real(t) * log_beta(p) - real(1 - t) * log_beta(q)) / real(t - 1)


def l1(a: Parameters, b: Parameters) -> Real:
    """The sum of absolute differences of the parameters."""
    return real(sum((abs(x - y) for x, y in zip(_exact(a), _exact(b), strict=True)), Fraction(0)))


def beta_density(a: Parameters) -> Callable[[Real], Real]:
    """The density of Beta(a[0], a[1]) on (0, 1)."""
    first, second = _exact(a)
    left, right, norm = real(first) - 1, real(second) - 1, log_beta([first, second])
    return lambda x: mp.exp(left * mp.log(x) + right * mp.log1p(-x) - norm)


def integral(integrand: Callable[[Real, Real], Real], a: Parameters, b: Parameters) -> Real:
    """The integral over (0, 1) of a function of the densities of two Betas, cut at peaks and where they cross."""
    p, q = beta_density(a), beta_density(b)
    points = sorted({mp.zero, mp.one, *_landmarks(a, b), *crossings(a, b)})
    with mp.workdps(30):
        return mp.quad(lambda x: integrand(p(x), q(x)), points)


def _landmarks(*parameters: Parameters) -> list[Real]:
    """Where the mass of some Betas lies, so that no peak is missed: the mean and up to eight deviations either way."""
    points = []
    for a in parameters:
        x, y = (real(value) for value in _exact(a))
        mean, deviation = x / (x + y), mp.sqrt(x * y / ((x + y) ** 2 * (x + y + 1)))
        points += [mean + step * deviation for step in (-8, -4, -2, 0, 2, 4, 8)]
    return [x for x in points if 0 < x < 1]


def crossings(a: Parameters, b: Parameters) -> list[Real]:
    """Where two Beta densities are equal: ln(p/q) turns at most once, so there are at most two, found by bisection."""
    (p1, p2), (q1, q2) = _exact(a), _exact(b)
    first, second = real(p1 - q1), real(p2 - q2)
    shift = log_beta([q1, q2]) - log_beta([p1, p2])

    def log_ratio(logit: Real) -> Real:  # in the log odds of x, so that nothing near 0 or 1 is lost
        return -first * mp.log1p(mp.exp(-logit)) - second * mp.log1p(mp.exp(logit)) + shift

    far = mp.mpf(10) ** 6
    ends = [-far, far]
    if first * second > 0:
        ends.insert(1, mp.log(first / second))
    places = []
    for low, high in pairwise(ends):
        if log_ratio(low) * log_ratio(high) < 0:
            rising = log_ratio(high) > 0
            for _ in range(mp.prec + 20):
                middle = (low + high) / 2
                low, high = (low, middle) if (log_ratio(middle) > 0) == rising else (middle, high)
            places.append(1 / (1 + mp.exp(-(low + high) / 2)))
    return places


def total_variation(a: Parameters, b: Parameters) -> Real:
    """Half the integral of |p - q|, for two Betas: from the incomplete beta functions at the crossings."""

    def mass(parameters: Parameters, low: Real, high: Real) -> Real:
        x, y = (real(value) for value in _exact(parameters))
        return mp.betainc(x, y, low, high, regularized=True)

    cuts = [mp.zero, *crossings(a, b), mp.one]
    return mp.fsum(abs(mass(a, *cut) - mass(b, *cut)) for cut in pairwise(cuts)) / 2
