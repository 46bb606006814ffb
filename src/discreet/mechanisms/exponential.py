"""The exponential mechanism with the Hellinger distance as its score, under four kinds of sensitivity.

P(r | c) ∝ exp(-s·H(c,r)/S(c)). If S(c) ≥ LS(c) everywhere and 1/S changes by at most Γ between adjacent data sets, the
privacy loss is at most 2s(1+Γ): H(c',r)/S(c') - H(c,r)/S(c) = [H(c',r) - H(c,r)]/S(c) + H(c',r)·[1/S(c') - 1/S(c)]
≤ 1 + Γ because H ≤ 1, and the numerator and the normaliser each contribute it once. By default the scale s is solved
from that, so `epsilon` is what the theorem guarantees; `as_published` keeps the seeds' s = ε/2.
Tests: `tests/mechanisms/test_guarantees.py` against brute force, with planted faults.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable, Iterator
from copy import copy
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, Self

import numpy as np
from flint import arb
from numpy.typing import NDArray

from discreet.arithmetic.lgamma_bounds import (
    SAFE,
    least_second_difference,
    least_second_differences,
    most_second_difference,
    most_second_differences,
)
from discreet.arithmetic.numbers import START_BITS, Range, ball, exact, precision, working_bits
from discreet.errors import InvalidInput
from discreet.mechanisms.base import EPSILON_RANGE, Mechanism, asked_epsilon
from discreet.mechanisms.law import CandidateLaw, require_outcome
from discreet.posteriors.distances import Affinity, hellinger_floats
from discreet.posteriors.space import Counts, PosteriorSpace, exceeds
from discreet.samplers.bits import Bits
from discreet.samplers.bulk_rejection import Proposals
from discreet.samplers.line_rejection import Envelope
from discreet.samplers.simplex_rejection import Tilted
from discreet.sensitivity.exact import (
    Arithmetic,
    balls,
    bracket,
    global_by,
    global_sensitivity,
    inverse_reciprocal_by,
    local_by,
    published_gamma,
    smooth_by,
)
from discreet.sensitivity.lipschitz import local_smoothness, reciprocal_smoothness, smooth_smoothness
from discreet.sensitivity.vectorised import Steps
from discreet.typing import Outcome

LISTED = 256
"""Laws on fewer candidates are drawn from by inversion, with the same number of bits for all data."""

LISTED_MANY = 2048
"""The same for three categories or more, whose other way of drawing takes longer to prepare."""

SCALE_RANGE = Range("1e-12", "1e7")

_TINY = 1e-300
"""Weights below this are 0 as floats, which no upper bound may be."""

SEEDS_DELTA = "1e-8"
"""The δ at which the seed documents choose their γ."""


class ExponentialLaw(CandidateLaw):
    """Weight exp(-rate·H(c,r)) on every candidate r, for a real rate = s/S(c) given by enclosures."""

    def __init__(
        self,
        space: PosteriorSpace,
        counts: Counts,
        rate: Callable[[], arb],
        rates: Callable[[], tuple[float, float]] | None = None,
    ) -> None:
        """`rates` gives floats certainly below and above the rate; without it they are read off the enclosure."""
        super().__init__(space)
        self.counts = counts
        self._rate = rate
        self._bracket = rates
        self._at: tuple[int, arb, Affinity] | None = None
        self._envelope: Envelope | None = None
        self._tilted: Tilted | None = None

    def log_weight(self, outcome: Outcome) -> arb:
        """-rate·H(c, outcome) at the working precision."""
        require_outcome(self.space, outcome)
        rate, affinity = self._prepared()
        return -rate * affinity.hellinger(outcome)

    def rate(self) -> arb:
        """s/S(c) at the working precision."""
        return self._prepared()[0]

    def enclosures(self) -> Iterator[arb]:
        """All log-weights, from one table for each category."""
        rate, affinity = self._prepared()
        return (-rate * distance for distance in affinity.all_hellinger(self.space.candidates()))

    def distances(self) -> NDArray[np.float64]:
        """H(c, r) for every candidate r."""
        return hellinger_floats(self.space.prior, self.counts, self.space.candidates().array())

    def _draw(self, bits: Bits) -> Outcome:
        if not self._long():
            return super()._draw(bits)
        if self.space.k > 2:
            return self._mixture().draw(bits)
        first = self.counts[0] + self._blocks().draw(bits)
        return first, self.space.n - first

    def _draw_many(self, bits: Bits, size: int) -> NDArray[np.int64]:
        if not self._long():
            return super()._draw_many(bits, size)

        if self.space.k > 2:
            return self.proposals().draw_many(bits, size)
        first = self.counts[0] + self._blocks().draw_many(bits, size, self._many_brackets())
        return np.stack([first, self.space.n - first], axis=1)

    def _long(self) -> bool:
        """Whether there are more candidates than are quickly listed."""
        return exceeds(self.space, LISTED if self.space.k == 2 else LISTED_MANY)

    def _mixture(self) -> Tilted:
        if self._tilted is None:
            self._tilted = Tilted(self.space, self.counts, self._rates()[0], self.log_weight)
        return self._tilted

    def proposals(self) -> Proposals:
        """The tilted sampler's proposals in bulk, for three categories or more: its normaliser, and many draws."""
        return Proposals(self._mixture(), self._rates())

    def _blocks(self) -> Envelope:
        if self._envelope is None:
            self._envelope = Envelope(self._weight_at, *self._brackets(), self.counts[0], self.counts[1])
        return self._envelope

    def _rates(self) -> tuple[float, float]:
        """Floats certainly below and above the rate."""
        if self._bracket is not None:
            return self._bracket()
        with precision(START_BITS):
            rate = self._rate()
        return math.nextafter(float(rate.lower()), 0.0), math.nextafter(float(rate.upper()), math.inf)

    def _brackets(self) -> tuple[Callable[[int], float], Callable[[int], float]]:
        """Floats that are certainly at most and at least the weight at an offset."""
        slow, fast = self._rates()
        slow, fast = slow * (1 - SAFE), fast * (1 + SAFE)
        (a, b), (c, d) = map(float, self.space.prior.parameters), self.counts

        def gap(of: Callable[[float, float, int], float], offset: int) -> float:
            # Whole numbers first: a float of a + c may have lost a, which is all that is left where c is taken away.
            down, up = min(offset, 0), max(offset, 0)
            return of(a + (c + down), a + (c + up), up - down) + of(b + (d - up), b + (d - down), up - down)

        def least(offset: int) -> float:
            return math.exp(-fast * math.sqrt(-math.expm1(-0.5 * gap(most_second_difference, offset)))) * (1 - SAFE)

        def most(offset: int) -> float:
            found = math.exp(-slow * math.sqrt(-math.expm1(-0.5 * gap(least_second_difference, offset))))
            return found * (1 + SAFE) + _TINY

        return least, most

    def _many_brackets(self) -> Callable[[NDArray[np.int64]], tuple[NDArray[np.float64], NDArray[np.float64]]]:
        """The same for the logarithms of the weights at many offsets."""
        slow, fast = self._rates()
        (a, b), (c, d) = map(float, self.space.prior.parameters), self.counts

        def brackets(offset: NDArray[np.int64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
            step = np.abs(offset).astype(np.float64)
            up, down = np.maximum(offset, 0), np.minimum(offset, 0)
            ends = (a + (c + down), a + (c + up), step), (b + (d - up), b + (d - down), step)
            near = sum(least_second_differences(*end) for end in ends)
            far = sum(most_second_differences(*end) for end in ends)
            return (
                -fast * (1 + SAFE) * np.sqrt(-np.expm1(-0.5 * far)),
                -slow * (1 - SAFE) * np.sqrt(-np.expm1(-0.5 * near)),
            )

        return brackets

    def _weight_at(self, offset: int) -> arb:
        return self.log_weight((self.counts[0] + offset, self.counts[1] - offset)).exp()

    def _prepared(self) -> tuple[arb, Affinity]:
        bits = working_bits()
        if self._at is None or self._at[0] != bits:
            self._at = bits, self._rate(), Affinity(self.space.prior, self.counts)
        return self._at[1], self._at[2]


@dataclass(frozen=True, kw_only=True, init=False, repr=False)
class Exponential(Mechanism):
    """What the four have in common: the scale, the law and the theorem."""

    scale: Fraction
    audited: str
    constant: ClassVar[bool] = False
    """Whether S is the same for all data."""

    def __init__(self, space: PosteriorSpace, *, epsilon: object = None, scale: object = None) -> None:
        if (epsilon is None) == (scale is None):
            raise InvalidInput(f"{self.name} needs epsilon or scale, and not both", hint="give `epsilon`, like 1")
        self._set(space=space, audited="")
        growth = 1 + self._smoothness()
        if scale is None:
            asked = asked_epsilon(epsilon)
            self._settle(asked, asked / (2 * growth), growth, asked)
        else:
            factor = exact(scale, "scale", above=0, between=SCALE_RANGE)
            loss = 2 * factor * growth
            self._settle(loss, factor, growth, loss)

    def _settle(self, epsilon: Fraction, scale: Fraction, growth: Fraction, guarantee: Fraction) -> None:
        self._set(
            epsilon=epsilon,
            scale=scale,
            guarantee=guarantee,
            guaranteed_by=f"2s(1+Γ) with s = {float(scale):.6g} and Γ ≤ {float(growth - 1):.6g}",
        )

    @classmethod
    def as_published(cls, space: PosteriorSpace, *, epsilon: object, **options: Any) -> Self:
        """The seeds' scale s = ε/2, whatever that guarantees.

        >>> ExponentialReciprocal.as_published(PosteriorSpace(prior=[1, 1], n=50), epsilon=1).guarantee
        Fraction(2, 1)
        """
        asked = asked_epsilon(epsilon)
        mechanism = cls(space, scale=asked / 2, **options)
        mechanism._settle(asked, asked / 2, mechanism.epsilon / asked, mechanism.epsilon)
        return mechanism

    @classmethod
    def from_parameters(cls, space: PosteriorSpace, *, epsilon: Fraction, parameters: dict[str, Any]) -> Self:
        """The theorem's member, if it has the scale; else the one with the scale, which nothing certifies yet."""
        options = dict(parameters)
        scale = exact(options.pop("scale"), "scale", above=0)
        nominal = cls(space, epsilon=epsilon, **options)
        if nominal.scale == scale:
            return nominal
        return cls(space, scale=scale, **options).certified(epsilon, math.inf, "nothing yet")

    def loss_range(self) -> Fraction:
        """At most 2s(1+Γ), which by the theorem is ε; a calibrated scale may have twice its certified loss instead."""
        loss = Fraction(self.guarantee)
        return min(2 * loss, 2 * self.scale * (1 + self._smoothness())) if self.audited else loss

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

        def rates() -> tuple[float, float]:
            low, high = bracket(self.space, lambda by: self.inverse_by(by, checked))
            scale = float(self.scale)
            return low * scale * (1 - SAFE), high * scale * (1 + SAFE)

        return ExponentialLaw(self.space, checked, lambda: ball(self.scale) * self.inverse_sensitivity(checked), rates)

    def inverse_sensitivity(self, counts: Counts) -> arb:
        """1/S(c) at the working precision. It is private, except for the global sensitivity."""
        found: arb = self.inverse_by(balls(self.space), counts)
        return found

    @abstractmethod
    def inverse_by(self, by: Arithmetic, counts: Counts) -> Any:
        """1/S(c) in any arithmetic, so that there is one formula for balls and for floats."""

    @classmethod
    def inverse_terms(cls, steps: Steps, gamma: float) -> list[NDArray[np.float64]]:
        """The terms whose least is 1/S(c), for many data sets: each is monotone on either side of balanced counts."""
        if cls not in KINDS:
            raise TypeError(f"{cls.__name__} may have a sensitivity of its own")
        return cls._terms(steps, gamma)

    @classmethod
    @abstractmethod
    def _terms(cls, steps: Steps, gamma: float) -> list[NDArray[np.float64]]: ...

    def inverse_sensitivities(self, rows: NDArray[np.int64]) -> NDArray[np.float64]:
        """1/S(c) of every row of counts, in floats."""
        return Steps(self.space, rows).inverse(type(self), self.smoothing)

    def rates(self, rows: NDArray[np.int64]) -> NDArray[np.float64]:
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

    def inverse_by(self, by: Arithmetic, counts: Counts) -> Any:
        """1/GS, the same for all data."""
        return 1 / global_by(by)

    @classmethod
    def _terms(cls, steps: Steps, gamma: float) -> list[NDArray[np.float64]]:
        """1/GS alone."""
        return [np.full(len(steps.rows), 1 / global_sensitivity(steps.space))]

    def _smoothness(self) -> Fraction:
        return Fraction(0)


class ExponentialLocal(Exponential):
    """S is the local sensitivity. At the seeds' scale it is not ε-DP; at its own scale it is.

    >>> ExponentialLocal(PosteriorSpace(prior=[1, 1], n=50), epsilon=1).scale < Fraction(1, 4)
    True
    """

    name: ClassVar[str] = "exponential-local"

    def inverse_by(self, by: Arithmetic, counts: Counts) -> Any:
        """1/LS(c)."""
        return 1 / local_by(by, counts)

    @classmethod
    def _terms(cls, steps: Steps, gamma: float) -> list[NDArray[np.float64]]:
        """1/LS(c) alone."""
        return [steps.local]

    def _smoothness(self) -> Fraction:
        return local_smoothness(self.space)


@dataclass(frozen=True, kw_only=True, init=False, repr=False)
class _Smoothed(Exponential):
    """Those with a smoothing rate γ."""

    gamma: Fraction

    def __init__(
        self, space: PosteriorSpace, *, epsilon: object = None, scale: object = None, gamma: object = None
    ) -> None:
        rate = (
            self._default_gamma(space, epsilon, scale)
            if gamma is None
            else exact(gamma, "gamma", above=0, between=EPSILON_RANGE)
        )
        self._set(gamma=rate)
        Exponential.__init__(self, space, epsilon=epsilon, scale=scale)

    @staticmethod
    def _default_gamma(space: PosteriorSpace, epsilon: object, scale: object) -> Fraction:
        return Fraction(1)

    @classmethod
    def _terms(cls, steps: Steps, gamma: float) -> list[NDArray[np.float64]]:
        """1/LS(c), and what the steps of other data sets become at their distances."""
        return [steps.local, *(cls._smoothed(inverse, gamma, distance) for inverse, distance in steps.far)]

    @staticmethod
    @abstractmethod
    def _smoothed(inverse: NDArray[np.float64], gamma: float, distance: NDArray[np.int64]) -> NDArray[np.float64]:
        """What the inverse of a step becomes at a distance."""

    @property
    def smoothing(self) -> float:
        """γ as a float."""
        return float(self.gamma)

    def parameters(self) -> dict[str, str]:
        """The scale and γ, exactly."""
        return {"scale": str(self.scale), "gamma": str(self.gamma)}


class ExponentialSmooth(_Smoothed):
    """S is exponentially smooth: the largest LS(c')·exp(-γd). By default with the seeds' γ at δ = 1e-8.

    >>> m = ExponentialSmooth(PosteriorSpace(prior=[1, 1], n=50), epsilon=1)
    >>> m.guarantee, round(float(m.gamma), 6)
    (Fraction(1, 1), 0.021464)
    """

    name: ClassVar[str] = "exponential-smooth"
    largest_gamma: ClassVar[float] = 1.0

    @staticmethod
    def _default_gamma(space: PosteriorSpace, epsilon: object, scale: object) -> Fraction:
        budget = asked_epsilon(epsilon) if epsilon is not None else 2 * exact(scale, "scale", above=0)
        return exact(published_gamma(space, budget, SEEDS_DELTA), "gamma")

    def inverse_by(self, by: Arithmetic, counts: Counts) -> Any:
        """1/S(c)."""
        return 1 / smooth_by(by, counts, by.number(self.gamma))

    @staticmethod
    def _smoothed(inverse: NDArray[np.float64], gamma: float, distance: NDArray[np.int64]) -> NDArray[np.float64]:
        found: NDArray[np.float64] = inverse * np.exp(np.minimum(gamma * distance, 600.0))
        return found

    @staticmethod
    def smoothed_step(most: float, gamma: float) -> float:
        """By the factor e^γ at most."""
        return most * math.expm1(gamma)

    def _smoothness(self) -> Fraction:
        return smooth_smoothness(self.space, self.gamma)


class ExponentialReciprocal(_Smoothed):
    """S is reciprocally smooth: 1/S is the least 1/LS(c') + γd. The seeds' M_H, with γ = 1.

    >>> ExponentialReciprocal(PosteriorSpace(prior=[1, 1], n=50), epsilon=1).scale
    Fraction(1, 4)
    """

    name: ClassVar[str] = "exponential-reciprocal"
    largest_gamma: ClassVar[float] = 3.0

    def inverse_by(self, by: Arithmetic, counts: Counts) -> Any:
        """1/S(c)."""
        return inverse_reciprocal_by(by, counts, by.number(self.gamma))

    @staticmethod
    def _smoothed(inverse: NDArray[np.float64], gamma: float, distance: NDArray[np.int64]) -> NDArray[np.float64]:
        found: NDArray[np.float64] = inverse + gamma * distance
        return found

    @staticmethod
    def smoothed_step(most: float, gamma: float) -> float:
        """By γ."""
        return gamma

    def _smoothness(self) -> Fraction:
        return reciprocal_smoothness(self.space, self.gamma)


KINDS: tuple[type[Exponential], ...] = (ExponentialGlobal, ExponentialLocal, ExponentialSmooth, ExponentialReciprocal)
