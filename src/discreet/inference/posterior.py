"""What a reader may believe after a release: p(θ | o) = Σ_c p(c | o)·Dir(θ | α + c), a finite mixture of Dirichlets."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betaln, gammaln

from discreet.arithmetic.arrays import Floats
from discreet.arithmetic.numbers import exact_share, whole
from discreet.errors import InvalidInput, TooLarge
from discreet.inference.beta_tables import LEFT_OUT, ROUNDING, BetaTable
from discreet.inference.counts import SURE, CountPosterior, Enumeration
from discreet.inference.draws import draw_dirichlet, draw_uniforms, sample_bits
from discreet.inference.groups import Marginals, Within
from discreet.inference.quantities import Estimate, Kind, Quantity, require_kind, shortest_interval
from discreet.posteriors import Dirichlet
from discreet.posteriors.dirichlet import incomplete_beta
from discreet.posteriors.mixtures import BetaMixture, ShareLaw
from discreet.samplers.bits import SYSTEM, Bits

_STUDY, _CELLS = 1 << 15, 1 << 20


@dataclass(frozen=True, eq=False)
class NoiseAware(Marginals[ShareLaw]):
    """A reader's posterior of the shares, with the privacy noise in it.

    `error` bounds what was left out: the total variation distance to the exact mixture, so every probability, and every
    mean of a share, is within it. Where data sets were drawn it is six standard errors of any probability instead, and
    `mean_errors` are those of the means. `method` says how the counts were weighed.

    >>> from discreet import Geometric, PosteriorSpace, noise_aware
    >>> belief = noise_aware(Geometric(PosteriorSpace(prior=[1, 1], n=100), epsilon=0.5), (60, 40))
    >>> low, high = belief.interval(0.95)
    >>> round(float(low[0]), 3), round(float(high[0]), 3), belief.error < 1e-9
    (0.487, 0.705, True)
    >>> belief
    <NoiseAware of 2 categories, n = 100: exact up to 3e-13, by convolution of windows, 202 counts in all>
    """

    prior: Dirichlet
    n: int | None
    """The number of records, if it is public."""
    counts: CountPosterior

    @classmethod
    def at_face_value(cls, posterior: Dirichlet) -> NoiseAware:
        """A Dirichlet as if no noise were in it: of a group without records, or of a release taken at its word."""
        nothing = np.zeros((1, posterior.k), dtype=np.int64)
        return cls(posterior, 0, Enumeration(nothing, np.zeros(1), error=0.0, method="no noise"))

    def __repr__(self) -> str:
        size = "n private" if self.n is None else f"n = {self.n:,}"
        return f"<NoiseAware of {self.k} categories, {size}: exact up to {self.error:.1g}, by {self.method}>"

    @property
    def k(self) -> int:
        """The number of categories."""
        return self.prior.k

    @property
    def error(self) -> float:
        """A bound on how far any probability is from the exact posterior's."""
        return self.counts.error

    @property
    def mean_errors(self) -> Floats:
        """How far each mean may be off: at most `error`, and less where the data sets that were drawn lie close."""
        errors: Floats = np.minimum(self.error, np.broadcast_to(self.counts.mean_errors, self.k))
        return errors

    @property
    def method(self) -> str:
        """How the counts were weighed."""
        return self.counts.method

    def _like(self, at: int) -> int:
        return self.counts.like(at)

    def _marginal(self, at: int) -> ShareLaw:
        if self.n is None:
            return self.share([at], range(self.k))
        count, chance = self.counts.marginal(at)
        parameter = self.prior.parameters[at]
        alpha, rest = float(parameter), float(self.prior.total - parameter)  # exactly: a weak rest is not lost
        a, b = alpha + count, rest + (self.counts.sizes - count)
        if self.counts.prior_weight:
            a, b = np.append(a, alpha), np.append(b, rest)
            chance = np.append((1 - self.counts.prior_weight) * chance, self.counts.prior_weight)
        return BetaMixture(chance, a, b)

    def interval(self, level: object = 0.95, kind: Kind = "equal-tailed") -> tuple[Floats, Floats]:
        """The low ends and the high ends of each category's interval.

        `highest-density` is the shortest interval of the level; it is the highest-density region where that is one.
        """
        require_kind(kind)
        share = exact_share(level, "level")
        if kind == "equal-tailed":
            return self._intervals(lambda law: law.interval(share))
        return self._intervals(lambda law: shortest_interval(law.quantile, float(share)))

    def cdf(self, x: ArrayLike, i: int = 0) -> Floats:
        """P(share of category i ≤ x)."""
        return self.marginal(i).cdf(x)

    def pdf(self, x: ArrayLike, i: int = 0) -> Floats:
        """The density of category i's share at x."""
        return self.marginal(i).pdf(x)

    def probability(self, i: int, j: int) -> Estimate:
        """The probability that category i's share exceeds category j's, with its own `error`.

        Given the counts, θ_i/(θ_i+θ_j) is Beta(α_i+c_i, α_j+c_j). Where the joint counts are too many to list, it is a
        mean over 2¹⁵ drawn data sets; its `error` then has six standard errors on top of the posterior's own.

        >>> from discreet import Geometric, PosteriorSpace, noise_aware
        >>> belief = noise_aware(Geometric(PosteriorSpace(prior=[1, 1, 1], n=100), epsilon=1), (40, 35, 25))
        >>> ahead = belief.probability(0, 1)
        >>> round(ahead, 3), ahead.error < 1e-9
        (0.706, True)
        """
        one, other = self._category(i), self._category(j)
        if one == other:
            raise InvalidInput("a category does not exceed itself", hint="name two categories")
        alpha, drawn = self.prior.alpha, False
        try:
            first, second, chance = self.counts.pair(one, other)
        except TooLarge:
            rows, drawn = self.counts.draw(SYSTEM, _STUDY), True
            first, second, chance = rows[:, one], rows[:, other], np.full(_STUDY, 1 / _STUDY)
        ahead = incomplete_beta(alpha[other] + second, alpha[one] + first, 0.5)
        error = self.error + (SURE * float(ahead.std()) / math.sqrt(_STUDY) if drawn else 0.0)
        before = float(incomplete_beta(alpha[other], alpha[one], 0.5))
        informative = 1 - self.counts.prior_weight
        return Estimate(informative * float(chance @ ahead) + self.counts.prior_weight * before, error)

    def within(self, categories: Sequence[int]) -> Within:
        """What may be believed of the shares among these categories alone: of one group of a cross table.

        >>> from discreet import Geometric, PosteriorSpace, noise_aware
        >>> belief = noise_aware(Geometric(PosteriorSpace(prior=[1, 1, 1, 1], n=100), epsilon=1), (30, 10, 20, 40))
        >>> [round(float(x), 3) for x in belief.within([0, 1]).mean]
        [0.739, 0.261]
        """
        return Within(self, tuple(categories))

    def share(self, own: Sequence[int], among: Sequence[int]) -> ShareLaw:
        """The posterior of the share that some categories have among others, which they are part of."""
        lone = self.counts.lone_share(own[0]) if len(own) == 1 and len(among) == self.k else None
        if lone is not None:
            return lone[0]
        rest = sorted(set(among).difference(own))
        if not rest:
            raise InvalidInput("all of the records are no share", hint="ask for the total, or for a part of them")
        whole = len(among) == self.k and self.n is not None
        if whole and len(own) == 1:
            return self.marginal(own[0])
        a, b = (math.fsum(self._alpha[list(side)].tolist()) for side in (own, rest))
        if whole:
            count, chance = self.counts.total(own)
            return BetaMixture(chance, a + count, b + (self.counts.sizes - count))
        coarse = self.counts.coarse_share(own, rest)
        if coarse is not None:
            return coarse[0]
        x, y, table = self.counts.split(own, rest)
        return BetaTable(table, a + x, b + y)

    @cached_property
    def _alpha(self) -> Floats:
        return self.prior.alpha

    def share_error(self, own: Sequence[int], among: Sequence[int]) -> float:
        """A bound on how far any probability of such a share is off."""
        if len(among) == self.k and self.n is not None:
            return self.error
        share = self.counts.lone_share(own[0]) if len(own) == 1 and len(among) == self.k else None
        share = share or self.counts.coarse_share(own, sorted(set(among).difference(own)))
        return self.error + (LEFT_OUT + ROUNDING if share is None else share[1])

    def difference(self, other: NoiseAware, i: int = 0) -> Quantity:
        """Category i's share here minus there, for releases about different people: an A/B test."""
        from discreet.inference.comparisons import compare
        from discreet.inference.share import Share

        at = self._category(i)
        first, second = (Share(each, (at,), tuple(range(each.k)), f"category {at + 1}") for each in (self, other))
        return compare(first, second).difference

    def posterior_predictive(self, m: object = 1, i: int = 0) -> Floats:
        """The law of how many of m further records fall into category i: probabilities of 0, 1, …, m."""
        size = whole(m, "m", minimum=1)
        if size > 1 << 16:
            raise TooLarge("a predictive law ends at 65,536 further records", hint="use draws of sample")
        mixture, x = self.marginal(i), np.arange(size + 1)
        ways = gammaln(size + 1) - gammaln(x + 1) - gammaln(size - x + 1)
        chances, rows = np.zeros(size + 1), max(1, _CELLS // (size + 1))
        parts = [part.ravel() for part in np.broadcast_arrays(mixture.weights, mixture.a, mixture.b)]
        for start in range(0, len(parts[0]), rows):
            weight, a, b = (part[start : start + rows] for part in parts)
            logs = betaln(a[:, None] + x, b[:, None] + size - x) - betaln(a, b)[:, None]
            chances += weight @ np.exp(ways + logs)
        return chances

    def sample(self, size: object, *, seed: object = None) -> Floats:
        """Independent draws of all shares, one a row: the same for the same seed, else from the operating system."""
        return self._sample(sample_bits(seed), whole(size, "size", minimum=1))

    def _sample(self, bits: Bits, size: int) -> Floats:
        parameters = self.prior.alpha + self.counts.draw(bits, size)
        if self.counts.prior_weight:
            parameters[draw_uniforms(bits, size) < self.counts.prior_weight] = self.prior.alpha
        return draw_dirichlet(bits, parameters)

    def to_arviz(self, size: object = 4000, *, categories: Any = None) -> Any:
        """Independent draws as ArviZ reads them: `InferenceData`, or since 1.0 a `DataTree` (the extra `arviz`)."""
        from discreet.bridges.arviz import to_arviz

        return to_arviz(self, size, categories=categories)
