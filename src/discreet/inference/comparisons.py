"""Two shares compared: their difference, their ratio, their odds ratio, and which is the greater.

Every comparison is the law of g(θ) - g(η) for two shares θ and η: the shares themselves, their logarithms or their
log odds. P(g(θ) - g(η) ≤ t) is one integral over the joint law of the two (`joint_shares`), so nothing is sampled.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit, log_expit, logit

from discreet.arithmetic.arrays import Floats
from discreet.arithmetic.roots import root_between
from discreet.inference.joint_shares import JointShares
from discreet.inference.quantities import Estimate, Quantity

Pairs = Callable[[object, object], tuple[Floats, Floats]]
"""Draws of both shares: how many, and by which seed."""


@dataclass(frozen=True)
class Scale:
    """What is subtracted, g as a function of the logit; `ahead(t, d)` is the logit s with g(s) = g(t) + d."""

    name: str
    of: Callable[[Floats], Floats]
    ahead: Callable[[Floats, float], Floats]
    speed: Callable[[Floats], Floats]
    """How fast s moves with d."""
    farthest: float


def _shifted(t: Floats, d: float) -> Floats:
    with np.errstate(divide="ignore"):
        return t if d == 0 else logit(np.clip(expit(t) + d, 0.0, 1.0))


def _multiplied(t: Floats, d: float) -> Floats:
    logs = np.minimum(log_expit(t) + d, 0.0)
    with np.errstate(divide="ignore"):
        return t if d == 0 else logs - np.log(-np.expm1(logs))


SHARES = Scale("difference", expit, _shifted, lambda s: 1 / (expit(s) * expit(-s)), 1.0)
LOGS = Scale("log ratio", log_expit, _multiplied, lambda s: 1 / expit(-s), 1400.0)
LOGITS = Scale("log odds ratio", lambda s: s, lambda t, d: t + d, np.ones_like, 1400.0)


@dataclass(frozen=True, eq=False)
class Contrast(Quantity):
    """g(θ) - g(η) of two shares."""

    shares: JointShares
    scale: Scale
    names: tuple[str, str]
    pairs: Pairs
    believed_within: float = 0.0

    @property
    def name(self) -> str:
        """What it is: the first against the second."""
        return f"{self.scale.name} of {self.names[0]} and {self.names[1]}"

    @cached_property
    def error(self) -> float:
        """A bound on how far any probability is off: what both beliefs and the panels leave out."""
        return self.believed_within + self.shares.error + self.shares.ties / 2

    @cached_property
    def mean(self) -> float:
        """The expected value."""
        return self._moment(self.scale.of, _one) - self._moment(_one, self.scale.of)

    @cached_property
    def sd(self) -> float:
        """Its standard deviation."""
        of = self.scale.of
        squares = self._moment(lambda s: of(s) ** 2, _one) + self._moment(_one, lambda s: of(s) ** 2)
        return math.sqrt(max(squares - 2 * self._moment(of, of) - self.mean**2, 0.0))

    def _moment(self, first: Callable[[Floats], Floats], second: Callable[[Floats], Floats]) -> float:
        return self.shares.mean(first, second)

    @property
    def probability(self) -> Estimate:
        """The probability that the first is the greater."""
        return self.probability_above(0.0)

    def cdf(self, x: ArrayLike) -> Floats:
        """The probability of at most x."""
        return self._each(self._below, x)

    def pdf(self, x: ArrayLike) -> Floats:
        """The density at x."""
        return self._each(self._density, x)

    def quantile(self, p: ArrayLike) -> Floats:
        """The x that is exceeded with probability 1 - p."""
        return self._each(self._quantile, p)

    def sample(self, size: object = 1, *, seed: object = None) -> Floats:
        """Independent draws: the same for the same seed."""
        first, second = self.pairs(size, seed)
        with np.errstate(divide="ignore"):
            return self.scale.of(logit(first)) - self.scale.of(logit(second))

    @staticmethod
    def _each(of: Callable[[float], float], x: ArrayLike) -> Floats:
        where = np.asarray(x, dtype=np.float64)
        return np.array([of(value) for value in where.reshape(-1).tolist()]).reshape(where.shape)

    def _below(self, d: float) -> float:
        if abs(d) >= self.scale.farthest:
            return float(d > 0)
        # Shares that are not told from 0, or from 1, count as equal half of the time.
        tie = self.shares.ties / 2 if d == 0 else 0.0
        return self.shares.below(lambda t: self.scale.ahead(t, d), lambda s: self.scale.ahead(s, -d)) + tie

    def _density(self, d: float) -> float:
        if abs(d) >= self.scale.farthest:
            return 0.0
        ahead, back = (lambda t: self.scale.ahead(t, d)), (lambda s: self.scale.ahead(s, -d))
        return self.shares.rise(ahead, back, self.scale.speed)

    def _quantile(self, p: float) -> float:
        """Between standard deviations that are doubled until they hold it."""
        most = self.scale.farthest
        reach = 8 * max(self.sd, 1e-300)
        low, high = max(self.mean - reach, -most), min(self.mean + reach, most)
        while low > -most and self._below(low) > p:
            low = max(2 * low - high, -most)
        while high < most and self._below(high) < p:
            high = min(2 * high - low, most)
        return root_between(lambda d: self._below(d) - p, low, high, 1e-13 * (1 + abs(low) + abs(high)))


def _one(s: Floats) -> Floats:
    return np.ones_like(s)


@dataclass(frozen=True, eq=False)
class Exponential(Quantity):
    """e^D of a contrast on a logarithmic scale: a ratio, an odds ratio."""

    log: Contrast
    mean: float
    sd: float

    @property
    def name(self) -> str:
        """What it is: the first over the second."""
        return self.log.name.removeprefix("log ")

    @property
    def error(self) -> float:
        """A bound on how far any probability is off."""
        return self.log.error

    def cdf(self, x: ArrayLike) -> Floats:
        """The probability of at most x."""
        where = np.asarray(x, dtype=np.float64)
        return np.where(where > 0, self.log.cdf(np.log(np.maximum(where, 1e-300))), 0.0)

    def pdf(self, x: ArrayLike) -> Floats:
        """The density at x."""
        where = np.maximum(np.asarray(x, dtype=np.float64), 1e-300)
        return self.log.pdf(np.log(where)) / where

    def quantile(self, p: ArrayLike) -> Floats:
        """The x that is exceeded with probability 1 - p."""
        return np.exp(self.log.quantile(p))

    def sample(self, size: object = 1, *, seed: object = None) -> Floats:
        """Independent draws: the same for the same seed."""
        return np.exp(self.log.sample(size, seed=seed))
