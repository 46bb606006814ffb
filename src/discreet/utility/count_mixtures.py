"""Intervals of many mixtures of Beta(a+j, b-j), j = 0, 1, …: of a share whose count has a law.

One incomplete Beta function a row is enough: I_x(a, b) - I_x(a+1, b-1) = K(a, b) = x^a·(1-x)^(b-1) / (a·B(a, b)), so
the others are sums of K, and the mixture is one of K times the weight that lies beyond it. K needs an exponential for
each count, and also tells the density. `tests/utility/test_count_mixtures.py` compares it with `BetaMixture`.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from discreet.arithmetic.arrays import Floats, Wholes
from discreet.posteriors.dirichlet import incomplete_beta
from discreet.posteriors.mixtures import BetaMixture, log_kernel, solve_quantiles

_CELLS = 1 << 17


def mixture_widths(weights: Floats, a: ArrayLike, b: ArrayLike, level: float) -> Floats:
    """The width of the equal-tailed interval of a mixture for each row of weights, whose components begin at its a, b.

    >>> import numpy as np
    >>> mixture_widths(np.array([[0.25, 0.5, 0.25]]), 30.0, 72.0, 0.95).round(4)
    array([0.1792])
    """
    first, second = (np.broadcast_to(np.asarray(x, dtype=np.float64), len(weights)) for x in (a, b))
    rows = max(1, _CELLS // weights.shape[1])
    parts = [slice(start, start + rows) for start in range(0, len(weights), rows)]
    ends = [_Mixtures(weights[part], first[part], second[part]).ends(level) for part in parts]
    low, high = np.concatenate(ends, axis=1)
    widths: Floats = np.maximum(high - low, 0.0)
    return widths


def mixture_intervals(laws: Sequence[BetaMixture], level: float) -> tuple[Floats, Floats] | None:
    """The low and high ends of the equal-tailed intervals of such mixtures; None if one of them is not of this kind.

    >>> from discreet.posteriors.mixtures import BetaMixture
    >>> law = BetaMixture([0.25, 0.5, 0.25], [30, 31, 32], [72, 71, 70])
    >>> low, high = mixture_intervals([law, law], 0.95)
    >>> (high - low).round(4)
    array([0.1792, 0.1792])
    """
    rows = sorted({id(law): law for law in laws}.values(), key=lambda law: float(law.a[-1] - law.a[0]))
    ends: dict[int, tuple[float, float]] = {}
    block: list[BetaMixture] = []
    for i, law in enumerate(rows):
        size = law.a[-1] - law.a[0] + 1
        if not (np.allclose(law.a + law.b, law.a[0] + law.b[0], rtol=1e-12) and size <= _CELLS):
            return None
        block.append(law)
        if i + 1 == len(rows) or len(block) * (rows[i + 1].a[-1] - rows[i + 1].a[0] + 1) > _CELLS:
            ends |= _ends(block, level)
            block = []
    low, high = np.array([ends[id(law)] for law in laws]).T
    return low, high


def _ends(block: Sequence[BetaMixture], level: float) -> dict[int, tuple[float, float]]:
    """Those of one block, as rows of one length: where the last counts have no room for it, a row is by itself."""
    size = round(max(law.a[-1] - law.a[0] for law in block)) + 1
    singles = [law for law in block if law.b[0] <= size and len(block) > 1]
    intervals = {key: ends for law in singles for key, ends in _ends([law], level).items()}
    rows = [law for law in block if id(law) not in intervals]
    if not rows:
        return intervals
    weights = np.zeros((len(rows), size))
    for row, law in zip(weights, rows, strict=True):
        row[np.rint(law.a - law.a[0]).astype(np.int64)] = law.weights
    a, b = np.array([[law.a[0], law.b[0]] for law in rows]).T
    pairs = _Mixtures(weights, a, b).ends(level).T.tolist()
    return intervals | {id(law): (low, high) for law, (low, high) in zip(rows, pairs, strict=True)}


class _Mixtures:
    """Some of the mixtures, with what their sums need."""

    def __init__(self, weights: Floats, a: Floats, b: Floats) -> None:
        self.weights, self.a, self.b = weights / weights.sum(axis=1, keepdims=True), a, b
        self.j = np.arange(weights.shape[1])
        self.beyond = np.cumsum(self.weights[:, ::-1], axis=1)[:, ::-1] - self.weights
        self.slopes = self.weights * (a[:, None] + self.j)
        # ln K but for powers of x, relative to each row's heaviest component.
        steps = np.log(b[:, None] - self.j[1:]) - np.log(a[:, None] + self.j[1:])
        logs = np.concatenate([np.zeros((len(a), 1)), np.cumsum(steps, axis=1)], axis=1)
        self.heaviest = self.weights.argmax(axis=1)
        self.logs = logs - np.take_along_axis(logs, self.heaviest[:, None], axis=1)

    def ends(self, level: float) -> Floats:
        """What lies above ½ is sought as the rest of 1, so that the float next to 1 is told from 1."""
        rows = np.arange(len(self.a))
        half = self.sums(rows, np.full(len(rows), 0.5))[0]
        ends: Floats = np.empty((2, len(rows)))
        for end, p in zip(ends, ((1 - level) / 2, (1 + level) / 2), strict=True):
            for turned in (False, True):
                some = rows[(half < p) == turned]
                part = self.some(some, turned)
                value = solve_quantiles(part.sums, np.full(len(some), 1 - p if turned else p), *part.moments)
                end[some] = 1 - value if turned else value
        return ends

    def some(self, rows: Wholes, turned: bool) -> _Mixtures:
        """Some of the rows, or what is left of their shares."""
        weights, a, b, last = self.weights[rows], self.a[rows], self.b[rows], self.j[-1]
        return _Mixtures(weights[:, ::-1], b - last, a + last) if turned else _Mixtures(weights, a, b)

    @property
    def moments(self) -> tuple[Floats, Floats]:
        """The mean and the standard deviation of each row."""
        total, mean = self.a + self.b, self.weights @ self.j
        between = (self.weights * (self.j - mean[:, None]) ** 2).sum(axis=1)
        within = (self.a + mean) / total * ((self.b - mean) / total)  # of the mean of the components, and a little more
        return (self.a + mean) / total, np.sqrt(between / total**2 + within / (total + 1))

    def sums(self, rows: Wholes, x: Floats) -> tuple[Floats, Floats]:
        """P(share ≤ x) and the density at x, one x for each of the rows."""
        a, b, at = self.a[rows], self.b[rows], self.heaviest[rows]
        peak = log_kernel(a + at, b - at, x) - np.log(a + at) - np.log1p(-x)
        odds = np.log(x) - np.log1p(-x)
        kernel = np.multiply.outer(odds, self.j)
        kernel += (peak - at * odds)[:, None]
        kernel += self.logs[rows]
        np.exp(np.minimum(kernel, 0.0, out=kernel), out=kernel)
        below = incomplete_beta(a, b, x) - np.einsum("ij,ij->i", kernel, self.beyond[rows])
        return below, np.einsum("ij,ij->i", kernel, self.slopes[rows]) / x
