"""The exponential mechanism with the Hellinger distance as its score, under four kinds of sensitivity.

P(r | c) ∝ exp(-s·H(c,r)/S(c)). If S(c) ≥ LS(c) everywhere and 1/S changes by at most Γ between adjacent data sets, the
privacy loss is at most 2s(1+Γ): H(c',r)/S(c') - H(c,r)/S(c) = [H(c',r) - H(c,r)]/S(c) + H(c',r)·[1/S(c') - 1/S(c)]
≤ 1 + Γ because H ≤ 1, and the numerator and the normaliser each contribute it once. By default the scale s is solved
from that, so `epsilon` is what the theorem guarantees; `as_published` keeps the papers' s = ε/2.
Tests: `tests/mechanisms/test_guarantees.py` against brute force, with planted faults.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from copy import copy
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, Self

import numpy as np
from flint import arb

from discreet.arithmetic.arrays import Floats, Wholes
from discreet.arithmetic.numbers import Range, ball, exact
from discreet.errors import InvalidInput
from discreet.mechanisms.base import EPSILON_RANGE, Mechanism, read_epsilon
from discreet.mechanisms.exponential_law import ExponentialLaw
from discreet.mechanisms.loss_pairs import LossPair, RangePair
from discreet.posteriors.space import Counts, PosteriorSpace
from discreet.sensitivity.exact import (
    Balls,
    global_by,
    global_sensitivity,
    inverse_reciprocal_by,
    local_by,
    published_gamma,
    smooth_by,
)
from discreet.sensitivity.lipschitz import local_smoothness, reciprocal_smoothness, smooth_smoothness
from discreet.sensitivity.vectorised import Steps
from discreet.typing import Epsilon

SCALE_RANGE = Range("1e-12", "1e7")

PUBLISHED_DELTA = "1e-8"
"""The δ at which the papers choose their γ."""


@dataclass(frozen=True, kw_only=True, init=False, repr=False)
class Exponential(Mechanism):
    """What the four have in common: the scale, the law and the theorem."""

    scale: Fraction
    audited: str
    constant: ClassVar[bool] = False
    """Whether S is the same for all data."""

    def __init__(self, space: PosteriorSpace, *, epsilon: Epsilon | None = None, scale: object = None) -> None:
        if (epsilon is None) == (scale is None):
            raise InvalidInput(f"{self.name} needs epsilon or scale, and not both", hint="give `epsilon`, like 1")
        self._set(space=space, audited="")
        growth = self._smoothness()
        if scale is None:
            factor = read_epsilon(epsilon) / (2 * (1 + growth))
        else:
            factor = exact(scale, "scale", above=0, between=SCALE_RANGE)
        loss = 2 * factor * (1 + growth)
        self._set(
            epsilon=loss,
            scale=factor,
            guarantee=loss,
            guaranteed_by=f"2s(1+Γ) with s = {float(factor):.6g} and Γ ≤ {float(growth):.6g}",
        )

    @classmethod
    def as_published(cls, space: PosteriorSpace, *, epsilon: Epsilon, **options: Any) -> Self:
        """The papers' scale s = ε/2, whatever that guarantees.

        >>> ExponentialReciprocal.as_published(PosteriorSpace(prior=[1, 1], n=50), epsilon=1).guarantee
        Fraction(2, 1)
        """
        epsilon = read_epsilon(epsilon)
        mechanism = cls(space, scale=epsilon / 2, **options)
        mechanism._set(epsilon=epsilon)
        return mechanism

    @classmethod
    def from_parameters(cls, space: PosteriorSpace, *, epsilon: Fraction, parameters: dict[str, Any]) -> Self:
        """The theorem's member, if it has the scale; else the one with the scale, which nothing certifies yet."""
        options = dict(parameters)
        scale = exact(options.pop("scale"), "scale")
        by_theorem = cls(space, epsilon=epsilon, **options)
        if by_theorem.scale == scale:
            return by_theorem
        return cls(space, scale=scale, **options).certified(epsilon, math.inf, "nothing yet")

    def loss_range(self) -> Fraction:
        """At most 2s(1+Γ), which by the theorem is ε; a calibrated scale may have twice its certified loss instead."""
        loss = Fraction(self.guarantee)
        return min(2 * loss, 2 * self.scale * (1 + self._smoothness())) if self.audited else loss

    def loss_pairs(self) -> tuple[LossPair, ...]:
        """By the largest loss and the range of the losses."""
        return (RangePair(Fraction(self.guarantee), self.loss_range()),)

    def certified(self, epsilon: Fraction, loss: Fraction | float, by: str, *, method: str = "enumeration") -> Self:
        """The same law with a loss that was certified for it, by enumeration or bounds, in place of the theorem's."""
        same = copy(self)
        same._set(epsilon=epsilon, guarantee=loss, guaranteed_by=by, audited=method)
        return same

    @property
    def proved_by(self) -> str:
        """A theorem, or for a calibrated scale what certified it: enumeration, or bounds."""
        return self.audited or "theorem"

    def law(self, counts: object) -> ExponentialLaw:
        """The exact law on candidates."""
        checked = self.space.counts(counts)
        return ExponentialLaw(self.space, checked, lambda: ball(self.scale) * self.inverse_sensitivity(checked))

    def inverse_sensitivity(self, counts: Counts) -> arb:
        """1/S(c) at the working precision. It is private, except for the global sensitivity."""
        return self.inverse_by(Balls(self.space), counts)

    @abstractmethod
    def inverse_by(self, by: Balls, counts: Counts) -> arb:
        """1/S(c), with steps of these sizes."""

    @classmethod
    def inverse_terms(cls, steps: Steps, gamma: float) -> list[Floats]:
        """The terms whose least is 1/S(c), for many data sets: each is monotone on either side of balanced counts."""
        if cls not in KINDS:
            raise TypeError(f"{cls.__name__} may have a sensitivity of its own")
        return cls._terms(steps, gamma)

    @classmethod
    @abstractmethod
    def _terms(cls, steps: Steps, gamma: float) -> list[Floats]: ...

    def inverse_sensitivities(self, rows: Wholes) -> Floats:
        """1/S(c) of every row of counts, in floats."""
        return Steps(self.space, rows).inverse(type(self), self.smoothing)

    def rates(self, rows: Wholes) -> Floats:
        """s/S(c) of every row of counts, in floats."""
        return float(self.scale) * self.inverse_sensitivities(rows)

    @property
    def smoothing(self) -> float:
        """γ, or 0 where nothing is smoothed."""
        return 0.0

    @staticmethod
    def smoothed_step(most: float, gamma: float) -> float:
        """By how much a smoothed term of 1/S that is at most `most` may change between neighbours."""
        return 0.0

    @abstractmethod
    def _smoothness(self) -> Fraction:
        """Γ, or an upper bound on it."""

    def parameters(self) -> dict[str, str]:
        """The scale, exactly."""
        return {"scale": str(self.scale)}


class ExponentialGlobal(Exponential):
    """The textbook exponential mechanism: S is the global sensitivity, and ε = 2s.

    >>> ExponentialGlobal(PosteriorSpace(prior=[1, 1], n=50), epsilon=1).scale
    Fraction(1, 2)
    """

    name: ClassVar[str] = "exponential-global"
    constant: ClassVar[bool] = True

    def inverse_by(self, by: Balls, counts: Counts) -> arb:
        return 1 / global_by(by)

    @classmethod
    def _terms(cls, steps: Steps, gamma: float) -> list[Floats]:
        return [np.full(len(steps.rows), 1 / global_sensitivity(steps.space))]

    def _smoothness(self) -> Fraction:
        return Fraction(0)


class ExponentialLocal(Exponential):
    """S is the local sensitivity. At the papers' scale it is not ε-DP; at its own scale it is.

    >>> ExponentialLocal(PosteriorSpace(prior=[1, 1], n=50), epsilon=1).scale < Fraction(1, 4)
    True
    """

    name: ClassVar[str] = "exponential-local"

    def inverse_by(self, by: Balls, counts: Counts) -> arb:
        return 1 / local_by(by, counts)

    @classmethod
    def _terms(cls, steps: Steps, gamma: float) -> list[Floats]:
        return [steps.local]

    def _smoothness(self) -> Fraction:
        return local_smoothness(self.space)


@dataclass(frozen=True, kw_only=True, init=False, repr=False)
class _SmoothedExponential(Exponential):
    """Those with a smoothing rate γ."""

    gamma: Fraction

    def __init__(
        self, space: PosteriorSpace, *, epsilon: Epsilon | None = None, scale: object = None, gamma: object = None
    ) -> None:
        if gamma is None:
            rate = self._default_gamma(space, epsilon, scale)
        else:
            rate = exact(gamma, "gamma", above=0, between=EPSILON_RANGE)
        self._set(gamma=rate)
        Exponential.__init__(self, space, epsilon=epsilon, scale=scale)

    @staticmethod
    def _default_gamma(space: PosteriorSpace, epsilon: Epsilon | None, scale: object) -> Fraction:
        return Fraction(1)

    @classmethod
    def _terms(cls, steps: Steps, gamma: float) -> list[Floats]:
        """1/LS(c), and what the steps of other data sets become at their distances."""
        return [steps.local, *(cls._smooth(inverse, gamma, distance) for inverse, distance in steps.far)]

    @staticmethod
    @abstractmethod
    def _smooth(inverse: Floats, gamma: float, distance: Wholes) -> Floats:
        """What the inverse of a step becomes at a distance."""

    @property
    def smoothing(self) -> float:
        """γ as a float."""
        return float(self.gamma)

    def parameters(self) -> dict[str, str]:
        """The scale and γ, exactly."""
        return {"scale": str(self.scale), "gamma": str(self.gamma)}


class ExponentialSmooth(_SmoothedExponential):
    """S is exponentially smooth: the largest LS(c')·exp(-γd). By default with the papers' γ at δ = 1e-8.

    >>> m = ExponentialSmooth(PosteriorSpace(prior=[1, 1], n=50), epsilon=1)
    >>> m.guarantee, round(float(m.gamma), 6)
    (Fraction(1, 1), 0.021464)
    """

    name: ClassVar[str] = "exponential-smooth"
    largest_gamma: ClassVar[float] = 1.0

    @staticmethod
    def _default_gamma(space: PosteriorSpace, epsilon: Epsilon | None, scale: object) -> Fraction:
        budget = read_epsilon(epsilon) if epsilon is not None else 2 * exact(scale, "scale", above=0)
        return exact(published_gamma(space, budget, PUBLISHED_DELTA), "gamma")

    def inverse_by(self, by: Balls, counts: Counts) -> arb:
        return 1 / smooth_by(by, counts, ball(self.gamma))

    @staticmethod
    def _smooth(inverse: Floats, gamma: float, distance: Wholes) -> Floats:
        smoothed: Floats = inverse * np.exp(np.minimum(gamma * distance, 600.0))
        return smoothed

    @staticmethod
    def smoothed_step(most: float, gamma: float) -> float:
        """By the factor e^γ at most."""
        return most * math.expm1(gamma)

    def _smoothness(self) -> Fraction:
        return smooth_smoothness(self.space, self.gamma)


class ExponentialReciprocal(_SmoothedExponential):
    """S is reciprocally smooth: 1/S is the least 1/LS(c') + γd. The papers' M_H, with γ = 1.

    >>> ExponentialReciprocal(PosteriorSpace(prior=[1, 1], n=50), epsilon=1).scale
    Fraction(1, 4)
    """

    name: ClassVar[str] = "exponential-reciprocal"
    largest_gamma: ClassVar[float] = 3.0

    def inverse_by(self, by: Balls, counts: Counts) -> arb:
        return inverse_reciprocal_by(by, counts, ball(self.gamma))

    @staticmethod
    def _smooth(inverse: Floats, gamma: float, distance: Wholes) -> Floats:
        smoothed: Floats = inverse + gamma * distance
        return smoothed

    @staticmethod
    def smoothed_step(most: float, gamma: float) -> float:
        """By γ."""
        return gamma

    def _smoothness(self) -> Fraction:
        return reciprocal_smoothness(self.space, self.gamma)


KINDS: tuple[type[Exponential], ...] = (ExponentialGlobal, ExponentialLocal, ExponentialSmooth, ExponentialReciprocal)
