"""A table of Betas: Σ w(x,y)·Beta(a+x, b+y), for weights on a rectangle of counts.

A share within a group has one component for each pair of counts, which soon are millions. One incomplete Beta function
for each column is enough: I_t(a+1, b) = I_t(a, b) - K(a, b), with K(a, b) = t^a·(1-t)^b / (a·B(a, b)), so that along a
column the others are sums of K, and the sum over a column is one of K times the weight that lies beyond it. K needs an
exponential for each pair, and also tells the density.
"""

from __future__ import annotations

import math
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from discreet.arithmetic.arrays import Floats, Wholes
from discreet.posteriors.dirichlet import incomplete_beta
from discreet.posteriors.mixtures import ShareLaw, log_kernel

LEFT_OUT = 1e-13
"""Counts at the edges of the table that are less likely than this together are left out."""

ROUNDING = 1e-9
"""Sums of as many floats as a table has, and K of large counts, may be off by less than this."""


class BetaTable(ShareLaw):
    """The mixture of Beta(a+x, b+y) with the weights of row x and column y.

    >>> import numpy as np
    >>> table = BetaTable(np.array([[0.25, 0.25], [0.5, 0.0]]), 2.0, 3.0)
    >>> round(float(table.mean), 4), round(float(table.cdf(0.5)), 6)
    (0.4333, 0.625)
    >>> [round(float(end), 4) for end in table.interval(0.9)]
    [0.1158, 0.7775]
    """

    def __init__(self, weights: Floats, a: float, b: float) -> None:
        rows, columns = (likely_range(weights.sum(axis=axis)) for axis in (1, 0))
        self.weights = weights[rows, columns] / weights[rows, columns].sum()
        self._x, self._y = (np.arange(size, dtype=np.float64) for size in self.weights.shape)
        self.a, self.b = (a + rows.start + self._x)[:, None], (b + columns.start + self._y)[None, :]
        self._beyond = np.cumsum(self.weights[::-1], axis=0)[::-1] - self.weights
        self._centre = tuple(map(int, np.unravel_index(int(np.argmax(self.weights)), self.weights.shape)))
        # ln K relative to the centre's, but for the powers of t: increments of lnΓ, which its values would lose.
        both = np.arange(sum(self.weights.shape) - 1, dtype=np.float64)
        total = _rising(self.a[0] + self.b[0, 0] + both, sum(self._centre))
        beside = total[(self._x[:, None] + self._y[None, :]).astype(np.int64)]
        first = _rising(self.a[:, 0], self._centre[0]) + np.log(self.a[:, 0])
        self._logs = beside - first[:, None] - _rising(self.b[0], self._centre[1])[None, :]

    def cdf(self, x: ArrayLike) -> Floats:
        """P(share ≤ x)."""
        return self._each(x)[0]

    def pdf(self, x: ArrayLike) -> Floats:
        """The density at x."""
        return self._each(x)[1]

    @cached_property
    def complement(self) -> BetaTable:
        """The table of what is left of the share."""
        return BetaTable(self.weights.T, float(self.b[0, 0]), float(self.a[0, 0]))

    def _sums(self, rows: Wholes, x: Floats) -> tuple[Floats, Floats]:
        return self._each(x)

    def _each(self, x: ArrayLike) -> tuple[Floats, Floats]:
        where = np.asarray(x, dtype=np.float64)
        values = np.array([self._at(t) for t in where.reshape(-1).tolist()]).reshape(*where.shape, 2)
        return values[..., 0], values[..., 1]

    def _at(self, t: float) -> tuple[float, float]:
        """P(share ≤ t), and the density at t."""
        if not 0 < t < 1:
            return float(t >= 1), 0.0
        logs, (row, column) = self._logs, self._centre
        peak = float(log_kernel(self.a[row, 0], self.b[0, column], np.array(t)))
        powers = (self._x - row)[:, None] * math.log(t) + (self._y - column)[None, :] * math.log1p(-t)
        kernel = np.exp(np.minimum(logs + powers + peak, 0.0))  # K is a difference of probabilities
        most = incomplete_beta(self.a[0, 0], self.b[0], t) @ self.weights.sum(axis=0)
        density = float((kernel * self.weights).sum(axis=1) @ self.a[:, 0]) / (t * (1 - t))
        return min(max(float(most - (kernel * self._beyond).sum()), 0.0), 1.0), density


def likely_range(marginal: Floats) -> slice:
    """The counts but for those at the edges that weigh too little to matter."""
    inside = (np.cumsum(marginal) > LEFT_OUT / 8) & (np.cumsum(marginal[::-1])[::-1] > LEFT_OUT / 8)
    first, last = np.nonzero(inside)[0][[0, -1]]
    return slice(int(first), int(last) + 1)


def _rising(arguments: Floats, at: int) -> Floats:
    """lnΓ of a run of arguments, each one more than the last, less lnΓ of the one that is `at` a place."""
    sums = np.concatenate([[0.0], np.cumsum(np.log(arguments[:-1]))])
    relative: Floats = sums - sums[at]
    return relative
