"""Counts far from every kink, as if there were fewer records: where a likelihood is smooth, many counts say the same.

A posterior from m < n records whose likelihood is ℓ' has, by the rule of total probability, the weights
π(c)·E[ℓ'(X) | c] on n records, with X the count among m of the n records: hypergeometric, with mean mc/n and, in counts
of n, the standard deviation τ = sqrt(c(n-c)/n·(n-m)/m). With ℓ'(x) = ℓ(xn/m) inside a far region and 0 elsewhere, this
differs from ℓ in the region, and 0 elsewhere, by ½τ²|ℓ''| inside, which is measured at three places of a normal law,
and by 2·τ/sqrt(2π)·ℓπ at each edge. Half of the sum is the total variation distance; all of it is stated.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.special import polygamma

from discreet.arithmetic.arrays import Floats, Wholes
from discreet.arithmetic.discrete_gauss_rule import PLACES, block_rule
from discreet.arithmetic.growing_blocks import cut
from discreet.posteriors import Dirichlet
from discreet.posteriors.predictive import log_predictive_line

FEWEST = 1 << 12
WIDTH = 3.0
"""The longest block whose Betas blur into each other, in their standard deviations."""


@dataclass(frozen=True, eq=False)
class Part:
    """Places among n records, their masses, and an error in the same unit."""

    places: Floats
    mass: Floats
    n: int
    error: float = 0.0


@dataclass(frozen=True, eq=False)
class ExcessLikelihood:
    """(ℓ - least)·π in logarithms, over e^top."""

    prior: Dirichlet
    log_likelihood: Callable[[Floats], Floats]
    least: float
    top: float

    def log(self, places: Floats, n: int, share: float = 1.0) -> Floats:
        """At places among n records, which are a share of those that the likelihood speaks of."""
        return self.log_above(places / share) + log_predictive_line(self.prior, n, places) - self.top

    def log_above(self, c: Floats) -> Floats:
        """ln(ℓ - least), which may be minus infinity."""
        log = self.log_likelihood(c)
        with np.errstate(divide="ignore"):
            return log + np.log(-np.expm1(np.minimum(self.least - log, 0.0)))


@dataclass(frozen=True, eq=False)
class Blocks:
    """Blocks of counts among n records, and what each of them weighs."""

    prior: Dirichlet
    n: int
    start: Wholes
    length: Wholes
    mass: Floats

    def only(self, which: NDArray[np.bool_]) -> Blocks:
        """Some of them."""
        return Blocks(self.prior, self.n, self.start[which], self.length[which], self.mass[which])

    @cached_property
    def parts(self) -> Wholes:
        """Into how many parts each must be cut for its Betas to blur into each other."""
        return parts_of(self.prior, self.n, self.start, self.length)

    @property
    def cost(self) -> Wholes:
        """How many places they then have."""
        return np.minimum(self.parts * PLACES, self.length)

    def far(self, kinks: Sequence[int], places: int) -> NDArray[np.bool_]:
        """The blocks farthest from all kinks and ends, such that so many places are enough for the nearer ones."""
        # On a circle, counts are as far apart as their shares are in standard deviations.
        middle = np.arcsin(np.sqrt((self.start + self.length // 2) / self.n))
        anchors = np.arcsin(np.sqrt(np.array(sorted({0, self.n, *kinks})) / self.n))
        after = np.clip(np.searchsorted(anchors, middle), 1, len(anchors) - 1)
        order = np.argsort(
            np.minimum(np.abs(middle - anchors[after - 1]), np.abs(anchors[after] - middle)), kind="stable"
        )
        far = np.ones(len(self.start), dtype=bool)
        far[order[np.cumsum(np.where(self.mass > 0, self.cost, 0)[order]) <= places]] = False
        return far


def parts_of(prior: Dirichlet, n: int, start: Wholes, length: Wholes) -> Wholes:
    """Into how many parts blocks must be cut: the least standard deviation, in counts, that a Beta's parameters leave
    is 1/σ² = ψ'(a) + ψ'(b).
    """
    first, second = prior.alpha
    sides = [(first + at, second + (n - at)) for at in (start, start + length - 1)]
    spread = np.min([1 / np.sqrt(polygamma(1, a) + polygamma(1, b)) for a, b in sides], axis=0)
    parts: Wholes = np.maximum(1, np.ceil(length / np.maximum(WIDTH * spread, 1.0))).astype(np.int64)
    return parts


def coarse_part(beyond: ExcessLikelihood, blocks: Blocks, places: int) -> Part:
    """Far blocks in so many places, of as many records as these can tell apart."""
    n, start, end = blocks.n, blocks.start, blocks.start + blocks.length
    needed = float(blocks.cost[blocks.mass > 0].sum())
    fewer = max(FEWEST, min(n, int(n * (0.9 * places / max(needed, 1.0)) ** 2)))
    share = fewer / n
    begin = np.ceil(share * start).astype(np.int64)
    size = np.ceil(share * end).astype(np.int64) - begin
    begin, size = begin[size > 0], size[size > 0]
    place, weight, _ = block_rule(*cut(begin, size, parts_of(blocks.prior, fewer, begin, size)))
    mass = weight * np.exp(beyond.log(place, fewer, share))
    where = place / share
    height, blur = beyond.log_above(where), _blur(where, n, fewer)
    sides = [beyond.log_above(np.clip(where + side * math.sqrt(3) * blur, 0.0, n)) - height for side in (-1, 1)]
    bent = np.abs(1 / 3 - np.exp(np.minimum(sides, 700.0)).sum(axis=0) / 6)
    follows = start[1:] == end[:-1]
    edge = np.concatenate([start[np.append(True, ~follows)], (end - 1)[np.append(~follows, True)]])
    leaked = 2 / math.sqrt(2 * math.pi) * _blur(edge, n, fewer) * np.exp(beyond.log(edge.astype(np.float64), n))
    return Part(place, mass, fewer, float((mass * bent)[mass > 0].sum()) + float(leaked.sum()))


def _blur(c: Floats | Wholes, n: int, fewer: int) -> Floats:
    """τ: how far the count among fewer records is from telling the count among all."""
    return np.sqrt(c / n * (n - c) * ((n - fewer) / fewer))
