"""Wrong forms of geometric under add-remove: each tells more of one record, or of n, than it claims."""

from __future__ import annotations

from flint import arb

from discreet.arithmetic.numbers import ball
from discreet.mechanisms.geometric import Geometric
from discreet.mechanisms.noisy_counts import NoisyLaw
from discreet.samplers.noise import CountNoise, independent, zero_sum
from discreet.typing import Outcome


class TotalKept(Geometric):
    """The noise sums to zero, so that the noisy counts publish n."""

    @property
    def noise(self) -> CountNoise:
        return zero_sum(self.epsilon / 2, self.space.k)


class RateDoubled(Geometric):
    """The noise on each count is that of 2ε: the factor between add-remove and replace-one the wrong way round."""

    @property
    def noise(self) -> CountNoise:
        return independent(2 * self.epsilon, self.space.k)


class NoiseClamped(Geometric):
    """The noise itself is clamped: drawn again until no noisy count is negative, and so it depends on the counts."""

    class Law(NoisyLaw):
        """Weights on whole numbers ≥ 0 alone, whose sum is told by the counts."""

        noise: CountNoise

        def log_weight(self, outcome: Outcome) -> arb:
            return super().log_weight(outcome) if min(outcome) >= 0 else arb("-inf")

        def log_total(self) -> arb:
            q, total = (-ball(self.noise.rate)).exp(), ball(0)
            for count in self.counts:
                total += ((1 + q - q ** (count + 1)) / (1 - q)).log()
            return total

    def law(self, counts: object) -> NoisyLaw:
        return self.Law(self.space.counts(counts), self.noise)


class EmptyTableTold(Geometric):
    """An empty table is released as zeros, without noise."""

    class Law(NoisyLaw):
        """All zeros for no records."""

        def log_probability(self, outcome: Outcome) -> arb:
            if sum(self.counts) == 0:
                return ball(0) if not any(outcome) else arb("-inf")
            return super().log_probability(outcome)

    def law(self, counts: object) -> NoisyLaw:
        return self.Law(self.space.counts(counts), self.noise)
