"""Privacy loss distributions: what several releases cost together, exactly.

Losses of releases add up, so the distributions of the pairs that dominate them (`discreet.mechanisms.loss_pairs`) are
convolved, and

    δ(ε) = Σ_L P(L)·max(0, 1 - e^(ε-L))

is the least δ with which all of them together are (ε, δ)-DP, if every ε is fixed in advance; data and questions may
be chosen as one goes (docs/composition.md). Losses are multiples of a common step. Where no step serves all, an outcome
is split between the two nearest, which dominates it, and `slack` says how far at most a loss was raised. Chances are
whole numbers of units of 2^-192, rounded up at every turn: so δ is never too small, and as true chances add up to 1, it
is too large by no more than these add up to beyond 1. Tests: `tests/privacy_loss/test_loss_distributions.py`, against
enumeration and against dp_accounting.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, reduce
from typing import ClassVar

from flint import arb, fmpz, fmpz_poly

from discreet.arithmetic.numbers import ball, exact, fixed_upper, float_upper, fraction_lower, fraction_upper, precision
from discreet.errors import InvalidInput
from discreet.mechanisms.gaussian_loss import GaussianLoss
from discreet.mechanisms.loss_pairs import GeometricPair, LossPair, split
from discreet.typing import Epsilon

UNIT_BITS = 192
"""Chances are multiples of 2^-192."""

WORKING_BITS = 320

MAX_ATOMS = 1 << 17
"""Outcomes are split on a coarser grid where a common step would need more losses."""


class UpperBound(float):
    """A float that is no less than the truth. `exact` is the bound that was proved, and the truth is above `lower`."""

    exact: Fraction
    lower: float

    def __new__(cls, above: Fraction, below: Fraction) -> UpperBound:
        """The bound as a float that is no less, and as it is."""
        bound = super().__new__(cls, float_upper(above))
        bound.exact, bound.lower = above, -float_upper(-below)
        return bound


@dataclass(frozen=True, eq=False)
class LossDistribution:
    """Losses of a dominating pair: `chances[i]` units is the probability of the loss (first + i)·step.

    >>> year = compose_pairs({GeometricPair(Fraction(1, 10), 3): 100})
    >>> round(year.epsilon("1e-6"), 4), round(year.epsilon(0), 4)
    (3.8265, 10.0)
    """

    step: Fraction
    first: int
    chances: fmpz_poly
    slack: Fraction = Fraction(0)
    """No loss was raised by more than this."""
    beyond: Fraction = Fraction(0)
    """The chance of losses that were cut off, and count as infinite."""

    @property
    def largest(self) -> Fraction:
        """The largest loss: ε without any δ."""
        return self.step * (self.first + self.chances.degree())

    @cached_property
    def excess(self) -> Fraction:
        """By how much the chances, rounded up, add up to more than 1."""
        return max(Fraction(int(self.chances(1)) - (1 << UNIT_BITS), 1 << UNIT_BITS), Fraction(0))

    def delta(self, epsilon: Epsilon) -> UpperBound:
        """The δ with which all together are (ε, δ)-DP; `lower` is certainly reached by the dominating pairs."""
        exact_epsilon = exact(epsilon, "epsilon", minimum=0)
        with precision(WORKING_BITS):
            above = fraction_upper(self._delta(exact_epsilon)) + self.beyond
            below = fraction_lower(self._delta(exact_epsilon + self.slack)) - self.excess
        return UpperBound(max(above, Fraction(0)), max(below, Fraction(0)))

    def epsilon(self, delta: Epsilon) -> UpperBound:
        """The ε with which all together are (ε, δ)-DP; `lower` is certainly reached by the dominating pairs."""
        allowed = exact(delta, "delta", minimum=0)
        if allowed >= 1:
            raise InvalidInput("delta must be less than 1", hint="give a small number, like 1e-6", parameter="delta")
        if 0 < self.beyond >= allowed:
            raise _needs_delta()
        with precision(WORKING_BITS):
            above, below = self._epsilon(allowed - self.beyond)[0], self._epsilon(allowed + self.excess)[1]
        return UpperBound(above, max(below - self.slack, Fraction(0)))

    def _delta(self, epsilon: Fraction) -> arb:
        """Σ P(L)·(1 - e^(ε-L)) over the losses above ε."""
        i = max(math.floor(epsilon / self.step) + 1 - self.first, 0)
        if i >= len(self._tails):
            return arb(0)
        mass, rest = self._tails[i]
        return mass - ball(epsilon).exp() * rest

    def _epsilon(self, delta: Fraction) -> tuple[Fraction, Fraction]:
        """Above and below the ε of a δ: between two losses, δ = A - e^ε·B."""

        def is_small_enough(place: int) -> bool:
            return self._delta((self.first + place) * self.step) <= ball(delta)

        last = len(self._tails) - 1
        place = bisect_left(range(last), True, lo=min(max(-self.first, 0), last), key=is_small_enough)
        end = max((self.first + place) * self.step, Fraction(0))
        mass, rest = self._tails[place]
        growth = (mass - ball(delta)) / rest
        if not growth > 0:
            return end, Fraction(0)
        epsilon = growth.log()
        return max(min(fraction_upper(epsilon), end), Fraction(0)), max(fraction_lower(epsilon), Fraction(0))

    @cached_property
    def _tails(self) -> list[tuple[arb, arb]]:
        """For each loss, Σ P and Σ P·e^-L over it and all above."""
        with precision(WORKING_BITS):
            growth, chances = ball(self.step).exp(), self.chances.coeffs()
            mass, rest, tails = fmpz(0), arb(0), []
            unit = arb(2) ** -UNIT_BITS
            weight = unit * (-ball(self.largest)).exp()
            for chance in reversed(chances):
                mass, rest = mass + chance, rest + weight * chance
                tails.append((unit * mass, rest))
                weight = weight * growth
        return tails[::-1]


@dataclass(frozen=True)
class GaussianLosses:
    """Losses of one kind of Gaussian noise, known in closed form: the same questions, and no largest loss."""

    loss: GaussianLoss
    slack: ClassVar[Fraction] = Fraction(0)

    def delta(self, epsilon: Epsilon) -> UpperBound:
        """The δ with which all together are (ε, δ)-DP."""
        below, above = self.loss.delta_bounds(exact(epsilon, "epsilon", minimum=0))
        return UpperBound(above, below)

    def epsilon(self, delta: Epsilon) -> UpperBound:
        """The ε with which all together are (ε, δ)-DP."""
        allowed = exact(delta, "delta", minimum=0)
        if not 0 < allowed < 1:
            raise _needs_delta()
        below, above = self.loss.epsilon_bounds(allowed)
        return UpperBound(above, below)


def _needs_delta() -> InvalidInput:
    return InvalidInput("Gaussian noise has no ε without a δ", hint="give a delta, like 1e-6", parameter="delta")


def compose_pairs(times: Mapping[LossPair, int]) -> LossDistribution:
    """The loss of so many independent draws from each pair."""
    if not times:
        raise InvalidInput("there is nothing to compose", hint="give at least one release")
    with precision(WORKING_BITS):
        return _add_losses([_repeat_pair(pair, m) for pair, m in times.items()])


def share_together(categories: Sequence[int], epsilon: Fraction, delta: Fraction) -> Fraction:
    """The ε of each of several releases that together are (ε, δ)-DP: the largest of four digits, rounded down.

    Each is geometric noise with so many categories, or with 2 whatever is known by its ε alone. It is never less than
    an equal share of ε, which needs no δ.

    >>> [float(share_together([k] * 40, Fraction(1), Fraction(1, 10**6))) for k in (2, 5)]  # where 1/40 is 0.025
    [0.03886, 0.0506]
    """
    least, times = epsilon / len(categories), Counter(categories)
    unit = Fraction(10) ** (math.floor(math.log10(least)) - 3)

    def costs_more(units: int) -> bool:
        pairs: dict[LossPair, int] = {GeometricPair(units * unit, k): m for k, m in times.items()}
        return compose_pairs(pairs).delta(epsilon).exact > delta

    first, end = math.floor(least / unit) + 1, math.floor(epsilon / unit) + 1
    units = bisect_left(range(end), True, lo=first, key=costs_more) - 1
    return max(units * unit, least)


def _repeat_pair(pair: LossPair, m: int) -> LossDistribution:
    """m draws from one pair: a power of a polynomial."""
    step, chances = pair.chances(MAX_ATOMS // (2 * m))
    mirrored = [chance * (-ball(i * step)).exp() for i, chance in enumerate(chances, 1)]
    rest = 1 - sum(chances, arb(0)) - sum(mirrored, arb(0))
    units = [max(fixed_upper(chance, UNIT_BITS), 0) for chance in (*reversed(mirrored), rest, *chances)]
    slack, beyond = Fraction(0) if pair.is_exact else step, fraction_upper(pair.beyond())
    power = LossDistribution(step, -len(chances), fmpz_poly(units), slack, beyond)
    powers = []
    while m:
        if m & 1:
            powers.append(power)
        m >>= 1
        power = _add_two(power, power) if m else power
    return reduce(_add_two, powers)


def _add_losses(laws: Sequence[LossDistribution]) -> LossDistribution:
    """The sum of independent losses: on a common step, or where that is too fine on a grid, split."""
    if len(laws) == 1:
        return laws[0]
    bottom = math.lcm(*(law.step.denominator for law in laws))
    step = Fraction(math.gcd(*(int(law.step * bottom) for law in laws)), bottom)
    reach = sum((law.step * law.chances.degree() for law in laws), Fraction(0))
    if reach / step > MAX_ATOMS:
        step = reach / MAX_ATOMS
    placed = sorted((_on_grid(law, step) for law in laws), key=lambda law: law.chances.degree())
    while len(placed) > 1:  # of equal lengths, so that products are quick
        pairs = [placed[i : i + 2] for i in range(0, len(placed), 2)]
        placed = [reduce(_add_two, pair) for pair in pairs]
    return placed[0]


def _add_two(one: LossDistribution, other: LossDistribution) -> LossDistribution:
    """Of two independent losses. Chances are rounded up, so no loss is lost."""
    product, unit = one.chances * other.chances, fmpz(1 << UNIT_BITS)
    almost = fmpz_poly([unit - 1] * (product.degree() + 1))  # of less than a unit, even of -1, FLINT's quotient is 0
    chances, beyond = (product + almost) // unit, one.beyond + other.beyond
    return LossDistribution(one.step, one.first + other.first, chances, one.slack + other.slack, beyond)


def _on_grid(law: LossDistribution, step: Fraction) -> LossDistribution:
    """Losses at multiples of a step; those between two are split."""
    ratio = law.step / step
    first, last = math.floor(law.first * ratio), math.ceil(law.largest / step)
    chances = [0] * (last - first + 1)
    if ratio.denominator == 1:
        for i, chance in enumerate(law.chances.coeffs()):
            chances[(law.first + i) * int(ratio) - first] = int(chance)
        return LossDistribution(step, first, fmpz_poly(chances), law.slack, law.beyond)
    for i, chance in enumerate(law.chances.coeffs()):
        loss = (law.first + i) * law.step
        place = math.floor(loss / step)
        parts = split(arb(chance), ball(loss), place, step) if place * step != loss else [(place, arb(chance))]
        for at, part in parts:
            chances[at - first] += max(fixed_upper(part, 0), 0)
    return LossDistribution(step, first, fmpz_poly(chances), law.slack + step, law.beyond)
