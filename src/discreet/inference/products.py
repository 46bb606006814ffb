"""p(c | o) where P(o | c) is a product: categories are independent but for their total, so sums are convolutions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property, reduce
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.fft import fft, ifft, irfft, next_fast_len, rfft

from discreet.arithmetic.arrays import Floats, Wholes
from discreet.errors import InvalidInput, TooLarge
from discreet.inference.beta_tables import kept
from discreet.inference.boxes import LEFT_OUT, MAX_WINDOW_CELLS, box, first_reach, wider
from discreet.inference.counts import MAX_PAIRS, Cells, Counted, CountPosterior, Factors, OfComponents, OfCounts, Sides
from discreet.inference.joint_shares import Components, SplitShare, SumShare, Window
from discreet.inference.shares import draw_places, draw_uniforms
from discreet.kernels.base import Factor
from discreet.samplers.bits import Bits

SUMS = 1 << 24
"""The sums of all categories but one, for each one, are not more than this together."""

PAIRS = 1 << 22
"""Joint tables of two categories are not larger than this."""

MANY, GROUPED = 1 << 12, 5e-7
"""Windows of more counts are grouped for their shares, which are then wrong by less than this."""

MAX_SIDES = 16
"""The groups of which tables are kept: all pairs of so many groups share them."""

_UNIT, _CLOSE, _SELDOM = 2.0**-53, 500.0, 1e-3


class Product(CountPosterior):
    """The posterior of the counts, from windows of independent categories given their total."""

    def __init__(self, factors: Sequence[Factor], alpha: Floats, n: int, cells: int = MAX_WINDOW_CELLS) -> None:
        self.sizes, self.k, self._n, self._alpha = n, len(factors), n, alpha
        self._sides: dict[Sides, SplitShare] = {}
        reach = first_reach(factors, n)
        while True:
            found = box(factors, alpha, n, reach, cells)
            self._lows, self._masses, self._missing = found.lows, found.masses, n - sum(found.lows)
            self.__dict__.pop("_rests", None)
            chance = float(self._weights([0]).sum())
            if not chance > 0:
                raise InvalidInput("no data leads to this output", hint="give the output as it was released")
            before, reach = reach, wider(found, reach, LEFT_OUT * chance, n)
            if reach == before:
                break
        cells = sum(map(len, self._masses))
        rounding = _UNIT * (16 * self.k * math.log2(2 + cells) / chance + cells)
        # Groups of counts have the means of their counts: only what was left out can move a mean.
        self.mean_errors = found.outside / chance + rounding
        self.error = self.mean_errors + (GROUPED if any(map(self._in_groups, range(self.k))) else 0.0)
        self.method = f"convolution of windows, {cells:,} counts in all"

    @cached_property
    def _rests(self) -> list[Floats]:
        """The sums of all but one, for each one: sums from the left meet sums from the right."""
        if (self._missing + 1) * self.k > SUMS:
            raise TooLarge("the counts that matter to a reader are too many to list", hint="use a larger epsilon")
        left = accumulate(self._masses[:-1], self._joined, initial=np.ones(1))
        right = accumulate(reversed(self._masses[1:]), self._joined, initial=np.ones(1))
        return [self._joined(one, other) for one, other in zip(left, reversed(list(right)), strict=True)]

    def _sum_of(self, members: Sequence[int]) -> Floats:
        """The law of the sum of some categories, from the sum of their low ends on."""
        return reduce(self._joined, [self._masses[i] for i in members], np.ones(1))

    def _without(self, members: Sequence[int]) -> Floats:
        """The law of the sum of all others."""
        if len(members) == 1:
            return self._rests[members[0]]
        return self._sum_of(self._others(members))

    def _others(self, members: Sequence[int]) -> list[int]:
        return [i for i in range(self.k) if i not in members]

    def _joined(self, one: Floats, other: Floats) -> Floats:
        """The law of a sum of two, cut off where there are no more records."""
        size = len(one) + len(other) - 1
        if min(len(one), len(other)) == 1:
            return one * other
        length = next_fast_len(size, real=True)
        found: Floats = irfft(rfft(one, length) * rfft(other, length), length)[: min(size, self._missing + 1)]
        return np.maximum(found, 0.0)

    def _beside(self, members: Sequence[int], taken: Wholes) -> Floats:
        """The chance that the others' sum is what is missing, where these categories have so many above their lows."""
        return _at(self._without(members), self._missing - taken)

    def _weights(self, members: Sequence[int]) -> Floats:
        """For each count of some categories together, the chance of it and of the others' sum being what is missing."""
        inside = self._sum_of(members)
        return inside * self._beside(members, np.arange(len(inside)))

    def total(self, members: Sequence[int]) -> tuple[Wholes, Floats]:
        weight = self._weights(members)
        found = np.flatnonzero(weight > 0)
        return self._low(members) + found, weight[found] / weight.sum()

    def marginal(self, i: int) -> tuple[Counted, Floats]:
        """The counts of a category and their probabilities; very many of them in groups."""
        count, chance = self.total([i])
        return self._grouped(i, count, chance) if self._in_groups(i) else (count, chance)

    def _in_groups(self, i: int) -> bool:
        """Whether a category has very many counts, and some of them are close for their share."""
        return len(self._masses[i]) > MANY and self._n > 4 * _CLOSE**2

    def _grouped(self, i: int, count: Wholes, chance: Floats) -> tuple[Floats, Floats]:
        """Counts within a 500th of a standard deviation of the share together, at their mean.

        Between a Beta and one whose count differs, the first order cancels, and the second is at most
        ½·½·variance·∫|∂²Beta| ≤ variance/2σ² with 1/σ² = ψ'(a) + ψ'(b): less than `GROUPED` in total variation.
        """
        own, total = float(self._alpha[i]), float(self._alpha.sum()) + self._n
        turn = 2 * math.sqrt(total) * np.arcsin(np.sqrt((own + count) / total))
        group = np.unique(np.floor(_CLOSE * turn), return_inverse=True)[1].reshape(-1)
        together: Floats = np.bincount(group, chance).astype(np.float64)
        return np.bincount(group, chance * count) / together, together

    def pair(self, i: int, j: int) -> tuple[Counted, Counted, Floats]:
        if self.k == 2:
            count, chance = self.marginal(i)
            return count, self._n - count, chance
        weight = self._joint([i], [j], *(np.arange(len(self._masses[each])) for each in (i, j)))
        at = np.nonzero(weight > weight.max() * 1e-18)
        return self._lows[i] + at[0], self._lows[j] + at[1], weight[at] / weight[at].sum()

    def split(self, own: Sequence[int], others: Sequence[int]) -> tuple[int, int, Floats]:
        lows = self._low(own), self._low(others)
        ends = [count[kept(chance)][[0, -1]] for count, chance in (self.total(own), self.total(others))]
        x, y = (np.arange(first, last + 1) - low for (first, last), low in zip(ends, lows, strict=True))
        weight = self._joint(own, others, x, y)
        return int(lows[0] + x[0]), int(lows[1] + y[0]), weight / weight.sum()

    def two_groups(self, first: Sides, second: Sides, alpha: Floats) -> tuple[Components, Components, Floats]:
        one, other = (self._split_share(side) for side in (first, second))
        sizes = len(one.masses), len(other.masses)
        if sizes[0] * sizes[1] > MAX_PAIRS:
            raise TooLarge("two groups have too many counts that matter", hint="use a larger epsilon")
        members = [cell for side in (first, second) for cells in side for cell in cells]
        taken = np.arange(sizes[0])[:, None] + np.arange(sizes[1])[None, :]
        return one, other, self._beside(members, one.first + other.first - self._low(members) + taken)

    def _split_share(self, side: Sides) -> SplitShare:
        """The same object for the same side: what it has tabulated serves all of its comparisons."""
        if side not in self._sides:
            self._sides[side] = SplitShare(*(self._window(cells) for cells in side))
            if len(self._sides) > MAX_SIDES:
                del self._sides[next(iter(self._sides))]
        return self._sides[side]

    def one_group(
        self, first: Cells, second: Cells, rest: Cells, alpha: Floats
    ) -> tuple[Components, Components, Floats]:
        split = SplitShare(self._window(first), self._window(second))
        both = Window(split.first, split.masses, split.own.parameter + split.rest.parameter)
        beside = self._window(rest)
        size = len(both.weights) + len(beside.weights) - 1
        if len(both.weights) * len(beside.weights) > MAX_PAIRS:
            raise TooLarge("two categories have too many counts that matter", hint="use a larger epsilon")
        members = [*first, *second, *rest]
        beyond = self._beside(members, both.first + beside.first - self._low(members) + np.arange(size))
        return SumShare(both, beside, beyond), split, np.ones(len(both.weights))

    def expectation(self, factors: Factors, of_sum: OfCounts = np.ones_like) -> NDArray[Any]:
        members = [i for cells in factors for i in cells]
        windows = {cells: self._sum_of(cells) for cells in factors}
        laws = [of(self._low(cells) + np.arange(len(windows[cells]))) * windows[cells] for cells, of in factors.items()]
        return self._given_sums(laws, members, self._low(members), of_sum)

    def _given_sums(
        self, laws: Sequence[NDArray[Any]], members: Sequence[int], low: int, of_sum: OfCounts = np.ones_like
    ) -> NDArray[Any]:
        """Laws of counts of these categories, one row for each number, joined and weighed by what all others sum to."""
        size = sum(law.shape[1] - 1 for law in laws) + 1
        length = next_fast_len(size)
        inside = ifft(reduce(np.multiply, [fft(law, length, axis=1) for law in laws]), axis=1)[:, :size]
        weight = self._beside(members, low - self._low(members) + np.arange(size)) * of_sum(low + np.arange(size))
        some = np.flatnonzero(weight)  # all categories sum to one number
        found: NDArray[Any] = (inside[:, some] * weight[some]).sum(axis=1) / self._chance
        return found

    @cached_property
    def _chance(self) -> float:
        return float(self._weights([0]).sum())

    def joined(self, sides: Sequence[Sides], alpha: Floats, of: OfComponents) -> NDArray[Any]:
        shares = [self._split_share(side) for side in sides]
        members = [i for side in sides for cells in side for i in cells]
        laws = []
        for g, (side, share) in enumerate(zip(sides, shares, strict=True)):
            masses, likely = share.masses, self._weights([i for cells in side for i in cells])
            here = share.first - sum(map(self._low, side)) + np.arange(len(masses))
            importance = _at(likely, here) / self._chance / np.maximum(masses, 1e-300)
            laws.append(of(g, share, importance))
        return self._given_sums(laws, members, sum(share.first for share in shares))

    def listing(self) -> tuple[Wholes, Floats]:
        sizes = [len(mass) for mass in self._masses]
        if math.prod(sizes[:-1]) > PAIRS // self.k:
            raise TooLarge("the data sets that matter are too many to list", hint="use draws of sample")
        rows = np.stack(np.meshgrid(*map(np.arange, sizes[:-1]), indexing="ij"), axis=-1).reshape(-1, self.k - 1)
        last = self._missing - rows.sum(axis=1)
        weight = np.multiply.reduce([self._masses[i][rows[:, i]] for i in range(self.k - 1)])
        weight = weight * _at(self._masses[-1], last)
        kept_rows = np.column_stack([rows, last])[weight > 0] + np.array(self._lows)
        return kept_rows, weight[weight > 0] / weight.sum()

    def _window(self, members: Cells) -> Window:
        """The counts of some categories together, but for those that are too unlikely to matter."""
        low, (count, chance) = self._low(members), self.total(members)
        first, last = count[kept(chance)][[0, -1]]
        weights = self._sum_of(members)[first - low : last - low + 1]
        return Window(int(first), weights, float(self._alpha[list(members)].sum()))

    def _low(self, members: Sequence[int]) -> int:
        return sum(self._lows[i] for i in members)

    def _joint(self, own: Sequence[int], others: Sequence[int], x: Wholes, y: Wholes) -> Floats:
        """How likely the counts x of some and y of others are, both counted from their low ends."""
        if len(x) * len(y) > PAIRS:
            raise TooLarge("two categories have too many counts that matter", hint="use a larger epsilon")
        weight: Floats = np.outer(self._sum_of(own)[x], self._sum_of(others)[y])
        weight *= self._beside([*own, *others], x[:, None] + y[None, :])
        return weight

    def draw(self, bits: Bits, size: int) -> Wholes:
        """Whole data sets, one a row: independent categories, the flattest takes the rest and is kept by its mass."""
        last = min(range(self.k), key=lambda i: float(self._masses[i].max()))
        mass, top = self._masses[last], float(self._masses[last].max())
        share = float(self._weights([last]).sum()) / top
        if share < _SELDOM:
            return self._draw_in_turn(bits, size)
        parts: list[Wholes] = []
        while (have := sum(map(len, parts))) < size:
            tries = min(PAIRS // self.k, int(1.1 * (size - have) / share) + 16)
            rows = np.zeros((tries, self.k), dtype=np.int64)
            for i in range(self.k):
                if i != last:
                    rows[:, i] = draw_places(bits, self._masses[i], tries)
            rows[:, last] = self._missing - rows.sum(axis=1)
            rows = rows[draw_uniforms(bits, tries) * top < _at(mass, rows[:, last])]
            parts.append(rows + np.array(self._lows))
        return np.concatenate(parts)[:size]

    def _draw_in_turn(self, bits: Bits, size: int) -> Wholes:
        """The same where few would be kept: each category given those before it, and the last takes the rest."""
        rests = list(accumulate(reversed(self._masses[1:]), self._joined))[::-1]
        found = np.empty((size, self.k), dtype=np.int64)
        some: int = max(1, PAIRS // max(map(len, self._masses)))
        for start in range(0, size, some):
            rows = slice(start, min(size, start + some))
            missing = np.full(rows.stop - start, self._missing)
            for j, rest in enumerate(rests):
                mass = self._masses[j]
                sums = np.cumsum(mass * _at(rest, missing[:, None] - np.arange(len(mass))), axis=1)
                chosen = (sums <= draw_uniforms(bits, len(sums))[:, None] * sums[:, -1:]).sum(axis=1)
                found[rows, j] = np.minimum(chosen, len(mass) - 1)
                missing = missing - found[rows, j]
            found[rows, -1] = missing
        return np.add(found, self._lows)


def _at(law: Floats, where: Wholes) -> Floats:
    """The masses of a law at these places; outside of it there is nothing."""
    return np.where((where >= 0) & (where < len(law)), law[np.clip(where, 0, len(law) - 1)], 0.0)
