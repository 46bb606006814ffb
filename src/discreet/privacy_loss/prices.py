"""What a request costs: worked out from the mechanisms that it releases by, so that nobody can state another price.

Under zero-concentrated privacy that follows from the losses of the pairs that dominate the mechanisms.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from itertools import chain

from discreet.errors import InvalidInput
from discreet.mechanisms.base import Mechanism, require_mechanism
from discreet.mechanisms.gaussian_loss import GaussianLoss
from discreet.mechanisms.loss_pairs import VARIATION_BITS, CurvePair, GeometricPair, LinearPair, LossPair
from discreet.posteriors.space import exceeds
from discreet.privacy_loss.audits import audit
from discreet.privacy_loss.composition import multiple_upper, rounded_up
from discreet.privacy_loss.gaussian_pairs import SHARP, gaussian_pairs
from discreet.privacy_loss.loss_distributions import GaussianLosses, LossDistribution, compose_pairs
from discreet.privacy_loss.renyi_bounds import rho_of_pair

MAX_DATA_SETS = 128
"""Beyond so many data sets, a δ* at every loss takes too long to be asked for in passing."""

CHORDS, LOSS_BITS = 32, 40
"""On a small space δ* is known at so many losses; the largest is rounded up to a multiple of 2^-40, which is short."""


def loss_distribution(mechanism: Mechanism) -> LossDistribution | GaussianLosses:
    """The loss of a pair of laws that dominates a mechanism on its neighbours; `NotPrivate` if it has no guarantee.

    For geometric and Laplace noise it follows from the noise, for the exponential family from the range of its losses
    or, where its space is small, from all of its laws, for any other from its ε.

    >>> from discreet import Geometric, PosteriorSpace
    >>> one = loss_distribution(Geometric(PosteriorSpace(prior=[1, 1], n=50), epsilon=1))
    >>> round(one.delta("1/2"), 6), round(one.epsilon(0), 6)
    (0.287649, 1.0)
    """
    return compose([mechanism])


def compose(releases: Iterable[Mechanism]) -> LossDistribution | GaussianLosses:
    """The loss of all releases together, if the ε of each is fixed in advance.

    >>> from discreet import Gaussian, Geometric, PosteriorSpace
    >>> space = PosteriorSpace(prior=[1, 1], n=500)
    >>> year = compose([Geometric(space, epsilon="1/4")] * 12 + [Geometric(space, epsilon=1)])
    >>> round(year.epsilon("1e-6"), 3), round(year.epsilon(0), 3)  # and not 12 · 0.25 + 1
    (3.999, 4.0)

    Gaussian noise needs no δ of its own to be composed.

    >>> round(compose([Gaussian(space, sigma=40)] * 40).epsilon("1e-6"), 4)
    0.9405
    """
    pairs_of: dict[int, tuple[Mechanism, tuple[LossPair, ...]]] = {}
    times: Counter[LossPair] = Counter()
    gaussian: Counter[GaussianLoss] = Counter()
    for release in releases:
        require_mechanism(release)
        if release.loss is not None:
            gaussian[release.loss] += 1
            continue
        if id(release) not in pairs_of:  # the same one again and again is asked once
            pairs_of[id(release)] = release, loss_pairs(release)
        times.update(pairs_of[id(release)][1])
    if not times and len(gaussian) == 1:
        [(loss, count)] = gaussian.items()
        together = replace(loss, times=count)
        if together.spread.excess < SHARP:
            return GaussianLosses(together)
    for loss, count in gaussian.items():
        times.update(gaussian_pairs(loss, count))
    return compose_pairs(times)


def loss_pairs(mechanism: Mechanism) -> tuple[LossPair, ...]:
    """Independent pairs that together dominate a mechanism; `NotPrivate` if it has no guarantee."""
    mechanism.require_guarantee()
    if mechanism.kernel.weighted and not exceeds(mechanism.space, MAX_DATA_SETS):
        return (enumerated_pair(mechanism),)
    return mechanism.loss_pairs()


@lru_cache(maxsize=64)
def enumerated_pair(mechanism: Mechanism) -> CurvePair:
    """The pair that dominates an exponential mechanism on a small space: chords through its exact δ*.

    Neighbours come both ways round, so the greatest δ* over all of them is the curve of a symmetric pair. It is
    enclosed at `CHORDS` losses from 0 to the audited ε and rounded up there; chords through such points are nowhere
    below it (`discreet.mechanisms.loss_pairs`). Tests: `tests/privacy_loss/test_loss_pairs.py`.

    >>> from discreet import ExponentialReciprocal, PosteriorSpace
    >>> pair = enumerated_pair(ExponentialReciprocal(PosteriorSpace(prior=[1, 1], n=20), epsilon=1))
    >>> round(float(pair.epsilon), 4), round(float(pair.variation_upper), 4)  # where the theorem says 1 and 0.2449
    (0.3196, 0.0881)
    """
    result = audit(mechanism)
    largest = multiple_upper(Fraction(result.epsilon), LOSS_BITS)
    deltas = tuple(Fraction(result.delta(i * largest / CHORDS)) for i in range(CHORDS))
    return CurvePair(largest, deltas)


def loss_range(mechanism: Mechanism) -> Fraction:
    """η: between the same two neighbours, the losses at any two outputs differ by at most this.

    A loss between -ε and ε has range 2ε. For the exponential family the range is also at most 2s(1+Γ): the loss is
    s·[H(c',r)/S(c') - H(c,r)/S(c)] and a constant that no output changes, and the bracket lies between ±(1+Γ). By the
    theorem that is ε itself, half of 2ε. A calibrated scale is larger, so there the theorem's bound and twice the
    certified loss compete. `tests/privacy_loss/test_prices.py` compares with all losses of small spaces.

    >>> from discreet import ExponentialReciprocal, Geometric, PosteriorSpace
    >>> space = PosteriorSpace(prior=[1, 1], n=50)
    >>> loss_range(Geometric(space, epsilon=1)), loss_range(ExponentialReciprocal(space, epsilon=1))
    (Fraction(2, 1), Fraction(1, 1))
    """
    mechanism.require_guarantee()
    return mechanism.loss_range()


def rho_upper(mechanism: Mechanism) -> Fraction:
    """ρ: the mechanism is ρ-zCDP under its adjacency; `NotPrivate` if it has no guarantee. Gaussian noise has 1/σ².

    It is that of the pairs that dominate it: for geometric noise the Kullback-Leibler divergence between neighbours,
    for the exponential family η²/8, or on a small space what its exact δ tells.

    >>> from discreet import ExponentialReciprocal, Geometric, PosteriorSpace
    >>> rho_upper(ExponentialReciprocal(PosteriorSpace(prior=[1, 1], n=500), epsilon="1/10"))
    Fraction(1, 800)
    >>> round(float(rho_upper(Geometric(PosteriorSpace(prior=[1, 1, 1], n=500), epsilon="1/10"))), 6)  # and not 0.005
    0.003333
    """
    if mechanism.loss is not None:
        mechanism.require_guarantee()
        return rounded_up(mechanism.loss.rho)
    pairs = loss_pairs(mechanism), mechanism.loss_pairs()  # by its exact δ, and by what is known of it
    return min(sum(map(rho_of_pair, each), Fraction(0)) for each in pairs)


@dataclass(frozen=True, slots=True)
class Price:
    """The privacy loss of releases that are made together.

    Every part is paid for. The mechanisms within a part release disjoint groups whose membership is public: the answer
    of one record is in one of them, so the dearest is the price of the part. Losses add up, or cost what is said
    `together`, an ε and a δ: releases that are made together are fixed in advance, and composed exactly. What they
    would not keep is refused.

    >>> from discreet import Geometric, PosteriorSpace
    >>> geometric = Geometric(PosteriorSpace(prior=[1, 1], n=50), epsilon="1/10")
    >>> Price(((geometric,), (geometric, geometric))).epsilon
    Fraction(1, 5)
    >>> Price(((geometric,),) * 40, together=(Fraction(3), Fraction(1, 10**6))).epsilon  # where the sum is 4
    Fraction(3, 1)
    """

    parts: tuple[tuple[Mechanism, ...], ...]
    together: tuple[Fraction, Fraction] | None = None

    def __post_init__(self) -> None:
        if len({mechanism.adjacency for part in self.parts for mechanism in part}) != 1:
            raise InvalidInput(
                "the columns are released under different adjacencies, or with groups that are public for some",
                hint="ask twice: their losses do not add up",
            )
        if self.together is not None and not self._keeps(*self.together):
            raise InvalidInput("all columns together cost more than is said", hint="give each of them less epsilon")

    def _keeps(self, epsilon: Fraction, delta: Fraction) -> bool:
        """Whether all releases together are (ε, δ)-DP, by the pairs that dominate them."""
        return compose_pairs(Counter(chain.from_iterable(map(_part_pairs, self.parts)))).delta(epsilon).exact <= delta

    @property
    def epsilon(self) -> Fraction:
        """ε of all of them together."""
        if self.together is not None:
            return self.together[0]
        return sum((max(mechanism.epsilon for mechanism in part) for part in self.parts), Fraction(0))

    @property
    def delta(self) -> Fraction:
        """δ of all of them together."""
        if self.together is not None:
            return self.together[1]
        return sum((max(mechanism.delta for mechanism in part) for part in self.parts), Fraction(0))

    @property
    def rho(self) -> Fraction:
        """ρ of all of them together, under zero-concentrated privacy."""
        return sum((max(map(rho_upper, part)) for part in self.parts), Fraction(0))

    @property
    def needs(self) -> list[tuple[Fraction, Fraction]]:
        """Of each part, its ε and its total variation, rounded up: what it needs of a schedule's slot."""
        return [(max(mechanism.epsilon for mechanism in part), _variation(_part_pairs(part))) for part in self.parts]

    @property
    def adjacency(self) -> str:
        """Which data sets are neighbours: the same for all."""
        return self.parts[0][0].adjacency


def _part_pairs(part: Sequence[Mechanism]) -> tuple[LossPair, ...]:
    """What dominates each of several mechanisms of which one meets a record: their pairs, if these are the same."""
    for mechanism in part:
        mechanism.require_guarantee()
    pairs = {mechanism.loss_pairs() for mechanism in part}
    if len(pairs) == 1:
        return pairs.pop()
    epsilon = max(Fraction(mechanism.guarantee) for mechanism in part)
    if all(len(each) == 1 for each in pairs):
        return (LinearPair(epsilon, max(pair.variation_upper for [pair] in pairs)),)
    return (GeometricPair(epsilon),)


def _variation(pairs: Sequence[LossPair]) -> Fraction:
    """The total variation of independent pairs together, rounded up."""
    if len(pairs) == 1:
        return pairs[0].variation_upper
    return multiple_upper(compose_pairs(Counter(pairs)).delta(0).exact, VARIATION_BITS)
