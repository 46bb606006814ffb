"""A table of Betas: Σ w(x,y)·Beta(a+x, b+y), for weights on a rectangle of counts.

A share within a group has one component for each pair of counts, which soon are millions. One incomplete Beta function
for each column is enough: I_t(a+1, b) = I_t(a, b) - K(a, b), with K(a, b) = t^a·(1-t)^b / (a·B(a, b)), so that along a
column the others are sums of K, and the sum over a column is one of K times the weight that lies beyond it. K needs an
exponential for each pair, and also tells the density.
"""

from __future__ import annotations

import math
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtri

from discreet.arithmetic.numbers import exact_share
from discreet.errors import InvalidInput
from discreet.posteriors.dirichlet import incomplete_beta
from discreet.posteriors.mixtures import log_kernel

if TYPE_CHECKING:
    Floats = NDArray[np.float64]

LEFT_OUT = 1e-13
"""Counts at the edges of the table that are less likely than this together are left out."""

ROUNDING = 1e-9
"""Sums of as many floats as a table has, and K of large counts, may be off by less than this."""

_STEPS, _SHARP = 200, 1e-13
_LEAST = 1e-300 * (1 + 1e-12)


class BetaTable:
    """The mixture of Beta(a+x, b+y) with the weights of row x and column y.

    >>> import numpy as np
    >>> table = BetaTable(np.array([[0.25, 0.25], [0.5, 0.0]]), 2.0, 3.0)
    >>> round(float(table.mean), 4), round(float(table.cdf(0.5)), 6)
    (0.4333, 0.625)
    >>> [round(float(end), 4) for end in table.interval(0.9)]
    [0.1158, 0.7775]
    """

    def __init__(self, weights: Floats, a: float, b: float) -> None:
        rows, columns = (kept(weights.sum(axis=axis)) for axis in (1, 0))
        self.a, self.b = a + rows.start, b + columns.start
        self.weights = weights[rows, columns] / weights[rows, columns].sum()
        self._x, self._y = (np.arange(size, dtype=np.float64) for size in self.weights.shape)
        self._beyond = np.cumsum(self.weights[::-1], axis=0)[::-1] - self.weights
        self._centre = np.unravel_index(int(np.argmax(self.weights)), self.weights.shape)
        # ln K relative to the centre's, but for the powers of t: increments of lnΓ, which its values would lose.
        both = np.arange(sum(self.weights.shape) - 1, dtype=np.float64)
        total = _rising(self.a + self.b + both, int(sum(self._centre)))
        beside = total[(self._x[:, None] + self._y[None, :]).astype(np.int64)]
        first = _rising(self.a + self._x, int(self._centre[0])) + np.log(self.a + self._x)
        self._logs = beside - first[:, None] - _rising(self.b + self._y, int(self._centre[1]))[None, :]

    @property
    def mean(self) -> float:
        """The expected share."""
        first, second = self.a + self._x[:, None], self.b + self._y[None, :]
        return float((self.weights * (first / (first + second))).sum())

    @property
    def sd(self) -> float:
        """The standard deviation of the share."""
        first, second = self.a + self._x[:, None], self.b + self._y[None, :]
        total = first + second
        spread = first / total * (second / total) / (total + 1) + (first / total - self.mean) ** 2
        return math.sqrt(float((self.weights * spread).sum()))

    def cdf(self, x: ArrayLike) -> Floats:
        """P(share ≤ x)."""
        return self._each(x, 0)

    def pdf(self, x: ArrayLike) -> Floats:
        """The density at x."""
        return self._each(x, 1)

    def quantile(self, p: ArrayLike) -> Floats:
        """The x with P(share ≤ x) = p, by Newton's method inside a bracket, as `BetaMixture.quantile` does.

        Above ½ it is the rest of 1, so that the float next to 1 is told from 1; below 1e-300 it is 0.
        """
        wanted = np.asarray(p, dtype=np.float64)
        if not ((wanted > 0) & (wanted < 1)).all():
            raise InvalidInput("p must be between 0 and 1", hint="give it as a share, such as 0.95")
        half = self._at(0.5)[0]
        found = [
            self._quantile(share) if share <= half else 1 - self._turned._quantile(1 - share)
            for share in wanted.reshape(-1).tolist()
        ]
        return np.array(found).reshape(wanted.shape)

    def interval(self, level: object = 0.95) -> tuple[Floats, Floats]:
        """The equal-tailed interval: its low end and its high end."""
        share = exact_share(level, "level")
        tail = float((1 - share) / 2)
        low, high = self.quantile(tail), self.quantile(1 - tail)
        return low, np.maximum(low, high)  # each is right to its last digits, and they may differ in no others

    @cached_property
    def _turned(self) -> BetaTable:
        """The table of what is left of the share."""
        return BetaTable(self.weights.T, self.b, self.a)

    def _quantile(self, p: float) -> float:
        low, high, mean = 0.0, 1.0, self.mean
        x = min(max(mean + float(ndtri(p)) * self.sd, 1e-3 * mean, 1e-300), 0.5)
        for _ in range(_STEPS):
            below, density = self._at(x)
            low, high = (x, high) if below <= p else (low, x)
            step = x - (below - p) / density if density > 0 else math.nan
            middle = math.sqrt(max(low, 1e-300) * high) if low < high / 16 else (low + high) / 2
            before, x = x, step if low < step < high else middle
            if abs(x - before) <= _SHARP * before or high - low <= _SHARP * high or high <= _LEAST:
                break
        return x if high > _LEAST else 0.0

    def _each(self, x: ArrayLike, part: int) -> Floats:
        where = np.asarray(x, dtype=np.float64)
        return np.array([self._at(t)[part] for t in where.reshape(-1).tolist()]).reshape(where.shape)

    def _at(self, t: float) -> tuple[float, float]:
        """P(share ≤ t), and the density at t."""
        if not 0 < t < 1:
            return float(t >= 1), 0.0
        logs, (row, column) = self._logs, self._centre
        peak = float(log_kernel(*(np.array(part) for part in (self.a + row, self.b + column, t))))
        powers = (self._x - row)[:, None] * math.log(t) + (self._y - column)[None, :] * math.log1p(-t)
        kernel = np.exp(np.minimum(logs + powers + peak, 0.0))  # K is a difference of probabilities
        most = incomplete_beta(self.a, self.b + self._y, t) @ self.weights.sum(axis=0)
        density = float((kernel * self.weights).sum(axis=1) @ (self.a + self._x)) / (t * (1 - t))
        return min(max(float(most - (kernel * self._beyond).sum()), 0.0), 1.0), density


def kept(marginal: Floats) -> slice:
    """The counts but for those at the edges that weigh too little to matter."""
    inside = (np.cumsum(marginal) > LEFT_OUT / 8) & (np.cumsum(marginal[::-1])[::-1] > LEFT_OUT / 8)
    first, last = np.nonzero(inside)[0][[0, -1]]
    return slice(int(first), int(last) + 1)


def _rising(arguments: Floats, at: int) -> Floats:
    """lnΓ of a run of arguments, each one more than the last, less lnΓ of the one that is `at` a place."""
    sums = np.concatenate([[0.0], np.cumsum(np.log(arguments[:-1]))])
    shown: Floats = sums - sums[at]
    return shown
