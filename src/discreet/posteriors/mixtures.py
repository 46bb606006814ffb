"""Finite mixtures of Beta distributions: what a reader may believe about a share after noise of a known law.

One mixture, or many at once: the last axis of `weights` runs over the components, and any axes before it over mixtures.
The components are shared by all mixtures, or each mixture has its own. Quantiles are found for all of them together.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from discreet.arithmetic.numbers import exact
from discreet.errors import InvalidInput
from discreet.posteriors.dirichlet import incomplete_beta
from discreet.posteriors.predictive import deviance, excess

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

NEGLIGIBLE = 1e-16
"""Components that weigh less than this in every mixture are left out."""

_TINY = 1e-300
_LEAST = _TINY * (1 + 1e-12)
_STEPS = 200
_SHARP = 1e-14


@dataclass(frozen=True, init=False, eq=False)
class BetaMixture:
    """Σ weight_j · Beta(a_j, b_j), once or for many weights.

    >>> mixture = BetaMixture([0.5, 0.5], [2, 5], [5, 2])
    >>> round(float(mixture.mean), 12), [round(float(end), 4) for end in mixture.interval(0.9)]
    (0.5, [0.0926, 0.9074])
    """

    weights: NDArray[np.float64]
    a: NDArray[np.float64]
    b: NDArray[np.float64]

    def __init__(self, weights: ArrayLike, a: ArrayLike, b: ArrayLike) -> None:
        import numpy as np

        given = np.asarray(weights, dtype=np.float64)
        first, second = (np.asarray(value, dtype=np.float64) for value in (a, b))
        if given.ndim < 1 or first.shape != second.shape or first.shape not in (given.shape, given.shape[-1:]):
            raise InvalidInput("a mixture needs one weight for each component", hint="give arrays of equal length")
        total = given.sum(axis=-1, keepdims=True)
        if not ((given >= 0).all() and (total > 0).all() and np.isfinite(total).all()):
            raise InvalidInput("weights must be at least 0, and not all 0", hint="leave out what is impossible")
        if not ((first > 0).all() and (second > 0).all()):
            raise InvalidInput("the parameters of a Beta must be greater than 0", hint="check the prior")
        share = given / total
        kept = share.reshape(-1, share.shape[-1]).max(axis=0) > NEGLIGIBLE
        object.__setattr__(self, "weights", share[..., kept] / share[..., kept].sum(axis=-1, keepdims=True))
        object.__setattr__(self, "a", first[..., kept])
        object.__setattr__(self, "b", second[..., kept])

    @classmethod
    def from_logs(cls, log_weights: ArrayLike, a: ArrayLike, b: ArrayLike) -> BetaMixture:
        """The mixture whose weights have these logarithms, up to a constant for each mixture."""
        import numpy as np

        logs = np.asarray(log_weights, dtype=np.float64)
        return cls(np.exp(logs - logs.max(axis=-1, keepdims=True)), a, b)

    @property
    def mean(self) -> NDArray[np.float64]:
        """The expected share."""
        shown: NDArray[np.float64] = (self.weights * (self.a / (self.a + self.b))).sum(axis=-1)
        return shown

    @property
    def sd(self) -> NDArray[np.float64]:
        """The standard deviation of the share."""
        import numpy as np

        total = self.a + self.b
        inside = self.a / total * (self.b / total) / (total + 1)
        apart = (self.a / total - np.asarray(self.mean)[..., None]) ** 2
        shown: NDArray[np.float64] = np.sqrt((self.weights * (inside + apart)).sum(axis=-1))
        return shown

    def cdf(self, x: ArrayLike) -> NDArray[np.float64]:
        """P(share ≤ x): for one mixture at any x, for many at one x each."""
        import numpy as np

        at = np.asarray(x, dtype=np.float64)
        found: NDArray[np.float64] = (self.weights * incomplete_beta(self.a, self.b, at[..., None])).sum(axis=-1)
        return found

    def pdf(self, x: ArrayLike) -> NDArray[np.float64]:
        """The density at x, as `cdf` takes it."""
        import numpy as np

        at = np.asarray(x, dtype=np.float64)[..., None]
        found: NDArray[np.float64] = (self.weights * _density(self.a, self.b, at)).sum(axis=-1)
        return found

    @property
    def turned(self) -> BetaMixture:
        """The mixture of what is left of the share: near 1 it has the digits that the share has near 0."""
        return BetaMixture(self.weights, self.b, self.a)

    def quantile(self, p: ArrayLike) -> NDArray[np.float64]:
        """The x with P(share ≤ x) = p: for one mixture at any p, for many at one p for all or one each.

        Newton's method inside a bracket that is halved (in logarithms near 0) whenever a step would leave it. What lies
        above ½ is sought as the rest of 1, so that the float next to 1 is told from 1; below 1e-300 it is 0.
        """
        import numpy as np

        share = np.asarray(p, dtype=np.float64)
        shape = np.broadcast_shapes(share.shape, self.weights.shape[:-1])
        wanted = np.broadcast_to(share, shape).reshape(-1)
        if not ((wanted > 0) & (wanted < 1)).all():
            raise InvalidInput("p must be between 0 and 1", hint="give it as a share, such as 0.95")
        cells = (*shape, self.weights.shape[-1])
        matrix, a, b = (np.broadcast_to(part, cells).reshape(-1, cells[-1]) for part in (self.weights, self.a, self.b))
        mean, sd = (np.broadcast_to(value, shape).reshape(-1) for value in (self.mean, self.sd))
        upper = _sums(matrix, a, b, np.full(len(wanted), 0.5))[0] < wanted
        found = np.empty(len(wanted))
        for part, turned in ((np.flatnonzero(~upper), False), (np.flatnonzero(upper), True)):
            if not len(part):
                continue
            rows = matrix[part], *((b[part], a[part]) if turned else (a[part], b[part]))
            goal, middle = wanted[part], mean[part]
            if turned:
                found[part] = 1 - _solved(*rows, 1 - goal, 1 - middle, sd[part])
            else:
                found[part] = _solved(*rows, goal, middle, sd[part])
        return found.reshape(shape)

    def interval(self, level: object = 0.95) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The equal-tailed interval: its low end and its high end, for each mixture."""
        import numpy as np

        share = exact(level, "level", above=0)
        if share >= 1:
            raise InvalidInput("level must be below 1", hint="give it as a share, such as 0.95")
        tail = float((1 - share) / 2)
        low, high = self.quantile(tail), self.quantile(1 - tail)
        return low, np.maximum(low, high)  # each is right to its last digits, and they may differ in no others


def _solved(
    matrix: NDArray[np.float64],
    a: NDArray[np.float64],
    b: NDArray[np.float64],
    wanted: NDArray[np.float64],
    mean: NDArray[np.float64],
    sd: NDArray[np.float64],
) -> NDArray[np.float64]:
    """The quantiles of many mixtures, none of them above ½ by more than rounding."""
    import numpy as np
    from scipy.special import ndtri

    x = np.clip(mean + ndtri(wanted) * sd, np.maximum(1e-3 * mean, _TINY), 0.5)
    low, high = np.zeros(len(x)), np.ones(len(x))
    open_ = np.arange(len(x))
    for _ in range(_STEPS):
        at = x[open_]
        below, density = _sums(matrix[open_], a[open_], b[open_], at)
        gap = below - wanted[open_]
        low[open_], high[open_] = np.where(gap <= 0, at, low[open_]), np.where(gap >= 0, at, high[open_])
        left, right = low[open_], high[open_]
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            step = at - gap / density
        middle = np.where(left < right / 16, np.sqrt(np.maximum(left, _TINY)) * np.sqrt(right), (left + right) / 2)
        inside = (step > left) & (step < right) & np.isfinite(step)
        x[open_] = np.where(gap == 0, at, np.where(inside, step, middle))
        settled = (np.abs(x[open_] - at) <= _SHARP * at) | (right - left <= _SHARP * right) | (right <= _LEAST)
        open_ = open_[~settled]
        if not len(open_):
            break
    return np.where(high <= _LEAST, 0.0, x)


def _sums(
    matrix: NDArray[np.float64], a: NDArray[np.float64], b: NDArray[np.float64], x: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """P(share ≤ x) and the density at x for each row of weights, from the components that weigh something in it."""
    import numpy as np

    row, column = np.nonzero(matrix > NEGLIGIBLE)
    weight, at, first, second = matrix[row, column], x[row], a[row, column], b[row, column]
    below, density = np.zeros(len(x)), np.zeros(len(x))
    np.add.at(below, row, weight * incomplete_beta(first, second, at))
    np.add.at(density, row, weight * _density(first, second, at))
    return below, density


def log_kernel(a: NDArray[np.float64], b: NDArray[np.float64], x: NDArray[np.float64]) -> NDArray[np.float64]:
    """ln(x^a·(1-x)^b/B(a, b)) in Loader's form, which keeps its digits where the powers and B are huge and cancel."""
    import numpy as np

    total = a + b
    gap = a * (1 - x) - b * x
    width = np.log(a) + np.log(b / total) + excess(total) - excess(a) - excess(b)
    return width - deviance(a, total * x, gap) - deviance(b, total * (1 - x), -gap)


def _density(a: NDArray[np.float64], b: NDArray[np.float64], x: NDArray[np.float64]) -> NDArray[np.float64]:
    """The density of Beta(a, b) at x."""
    import numpy as np
    from scipy.special import betaln, xlog1py, xlogy

    inside = np.clip(x, _TINY, 1 - 2.0**-53)
    logs = log_kernel(a, b, inside) - np.log(inside) - np.log1p(-inside)
    at_end = (x <= 0) | (x >= 1)
    if at_end.any():
        logs = np.where(at_end, xlogy(a - 1, x) + xlog1py(b - 1, -x) - betaln(a, b), logs)
    shown: NDArray[np.float64] = np.exp(logs)
    return shown
