"""Noise that somebody else added to counts, as its publisher states it: P(published | count) of one cell.

Nothing about how it was drawn is checked. Counts that are clamped at 0 are published as 0 with the probability of the
whole tail. Away from what was published every likelihood falls at least as fast as its `Factor` promises: Laplace noise
by 1/scale at each step, Gaussian noise by d/σ² at the distance d, its tails too. `tests/inference/test_noisy.py` holds
each to sums and integrals that are written out.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np
from scipy.special import log_ndtr

from discreet.arithmetic.arrays import Floats
from discreet.arithmetic.numbers import exact
from discreet.errors import InvalidInput
from discreet.kernels.base import Factor, Rows
from discreet.samplers.noise import RoundedLaplace
from discreet.typing import Epsilon

__all__ = ["DiscreteGaussian", "DiscreteLaplace", "Gaussian", "Laplace", "StatedNoise"]

_FAR = 6.0
"""The distance, in σ, from which on the rate of a Gaussian is promised: windows are shortest for this one."""

_GONE = 36.0
"""A likelihood that is e^-36 of the greatest is beyond a float's digits."""


class StatedNoise(ABC):
    """Independent noise of a cell: one of `DiscreteLaplace`, `DiscreteGaussian`, `Laplace` and `Gaussian`."""

    is_whole: ClassVar = True
    """Whether only whole numbers are published."""

    def factor(self, value: Fraction, top: int | None, *, clamped: bool = False) -> Factor:
        """The likelihood of the counts 0 … `top` (without one, of all) given what was published."""
        reach, rate = self._promise()
        first, last = (_clamp(end, top) for end in (math.floor(value - reach), math.ceil(value + reach)))
        tail = clamped and value == 0

        def log(x: Rows) -> Floats:
            return self._log_tail(x) if tail else self._log(x, value)

        return Factor(first, last, rate, rate, log)

    @property
    def spread(self) -> float:
        """How far from the published number counts are looked at: until a float has no digits of their likelihood."""
        reach, rate = self._promise()
        return float(reach) + _GONE / rate

    @abstractmethod
    def _promise(self) -> tuple[Fraction, float]:
        """A distance, and by how much the logarithm falls at each step beyond it."""

    @abstractmethod
    def _log(self, x: Rows, value: Fraction) -> Floats:
        """ln P(value | x), up to a constant that no cell's count changes."""

    @abstractmethod
    def _log_tail(self, x: Rows) -> Floats:
        """ln P(0 or less | x)."""


@dataclass(frozen=True, init=False)
class _LaplaceNoise(StatedNoise):
    """P(t) ∝ e^(-|t|/scale), on whole numbers or as a density."""

    scale: Fraction

    def __init__(self, scale: Epsilon) -> None:
        object.__setattr__(self, "scale", exact(scale, "scale", above=0))

    def _promise(self) -> tuple[Fraction, float]:
        return Fraction(0), float(1 / self.scale)

    def _log(self, x: Rows, value: Fraction) -> Floats:
        return -np.abs(x - float(value)) / float(self.scale)

    def _log_tail(self, x: Rows) -> Floats:
        return self._log(x, Fraction(0))  # the tail from x on falls as fast as the noise itself


@dataclass(frozen=True, init=False)
class DiscreteLaplace(_LaplaceNoise):
    """Two-sided geometric noise: P(t) ∝ e^(-|t|/scale) on whole numbers.

    >>> DiscreteLaplace(scale=2)
    DiscreteLaplace(scale=Fraction(2, 1))
    """


@dataclass(frozen=True, init=False)
class _GaussianNoise(StatedNoise):
    """P(t) ∝ e^(-t²/2σ²), on whole numbers or as a density."""

    sigma: Fraction

    def __init__(self, sigma: Epsilon) -> None:
        object.__setattr__(self, "sigma", exact(sigma, "sigma", above=0))

    def _promise(self) -> tuple[Fraction, float]:
        return Fraction(_FAR) * self.sigma, _FAR / float(self.sigma)

    def _log(self, x: Rows, value: Fraction) -> Floats:
        return -(((x - float(value)) / float(self.sigma)) ** 2) / 2


@dataclass(frozen=True, init=False)
class DiscreteGaussian(_GaussianNoise):
    """Discrete Gaussian noise: P(t) ∝ e^(-t²/2σ²) on whole numbers.

    >>> DiscreteGaussian(sigma="3.2").sigma
    Fraction(16, 5)
    """

    def _log_tail(self, x: Rows) -> Floats:
        last = int(x.max()) + 2 + math.ceil(40 * self.sigma)  # what lies beyond is e^-800 of what does not
        steps = self._log(np.arange(int(x.min()), last + 1), Fraction(0))
        tails: Floats = np.logaddexp.accumulate(steps[::-1])[::-1][x - int(x.min())]
        return tails


@dataclass(frozen=True, init=False)
class _ContinuousNoise(StatedNoise):
    """Noise with a density. What was rounded has the probability of an interval."""

    rounded: bool

    @property
    def is_whole(self) -> bool:  # type: ignore[override]
        return self.rounded


@dataclass(frozen=True, init=False)
class Laplace(_ContinuousNoise, _LaplaceNoise):
    """Laplace noise of density ∝ e^(-|y|/scale); `rounded` if the noisy count was rounded to the nearest whole number.

    >>> Laplace(scale=0.5, rounded=True)
    Laplace(scale=Fraction(1, 2), rounded=True)
    """

    def __init__(self, scale: Epsilon, *, rounded: bool = False) -> None:
        super().__init__(scale)
        object.__setattr__(self, "rounded", rounded)

    def _log(self, x: Rows, value: Fraction) -> Floats:
        return self._whole.log_floats(int(value) - x)[0] if self.rounded else super()._log(x, value)

    def _log_tail(self, x: Rows) -> Floats:
        return self._whole.log_floats(-x)[1] if self.rounded else super()._log_tail(x)

    @property
    def _whole(self) -> RoundedLaplace:
        return RoundedLaplace(1 / self.scale, "nearest")


@dataclass(frozen=True, init=False)
class Gaussian(_ContinuousNoise, _GaussianNoise):
    """Gaussian noise of standard deviation σ; `rounded` if the noisy count was rounded to the nearest whole number.

    >>> Gaussian(sigma=2).is_whole, Gaussian(sigma=2, rounded=True).is_whole
    (False, True)
    """

    def __init__(self, sigma: Epsilon, *, rounded: bool = False) -> None:
        super().__init__(sigma)
        object.__setattr__(self, "rounded", rounded)

    def _log(self, x: Rows, value: Fraction) -> Floats:
        if not self.rounded:
            return super()._log(x, value)
        away = np.abs(x - float(value))
        near, far = (log_ndtr((side - away) / float(self.sigma)) for side in (0.5, -0.5))
        logs: Floats = near + np.log(-np.expm1(far - near))
        return logs

    def _log_tail(self, x: Rows) -> Floats:
        logs: Floats = log_ndtr(((0.5 if self.rounded else 0.0) - x) / float(self.sigma))
        return logs


def _clamp(end: int, top: int | None) -> int:
    return max(end, 0) if top is None else min(max(end, 0), top)


KINDS: dict[str, tuple[Callable[..., StatedNoise], str]] = {
    "discrete-laplace": (DiscreteLaplace, "scale"),
    "discrete-gaussian": (DiscreteGaussian, "sigma"),
    "laplace": (Laplace, "scale"),
    "gaussian": (Gaussian, "sigma"),
}
"""By name: the noise, and what its size is called."""


def parse_noise(text: str, size: object = None) -> StatedNoise:
    """A noise as people write it; its size may be told apart, where every cell has its own.

    >>> parse_noise("discrete-laplace scale=2"), parse_noise("gaussian rounded", 3)
    (DiscreteLaplace(scale=Fraction(2, 1)), Gaussian(sigma=Fraction(3, 1), rounded=True))
    """
    name, *words = text.split() or [""]
    if name not in KINDS:
        raise InvalidInput(f"the noise is one of {', '.join(KINDS)}", hint='write it like "discrete-laplace scale=2"')
    kind, called = KINDS[name]
    hint, arguments = f'write it like "{name} {called}=2"', {} if size is None else {called: size}
    for word in words:
        key, _, value = word.partition("=")
        if key == called and value and key not in arguments:
            arguments[key] = value
        elif word == "rounded" and not name.startswith("discrete"):
            arguments[word] = True
        else:
            raise InvalidInput(f"{word!r} says nothing about {name} noise", hint=hint)
    if called not in arguments:
        raise InvalidInput(f"{name} noise needs its {called}", hint=hint)
    return kind(**arguments)
