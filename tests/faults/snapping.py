"""Snapping mechanisms that are wrong in one thing each: what public implementations got wrong, and what they might."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

from discreet import Snapping
from discreet.arithmetic.binary64 import DIGITS, Dyadic, unit


class LogOneUnitOff(Snapping):
    """A logarithm that is one unit in the last place too large, as a fast one may be."""

    def _log(self, rank: int) -> float:
        return math.nextafter(super()._log(rank), math.inf)


class TowardZero(Snapping):
    """The sum is cut to a multiple of Λ, and not rounded."""

    def _snap(self, y: float) -> int:
        return math.trunc(y / self.lattice)


class TiesToEven(Snapping):
    """Python's round, which takes ties to the even multiple."""

    def _snap(self, y: float) -> int:
        return round(y / self.lattice)


class FixedGrid(Snapping):
    """Uniforms that are multiples of 2⁻⁵³, as common generators give them: there is none below 2⁻⁵³ but 0."""

    def _below(self, rank: int) -> Dyadic:
        u = unit(rank)
        return Dyadic(
            -(-u.mantissa >> -u.exponent - DIGITS) if u.exponent < -DIGITS else u.mantissa << u.exponent + DIGITS,
            -DIGITS,
        )


class EndsWithBinary64(Snapping):
    """The doubles of (0, 1) and no more: exact above 2⁻¹⁰²², multiples of 2⁻¹⁰⁷⁴ below, 0 with what is left."""

    def _below(self, rank: int) -> Dyadic:
        u = unit(rank)
        return u if u.exponent >= -1074 else Dyadic(-(-u.mantissa >> -1074 - u.exponent), -1074)


class LatticeTooSmall(Snapping):
    """Λ is the power of two below λ, and not the one above."""

    def __init__(self, *, epsilon: Any, bound: object, sensitivity: object = 1) -> None:
        super().__init__(epsilon=epsilon, bound=bound, sensitivity=sensitivity)
        self._set(lattice=self.lattice / 2)


class ScaledInFloats(Snapping):
    """The value is divided by its sensitivity in floats, so that neighbours may end up farther apart than 1."""

    def scaled(self, value: object) -> Fraction:
        there = Fraction(float(Fraction(str(value))) / float(self.sensitivity))
        return min(max(there, -self.reach), self.reach)


class ScaleTooSmall(Snapping):
    """λ is too small by one part in a million."""

    def __init__(self, *, epsilon: Any, bound: object, sensitivity: object = 1) -> None:
        super().__init__(epsilon=epsilon, bound=bound, sensitivity=sensitivity)
        self._set(scale=self.scale * (1 - 1e-6))
