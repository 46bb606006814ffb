"""Many proposals of a simplex sampler at once: exact draws in bulk, and the normaliser that their chances add up to.

A proposal r comes with probability Q(r) and is kept with the chance weight(r)/(B·Q(r))
(`discreet.samplers.simplex_rejection`). So the mean chance of all proposals is NL/B, with NL = Σ_r weight(r): bounded
numbers in [0, 1], whose mean a finite number of them tells within a stated error (Maurer and Pontil's empirical
Bernstein inequality), for any n and k and without a list.

Whether a proposal is kept is decided by floats where they are certain: the second differences in ln BC have bounds
(`discreet.arithmetic.lgamma_bounds`), the rate has, too, and ln Q is within the sampler's `room`. The rest is left
to the exact coin, which goes on from the bits that were drawn. Tests: `tests/samplers/test_bulk_rejection.py`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from discreet.arithmetic.arrays import Floats, Wholes
from discreet.arithmetic.lgamma_bounds import SAFE, least_second_differences, most_second_differences
from discreet.samplers.bits import Bits, draw_accepted, draw_below_many, draw_bernoulli, draw_composition, draw_words
from discreet.samplers.simplex_rejection import SimplexRejection

_BATCH = 4096
_CELLS = 1 << 21
"""Proposals are weighed in parts of about this many numbers."""


class Batch(NamedTuple):
    """Proposals that fit n, one per row, with floats certainly below and above ln(chance); and how many there were."""

    rows: Wholes
    low: Floats
    high: Floats
    tried: int


@dataclass(frozen=True, slots=True)
class Estimate:
    """ln NL and an interval that holds it with the stated confidence, from so many proposals.

    `log_value` is the logarithm of the unbiased estimate. The interval is not of a large number's law: it is a
    finite-sample bound, valid for every number of proposals.
    """

    log_value: float
    log_lower: float
    log_upper: float
    confidence: float
    proposals: int


class BulkRejection:
    """A simplex sampler's proposals in bulk. `rates` are floats certainly below and above its rate."""

    def __init__(self, sampler: SimplexRejection, rates: tuple[float, float]) -> None:
        self.sampler, self._rates = sampler, rates
        self._shares = np.array(sampler.choices, dtype=np.uint64)
        self._proposed = self._accepted = 0

    def draw_many(self, bits: Bits, size: int) -> Wholes:
        """Exact draws from the law, one per row."""

        def draw_batch(missing: int) -> Wholes:
            share = (self._accepted + 1) / (self._proposed + 2)
            batch = self.batch(bits, min(_BATCH, int(1.1 * missing / share) + 8))
            words = draw_words(bits, len(batch.rows))
            # A toss of 64 bits stands for all reals that begin so: 64 zeros decide against no chance, however small.
            with np.errstate(divide="ignore"):
                below, above = (np.log((words + end) / 2.0**64) for end in (0.0, 1.0))
            keep = above + SAFE * (1 + np.abs(above)) < batch.low
            for i in np.flatnonzero(~keep & (below - SAFE * (1 + np.abs(below)) <= batch.high)):
                chance = partial(self.sampler.chance, tuple(batch.rows[i].tolist()))
                keep[i] = draw_bernoulli(bits, chance, int(words[i]))
            accepted: Wholes = batch.rows[keep]
            self._proposed, self._accepted = self._proposed + batch.tried, self._accepted + len(accepted)
            return accepted

        return draw_accepted(size, draw_batch, (self.sampler.space.k,))

    def log_normaliser(self, bits: Bits, size: int, confidence: float = 0.99) -> Estimate:
        """ln NL from `size` proposals, within bounds that hold with at least the stated confidence."""
        parts = [self.batch(bits, min(_BATCH, size - at)) for at in range(0, size, _BATCH)]
        middle = np.exp(np.concatenate([0.5 * (part.low + part.high) for part in parts]))
        width = float((np.exp(np.concatenate([part.high for part in parts])) - middle).sum()) / size
        mean = float(middle.sum()) / size
        variance = (float((middle**2).sum()) - size * mean**2) / (size - 1)
        sure = math.log(4 / (1 - confidence))
        reach = width + math.sqrt(2 * max(variance, 0.0) * sure / size) + 7 * sure / (3 * (size - 1))
        scale = self.sampler.log_bound + math.log(self.sampler.choices[-1])
        # The atom at the centre alone has weight 1.
        low = max(scale + math.log(mean - reach), 0.0) if mean > reach else 0.0
        return Estimate(scale + math.log(mean), low, scale + math.log(mean + reach), confidence, size)

    def batch(self, bits: Bits, size: int) -> Batch:
        """Some proposals, and what is known of their chances."""
        sampler = self.sampler
        total = np.full(size, sampler.choices[-1])
        choice = np.searchsorted(self._shares, draw_below_many(bits, total).astype(np.uint64), side="right")
        rows, fits = np.empty((size, sampler.space.k), dtype=np.int64), np.ones(size, dtype=bool)
        even = np.flatnonzero(choice == len(sampler.terms))
        rows[even], rows[choice > len(sampler.terms)] = self._draw_even(bits, even.size), sampler.counts
        for j in np.unique(choice[choice < len(sampler.terms)]):
            mine = np.flatnonzero(choice == j)
            rows[mine], fits[mine] = self._draw_term(bits, int(j), mine.size)
        fitting = rows[fits]  # in the order of the choices: whoever needs fewer may take the first
        step = max(1, _CELLS // (sampler.space.k * (len(sampler.terms) + 4)))
        parts = [self._chances(fitting[at : at + step]) for at in range(0, len(fitting), step)]
        low, high = (np.concatenate([part[i] for part in parts]) if parts else np.empty(0) for i in (0, 1))
        return Batch(fitting, low, high, size)

    def _draw_even(self, bits: Bits, size: int) -> Wholes:
        """Even draws from all candidates: bars among stars, all rows with two bars in one place thrown back."""
        n, k = self.sampler.space.n, self.sampler.space.k
        places = n + k - 1
        if places < 2 * k * k:
            drawn = [draw_composition(bits, n, k) for _ in range(size)]
            return np.array(drawn, dtype=np.int64).reshape(size, k)
        bars = np.empty((size, k - 1), dtype=np.int64)
        open_ = np.arange(size)
        while open_.size:
            bounds = np.full(open_.size * (k - 1), places)
            bars[open_] = np.sort(draw_below_many(bits, bounds).reshape(-1, k - 1))
            open_ = open_[(np.diff(bars[open_]) == 0).any(axis=1)]
        rows: Wholes = np.diff(bars, prepend=-1, append=places) - 1
        return rows

    def _draw_term(self, bits: Bits, j: int, size: int) -> tuple[Wholes, NDArray[np.bool_]]:
        """Proposals of one term, and which of them fit n."""
        sampler = self.sampler
        rows = np.zeros((size, sampler.space.k), dtype=np.int64)
        for i in sampler.free:
            block = sampler.terms[j].draw_blocks(bits, i, size)
            low, high = sampler.blocks.low[block], sampler.blocks.high[block]
            rows[:, i] = low + draw_below_many(bits, high - low + 1)
        left = sampler.space.n - rows.sum(axis=1)
        rows[:, sampler.last] = left
        return rows, left >= 0

    def _chances(self, rows: Wholes) -> tuple[Floats, Floats]:
        """Floats certainly below and above ln(chance) of each row."""
        sampler = self.sampler
        least, most = _log_affinity_bounds(sampler, rows)
        slow, fast = self._rates
        low = -fast * np.sqrt(-np.expm1(-most)) * (1 + 4 * SAFE)
        high = -slow * np.sqrt(-np.expm1(-least)) * (1 - 4 * SAFE)
        log_q = sampler.log_proposal(rows)
        room = sampler.room + SAFE * np.abs(log_q)
        return low - sampler.log_bound - log_q - room, high - sampler.log_bound - log_q + room


def _log_affinity_bounds(sampler: SimplexRejection, rows: Wholes) -> tuple[Floats, Floats]:
    """Floats certainly below and above -ln BC of each row, summed over categories."""
    least, most = np.zeros(len(rows)), np.zeros(len(rows))
    for i, centre in enumerate(sampler.counts):
        alpha = float(sampler.space.prior.parameters[i])
        low, high = np.minimum(rows[:, i], centre), np.maximum(rows[:, i], centre)
        step = (high - low).astype(np.float64)
        least += 0.5 * least_second_differences(alpha + low, alpha + high, step)
        most += 0.5 * most_second_differences(alpha + low, alpha + high, step)
    room = len(sampler.counts) * 2.0**-50
    return least * (1 - room), most * (1 + room)
