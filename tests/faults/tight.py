"""Wrong forms of the tight-constraints mechanism: weights, signs and distances."""

from __future__ import annotations

from fractions import Fraction

from flint import arb

from discreet.arithmetic.numbers import ball
from discreet.mechanisms import TightConstraints
from discreet.mechanisms.tight import TightLaw
from discreet.mechanisms.tight_weights import FixedPoint, TightWeights
from discreet.posteriors.partitions import partition_distances
from discreet.typing import Outcome


class _Own(TightConstraints):
    """With weights of its own, whatever their signs."""

    @property
    def weights(self) -> TightWeights:
        return TightWeights(partition_distances(self.space.n, self.space.k), self.epsilon)

    def law(self, counts: object) -> TightLaw:
        return TightLaw(self.space, self.space.counts(counts), self.weights)


class _Millionth(TightWeights):
    def fixed(self, bits: int) -> FixedPoint:
        middle, radius, unit = super().fixed(bits)
        return FixedPoint([middle[0] + middle[0] // 10**6, *middle[1:]], radius, unit)


class WeightOffByAMillionth(_Own):
    """The weight of one partition is a millionth too large."""

    @property
    def weights(self) -> TightWeights:
        return _Millionth(partition_distances(self.space.n, self.space.k), self.epsilon)


class NegativeWeightAccepted(_Own):
    """Negative weights are not refused."""

    def __init__(self, *arguments: object, epsilon: object, **options: object) -> None:
        super().__init__(*arguments, epsilon=1, **options)  # type: ignore[arg-type]
        self._set(epsilon=Fraction(str(epsilon)), guarantee=Fraction(str(epsilon)))


class _Half(TightLaw):
    def log_weight(self, outcome: Outcome) -> arb:
        steps = self.space.adjacency.distance(self.counts, outcome)
        return super().log_weight(outcome) + ball(self.weights.epsilon * steps / 2)


class HalfTheDistance(_Own):
    """The law falls with half the distance for which the weights were solved."""

    def law(self, counts: object) -> TightLaw:
        return _Half(self.space, self.space.counts(counts), self.weights)


class TwiceTheDistance(_Own):
    """The distance is that of the counts in L1, which is twice the number of replaced records."""

    @property
    def weights(self) -> TightWeights:
        return TightWeights(partition_distances(self.space.n, self.space.k), 2 * self.epsilon)
