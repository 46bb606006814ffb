"""Numbers of the form constant + slope·e^ε with rational parts: what least δs are, exactly, even for irrational e^ε."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from flint import arb

from discreet.arithmetic.numbers import (
    Enclosure,
    ball,
    decide,
    exact,
    float_upper,
    fraction_lower,
    fraction_upper,
    precision,
)
from discreet.errors import InvalidInput

BITS = 192


def enclosure_of(value: arb) -> Enclosure:
    """Rational numbers on both sides of a ball's number."""
    return Enclosure(fraction_lower(value), fraction_upper(value))


def nonnegative_enclosure(value: arb) -> Enclosure:
    """The same for a number that is not negative."""
    return Enclosure(max(fraction_lower(value), Fraction(0)), fraction_upper(value))


def read_weights(
    weights: Mapping[Any, object], read: Callable[[Any], Any] = lambda point: point
) -> dict[Any, Fraction]:
    """Points with their weights, read exactly: at least 0 each, at most 1 in all."""
    exactly = {read(point): exact(weight, "a weight", minimum=0) for point, weight in weights.items()}
    if sum(exactly.values()) > 1:
        raise InvalidInput("a distribution has mass above 1", hint="lower its weights")
    return exactly


@dataclass(frozen=True)
class Log:
    """The logarithm of a rational number, for an ε whose e^ε is rational."""

    ratio: Fraction

    def __init__(self, ratio: object) -> None:
        object.__setattr__(self, "ratio", exact(ratio, "ratio", above=0))


@dataclass(frozen=True)
class Factor:
    """e^ε: a rational number, or the exponential of one, which is irrational."""

    epsilon: Fraction
    ratio: Fraction | None

    def ball(self) -> arb:
        """Its enclosure at the working precision."""
        return ball(self.ratio) if self.ratio is not None else ball(self.epsilon).exp()

    def between(self, bits: int) -> Enclosure:
        """Rational numbers on both sides of it, about 2^-bits apart relative to it; the same if it is rational."""
        if self.ratio is not None:
            return Enclosure(self.ratio, self.ratio)
        with precision(bits):
            return enclosure_of(self.ball())

    def exceeds(self, number: Fraction) -> bool:
        """Whether e^ε > number: decided, because an irrational number is never equal to a rational one."""
        if self.ratio is not None:
            return self.ratio > number

        def question() -> bool | None:
            gap = self.ball() - ball(number)
            return True if gap > 0 else False if gap < 0 else None

        return decide(question)


def factor_of(epsilon: object) -> Factor:
    """e^ε for an ε ≥ 0 given as a number, or as `Log(ratio)`."""
    if isinstance(epsilon, Log):
        if epsilon.ratio < 1:
            raise InvalidInput("epsilon must be at least 0", hint="give a ratio of at least 1", parameter="epsilon")
        return Factor(Fraction(0), epsilon.ratio)
    number = exact(epsilon, "epsilon", minimum=0)
    return Factor(number, Fraction(1) if number == 0 else None)


@dataclass(frozen=True)
class Affine:
    """constant + slope·e^ε, exactly. As a float it is rounded up.

    >>> gap = Affine(Fraction(1), Fraction(-1, 4), factor_of(1))
    >>> print(gap, float(gap))
    1 - 1/4·e^ε 0.3204295...
    """

    constant: Fraction
    slope: Fraction
    factor: Factor

    def enclosure(self, bits: int = BITS) -> Enclosure:
        """Rational numbers on both sides of it; the same if e^ε is rational or does not take part."""
        low, high = self.factor.between(bits)
        ends = (self.constant + self.slope * low, self.constant + self.slope * high)
        return Enclosure(min(ends), max(ends))

    def __float__(self) -> float:
        return float_upper(self.enclosure().upper)

    def __str__(self) -> str:
        if self.factor.ratio is not None or self.slope == 0:
            return str(self.enclosure().upper)
        sign = "-" if self.slope < 0 else "+"
        return f"{self.constant} {sign} {abs(self.slope)}·e^ε" if self.constant else f"{self.slope}·e^ε"
