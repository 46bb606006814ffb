"""Faults on the way of the installed command, from a file to what is printed: each tells more than is stated."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from discreet.counting import Tally
from discreet.counting.table import Table
from discreet.mechanisms import law
from discreet.mechanisms.exponential_law import ExponentialLaw
from discreet.mechanisms.noisy_counts import NoisyLaw
from discreet.mechanisms.tight import TightLaw
from discreet.mechanisms.tight_weights import TightWeights
from discreet.posteriors.partitions import partition_distances
from discreet.receipts import Receipt
from discreet.requests import run
from discreet.samplers.bits import Bits, SystemBits
from discreet.samplers.gaussian_noise import zero_sum_gaussian
from discreet.samplers.noise import zero_sum
from discreet.testing import HashedBits
from discreet.typing import Outcome
from tests.faults.planting import plant

Draw = Callable[..., Outcome]


def _moved(counts: Sequence[int], noise: Sequence[int]) -> Outcome:
    return tuple(c + v for c, v in zip(counts, noise, strict=True))


@plant("_draw", NoisyLaw)
def noise_of_twice_epsilon(right: Draw, self: Any, bits: Bits) -> Outcome:
    """The command's noise is that of a record added or removed, where one is replaced."""
    return _moved(self.counts, zero_sum(2 * self.noise.rate, self.noise.k).draw(bits))


@plant("_draw", NoisyLaw)
def noise_that_keeps_a_private_total(right: Draw, self: Any, bits: Bits) -> Outcome:
    """The command's noise sums to zero where the number of records is private."""
    return _moved(self.counts, zero_sum(self.noise.rate / 2, self.noise.k).draw(bits))


@plant("_draw", NoisyLaw)
def noise_forgotten_in_a_cell(right: Draw, self: Any, bits: Bits) -> Outcome:
    """The first count has no noise, and the last takes up what is missing."""
    first, *rest, last = right(self, bits)
    return (self.counts[0], *rest, last + first - self.counts[0])


@plant("_draw", NoisyLaw)
def cut_at_the_true_total(right: Draw, self: Any, bits: Bits) -> Outcome:
    """Noisy counts are cut to what is possible: at 0, and at the true number of records."""
    return tuple(min(max(z, 0), sum(self.counts)) for z in right(self, bits))


@plant("_draw", NoisyLaw)
def drawn_until_the_order_is_right(right: Draw, self: Any, bits: Bits) -> Outcome:
    """The draw is repeated until the largest count is the largest of the noisy ones."""
    while True:
        outcome = right(self, bits)
        if outcome[self.counts.index(max(self.counts))] == max(outcome):
            return outcome


@plant("_draw", ExponentialLaw)
def sensitivity_of_a_quarter(right: Draw, self: ExponentialLaw, bits: Bits) -> Outcome:
    """The scale of the exponential mechanism is divided by a quarter of the sensitivity."""
    return right(ExponentialLaw(self.space, self.counts, lambda: 4 * self._rate()), bits)


@plant("_draw", NoisyLaw)
def deviation_without_delta(right: Draw, self: Any, bits: Bits) -> Outcome:
    """Gaussian noise has the deviation of 1/ε at ε = 2, as if δ cost nothing."""
    return _moved(self.counts, zero_sum_gaussian(Fraction(1, 4), self.noise.k).draw(bits))


@plant("_draw", TightLaw)
def distance_of_both_counts(right: Draw, self: TightLaw, bits: Bits) -> Outcome:
    """The command draws by the distance in L1, which is twice the number of replaced records."""
    weights = TightWeights(partition_distances(self.space.n, self.space.k), 2 * self.weights.epsilon)
    return right(TightLaw(self.space, self.counts, weights), bits)


@plant("draw_bits", SystemBits)
def two_bits_of_each_word(right: Callable[..., int], self: SystemBits, count: int) -> int:
    """Of every word of bits two are drawn, and the rest are zeros."""
    return int(right(self, min(count, 2))) << max(count - 2, 0)


@plant("count_records", Table)
def counted_by_a_join(right: Callable[[Table], Tally], self: Table) -> Tally:
    """The table is joined with itself by its values, so that a count is squared."""
    tally = right(self)
    return replace(tally, places=tally.places**2)


def seeded_anew(patch: pytest.MonkeyPatch) -> None:
    """Each release begins with the same seed."""

    @plant("_draw_and_seal", run)
    def seeded(right: Callable[..., Receipt], *given: Any) -> Receipt:
        patch.setattr(law, "SYSTEM", HashedBits("seed"))
        return right(*given)

    seeded(patch)
