"""p(c | z) where n is private: categories are independent given one number t, which nobody has to know.

With u_i(x) = h_i(x)·Γ(α_i+x)/(Γ(α_i)·x!), h_i the likelihood of a count, and A = Σα,

    p(c | z) ∝ Π u_i(c_i)·f(Σc),   f(n) = p(n)·n!·Γ(A)/Γ(A+n).

For p(n) = 1 a Beta integral gives f(n) = (1 + n/A)·∫ t^n dv over 0 < v < 1, with t = 1 - v^(1/A). So the counts are a
mixture, over v, of independent counts with masses ∝ u_i(x)·t^x, and all weights are positive: nothing cancels, for any
number of categories. In y = logit v the integrand is smooth and falls on both sides, so that a sum over equal steps
converges faster than any power; steps are halved until the total stands still. A negative binomial n of shape A has
f(n) ∝ t^n for one t. What windows leave out is bounded at every node. `tests/inference/test_private_n.py` compares
with sums over all data sets.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property, reduce
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import fft
from scipy.special import logsumexp

from discreet.arithmetic.arrays import Floats, Wholes
from discreet.errors import InvalidInput, TooLarge
from discreet.inference.boxes import LEFT_OUT
from discreet.inference.components import Window
from discreet.inference.counts import Counted, OfCounts, Sides
from discreet.inference.draws import draw_places, draw_uniforms
from discreet.inference.many_cells import (
    CLOSE,
    FEW,
    LARGE_TABLE,
    MANY,
    PLACES,
    block_rule,
    cumulants,
    law_rule,
    sum_law,
)
from discreet.inference.products import PAIRS, Product
from discreet.inference.records import NegativeBinomial, Records
from discreet.inference.sums import Law, Sums
from discreet.inference.tilted_windows import TiltedWindows, first_reach
from discreet.kernels.base import Factor
from discreet.posteriors.mixtures import BetaMixture, ShareLaw
from discreet.samplers.bits import Bits

SUMS = 1 << 24
"""The sums of all categories but one, for each one, are not more than this together."""

_DEEP, _FIRST_NODES, _MAX_NODES = 45.0, 64, 1 << 12
_STILL = 1e-11
"""A total that moved by less when the steps were halved stands still: the gap is about squared each time."""

_ROUNDED = 1e-15
"""What a transform finds less likely than this, over the likeliest, is rounding."""

_NOTHING = 1e-100
"""Sums that are less likely than this, over the likeliest, are not kept."""


class PrivateTotal(Product):
    """The posterior of the counts, from windows of categories that are independent at each of several nodes."""

    def __init__(self, factors: Sequence[Factor], alpha: Floats, records: Records) -> None:
        if any(factor.right == 0 for factor in factors):
            raise InvalidInput("a count has no end", hint="give its noise, or a range of records")
        kinds: dict[tuple[int, float], int] = {}
        self._kind = np.array(
            [kinds.setdefault((id(factor), a), len(kinds)) for factor, a in zip(factors, alpha.tolist(), strict=True)]
        )
        _, first, times = np.unique(self._kind, return_index=True, return_counts=True)
        chosen = [factors[i] for i in first]
        self.k, self._alpha, self._total_alpha = len(factors), alpha, float(alpha.sum())
        self._records, self._sides, self._totals = records, {}, {}
        self._lone: dict[int, tuple[ShareLaw, float]] = {}
        self._coarse: dict[Sides, tuple[ShareLaw, float] | None] = {}
        reach = first_reach(chosen)
        while True:
            self._cells = TiltedWindows.within(chosen, alpha[first], times, reach)
            outside = self._place_nodes()
            if float(outside.sum()) <= LEFT_OUT:
                break
            reach = np.where(outside > LEFT_OUT / (4 * reach.size), 2 * reach, reach)
        self._settle()
        cells = int(self._cells.widths @ times)
        self.sizes, self._n = 0, 0
        rounding = 2.0**-53 * (cells + 64 * self.k) + (1e-12 if self.k > MANY else 0.0)
        self.mean_errors = self.error = float(outside.sum()) + self._hidden + rounding
        nodes = len(self._log_t)
        self.method = f"windows of {cells:,} counts in all, at {nodes} node{'s' * (nodes > 1)}; {records}"

    def _place_nodes(self) -> Floats:
        """Nodes and their log-weights; returns what windows leave out, by category and side."""
        if isinstance(self._records, NegativeBinomial):
            rare = self._total_alpha / float(self._records.mean)
            self._log_t, self._log_node, self._hidden = np.array([-math.log1p(rare)]), np.zeros(1), 0.0
        else:
            self._log_t, self._log_node, self._hidden = self._integrate()
        log_sums, _ = self._cells.sums(self._log_t)
        tails = self._cells.tails(self._log_t, log_sums)
        # With what is left out in place, so that no node is light only because its windows are too short.
        upper = self._log_node + self._cells.times @ np.log1p(tails[0] + tails[1])
        chance = np.exp(upper - logsumexp(upper))
        lost = [self._cells.times * ((tail / (1 + tail)) @ chance) for tail in tails]
        return np.stack(lost, axis=1)

    def _integrate(self) -> tuple[Floats, Floats, float]:
        """ln t and the log-weight of each node, and by how much the total still moved when the steps were halved."""
        slope = np.logaddexp(0.0, np.arange(-80, 81) / 2.0)  # -ln(1-t) at logits of t from -40 to 40
        y = _logit_of_log(-self._total_alpha * slope)
        y = np.unique(np.concatenate([y[np.isfinite(y)], np.arange(-120, 121) / 2.0]))
        for _ in range(60):  # zoom in on where it matters
            height = self._height(y)[1]
            inside = np.flatnonzero(height > height.max() - _DEEP)
            low, high = y[max(inside[0] - 1, 0)], y[min(inside[-1] + 1, len(y) - 1)]
            if len(inside) > len(y) // 2:
                break
            y = np.linspace(low, high, _FIRST_NODES + 1)
        count, before = _FIRST_NODES, math.inf
        while True:
            y = np.linspace(low, high, count + 1)
            log_t, height = self._height(y)
            total = float(logsumexp(height)) + math.log((high - low) / count)
            gap = abs(math.expm1(min(total - before, 50.0)))
            if gap < _STILL + 2.0**-50 * abs(total) or count >= _MAX_NODES:
                deep = height > height.max() - _DEEP
                return log_t[deep], height[deep] - logsumexp(height[deep]), gap + 1e-15
            before, count = total, 2 * count

    def _height(self, y: Floats) -> tuple[Floats, Floats]:
        """ln t, and the logarithm of the integrand."""
        log_v, log_rest = -np.logaddexp(0.0, -y), -np.logaddexp(0.0, y)
        with np.errstate(divide="ignore"):
            log_t = np.maximum(np.log(-np.expm1(log_v / self._total_alpha)), -700.0)
        log_sums, means = self._cells.sums(log_t)
        times = self._cells.times
        height: Floats = log_v + log_rest + times @ log_sums + np.log1p(times @ means / self._total_alpha)
        return log_t, height

    @property
    def _bent(self) -> float:
        """1/A in f(n) = (1 + n/A)·∫ …, and 0 where f(n) is a power."""
        return 0.0 if isinstance(self._records, NegativeBinomial) else 1 / self._total_alpha

    def _settle(self) -> None:
        """The masses at one reference t, and at each node what the categories weigh relative to it."""
        self._chance_of = np.exp(self._log_node - logsumexp(self._log_node))
        self._log_ref = float(self._chance_of @ self._log_t)
        cells = self._cells
        at_ref, _ = cells.sums(np.array([self._log_ref]))
        log_sums, self._means = cells.sums(self._log_t)
        self._log_sums = log_sums - at_ref
        self._all_means = cells.times @ self._means
        step = np.arange(cells.logs.shape[1])
        with np.errstate(under="ignore"):
            tilted = np.exp(cells.logs + (step + cells.lows[:, None]) * self._log_ref - at_ref)
        self._of_kind = [row[:width] for row, width in zip(tilted, cells.widths.tolist(), strict=True)]
        self._windows = [_trim(Law(*each)) for each in zip(cells.lows.tolist(), self._of_kind, strict=True)]

    def _beside(self, members: Sequence[int], sums: Wholes) -> Floats:
        span = np.arange(int(sums.min()), int(sums.max()) + 1)
        chances: Floats = self._given(members, span.astype(np.float64))[sums - span[0]]
        return chances

    def _given(self, members: Sequence[int] | None, sums: Floats) -> Floats:
        """How likely all others are, over the reference, where these categories, or all, have such sums."""
        kinds, times = np.arange(len(self._of_kind)), self._cells.times
        if members is not None:
            kinds, times = np.unique(self._kind[list(members)], return_counts=True)
        logs = np.log(self._chance_of) - times @ self._log_sums[kinds]
        others = self._all_means - times @ self._means[kinds]
        away = self._log_t - self._log_ref
        with np.errstate(under="ignore"):
            powers = np.exp(np.minimum(logs + sums[..., None] * away, 600.0))
        bent = (1 + self._bent * (sums[..., None] + others)) / (1 + self._bent * self._all_means)
        chances: Floats = (powers * bent).sum(axis=-1)
        return chances

    @cached_property
    def _whole(self) -> Law:
        """The law of the sum of all categories at the reference."""
        return sum_law(self._of_kind, self._cells.lows, self._cells.times)

    def total(self, members: Sequence[int]) -> tuple[Wholes, Floats]:
        if self.k <= MANY or len(members) < self.k or not self._narrow:
            return super().total(members)
        law = self._whole
        weight = law.masses * self._given(None, law.places.astype(np.float64))
        weight[law.masses < _ROUNDED * law.masses.max()] = 0.0
        possible = np.flatnonzero(weight > 0)
        return law.places[possible], weight[possible] / weight.sum()

    def lone_share(self, i: int) -> tuple[ShareLaw, float] | None:
        kind = int(self._kind[i])
        if self.k > MANY and kind not in self._lone and self._narrow:
            self._lone[kind] = self._lone_share(i)
        share = self._lone.get(kind)
        return None if share is None or (share[1] > CLOSE and self._tables) else share

    def coarse_share(self, inside: Sequence[int], rest: Sequence[int]) -> tuple[ShareLaw, float] | None:
        key = tuple(inside), tuple(rest)
        if key not in self._coarse:
            windows = [self._window(members) for members in key]
            self._coarse[key] = None
            if len(windows[0].weights) * len(windows[1].weights) > LARGE_TABLE:
                law, finer = (self._from_blocks(key, windows, number) for number in (FEW - 1, FEW))
                self._coarse[key] = finer, _largest_gap(law, finer, 2.0)
        return self._coarse[key]

    def _from_blocks(self, sides: Sides, windows: Sequence[Window], number: int) -> BetaMixture:
        """A few places for each block of counts, of both sides."""
        a, b = (window.parameter for window in windows)
        (x, one), (y, other) = (block_rule(window, number) for window in windows)
        rows, members = max(1, (1 << 22) // (len(y) * len(self._log_t))), [*sides[0], *sides[1]]
        parts = [self._given(members, x[start : start + rows, None] + y) for start in range(0, len(x), rows)]
        chance = np.concatenate(parts) * one[:, None] * other[None, :]
        some = np.nonzero(chance > chance.max() * 1e-13)
        return BetaMixture(chance[some], a + x[some[0]], b + y[some[1]])

    @cached_property
    def _narrow(self) -> bool:
        """Whether the sum of all is about as wide as at the reference: then that has digits wherever it matters."""
        middle = float(self._chance_of @ self._all_means)
        between = float(self._chance_of @ (self._all_means - middle) ** 2)
        law = self._whole
        mean = float(law.masses @ law.places)
        return between < 0.5 * float(law.masses @ (law.places - mean) ** 2)

    @cached_property
    def _tables(self) -> bool:
        """Whether the sums of all categories but one may be kept, for each one."""
        return self.k * int(self._cells.widths @ self._cells.times) <= SUMS

    def _lone_share(self, i: int) -> tuple[ShareLaw, float]:
        """The share of one of many, and what it is off by: a Beta for each count and each place of the others' sum."""
        law, worst = self._share_from(i, *self._rules[0])
        finer, _ = self._share_from(i, *self._rules[1])
        return finer, worst + _largest_gap(law, finer, 3.0)

    @cached_property
    def _rules(self) -> list[tuple[Floats, Floats, Floats]]:
        return [law_rule(self._whole, number) for number in (PLACES - 3, PLACES)]

    def _share_from(self, i: int, at: Floats, weight: Floats, of_sum: Floats) -> tuple[BetaMixture, float]:
        """By the places and weights of the rule of the sum of all, and the cumulants of this sum."""
        kind = int(self._kind[i])
        mass, low = self._of_kind[kind], int(self._cells.lows[kind])
        of_count = np.array(cumulants(mass)) + np.array([low, 0.0, 0.0, 0.0])
        mean, variance, third, fourth = of_sum
        narrow = math.sqrt(max(variance - of_count[1], 0.0) / variance)
        x, y = low + np.arange(len(mass)), (mean - of_count[0]) + (at - mean) * narrow
        chance = np.outer(mass, weight) * self._given(None, x[:, None] + y[None, :])
        a, b = float(self._alpha[i]), self._total_alpha - float(self._alpha[i])
        first, second = (part.ravel() for part in np.broadcast_arrays(a + x[:, None], b + y[None, :]))
        law = BetaMixture(chance.ravel(), first.astype(np.float64), second)
        top = a + float(x.max())
        move = math.sqrt(top / ((b + y.min()) * (top + b + y.min())))
        off = [abs(whole - part - whole * narrow**power) for whole, part, power in
               ((third, of_count[2], 3), (fourth, of_count[3], 4))]  # fmt: skip
        return law, float(move**3 * off[0] / 6 + move**4 * off[1] / 24)

    def marginal(self, i: int) -> tuple[Counted, Floats]:
        return self.total([i])

    def _of(self, members: Sequence[int]) -> Law:
        """By plain products, so that the rarest sums keep their digits; where these do not matter, by transforms."""
        if self.k > MANY and len(members) > 1 and self._narrow:
            law = self._transforms.of(members)
            return _trim(Law(law.first, np.where(law.masses < _ROUNDED * law.masses.max(), 0.0, law.masses)))
        if self.k > 2 and len(members) == self.k - 1:
            [out] = set(range(self.k)).difference(members)
            return self._rests[out]
        return reduce(_add_counts, [self._windows[kind] for kind in self._kind[list(members)]], Law(0, np.ones(1)))

    @cached_property
    def _transforms(self) -> Sums:
        return Sums(self._windows, self._kind)

    @cached_property
    def _rests(self) -> list[Law]:
        """The sums of all but one, for each one: sums from the left meet sums from the right."""
        windows = [self._windows[kind] for kind in self._kind]
        if sum(len(window.masses) for window in windows) * self.k > SUMS:
            raise TooLarge("the counts that matter to a reader are too many to list", hint="use a larger epsilon")
        left = accumulate(windows[:-1], _add_counts, initial=Law(0, np.ones(1)))
        right = accumulate(reversed(windows[1:]), _add_counts, initial=Law(0, np.ones(1)))
        return list(map(_add_counts, left, reversed(list(right))))

    def _given_sums(
        self, laws: Sequence[NDArray[Any]], members: Sequence[int], low: int, of_sum: OfCounts = np.ones_like
    ) -> NDArray[Any]:
        """At each node the sums are independent, and so is what the sum itself is weighed by."""
        sizes = [law.shape[1] for law in laws]
        length = fft.next_fast_len(sum(sizes))
        kinds = self._kind[list(members)]
        others = self._all_means - self._means[kinds].sum(axis=0)
        means = np.zeros(len(laws[0]), dtype=np.result_type(*laws))
        sums = low + np.arange(sum(sizes) - len(sizes) + 1)
        weight = of_sum(sums) * np.ones(len(sums))
        for chance, log_t, log_sums, rest, every in zip(
            self._chance_of, self._log_t, self._log_sums[kinds].sum(axis=0), others, self._all_means, strict=True
        ):
            away = log_t - self._log_ref
            scale = np.exp((low * away - log_sums) / len(laws))
            parts = [law * (scale * np.exp(np.arange(law.shape[1]) * away)) for law in laws]
            waves = reduce(np.multiply, [fft.fft(part, length, axis=1) for part in parts])
            masses = fft.ifft(waves, axis=1)[:, : len(sums)]
            bent = (1 + self._bent * (sums + rest)) / (1 + self._bent * every)
            at_node = (masses * (weight * bent)).sum(axis=1)
            means = means + chance * (at_node if np.iscomplexobj(means) else at_node.real)
        return means

    def listing(self) -> tuple[Wholes, Floats]:
        windows = [self._of([i]) for i in range(self.k)]
        if math.prod(len(window.masses) for window in windows) > PAIRS // self.k:
            raise TooLarge("the data sets that matter are too many to list", hint="use draws of sample")
        rows = np.stack(np.meshgrid(*(window.places for window in windows), indexing="ij"), axis=-1).reshape(-1, self.k)
        weight = np.multiply.reduce([window.at(rows[:, i]) for i, window in enumerate(windows)])
        weight = weight * self._beside(range(self.k), rows.sum(axis=1))
        return rows, weight / weight.sum()

    def draw(self, bits: Bits, size: int) -> Wholes:
        """Whole data sets, one a row: a node, and each category by itself.

        1 + n/A is a mixture: as it is, or with the count of one category, in proportion to its mean, weighed by itself.
        """
        node = draw_places(bits, self._chance_of, size)
        rows = np.empty((size, self.k), dtype=np.int64)
        plain = draw_uniforms(bits, size) * (1 + self._bent * self._all_means[node]) < 1
        for m in np.unique(node):
            at_node = np.flatnonzero(node == m)
            weighted = at_node[~plain[at_node]]
            chosen = np.full(size, -1)
            chosen[weighted] = draw_places(bits, self._means[self._kind, m], len(weighted))
            power = np.arange(self._cells.logs.shape[1]) * self._log_t[m]
            for i in range(self.k):
                logs = self._cells.logs[self._kind[i]] + power
                mass = np.exp(logs - logs.max())
                rows[at_node, i] = draw_places(bits, mass, len(at_node))
                some, low = np.flatnonzero(chosen == i), int(self._cells.lows[self._kind[i]])
                rows[some, i] = draw_places(bits, mass * (low + np.arange(len(mass))), len(some))
        rows += self._cells.lows[self._kind]
        return rows


def _logit_of_log(log_v: Floats) -> Floats:
    with np.errstate(divide="ignore", invalid="ignore"):
        return log_v - np.log(-np.expm1(log_v))


def _largest_gap(law: ShareLaw, finer: ShareLaw, deviations: float) -> float:
    """How far two distribution functions are apart, at five places within so many standard deviations."""
    away = np.array([-deviations, -1, 0, 1, deviations])
    places = np.clip(law.mean + law.sd * away, 1e-9, 1 - 1e-9)
    return float(np.abs(law.cdf(places) - finer.cdf(places)).max()) + 1e-12


def _add_counts(one: Law, other: Law) -> Law:
    """The law of a sum of two."""
    return _trim(Law(one.first + other.first, np.convolve(one.masses, other.masses)))


def _trim(law: Law) -> Law:
    """Where a law has more than nothing."""
    some = np.flatnonzero(law.masses > law.masses.max() * _NOTHING)
    return Law(law.first + int(some[0]), law.masses[some[0] : some[-1] + 1])
