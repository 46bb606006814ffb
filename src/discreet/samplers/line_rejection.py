"""Exact draws from a long line of candidates whose weight falls with the distance from one of them, without a list.

The line is cut into blocks on either side of the centre. A block's weight is bounded at its near end, rounded up to a
whole number of units. A block is chosen by these whole numbers, a candidate uniformly within it, and kept with
probability weight/bound, an exact coin. So the law drawn from is that of the weights, whatever the blocks are: they
only decide how often a candidate is thrown back, and are split where most would be.
"""

from __future__ import annotations

import heapq
import math
import operator
from collections.abc import Callable
from functools import cache
from typing import NamedTuple

import numpy as np
from flint import arb

from discreet.arithmetic.arrays import Floats, Wholes
from discreet.arithmetic.lgamma_bounds import SAFE
from discreet.samplers.bits import (
    CHUNK,
    Bits,
    Inverter,
    Table,
    draw_accepted,
    draw_below,
    draw_below_many,
    draw_bernoulli,
    draw_words,
    tabulate,
)

UNIT = 80
"""Bounds are whole numbers of 2**-80: for up to 10¹⁵ candidates their rounding wastes nothing."""

TRIES = 1.75
"""Blocks are split until the expected number of tries per draw is at most this."""


class Block(NamedTuple):
    """The candidates at distances near … far on one side (±1) of the centre; side 0 is the centre itself."""

    side: int
    near: int
    far: int


class LineRejection:
    """A sampler for weights that are 1 at a centre and fall with the distance from it.

    `weight(offset)` encloses a weight at the working precision; `least(offset)` and `most(offset)` are floats that are
    certainly at most and at least that; `left` and `right` say how far the line goes.
    """

    def __init__(
        self,
        weight: Callable[[int], arb],
        least: Callable[[int], float],
        most: Callable[[int], float],
        left: int,
        right: int,
    ) -> None:
        self._weight, self._least, self._most = weight, least, cache(most)
        sides = [Block(side, 1, end) for side, end in ((-1, left), (1, right)) if end]
        self._blocks = [*self._split(sides), Block(0, 0, 0)]
        bounds = [math.ceil(math.ldexp(self._most(side * near), UNIT)) + 1 for side, near, _ in self._blocks[:-1]]
        self._bounds = [*bounds, 1 << UNIT]
        self._sizes = [far - near + 1 for _, near, far in self._blocks]
        self._masses = list(map(operator.mul, self._sizes, self._bounds))
        self._choice = Inverter(self._table, len(self._masses))

    def draw(self, bits: Bits) -> int:
        """The offset of one candidate from the centre."""
        while True:
            index = self._choice.draw(bits)
            side, near, _ = self._blocks[index]
            offset = side * (near + draw_below(bits, self._sizes[index]))
            if offset == 0 or self._keep(bits, offset, self._bounds[index], bits.draw_bits(CHUNK)):
                return offset

    def draw_many(self, bits: Bits, count: int, log_bounds: Callable[[Wholes], tuple[Floats, Floats]]) -> Wholes:
        """Many offsets, from floats certainly below and above the log-weights at many offsets at once.

        They toss the coin where it is clear, enclosures elsewhere.
        """
        side, near, _ = np.array(self._blocks).T
        size = np.array(self._sizes)
        log_bound = np.array([np.log(float(bound)) - UNIT * np.log(2) for bound in self._bounds])

        def draw_batch(missing: int) -> Wholes:
            batch = int(1.2 * TRIES * missing) + 16
            index = self._choice.draw_many(bits, batch)
            offset = side[index] * (near[index] + draw_below_many(bits, size[index]))
            words = draw_words(bits, batch)
            low, high = (chance - log_bound[index] for chance in log_bounds(offset))
            with np.errstate(divide="ignore"):  # the logarithms of words and bounds are below 60: SAFE covers them
                keep = (np.log(words + 1.0) - 64 * np.log(2) <= low - SAFE) | (offset == 0)
                gone = np.log(words) - 64 * np.log(2) >= high + SAFE
            for i in np.flatnonzero(~keep & ~gone):
                keep[i] = self._keep(bits, int(offset[i]), self._bounds[index[i]], int(words[i]))
            accepted: Wholes = offset[keep]
            return accepted

        return draw_accepted(count, draw_batch)

    def _table(self, width: int) -> Table:
        return tabulate(self._masses, self._masses, 0, width)

    def _keep(self, bits: Bits, offset: int, bound: int, drawn: int) -> bool:
        """A coin of weight/bound: the floats decide it where it is clear, enclosures of the weight elsewhere."""
        if drawn + 1 <= math.ldexp(self._least(offset), UNIT + CHUNK) / bound * (1 - SAFE):
            return True
        if drawn >= math.ldexp(self._most(offset), UNIT + CHUNK) / bound * (1 + SAFE):
            return False
        return draw_bernoulli(bits, lambda: self._weight(offset) * (1 << UNIT) / bound, drawn)

    def _split(self, sides: list[Block]) -> list[Block]:
        """Split the block that wastes most until little enough is wasted. Floats only steer."""
        ends = {block.side: block.far for block in sides}
        heap = [self._measure(block, ends) for block in sides]
        heapq.heapify(heap)
        bound = 1.0 + sum(entry[1] for entry in heap)
        wasted = -sum(entry[0] for entry in heap)
        while bound > TRIES * (bound - wasted):
            waste, mass, (side, near, far) = heapq.heappop(heap)
            # Weights fall about exponentially near the centre and slowly far from it: halve the logarithm.
            middle = math.isqrt(near * far)
            bound, wasted = bound - mass, wasted + waste
            for part in (Block(side, near, middle), Block(side, middle + 1, far)):
                entry = self._measure(part, ends)
                heapq.heappush(heap, entry)
                bound, wasted = bound + entry[1], wasted - entry[0]
        return sorted([entry[2] for entry in heap])

    def _measure(self, block: Block, ends: dict[int, int]) -> tuple[float, float, Block]:
        """Minus the most that can be wasted, the bound on the mass, and the block.

        The least weight is at least that of the next block's near end, which is needed anyway.
        """
        side, near, far = block
        size, top = far - near + 1, self._most(side * near)
        waste = size * max(top - self._most(side * min(far + 1, ends[side])), 0.0) if size > 1 else 0.0
        return -waste, size * top, block
