"""Two shares compared: their difference, their ratio, their odds ratio, and which is the greater.

Their laws are in `differences`; here is which of them two shares, or two rates, have.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Literal, get_args

import numpy as np
from scipy.special import expit, logit

from discreet.arithmetic.arrays import Floats
from discreet.errors import InvalidInput
from discreet.inference.differences import LOGITS, LOGS, SHARES, Contrast, PairDifference, Pairs, Scale, rate_scale
from discreet.inference.draws import part_seed
from discreet.inference.event_rates import Rate
from discreet.inference.joint_shares import JointShares, independent_shares, joint_shares
from discreet.inference.quantities import Estimate, Quantity, TransformedQuantity
from discreet.inference.share import Share

Measure = Literal["difference", "ratio", "odds-ratio"]
MEASURES: tuple[Measure, ...] = get_args(Measure)


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
            raise InvalidInput(
                "an odds ratio compares two groups", hint="rates and shares of one whole have none: use ratio"
            )
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
    kinds: tuple[type, ...] = (Share, Rate)
    if not (isinstance(first, kinds) and isinstance(second, kinds)):
        hint = "name a category, as in belief['yes'] or belief.group('new')['yes']"
        raise InvalidInput("compare takes two shares, or two rates", hint=hint)
    if isinstance(first, Rate) or isinstance(second, Rate):
        return _compare_rates(first, second, different_people)
    if first.posterior is not second.posterior:
        _require_different_people(_same_people(first, second), different_people)
        return _compare_groups(first, second, independent_shares(first.law, second.law))
    alpha, counts = first.posterior.prior.alpha, first.posterior.counts
    if not set(first.among) & set(second.among):
        parts = counts.two_groups((first.own, first.rest), (second.own, second.rest), alpha)
        return _compare_groups(first, second, joint_shares(*parts, (first.law, second.law)))
    if set(first.among) != set(second.among) or set(first.own) & set(second.own):
        raise InvalidInput("the two shares overlap", hint="compare shares of disjoint groups, or two of one whole")
    return _compare_within(first, second)


def _require_different_people(same: bool, different_people: bool) -> None:
    if same and not different_people:
        raise InvalidInput(
            "both releases are of one dataset, so of the same people",
            hint="say `different_people` if they are not; in Python, combine takes several releases of the same people",
        )


def _compare_rates(first: Share | Rate, second: Share | Rate, different_people: bool) -> Comparison:
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
        one, other = _sample_both(first, second, size, seed)
        return one / (unit + one), other / (unit + other)

    scales = rate_scale(unit, first.per), replace(LOGITS, name="log ratio")
    difference, log_ratio = (_contrast(first, second, shares, pairs, scale) for scale in scales)
    return Comparison(first, second, difference, log_ratio, None)


def _same_people(first: Share, second: Share) -> bool:
    """Whether two shares are known to be about the same people, and not of different public groups of them."""
    disjoint = (
        first.part is not None
        and second.part is not None
        and first.part[0] == second.part[0]
        and first.part[1] != second.part[1]
    )
    return first.people is not None and first.people == second.people and not disjoint


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


def _compare_groups(first: Share, second: Share, shares: JointShares) -> Comparison:
    """Two groups: all three scales."""
    pairs = _pairs(first, second)
    contrasts = (_contrast(first, second, shares, pairs, scale) for scale in (SHARES, LOGS, LOGITS))
    return Comparison(first, second, *contrasts)


def _contrast(first: Quantity, second: Quantity, shares: JointShares, pairs: Pairs, scale: Scale) -> Contrast:
    name = f"{scale.name} of {first.name} and {second.name}"
    return Contrast(shares, name, pairs, first.error + second.error, scale)


def _compare_within(first: Share, second: Share) -> Comparison:
    """Two shares of one whole: their ratio is the odds of one among both."""
    names, both = f"{first.name} and {second.name}", first.own + second.own
    rest = tuple(i for i in first.among if i not in both)
    lead = Share(first.posterior, first.own, both, first.label, first.people)
    if not rest:  # one is what the other leaves of 1
        shares = independent_shares(lead.law, lead.law)
        difference: Quantity = TransformedQuantity(
            lead, f"difference of {names}", lambda x: 2 * x - 1, lambda y: (y + 1) / 2, lambda y: np.full_like(y, 0.5),
            2 * lead.mean - 1, 2 * lead.sd,
        )  # fmt: skip
    else:
        counts, alpha = first.posterior.counts, first.posterior.prior.alpha
        pair = Share(first.posterior, both, first.among, names, first.people)
        shares = joint_shares(*counts.one_group(first.own, second.own, rest, alpha), (pair.law, lead.law))
        error = first.error + second.error
        difference = PairDifference(shares, f"difference of {names}", _pairs(first, second), error)
    mean = shares.mean(np.ones_like, lambda t: t)
    sd = math.sqrt(max(shares.mean(np.ones_like, lambda t: (t - mean) ** 2), 0.0))
    log_ratio = TransformedQuantity(
        lead, f"log ratio of {names}", logit, expit, lambda y: expit(y) * expit(-y), mean, sd
    )
    return Comparison(first, second, difference, log_ratio, None)


def _exponential(log: Quantity) -> Quantity:
    """e^x of what is on a logarithmic scale. The mean needs more than what a distribution function tells of its end."""
    name = log.name.removeprefix("log ")
    return TransformedQuantity(log, name, np.exp, _log, lambda y: 1 / np.maximum(y, 1e-300), math.inf, math.inf)


def _log(y: Floats) -> Floats:
    with np.errstate(divide="ignore"):
        return np.log(np.maximum(y, 0.0))


def _pairs(first: Share, second: Share) -> Pairs:
    """Draws of both: of one release together, of two apart."""

    def pairs(size: object, seed: object) -> tuple[Floats, Floats]:
        if first.posterior is second.posterior:
            shares = first.posterior.sample(size, seed=seed)
            return first.of(shares), second.of(shares)
        return _sample_both(first, second, size, seed)

    return pairs


def _sample_both(first: Quantity, second: Quantity, size: object, seed: object) -> tuple[Floats, Floats]:
    return first.sample(size, seed=part_seed(seed, 1)), second.sample(size, seed=part_seed(seed, 2))
