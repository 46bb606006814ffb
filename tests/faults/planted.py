"""Wrong mechanisms, each with one fault and a claim that ignores it: they look right, and must be caught.

A fault is planted in a subclass: what it overrides is what is wrong with it.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
from flint import arb
from numpy.typing import NDArray

from discreet import PosteriorSpace
from discreet.mechanisms import ExponentialGlobal, ExponentialLocal, ExponentialReciprocal, Geometric, LaplaceImproved
from discreet.posteriors.space import Counts
from discreet.samplers.noise import ZeroSum, zero_sum
from discreet.sensitivity.exact import Balls, local_by


class HalvedSensitivity(ExponentialGlobal):
    """The global sensitivity divided by two: the factor between s and ε applied twice."""

    def inverse_by(self, by: Balls, counts: Counts) -> arb:
        return 2 * super().inverse_by(by, counts)


class WrongNeighbour(Geometric):
    """Noise for one record added or removed, which moves counts by 1, where a replaced record moves them by 2."""

    @property
    def noise(self) -> ZeroSum:
        return zero_sum(self.epsilon, self.space.k)


class BelowLocalSomewhere(ExponentialGlobal):
    """The local sensitivity of balanced data for all data: below LS near the ends."""

    def inverse_by(self, by: Balls, counts: Counts) -> arb:
        half = self.space.n // 2
        return 1 / local_by(by, (half, self.space.n - half))


class BelowLocalAtOneDataSet(ExponentialReciprocal):
    """Right for all data but one corner, where S is a third of what it should be."""

    def inverse_by(self, by: Balls, counts: Counts) -> arb:
        corner = counts[0] == self.space.n
        return super().inverse_by(by, counts) * (3 if corner else 1)


class GrowthLeftOut(ExponentialLocal):
    """The local sensitivity under the claim of the global one: 2s, as if 1/S did not change."""

    def _smoothness(self) -> Fraction:
        return Fraction(0)


class NoiseTooSmall(LaplaceImproved):
    """Noise of scale 1/ε, which is enough for two categories, under the claim ε for more of them."""

    def __init__(self, space: PosteriorSpace, *, epsilon: Any, **options: Any) -> None:
        super().__init__(space, epsilon=epsilon, **options)
        self._set(rate=self.epsilon, guarantee=self.epsilon)


class FloatWeights(ExponentialGlobal):
    """Weights as floats: those that underflow are possible for some data sets and impossible for their neighbours."""

    def log_pmf(self, counts: object) -> NDArray[np.float64]:
        return _normalised(np.exp(self.law(counts).log_weights()))


class FlooredWeights(ExponentialGlobal):
    """Weights rounded down to a grid, a table of fixed-point numbers: small ones lose more than their share."""

    def log_pmf(self, counts: object) -> NDArray[np.float64]:
        return _normalised(np.floor(np.exp(self.law(counts).log_weights()) * 2**12))


def _normalised(weights: NDArray[np.float64]) -> NDArray[np.float64]:
    with np.errstate(divide="ignore"):
        log_pmf: NDArray[np.float64] = np.log(weights / weights.sum())
    return log_pmf
