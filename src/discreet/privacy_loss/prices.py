"""What a request costs: worked out from the mechanisms that it releases by, so that nobody can state another price."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from discreet.errors import InvalidInput
from discreet.mechanisms.base import Mechanism
from discreet.privacy_loss.ranges import rho_upper


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
                "groups are public for one column and not for another", hint="ask twice: their losses do not add up"
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
