"""The two Laplace mechanisms of the papers, with exact integer noise instead of a float Laplace.

r_i = clamp(c_i + noise_i, 0, what is left) for i < k, and the last category takes the rest, so the result is always a
candidate. A whole number plus Laplace noise, rounded, is the whole number plus rounded noise: an integer law whose
masses are exponentials of rationals. Replacing a record moves the k-1 noisy counts by 1 in all if k = 2 and by at most
2 otherwise; rounding and clamping are post-processing. Tests: `tests/mechanisms/test_guarantees.py`.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, Self

import numpy as np
from flint import arb

from discreet.arithmetic.arrays import Wholes
from discreet.arithmetic.numbers import exact
from discreet.mechanisms.base import EPSILON_RANGE, Mechanism, l1_sensitivity, read_epsilon, require_choice
from discreet.mechanisms.law import ClampedLaw
from discreet.mechanisms.loss_pairs import LaplacePair, LossPair
from discreet.posteriors.space import Counts, PosteriorSpace
from discreet.samplers.bits import Bits
from discreet.samplers.noise import RoundedLaplace, Rounding
from discreet.typing import Epsilon


class LaplaceLaw(ClampedLaw):
    """The law of clamped counts with rounded Laplace noise."""

    def __init__(self, space: PosteriorSpace, counts: Counts, noise: RoundedLaplace) -> None:
        super().__init__(space, counts)
        self.noise = noise

    def _log_mass(self, count: int, value: int, left: int) -> arb:
        if value == 0:
            return self.noise.at_most(-count).log()
        step = value - count
        return (self.noise.at_least(step) if value == left else self.noise.mass(step)).log()

    def _draw_noisy(self, bits: Bits, count: int) -> int:
        return count + self.noise.draw(bits)

    def _draw_many(self, bits: Bits, size: int) -> Wholes:
        left = np.full(size, self.space.n, dtype=np.int64)
        columns = []
        for count in self.counts[:-1]:
            value = np.minimum(np.maximum(count + self.noise.draw_many(bits, size), 0), left)
            columns.append(value)
            left = left - value
        return np.stack([*columns, left], axis=1)


@dataclass(frozen=True, kw_only=True, init=False, repr=False)
class _LaplaceFamily(Mechanism):
    """What the two have in common: the law and its loss of rate·sensitivity."""

    rate: Fraction
    rounding: Rounding

    def __init__(
        self, space: PosteriorSpace, *, epsilon: Epsilon, rounding: Rounding = "nearest", rate: object = None
    ) -> None:
        require_choice("rounding", rounding, ("nearest", "floor"))
        epsilon, sensitivity = read_epsilon(epsilon), l1_sensitivity(space)
        exact_rate = self._rate(epsilon, space) if rate is None else exact(rate, "rate", above=0, between=EPSILON_RANGE)
        self._set(
            space=space,
            epsilon=epsilon,
            rate=exact_rate,
            rounding=rounding,
            guarantee=exact_rate * sensitivity,
            guaranteed_by=f"Laplace noise of scale {1 / exact_rate} on counts that move by at most {sensitivity}",
        )

    @classmethod
    def at_full_loss(cls, space: PosteriorSpace, *, epsilon: Epsilon) -> Self:
        """The member of the family that spends all of ε: the largest rate that its theorem allows."""
        epsilon = read_epsilon(epsilon)
        return cls(space, epsilon=epsilon, rate=epsilon / l1_sensitivity(space))

    @classmethod
    def from_parameters(cls, space: PosteriorSpace, *, epsilon: Fraction, parameters: dict[str, Any]) -> Self:
        """With the rate of the noise's scale, if one is given."""
        options = dict(parameters)
        if "noise_scale" in options:
            options["rate"] = 1 / exact(options.pop("noise_scale"), "noise scale", above=0)
        return cls(space, epsilon=epsilon, **options)

    @staticmethod
    def _rate(epsilon: Fraction, space: PosteriorSpace) -> Fraction:
        """1/scale of the noise: the largest that ε allows."""
        return epsilon / l1_sensitivity(space)

    @classmethod
    def as_published(cls, space: PosteriorSpace, *, epsilon: Epsilon, **options: Any) -> Self:
        """The papers round down. A result that would leave the space is truncated in the order of categories."""
        return cls(space, epsilon=epsilon, rounding="floor", **options)

    def law(self, counts: object) -> LaplaceLaw:
        """The exact law on candidates."""
        return LaplaceLaw(self.space, self.space.counts(counts), RoundedLaplace(self.rate, self.rounding))

    def loss_pairs(self) -> tuple[LossPair, ...]:
        """One for each of the noisy counts that a replaced record moves."""
        return (LaplacePair(self.rate, self.rounding),) * l1_sensitivity(self.space)

    def parameters(self) -> dict[str, str]:
        """The noise's scale and how it is rounded."""
        return {"noise_scale": str(1 / self.rate), "rounding": self.rounding}


class Laplace(_LaplaceFamily):
    """The papers' baseline: noise of scale k/ε, more than is needed.

    >>> Laplace(PosteriorSpace(prior=[1, 1, 1, 1], n=50), epsilon=1).guarantee
    Fraction(1, 2)
    """

    name: ClassVar[str] = "laplace"

    @staticmethod
    def _rate(epsilon: Fraction, space: PosteriorSpace) -> Fraction:
        return epsilon / space.k


class LaplaceImproved(_LaplaceFamily):
    """The papers' improved baseline: noise of scale 1/ε for two categories and 2/ε for more.

    >>> LaplaceImproved(PosteriorSpace(prior=[1, 1, 1, 1], n=50), epsilon=1).guarantee
    Fraction(1, 1)
    """

    name: ClassVar[str] = "laplace-improved"
