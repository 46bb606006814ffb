"""The pair of laws that Gaussian noise tells neighbours apart by, cut where next to nothing is left.

m releases of the same noise are one pair: their losses are multiples of 1/σ², and chances that are nowhere below the
true ones are known in closed form (`discreet.mechanisms.gaussian_loss`). Where these bounds are not sharp, because the
noise is narrow, each release is a pair of its own. Losses beyond the last step count as infinite.
Tests: `tests/privacy_loss/test_gaussian_pairs.py`, against enumeration and the closed form.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from flint import arb

from discreet.arithmetic.gaussian_sums import tail_sum
from discreet.arithmetic.numbers import ball, precision
from discreet.errors import InvalidInput
from discreet.mechanisms.gaussian_loss import BITS, GaussianLoss
from discreet.mechanisms.loss_pairs import LossPair

_CUT = 139
"""Losses whose chance is below e^-139 of the largest are cut off: less than 2^-200."""

MAX_SINGLE, MAX_GROUPS = 1 << 15, 1 << 12
"""More losses than the first are taken together, in so many groups as the second."""

SHARP = arb(2) ** -100
"""Bounds on chances that add up to no more than this beyond 1 are as good as the chances."""


@dataclass(frozen=True)
class GaussianPair(LossPair):
    """One release of Gaussian noise, or several of the same."""

    loss: GaussianLoss

    @property
    def epsilon(self) -> Fraction:  # type: ignore[override]
        """There is none."""
        raise InvalidInput("Gaussian noise has no largest loss", hint="give a delta, like 1e-6", parameter="delta")

    @property
    def is_exact(self) -> bool:  # type: ignore[override]
        """Whether there are so few losses that each has a step of its own."""
        return self._last + self.loss.times <= MAX_SINGLE

    @property
    def _last(self) -> int:
        """The last D that is kept."""
        return math.isqrt(math.ceil(4 * _CUT * self.loss.times * self.loss.variance)) + 1

    def chances(self, points: int) -> tuple[Fraction, list[arb]]:
        """Losses of whole multiples of 1/σ²; of very many, the larger ones of groups, which have their chances."""
        tails, variance, _ = self.loss.spread
        last, times = self._last, self.loss.times
        group = 1 if self.is_exact else -(-(last + times) // MAX_GROUPS)
        groups = [arb(0)] * -(-(last + times) // group)
        with precision(BITS):
            for weight, residue, stride in tails:
                first = 1 - times + (residue - 1 + times) % stride  # the first D with a loss above 0
                if group == 1:
                    for d in range(first, last + 1, stride):
                        groups[times + d - 1] += weight * (-ball(Fraction(d * d) / (2 * variance))).exp()
                    continue
                ends = [
                    first + (i * group - times + 1 - first + stride - 1) // stride * stride
                    for i in range(len(groups) + 1)
                ]
                sums = [weight * tail_sum(variance, max(end, first), stride) for end in ends]
                for i, (from_start, from_end) in enumerate(pairwise(sums)):
                    groups[i] += from_start - from_end
        return group / self.loss.variance, groups

    def beyond(self) -> arb:
        """The chance of all losses that were cut off."""
        tails, variance, _ = self.loss.spread
        with precision(BITS):
            return sum((weight * tail_sum(variance, self._last + 1) for weight, _, _ in tails), arb(0))


def gaussian_pairs(loss: GaussianLoss, times: int) -> Counter[LossPair]:
    """The pairs of so many releases, and how often each is drawn from."""
    together = GaussianLoss(loss.variance, loss.k, times)
    if together.spread.excess < SHARP:
        return Counter({GaussianPair(together): 1})
    return Counter({GaussianPair(loss): times})
