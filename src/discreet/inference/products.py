"""p(c | o) where P(o | c) is a product: categories are independent but for their total, so sums are convolutions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property, reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import fft

from discreet.arithmetic.arrays import Floats, Wholes
from discreet.errors import InvalidInput, TooLarge
from discreet.inference.beta_tables import likely_range
from discreet.inference.boxes import LEFT_OUT, MAX_WINDOW_CELLS, first_reach, wider_reach, window_box
from discreet.inference.components import Components, SplitShare, SumShare, Window
from discreet.inference.counts import MAX_PAIRS, Cells, Counted, CountPosterior, Factors, OfComponents, OfCounts, Sides
from discreet.inference.draws import draw_places, draw_uniforms
from discreet.inference.sums import OUTSIDE, Law, Sums
from discreet.kernels.base import Factor
from discreet.samplers.bits import Bits

MANY_CELLS = 1 << 9
"""Of more categories, data sets are drawn by halves."""

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
        self._totals: dict[int, tuple[Wholes, Floats]] = {}
        kinds = dict.fromkeys(zip(factors, alpha.tolist(), strict=True))
        places = {kind: i for i, kind in enumerate(kinds)}
        self._kind = np.array([places[kind] for kind in zip(factors, alpha.tolist(), strict=True)])
        often = np.bincount(self._kind).tolist()
        different, parameters = [factor for factor, _ in kinds], np.array([parameter for _, parameter in kinds])
        reach = first_reach(different, often, n)
        while True:
            box = window_box(different, parameters, often, n, reach, cells)
            self._sums = Sums(list(map(Law, box.lows, box.masses)), self._kind)
            rest = self._sums.without([0])
            chance = float(self._weights([0]).masses.sum())
            if not chance > 0:
                raise InvalidInput("no data leads to this output", hint="give the output as it was released")
            before, reach = reach, wider_reach(box, reach, LEFT_OUT * chance, n)
            if reach == before:
                break
        cells = sum(map(len, box.masses))
        # Transforms are off by a unit for each factor, in proportion to how high the law of the sum is.
        high = 1 + self.k * float(rest.masses.max())
        rounding = _UNIT * (16 * math.log2(2 + cells) * high / chance + cells) + 4 * OUTSIDE / chance
        # Groups of counts have the means of their counts: only what was left out can move a mean.
        self.mean_errors = box.outside / chance + rounding
        self.error = self.mean_errors + (GROUPED if any(map(self._in_groups, range(len(different)))) else 0.0)
        self.method = f"convolution of windows, {cells:,} counts in all"

    def like(self, i: int) -> int:
        """The first category of the same kind: its counts have the same law."""
        return self._firsts[int(self._kind[i])]

    @cached_property
    def _firsts(self) -> list[int]:
        firsts: list[int] = np.unique(self._kind, return_index=True)[1].tolist()
        return firsts

    def _of(self, members: Sequence[int]) -> Law:
        """The law of the sum of some categories."""
        return self._sums.of(members)

    def _beside(self, members: Sequence[int], sums: Wholes) -> Floats:
        """The chance that the others' sum is what is missing, where these categories have these sums."""
        return self._sums.without(members).at(self._n - sums)

    def _weights(self, members: Sequence[int]) -> Law:
        """For each count of some categories together, the chance of it and of the others' sum being what is missing."""
        inside = self._of(members)
        return Law(inside.first, inside.masses * self._beside(members, inside.places))

    def total(self, members: Sequence[int]) -> tuple[Wholes, Floats]:
        if len(members) == 1 and (kind := int(self._kind[members[0]])) in self._totals:
            return self._totals[kind]
        first, weight = self._weights(members)
        possible = np.flatnonzero(weight > 0)
        law = first + possible, weight[possible] / weight.sum()
        if len(members) == 1:
            self._totals[int(self._kind[members[0]])] = law
        return law

    def marginal(self, i: int) -> tuple[Counted, Floats]:
        """The counts of a category and their probabilities; very many of them in groups."""
        count, chance = self.total([i])
        return self._group_counts(i, count, chance) if self._in_groups(int(self._kind[i])) else (count, chance)

    def _in_groups(self, kind: int) -> bool:
        """Whether categories of a kind have very many counts, and some of them are close for their share."""
        return len(self._sums.windows[kind].masses) > MANY and self._n > 4 * _CLOSE**2

    def _group_counts(self, i: int, count: Wholes, chance: Floats) -> tuple[Floats, Floats]:
        """Counts within a 500th of a standard deviation of the share together, at their mean.

        Between a Beta and one whose count differs, the first order cancels, and the second is at most
        ½·½·variance·∫|∂²Beta| ≤ variance/2σ² with 1/σ² = ψ'(a) + ψ'(b): less than `GROUPED` in total variation.
        """
        alpha, total = float(self._alpha[i]), float(self._alpha.sum()) + self._n
        turn = 2 * math.sqrt(total) * np.arcsin(np.sqrt((alpha + count) / total))
        group = np.unique(np.floor(_CLOSE * turn), return_inverse=True)[1].reshape(-1)
        together: Floats = np.bincount(group, chance).astype(np.float64)
        return np.bincount(group, chance * count) / together, together

    def pair(self, i: int, j: int) -> tuple[Counted, Counted, Floats]:
        if self.k == 2:
            count, chance = self.marginal(i)
            return count, self._n - count, chance
        x, y = (self._of([each]).places for each in (i, j))
        weight = self._joint([i], [j], x, y)
        at = np.nonzero(weight > weight.max() * 1e-18)
        return x[at[0]], y[at[1]], weight[at] / weight[at].sum()

    def split(self, inside: Sequence[int], others: Sequence[int]) -> tuple[int, int, Floats]:
        x, y = (self._likely_counts(members) for members in (inside, others))
        weight = self._joint(inside, others, x, y)
        return int(x[0]), int(y[0]), weight / weight.sum()

    def two_groups(self, first: Sides, second: Sides, alpha: Floats) -> tuple[Components, Components, Floats]:
        one, other = (self._split_share(side) for side in (first, second))
        sizes = len(one.masses), len(other.masses)
        if sizes[0] * sizes[1] > MAX_PAIRS:
            raise TooLarge("two groups have too many counts that matter", hint="use a larger epsilon")
        members = [cell for side in (first, second) for cells in side for cell in cells]
        taken = np.arange(sizes[0])[:, None] + np.arange(sizes[1])[None, :]
        return one, other, self._beside(members, one.first + other.first + taken)

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
        both = Window(split.first, split.masses, split.inside.parameter + split.rest.parameter)
        beside = self._window(rest)
        size = len(both.weights) + len(beside.weights) - 1
        if len(both.weights) * len(beside.weights) > MAX_PAIRS:
            raise TooLarge("two categories have too many counts that matter", hint="use a larger epsilon")
        beyond = self._beside([*first, *second, *rest], both.first + beside.first + np.arange(size))
        return SumShare(both, beside, beyond), split, np.ones(len(both.weights))

    def expectation(self, factors: Factors, of_sum: OfCounts = np.ones_like) -> NDArray[Any]:
        members = [i for cells in factors for i in cells]
        windows = [self._of(cells) for cells in factors]
        laws = [of(window.places) * window.masses for of, window in zip(factors.values(), windows, strict=True)]
        return self._given_sums(laws, members, sum(window.first for window in windows), of_sum)

    def _given_sums(
        self, laws: Sequence[NDArray[Any]], members: Sequence[int], low: int, of_sum: OfCounts = np.ones_like
    ) -> NDArray[Any]:
        """Laws of counts of these categories, one row for each number, joined and weighed by what all others sum to."""
        size = sum(law.shape[1] - 1 for law in laws) + 1
        length = fft.next_fast_len(size)
        inside = fft.ifft(reduce(np.multiply, [fft.fft(law, length, axis=1) for law in laws]), axis=1)[:, :size]
        weight = self._beside(members, low + np.arange(size)) * of_sum(low + np.arange(size))
        some = np.flatnonzero(weight)  # all categories sum to one number
        means: NDArray[Any] = (inside[:, some] * weight[some]).sum(axis=1) / self._chance
        return means

    @cached_property
    def _chance(self) -> float:
        return float(self._weights([0]).masses.sum())

    def joined(self, sides: Sequence[Sides], alpha: Floats, of: OfComponents) -> NDArray[Any]:
        shares = [self._split_share(side) for side in sides]
        members = [i for side in sides for cells in side for i in cells]
        laws = []
        for g, (side, share) in enumerate(zip(sides, shares, strict=True)):
            masses, both = share.masses, [i for cells in side for i in cells]
            likely = self._weights(both).at(share.first + np.arange(len(masses)))
            importance = likely / self._chance / np.maximum(masses, 1e-300)
            laws.append(of(g, share, importance))
        return self._given_sums(laws, members, sum(share.first for share in shares))

    def listing(self) -> tuple[Wholes, Floats]:
        windows = [self._of([i]) for i in range(self.k)]
        sizes = [len(window.masses) for window in windows]
        if math.prod(sizes[:-1]) > PAIRS // self.k:
            raise TooLarge("the data sets that matter are too many to list", hint="use draws of sample")
        rows = np.stack(np.meshgrid(*map(np.arange, sizes[:-1]), indexing="ij"), axis=-1).reshape(-1, self.k - 1)
        weight = np.multiply.reduce([window.masses[rows[:, i]] for i, window in enumerate(windows[:-1])])
        rows = rows + np.array([window.first for window in windows[:-1]])
        last = self._n - rows.sum(axis=1)
        weight = weight * windows[-1].at(last)
        return np.column_stack([rows, last])[weight > 0], weight[weight > 0] / weight.sum()

    def _window(self, members: Cells) -> Window:
        """The counts of some categories together, but for those that are too unlikely to matter."""
        counts = self._likely_counts(members)
        return Window(int(counts[0]), self._of(members).at(counts), float(self._alpha[list(members)].sum()))

    def _likely_counts(self, members: Sequence[int]) -> Wholes:
        count, chance = self.total(members)
        first, last = count[likely_range(chance)][[0, -1]]
        return np.arange(first, last + 1)

    def _joint(self, inside: Sequence[int], others: Sequence[int], x: Wholes, y: Wholes) -> Floats:
        """How likely the counts x of some and y of others are."""
        if len(x) * len(y) > PAIRS:
            raise TooLarge("two categories have too many counts that matter", hint="use a larger epsilon")
        weight: Floats = np.outer(self._of(inside).at(x), self._of(others).at(y))
        weight *= self._beside([*inside, *others], x[:, None] + y[None, :])
        return weight

    def draw(self, bits: Bits, size: int) -> Wholes:
        """Whole data sets, one a row: independent categories, the flattest takes the rest and is kept by its mass."""
        windows = [self._of([i]) for i in range(self.k)]
        last = min(range(self.k), key=lambda i: float(windows[i].masses.max()))
        top = float(windows[last].masses.max())
        share = self._chance / top
        if share < _SELDOM or self.k > MANY_CELLS:
            return self._draw_by_halves(bits, size)
        parts: list[Wholes] = []
        while (have := sum(map(len, parts))) < size:
            tries = min(PAIRS // self.k, int(1.1 * (size - have) / share) + 16)
            rows = np.zeros((tries, self.k), dtype=np.int64)
            for i in range(self.k):
                if i != last:
                    rows[:, i] = windows[i].first + draw_places(bits, windows[i].masses, tries)
            rows[:, last] = self._n - rows.sum(axis=1)
            parts.append(rows[draw_uniforms(bits, tries) * top < windows[last].at(rows[:, last])])
        return np.concatenate(parts)[:size]

    def _draw_by_halves(self, bits: Bits, size: int) -> Wholes:
        """The same where few would be kept: what half of some categories have of their sum, down to each of them."""
        rows = np.empty((size, self.k), dtype=np.int64)
        parts = [(0, self.k, np.full(size, self._n))]
        while parts:
            start, stop, total = parts.pop()
            if stop - start == 1:
                rows[:, start] = total
                continue
            middle = (start + stop) // 2
            first, second = self._of(range(start, middle)), self._of(range(middle, stop))
            half, counts = np.empty(size, dtype=np.int64), first.places
            at_once = max(1, PAIRS // len(first.masses))
            for begin in range(0, size, at_once):
                some = slice(begin, min(size, begin + at_once))
                sums = np.cumsum(first.masses * second.at(total[some, None] - counts), axis=1)
                chosen = (sums <= draw_uniforms(bits, len(sums))[:, None] * sums[:, -1:]).sum(axis=1)
                half[some] = counts[np.minimum(chosen, len(counts) - 1)]
            parts += [(start, middle, half), (middle, stop, total - half)]
        return rows
