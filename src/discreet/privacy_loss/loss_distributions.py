"""Privacy loss distributions: what several releases cost together, exactly.

A pair of laws dominates a mechanism if no pair of neighbours is told apart better. Its loss ln P/Q under P has few
values here: -ε, 0 and ε for geometric, -ε and ε for a mechanism of which only ε is known (randomised response tells
neighbours apart at least as well). For geometric with k categories neighbours differ by ε where one of two noises is at
least 0 and the other at most 0. With x = e^-ε and N_k = Σ_j C(k-1, j)²·x^j that has the probability p = N_(k-1)/N_k,
which is 1/(1+x) for k = 2: the pair of a mechanism of which only ε is known.

Losses of releases add up, so their distributions are convolved, and

    δ(ε) = Σ_L P(L)·max(0, 1 - e^(ε-L))

is the least δ with which all of them together are (ε, δ)-DP, if every ε is fixed in advance; data and questions may
be chosen as one goes (docs/composition.md). Losses are multiples of a common step and chances are balls. Where no step
serves all, losses are rounded up to a grid, and `slack` says by how much at most. Tests:
`tests/privacy_loss/test_loss_distributions.py`, against enumeration and against dp_accounting.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, reduce

from flint import arb, arb_poly

from discreet.arithmetic.numbers import ball, exact, float_upper, fraction_lower, fraction_upper, precision
from discreet.errors import InvalidInput
from discreet.mechanisms import Mechanism
from discreet.typing import Epsilon

WORKING_BITS = 192
MAX_ATOMS = 1 << 16
"""Losses are rounded up to a grid where a common step would need more atoms."""


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
    """Losses of a dominating pair: `chances[i]` is the probability of the loss (first + i)·step under the first law.

    >>> from discreet import Geometric, PosteriorSpace
    >>> monthly = Geometric(PosteriorSpace(prior=[1, 1, 1], n=500), epsilon="1/10")
    >>> year = compose([monthly] * 100)
    >>> round(year.epsilon("1e-6"), 4), round(year.epsilon(0), 4)
    (3.8265, 10.0)
    """

    step: Fraction
    first: int
    chances: arb_poly
    slack: Fraction = Fraction(0)
    """No loss was rounded up by more than this."""

    @property
    def largest(self) -> Fraction:
        """The largest loss: ε without any δ."""
        return self.step * (self.first + self.chances.degree())

    def delta(self, epsilon: Epsilon) -> UpperBound:
        """The δ with which all together are (ε, δ)-DP."""
        asked = exact(epsilon, "epsilon", minimum=0)
        with precision(WORKING_BITS):
            above = fraction_upper(self._delta(asked))
            below = fraction_lower(self._delta(asked + self.slack))
        return UpperBound(max(above, Fraction(0)), max(below, Fraction(0)))

    def epsilon(self, delta: Epsilon) -> UpperBound:
        """The ε with which all together are (ε, δ)-DP."""
        allowed = exact(delta, "delta", minimum=0)
        if allowed >= 1:
            raise InvalidInput("delta must be less than 1", hint="give a small number, like 1e-6", parameter="delta")
        with precision(WORKING_BITS):
            above, below = self._epsilon(allowed)
        return UpperBound(above, max(below - self.slack, Fraction(0)))

    def _delta(self, epsilon: Fraction) -> arb:
        """Σ P(L)·(1 - e^(ε-L)) over the losses above ε."""
        i = max(math.floor(epsilon / self.step) + 1 - self.first, 0)
        if i >= len(self._tails):
            return arb(0)
        mass, rest = self._tails[i]
        return mass - ball(epsilon).exp() * rest

    def _epsilon(self, delta: Fraction) -> tuple[Fraction, Fraction]:
        """Above and below the ε of a δ: between two atoms, δ = A - e^ε·B."""
        low, high = max(-self.first, 0) - 1, len(self._tails) - 1
        while high - low > 1:  # δ at the atom `high` is certainly small enough
            middle = (low + high) // 2
            here = self._delta((self.first + middle) * self.step)
            low, high = (low, middle) if here <= ball(delta) else (middle, high)
        mass, rest = self._tails[high]
        if not rest > 0:
            return (self.first + high) * self.step, Fraction(0)
        wanted = (mass - ball(delta)) / rest
        if not wanted > 0:
            return max((self.first + high) * self.step, Fraction(0)), Fraction(0)
        found = wanted.log()
        end = (self.first + high) * self.step
        return max(min(fraction_upper(found), end), Fraction(0)), max(fraction_lower(found), Fraction(0))

    @cached_property
    def _tails(self) -> list[tuple[arb, arb]]:
        """For each atom, Σ P and Σ P·e^-L over it and all above."""
        with precision(WORKING_BITS):
            decay = (-ball(self.step)).exp()
            chances = self.chances.coeffs()
            mass, rest, found = arb(0), arb(0), []
            weight = (-ball(self.step * (self.first + len(chances) - 1))).exp()
            for chance in reversed(chances):
                mass, rest = mass + chance, rest + chance * weight
                found.append((mass, rest))
                weight = weight / decay
        return found[::-1]


def largest_loss_chance(epsilon: Fraction, k: int) -> arb:
    """p: the probability of the loss ε between neighbours, for geometric with k categories; in the current precision.

    >>> [round(float(largest_loss_chance(Fraction(1, 10), k)), 6) for k in (3, 7)]
    [0.350278, 0.286533]
    """
    x = (-ball(epsilon)).exp()
    fewer, all_ = (arb_poly([math.comb(size, j) ** 2 for j in range(size + 1)])(x) for size in (k - 2, k - 1))
    return fewer / all_


def loss_distribution(mechanism: Mechanism) -> LossDistribution:
    """The loss of a pair of laws that dominates a mechanism on its neighbours; `NotPrivate` if it has no guarantee.

    >>> from discreet import Geometric, PosteriorSpace
    >>> one = loss_distribution(Geometric(PosteriorSpace(prior=[1, 1], n=50), epsilon=1))
    >>> round(one.delta("1/2"), 6), round(one.epsilon(0), 6)
    (0.287649, 1.0)
    """
    return compose([mechanism])


def compose(releases: Iterable[Mechanism]) -> LossDistribution:
    """The loss of all releases together, if the ε of each is fixed in advance.

    >>> from discreet import Geometric, PosteriorSpace
    >>> space = PosteriorSpace(prior=[1, 1], n=500)
    >>> year = compose([Geometric(space, epsilon="1/4")] * 12 + [Geometric(space, epsilon=1)])
    >>> round(year.epsilon("1e-6"), 3), round(year.epsilon(0), 3)  # and not 12 · 0.25 + 1
    (3.999, 4.0)
    """
    times: Counter[tuple[Fraction, int]] = Counter()
    for release in releases:
        release.require_guarantee()
        times[release.epsilon, release.loss_categories] += 1
    if not times:
        raise InvalidInput("there is nothing to compose", hint="give at least one release")
    with precision(WORKING_BITS):
        return _together([_repeated(epsilon, k, m) for (epsilon, k), m in times.items()])


def _repeated(epsilon: Fraction, k: int, m: int) -> LossDistribution:
    """m releases of one ε: a power of a polynomial with three terms."""
    chance = largest_loss_chance(epsilon, k)
    least = (-ball(epsilon)).exp() * chance
    return LossDistribution(epsilon, -m, arb_poly([least, 1 - chance - least, chance]) ** m)


def _together(laws: Sequence[LossDistribution]) -> LossDistribution:
    """The sum of independent losses: on a common step, or where that is too fine on a grid, rounded up."""
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
        placed = [reduce(_sum, pair) for pair in pairs]
    return placed[0]


def _sum(one: LossDistribution, other: LossDistribution) -> LossDistribution:
    return LossDistribution(one.step, one.first + other.first, one.chances * other.chances, one.slack + other.slack)


def _on_grid(law: LossDistribution, step: Fraction) -> LossDistribution:
    """Losses rounded up to multiples of a step."""
    places = [math.ceil((law.first + i) * law.step / step) for i in range(law.chances.degree() + 1)]
    chances = [arb(0)] * (places[-1] - places[0] + 1)
    for place, chance in zip(places, law.chances.coeffs(), strict=True):
        chances[place - places[0]] += chance
    slack = Fraction(0) if (law.step / step).denominator == 1 else step
    return LossDistribution(step, places[0], arb_poly(chances), law.slack + slack)
