"""Two shares compared: their difference, their ratio, their odds ratio, and which is the greater.

Every comparison is the law of g(θ) - g(η) for two shares θ and η: the shares themselves, their logarithms or their
log odds. P(g(θ) - g(η) ≤ t) is one integral over the joint law of the two (`joint_shares`), so nothing is sampled.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit, log_expit, logit

from discreet.arithmetic.arrays import Floats
from discreet.arithmetic.roots import root_between
from discreet.errors import InvalidInput
from discreet.inference.beliefs import Share
from discreet.inference.event_rates import Rate
from discreet.inference.joint_shares import JointShares, independent_shares, joint_shares
from discreet.inference.posterior import NoiseAware
from discreet.inference.quantities import Estimate, Quantity, Transformed

Function: TypeAlias = Callable[[Floats], Floats]

Pairs: TypeAlias = Callable[[object, object], tuple[Floats, Floats]]
"""Draws of both shares: how many, and by which seed."""

Measure = Literal["difference", "ratio", "odds-ratio"]
MEASURES: tuple[Measure, ...] = get_args(Measure)


@dataclass(frozen=True)
class Scale:
    """What is subtracted, g as a function of the logit; `ahead(t, d)` is the logit s with g(s) = g(t) + d."""

    name: str
    of: Function
    ahead: Callable[[Floats, float], Floats]
    speed: Function
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


@dataclass(frozen=True, eq=False, repr=False)
class Integrated(Quantity):
    """A quantity whose distribution function is an integral: one number at a time."""

    shares: JointShares
    label: str
    pairs: Pairs
    believed_within: float

    @property
    @abstractmethod
    def farthest(self) -> float:
        """It lies between this and its negative."""

    @cached_property
    def error(self) -> float:
        """A bound on how far any probability is off: what both beliefs and the panels leave out."""
        return float(self.believed_within + self.shares.error + sum(self.shares.ties) / 2)

    def cdf(self, x: ArrayLike) -> Floats:
        return self._each(lambda d: float(d > 0) if abs(d) >= self.farthest else self._below(d), x)

    def pdf(self, x: ArrayLike) -> Floats:
        return self._each(lambda d: 0.0 if abs(d) >= self.farthest else self._density(d), x)

    def quantile(self, p: ArrayLike) -> Floats:
        return self._each(self._quantile, p)

    @abstractmethod
    def _below(self, d: float) -> float:
        """The probability of at most d."""

    @abstractmethod
    def _density(self, d: float) -> float:
        """The density at d."""

    @staticmethod
    def _each(of: Callable[[float], float], x: ArrayLike) -> Floats:
        where = np.asarray(x, dtype=np.float64)
        return np.array([of(value) for value in where.reshape(-1).tolist()]).reshape(where.shape)

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
class Contrast(Integrated):
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
        ahead, back = (lambda t: self.scale.ahead(t, d)), (lambda s: self.scale.ahead(s, -d))
        return self.shares.rise(ahead, back, self.scale.speed)


@dataclass(frozen=True, eq=False, repr=False)
class PairDifference(Integrated):
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


@dataclass(frozen=True, eq=False)
class Comparison:
    """Two shares compared: how much, how many times, with which odds, and which is the greater.

    >>> from discreet import Belief, Geometric, PosteriorSpace, noise_aware
    >>> cells = Geometric(PosteriorSpace(prior=[1] * 4, n=12), epsilon=1)
    >>> belief = Belief.of(noise_aware(cells, (5, 1, 2, 4)), {"arm": ("new", "old"), "outcome": ("yes", "no")})
    >>> both = compare(belief.group("new")["yes"], belief.group("old")["yes"])
    >>> round(both.difference.mean, 6), round(both.probability_greater, 6), round(both.odds_ratio.median, 3)
    (0.295627, 0.827254, 4.738)
    """

    first: Quantity
    second: Quantity
    difference: Quantity
    log_ratio: Quantity
    _log_odds_ratio: Quantity | None

    def measure(self, name: Measure) -> Quantity:
        """The difference, the ratio or the odds ratio, by its name."""
        if name not in MEASURES:
            raise InvalidInput(f"a measure is {', '.join(MEASURES)}", hint="name one of them", parameter="measure")
        quantity: Quantity = getattr(self, name.replace("-", "_"))
        return quantity

    @property
    def probability_greater(self) -> Estimate:
        """The probability that the first share is the greater."""
        return self.difference.probability_above(0.0)

    @property
    def log_odds_ratio(self) -> Quantity:
        """The difference of the log odds."""
        if self._log_odds_ratio is None:
            raise InvalidInput("an odds ratio compares two groups", hint="these are shares of one whole: use ratio")
        return self._log_odds_ratio

    @property
    def ratio(self) -> Quantity:
        """The first share over the second. Its mean is infinite where the second may be next to nothing."""
        return _exponential(self.log_ratio)

    @property
    def odds_ratio(self) -> Quantity:
        """The odds of the first over those of the second. Its mean is infinite where these may be next to nothing."""
        return _exponential(self.log_odds_ratio)

    def __repr__(self) -> str:
        return f"<Comparison of {self.first.name} and {self.second.name}: {self.difference!r}>"


def compare(first: Share | Rate, second: Share | Rate, *, different_people: bool = False) -> Comparison:
    """Compare two shares: of two groups, of two categories of one whole, or of releases of different people.

    Two rates are compared too: of two groups of a release, or of releases of different people.

    Two releases of one dataset are about the same people, and their shares are not independent: that is refused,
    unless it is said that they are `different_people`.
    """
    if isinstance(first, Rate) or isinstance(second, Rate):
        return _of_rates(first, second, different_people)
    if first.posterior is not second.posterior:
        _require_different_people(_same_people(first, second), different_people)
        return _contrasts(first, second, independent_shares(first.law, second.law))
    alpha, counts = first.posterior.prior.alpha, first.posterior.counts
    if not set(first.among) & set(second.among):
        parts = counts.two_groups((first.own, first.rest), (second.own, second.rest), alpha)
        return _contrasts(first, second, joint_shares(*parts, (first.law, second.law)))
    if set(first.among) != set(second.among) or set(first.own) & set(second.own):
        raise InvalidInput("the two shares overlap", hint="compare shares of disjoint groups, or two of one whole")
    return _of_one_whole(first, second)


def _require_different_people(same: bool, different_people: bool) -> None:
    if same and not different_people:
        raise InvalidInput(
            "both releases are of one dataset, so of the same people",
            hint="use combine for one quantity of the same people, or say different_people=True",
        )


def _of_rates(first: Share | Rate, second: Share | Rate, different_people: bool) -> Comparison:
    """Two independent rates: their logarithms are logits of shares of one unit, the second's mean."""
    if not (isinstance(first, Rate) and isinstance(second, Rate)):
        raise InvalidInput("a rate is no share", hint="compare two rates, or two shares")
    if first is second or first.per != second.per:
        raise InvalidInput("two rates are compared per the same exposure", hint="name two groups, and one `per`")
    same = first.people is not None and first.people == second.people and first.release is not second.release
    _require_different_people(same, different_people)
    unit = second.mean
    shares = independent_shares(first.as_share(unit), second.as_share(unit))

    def pairs(size: object, seed: object) -> tuple[Floats, Floats]:
        one, other = (None, None) if seed is None else ((seed, 1), (seed, 2))
        drawn = first.sample(size, seed=one), second.sample(size, seed=other)
        return drawn[0] / (unit + drawn[0]), drawn[1] / (unit + drawn[1])

    def contrast(scale: Scale) -> Contrast:
        name = f"{scale.name} of {first.name} and {second.name}"
        return Contrast(shares, name, pairs, first.error + second.error, scale)

    return Comparison(first, second, contrast(_rates_of(unit)), contrast(replace(LOGITS, name="log ratio")), None)


def _rates_of(unit: float) -> Scale:
    """Rates by the logarithm of their multiple of a unit."""

    def ahead(t: Floats, d: float) -> Floats:
        with np.errstate(divide="ignore", over="ignore"):
            return t if d == 0 else np.log(np.maximum(np.exp(t) + d / unit, 0.0))

    def rate(s: Floats) -> Floats:
        return unit * np.exp(np.minimum(s, 300.0))

    return Scale("difference", rate, ahead, lambda s: 1 / rate(s), unit * math.exp(300))


def _same_people(first: Share, second: Share) -> bool:
    """Whether two shares are known to be about the same people, and not of different public groups of them."""
    one, other = first.part, second.part
    apart = one is not None and other is not None and one[0] == other[0] and one[1] != other[1]
    return first.people is not None and first.people == second.people and not apart


def compare_all(
    shares: Mapping[str, Share | Rate], *, different_people: bool = False
) -> dict[tuple[str, str], Comparison]:
    """All pairs of shares, or of rates, by their names: each with those after it.

    >>> from discreet import Belief, Geometric, PosteriorSpace, noise_aware
    >>> cells = noise_aware(Geometric(PosteriorSpace(prior=[1] * 6, n=30), epsilon=1), (8, 2, 5, 5, 4, 6))
    >>> belief = Belief.of(cells, {"arm": ("a", "b", "c"), "outcome": ("yes", "no")})
    >>> pairs = compare_all({arm: belief.group(arm)["yes"] for arm in ("a", "b", "c")})
    >>> [(pair, round(both.difference.mean, 2)) for pair, both in pairs.items()]
    [(('a', 'b'), 0.22), (('a', 'c'), 0.3), (('b', 'c'), 0.08)]
    """
    return {
        (one, other): compare(shares[one], shares[other], different_people=different_people)
        for one, other in combinations(shares, 2)
    }


def _contrasts(first: Share, second: Share, shares: JointShares) -> Comparison:
    """Two groups: all three scales."""

    def contrast(scale: Scale) -> Contrast:
        name = f"{scale.name} of {first.name} and {second.name}"
        return Contrast(shares, name, _pairs(first, second), first.error + second.error, scale)

    return Comparison(first, second, *map(contrast, (SHARES, LOGS, LOGITS)))


def _of_one_whole(first: Share, second: Share) -> Comparison:
    """Two shares of one whole: their ratio is the odds of one among both."""
    names, both = f"{first.name} and {second.name}", first.own + second.own
    rest = tuple(i for i in first.among if i not in both)
    lead = Share(first.posterior, first.own, both, first.label, first.people)
    if not rest:  # one is what the other leaves of 1
        shares = independent_shares(lead.law, lead.law)
        difference: Quantity = Transformed(
            lead, f"difference of {names}", lambda x: 2 * x - 1, lambda y: (y + 1) / 2, lambda y: np.full_like(y, 0.5),
            2 * lead.mean - 1, 2 * lead.sd,
        )  # fmt: skip
    else:
        counts, alpha = first.posterior.counts, first.posterior.prior.alpha
        pair = Share(first.posterior, both, first.among, names, first.people)
        shares = joint_shares(*counts.one_group(first.own, second.own, rest, alpha), (pair.law, lead.law))
        within = first.error + second.error
        difference = PairDifference(shares, f"difference of {names}", _pairs(first, second), within)
    mean = shares.mean(np.ones_like, lambda t: t)
    sd = math.sqrt(max(shares.mean(np.ones_like, lambda t: (t - mean) ** 2), 0.0))
    log_ratio = Transformed(lead, f"log ratio of {names}", logit, expit, lambda y: expit(y) * expit(-y), mean, sd)
    return Comparison(first, second, difference, log_ratio, None)


def _exponential(log: Quantity) -> Quantity:
    """e^x of what is on a logarithmic scale. The mean needs more than what a distribution function tells of its end."""
    name = log.name.removeprefix("log ")
    return Transformed(log, name, np.exp, _log, lambda y: 1 / np.maximum(y, 1e-300), math.inf, math.inf)


def _log(y: Floats) -> Floats:
    with np.errstate(divide="ignore"):
        return np.log(np.maximum(y, 0.0))


def _pairs(first: Share, second: Share) -> Pairs:
    """Draws of both: of one release together, of two apart."""

    def pairs(size: object, seed: object) -> tuple[Floats, Floats]:
        if first.posterior is second.posterior:
            shares = first.posterior.sample(size, seed=seed)
            return first.of(shares), second.of(shares)
        one, other = (None, None) if seed is None else ((seed, 1), (seed, 2))
        return first.sample(size, seed=one), second.sample(size, seed=other)

    return pairs


def difference_of_two(first: NoiseAware, second: NoiseAware, i: int) -> Quantity:
    """Category i's share in one release minus that in another, of different people."""
    one, other = (Share(each, (i,), tuple(range(each.k)), f"category {i + 1}") for each in (first, second))
    return compare(one, other).difference
