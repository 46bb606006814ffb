"""The exact binary64 output distribution of a snapping mechanism, by bisection over its uniforms.

With the sign fixed the output is monotone in U, and P(U < u) = u, so the probability of "this output or beyond" is
the number next above the last uniform that reaches it: 53 binary digits, and an exponent that may be far below what a
float can hold. A probability is half the difference of two of them.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from discreet.arithmetic.binary64 import DIGITS, ONE, ZERO, Dyadic, last_rank, middle_below, rank_below
from discreet.arithmetic.numbers import ball, float_upper, precision
from discreet.errors import TooLarge

if TYPE_CHECKING:
    from discreet.mechanisms.snapping.number import Snapping

LISTED = 1 << 13
"""The most outputs that are listed one by one."""

NEAR = 256
"""Of more outputs, this many on either side of the inputs are listed."""


@dataclass(frozen=True, eq=False, repr=False)
class SnappedLaw:
    """The outputs number `first`, `first`+1, … with their probabilities, and what lies `below` and `above` them."""

    snapping: Snapping
    first: int
    masses: tuple[Dyadic, ...]
    below: Dyadic
    above: Dyadic

    @property
    def complete(self) -> bool:
        """Whether every output is listed."""
        return not self.below.mantissa and not self.above.mantissa

    @property
    def mass_is_one(self) -> bool:
        """Whether all probabilities sum to exactly one; added from the ends, where they are least."""
        middle = max(range(len(self.masses)), key=lambda i: self.masses[i].exponent, default=0)
        left, right = self.below, self.above
        for mass in self.masses[:middle]:
            left = left.plus(mass)
        for mass in reversed(self.masses[middle:]):
            right = right.plus(mass)
        return not left.plus(right).minus(ONE).mantissa

    def items(self) -> Iterator[tuple[float, Dyadic]]:
        """Each listed output with its probability."""
        for index, mass in enumerate(self.masses, start=self.first):
            yield self.snapping.output(index), mass

    def probabilities(self) -> dict[float, Fraction]:
        """Each listed output with its probability as a rational number, digit for digit."""
        return {output: mass.fraction() for output, mass in self.items()}

    def __repr__(self) -> str:
        return f"<{type(self).__name__}>"


def whole_law(snapping: Snapping, x: Fraction) -> SnappedLaw:
    """The law with every output listed, if they are few enough."""
    outputs = 2 * snapping.last + 1
    if outputs > LISTED:
        raise TooLarge(
            f"this mechanism has {outputs} outputs, more than the {LISTED} that are listed",
            hint="lower the bound or epsilon, or use verify, which lists those near the value and encloses the rest",
        )
    return law_between(snapping, x, -snapping.last, snapping.last)


def law_near(snapping: Snapping, inputs: list[Fraction]) -> list[SnappedLaw]:
    """The laws of some inputs on the same outputs: all of them, or those around the inputs if they are too many."""
    if 2 * snapping.last + 1 <= LISTED:
        first, last = -snapping.last, snapping.last
    else:
        near = [math.floor(x / Fraction(snapping.lattice)) for x in inputs]
        first = max(min(near) - NEAR, -snapping.last)
        last = min(max(near) + NEAR, snapping.last)
    return [law_between(snapping, x, first, last) for x in inputs]


def law_between(snapping: Snapping, x: Fraction, first: int, last: int) -> SnappedLaw:
    """The probabilities of the outputs from `first` to `last`, around x, and of all that is below and above them."""
    up = [beyond(snapping, x, True, index) for index in range(first, last + 2)]
    down = [beyond(snapping, x, False, index) for index in range(first - 1, last + 1)]
    masses = tuple(_half_sum(up[i], up[i + 1], down[i + 1], down[i]) for i in range(last - first + 1))
    below, above = _half_sum(ONE, up[0], down[0], ZERO), _half_sum(up[-1], ZERO, ONE, down[-1])
    return SnappedLaw(snapping, first, masses, below, above)


def mass(snapping: Snapping, x: Fraction, first: int, last: int) -> Dyadic:
    """The probability of the outputs from `first` to `last`, wherever they are."""
    up = [beyond(snapping, x, True, index) for index in (first, last + 1)]
    down = [beyond(snapping, x, False, index) for index in (last, first - 1)]
    return _half_sum(*up, *down)


def _half_sum(up: Dyadic, farther_up: Dyadic, down: Dyadic, farther_down: Dyadic) -> Dyadic:
    """What the two signs give together: each half of the difference of two tails."""
    return up.minus(farther_up).plus(down.minus(farther_down)).half()


def beyond(snapping: Snapping, x: Fraction, upward: bool, index: int) -> Dyadic:
    """P(output ≥ index) given that noise is added, or P(output ≤ index) given that it is taken away."""
    if abs(index) > snapping.last:
        return ZERO if upward == (index > 0) else ONE

    def reaches(rank: int) -> bool:
        landed = snapping._land(x, upward, rank)
        return landed >= index if upward else landed <= index

    return snapping._below(last_rank(reaches, _guess(snapping, x, upward, index)) + 1)


def _guess(snapping: Snapping, x: Fraction, upward: bool, index: int) -> int:
    """About the greatest rank that lands at `index` or beyond, in closed form: `last_rank` confirms or mends it.

    y ≥ t for a double t is x ± n ≥ the middle below t; λ ⊗ l ≥ d is l ≥ some double l*; and LN(u) ≥ l* is -ln u ≥ the
    middle below l*.
    """
    threshold = math.ldexp(2 * index - 1 if upward else 2 * index + 1, math.frexp(snapping.lattice)[1] - 2)
    middle = middle_below(threshold)
    distance = middle - x if upward else x - middle
    if distance <= 0:
        return -1
    noise = float_upper(distance)
    if not upward and noise == distance:
        noise = math.nextafter(noise, math.inf)
    log = noise / snapping.scale
    while snapping.scale * log >= noise:
        log = math.nextafter(log, 0.0)
    while snapping.scale * log < noise:
        log = math.nextafter(log, math.inf)
    with precision(4 * DIGITS):
        return rank_below((-ball(middle_below(log))).exp())
