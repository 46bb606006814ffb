"""Two categories and any number of records: error laws of strata of data sets, enclosed by the corners of blocks.

Counts are taken together in strata that widen with the distance from the ends of the line, moves in blocks that widen
with their size. A term of the distance falls with the lesser parameter and grows with the move
(`discreet.utility.metrics`), 1/S is the least of terms that are monotone on a stratum, and noise has closed tails. So
the corners of a cell enclose every distance, weight and mass in it: nothing here is an estimate, except that a
stratum's probability under the predictive is a quadrature (right to about 1e-8).
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from discreet.arithmetic.arrays import Floats, Wholes
from discreet.arithmetic.growing_blocks import growing_edges
from discreet.errors import TooLarge
from discreet.kernels.line_noise import LOST
from discreet.mechanisms import Mechanism
from discreet.utility.error_rows import ErrorRows, enclose_rows
from discreet.utility.expected_counts import first_count_moments, stratum_weights
from discreet.utility.metrics import METRIC, Metric

TARGET_CELLS = 1 << 20
"""About how many cells a sum over all data sets is made of."""

_CHUNK = 1 << 15
_TYPICAL = 300
_BLOCKS = 0.01
"""Blocks of moves are single up to 1/0.01 of them, then grow by 1 %."""


class _Cells(NamedTuple):
    """Blocks of moves, and over some strata the least rate, the distances and the weights from below and above."""

    near: Wholes
    far: Wholes
    slow: Floats
    low: Floats
    high: Floats
    least: Floats
    most: Floats


class CountBlocks:
    """The error laws of a mechanism on two categories, stratum by stratum."""

    def __init__(self, mechanism: Mechanism, metric: Metric, counts: tuple[int, ...] | None) -> None:
        self.mechanism, self.metric, self.space = mechanism, metric, mechanism.space
        self.noise = mechanism.kernel.noise
        if metric.name == "total-variation" or mechanism.kernel.postprocess != "nearest":
            raise TooLarge("this needs all candidates of a space with too many", hint="use hellinger and nearest")
        if self.noise is None and not mechanism.kernel.weighted:
            raise TooLarge(f"{mechanism.name} is known only on small spaces", hint="take fewer records")
        n = self.space.n
        reach = n if self.noise is None else self.noise.reach(n)
        blocks = _partition(1, reach, _BLOCKS if counts is None else _BLOCKS / 8)
        self.near, self.far = blocks[:-1], blocks[1:] - 1
        if counts is None:
            # Most weights of a sensitivity that follows the data fall within a few hundred moves.
            short = self.noise is None and not mechanism.kernel.same_rates
            blocks_each = min(len(self.near), _TYPICAL) if short else len(self.near)
            self.first, self.last, self.weight = self._strata(TARGET_CELLS // (2 * blocks_each))
        else:
            self.first = self.last = np.array([counts[0]], dtype=np.int64)
            self.weight = np.ones(1)

    def _strata(self, number: int) -> tuple[Wholes, Wholes, Floats]:
        """All data sets, or half of them if the two halves are alike."""
        space, n = self.space, self.space.n
        alpha = space.prior.alpha
        centre = int(min(max(round((n + alpha[1] - alpha[0]) / 2), 0), n))
        growth = max(0.002, 2 * (1 + math.log(n)) / max(number, 16))
        left, right = _partition(0, centre, growth), _partition(0, n - centre, growth)
        mean, spread = first_count_moments(space.prior, space.n)
        peak = mean + spread * np.arange(-12, 12.25, 0.25)
        middle = centre + np.arange(-2, 4)
        cuts = np.concatenate([left, n + 1 - right, np.rint(peak).astype(np.int64), middle, [0]])
        starts = np.unique(np.clip(cuts, 0, n))
        first, last = starts, np.concatenate([starts[1:] - 1, [n]])
        weight = stratum_weights(space, first, last)
        symmetric = self.noise is None or self.noise.symmetric
        if alpha[0] == alpha[1] and symmetric:
            half = first <= n // 2
            weight = np.where(2 * first == n, 1.0, 2.0) * weight
            first, last, weight = first[half], np.minimum(last[half], n // 2), weight[half]
            weight = weight / weight.sum()
        return first, last, weight

    def slices(self) -> Iterator[ErrorRows]:
        """A few strata at a time."""
        for part in self._parts():
            first, last, weight = self.first[part], self.last[part], self.weight[part]
            if self.noise is not None:
                low, high = self._distances(first, last, self.near, self.far, self.metric)
                mass = np.broadcast_to(self.noise.block_masses(self.near, self.far), low.shape)
                yield ErrorRows(weight, low, high, mass, mass)
            else:
                cells = self._cells(first, last)
                low, high = cells.low, cells.high
                if self.metric.name != "hellinger":
                    low, high = self._distances(first, last, cells.near, cells.far, self.metric)
                yield enclose_rows(weight, low, high, cells.least, cells.most)

    def normalisers(self) -> tuple[Floats, Floats, Floats]:
        """For each stratum the least s/S(c), and NL(c) from below and from above."""
        sums = []
        for part in self._parts():
            cells = self._cells(self.first[part], self.last[part])
            sums.append((cells.slow, cells.least.sum(axis=1), cells.most.sum(axis=1)))
        slow, lower, upper = (np.concatenate(column) for column in zip(*sums, strict=True))
        return slow, lower, upper

    def _parts(self) -> Iterator[slice]:
        step = max(1, _CHUNK // (2 * len(self.near)))
        return (slice(start, start + step) for start in range(0, len(self.first), step))

    def _cells(self, first: Wholes, last: Wholes) -> _Cells:
        """The Hellinger distances and the weights of all blocks that matter."""
        slow, fast = self.mechanism.kernel.rate_bounds(first, last)
        near, far = self._within_reach(first, last, slow)
        low, high = self._distances(first, last, near, far, METRIC["hellinger"])
        most, least = self._numbers(first, last, near, far)
        upper, lower = most * np.exp(-slow[:, None] * low), least * np.exp(-fast[:, None] * high)
        return _Cells(near, far, slow, low, high, lower, upper)

    def _within_reach(self, first: Wholes, last: Wholes, slow: Floats) -> tuple[Wholes, Wholes]:
        """The blocks of moves that matter to some of the strata: beyond them all weights are below e^-42 together."""
        enough = LOST + 2 * math.log(self.space.n + 1)

        def is_negligible(block: int) -> bool:
            at = slice(block, block + 1)
            h = self._distances(first, last, self.near[at], self.far[at], METRIC["hellinger"])[0]
            numbers = self._numbers(first, last, self.near[at], self.far[at])[0]
            return bool(((slow[:, None] * h[:, [0, 2]] >= enough) | (numbers[:, [0, 2]] == 0)).all())

        number = max(1, bisect_left(range(len(self.near)), True, key=is_negligible))
        return self.near[:number], self.far[:number]

    def _numbers(self, first: Wholes, last: Wholes, near: Wholes, far: Wholes) -> tuple[Floats, Floats]:
        """How many moves of each block stay on the line, at most and at least, over a stratum."""

        def both(down: Wholes, up: Wholes) -> Floats:
            sides = [np.maximum(np.minimum(far, room[:, None]) - near + 1, 0.0) for room in (down, up)]
            return np.concatenate([sides[0], np.ones((len(first), 1)), sides[1]], axis=1)

        n = self.space.n
        return both(last, n - first), both(first, n - last)

    def _distances(
        self, first: Wholes, last: Wholes, near: Wholes, far: Wholes, metric: Metric
    ) -> tuple[Floats, Floats]:
        """Enclosures of the distances of moves down (a block each), of none, and of moves up."""
        n, (one, two) = self.space.n, self.space.prior.alpha

        def corner(moved: Wholes, left: Wholes, gainer: Wholes, losing: np.float64, gaining: np.float64) -> Floats:
            """Of moves after which the loser has so many records left, and before which the gainer has so many."""
            move = moved.astype(np.float64)
            up = metric.term(gaining + np.broadcast_to(gainer, move.shape), move, 1)
            return metric.finish(up + metric.term(losing + np.maximum(left, 0.0), move, -1))

        bounds = []
        for least, most, losing, gaining in ((first, last, one, two), (n - last, n - first, two, one)):
            l0, l1 = least[:, None], most[:, None]
            farthest, nearest = np.minimum(far, l1), np.minimum(near, l0)
            high = corner(farthest, l0 - farthest, n - l1, losing, gaining)
            bounds.append((corner(nearest, l1 - nearest, n - l0, losing, gaining), high))
        (down_low, down_high), (up_low, up_high) = bounds
        zero = np.zeros((len(first), 1))
        low, high = np.hstack([down_low, zero, up_low]), np.hstack([down_high, zero, up_high])
        return low, high


def _partition(first: int, last: int, growth: float) -> Wholes:
    """Single at first, then longer by a share of the distance from the first."""
    return growing_edges(first, last, lambda at: at + int((at - first + 1) * growth))
