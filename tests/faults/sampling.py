"""Planted faults in samplers: each draws from a law that is slightly another one.

Faults that change no law are none: a proposal that is kept less often costs tries, and nothing else.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet.arithmetic.numbers import ball, fixed_lower, precision
from discreet.mechanisms.exponential_law import ExponentialLaw
from discreet.mechanisms.law import CandidateLaw
from discreet.posteriors.space import Counts
from discreet.samplers import bits, noise
from discreet.samplers.bits import Bits, Inverter, draw_below, draw_bernoulli
from discreet.samplers.line_rejection import UNIT, LineRejection
from discreet.samplers.noise import Geometric, TwoSided, ZeroSum
from discreet.samplers.simplex_rejection import SimplexRejection
from tests.faults.planting import Fault, plant

if TYPE_CHECKING:
    from flint import arb


def bound_too_low(share: Fraction) -> Fault:
    """The bound on a block's weights is too low by this share: what exceeds it is kept too seldom."""

    @plant("_float_bounds", ExponentialLaw)
    def float_bounds(right: Any, law: ExponentialLaw) -> Any:
        least, most = right(law)
        return least, lambda offset: most(offset) * float(1 - share)

    return float_bounds


def coin_off(share: Fraction) -> Fault:
    """The coin that keeps a candidate of a line has a chance that is off by this share."""

    @plant("_keep", LineRejection)
    def keep(right: Any, line: LineRejection, bits: Bits, offset: int, bound: int, drawn: int) -> bool:
        return draw_bernoulli(bits, lambda: line._weight(offset) * (1 << UNIT) / bound * ball(1 + share), drawn)

    return keep


@plant("_float_bounds", ExponentialLaw)
def coin_decided_by_a_float_too_high(right: Any, law: ExponentialLaw) -> Any:
    """The float that says yes at once is 1 % above the weight that it should be below."""
    least, most = right(law)
    return lambda offset: 1.01 * least(offset), most


@plant("_table", LineRejection)
def blocks_without_their_size(right: Any, self: LineRejection, width: int) -> bits.Table:
    """Blocks of candidates are chosen by the bound on one of them."""
    return bits.tabulate(self._bounds, self._bounds, 0, width)


@plant("__init__", LineRejection)
def end_of_the_line_forgotten(right: Any, self: LineRejection, *given: Any) -> None:
    """The line ends one candidate too early."""
    right(self, *given[:-1], given[-1] - 1)


@plant("_enclosed_log_proposal", SimplexRejection)
def proposal_of_its_own_term(right: Any, self: SimplexRejection, r: tuple[int, ...]) -> arb:
    """A candidate is kept as if only the likeliest of the terms could propose it, and not all of them together."""
    at = np.array([[int(self.blocks.find(i, np.array([r[i]]))[0]) for i in self.free]])
    logs = [np.log(share) + term.log_chances(at) for share, term in zip(self._shares, self.terms, strict=False)]
    return ball(Fraction(float(max(logs)[0])))


@plant("_enclosed_log_proposal", SimplexRejection)
def atom_forgotten(right: Any, self: SimplexRejection, r: tuple[int, ...]) -> Any:
    """The data itself is proposed by an atom too, and its chance does not know of it."""
    self.counts, counts = Counts([-1] * self.space.k), self.counts  # nobody is the centre
    try:
        return right(self, r)
    finally:
        self.counts = counts


@plant("_table", CandidateLaw)
def table_of_short_weights(right: Any, self: CandidateLaw, width: int) -> bits.Table:
    """The weights of a small law are rounded down to multiples of 2⁻⁸."""
    with precision(64):
        weights = [fixed_lower(weight.exp(), 8) for weight in self.enclosures()]
    return bits.tabulate(weights, weights, 0, width)


@plant("draw", Inverter)
def uniform_of_eight_bits(right: Any, self: Inverter, bits: Bits) -> Any:
    """A table is read with a uniform number of eight bits, and what they leave open is called decided."""

    class Short:
        def draw_bits(self, count: int) -> int:
            word = bits.draw_bits(count)
            return word >> (count - 8) << (count - 8) | 1 << (count - 9)

    return right(self, Short())


def rate_off(kind: type[Geometric | TwoSided | ZeroSum]) -> Fault:
    """The rate of integer noise is 1 % too large."""
    return plant("__init__", kind)(lambda right, self, rate, *more: right(self, rate * Fraction(101, 100), *more))


@plant("_walk", ZeroSum)
def ways_not_squared(right: Any, self: ZeroSum, scale: int, ratio: Callable[[int], arb], direction: int) -> Any:
    """The total of zero-sum noise counts the ways to gain so much, and not those to lose it."""
    square = (-2 * ball(self.rate)).exp()
    once = {1: lambda t: square * (t + self.k) / (t + 1), -1: lambda t: ball(t) / (square * (t + self.k - 1))}
    return right(self, scale, once[direction], direction)


@plant("_digit", noise)
def digit_of_the_next(right: Any, rate: Fraction) -> Any:
    """Each binary digit of geometric noise has the chance of the next one."""
    return right(2 * rate)


@plant("draw", TwoSided)
def zero_twice(right: Any, self: TwoSided, bits: Bits) -> int:
    """A sign and a size from 0 on: zero comes from either sign, twice as often as it should."""
    size = noise.geometric(self.rate).draw(bits)
    return size if bits.draw_bits(1) else -size


@plant("_nonzero_laplace", noise)
def zero_coin_of_the_floor(right: Any, rate: Fraction) -> Any:
    """Laplace noise that is rounded to the nearest is tossed for zero as if it were rounded down."""
    return noise._coin(lambda: (-ball(rate)).exp())


def remainder(bits: Bits, bound: int) -> int:
    """A whole number below a bound by its remainder: small ones come too often."""
    return bits.draw_bits(bound.bit_length()) % bound


def bars_with_repetition(bits: Bits, total: int, parts: int) -> list[int]:
    """A composition from cuts that may fall together: even ones come too often."""
    cuts = sorted(draw_below(bits, total + 1) for _ in range(parts - 1))
    return [high - low for low, high in itertools.pairwise([0, *cuts, total])]


def short_coin(bits: Bits, probability: Callable[[], arb]) -> bool:
    """A coin that compares four bits with its chance and asks for no more."""
    with precision(64):
        return Fraction(bits.draw_bits(4), 16) < Fraction(float(probability()))
