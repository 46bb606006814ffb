"""p(c | o) where P(o | c) is a product: categories are independent but for their total, so sums are convolutions."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy import fft
from numpy.typing import NDArray

from discreet.arithmetic.arrays import Floats, Wholes
from discreet.errors import InvalidInput, TooLarge
from discreet.inference.beta_tables import kept
from discreet.inference.boxes import CELLS, LEFT_OUT, box, first_reach, wider
from discreet.inference.counts import CountPosterior
from discreet.inference.shares import draw_uniforms
from discreet.kernels.base import Factor
from discreet.samplers.bits import Bits

SPECTRA = 1 << 24
"""Spectra, or sums, of all categories together are not longer than this."""

PAIRS = 1 << 22
"""Joint tables of two categories are not larger than this."""

MANY, GROUPED = 1 << 12, 5e-7
"""Windows of more counts are grouped for their shares, which are then wrong by less than this."""

_UNIT, _CLOSE, _SELDOM = 2.0**-53, 500.0, 1e-3


class Product(CountPosterior):
    """The posterior of the counts, from windows of independent categories given their total."""

    def __init__(self, factors: Sequence[Factor], alpha: Floats, n: int, cells: int = CELLS) -> None:
        self.n, self.k, self._alpha = n, len(factors), alpha
        reach = first_reach(factors, n)
        while True:
            found = box(factors, alpha, n, reach, cells)
            self._lows, self._masses = found.lows, found.masses
            chance = self._chance()
            if not chance > 0:
                raise InvalidInput("no data leads to this output", hint="give the output as it was released")
            before, reach = reach, wider(found, reach, LEFT_OUT * chance, n)
            if reach == before:
                break
        cells = sum(map(len, self._masses))
        rounding = _UNIT * (16 * self.k * math.log2(2 + cells) / chance + cells)
        self._left_out = found.outside / chance + rounding
        self.error = self._left_out + (GROUPED if any(map(self._in_groups, range(self.k))) else 0.0)
        self.method = f"convolution of windows, {cells:,} counts in all"

    def mean_errors(self, prior_mean: Floats, alpha: Floats, n: int) -> Floats:
        """Groups of counts have the means of their counts: only what was left out can move a mean."""
        return np.full(self.k, self._left_out)

    def _chance(self) -> float:
        """The chance that independent counts sum to n."""
        for old in ("_spectra", "_rests"):
            self.__dict__.pop(old, None)
        return float((self._masses[0] * self._facing(0, self._without(0))).sum())

    @cached_property
    def _spectra(self) -> list[NDArray[np.complex128]]:
        return [fft.rfft(mass, self._length) for mass in self._masses]

    @property
    def _long(self) -> bool:
        """Whether spectra would be too long: then sums are cut off at n, one category after the other."""
        if self._room * self.k > SPECTRA:
            raise TooLarge("the counts that matter to a reader are too many to list", hint="use a larger epsilon")
        return self._length * self.k > SPECTRA

    @property
    def _room(self) -> int:
        """How many sums there are from that of the low ends to n."""
        return self.n - sum(self._lows) + 1

    @property
    def _length(self) -> int:
        return _fast_length(sum(map(len, self._masses)) - self.k + 1)

    def _without(self, *left_out: int) -> Floats:
        """The law of the sum of all other categories, from the sum of their low ends on."""
        if len(left_out) == 1 and self.k > 2:
            return self._rests[left_out[0]]
        return self._sum_of([i for i in range(self.k) if i not in left_out])

    @cached_property
    def _rests(self) -> list[Floats]:
        """The sums of all but one, for each one: products from the left meet products from the right."""
        if self._long:
            left, right = [np.ones(1)], [np.ones(1)]
            for mass, other in zip(self._masses[:-1], reversed(self._masses[1:]), strict=True):
                left.append(_joined(left[-1], mass, self._room))
                right.append(_joined(right[-1], other, self._room))
            return [_joined(one, other, self._room) for one, other in zip(left, reversed(right), strict=True)]
        spectra, size = self._spectra, sum(map(len, self._masses)) - self.k + 1
        after = [np.ones_like(spectra[0])]
        for spectrum in reversed(spectra[1:]):
            after.append(after[-1] * spectrum)
        before, found = np.ones_like(spectra[0]), []
        for mass, spectrum, rest in zip(self._masses, spectra, reversed(after), strict=True):
            whole = fft.irfft(before * rest, self._length)
            found.append(np.maximum(whole[: size - len(mass) + 1], 0.0))
            before = before * spectrum
        return found

    def _sum_of(self, others: list[int]) -> Floats:
        """The law of the sum of some categories, from the sum of their low ends on."""
        if not others:
            return np.ones(1)
        if len(others) == 1:
            return self._masses[others[0]]
        if self._long:
            law = self._masses[others[0]]
            for i in others[1:]:
                law = _joined(law, self._masses[i], self._room)
            return law
        spectrum = self._spectra[others[0]].copy()
        for i in others[1:]:
            spectrum *= self._spectra[i]
        size = sum(len(self._masses[i]) for i in others) - len(others) + 1
        found: Floats = np.maximum(fft.irfft(spectrum, self._length)[:size], 0.0)
        return found

    def _facing(self, i: int, rest: Floats) -> Floats:
        """For each count of category i, the chance that the others sum to what is missing."""
        return _at(rest, self.n - sum(self._lows) - np.arange(len(self._masses[i])))

    def marginal(self, i: int) -> tuple[NDArray[Any], Floats]:
        """The counts of a category and their probabilities; very many of them in groups."""
        count, chance = self._single(i)
        return self._grouped(i, count, chance) if self._in_groups(i) else (count, chance)

    def _in_groups(self, i: int) -> bool:
        """Whether a category has very many counts, and some of them are close for their share."""
        return len(self._masses[i]) > MANY and self.n > 4 * _CLOSE**2

    def _single(self, i: int) -> tuple[Wholes, Floats]:
        """Each count of a category."""
        weight = self._masses[i] * self._facing(i, self._without(i))
        found = weight > 0
        return (self._lows[i] + np.arange(len(weight)))[found], weight[found] / weight.sum()

    def _grouped(self, i: int, count: Wholes, chance: Floats) -> tuple[Floats, Floats]:
        """Counts within a 500th of a standard deviation of the share together, at their mean.

        Between a Beta and one whose count differs, the first order cancels, and the second is at most
        ½·½·variance·∫|∂²Beta| ≤ variance/2σ² with 1/σ² = ψ'(a) + ψ'(b): less than `GROUPED` in total variation.
        """
        own, total = float(self._alpha[i]), float(self._alpha.sum()) + self.n
        turn = 2 * math.sqrt(total) * np.arcsin(np.sqrt((own + count) / total))
        group = np.unique(np.floor(_CLOSE * turn), return_inverse=True)[1].reshape(-1)
        together: Floats = np.bincount(group, chance).astype(np.float64)
        return np.bincount(group, chance * count) / together, together

    def pair(self, i: int, j: int) -> tuple[NDArray[Any], NDArray[Any], Floats]:
        """Joint counts of two categories and their probabilities; `TooLarge` if they are too many."""
        if self.k == 2:
            count, chance = self.marginal(i)
            return count, self.n - count, chance
        first, second = self._masses[i], self._masses[j]
        if len(first) * len(second) > PAIRS:
            raise TooLarge("two categories have too many counts that matter", hint="use a larger epsilon")
        rest = self._without(i, j)
        x, y = np.arange(len(first))[:, None], np.arange(len(second))[None, :]
        weight = first[:, None] * second[None, :] * _at(rest, self.n - sum(self._lows) - x - y)
        at = np.nonzero(weight > weight.max() * 1e-18)
        return self._lows[i] + at[0], self._lows[j] + at[1], weight[at] / weight[at].sum()

    def total(self, members: Sequence[int]) -> tuple[Wholes, Floats]:
        """The counts of some categories together, and their probabilities."""
        inside, outside = self._sides(members)
        missing = self.n - sum(self._lows) - np.arange(len(inside))
        weight = inside * _at(outside, missing)
        first, last = np.nonzero(weight)[0][[0, -1]]
        count = sum(self._lows[i] for i in members) + np.arange(first, last + 1)
        return count, weight[first : last + 1] / weight.sum()

    def split(self, i: int, others: Sequence[int]) -> tuple[int, int, Floats]:
        """The joint law of a category's count and of others' together, as a table with the counts that it begins at.

        `TooLarge` if the counts that matter are too many.
        """
        ends = [count[kept(chance)][[0, -1]] for count, chance in (self._single(i), self.total(others))]
        x, y = (np.arange(first, last + 1) for first, last in ends)
        if len(x) * len(y) > PAIRS:
            raise TooLarge("two categories have too many counts that matter", hint="use a larger epsilon")
        beside, outside = self._sum_of(list(others)), self._sides([i, *others])[1]
        low = sum(self._lows[j] for j in others)
        own, rest = self._masses[i][x - self._lows[i]], beside[y - low]
        missing = self.n - sum(self._lows) - (x - self._lows[i])[:, None] - (y - low)[None, :]
        weight = own[:, None] * rest[None, :] * _at(outside, missing)
        return int(x[0]), int(y[0]), weight / weight.sum()

    def _sides(self, members: Sequence[int]) -> tuple[Floats, Floats]:
        """The laws of the sums of some categories and of all the others, before they are told to sum to n."""
        return self._sum_of(list(members)), self._sum_of([i for i in range(self.k) if i not in set(members)])

    def draw(self, bits: Bits, size: int) -> Wholes:
        """Whole data sets, one a row: independent categories, the flattest takes the rest and is kept by its mass."""
        last = min(range(self.k), key=lambda i: float(self._masses[i].max()))
        mass, top = self._masses[last], float(self._masses[last].max())
        share = float((mass * self._facing(last, self._without(last))).sum()) / top
        if share < _SELDOM:
            return self._draw_in_turn(bits, size)
        sums = {i: np.cumsum(self._masses[i]) for i in range(self.k) if i != last}
        parts: list[Wholes] = []
        while (have := sum(map(len, parts))) < size:
            tries = min(PAIRS // self.k, int(1.1 * (size - have) / share) + 16)
            rows = np.zeros((tries, self.k), dtype=np.int64)
            for i, sum_ in sums.items():
                rows[:, i] = sum_.searchsorted(draw_uniforms(bits, tries) * sum_[-1], side="right")
            rows[:, last] = self._room - 1 - rows.sum(axis=1)
            rows = rows[draw_uniforms(bits, tries) * top < _at(mass, rows[:, last])]
            parts.append(rows + np.array(self._lows))
        return np.concatenate(parts)[:size]

    def _draw_in_turn(self, bits: Bits, size: int) -> Wholes:
        """The same where few would be kept: each category given those before it, and the last takes the rest."""
        rests = [self._without(*range(j + 1)) for j in range(self.k - 1)]
        found = np.empty((size, self.k), dtype=np.int64)
        widest = max(map(len, self._masses))
        for start in range(0, size, max(1, PAIRS // widest)):
            rows = slice(start, min(size, start + max(1, PAIRS // widest)))
            missing = np.full(rows.stop - start, self.n - sum(self._lows))
            for j, rest in enumerate(rests):
                mass = self._masses[j]
                sums = np.cumsum(mass * _at(rest, missing[:, None] - np.arange(len(mass))), axis=1)
                chosen = (sums <= draw_uniforms(bits, len(sums))[:, None] * sums[:, -1:]).sum(axis=1)
                found[rows, j] = self._lows[j] + np.minimum(chosen, len(mass) - 1)
                missing = missing - np.minimum(chosen, len(mass) - 1)
            found[rows, -1] = self._lows[-1] + missing
        return found


def _joined(one: Floats, other: Floats, room: int) -> Floats:
    """The law of a sum of two, cut off where there is no more room."""
    size = len(one) + len(other) - 1
    length = _fast_length(size)
    found: Floats = fft.irfft(fft.rfft(one, length) * fft.rfft(other, length), length)[: min(size, room)]
    return np.maximum(found, 0.0)


def _at(law: Floats, where: Wholes) -> Floats:
    """The masses of a law at these places; outside of it there is nothing."""
    return np.where((where >= 0) & (where < len(law)), law[np.clip(where, 0, len(law) - 1)], 0.0)


def _fast_length(size: int) -> int:
    """The least product of twos, threes and fives that is no less: of such lengths transforms are quick.

    >>> _fast_length(7), _fast_length(1001), _fast_length(1024)
    (8, 1024, 1024)
    """
    odd: Iterator[int] = (3**i * 5**j for i in range(size.bit_length()) for j in range(size.bit_length()))
    return min(each << max(0, (-(-size // each) - 1).bit_length()) for each in odd)
