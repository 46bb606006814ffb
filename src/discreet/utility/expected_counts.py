"""The prior predictive of the counts: weights of all data sets, and of strata of them."""

from __future__ import annotations

import math

import numpy as np

from discreet.arithmetic.arrays import Floats, Wholes
from discreet.posteriors import Dirichlet
from discreet.posteriors.predictive import log_predictive, log_predictive_line
from discreet.posteriors.space import PosteriorSpace


def predictive_weights(space: PosteriorSpace) -> Floats:
    """The prior predictive of all data sets, in their order, with sum 1."""
    chance = np.exp(log_predictive(space.prior, space.candidates().array()))
    weights: Floats = chance / chance.sum()
    return weights


def stratum_weights(space: PosteriorSpace, first: Wholes, last: Wholes) -> Floats:
    """The probabilities of strata under the prior predictive: summed where short, by Gauss' quadrature where long."""
    weight = np.zeros(len(first))
    short = last - first < 16
    for step in range(16):
        inside = short & (first + step <= last)
        weight[inside] += np.exp(log_predictive_line(space.prior, space.n, first[inside] + step))
    node, part = np.polynomial.legendre.leggauss(12)
    width = (last - first + 1.0)[~short]
    at = first[~short, None] - 0.5 + width[:, None] * (node + 1) / 2
    weight[~short] = width * (np.exp(log_predictive_line(space.prior, space.n, at)) @ (part / 2))
    weights: Floats = weight / weight.sum()
    return weights


def first_count_moments(prior: Dirichlet, n: int) -> tuple[float, float]:
    """The mean and the standard deviation of the first of two counts under the predictive."""
    first, second = prior.alpha.tolist()
    total = first + second
    mean = n * (first / total)
    return mean, math.sqrt(mean * (second / total) * ((total + n) / (total + 1)))
