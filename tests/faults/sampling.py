"""Planted faults in samplers: each draws from a law that is slightly another one.

A fault is a function that plants itself with pytest's `monkeypatch`, so that it is gone when its test ends. Faults that
change no law are none: a proposal that is kept less often costs tries, and nothing else.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from discreet.arithmetic.numbers import ball, fixed_lower, precision
from discreet.mechanisms.exponential_law import ExponentialLaw
from discreet.mechanisms.law import CandidateLaw
from discreet.samplers import bits, noise
from discreet.samplers.bits import Bits, Inverter, draw_below, draw_bernoulli
from discreet.samplers.line_rejection import UNIT, Envelope
from discreet.samplers.noise import Geometric, TwoSided, ZeroSum
from discreet.samplers.simplex_rejection import Tilted

if TYPE_CHECKING:
    from flint import arb

Fault = Callable[[pytest.MonkeyPatch], None]


def bound_too_low(share: Fraction) -> Fault:
    """The bound on a block's weights is too low by this share: what exceeds it is kept too seldom."""

    def plant(patch: pytest.MonkeyPatch) -> None:
        right = ExponentialLaw._brackets

        def brackets(law: ExponentialLaw) -> Any:
            least, most = right(law)
            return least, lambda offset: most(offset) * float(1 - share)

        patch.setattr(ExponentialLaw, "_brackets", brackets)

    return plant


def coin_off(share: Fraction) -> Fault:
    """The coin that keeps a candidate of a line has a chance that is off by this share."""

    def plant(patch: pytest.MonkeyPatch) -> None:
        def keep(envelope: Envelope, bits: Bits, offset: int, bound: int) -> bool:
            return draw_bernoulli(bits, lambda: envelope._weight(offset) * (1 << UNIT) / bound * ball(1 + share))

        patch.setattr(Envelope, "_keep", keep)

    return plant


def coin_decided_by_a_float_too_high(patch: pytest.MonkeyPatch) -> None:
    """The float that says yes at once is 1 % above the weight that it should be below."""
    right = ExponentialLaw._brackets

    def brackets(law: ExponentialLaw) -> Any:
        least, most = right(law)
        return lambda offset: 1.01 * least(offset), most

    patch.setattr(ExponentialLaw, "_brackets", brackets)


def blocks_without_their_size(patch: pytest.MonkeyPatch) -> None:
    """Blocks of candidates are chosen by the bound on one of them."""
    patch.setattr(Envelope, "_table", lambda self, width: bits.tabulate(self._bounds, self._bounds, 0, width))


def end_of_the_line_forgotten(patch: pytest.MonkeyPatch) -> None:
    """The line ends one candidate too early."""
    right = Envelope.__init__

    def short(self: Envelope, weight: Any, least: Any, most: Any, left: int, right_end: int) -> None:
        right(self, weight, least, most, left, right_end - 1)

    patch.setattr(Envelope, "__init__", short)


def proposal_of_its_own_term(patch: pytest.MonkeyPatch) -> None:
    """A candidate is kept as if only the likeliest of the terms could propose it, and not all of them together."""

    def quick(self: Tilted, r: tuple[int, ...], blocks: list[int]) -> arb:
        logs = [np.log(share) + term.log_chance(blocks) for share, term in zip(self._shares, self.terms, strict=False)]
        return ball(Fraction(float(max(logs))))

    patch.setattr(Tilted, "_quick", quick)
    patch.setattr(Tilted, "_exact", quick)


def atom_forgotten(patch: pytest.MonkeyPatch) -> None:
    """The data itself is proposed by an atom too, and its chance does not know of it."""
    for name in ("_quick", "_exact"):
        right = getattr(Tilted, name)

        def elsewhere(self: Tilted, r: tuple[int, ...], blocks: list[int], right: Any = right) -> arb:
            self.counts, counts = (), self.counts  # type: ignore[assignment]  # nobody is the centre
            try:
                found: arb = right(self, r, blocks)
            finally:
                self.counts = counts
            return found

        patch.setattr(Tilted, name, elsewhere)


def table_of_short_weights(patch: pytest.MonkeyPatch) -> None:
    """The weights of a small law are rounded down to multiples of 2⁻⁸."""

    def table(self: CandidateLaw, width: int) -> bits.Table:
        with precision(64):
            weights = [fixed_lower(weight.exp(), 8) for weight in self.enclosures()]
        return bits.tabulate(weights, weights, 0, width)

    patch.setattr(CandidateLaw, "_table", table)


def uniform_of_eight_bits(patch: pytest.MonkeyPatch) -> None:
    """A table is read with a uniform number of eight bits, and what they leave open is called decided."""
    right = Inverter.draw

    class Short:
        def __init__(self, bits: Bits) -> None:
            self._bits = bits

        def draw_bits(self, count: int) -> int:
            word = self._bits.draw_bits(count)
            return word >> (count - 8) << (count - 8) | 1 << (count - 9)

    patch.setattr(Inverter, "draw", lambda self, bits: right(self, Short(bits)))


def rate_off(kind: type[Geometric | TwoSided | ZeroSum]) -> Fault:
    """The rate of integer noise is 1 % too large."""

    def plant(patch: pytest.MonkeyPatch) -> None:
        right: Any = kind.__init__

        def faster(self: Any, rate: Fraction, *more: Any) -> None:
            right(self, rate * Fraction(101, 100), *more)

        patch.setattr(kind, "__init__", faster)

    return plant


def ways_not_squared(patch: pytest.MonkeyPatch) -> None:
    """The total of zero-sum noise counts the ways to gain so much, and not those to lose it."""
    right = ZeroSum._walk

    def walk(self: ZeroSum, scale: int, ratio: Callable[[int], arb], direction: int) -> Any:
        square = (-2 * ball(self.rate)).exp()
        once = {
            1: lambda t: square * (t + self.k) / (t + 1),
            -1: lambda t: ball(t) / (square * (t + self.k - 1)),
        }
        return right(self, scale, once[direction], direction)

    patch.setattr(ZeroSum, "_walk", walk)


def digit_of_the_next(patch: pytest.MonkeyPatch) -> None:
    """Each binary digit of geometric noise has the chance of the next one."""
    right = noise._digit
    patch.setattr(noise, "_digit", lambda rate: right(2 * rate))


def zero_twice(patch: pytest.MonkeyPatch) -> None:
    """A sign and a size from 0 on: zero comes from either sign, twice as often as it should."""

    def draw_it(self: TwoSided, bits: Bits) -> int:
        size = noise.geometric(self.rate).draw(bits)
        return size if bits.draw_bits(1) else -size

    patch.setattr(TwoSided, "draw", draw_it)


def zero_coin_of_the_floor(patch: pytest.MonkeyPatch) -> None:
    """Laplace noise that is rounded to the nearest is tossed for zero as if it were rounded down."""
    patch.setattr(noise, "_nonzero_laplace", lambda rate: noise._coin(lambda: (-ball(rate)).exp()))


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
