"""Fair bits, and exact samplers on top of them. The only door to the operating system's randomness.

Nothing here has a seed and nothing is buffered: a forked child cannot repeat its parent's bits. Every sampler takes its
bits as an argument, so that the tests can hand in all strings of bits and count what comes out.
"""

from __future__ import annotations

import itertools
import os
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Protocol

import numpy as np
from flint import arb
from numpy.typing import NDArray

from discreet.arithmetic.arrays import Wholes
from discreet.arithmetic.binary64 import DIGITS
from discreet.arithmetic.numbers import CAP_BITS, fixed_lower, fixed_upper, precision
from discreet.errors import Undecided

CHUNK = 64
"""How many further bits are read when those at hand do not decide."""

_FRACTION = DIGITS - 1


class Bits(Protocol):
    """A source of independent fair bits."""

    def draw_bits(self, count: int) -> int:
        """The next `count` bits, as a whole number below 2**count."""


class SystemBits:
    """The operating system's generator, asked anew for every draw.

    >>> 0 <= SystemBits().draw_bits(10) < 1024
    True
    """

    __slots__ = ()

    def draw_bits(self, count: int) -> int:
        """Read just enough bytes and drop the surplus bits."""
        size = (count + 7) // 8
        return int.from_bytes(os.urandom(size), "big") >> (8 * size - count)


SYSTEM = SystemBits()


def draw_words(bits: Bits, count: int) -> NDArray[np.uint64]:
    """Many 64-bit words at once, for simulations and for many categories."""
    return np.frombuffer(bits.draw_bits(64 * count).to_bytes(8 * count, "big"), dtype=">u8").astype(np.uint64)


def draw_below(bits: Bits, bound: int) -> int:
    """A uniform whole number in [0, bound), by rejection: exact, fewer than two tries on average."""
    width = (bound - 1).bit_length()
    while True:
        value = bits.draw_bits(width)
        if value < bound:
            return value


def draw_below_many(bits: Bits, bounds: Wholes) -> Wholes:
    """Uniform whole numbers in [0, bound), one for each bound: what falls outside is drawn again."""
    limits = bounds.astype(np.uint64)
    unique, back = np.unique(bounds, return_inverse=True)
    shift = np.array([64 - (int(bound) - 1).bit_length() for bound in unique], dtype=np.uint64)[back]
    values = np.zeros(len(bounds), dtype=np.uint64)
    open_ = np.flatnonzero(limits > 1)
    while open_.size:
        values[open_] = draw_words(bits, open_.size) >> shift[open_]
        open_ = open_[values[open_] >= limits[open_]]
    return values.astype(np.int64)


def draw_choice(bits: Bits, cumulative: Sequence[int]) -> int:
    """An index with probability proportional to whole-number weights, given by their running sums."""
    return bisect_right(cumulative, draw_below(bits, cumulative[-1]))


def draw_bernoulli(bits: Bits, probability: Callable[[], arb], drawn: int | None = None) -> bool:
    """True with a probability that is any computable real, evaluated at the working precision.

    Random bits are compared with an enclosure; while the two agree so far, both are refined. More than the first
    64 bits are needed with probability about 2**-63. These may have been drawn already.
    """
    drawn, width = bits.draw_bits(CHUNK) if drawn is None else drawn, CHUNK
    while True:
        with precision(width + CHUNK):
            enclosure = probability()
        if drawn + 1 <= fixed_lower(enclosure, width):
            return True
        if drawn >= fixed_upper(enclosure, width):
            return False
        drawn, width = _extend(bits, drawn, width)


def draw_unit(bits: Bits, depth: int) -> int | None:
    """The rank of a uniform, each with its own probability exactly; None with the 2^-depth that is left below.

    >>> from discreet.arithmetic.binary64 import unit
    >>> from discreet.testing import FixedBits
    >>> unit(draw_unit(FixedBits("001" + 61 * "0" + 52 * "0"), 100)).fraction()
    Fraction(1, 8)
    """
    zeros = 0
    while True:
        chunk = bits.draw_bits(CHUNK)
        zeros += CHUNK - chunk.bit_length()
        if chunk or zeros >= depth:
            break
    mantissa = bits.draw_bits(_FRACTION)
    return None if zeros >= depth else ((-1 - zeros) << _FRACTION) + mantissa


def draw_subset(bits: Bits, size: int, universe: int) -> list[int]:
    """A uniform subset of `size` of the first `universe` whole numbers, sorted.

    It is the first different ones of a uniform sequence; or what these leave, where that is the smaller part.
    """
    drawn: set[int] = set()
    while len(drawn) < min(size, universe - size):
        drawn.add(draw_below(bits, universe))
    return sorted(drawn) if 2 * size <= universe else [x for x in range(universe) if x not in drawn]


def draw_composition(bits: Bits, total: int, parts: int) -> list[int]:
    """A uniform way to write `total` as an ordered sum of whole numbers ≥ 0: bars among stars."""
    bars = draw_subset(bits, parts - 1, total + parts - 1)
    return [high - low - 1 for low, high in itertools.pairwise([-1, *bars, total + parts - 1])]


@dataclass(frozen=True, slots=True)
class Table:
    """Running sums C_0 ≤ C_1 ≤ … of probabilities, in units of 2**-width: lows[i] ≤ C_i ≤ highs[i].

    The outcomes are first, first + 1, …; one that stands for a left tail has lows[0] = 0 and so is never certain.
    """

    lows: list[int]
    highs: list[int]
    first: int = 0

    def certain(self, drawn: int) -> int | None:
        """The outcome of a uniform real in [drawn, drawn+1), if the sums tell it apart."""
        i = bisect_right(self.highs, drawn)
        return self.first + i if i < len(self.lows) and drawn < self.lows[i] else None


def tabulate(
    low_weights: Sequence[int], high_weights: Sequence[int], outside: int, width: int, *, first: int = 0
) -> Table:
    """The table of whole-number bounds on weights, of which at most `outside` in all are not listed.

    The true total lies between the sum of the lower bounds and that of the upper ones plus `outside`.
    """
    least, most = sum(max(weight, 0) for weight in low_weights), sum(high_weights) + outside
    lows, highs, low, high = [], [], 0, 0
    for low_weight, high_weight in zip(low_weights, high_weights, strict=True):
        low += max(low_weight, 0)
        high += high_weight
        lows.append((low << width) // most)
        highs.append(min(-((-high << width) // least), 1 << width))
    if not outside:
        lows[-1] = highs[-1] = 1 << width
    return Table(lows, highs, first)


def tabulate_enclosed(weights: Sequence[arb], outside: arb, scale: int, width: int) -> Table:
    """The table of enclosed weights, and of what all others weigh, bounded by whole numbers of 2**-scale."""
    lows = [fixed_lower(weight, scale) for weight in weights]
    highs = [fixed_upper(weight, scale) for weight in weights]
    return tabulate(lows, highs, fixed_upper(outside, scale), width)


class Inverter:
    """Exact inversion: one uniform real, refined lazily, against enclosures of the running sums.

    `table(width)` must be right at every width and sharper at larger ones. There is no rejection, and all outcomes
    cost the same bits, except with a probability of about outcomes·2**-width.
    """

    __slots__ = ("_table", "_width")

    def __init__(self, table: Callable[[int], Table], outcomes: int) -> None:
        self._table = cache(table)
        self._width = CHUNK + outcomes.bit_length()

    def draw(self, bits: Bits) -> int:
        """The index of one outcome."""
        table, drawn = self._table(self._width), bits.draw_bits(self._width)
        index = table.certain(drawn)
        return self.resume(bits, drawn, self._width) if index is None else index

    def draw_many(self, bits: Bits, count: int) -> NDArray[np.intp]:
        """The indices of many outcomes, as exact as `draw`: whatever 64 bits do not decide is refined one by one."""
        table, last = self._table(CHUNK), (1 << CHUNK) - 1
        highs = np.array([min(high, last) for high in table.highs], dtype=np.uint64)
        lows = np.array([min(low, last) for low in table.lows] + [0], dtype=np.uint64)
        words = draw_words(bits, count)
        indices = np.searchsorted(highs, words, side="right")
        for i in np.flatnonzero(words >= lows[indices]):
            indices[i] = self.resume(bits, int(words[i]), CHUNK) - table.first
        return indices + table.first

    def resume(self, bits: Bits, drawn: int, width: int) -> int:
        """The index of the outcome whose uniform real begins with these bits, which did not decide it."""
        while True:
            drawn, width = _extend(bits, drawn, width)
            index = self._table(width).certain(drawn)
            if index is not None:
                return index


def draw_accepted(count: int, draw_batch: Callable[[int], Wholes], shape: tuple[int, ...] = ()) -> Wholes:
    """So many draws by rejection: `draw_batch` is told how many are missing, and returns what it accepts."""
    accepted, missing = [np.empty((0, *shape), dtype=np.int64)], count
    while missing > 0:
        accepted.append(draw_batch(missing))
        missing -= len(accepted[-1])
    return np.concatenate(accepted)[:count]


def _extend(bits: Bits, drawn: int, width: int) -> tuple[int, int]:
    if width > CAP_BITS:
        raise Undecided(f"undecided at {CAP_BITS} bits", hint="this is almost surely an exact tie: please report it")
    return (drawn << CHUNK) | bits.draw_bits(CHUNK), width + CHUNK
