"""What a request costs: worked out from the mechanisms that it releases by, so that nobody can state another price.

Under zero-concentrated privacy that follows from the losses of the pairs that dominate the mechanisms.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from discreet.errors import InvalidInput
from discreet.mechanisms.base import Mechanism
from discreet.mechanisms.loss_pairs import LossPair
from discreet.posteriors.space import exceeds
from discreet.privacy_loss.composition import rounded_up
from discreet.privacy_loss.enumerated_pairs import enumerated_pair
from discreet.privacy_loss.renyi_bounds import rho_of_pair

MAX_DATA_SETS = 128
"""Beyond so many data sets, a δ* at every loss takes too long to be asked for in passing."""


def loss_pairs(mechanism: Mechanism) -> tuple[LossPair, ...]:
    """Independent pairs that together dominate a mechanism; `NotPrivate` if it has no guarantee."""
    mechanism.require_guarantee()
    if mechanism.kernel.weighted and not exceeds(mechanism.space, MAX_DATA_SETS):
        return (enumerated_pair(mechanism),)
    return mechanism.loss_pairs()


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
    of one record is in one of them, so the dearest is the price of the part.

    >>> from discreet import Geometric, PosteriorSpace
    >>> geometric = Geometric(PosteriorSpace(prior=[1, 1], n=50), epsilon="1/10")
    >>> Price(((geometric,), (geometric, geometric))).epsilon
    Fraction(1, 5)
    """

    parts: tuple[tuple[Mechanism, ...], ...]

    def __post_init__(self) -> None:
        if len({mechanism.adjacency for part in self.parts for mechanism in part}) != 1:
            raise InvalidInput(
                "the columns are released under different adjacencies, or with groups that are public for some",
                hint="ask twice: their losses do not add up",
            )

    @property
    def epsilon(self) -> Fraction:
        """ε of all of them together."""
        return sum((max(mechanism.epsilon for mechanism in part) for part in self.parts), Fraction(0))

    @property
    def delta(self) -> Fraction:
        """δ of all of them together."""
        return sum((max(mechanism.delta for mechanism in part) for part in self.parts), Fraction(0))

    @property
    def rho(self) -> Fraction:
        """ρ of all of them together, under zero-concentrated privacy."""
        return sum((max(map(rho_upper, part)) for part in self.parts), Fraction(0))

    @property
    def adjacency(self) -> str:
        """Which data sets are neighbours: the same for all."""
        return self.parts[0][0].adjacency
