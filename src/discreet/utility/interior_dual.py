"""Long lines of counts: a dual solution that is checked for whole blocks of released counts at once.

`discreet.utility.least_error` says what a dual solution y is. Here y(c) = p(c)·t(c), with t constant on blocks of
counts that are short against their distance from the ends. For all r in a block the errors H(c, r) of the counts
c = r ± u are at least the least over the block: that of c and c + u has its least value half way between the ends of
the line where both categories are in it, and falls with c where the first alone is. p and t over such c are bounded by
those of the blocks that c may lie in. With these bounds what is left over is moved towards r, count by count, and has
to stay nonnegative; what holds for them holds for every r of the block. Beyond the window H ≥ t is checked by itself.
Where that fails t is lowered nearby; t = 0 always passes.

Where ε is tiny, only every g-th count is looked at, at g·ε, for each of the g ways to begin. One of them is within g/2
of r, and the u-th to either side at least (u - ½)·g and at most (u + ½)·g away.

Sums are rounded down at every step. Tests: `tests/utility/test_least_error.py`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.arithmetic.arrays import Floats, Wholes
from discreet.posteriors import Dirichlet
from discreet.posteriors.distances import second_difference
from discreet.posteriors.predictive import log_predictive_line

_COARSE, _WINDOW = 0.01, 10.0
"""The least ε of a step, and how many scales of the noise are looked at to either side."""

_SHARES = (30, 400)
"""Blocks are this part of their distance from the end, at the longest and at the shortest."""

_SLACKS = np.array([1e-4, 1e-3, 2e-3, 4e-3, 8e-3, 0.016, 0.03, 0.06, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.7, 1.0])
_DOWN, _NEAR, _ROUNDS = 2.0**-50, 1e-10, 80


@dataclass(frozen=True)
class Line:
    """Counts 0 … n of one category: their predictive, and sqrt(1 - e^-l) with l a sum of terms, in whole or in part.

    `power` is by what l is multiplied; `both` says whether the second category's term is in it.
    """

    prior: Dirichlet
    n: int
    power: float = 1.0
    both: bool = True

    def cost(self, c: Floats, r: Floats) -> Floats:
        """The error of releasing r for c, which may lie between whole numbers."""
        first, second = self.prior.alpha
        term = second_difference(first + c, first + r, r - c)
        if self.both:
            term = term + second_difference(second + (self.n - c), second + (self.n - r), c - r)
        return np.sqrt(-np.expm1(-0.5 * self.power * term))

    def log_weight(self, c: Floats) -> Floats:
        """The predictive."""
        return log_predictive_line(self.prior, self.n, c)


class InteriorDual:
    """y for counts `first` … `last` of a line, of any length and for any ε; about `cells` bounds are worked out."""

    def __init__(self, line: Line, epsilon: float, first: int, last: int, cells: int) -> None:
        self.line, self.first, self.last = line, first, last
        self.step = max(1, math.floor(_COARSE / epsilon))
        self.rate = self.step * epsilon
        self._x = math.exp(-self.rate) * (1 - _DOWN)
        reach = max(2, min(math.ceil(_WINDOW / self.rate), line.n // self.step + 1))
        self.edges = self._cut(cells / reach)
        self.low, self.high = self.edges[:-1, None], self.edges[1:, None] - 1
        """The first and the last count of each block."""
        apart: Floats = self.step * np.arange(1.0, reach + 1)
        self._off = self.step / 2 if self.step > 1 else 0.0
        self._least: Floats = apart - self._off
        self._most: Floats = apart + self._off
        self.p_least, self.p_most = _chance_bounds(line, self.low[:, 0], self.high[:, 0])

    def _cut(self, blocks: float) -> Wholes:
        """Edges of blocks from both ends to the middle."""
        depth = 2 * math.log(max(2.0, self.line.n / 2 / max(self.first, 1)))
        share = int(min(max(blocks / depth, _SHARES[0]), _SHARES[1]))
        cuts, middle = [self.first], (self.first + self.last + 1) // 2
        while cuts[-1] < middle:
            cuts.append(min(middle, cuts[-1] + max(1, cuts[-1] // share)))
        return np.unique([*cuts, *(self.first + self.last + 1 - cut for cut in cuts)])

    def bound(self) -> float:
        """Σ y."""
        return float((self.solution * self.p_least * np.diff(self.edges)).sum())

    @cached_property
    def solution(self) -> Floats:
        """t of each block: what is best where p and H hardly change, lowered where it does not pass."""
        falls = self._x ** np.arange(1, len(self._least) + 1)
        best = (self._left.cost + self._right.cost) @ falls / (1 + 2 * falls.sum())
        best = np.minimum(best, (1 - _NEAR) * self._beyond())
        scale, middle = self.step / self.rate, (self.edges[1:] + self.edges[:-1]) / 2
        inside = np.minimum(middle - self.first, self.last - middle) >= scale
        level = np.where(inside, 0, len(_SLACKS) - 1)
        for attempt in range(_ROUNDS):
            t: Floats = (1 - _SLACKS[level]) * best
            fails = np.flatnonzero(~self.passes(t))
            if not len(fails):
                return t
            first, last = (np.searchsorted(middle, middle[fails] + wide) for wide in (-scale / 3, scale / 3))
            blocks = attempt // 8  # those nearby, and in the end those next to them however long they are
            nearby = np.zeros(len(best) + 1, dtype=np.int64)
            np.add.at(nearby, np.minimum(first, np.maximum(fails - blocks, 0)), 1)
            np.add.at(nearby, np.minimum(np.maximum(last, fails + blocks + 1), len(best)), -1)
            level = np.minimum(level + (nearby.cumsum()[:-1] > 0), len(_SLACKS) - 1)
        return np.zeros(len(best))

    def passes(self, t: Floats) -> NDArray[np.bool_]:
        """For each block of r whether all that is left over can be moved to r, or to the count next to it."""
        total, good = np.zeros(len(t)), np.ones(len(t), dtype=np.bool_)
        for side in (self._left, self._right):
            gain = side.cost * (1 - _NEAR) - side.range(t, np.maximum)
            gain *= np.where(gain >= 0, side.p_least, side.p_most)
            gain = np.where(side.every, gain, np.where(side.some, np.minimum(gain, 0.0), 0.0))
            left = np.zeros(len(t))
            for a in gain.T[::-1]:
                left = a + self._x * left - _DOWN * (np.abs(a) + left)
                good &= left >= 0
                left = np.maximum(left, 0.0)
            total += left
        owed = self._centre.range(t, np.maximum) * self._centre.p_most
        good &= (self._x * total - (1 + _NEAR) * owed[:, 0] >= 0) & (t <= self._beyond())
        return good

    def _beyond(self) -> Floats:
        """The least H between a count of a block and one beyond the window, to either side."""
        apart, n = self._least[-1:], self.line.n
        right = np.where(self.low + apart <= n, self._least_cost(self.low, self.high, apart), np.inf)
        left = np.where(self.high >= apart, self._least_cost(self.low - apart, self.high - apart, apart), np.inf)
        return np.minimum(left, right)[:, 0]

    def _least_cost(self, low: Any, high: Any, apart: Any) -> Floats:
        """The least cost(c, c + apart) over real numbers c from low to high that are on the line."""
        apart = np.minimum(apart, self.line.n)  # what is farther is not on the line
        most = self.line.n - apart
        low = np.clip(low, 0.0, most)
        at = np.maximum(np.minimum(high, most), low)
        if self.line.both:
            first, second = self.line.prior.alpha
            at = np.clip((self.line.n - apart + second - first) / 2, low, at)
        return self.line.cost(at, at + apart)

    @cached_property
    def _left(self) -> _Side:
        low, high = self.low - self._most, self.high - self._least
        return _Side(self, low, high, self._least_cost(low, high, self._least))

    @cached_property
    def _right(self) -> _Side:
        cost = self._least_cost(self.low + 0 * self._least, self.high + 0 * self._least, self._least)
        return _Side(self, self.low + self._least, self.high + self._most, cost)

    @cached_property
    def _centre(self) -> _Side:
        return _Side(self, self.low - self._off, self.high + self._off, np.zeros((len(self.low), 1)))


class _Side:
    """Counts so far from the r of a block, a row for each block: between `low` and `high`, and what is known there."""

    def __init__(self, dual: InteriorDual, low: Any, high: Any, cost: Floats) -> None:
        self.cost = cost
        self.every = (low >= dual.first) & (high <= dual.last)
        self.some = (high >= dual.first) & (low <= dual.last)
        ends = (np.clip(end, dual.first, dual.last) for end in (low, high))
        self._from, self._to = (np.searchsorted(dual.edges, end, side="right") - 1 for end in ends)
        self._level = np.log2(self._to - self._from + 1.0).astype(np.int64)
        self.p_least, self.p_most = self.range(dual.p_least, np.minimum), self.range(dual.p_most, np.maximum)

    def range(self, values: Floats, extreme: np.ufunc) -> Floats:
        """The least or the greatest of the blocks from the first to the last, by tables of 1, 2, 4, … in a row."""
        extremes, table = np.zeros(self._level.shape), values
        for level in range(int(self._level.max()) + 1):
            at_level = self._level == level
            extremes[at_level] = extreme(table[self._from[at_level]], table[self._to[at_level] - (1 << level) + 1])
            table = extreme(table[: -(1 << level)], table[1 << level :])
        return extremes


def _chance_bounds(line: Line, first: Wholes, last: Wholes) -> tuple[Floats, Floats]:
    """The least and the greatest predictive in blocks: at an end, or bounded from it.

    Γ(α+c)/c! grows with c for α ≥ 1 and falls for α ≤ 1, by at most (α+c)/(1+c) at a step. The predictive is a product
    of one for c and one for n - c. With one parameter on either side of 1 it is monotone; with two above 1 its least
    value is at an end, and with two below 1 its greatest: the other one is bounded by these steps.
    """
    low, high = (np.exp(line.log_weight(end.astype(np.float64))) for end in (first, last))
    least, most = np.minimum(low, high), np.maximum(low, high)
    (a, b), steps = line.prior.alpha, last - first
    if min(a, b) <= 1 <= max(a, b):
        return least, most
    up = np.exp(steps * np.log((first + a) / (first + 1)))
    down = np.exp(steps * np.log((line.n - last + b) / (line.n - last + 1)))
    if a < 1:
        return np.maximum(low * up, high * down), most
    return least, np.minimum(low * up, high * down)
