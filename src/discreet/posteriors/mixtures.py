"""Finite mixtures of Beta distributions: what a reader may believe about a share after noise of a known law."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betaln, ndtri, xlog1py, xlogy

from discreet.arithmetic.arrays import Floats, Wholes
from discreet.arithmetic.numbers import exact_share
from discreet.errors import InvalidInput
from discreet.posteriors.dirichlet import incomplete_beta
from discreet.posteriors.predictive import deviance, excess

NEGLIGIBLE = 1e-16
"""Components that weigh less than this are left out."""

_TINY = 1e-300
_LEAST = _TINY * (1 + 1e-12)
_STEPS = 200
_SHARP, _CLOSE = 1e-14, 1e-8


def as_levels(p: ArrayLike) -> Floats:
    """Probabilities that a quantile can be asked for."""
    levels = np.asarray(p, dtype=np.float64)
    if not ((levels > 0) & (levels < 1)).all():
        raise InvalidInput("p must be between 0 and 1", hint="give it as a share, such as 0.95")
    return levels


class ShareLaw(ABC):
    """A law of a share: a mixture of Beta(a, b), whose distribution function and density are known."""

    weights: Floats
    a: Floats
    b: Floats

    @property
    def mean(self) -> float:
        """The expected share."""
        return self._average(self.a / (self.a + self.b))

    @property
    def sd(self) -> float:
        """The standard deviation of the share."""
        total = self.a + self.b
        inside = self.a / total * (self.b / total) / (total + 1)
        return math.sqrt(self._average(inside + (self.a / total - self.mean) ** 2))

    def _average(self, values: Floats) -> float:
        return float(self.weights.reshape(-1) @ values.reshape(-1))

    @property
    @abstractmethod
    def complement(self) -> Self:
        """The law of what is left of the share."""

    @abstractmethod
    def cdf(self, x: ArrayLike) -> Floats:
        """P(share ≤ x)."""

    @abstractmethod
    def pdf(self, x: ArrayLike) -> Floats:
        """The density at x."""

    @abstractmethod
    def _sums(self, rows: Wholes, x: Floats) -> tuple[Floats, Floats]:
        """P(share ≤ x) and the density at each x."""

    def quantile(self, p: ArrayLike) -> Floats:
        """The x with P(share ≤ x) = p.

        Newton's method inside a bracket that is halved (in logarithms near 0) whenever a step would leave it. What lies
        above ½ is sought as the rest of 1, so that the float next to 1 is told from 1; below 1e-300 it is 0.
        """
        levels = as_levels(p)
        half = self._sums(np.zeros(1, dtype=np.int64), np.array([0.5]))[0][0]
        quantiles, upper = np.empty(levels.shape), half < levels
        for side in (False, True):
            part = upper == side
            if part.any():
                law, goal = (self.complement, 1 - levels[part]) if side else (self, levels[part])
                value = solve_quantiles(law._sums, goal, *(np.full(len(goal), x) for x in (law.mean, law.sd)))
                quantiles[part] = 1 - value if side else value
        return quantiles

    def interval(self, level: object = 0.95) -> tuple[Floats, Floats]:
        """The equal-tailed interval: its low end and its high end."""
        tail = float((1 - exact_share(level, "level")) / 2)
        low, high = self.quantile(tail), self.quantile(1 - tail)
        return low, np.maximum(low, high)  # each is right to its last digits, and they may differ in no others


@dataclass(frozen=True, init=False, eq=False)
class BetaMixture(ShareLaw):
    """Σ weight_j · Beta(a_j, b_j).

    >>> mixture = BetaMixture([0.5, 0.5], [2, 5], [5, 2])
    >>> round(mixture.mean, 12), [round(float(end), 4) for end in mixture.interval(0.9)]
    (0.5, [0.0926, 0.9074])
    """

    weights: Floats
    a: Floats
    b: Floats

    def __init__(self, weights: ArrayLike, a: ArrayLike, b: ArrayLike) -> None:
        shares, first, second = (np.asarray(value, dtype=np.float64) for value in (weights, a, b))
        if shares.ndim != 1 or not shares.shape == first.shape == second.shape:
            raise InvalidInput("a mixture needs one weight for each component", hint="give arrays of equal length")
        total = shares.sum()
        if not ((shares >= 0).all() and total > 0 and np.isfinite(total)):
            raise InvalidInput(
                "weights must be at least 0, and not all 0", hint="leave out what is impossible", parameter="weights"
            )
        if not ((first > 0).all() and (second > 0).all()):
            raise InvalidInput("the parameters of a Beta must be greater than 0", hint="check the prior")
        counted = shares / total > NEGLIGIBLE
        object.__setattr__(self, "weights", shares[counted] / shares[counted].sum())
        object.__setattr__(self, "a", first[counted])
        object.__setattr__(self, "b", second[counted])

    def cdf(self, x: ArrayLike) -> Floats:
        """P(share ≤ x)."""
        at = np.asarray(x, dtype=np.float64)[..., None]
        return incomplete_beta(self.a, self.b, at) @ self.weights

    def pdf(self, x: ArrayLike) -> Floats:
        """The density at x."""
        at = np.asarray(x, dtype=np.float64)[..., None]
        return _density(self.a, self.b, at) @ self.weights

    @property
    def complement(self) -> BetaMixture:
        """The mixture of what is left of the share: near 1 it has the digits that the share has near 0."""
        return BetaMixture(self.weights, self.b, self.a)

    def _sums(self, rows: Wholes, x: Floats) -> tuple[Floats, Floats]:
        return self.cdf(x), self.pdf(x)


def solve_quantiles(
    sums: Callable[[Wholes, Floats], tuple[Floats, Floats]], levels: Floats, mean: Floats, sd: Floats
) -> Floats:
    """The quantiles of many laws of shares, none of them above ½ by more than rounding.

    `sums` gives P(share ≤ x) and the density at x, for the laws of these numbers.
    """
    x = np.clip(mean + ndtri(levels) * sd, np.maximum(1e-3 * mean, _TINY), 0.5)
    low, high = np.zeros(len(x)), np.ones(len(x))
    open_ = np.arange(len(x))
    for _ in range(_STEPS):
        at = x[open_]
        below, density = sums(open_, at)
        gap = below - levels[open_]
        low[open_], high[open_] = np.where(gap <= 0, at, low[open_]), np.where(gap >= 0, at, high[open_])
        left, right = low[open_], high[open_]
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            step = at - gap / density
        middle = np.where(left < right / 16, np.sqrt(np.maximum(left, _TINY)) * np.sqrt(right), (left + right) / 2)
        inside = (step > left) & (step < right) & np.isfinite(step)
        x[open_] = np.where(gap == 0, at, np.where(inside, step, middle))
        settled = (np.abs(x[open_] - at) <= _SHARP * at) | (right - left <= _SHARP * right) | (right <= _LEAST)
        settled |= inside & (np.abs(gap) <= _CLOSE * levels[open_])  # the step from here squares the gap
        open_ = open_[~settled]
        if not len(open_):
            break
    return np.where(high <= _LEAST, 0.0, x)


def log_kernel(a: Floats, b: Floats, x: Floats, rest: Floats | None = None) -> Floats:
    """ln(x^a·(1-x)^b/B(a, b)) in Loader's form, which keeps its digits where the powers and B are huge and cancel.

    `rest` is 1 - x, where more of its digits are known than x has.
    """
    total, left = a + b, 1 - x if rest is None else rest
    gap = a * left - b * x
    width = np.log(a) + np.log(b / total) + excess(total) - excess(a) - excess(b)
    return width - deviance(a, total * x, gap) - deviance(b, total * left, -gap)


def _density(a: Floats, b: Floats, x: Floats) -> Floats:
    """The density of Beta(a, b) at x."""
    inside = np.clip(x, _TINY, 1 - 2.0**-53)
    logs = log_kernel(a, b, inside) - np.log(inside) - np.log1p(-inside)
    at_end = (x <= 0) | (x >= 1)
    if at_end.any():
        logs = np.where(at_end, xlogy(a - 1, x) + xlog1py(b - 1, -x) - betaln(a, b), logs)
    return np.exp(logs)
