"""Planted faults: mechanisms that claim more privacy than they have, each wrong in one way.

They are built from the right ones by one small change, as a slip in the library itself would be.
`tests/privacy_loss/test_faults.py` says how each is found out.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet import ExponentialLocal, ExponentialReciprocal, Geometric, LaplaceImproved, PosteriorSpace, calibrate
from discreet.mechanisms.exponential import Exponential
from discreet.mechanisms.exponential_law import ExponentialLaw
from discreet.mechanisms.laplace import LaplaceLaw
from discreet.mechanisms.law import CandidateLaw
from discreet.mechanisms.noisy_counts import NoisyLaw
from discreet.mechanisms.optimal import KernelLaw
from discreet.samplers.noise import RoundedLaplace, zero_sum
from discreet.typing import Outcome
from tests.support.enumeration import Floats

if TYPE_CHECKING:
    from flint import arb


class OnePercentMore(LaplaceImproved):
    """Noise that is one percent too small."""

    def law(self, counts: object) -> LaplaceLaw:
        noise = RoundedLaplace(self.rate * Fraction(101, 100), self.rounding)
        return LaplaceLaw(self.space, self.space.counts(counts), noise)


class AnotherN(ExponentialLocal):
    """A scale that was certified for fifty records, used for however many there are."""

    def __init__(self, space: PosteriorSpace, *, epsilon: Any) -> None:
        right = calibrate(self.name, PosteriorSpace(space.prior, 50), epsilon=epsilon)
        assert isinstance(right, ExponentialLocal)
        super().__init__(space, scale=right.scale)
        self._set(epsilon=right.epsilon, guarantee=right.guarantee, guaranteed_by=right.guaranteed_by)


class LinearWeights(ExponentialReciprocal):
    """Weights that fall in a straight line and are floored at zero."""

    def law(self, counts: object) -> CandidateLaw:  # type: ignore[override]  # a law of another shape: the fault
        right = super().law(counts)
        return KernelLaw(self.space, np.maximum(0.0, 1.0 + right.log_weights()))


class UnderflowingWeights(ExponentialLocal):
    """The right weights as floats: far from the data they underflow, and sooner where the rate is greater."""

    def law(self, counts: object) -> CandidateLaw:  # type: ignore[override]  # a law of another shape: the fault
        with np.errstate(under="ignore"):
            return KernelLaw(self.space, np.exp(super().law(counts).log_weights()))


class ProvedForAddRemove(LaplaceImproved):
    """Noise for one count that moves by one, as when a record is added; a replaced record moves two."""

    def __init__(self, space: PosteriorSpace, *, epsilon: Any) -> None:
        super().__init__(space, epsilon=epsilon, rate=epsilon)
        self._set(guarantee=self.epsilon, guaranteed_by="an added record moves one count by one")


class ClaimedForAddRemove(ExponentialReciprocal):
    """A mechanism for data sets of n records that says it protects against their number changing."""

    @property
    def adjacency(self) -> str:
        return "add-remove"


class OneWeightLaw(ExponentialLaw):
    """A law of which one weight is not what it should be, for one data set."""

    data: Outcome = (7, 13)
    outcome: Outcome = (2, 18)
    extra: int = 3
    in_floats: bool = True

    def log_weight(self, outcome: Outcome) -> arb:
        right = super().log_weight(outcome)
        return right + self.extra if (tuple(self.counts), outcome) == (self.data, self.outcome) else right

    def enclosures(self) -> Iterator[arb]:
        return (self.log_weight(r) for r in self.space.candidates())

    def log_weights(self) -> Floats:
        """What a scan sees; not what is drawn from, if `in_floats` says so."""
        shown = super().log_weights()
        if not self.in_floats and tuple(self.counts) == self.data:
            shown[self.space.candidates().index(self.outcome)] -= self.extra
        return shown


class OneWeight(ExponentialReciprocal):
    """One weight of one law is e³ times too large."""

    kind: type[OneWeightLaw] = OneWeightLaw

    def law(self, counts: object) -> ExponentialLaw:
        right = super().law(counts)
        return self.kind(right.space, right.counts, right._rate)


class OneDrawnWeight(OneWeight):
    """One weight that is drawn from is not the one that floats show."""

    class Law(OneWeightLaw):
        """Exact weights and floats that disagree."""

        in_floats = False

    kind = Law


class NotANumber(ExponentialReciprocal):
    """A law with a weight that is no number, as a careless formula makes one of 0/0."""

    class Law(ExponentialLaw):
        """Right but for one float."""

        def log_weights(self) -> Floats:
            shown = super().log_weights()
            if self.counts[0] == 5:
                shown[3] = np.nan
            return shown

    def law(self, counts: object) -> ExponentialLaw:
        right = super().law(counts)
        return self.Law(right.space, right.counts, right._rate)


class DoubledRate(Geometric):
    """Geometric noise forgets the half in its rate, exp(-ε‖v‖₁), and a replaced record costs 2ε."""

    def law(self, counts: object) -> NoisyLaw:
        return NoisyLaw(self.space.counts(counts), zero_sum(self.epsilon, self.space.k))


def flattered(mechanism: Exponential, claim: Fraction) -> Exponential:
    """The same law, with a loss that was never certified for it."""
    return mechanism.certified(claim, claim, "it was checked, somebody said")
