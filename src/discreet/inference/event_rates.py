"""Rates of events in groups of public exposure, from a release of noisy counts with a private n.

Events in a group are Poisson with mean λ·E, E its public exposure (person-years, inhabitants), and λ ~ Gamma(a, b).
Then c is negative binomial, p(c | z) ∝ P(z | c)·Γ(a+c)/c!·(E/(b+E))^c, and given c the rate is Gamma(a+c, b+E): what a
reader may believe is a mixture of Gammas, and the groups are independent. `tests/inference/test_rates.py` compares with
the definition and sums the coverage of intervals over all data sets.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import gammainc, gammaincc, gammaincinv, gammaln

from discreet.arithmetic.arrays import Floats, Wholes
from discreet.arithmetic.cards import AWARE_KEY, Bar, card
from discreet.arithmetic.numbers import exact, whole
from discreet.arithmetic.roots import root_between
from discreet.arithmetic.texts import join_names
from discreet.errors import InvalidInput
from discreet.inference.boxes import LEFT_OUT
from discreet.inference.draws import draw_places, draw_uniforms, sample_bits
from discreet.inference.quantities import Quantity, QuantityTable, at_each
from discreet.inference.tilted_windows import TiltedWindows, first_reach
from discreet.kernels.base import Factor
from discreet.mechanisms import Mechanism
from discreet.posteriors.gamma import Gamma, as_gamma
from discreet.posteriors.mixtures import ShareLaw, as_levels
from discreet.typing import Outcome

JEFFREYS = Gamma("1/2", 0)
"""The prior of a rate unless another is given."""


@dataclass(frozen=True, eq=False, repr=False)
class Rate(Quantity):
    """What may be believed of one group's rate: a mixture of Gammas. It is told per so many units of exposure."""

    label: str
    first: int
    chances: Floats
    """Of the counts from the first on."""
    prior: Gamma
    exposure: Fraction
    per: Fraction
    within: float
    release: object
    """Rates of one release are of disjoint groups."""
    people: str | None = None

    @property
    def error(self) -> float:
        return self.within

    @cached_property
    def shapes(self) -> Floats:
        """The shape of each Gamma of the mixture."""
        return np.arange(len(self.chances), dtype=np.float64) + float(self.prior.shape + self.first)

    @property
    def scale(self) -> float:
        """What a Gamma of rate 1 is multiplied by."""
        return float(self.per / (self.prior.rate + self.exposure))

    @cached_property
    def mean(self) -> float:
        return self.scale * float(self.chances @ self.shapes)

    @cached_property
    def sd(self) -> float:
        middle = float(self.chances @ self.shapes)
        return self.scale * math.sqrt(float(self.chances @ (self.shapes + (self.shapes - middle) ** 2)))

    def cdf(self, x: ArrayLike) -> Floats:
        at = np.maximum(np.asarray(x, dtype=np.float64) / self.scale, 0.0)[..., None]
        below: Floats = gammainc(self.shapes, at) @ self.chances
        return below

    def pdf(self, x: ArrayLike) -> Floats:
        at = np.asarray(x, dtype=np.float64)[..., None] / self.scale
        safe = np.maximum(at, 1e-300)
        logs = (self.shapes - 1) * np.log(safe) - safe - gammaln(self.shapes)
        density: Floats = np.where(at > 0, np.exp(logs), 0.0) @ self.chances / self.scale
        return density

    def quantile(self, p: ArrayLike) -> Floats:
        return at_each(self._quantile, as_levels(p))

    def _quantile(self, p: float) -> float:
        """Between those of the first and of the last Gamma, on a logarithmic scale where it is close to 0."""
        low, high = (float(gammaincinv(shape, p)) for shape in (self.shapes[0], self.shapes[-1]))
        if not low > 0 or low == high:
            return self.scale * high * (low == high)
        root = root_between(
            lambda s: float(gammainc(self.shapes, math.exp(s)) @ self.chances) - p, math.log(low), math.log(high), 1e-14
        )
        return self.scale * math.exp(root)

    def sample(self, size: object = 1, *, seed: object = None) -> Floats:
        bits, number = sample_bits(seed), whole(size, "size", minimum=1)
        shapes = self.shapes[draw_places(bits, self.chances, number)]
        draws: Floats = self.scale * gammaincinv(shapes, draw_uniforms(bits, number))
        return draws

    def as_share(self, unit: float) -> RateShare:
        """The law of rate/(unit + rate), whose logit is the logarithm of the rate over the unit."""
        return RateShare(self.chances, self.shapes, unit / self.scale)


class RateShare(ShareLaw):
    """λ/(1+λ) for a mixture of Gammas λ of rate `steep`: the logit of this share is ln λ."""

    def __init__(self, chances: Floats, shapes: Floats, steep: float, *, upside_down: bool = False) -> None:
        self._chances, self._shapes, self._steep, self._down = chances, shapes, steep, upside_down

    @cached_property
    def _moments(self) -> tuple[float, float]:
        """The mean and the standard deviation of the share, nearly: they say where to look."""
        middle = float(self._chances @ self._shapes)
        sd = math.sqrt(float(self._chances @ (self._shapes + (self._shapes - middle) ** 2)))
        rate = middle / self._steep
        share = rate / (1 + rate)
        return share, sd / self._steep * share / rate * (1 - share)

    @property
    def mean(self) -> float:
        return 1 - self._moments[0] if self._down else self._moments[0]

    @property
    def sd(self) -> float:
        return self._moments[1]

    @property
    def complement(self) -> RateShare:
        return RateShare(self._chances, self._shapes, self._steep, upside_down=not self._down)

    def cdf(self, x: ArrayLike) -> Floats:
        at = np.asarray(x, dtype=np.float64)[..., None]
        with np.errstate(divide="ignore"):
            odds = (1 - at) / at if self._down else at / (1 - at)
        part = gammaincc if self._down else gammainc
        below: Floats = part(self._shapes, self._steep * odds) @ self._chances
        return below

    def pdf(self, x: ArrayLike) -> Floats:
        at = np.clip(np.asarray(x, dtype=np.float64), 1e-300, 1 - 2.0**-53)[..., None]
        odds = self._steep * ((1 - at) / at if self._down else at / (1 - at))
        logs = self._shapes * np.log(odds) - odds - gammaln(self._shapes) - np.log(at) - np.log1p(-at)
        density: Floats = np.exp(logs) @ self._chances
        return density

    def _sums(self, rows: Wholes, x: Floats) -> tuple[Floats, Floats]:
        return self.cdf(x), self.pdf(x)


@dataclass(frozen=True, eq=False, repr=False)
class Rates(QuantityTable):
    """What may be believed of the rates of several groups, which are independent.

    >>> from discreet import Geometric, PosteriorSpace
    >>> mechanism = Geometric(PosteriorSpace(prior=[1, 1], n=None), epsilon=1)
    >>> deaths = rates(mechanism, (31, 12), {"north": 120_000, "south": 88_000}, per=100_000)
    >>> north = deaths.rate("north")
    >>> round(north.mean, 1), [round(end, 1) for end in north.interval()]
    (26.2, [17.6, 36.4])
    """

    by_group: Mapping[str, Rate]
    posteriors: Mapping[str, Gamma]
    """The released parameters at face value: what would be believed if there were no noise."""

    def rate(self, group: str) -> Rate:
        """The rate of one group."""
        if group not in self.by_group:
            raise InvalidInput(f"there is no group {group!r}", hint=f"there are {join_names(self.labels[:12])}")
        return self.by_group[group]

    __getitem__ = rate

    @property
    def labels(self) -> tuple[str, ...]:
        """The groups."""
        return tuple(self.by_group)

    def __len__(self) -> int:
        return len(self.by_group)

    def _quantities(self) -> Iterable[Rate]:
        return self.by_group.values()

    def __repr__(self) -> str:
        return f"<Rates, privacy noise included, of {join_names(self.labels[:12])}>"

    def _repr_html_(self) -> str:
        bars = (
            Bar(name, f"{rate.ends[1]:.4g} ({rate.ends[0]:.4g} to {rate.ends[2]:.4g})", rate.ends)
            for name, rate in self.by_group.items()
        )
        return card("What a reader may believe", "Rates by group.", bars=bars, key=AWARE_KEY)


def rates(
    mechanism: Mechanism,
    output: Outcome,
    exposure: Mapping[str, object],
    *,
    prior: object = None,
    per: object = 1,
    people: str | None = None,
) -> Rates:
    """The rates of events in groups, from noisy numbers of events and public exposures, in the order of both.

    The events of each group are a cell of the release, whose n is private. Rates are told `per` so many units of
    exposure. The prior of each rate is Jeffreys', unless another is given.
    """
    if mechanism.space.adjacency.keeps_total:
        raise InvalidInput("rates are of events whose number is private", hint="release under add-remove")
    factors = mechanism.kernel.factors(output)
    if factors is None or len(factors) != len(exposure):
        raise InvalidInput(
            f"exposures are one for each of {len(output)} groups", hint="like north=120000", parameter="exposure"
        )
    of_rate, unit = JEFFREYS if prior is None else as_gamma(prior), exact(per, "per", above=0)
    by_group, posteriors = {}, {}
    for group, factor, noisy in zip(exposure, factors, output, strict=True):
        during = exact(exposure[group], "exposure", above=0)
        first, chances, left_out = _counts(factor, float(of_rate.shape), float(of_rate.rate / during))
        by_group[group] = Rate(group, first, chances, of_rate, during, unit, left_out + 1e-13, output, people)
        posteriors[group] = of_rate.update(max(noisy, 0), during)
    return Rates(by_group, posteriors)


def _counts(factor: Factor, shape: float, rare: float) -> tuple[int, Floats, float]:
    """p(c | z) from a first count on, and what the window leaves out: t = E/(b+E) is 1/(1 + b/E)."""
    log_t, reach = np.array([-math.log1p(rare)]), first_reach([factor])
    while True:
        cells = TiltedWindows.within([factor], np.array([shape]), np.ones(1, dtype=np.int64), reach)
        log_sums, _ = cells.sums(log_t)
        left, right = (float(tail[0, 0]) for tail in cells.tails(log_t, log_sums))
        if left + right <= LEFT_OUT:
            logs = cells.logs[0] + np.arange(cells.logs.shape[1]) * log_t[0]
            mass = np.exp(logs - logs.max())
            return int(cells.lows[0]), mass / mass.sum(), left + right
        reach = np.where(np.array([[left, right]]) > LEFT_OUT / 4, 2 * reach, reach)
