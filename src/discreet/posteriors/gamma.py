"""Gamma distributions: priors and posteriors of rates, with exact parameters."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from flint import arb
from scipy.special import gammaincinv

from discreet.arithmetic.numbers import ball, exact, exact_share, nearest_float, whole
from discreet.errors import InvalidInput


@dataclass(frozen=True, slots=True, init=False)
class Gamma:
    """A Gamma distribution of a rate, with density ∝ λ^(shape-1)·e^(-rate·λ).

    A rate of 0 makes it improper: `Gamma("1/2", 0)`, Jeffreys' prior, has proper posteriors.

    >>> Gamma(2, 100).update(7, 1000)
    Gamma(9, 1100)
    >>> Gamma(9, 1100).mean, [round(end, 5) for end in Gamma(9, 1100).interval()]
    (0.008181818181818182, [0.00374, 0.01433])
    """

    shape: Fraction
    rate: Fraction

    def __init__(self, shape: object, rate: object) -> None:
        object.__setattr__(self, "shape", exact(shape, "shape", above=0))
        object.__setattr__(self, "rate", exact(rate, "rate", minimum=0))

    @property
    def mean(self) -> float:
        """The expected rate; infinite where it is improper."""
        return float(self.shape / self.rate) if self.rate else math.inf

    @property
    def sd(self) -> float:
        """The standard deviation of the rate; infinite where it is improper."""
        return math.sqrt(self.shape) / float(self.rate) if self.rate else math.inf

    def interval(self, level: object = 0.95) -> tuple[float, float]:
        """The equal-tailed interval: its low and its high end."""
        if not self.rate:
            raise InvalidInput("an improper prior has no interval", hint="give a rate above 0")
        tail = float((1 - exact_share(level, "level")) / 2)
        low, high = (gammaincinv(float(self.shape), p) / float(self.rate) for p in (tail, 1 - tail))
        return float(low), float(high)

    def update(self, events: object, exposure: object) -> Gamma:
        """The posterior after so many events in an exposure: person-years, inhabitants."""
        seen, during = whole(events, "a number of events"), exact(exposure, "exposure", above=0)
        updated = object.__new__(Gamma)
        object.__setattr__(updated, "shape", self.shape + seen)
        object.__setattr__(updated, "rate", self.rate + during)
        return updated

    def hellinger(self, other: Gamma) -> float:
        """The Hellinger distance, sqrt(1 - BC), correct to the last float.

        Between posteriors of the same exposure BC = Γ((x+y)/2)/sqrt(Γ(x)·Γ(y)) for the shapes x and y.

        >>> round(Gamma(8, 5).hellinger(Gamma(9, 5)), 9)
        0.124473268
        """
        if not (self.rate and other.rate):
            raise InvalidInput("an improper prior has no distance", hint="compare posteriors")
        if self == other:
            return 0.0

        def distance() -> arb:
            x, y, middle = ball(self.shape), ball(other.shape), ball((self.shape + other.shape) / 2)
            log = middle.lgamma() - (x.lgamma() + y.lgamma()) / 2
            log += (x * ball(self.rate).log() + y * ball(other.rate).log()) / 2
            log -= middle * ball((self.rate + other.rate) / 2).log()
            return (-log.expm1()).nonnegative_part().sqrt()

        return nearest_float(distance)

    def __repr__(self) -> str:
        return f"Gamma({', '.join(f'{float(number):.12g}' for number in (self.shape, self.rate))})"


def as_gamma(prior: object) -> Gamma:
    """A prior of a rate as people give it: a Gamma, or its shape and rate, also as text.

    >>> as_gamma("0.5, 0")
    Gamma(0.5, 0)
    """
    if isinstance(prior, Gamma):
        return prior
    parts = prior.split(",") if isinstance(prior, str) else prior
    if not isinstance(parts, list | tuple) or len(parts) != 2:
        raise InvalidInput("a prior of rates is a shape and a rate", hint="like 0.5,0", parameter="prior")
    return Gamma(*(part.strip() if isinstance(part, str) else part for part in parts))
