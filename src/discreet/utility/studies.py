"""Three categories or more and too many candidates: a study of drawn data sets, the same ones on every run.

Data sets are drawn from the prior predictive. Where a row of probabilities is available, each gets its exact error law;
otherwise exact outputs are drawn: one for each data set, or for the exponential family, whose draws cost little once
one is prepared, many for each of fewer data sets. Either way the mean comes with a stated interval.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from scipy.special import bdtrik, betaincinv, ndtri

from discreet.arithmetic.arrays import Floats, Wholes
from discreet.errors import TooLarge
from discreet.mechanisms import Mechanism
from discreet.posteriors.space import Counts, PosteriorSpace
from discreet.samplers.bits import draw_words
from discreet.testing import HashedBits
from discreet.utility.error_rows import ErrorLaw, ErrorRows
from discreet.utility.error_tables import ErrorTable
from discreet.utility.metrics import Metric

MAX_DRAWS = 50_000
"""How many outputs are drawn where that is quick; fewer for many categories."""

_SLOWLY = 2_000
_PREPARED, _EACH = 200, 64
"""For the exponential family: data sets (fewer for more than ten categories), and outputs of each data set."""

_OF_ONE = 8_000
_SUMMED, _SMOOTH = 20.0, 1e6


def study_size(space: PosteriorSpace) -> int:
    """How many data sets a study of quick draws takes."""
    return max(500, min(MAX_DRAWS, 500_000 // space.k))


@lru_cache(maxsize=4)
def drawn_data(space: PosteriorSpace, size: int, name: str) -> Wholes:
    """Data sets from the prior predictive, one per row: category by category, a share and then a count by inversion.

    >>> rows = drawn_data(PosteriorSpace(prior=[1, 2, 3], n=60), 2000, "an example")
    >>> rows.sum(axis=1).min(), (rows.mean(axis=0) / [10, 20, 30]).round(1).tolist()
    (np.int64(60), [1.0, 1.0, 1.0])
    """
    words = draw_words(HashedBits(name), 2 * size * (space.k - 1))
    uniform = (words.astype(np.float64) + 0.5) / 2.0**64
    pairs = np.clip(uniform, 1e-300, 1 - 1e-16).reshape(space.k - 1, 2, size)
    alpha = space.prior.alpha
    left = np.full(size, space.n, dtype=np.int64)
    columns = []
    for i in range(space.k - 1):
        share = betaincinv(alpha[i], alpha[i + 1 :].sum(), pairs[i, 0])
        count = np.clip(_binomial(pairs[i, 1], left, share), 0, left)
        columns.append(count)
        left = left - count
    return np.stack([*columns, left], axis=1)


def _binomial(u: Floats, n: Wholes, share: Floats) -> Wholes:
    """Quantiles of binomials: summed where the variance is small, and from there on by Cornish and Fisher's expansion.

    That is far nearer than a whole number: where it lies next to one, or where it ends, the exact quantile decides.
    """
    variance = n * share * (1 - share)
    deviation, z, skew = np.sqrt(variance), ndtri(u), 1 - 2 * share
    quantile = n * share + z * deviation + (z * z - 1) * skew / 6
    open_ = (n > 0) & (share > 0) & (share < 1)
    small = open_ & (variance < _SUMMED) & (share > 1e-15)
    quantile[small] = _summed_binomial(u[small], n[small], share[small])
    expanded = open_ & ~small & (variance < _SMOOTH)
    third = (z**3 - 3 * z) * (3 * skew * skew - 1) / 48 - (2 * z**3 - 5 * z) * skew * skew / 36 - z / 24
    near = quantile[expanded] - 0.5 + third[expanded] / deviation[expanded]
    unsure = (np.abs(near - np.rint(near)) < 3 / variance[expanded] + 1e-3) | (np.abs(z[expanded]) > 3.5)
    near[unsure] = bdtrik(*(part[expanded][unsure] for part in (u, n, share)))
    quantile[expanded] = near
    quantile = np.where(np.isfinite(quantile), np.ceil(quantile), np.rint(n * share))
    return quantile.astype(np.int64)


def _summed_binomial(u: Floats, n: Wholes, share: Floats) -> Floats:
    """The same by adding up from the nearer end, while any is left."""
    mirrored = share > 0.5
    p, left = np.where(mirrored, 1 - share, share), np.where(mirrored, 1 - u, u)
    quantile, at, size, c = np.zeros(len(u)), np.arange(len(u)), n, 0
    odds, chance = p / (1 - p), np.exp(n * np.log1p(-p))
    while len(at):
        left = left - chance
        on = (left > 0) & (size > c)
        quantile[at[~on]] = c
        at, size, odds, chance, left = (part[on] for part in (at, size, odds, chance, left))
        chance = chance * odds * (size - c) / (c + 1)
        c += 1
    return np.where(mirrored, n - quantile, quantile)


def row_study(table: ErrorTable, metric: Metric, size: int) -> ErrorLaw:
    """The exact error laws of drawn data sets."""
    ranks = table.space.candidates().ranks(drawn_data(table.space, size, "rows"))
    weight = np.full(size, 1 / size)
    method = f"exact laws of {size} data sets drawn from the predictive"
    diameter = metric.diameter(table.space)
    return ErrorLaw(lambda: table.slices(metric, ranks, weight), diameter, method, complete=False, sampled=size)


def draw_study(mechanism: Mechanism, metric: Metric, counts: Counts | None, effort: float = 1.0) -> ErrorLaw:
    """Drawn outputs for drawn data sets, or many for one; by less effort, fewer."""
    space = mechanism.space
    if metric.name == "total-variation" or mechanism.kernel.postprocess != "nearest":
        raise TooLarge("this needs all candidates of a space with too many", hint="use hellinger and nearest")
    data, released = _outputs(mechanism, counts, effort)
    size, each = released.shape[:2]
    true, outputs = np.repeat(data, each, axis=0), released.reshape(-1, space.k)
    value = metric.distances(space.prior, true, outputs).reshape(size, each)
    rows = ErrorRows.exact(np.full(size, 1 / size), value, np.full((size, each), 1 / each))
    method = f"{size} exact draws" if each == 1 else f"{each} exact draws for each of {size} drawn data sets"
    return ErrorLaw(lambda: iter([rows]), metric.diameter(space), method, complete=False, sampled=size)


@lru_cache(maxsize=8)
def _outputs(mechanism: Mechanism, counts: Counts | None, effort: float) -> tuple[Wholes, Wholes]:
    """Data sets, one per row, and outputs for each: the same for every metric."""
    space, kernel, bits = mechanism.space, mechanism.kernel, HashedBits("outputs")
    if counts is not None:
        size = {"quick": study_size(space), "prepared": _OF_ONE, "slow": _SLOWLY}[kernel.pace]
        data = np.broadcast_to(np.array(counts, dtype=np.int64), (size, space.k))
        return data, kernel.draw_outputs(data[:1], size, bits)[0][:, None]
    several = (max(24, min(_PREPARED, 10 * _PREPARED // space.k)), _EACH)
    size, each = {"quick": (study_size(space), 1), "prepared": several, "slow": (_SLOWLY, 1)}[kernel.pace]
    data = drawn_data(space, max(24, int(effort * size)), "data")
    return data, kernel.draw_outputs(data, each, bits)
