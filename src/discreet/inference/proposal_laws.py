"""Where to look for data sets that could have led to an output: laws that are quick to draw from and known exactly.

Draws are made from several of these at once and weighed by what they were meant for over the sum of all laws, so each
law needs to be good only where the others are not. The prior predictive is always among them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Protocol

import numpy as np
from scipy.special import bdtrik

from discreet.arithmetic.arrays import Floats, Wholes
from discreet.inference.shares import draw_dirichlet, draw_uniforms
from discreet.kernels.base import Factor
from discreet.posteriors import Dirichlet
from discreet.posteriors.predictive import log_predictive
from discreet.samplers.bits import Bits, draw_composition
from discreet.samplers.bulk_rejection import Proposals


class Proposal(Protocol):
    """A law on data sets. Rows with a negative count stand for what does not fit n."""

    def draw(self, bits: Bits, size: int) -> Wholes:
        """Data sets, one a row."""

    def log_chance(self, rows: Wholes) -> Floats:
        """How likely each row is to be drawn."""


class PriorPredictive:
    """The prior predictive: shares from the prior, counts from the shares."""

    def __init__(self, prior: Dirichlet, n: int) -> None:
        self._prior, self._n = prior, n

    def draw(self, bits: Bits, size: int) -> Wholes:
        if set(self._prior.parameters) == {1}:
            return draw_even(bits, self._n, self._prior.k, size)
        share = draw_dirichlet(bits, np.tile(self._prior.alpha, (size, 1)))
        rows = np.zeros((size, self._prior.k), dtype=np.int64)
        left, rest = np.full(size, self._n, dtype=np.int64), np.ones(size)
        for i in range(self._prior.k - 1):
            p = np.clip(share[:, i] / np.maximum(rest, 1e-300), 0.0, 1.0)
            u = draw_uniforms(bits, size)
            with np.errstate(all="ignore"):
                found = np.ceil(bdtrik(u, left.astype(np.float64), p))
                none = np.exp(left * np.log1p(-p)) >= u  # (1-p)^left; SciPy's own ends at 2³¹ records
            # No root where 0 is already enough, or where nothing or everything is drawn.
            found = np.where(none, 0.0, np.where((p < 1) & np.isfinite(found), found, left))
            rows[:, i] = np.clip(found, 0, left).astype(np.int64)
            left, rest = left - rows[:, i], rest - share[:, i]
        rows[:, -1] = left
        return rows

    def log_chance(self, rows: Wholes) -> Floats:
        return log_predictive(self._prior, rows)


def draw_even(bits: Bits, n: int, k: int, size: int) -> Wholes:
    """Even draws from all counts of n in k categories: bars among stars, thrown again where two fall together.

    >>> from discreet.testing import HashedBits
    >>> draw_even(HashedBits("even"), 10, 3, 1000).sum(axis=1).tolist() == [10] * 1000
    True
    """
    places = n + k - 1
    if places < 2 * k * k:
        drawn = [draw_composition(bits, n, k) for _ in range(size)]
        return np.array(drawn, dtype=np.int64).reshape(size, k)
    bars, open_ = np.empty((size, k - 1), dtype=np.int64), np.arange(size)
    while open_.size:
        thrown = np.floor(draw_uniforms(bits, open_.size * (k - 1)) * places).astype(np.int64)
        bars[open_] = np.sort(thrown.reshape(-1, k - 1), axis=1)
        open_ = open_[(np.diff(bars[open_], axis=1) == 0).any(axis=1)]
    ends = np.full((size, 1), places, dtype=np.int64)
    return np.diff(np.concatenate([0 * ends - 1, bars, ends], axis=1), axis=1) - 1


class NearOutput:
    """The mechanism's own proposals about the output (`discreet.samplers.bulk_rejection`), before any is rejected."""

    def __init__(self, proposals: Proposals) -> None:
        self._bulk, self._tilted = proposals, proposals.tilted
        self._k, self._log_shares = self._tilted.space.k, math.log(self._tilted.choices[-1])

    def draw(self, bits: Bits, size: int) -> Wholes:
        """Data sets, one a row; rows of -1 for what did not fit n."""
        found = self._bulk.batch(bits, size).rows
        return np.concatenate([found, np.full((size - len(found), self._k), -1, dtype=np.int64)])

    def log_chance(self, rows: Wholes) -> Floats:
        """The sum over all terms of the cover."""
        return self._tilted.log_proposal(rows) - self._log_shares


class NoiseProposal:
    """Noise of the factors' own rates about what they point to; the largest category takes the rest."""

    def __init__(self, factors: Sequence[Factor], n: int) -> None:
        self._n = n
        self._centre = np.array([min(max((factor.first + factor.last) // 2, 0), n) for factor in factors])
        self._last = int(self._centre.argmax())
        slowest = [min(filter(None, (factor.left, factor.right)), default=1.0) for factor in factors]
        self._rates = np.maximum(slowest, 1e-15)
        self._free = [i for i in range(len(factors)) if i != self._last]

    def draw(self, bits: Bits, size: int) -> Wholes:
        rows = np.zeros((size, len(self._centre)), dtype=np.int64)
        for i in self._free:
            u, rate = draw_uniforms(bits, size), self._rates[i]
            # The two-sided geometric law: P(v ≥ t) = e^(-rate·t)/(1+e^-rate) for t ≥ 1, so v is the last t that is due.
            side = np.where(u < 0.5, u, 1 - u)
            far = np.floor(np.maximum(-(np.log(side) + math.log1p(math.exp(-rate))) / rate, 0.0))
            move = np.minimum(far, 4.0 * self._n).astype(np.int64)
            rows[:, i] = self._centre[i] + np.where(u < 0.5, -move, move)
        rows[:, self._last] = self._n - rows.sum(axis=1)
        return rows

    def log_chance(self, rows: Wholes) -> Floats:
        """A product of two-sided geometric laws."""
        rates = self._rates[self._free]
        far = np.abs(rows - self._centre)[:, self._free]
        logs: Floats = np.log(np.tanh(rates / 2)).sum() - (far * rates).sum(axis=1)
        return logs
