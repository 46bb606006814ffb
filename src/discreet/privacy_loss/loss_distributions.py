"""Privacy loss distributions: what several releases cost together, exactly.

A pair of laws dominates a mechanism if no pair of neighbours is told apart better. Its loss ln P/Q under P has few
values here: -ε, 0 and ε for geometric, -ε and ε for a mechanism of which only ε is known (randomised response tells
neighbours apart at least as well). Losses of releases add up, so their distributions are convolved, and

    δ(ε) = Σ_L P(L)·max(0, 1 - e^(ε-L))

is the least δ with which all of them together are (ε, δ)-DP, if every ε is fixed in advance; data and questions may
be chosen as one goes (docs/composition.md). Losses are multiples of a common step and chances are balls. Where no step
serves all, losses are rounded up to a grid, and `slack` says by how much at most. Tests:
`tests/privacy_loss/test_loss_distributions.py`, against enumeration and against dp_accounting.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from flint import arb, arb_poly

from discreet.arithmetic.numbers import ball, exact, float_upper, fraction_lower, fraction_upper, precision
from discreet.errors import InvalidInput
from discreet.mechanisms import Mechanism

WORKING_BITS = 192
MAX_ATOMS = 1 << 16
"""Losses are rounded up to a grid where a common step would need more atoms."""

Atoms = tuple[tuple[int, Callable[[], arb]], ...]
"""Multiples of a loss, and the chance of each."""


class UpperBound(float):
    """A float that is no less than the truth. `exact` is the bound that was proved, and the truth is above `lower`."""

    exact: Fraction
    lower: float

    def __new__(cls, above: Fraction, below: Fraction) -> UpperBound:
        """The bound as a float that is no less, and as it is."""
        bound = super().__new__(cls, float_upper(above))
        bound.exact, bound.lower = above, float(below)
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

    def delta(self, epsilon: object) -> UpperBound:
        """The δ with which all together are (ε, δ)-DP."""
        asked = exact(epsilon, "epsilon", minimum=0)
        with precision(WORKING_BITS):
            above = fraction_upper(self._delta(asked))
            below = fraction_lower(self._delta(asked + self.slack))
        return UpperBound(max(above, Fraction(0)), max(below, Fraction(0)))

    def epsilon(self, delta: object) -> UpperBound:
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


def loss_distribution(mechanism: Mechanism) -> LossDistribution:
    """The loss of a pair of laws that dominates a mechanism on its neighbours; `NotPrivate` if it has no guarantee.

    >>> from discreet import Geometric, PosteriorSpace
    >>> one = loss_distribution(Geometric(PosteriorSpace(prior=[1, 1], n=50), epsilon=1))
    >>> round(one.delta("1/2"), 6), round(one.epsilon(0), 6)
    (0.287651, 1.0)
    """
    mechanism.require_guarantee()
    return _power(mechanism.loss_step, mechanism.loss_atoms(), 1)


def compose(releases: Iterable[Mechanism | LossDistribution]) -> LossDistribution:
    """The loss of all releases together, whose ε are fixed in advance.

    >>> from discreet import Geometric, PosteriorSpace
    >>> space = PosteriorSpace(prior=[1, 1], n=500)
    >>> mixed = [Geometric(space, epsilon="1/4")] * 12 + [Geometric(space, epsilon=1)]
    >>> round(compose(mixed).epsilon("1e-6"), 4) < 4
    True
    """
    times: Counter[object] = Counter()
    laws: dict[object, Callable[[int], LossDistribution]] = {}
    for release in releases:
        if isinstance(release, LossDistribution):
            key: object = id(release)
            laws[key] = lambda m, own=release: _repeated(own, m)
        else:
            release.require_guarantee()
            key = release.loss_key
            laws[key] = lambda m, own=release: _power(own.loss_step, own.loss_atoms(), m)
        times[key] += 1
    if not times:
        raise InvalidInput("there is nothing to compose", hint="give at least one release")
    with precision(WORKING_BITS):
        return _together([laws[key](m) for key, m in times.items()])


def _power(step: Fraction, atoms: Atoms, m: int) -> LossDistribution:
    """m independent losses, each a multiple of the step."""
    first = min(place for place, _ in atoms)
    with precision(WORKING_BITS):
        chances = [arb(0)] * (max(place for place, _ in atoms) - first + 1)
        for place, chance in atoms:
            chances[place - first] += chance()
        return LossDistribution(step, m * first, arb_poly(chances) ** m)


def _repeated(law: LossDistribution, m: int) -> LossDistribution:
    return LossDistribution(law.step, m * law.first, law.chances**m, m * law.slack)


def _together(laws: list[LossDistribution]) -> LossDistribution:
    """The sum of independent losses: on a common step, or where that is too fine on a grid, rounded up."""
    if len(laws) == 1:
        return laws[0]
    bottom = math.lcm(*(law.step.denominator for law in laws))
    step = Fraction(math.gcd(*(int(law.step * bottom) for law in laws)), bottom)
    reach = sum((law.step * law.chances.degree() for law in laws), Fraction(0))
    if reach / step > MAX_ATOMS:
        step = reach / MAX_ATOMS
    first, chances, slack = 0, arb_poly([1]), Fraction(0)
    for law in laws:
        start = math.ceil(law.first * law.step / step)
        places = [arb(0)] * (math.ceil((law.first + law.chances.degree()) * law.step / step) - start + 1)
        for i, chance in enumerate(law.chances.coeffs()):
            places[math.ceil((law.first + i) * law.step / step) - start] += chance
        first, chances = first + start, chances * arb_poly(places)
        slack += law.slack + (Fraction(0) if (law.step / step).denominator == 1 else step)
    return LossDistribution(step, first, chances, slack)
