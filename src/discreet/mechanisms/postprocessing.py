"""From noisy counts back to a posterior: each post-processing looks at the noisy counts and public facts only.

`nearest`  the Euclidean projection on {x ≥ 0, Σx = n}, rounded by largest remainder, ties to the lower index
`bayes`    the candidate of least expected Hellinger distance given the noisy counts
`free`     the Dirichlet of any total with least expected Hellinger distance; usually not a candidate

The last two weigh the data sets by the prior predictive, or all alike (`uniform`).
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache
from typing import Literal, get_args

import numpy as np
from scipy.special import gammaln

from discreet.arithmetic.arrays import Floats, Wholes
from discreet.errors import TooLarge
from discreet.posteriors import Dirichlet
from discreet.posteriors.distances import hellinger_matrix
from discreet.posteriors.predictive import log_predictive
from discreet.posteriors.space import PosteriorSpace, require_enumerable

Postprocess = Literal["nearest", "bayes", "free"]
POSTPROCESSES: tuple[Postprocess, ...] = get_args(Postprocess)
Weighting = Literal["predictive", "uniform"]
WEIGHTINGS: tuple[Weighting, ...] = get_args(Weighting)

_MAX_TABLE = 2048
"""Expected distances are taken over at most this many candidates."""

_CLEAR = 1e-6
_GRID = 512


def data_weights(prior: Dirichlet, rows: Wholes, weighting: Weighting) -> Floats:
    """How much each data set counts, one per row: by the prior predictive, or all alike."""
    return np.full(len(rows), 1 / len(rows)) if weighting == "uniform" else np.exp(log_predictive(prior, rows))


def require_weighable(space: PosteriorSpace, epsilon: Fraction) -> None:
    """Refuse `bayes` and `free` where they would weigh too many counts, from public facts: before any draw."""
    if _weighs_all(space):
        require_enumerable(space, limit=_MAX_TABLE, hint="use the nearest post-processing, which weighs nothing")
    elif 2 * _reach(space, epsilon) + 1 > _MAX_TABLE:
        raise TooLarge(
            f"this post-processing would weigh {2 * _reach(space, epsilon) + 1:,} counts",
            hint="use the nearest post-processing, or a larger epsilon",
        )


def _weighs_all(space: PosteriorSpace) -> bool:
    """Whether all candidates are weighed; of two categories and many records, those about the noisy count."""
    return space.k > 2 or not space.adjacency.keeps_total or space.n < _MAX_TABLE


def _reach(space: PosteriorSpace, epsilon: Fraction) -> int:
    """How far from the noisy count a count can lie and still matter: its likelihood is below e^-60/n² beyond."""
    return math.ceil((60 + 2 * math.log(space.n)) / epsilon)


def nearest(noisy: Wholes, n: int) -> Wholes:
    """Project noisy counts, one per row, on the candidates: exact, in whole numbers.

    The projection is max(z - τ, 0) for one τ, and whole z share the fraction of z - τ, so after rounding down the units
    that are left go to the first of the positive categories.

    >>> import numpy as np
    >>> nearest(np.array([[70, -2, 82], [-1, -1, 152]]), 150).tolist()
    [[69, 0, 81], [0, 0, 150]]
    """
    rows, k = noisy.shape
    ordered = -np.sort(-noisy, axis=1)
    sums = np.cumsum(ordered, axis=1) - n
    support = (ordered * np.arange(1, k + 1) > sums).sum(axis=1)
    excess = sums[np.arange(rows), support - 1]
    scaled = noisy * support[:, None] - excess[:, None]
    positive = scaled > 0
    floors = np.where(positive, scaled // support[:, None], 0)
    left = n - floors.sum(axis=1)
    first = positive & (np.cumsum(positive, axis=1) <= left[:, None])
    rounded: Wholes = floors + first
    return rounded


def nearest_within(noisy: Wholes, cap: int | None) -> Wholes:
    """The same on all whole numbers ≥ 0, whose total is at most a cap, if there is one.

    >>> import numpy as np
    >>> nearest_within(np.array([[70, -2, 82], [-1, -1, 9]]), None).tolist()
    [[70, 0, 82], [0, 0, 9]]
    >>> nearest_within(np.array([[70, -2, 82], [-1, -1, 9]]), 150).tolist()
    [[69, 0, 81], [0, 0, 9]]
    """
    counts = np.maximum(noisy, 0)
    if cap is not None:
        over = counts.sum(axis=1) > cap
        counts[over] = nearest(noisy[over], cap)
    return counts


def bayes(space: PosteriorSpace, epsilon: Fraction, noisy: Wholes, weighting: Weighting = "predictive") -> Wholes:
    """The candidate of least posterior-expected Hellinger distance for each row of noisy counts.

    Beyond [0, n] a coordinate's likelihood has the same shape as at the end, so rows are clipped and shared.
    """
    most = space.adjacency.simplex(space.k)[1]
    clipped, place = np.unique(np.clip(noisy, 0, most), axis=0, return_inverse=True)
    best = np.empty_like(clipped)
    for i, row in enumerate(clipped):
        rows, chance, distance = _condition(space, epsilon, row, weighting)
        best[i] = rows[np.argmin(distance @ chance)]
    candidates: Wholes = best[place.ravel()]
    return candidates


def free(
    space: PosteriorSpace, epsilon: Fraction, output: tuple[int, ...], weighting: Weighting = "predictive"
) -> Dirichlet:
    """The Dirichlet, of any total, of least posterior-expected Hellinger distance."""
    row = np.clip(output, 0, space.adjacency.simplex(space.k)[1])
    return _free(space, epsilon, tuple(row.tolist()), weighting)


@lru_cache(maxsize=4096)
def _free(space: PosteriorSpace, epsilon: Fraction, row: tuple[int, ...], weighting: Weighting) -> Dirichlet:
    from scipy import optimize

    rows, chance, distance = _condition(space, epsilon, np.array(row), weighting)
    likely = chance > 1e-15
    alpha = space.prior.alpha + rows[likely]
    weight = chance[likely] / chance[likely].sum()
    half = 0.5 * (gammaln(alpha).sum(axis=1) - gammaln(alpha.sum(axis=1)))

    def error(log_parameters: Floats) -> float:
        other = np.exp(log_parameters)
        middle = 0.5 * (alpha + other)
        log_bc = gammaln(middle).sum(axis=1) - gammaln(middle.sum(axis=1)) - half
        log_bc -= 0.5 * (gammaln(other).sum() - gammaln(other.sum()))
        return float(weight @ np.sqrt(np.maximum(-np.expm1(log_bc), 0.0)))

    # The expected distance has a cusp at every candidate, and floats fake small gains next to one: a free point must
    # be clearly better than the best candidate. Far outside the box cancellation fakes large gains.
    errors = distance @ chance
    candidate = space.prior.alpha + rows[np.argmin(errors)]
    box = [(math.log(a / 20), math.log(2 * alpha.sum(axis=1).max())) for a in space.prior.alpha]
    options = {"xatol": 1e-7, "fatol": 1e-12, "maxiter": 4000, "maxfev": 4000}
    mean = weight @ alpha
    runs = [
        optimize.minimize(error, np.log(start), method="Nelder-Mead", bounds=box, options=options)
        for start in (mean, mean / 2, mean / 5, candidate * 1.01)
    ]
    best = min(runs, key=lambda run: float(run.fun))
    parameters = np.exp(best.x) if best.fun < errors.min() - _CLEAR else candidate
    return Dirichlet([float(f"{value:.12g}") for value in parameters])


def _condition(
    space: PosteriorSpace, epsilon: Fraction, row: Wholes, weighting: Weighting
) -> tuple[Wholes, Floats, Floats]:
    """The counts that matter given noisy ones, their posterior probabilities, and the distances among them."""
    part = None if _weighs_all(space) else (_mode(space, epsilon, int(row[0]), weighting), _reach(space, epsilon))
    rows, distance = _table(space, part)
    log_chance = -float(epsilon) / space.adjacency.moved * np.abs(rows - row).sum(axis=1)
    if weighting == "predictive":
        log_chance += log_predictive(space.prior, rows)
    chance = np.exp(log_chance - log_chance.max())
    return rows, chance / chance.sum(), distance


@lru_cache(maxsize=16)
def _table(space: PosteriorSpace, part: tuple[int, int] | None) -> tuple[Wholes, Floats]:
    """All candidates, or those whose first of two counts is within reach of a centre, and the distances among them."""
    if part is None:
        rows = space.candidates().array()
    else:
        centre, reach = part
        first = np.arange(max(0, centre - reach), min(space.n, centre + reach) + 1, dtype=np.int64)
        rows = np.stack([first, space.n - first], axis=1)
    return rows, hellinger_matrix(space.prior, rows)


def _mode(space: PosteriorSpace, epsilon: Fraction, z: int, weighting: Weighting) -> int:
    """The most probable count of the first category given a noisy one, by ever finer grids: priors may be strong."""
    low, high = 0, space.n
    while True:
        grid = np.unique(np.append(np.linspace(low, high, _GRID).astype(np.int64), min(max(z, low), high)))
        score = -float(epsilon) * np.abs(grid - z)
        if weighting == "predictive":
            score = score + log_predictive(space.prior, np.stack([grid, space.n - grid], axis=1))
        best = int(np.argmax(score))
        if high - low < _GRID:
            return int(grid[best])
        low, high = int(grid[max(best - 1, 0)]), int(grid[min(best + 1, len(grid) - 1)])
