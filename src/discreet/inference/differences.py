"""Laws of the difference of two shares, of their logarithms or of their log odds.

Each is the law of g(θ) - g(η) for two shares θ and η. P(g(θ) - g(η) ≤ t) is one integral over the joint law of the two
(`joint_shares`), so nothing is sampled.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit, log_expit, logit

from discreet.arithmetic.arrays import Floats
from discreet.arithmetic.roots import root_between
from discreet.inference.joint_shares import JointShares
from discreet.inference.panels import Function
from discreet.inference.quantities import Quantity, at_each

Pairs: TypeAlias = Callable[[object, object], tuple[Floats, Floats]]
"""Draws of both shares: how many, and by which seed."""


@dataclass(frozen=True)
class Scale:
    """What is subtracted, g as a function of the logit; `ahead(t, d)` is the logit s with g(s) = g(t) + d."""

    name: str
    of: Function
    ahead: Callable[[Floats, float], Floats]
    speed: Function
    """How fast s moves with d."""
    farthest: float
    per: Fraction | None = None
    """How many units of exposure a rate is told for; shares have none."""


def _add_to_share(t: Floats, d: float) -> Floats:
    with np.errstate(divide="ignore"):
        return t if d == 0 else logit(np.clip(expit(t) + d, 0.0, 1.0))


def _add_to_log(t: Floats, d: float) -> Floats:
    logs = np.minimum(log_expit(t) + d, 0.0)
    with np.errstate(divide="ignore"):
        return t if d == 0 else logs - np.log(-np.expm1(logs))


SHARES = Scale("difference", expit, _add_to_share, lambda s: 1 / (expit(s) * expit(-s)), 1.0)
LOGS = Scale("log ratio", log_expit, _add_to_log, lambda s: 1 / expit(-s), 1400.0)
LOGITS = Scale("log odds ratio", lambda s: s, lambda t, d: t + d, np.ones_like, 1400.0)


def rate_scale(unit: float, per: Fraction) -> Scale:
    """Rates, told per so much exposure, by the logarithm of their multiple of a unit."""

    def ahead(t: Floats, d: float) -> Floats:
        with np.errstate(divide="ignore", over="ignore"):
            return t if d == 0 else np.log(np.maximum(np.exp(t) + d / unit, 0.0))

    def rate(s: Floats) -> Floats:
        return unit * np.exp(np.minimum(s, 300.0))

    return Scale("difference", rate, ahead, lambda s: 1 / rate(s), unit * math.exp(300), per)


@dataclass(frozen=True, eq=False, repr=False)
class PairQuantity(Quantity):
    """A quantity of two shares whose distribution function is an integral: one number at a time."""

    shares: JointShares
    label: str
    pairs: Pairs
    posterior_error: float
    """What the posteriors of both leave out."""

    @property
    @abstractmethod
    def farthest(self) -> float:
        """It lies between this and its negative."""

    @cached_property
    def error(self) -> float:
        """A bound on how far any probability is off: what both beliefs and the panels leave out."""
        return float(self.posterior_error + self.shares.error + sum(self.shares.ties) / 2)

    def cdf(self, x: ArrayLike) -> Floats:
        return at_each(lambda d: float(d > 0) if abs(d) >= self.farthest else self._below(d), x)

    def pdf(self, x: ArrayLike) -> Floats:
        return at_each(lambda d: 0.0 if abs(d) >= self.farthest else self._density(d), x)

    def quantile(self, p: ArrayLike) -> Floats:
        return at_each(self._quantile, p)

    @abstractmethod
    def _below(self, d: float) -> float:
        """The probability of at most d."""

    @abstractmethod
    def _density(self, d: float) -> float:
        """The density at d."""

    def _quantile(self, p: float) -> float:
        """Between standard deviations that are doubled until they hold it."""
        most, reach = self.farthest, 8 * max(self.sd, 1e-300)
        low, high = max(self.mean - reach, -most), min(self.mean + reach, most)
        while low > -most and self.cdf(low) > p:
            low = max(2 * low - high, -most)
        while high < most and self.cdf(high) < p:
            high = min(2 * high - low, most)
        return root_between(lambda d: float(self.cdf(d)) - p, low, high, 1e-13 * (1 + abs(low) + abs(high)))


@dataclass(frozen=True, eq=False, repr=False)
class Contrast(PairQuantity):
    """g(θ) - g(η) of two shares."""

    scale: Scale

    @property
    def farthest(self) -> float:
        return self.scale.farthest

    @cached_property
    def mean(self) -> float:
        return self.shares.mean(self.scale.of, np.ones_like) - self.shares.mean(np.ones_like, self.scale.of)

    @cached_property
    def sd(self) -> float:
        of, mean = self.scale.of, self.shares.mean
        first, second = mean(of, np.ones_like), mean(np.ones_like, of)
        # About the means, so that narrow laws far from 0 lose no digits.
        squares = mean(lambda s: (of(s) - first) ** 2, np.ones_like) + mean(
            np.ones_like, lambda s: (of(s) - second) ** 2
        )
        return math.sqrt(max(squares - 2 * mean(lambda s: of(s) - first, lambda s: of(s) - second), 0.0))

    def sample(self, size: object = 1, *, seed: object = None) -> Floats:
        first, second = self.pairs(size, seed)
        with np.errstate(divide="ignore"):
            return self.scale.of(logit(first)) - self.scale.of(logit(second))

    def _below(self, d: float) -> float:
        # Shares that are not told from 0, or from 1, count as equal half of the time.
        zeros, ones = self.shares.ties if d == 0 else (0.0, 0.0)
        below = self.shares.below(lambda t: self.scale.ahead(t, d), lambda s: self.scale.ahead(s, -d))
        return below + (zeros - ones) / 2

    def _density(self, d: float) -> float:
        return self.shares.rise(lambda t: self.scale.ahead(t, d), lambda s: self.scale.ahead(s, -d), self.scale.speed)


@dataclass(frozen=True, eq=False, repr=False)
class PairDifference(PairQuantity):
    """θ - η of two shares of one whole: S·(2V-1), with S = θ + η and V = θ/S, whose joint law is `shares`.

    It is at most d ≥ 0 where V ≤ ½ or S ≤ d/(2V-1). Below 0 it is turned round.
    """

    @property
    def farthest(self) -> float:
        return 1.0

    @cached_property
    def mean(self) -> float:
        return self.shares.mean(expit, _lead)

    @cached_property
    def sd(self) -> float:
        squares = self.shares.mean(lambda s: expit(s) ** 2, lambda t: _lead(t) ** 2)
        return math.sqrt(max(squares - self.mean**2, 0.0))

    def sample(self, size: object = 1, *, seed: object = None) -> Floats:
        first, second = self.pairs(size, seed)
        return first - second

    def _below(self, d: float) -> float:
        below = self.shares.below(*_edge(d))
        return below if d >= 0 else 1 - below

    def _density(self, d: float) -> float:
        away = math.copysign(max(abs(d), 1e-9), d)
        return self.shares.rise(*_edge(away), lambda s: 1 / (abs(away) * expit(-s)))


def _lead(t: Floats) -> Floats:
    """2V - 1 by the logit of V."""
    return np.tanh(t / 2)


def _edge(d: float) -> tuple[Function, Function]:
    """The logit of S up to which the difference is at most |d|, by that of V, and the other way round."""
    sign, size = math.copysign(1.0, d), abs(d)

    def ahead(t: Floats) -> Floats:
        lead = sign * _lead(t)
        with np.errstate(divide="ignore"):
            return np.where(lead > size, logit(np.clip(size / np.maximum(lead, 1e-300), 0.0, 1.0)), np.inf)

    def back(s: Floats) -> Floats:
        with np.errstate(divide="ignore", over="ignore"):
            places = sign * logit(np.clip((1 + size / expit(s)) / 2, 0.0, 1.0))
        return np.append(places[np.isfinite(places)], 0.0)

    return ahead, back
