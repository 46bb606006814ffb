"""The expected width of the interval of a difference between two groups, before any data is seen.

Given what two groups tell, their shares are independent. Each group's outputs are put together from a few (Gauss's
places, or all of them), each belief from its quantiles at normal scores, and the difference of a pair of outputs from
all pairs of quantiles. The error is what half as many outputs, and half as many quantiles, change.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import numpy as np
from scipy.special import ndtr

from discreet.arithmetic.arrays import Floats
from discreet.kernels.line_noise import LineNoise
from discreet.posteriors.space import PosteriorSpace
from discreet.utility.expected_counts import first_count_moments
from discreet.utility.noisy_shares import quantiles
from discreet.utility.widths import Width, cell_rate, two_categories

NOISELESS_RATE = 60.0
"""Geometric noise of this rate is hardly any."""

_OUTPUTS, _SCORES, _FARTHEST = 24, 48, 5.0


@dataclass(frozen=True)
class GroupLine:
    """One group's share of the first category: its records, and geometric noise of a rate on their count."""

    space: PosteriorSpace
    rate: float


def group_lines(prior: PosteriorSpace, sizes: Sequence[int], epsilon: Fraction, *, public: bool) -> list[GroupLine]:
    """The groups as they will be read; `prior` has the categories of an answer.

    Public groups are released by themselves. Those that are not are cells of one table: their sizes are guesses, both
    the count and the size of the group are noisy, and one count's noise is taken for all of it, or more where the
    category is so common that the size matters more.
    """
    k, half = prior.k, float(epsilon) / 2
    rate = cell_rate(half, k if public else k * len(sizes))
    if not public:
        share = float(prior.prior.parameters[0] / prior.prior.total)
        rate /= math.sqrt(max(1.0, (1 - share) ** 2 + (k - 1) * share**2))
    line = two_categories(prior.prior)
    return [GroupLine(PosteriorSpace(prior=line, n=size), rate) for size in sizes]


def difference_width(one: GroupLine, other: GroupLine, level: float) -> Width:
    """The expected width of the interval of the difference of two groups' shares.

    >>> from discreet import PosteriorSpace
    >>> groups = group_lines(PosteriorSpace(prior=[1, 1], n=406), (200, 206), Fraction(1), public=True)
    >>> width = difference_width(*groups, 0.95)
    >>> round(width.value, 3), width.error < 0.003
    (0.16, True)
    """
    value = _mean_width(one, other, level, _OUTPUTS, _SCORES)
    error = abs(value - _mean_width(one, other, level, _OUTPUTS // 2, _SCORES // 2))
    return Width(value, error, f"{_OUTPUTS} outputs of each group and {_SCORES} quantiles of each belief")


def _mean_width(one: GroupLine, other: GroupLine, level: float, outputs: int, scores: int) -> float:
    step = np.linspace(-_FARTHEST, _FARTHEST, scores)
    mass = np.exp(-step * step / 2)
    mass /= mass.sum()
    masses = np.multiply.outer(mass, mass).ravel()
    (chances, shares), (other_chances, other_shares) = (
        _output_quantiles(group, outputs, scores) for group in (one, other)
    )
    mean = 0.0
    for chance, share in zip(chances, shares, strict=True):
        gaps = (share[:, None] - other_shares[:, None, :]).reshape(len(other_shares), -1)
        order = np.argsort(gaps, axis=1)
        below = np.cumsum(masses[order], axis=1) - masses[order] / 2
        ends = [
            np.take_along_axis(gaps, np.take_along_axis(order, (below < p).sum(axis=1)[:, None], axis=1), axis=1)
            for p in ((1 - level) / 2, (1 + level) / 2)
        ]
        mean += float(chance * (other_chances @ (ends[1] - ends[0])[:, 0]))
    return mean


@lru_cache(maxsize=32)
def _output_quantiles(group: GroupLine, number: int, scores: int) -> tuple[Floats, Floats]:
    """The probabilities of a few outputs, and the quantiles of the belief of each at normal scores."""
    n, noise = group.space.n, LineNoise.geometric(Fraction(group.rate))
    if n < number:
        at, weight = np.arange(n + 1.0), np.ones(n + 1)
    else:
        mean, spread = first_count_moments(group.space.prior, n)
        reach = 8 * math.hypot(spread, 1.5 / group.rate)
        low, high = max(mean - reach, 0.5), min(mean + reach, n - 0.5)
        node, node_weight = np.polynomial.legendre.leggauss(number)
        angle = np.pi * (node + 1) / 4
        at = np.concatenate([[0.0], low + (high - low) * np.sin(angle) ** 2, [float(n)]])
        inner = node_weight * np.pi / 4 * (high - low) * np.sin(2 * angle)
        weight = np.concatenate([[1.0], inner, [1.0]])
    levels = ndtr(np.linspace(-_FARTHEST, _FARTHEST, scores))
    chance, shares = quantiles(group.space, noise, at, levels)
    probability = weight * chance
    relevant = probability > 1e-9 * probability.max()
    return probability[relevant] / probability[relevant].sum(), shares[relevant]
