"""`bayes` and `free`: the post-processing of noisy counts that weighs what is believed about the true ones (section 4).

Both minimise the expected Hellinger distance given the output; `bayes` over the candidates, `free` over all
Dirichlets. The expectation has a cusp at every candidate, as a sum of distances has at its points, and `free` often
ends in one: so the candidates are compared with what the search found, all with fifty digits.
"""

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np
from scipy.optimize import minimize
from scipy.special import gammaln

from .distances import hellinger
from .geometric import law, probability, tail
from .mechanisms import Row
from .precision import Exact, Real, exact, mp
from .sensitivity import between
from .spaces import Counts, candidates, posterior, prior_predictive

Floats: TypeAlias = np.ndarray[Any, np.dtype[np.float64]]


def belief_from_noisy(
    alpha: Sequence[Exact], z: Sequence[int], epsilon: Exact, prior: Mapping[Counts, Real] | None = None
) -> Row:
    """p(c | z) for the geometric mechanism, under the prior predictive unless told otherwise."""
    prior = prior_predictive(alpha, sum(z)) if prior is None else prior
    weights = {c: weight * probability(c, z, epsilon) for c, weight in prior.items()}
    total = mp.fsum(weights.values())
    return {c: weight / total for c, weight in weights.items()}


def expected_error(alpha: Sequence[Exact], belief: Row, released: Sequence[Exact]) -> Real:
    """The expected Hellinger distance of the true posterior from the released parameters."""
    return mp.fsum(p * hellinger(posterior(alpha, c), released) for c, p in belief.items())


def bayes(alpha: Sequence[Exact], belief: Row) -> tuple[Counts, Real]:
    """The candidate of least expected error, and that error; the lexicographically first if several are equal."""
    alpha, n = [exact(a) for a in alpha], sum(next(iter(belief)))
    errors = {r: mp.fsum(p * between(alpha, c, r) for c, p in belief.items()) for r in candidates(len(alpha), n)}
    least = min(errors.values())
    return next(r for r, error in errors.items() if error <= least * (1 + mp.mpf(10) ** -40)), least


def free(alpha: Sequence[Exact], belief: Row) -> tuple[tuple[Fraction, ...], Real]:
    """The parameters of least expected error, and that error: a search from two starts, or the best candidate."""
    alpha = [exact(a) for a in alpha]
    best_candidate, least = bayes(alpha, belief)
    best = posterior(alpha, best_candidate)
    at = np.array([[float(a) for a in posterior(alpha, c)] for c in belief])
    weights = np.array([float(p) for p in belief.values()])
    box = [(np.log(float(exact(a)) / 20), np.log(2 * at[0].sum())) for a in alpha]  # beyond it floats are noise
    for start in (weights @ at, _moments(at, weights)):
        search = minimize(
            _expected_error_float,
            np.log(start),
            args=(at, weights),
            method="Nelder-Mead",
            bounds=box,
            options={"xatol": 1e-8, "fatol": 1e-13, "maxiter": 4000, "maxfev": 4000},
        )
        if search.fun > least + 1e-6:  # not even with the error of floats
            continue
        point = tuple(exact(float(x)) for x in np.exp(search.x))
        error = expected_error(alpha, belief, point)
        if error < least:
            best, least = point, error
    return best, least


def _log_beta(a: Floats) -> Floats:
    return np.asarray(gammaln(a).sum(axis=-1) - gammaln(a.sum(axis=-1)))


def _expected_error_float(logarithms: Floats, at: Floats, weights: Floats) -> float:
    b = np.exp(logarithms)
    log_bc = _log_beta((at + b) / 2) - _log_beta(at) / 2 - _log_beta(b) / 2
    return float(weights @ np.sqrt(np.maximum(0, -np.expm1(log_bc))))


def _moments(at: Floats, weights: Floats) -> Floats:
    """The Dirichlet with the mean, and the summed variance, of the believed mixture."""
    total = at.sum(axis=1, keepdims=True)
    mean = weights @ (at / total)
    variance = weights @ (at * (at + 1) / (total * (total + 1))) - mean**2
    return np.asarray(mean * ((mean * (1 - mean)).sum() / variance.sum() - 1))


def clamp(z: Sequence[int]) -> Counts:
    """Each coordinate clamped to [0,n]: what is believed given z depends on no more than this."""
    n = sum(z)
    return tuple(max(0, min(n, x)) for x in z)


def mean_error(
    alpha: Sequence[Exact],
    n: int,
    epsilon: Exact,
    error_given: Callable[[Row], Real],
    radius: int,
    prior: Mapping[Counts, Real] | None = None,
) -> tuple[Real, Real]:
    """The mean over c and z of the error that post-processing makes given a belief, and the probability left out.

    For `nearest`, which looks at z and not at the belief, see `geometric.after_nearest`.
    """
    prior = prior_predictive(alpha, n) if prior is None else prior
    mass: dict[Counts, Real] = {}
    example: dict[Counts, Counts] = {}
    for c, weight in prior.items():
        for z, p in law(c, epsilon, radius).items():
            key = clamp(z)
            example.setdefault(key, z)
            mass[key] = mass.get(key, mp.zero) + weight * p
    total = mp.fsum(p * error_given(belief_from_noisy(alpha, example[key], epsilon, prior)) for key, p in mass.items())
    return total, tail(len(alpha), epsilon, radius)
