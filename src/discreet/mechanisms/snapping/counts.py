"""Snapping as a mechanism for posteriors: k-1 counts are snapped and put back on the simplex.

r_i = clamp(⌊Snap(c_i)⌉, 0, what is left) for i < k, and the last category takes the rest, as in laplace.py. Replacing a
record moves one snapped count by 1 if k = 2 and at most two otherwise, so each is snapped at ε or ε/2; what follows is
post-processing. Where Λ > 1, counts off the lattice have probability 0 for every data set alike.
Tests: `tests/mechanisms/snapping/test_counts.py`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, Self

import numpy as np
from flint import arb

from discreet.arithmetic.arrays import Wholes
from discreet.arithmetic.binary64 import Dyadic
from discreet.mechanisms.base import Mechanism, l1_sensitivity, read_epsilon
from discreet.mechanisms.law import ClampedLaw
from discreet.mechanisms.snapping.law import mass
from discreet.mechanisms.snapping.number import Snapping
from discreet.posteriors.space import Counts, PosteriorSpace
from discreet.samplers.bits import Bits
from discreet.typing import Epsilon


class SnappedCountsLaw(ClampedLaw):
    """The law of clamped, snapped counts: a product of exact dyadic probabilities."""

    def __init__(self, space: PosteriorSpace, counts: Counts, snapping: Snapping) -> None:
        super().__init__(space, counts)
        self.snapping = snapping
        self._masses: dict[tuple[int, int, int], Dyadic] = {}

    def _log_mass(self, count: int, value: int, left: int) -> arb:
        mass = self._mass(count, value, left)
        return mass.ball().log() if mass.mantissa else arb.neg_inf()

    def _mass(self, count: int, value: int, left: int) -> Dyadic:
        """The probability that a count is snapped to the value and clamped to what is left."""
        first = -self.snapping.last if value == 0 else self._first(value)
        last = self.snapping.last if value == left else self._first(value + 1) - 1
        if first > last:
            return Dyadic(0, 0)
        key = (count, first, last)
        if key not in self._masses:
            self._masses[key] = mass(self.snapping, Fraction(count), first, last)
        return self._masses[key]

    def _first(self, value: int) -> int:
        """The number of the first output that rounds to the value or more; the bound is at least n."""
        return math.ceil((value - Fraction(1, 2)) / Fraction(self.snapping.lattice))

    def _draw_noisy(self, bits: Bits, count: int) -> int:
        return math.floor(self.snapping.output(self.snapping._draw(Fraction(count), bits)) + 0.5)

    def _draw_many(self, bits: Bits, size: int) -> Wholes:
        return np.array([self._draw(bits) for _ in range(size)], dtype=np.int64).reshape(size, self.space.k)


@dataclass(frozen=True, kw_only=True, init=False, repr=False)
class SnappedCounts(Mechanism):
    """Counts released through the snapping mechanism: what floats can do at their best.

    >>> mechanism = SnappedCounts(PosteriorSpace(prior=[1, 1, 1], n=50), epsilon=1)
    >>> mechanism.snapping.lattice, mechanism.guarantee <= 1, sum(mechanism.release([20, 20, 10]).output)
    (4.0, True, 50)
    """

    name: ClassVar[str] = "snapping"
    snapping: Snapping

    def __init__(self, space: PosteriorSpace, *, epsilon: Epsilon) -> None:
        epsilon, sensitivity = read_epsilon(epsilon), l1_sensitivity(space)
        each = epsilon / sensitivity
        snapping = Snapping(epsilon=each, bound=max(space.n, 2 * math.ceil(1 / each)))
        self._set(
            space=space,
            epsilon=epsilon,
            snapping=snapping,
            guarantee=sensitivity * snapping.guarantee,
            guaranteed_by=f"Mironov's theorem, for at most {sensitivity} snapped counts moved by one record",
        )

    @classmethod
    def from_parameters(cls, space: PosteriorSpace, *, epsilon: Fraction, parameters: dict[str, Any]) -> Self:
        """They follow from n and ε; who reads a receipt compares them with the certificate's."""
        return cls(space, epsilon=epsilon)

    def law(self, counts: object) -> SnappedCountsLaw:
        """The exact law on candidates."""
        return SnappedCountsLaw(self.space, self.space.counts(counts), self.snapping)

    def parameters(self) -> dict[str, str]:
        """The noise's scale, the lattice and the bound."""
        snapping = self.snapping
        return {
            "noise_scale": str(Fraction(snapping.scale)),
            "lattice": str(Fraction(snapping.lattice)),
            "bound": str(snapping.bound),
        }
