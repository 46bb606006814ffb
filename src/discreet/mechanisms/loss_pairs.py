"""Pairs of laws that dominate a mechanism: no two neighbours are told apart better than the two laws of the pair.

The privacy loss of a pair (P, Q) is L = ln P/Q under P. All pairs here are symmetric, P(-L) = e^-L·P(L), so the chances
of the losses above 0 say everything; what is left has the loss 0. The curve of a pair is

    δ(x) = Σ_L P(L)·max(0, 1 - e^(x-L)),

a convex function of e^x, and a pair dominates a mechanism if its curve is nowhere below δ*(x) of two neighbours. Three
facts give all that is here.

- *Splitting.* An outcome of loss L between a and b may be split into one of loss a and one of loss b with the same
  chances under P and under Q together. Who joins them again has the former pair: it is dominated by the new one.
- *Chords.* Points at or above a convex curve, joined by straight lines in e^x, lie above it.
- *Ranges.* If the losses between two neighbours lie between t-η and t, spreading each to these ends dominates them:
  δ(x) ≤ (1 - e^(t-η))·(1 - e^(x-t))/(1 - e^-η). It is greatest at t = (x+η)/2. So a mechanism whose losses have the
  range η, whichever t goes with whichever neighbours, has δ(x) ≤ (1 - e^((x-η)/2))²/(1 - e^-η).

Tests: `tests/privacy_loss/test_loss_pairs.py`, against the laws themselves.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise

from flint import arb

from discreet.arithmetic.numbers import ball, decide
from discreet.samplers.noise import Rounding

CHORDS = 64
"""Into so many chords a curve is cut, unless fewer are asked for."""

VARIATION_BITS = 64
"""A total variation is rounded up to a multiple of 2^-64, so that whoever compares two of them compares fractions."""

MAX_PARTS = 512
"""Among the grids of up to so many steps, the one that fits an irrational loss best is taken."""


class LossPair(ABC):
    """A symmetric pair of laws, by its losses above 0. Pairs that are equal have equal losses."""

    epsilon: Fraction
    """The largest loss."""
    is_exact = True
    """Whether its losses lie on the steps, and none had to be split."""
    range_rho: Fraction | None = None
    """η²/8, if the losses between the same two neighbours differ by at most η: they have no greater ρ."""

    @abstractmethod
    def chances(self, points: int) -> tuple[Fraction, list[arb]]:
        """A step, and the chances of the losses of one step, two steps, and so on, at the working precision.

        A pair that has to be cut takes about as many steps as there are `points`, and then dominates what was cut.
        """

    def beyond(self) -> arb:
        """The chance of losses that were cut off, and count as infinite; at the working precision."""
        return arb(0)

    def variation(self) -> arb:
        """δ(0), the total variation between the two laws, at the working precision."""
        step, chances = self.chances(CHORDS)
        return sum((-chance * (-ball(i * step)).expm1() for i, chance in enumerate(chances, 1)), arb(0))

    @cached_property
    def variation_upper(self) -> Fraction:
        """The total variation, rounded up to a multiple of 2^-64: the same number on every machine."""

        def upper_if_certain() -> Fraction | None:
            scaled = (self.variation() * arb(2) ** VARIATION_BITS).ceil()
            unique = scaled.unique_fmpz()
            return None if unique is None else Fraction(int(unique), 1 << VARIATION_BITS)

        return decide(upper_if_certain, start=4 * VARIATION_BITS)


@dataclass(frozen=True)
class GeometricPair(LossPair):
    """Geometric noise that keeps the sum of k counts; k = 2 is also the pair of a mechanism known by its ε alone.

    Neighbours differ by ε where one of two noises is at least 0 and the other at most 0. With x = e^-ε and
    N_k = Σ_j C(k-1, j)²·x^j that has the probability N_(k-1)/N_k: 1/(1+x) for k = 2, which is randomised response.

    >>> [round(float(GeometricPair(Fraction(1, 10), k).chances(1)[1][0]), 6) for k in (2, 3, 7)]
    [0.524979, 0.350278, 0.286533]
    """

    epsilon: Fraction
    k: int = 2

    def chances(self, points: int) -> tuple[Fraction, list[arb]]:
        """One loss above 0: ε."""
        x = (-ball(self.epsilon)).exp()
        return self.epsilon, [_squared_binomials(self.k - 2, x) / _squared_binomials(self.k - 1, x)]


def _squared_binomials(n: int, x: arb) -> arb:
    """Σ_j C(n, j)²·x^j."""
    total, term = arb(1), arb(1)
    for j in range(n):
        term = term * x * (n - j) ** 2 / (j + 1) ** 2
        total += term
    return total


@dataclass(frozen=True)
class LinearPair(LossPair):
    """Whatever has losses of at most ε and a total variation of at most this.

    Its curve is a straight line in e^x from the total variation at x = 0 to 0 at x = ε. Curves are convex, so every
    mechanism that is below it at both ends is below it between them.
    """

    epsilon: Fraction
    at_zero: Fraction

    @property
    def variation_upper(self) -> Fraction:
        """As it is said."""
        return self.at_zero

    def chances(self, points: int) -> tuple[Fraction, list[arb]]:
        """One loss above 0: ε."""
        return self.epsilon, [ball(self.at_zero) / -(-ball(self.epsilon)).expm1()]


@dataclass(frozen=True)
class LaplacePair(LossPair):
    """One count with rounded Laplace noise, moved by one record; clamping it is post-processing.

    Rounded down, the loss is rate, 0 or -rate, with chances ½, (1 - e^-rate)/2 and e^-rate/2. Rounded to the nearest,
    noise of 0 has the loss ln 2 + rate/2 - ln(1 + e^(-rate/2)), which no grid fits: it is split.
    """

    rate: Fraction
    rounding: Rounding

    @property
    def epsilon(self) -> Fraction:  # type: ignore[override]
        """The largest loss."""
        return self.rate

    @property
    def is_exact(self) -> bool:  # type: ignore[override]
        """Rounded down, all losses are multiples of the rate."""
        return self.rounding == "floor"

    def chances(self, points: int) -> tuple[Fraction, list[arb]]:
        """Losses of one rate, or on the grid that fits the loss of no noise best."""
        if self.is_exact:
            return self.rate, [arb(1) / 2]
        half = (-ball(self.rate) / 2).exp()
        loss = (2 / (half * (1 + half))).log()
        share = float(loss / ball(self.rate))  # the grid is chosen with floats; any grid is valid
        parts = min(range(1, max(2, min(points, MAX_PARTS)) + 1), key=lambda n: (abs(share * n - round(share * n)), n))
        step, chances = self.rate / parts, [arb(0)] * (parts + 1)
        chances[parts] += half / 2
        place = (loss / ball(step)).floor().unique_fmpz()
        assert place is not None, "an irrational loss lies between two steps"
        for at, chance in split(1 - half, loss, int(place), step):
            chances[at] += chance
        return step, chances[1:]


@dataclass(frozen=True)
class RangePair(LossPair):
    """Losses of at most ε whose range is at most η, between the same two neighbours: see *Ranges* above.

    >>> tuple(round(float(RangePair(Fraction(1), width).variation()), 6) for width in (Fraction(1), Fraction(2)))
    (0.244919, 0.462117)
    """

    epsilon: Fraction
    width: Fraction
    is_exact = False

    @property
    def range_rho(self) -> Fraction:  # type: ignore[override]
        """By its range: chords through its curve have a greater one."""
        return self.width * self.width / 8

    def chances(self, points: int) -> tuple[Fraction, list[arb]]:
        """The chords of the curve."""
        return chords(self.epsilon, points, self._curve)

    def _curve(self, x: Fraction) -> arb:
        t = min((x + self.width) / 2, self.epsilon)
        return (ball(t - self.width)).expm1() * (ball(x - t)).expm1() / -(-ball(self.width)).expm1()


@dataclass(frozen=True)
class CurvePair(LossPair):
    """The chords through points that are nowhere below a mechanism's δ*: at 0, one step, and so on up to ε."""

    epsilon: Fraction
    deltas: tuple[Fraction, ...]
    is_exact = False

    @property
    def variation_upper(self) -> Fraction:
        """The first of the points."""
        return self.deltas[0]

    def chances(self, points: int) -> tuple[Fraction, list[arb]]:
        """Chords through all points, or through every second, fourth and so on."""
        stride, count = 1, len(self.deltas)
        while count // stride > max(points, 1) and count % (2 * stride) == 0:
            stride *= 2
        step = self.epsilon / count
        return chords(self.epsilon, count // stride, lambda x: ball(self.deltas[int(x / step)]))


def split(chance: arb, loss: arb, place: int, step: Fraction) -> list[tuple[int, arb]]:
    """An outcome's chance, split between the steps below and above its loss: the same under P and under Q together."""
    share = (ball((place + 1) * step) - loss).expm1() / ball(step).expm1()
    return [(place, chance * share), (place + 1, chance * (1 - share))]


def chords(epsilon: Fraction, points: int, curve: Callable[[Fraction], arb]) -> tuple[Fraction, list[arb]]:
    """The losses above 0 of chords through a falling convex curve that is 0 at ε.

    A point where they do not certainly turn upwards is left out, which only raises them: so no chance is negative.
    """
    parts = max(1, min(points, CHORDS))
    step = epsilon / parts
    heights = [curve(i * step) for i in range(parts)] + [arb(0)]
    places = [ball(i * step).exp() for i in range(parts + 1)]

    def slope(one: int, other: int) -> arb:
        return (heights[other] - heights[one]) / (places[other] - places[one])

    corners: list[int] = []
    for i in range(parts + 1):
        while len(corners) > 1 and not slope(corners[-2], corners[-1]) < slope(corners[-1], i):
            corners.pop()
        corners.append(i)
    return step, _turns(corners, places, slope, parts)


def _turns(corners: Sequence[int], places: Sequence[arb], slope: Callable[[int, int], arb], parts: int) -> list[arb]:
    """The chance of a loss under P: e^x times the turn of the chords there."""
    chances = [arb(0)] * parts
    slopes = [slope(one, other) for one, other in pairwise(corners)] + [arb(0)]
    for i, (before, after) in zip(corners[1:], pairwise(slopes), strict=True):
        chances[i - 1] = places[i] * (after - before)
    return chances
