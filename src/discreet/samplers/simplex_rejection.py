"""Exact draws from exponential laws on three categories or more, without listing the candidates.

The weight of a candidate r is bounded by a sum of products over categories, Σ_j w_j Π_i g_i(r_i)^m_j (see
`discreet.samplers.exponential_majorant`), plus a constant and an atom at the centre. A term is chosen, every category
but one is drawn from a step function above its factor, the last takes what is left of n, and the candidate is kept with
probability weight over the sum of all terms' step functions: an exact coin. A factor t^r_i, the tilt, may be put on
every category, because Σr is fixed; it is chosen so that the expected counts sum to n. Without it hardly any draw would
fit when counts are small.

What correctness rests on: every step is at least its factor (at the near ends of blocks ln g_i is bounded by a
proved inequality, and g_i falls on either side of c_i); the majorant is at least the weight; choices are made by exact
whole numbers. Floats are rounded up with room to spare, and where one stands for the sum of step functions it is a ball
whose radius bounds its error: sums of positive floats and of their logarithms, a few units in the last place each.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from fractions import Fraction
from functools import cached_property, partial

import numpy as np
from flint import arb

from discreet.arithmetic.arrays import Floats, Wholes
from discreet.arithmetic.growing_blocks import growing_edges
from discreet.arithmetic.lgamma_bounds import least_second_differences
from discreet.arithmetic.numbers import ball, working_bits
from discreet.errors import DiscreetError
from discreet.posteriors.space import Counts, PosteriorSpace
from discreet.samplers.bits import (
    CHUNK,
    Bits,
    Inverter,
    draw_below,
    draw_bernoulli,
    draw_choice,
    draw_composition,
    draw_words,
    tabulate,
)
from discreet.samplers.exponential_majorant import exponential_majorant
from discreet.typing import Outcome

_WIDE = 14.0
"""Fine blocks reach this many standard deviations from a count of at least `_MANY`; beyond, blocks double."""

_MANY = 50
_PAD = 2.0**-36
"""Heights are raised by this share: far more than the rounding of the few float operations that make them."""

_MANTISSA = 12
"""Heights keep this many bits, so that height times block size is an exact float."""

_CENTRED = 0.05
"""A tilt is right where the expected counts sum to n within this many records, or a twentieth of a deviation."""

_SPARSE = 2
"""Counts below this may do better without a tilt."""

_SHARE_BITS = 62

_FLOOR = 14
"""The constant of the majorant is at least 2**-14 of an even share: a preparation that does not grow with n."""


class Blocks:
    """The counts of every category cut into blocks, one category after the other, with ln g at their near ends."""

    def __init__(self, space: PosteriorSpace, counts: Counts, flattest: float) -> None:
        growth = min(max(2 / space.k, 0.02), 0.25)
        low, high, self.starts = [], [], [0]
        for i, centre in enumerate(counts):
            spread = math.sqrt(8 * (float(space.prior.parameters[i]) + centre + 1) / flattest)
            edges = _edges(centre, space.n, growth, _WIDE * spread if centre >= _MANY else float(space.n))
            low += edges[:-1]
            high += [edge - 1 for edge in edges[1:]]
            self.starts.append(len(low))
        self.low, self.high = np.array(low), np.array(high)
        self.size = self.high - self.low + 1
        self.log_size = np.log(self.size)
        self.lengths = np.diff(self.starts)
        self.first = np.array(self.starts[:-1])
        centres = np.repeat(counts, self.lengths)
        alphas = np.repeat(space.prior.alpha, self.lengths)
        self.offset = 0.5 * ((self.low - centres) + (self.high - centres))
        self.log_factor = -_least_losses(alphas, centres, np.where(self.high < centres, self.high, self.low))

    def heights(self, rate: float, tilt: float) -> tuple[Floats, Floats]:
        """Heights of steps above g^rate·e^(-tilt·x), short floats, over each category's own e^top; and the tops."""
        logs = rate * self.log_factor - tilt * (self.low if tilt >= 0 else self.high)
        logs += _PAD * (rate * np.abs(self.log_factor) + abs(tilt) * self.high + 1)
        tops = np.maximum.reduceat(logs, self.first)
        mantissa, exponent = np.frexp(np.exp(np.maximum(logs - np.repeat(tops, self.lengths), -600.0)) * (1 + _PAD))
        return np.ldexp(np.ceil(np.ldexp(mantissa, _MANTISSA)), exponent - _MANTISSA), tops

    def find(self, i: int, x: Wholes) -> Wholes:
        """The blocks of category i that hold these counts."""
        start, stop = self.starts[i], self.starts[i + 1]
        blocks: Wholes = start - 1 + self.low[start:stop].searchsorted(x, side="right")
        return blocks


class Term:
    """One product of the majorant: its tilt, and the heights of all blocks."""

    def __init__(self, blocks: Blocks, last: int, rate: float, log_weight: float, tilt: float, n: int) -> None:
        self._blocks = blocks
        self._heights, tops = blocks.heights(rate, tilt)
        log_totals = np.log(np.add.reduceat(self._heights * blocks.size, blocks.first))
        self._log_free = math.fsum(np.delete(log_totals, last).tolist())
        self.log_mass = log_weight + tilt * n + _PAD * (1 + abs(tilt) * n) + math.fsum(tops.tolist()) + self._log_free
        self.size_of_logs = float(np.abs(log_totals).sum() + np.abs(tops).sum()) + abs(log_weight) + abs(tilt) * n
        self._sums: dict[int, Floats] = {}
        self._whole: dict[int, list[int]] = {}

    @cached_property
    def _log_heights(self) -> Floats:
        return np.log(self._heights)

    def log_chances(self, at: Wholes) -> Floats:
        """ln Π height/total over the free categories' blocks, a row for each candidate: how likely it is proposed."""
        logs: Floats = self._log_heights[at].sum(axis=1) - self._log_free
        return logs

    def masses(self, i: int) -> Floats:
        """The masses of category i's blocks, exact floats."""
        part = slice(self._blocks.starts[i], self._blocks.starts[i + 1])
        mass: Floats = self._heights[part] * self._blocks.size[part]
        return mass

    def exact_share(self, i: int, block: int) -> Fraction:
        """The probability of a block of category i."""
        if i not in self._whole:
            self._whole[i] = whole_masses(self.masses(i))
        masses = self._whole[i]
        return Fraction(masses[block - self._blocks.starts[i]], sum(masses))

    def draw_blocks(self, bits: Bits, i: int, size: int) -> Wholes:
        """Blocks of category i with probability exactly proportional to their masses."""
        words = draw_words(bits, size)
        sums, room = self._running_sums(i)
        at = words * 2.0**-CHUNK * float(sums[-1])
        chosen = sums.searchsorted(at - room)
        unclear = (chosen != sums.searchsorted(at + room)) | (chosen == len(sums))
        for place in unclear.nonzero()[0]:
            chosen[place] = _draw_exact_block(bits, self.masses(i), int(words[place]))
        blocks: Wholes = self._blocks.starts[i] + chosen
        return blocks

    def _running_sums(self, i: int) -> tuple[Floats, float]:
        """The running sums of category i's masses, and how far they and a position among them may be off."""
        if i not in self._sums:
            self._sums[i] = np.cumsum(self.masses(i))
        sums = self._sums[i]
        # The running sums of b exact floats are off by less than b·2**-53 of the total, and so is the total; a position
        # among them by a few 2**-53 more.
        return sums, (len(sums) + 8) * 2.0**-52 * float(sums[-1])


def _draw_exact_block(bits: Bits, masses: Floats, drawn: int) -> int:
    """The same choice, by whole numbers, from the bits drawn so far."""
    whole = whole_masses(masses)
    return Inverter(lambda width: tabulate(whole, whole, 0, width), len(whole)).resume(bits, drawn, CHUNK)


def whole_masses(masses: Floats) -> list[int]:
    """Exact floats as whole numbers of a common unit.

    >>> import numpy as np
    >>> whole_masses(np.array([0.5, 3.0]))
    [1, 6]
    """
    ratios = [float(mass).as_integer_ratio() for mass in masses]
    unit = max(denominator for _, denominator in ratios)
    return [numerator * (unit // denominator) for numerator, denominator in ratios]


class SimplexRejection:
    """The sampler for one law: weight(r) = exp(-rate·H(c, r)), given by enclosures.

    `slow_rate` is a float below the true rate: smaller rates have larger weights, so their majorant holds.
    """

    def __init__(
        self, space: PosteriorSpace, counts: Counts, slow_rate: float, log_weight: Callable[[Outcome], arb]
    ) -> None:
        self.space, self.counts, self._log_weight = space, counts, log_weight
        self.last = max(range(space.k), key=lambda i: counts[i])
        self.free = [i for i in range(space.k) if i != self.last]
        self._log_size = math.log(space.size)
        majorant = exponential_majorant(slow_rate, _least(space, counts), -self._log_size - _FLOOR * math.log(2))
        self.blocks = Blocks(space, counts, float(majorant.rates.min()) if majorant.rates.size else 1.0)
        tilts = _tilts(self.blocks, majorant.rates)
        self.terms = list(map(self._term, majorant.rates.tolist(), majorant.log_weights.tolist(), tilts))
        # The last two choices: an even draw from all candidates, and the centre itself.
        rest = (
            1
            - math.fsum(math.exp(weight) for weight in majorant.log_weights.tolist())
            - math.exp(majorant.log_constant)
        )
        logs = [term.log_mass for term in self.terms] + [majorant.log_constant + self._log_size]
        logs.append(math.log(max(rest, 0.0) + 2.0**-40))
        total = max(logs) + math.log(math.fsum(math.exp(x - max(logs)) for x in logs))
        self._shares = [math.ceil(math.exp(x - total) * 2.0**_SHARE_BITS) + 1 for x in logs]
        self.choices = list(itertools.accumulate(self._shares))
        largest = max((term.size_of_logs for term in self.terms), default=0.0)
        self.room = 1e-9 + 2.0**-44 * (largest + 64 * space.k + self._log_size)
        self.log_bound = total - _SHARE_BITS * math.log(2) + self.room

    def _term(self, rate: float, log_weight: float, tilt: float) -> Term:
        """The term with this tilt, or without one where that proposes less in vain.

        g falls slower than any exponential above a count of 0, so at a corner a tilt can lead away to all records.
        """
        tilted = Term(self.blocks, self.last, rate, log_weight, tilt, self.space.n)
        if min(self.counts) >= _SPARSE:
            return tilted
        upright = Term(self.blocks, self.last, rate, log_weight, 0.0, self.space.n)
        return min(tilted, upright, key=lambda term: term.log_mass)

    def draw(self, bits: Bits) -> Outcome:
        """One candidate, exactly from the law."""
        while True:
            r = self.propose(bits)
            if r is not None and draw_bernoulli(bits, partial(self.chance, r)):
                return r

    def propose(self, bits: Bits) -> Outcome | None:
        """One try: a candidate that has yet to be kept, or None where the counts do not fit n."""
        choice = draw_choice(bits, self.choices)
        if choice == len(self.terms):
            return tuple(draw_composition(bits, self.space.n, self.space.k))
        if choice > len(self.terms):
            return tuple(self.counts)
        term, left = self.terms[choice], self.space.n
        counts = [0] * self.space.k
        for i in self.free:
            block = int(term.draw_blocks(bits, i, 1)[0])
            low, high = int(self.blocks.low[block]), int(self.blocks.high[block])
            counts[i] = low + draw_below(bits, high - low + 1)
            left -= counts[i]
            if left < 0:
                return None
        counts[self.last] = left
        return tuple(counts)

    def chance(self, r: Outcome) -> arb:
        """weight(r)/(bound·Q(r)), where Q is the chance of proposing r: at most 1 by the majorant and its steps."""
        chance = (self._log_weight(r) - arb(self.log_bound) - self._enclosed_log_proposal(r)).exp()
        if chance > 1:
            raise DiscreetError("an envelope was found too low", hint="please report this prior, n and k")
        return chance

    def log_proposal(self, rows: Wholes) -> Floats:
        """ln Q of many candidates, one per row, in floats that are within `room` of it."""
        at = np.stack([self.blocks.find(i, rows[:, i]) for i in self.free], axis=1)
        logs = [np.full(len(rows), math.log(self._shares[-2]) - self._log_size)]
        logs += [math.log(self._shares[j]) + term.log_chances(at) for j, term in enumerate(self.terms)]
        centre = (rows == np.array(self.counts)).all(axis=1)
        logs.append(np.where(centre, math.log(self._shares[-1]), -np.inf))
        total: Floats = np.logaddexp.reduce(logs)
        return total

    def _enclosed_log_proposal(self, r: Outcome) -> arb:
        """ln Q(r): from floats, with the bound on their error as radius, until a coin asks for more bits."""
        row = np.array([r])
        if working_bits() <= 2 * CHUNK:
            return arb(float(self.log_proposal(row)[0]), self.room)
        total = ball(self._shares[-2]) / self.space.size
        if r == tuple(self.counts):
            total += self._shares[-1]
        blocks = {i: int(self.blocks.find(i, row[:, i])[0]) for i in self.free}
        for j, term in enumerate(self.terms):
            product = ball(self._shares[j])
            for i, block in blocks.items():
                product *= ball(term.exact_share(i, block)) / int(self.blocks.size[block])
            total += product
        return total.log()


def _least_losses(alpha: Floats, centre: Wholes, x: Wholes) -> Floats:
    """Lower bounds on -ln g(x) ≥ 0: half of one on the second difference of lnΓ."""
    low, high = np.minimum(centre, x), np.maximum(centre, x)
    return 0.5 * least_second_differences(alpha + low, alpha + high, (high - low).astype(np.float64))


def _least(space: PosteriorSpace, counts: Counts) -> float:
    """A lower bound on L over all candidates but the centre: some category loses a record and another gains one."""
    alpha, centre = space.prior.alpha, np.array(counts)
    some = np.flatnonzero(centre)
    gain = _least_losses(alpha, centre, centre + 1)
    loss = _least_losses(alpha[some], centre[some], centre[some] - 1)
    return float(min(gain[i] + loss[j] for i in gain.argsort()[:2] for j in loss.argsort()[:2] if i != some[j]))


def _tilts(blocks: Blocks, rates: Floats) -> list[float]:
    """For each rate the tilt at which expected counts sum to n, from the steepest rate down.

    The expected sum falls with the tilt: Newton's steps are kept inside what is known to hold the root, because a law
    of few counts has hardly any slope where it is flat. A tilt that is off costs tries, not correctness.
    """
    tilts, tilt = [], 0.0
    for rate in rates[::-1].tolist():
        low, high = -math.inf, math.inf
        for _ in range(60):
            excess, spread = _moments(blocks, rate, tilt)
            if abs(excess) <= max(0.05 * math.sqrt(spread), _CENTRED):
                break
            low, high = (tilt, high) if excess > 0 else (low, tilt)
            limit = 2 * abs(tilt) + 1 / math.sqrt(max(spread, 1.0))
            guess = tilt + min(max(excess / max(spread, 1e-300), -limit), limit)
            tilt = guess if low < guess < high else 0.5 * (low + high)
        tilts.append(tilt)
    return tilts[::-1]


def _moments(blocks: Blocks, rate: float, tilt: float) -> tuple[float, float]:
    """How far the expected counts exceed n, and the variance of their sum, for g^rate·e^(-tilt·x)."""
    heights = rate * blocks.log_factor - tilt * blocks.offset + blocks.log_size
    heights -= np.repeat(np.maximum.reduceat(heights, blocks.first), blocks.lengths)
    chance = np.exp(heights)
    mass = np.add.reduceat(chance, blocks.first)
    chance *= blocks.offset
    mean = np.add.reduceat(chance, blocks.first) / mass
    chance *= blocks.offset
    square = np.add.reduceat(chance, blocks.first) / mass
    return float(mean.sum()), max(float((square - mean**2).sum()), 0.0)


def _edges(centre: int, n: int, growth: float, reach: float) -> list[int]:
    """Block edges: single counts around the centre, then sizes in proportion to the distance, doubling beyond reach."""

    def following(distance: int) -> int:
        return distance + int(distance * (growth if distance < reach else 1.0))

    left, right = (growing_edges(0, room, following).tolist() for room in (centre - 1, n - centre))
    return [*(centre - distance for distance in left[:0:-1]), *(centre + distance for distance in right)]
