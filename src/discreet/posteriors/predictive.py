"""What the prior expects of the data: the Dirichlet-multinomial distribution of the counts.

Its factors Γ(α+c)/(Γ(α)·c!) are far larger than what is left of their product, so they are not computed. With
e(y) = ln y! - y·ln y + y, about ½·ln 2πy, each is α/(α+c) times the exponential of e(α+c) - e(α) - e(c) and of parts
y·ln y. These parts of all categories and of their total together are minus Σ D(c_i, μ_i) + D(α_i, ν_i), where
D(x, m) = x·ln(x/m) + m - x ≥ 0 and μ_i, ν_i are α_i + c_i in the proportion of n and Σα (Loader's form of the
binomial). Nothing cancels, for any prior and any number of records. Tests: `tests/posteriors/test_predictive.py`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import gammaln, xlogy

from discreet.arithmetic.arrays import Floats
from discreet.posteriors import Dirichlet
from discreet.posteriors.distances import stirling_rest


def log_predictive(prior: Dirichlet, counts: ArrayLike) -> Floats:
    """Log-probabilities of counts, one data set a row, when θ comes from the prior; also between whole numbers.

    >>> import numpy as np
    >>> np.exp(log_predictive(Dirichlet([1, 1]), [[0, 3], [1, 2], [2, 1], [3, 0]])).round(12).tolist()
    [0.25, 0.25, 0.25, 0.25]
    """
    rows = np.asarray(counts, dtype=np.float64)
    n, alpha = rows.sum(axis=1, keepdims=True), prior.alpha
    whole = alpha.sum(keepdims=True)
    rest = np.log(whole / (n + whole)) + excess(n + whole) - excess(whole) - excess(n)
    logs: Floats = log_factors(rows, alpha, np.maximum(n, 1e-9), whole).sum(axis=1) - rest[:, 0]
    return np.where(n[:, 0] == 0, 0.0, logs)


def log_predictive_line(prior: Dirichlet, n: int, c: ArrayLike) -> Floats:
    """The same of the first of two counts, in an array of any shape.

    >>> import numpy as np
    >>> np.exp(log_predictive_line(Dirichlet([1, 1]), 99, np.array([0.0, 33.5, 99.0]))).round(12).tolist()
    [0.01, 0.01, 0.01]
    """
    first = np.asarray(c, dtype=np.float64)
    return log_predictive(prior, np.stack([first, n - first], axis=-1).reshape(-1, 2)).reshape(first.shape)


def log_factors(counts: Floats, alpha: ArrayLike, n: ArrayLike, whole: ArrayLike) -> Floats:
    """The part of each category, ln of Γ(α+c)/(Γ(α)·c!)·q^c·(1-q)^α with q = n/(n+Σα): counts that are free sum to
    n on average, so none of the parts is large where the counts are likely.
    """
    a, size, prior = (np.asarray(part, dtype=np.float64) for part in (alpha, n, whole))
    both, total = counts + a, size + prior
    shift = (counts * prior - a * size) / total
    logs: Floats = np.log(a / both) + excess(both) - excess(a) - excess(counts)
    logs -= deviance(counts, both * (size / total), shift) + deviance(a, both * (prior / total), -shift)
    return logs


def excess(y: Floats) -> Floats:
    """e(y) = ln y! - y·ln y + y, for y ≥ 0."""
    far, near = np.maximum(y, 10.0), np.minimum(y, 10.0)
    stirling = 0.5 * np.log(2 * np.pi * far) + stirling_rest(far)
    return np.where(y < 10.0, gammaln(near + 1) - xlogy(near, near) + near, stirling)


def deviance(x: Floats, m: Floats, gap: Floats) -> Floats:
    """D(x, m) = x·ln(x/m) + m - x, where gap is x - m: near 0 it is a series in gap/m, whose first term is a square."""
    share = gap / m
    small = np.clip(share, -0.1, 0.1)
    series = np.full_like(small, 1.0 / (18 * 17))
    for j in range(17, 1, -1):  # in place: this is most of what stating a width takes
        series *= small
        np.subtract(1.0 / (j * (j - 1)), series, out=series)
    return np.where(np.abs(share) < 0.1, m * small * small * series, xlogy(x, x / m) - gap)
