"""Intervals of many mixtures of Beta(a+j, b-j), j = 0, 1, …: of a share whose count has a law.

One incomplete Beta function a row is enough: I_x(a, b) - I_x(a+1, b-1) = K(a, b) = x^a·(1-x)^(b-1) / (a·B(a, b)), so
the others are sums of K, and the mixture is one of K times the weight that lies beyond it. K needs an exponential for
each count, and also tells the density. `tests/utility/test_count_mixtures.py` compares it with `BetaMixture`.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from discreet.arithmetic.arrays import Floats, Wholes
from discreet.posteriors.dirichlet import incomplete_beta
from discreet.posteriors.mixtures import log_kernel, solved

_CELLS = 1 << 17


class CountMixtures:
    """A mixture for each row of weights; the components of a row begin at its a and b.

    >>> import numpy as np
    >>> low, high = CountMixtures(np.array([[0.25, 0.5, 0.25]]), 30.0, 72.0).interval(0.95)
    >>> low.round(4), high.round(4)
    (array([0.218]), array([0.3972]))
    """

    def __init__(self, weights: Floats, a: ArrayLike, b: ArrayLike) -> None:
        self.weights = weights / weights.sum(axis=1, keepdims=True)
        self.a, self.b = (np.broadcast_to(np.asarray(x, dtype=np.float64), len(weights)) for x in (a, b))

    def interval(self, level: float) -> tuple[Floats, Floats]:
        """The equal-tailed interval of each row."""
        rows = max(1, _CELLS // self.weights.shape[1])
        ends = [
            self._some(slice(start, start + rows))._interval((1 - level) / 2)
            for start in range(0, len(self.weights), rows)
        ]
        low, high = (np.concatenate(side) for side in zip(*ends, strict=True))
        return low, np.maximum(low, high)

    def _some(self, rows: slice | Wholes, turned: bool = False) -> CountMixtures:
        """Some of the rows, or what is left of their shares."""
        weights, a, b = self.weights[rows], self.a[rows], self.b[rows]
        last = weights.shape[1] - 1
        return CountMixtures(weights[:, ::-1], b - last, a + last) if turned else CountMixtures(weights, a, b)

    def _interval(self, tail: float) -> tuple[Floats, Floats]:
        # What lies above ½ is sought as the rest of 1, so that the float next to 1 is told from 1.
        half = self._sums(np.arange(len(self.a)), np.full(len(self.a), 0.5))[0]
        ends = []
        for p in (tail, 1 - tail):
            found, upper = np.empty(len(half)), half < p
            for turned in (False, True):
                rows = np.flatnonzero(upper == turned)
                part = self._some(rows, turned)
                value = solved(part._sums, np.full(len(rows), 1 - p if turned else p), *part._moments)
                found[rows] = 1 - value if turned else value
            ends.append(found)
        return ends[0], ends[1]

    @property
    def _moments(self) -> tuple[Floats, Floats]:
        """The mean and the standard deviation of each row."""
        total, j = self.a + self.b, np.arange(self.weights.shape[1])
        mean = self.weights @ j
        spread = (self.weights * (j - mean[:, None]) ** 2).sum(axis=1)
        own = (self.a + mean) / total * ((self.b - mean) / total)  # of the mean of the components, and a little more
        return (self.a + mean) / total, np.sqrt(spread / total**2 + own / (total + 1))

    @cached_property
    def _beyond(self) -> Floats:
        found: Floats = np.cumsum(self.weights[:, ::-1], axis=1)[:, ::-1] - self.weights
        return found

    @cached_property
    def _slopes(self) -> Floats:
        found: Floats = self.weights * (self.a[:, None] + np.arange(self.weights.shape[1]))
        return found

    @cached_property
    def _logs(self) -> tuple[Floats, Wholes]:
        """ln K but for powers of x, relative to each row's heaviest component, and which that is."""
        j = np.arange(1, self.weights.shape[1])
        steps = np.log(self.b[:, None] - j) - np.log(self.a[:, None] + j)
        logs = np.concatenate([np.zeros((len(self.a), 1)), np.cumsum(steps, axis=1)], axis=1)
        middle = self.weights.argmax(axis=1)
        return logs - np.take_along_axis(logs, middle[:, None], axis=1), middle

    def _sums(self, rows: Wholes, x: Floats) -> tuple[Floats, Floats]:
        """P(share ≤ x) and the density at x, one x for each of the rows."""
        (logs, middle), j = self._logs, np.arange(self.weights.shape[1])
        a, b, at = self.a[rows], self.b[rows], middle[rows]
        peak = log_kernel(a + at, b - at, x) - np.log(a + at) - np.log1p(-x)
        odds = np.log(x) - np.log1p(-x)
        kernel = np.multiply.outer(odds, j)
        kernel += (peak - at * odds)[:, None]
        kernel += logs[rows]
        np.exp(np.minimum(kernel, 0.0, out=kernel), out=kernel)
        below = incomplete_beta(a, b, x) - np.einsum("ij,ij->i", kernel, self._beyond[rows])
        return below, np.einsum("ij,ij->i", kernel, self._slopes[rows]) / x
