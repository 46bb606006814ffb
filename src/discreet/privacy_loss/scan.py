"""Wide scans for the greatest privacy loss of an exponential mechanism, in floats with a stated error.

`DenseScan` holds all distances of a small space. A `Scan` never holds more than a few rows: a pair of neighbours is
scanned only if a bound on its loss exceeds the greatest so far. For adjacent c, c' with rates a = s/S(c) and a' the
loss is at most min(a, a')·H(c,c') + |a - a'| + |ln NL - ln NL'|, because H ≤ 1 and |H(c,r) - H(c',r)| ≤ H(c,c'). Where
too many pairs remain, what is left is bounded by it, and the result says so.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from discreet.arithmetic.arrays import Floats, Wholes
from discreet.kernels.exponential import LONGEST, Enumerated
from discreet.posteriors.distances import log_affinity_floats
from discreet.posteriors.grid import Grid, Line, grid
from discreet.posteriors.space import PosteriorSpace, exceeds, orbits
from discreet.privacy_loss.certificates import WorstCase
from discreet.privacy_loss.deltas import Pair, excess
from discreet.typing import Progress

MARGIN = 2e-10
"""The stated error of a scan whose log-weights are below a thousand; see `margin`."""


def margin(largest: float) -> float:
    """The stated error of a scan: in proportion to its largest log-weight, where that exceeds a thousand.

    Log-probabilities are tested to a tenth of it (`tests/privacy_loss/test_scan.py`).
    """
    return MARGIN * max(1.0, largest / 1000)


MAX_DENSE_CANDIDATES = 3000
"""Spaces of up to this many candidates keep all distances (72 MB)."""

MAX_SWEEP_CELLS = 1 << 29
"""The most distances that the normalisers of a sweep may take, one data set of each orbit against all outputs."""

MAX_PAIR_CELLS = 1 << 28
"""About how many distances a sweep then spends on pairs."""


class DenseScan:
    """All distances of a small space of any k."""

    def __init__(self, space: PosteriorSpace) -> None:
        table = grid(space)
        self.space, self.rows, self.distances = space, table.rows, table.all_distances()
        self.pairs = list(_moves(space))

    def log_pmf(self, rates: Floats) -> Floats:
        """Log-probabilities of all outputs for all data sets, given a = s/S for each."""
        logits = -rates[:, None] * self.distances
        log_pmf: Floats = logits - np.log(np.exp(logits).sum(axis=1))[:, None]
        return log_pmf

    def worst(self, rates: Floats) -> WorstCase:
        """The greatest loss over all neighbours and outputs."""
        log_pmf, worst = self.log_pmf(rates), WorstCase(error=margin(float(rates.max())))
        for one, other in self.pairs:
            worst = worst.or_greater(log_pmf[one] - log_pmf[other], one, other, lambda rank: self.rows[rank].tolist())
        return worst

    def deltas(self, rates: Floats, epsilon: float, error: float) -> Iterator[Pair]:
        """Σ max(0, P - e^ε P') of all ordered neighbours."""
        log_pmf = self.log_pmf(rates)
        for one, other in self.pairs:
            for first, second in ((one, other), (other, one)):
                delta = excess(log_pmf[first], log_pmf[second], epsilon, error)
                yield from map(Pair, *(column.tolist() for column in (*delta, first, second)))


class Scan:
    """Pairs of neighbours in the order of a bound on their loss, row by row; the rates are given later.

    On a line, in Hellinger distance or in any other metric that grows outward, these are all pairs. With more
    categories they are one data set of each orbit with all its neighbours: categories of equal prior can be exchanged
    without changing any loss, because S, H and NL depend on the pairs (α_i, c_i) alone.
    `tests/privacy_loss/test_scan.py` holds both to the scan of everything.
    """

    def __init__(self, space: PosteriorSpace, progress: Progress | None = None, table: Grid | None = None) -> None:
        self.space, self.grid, self._progress = space, table or grid(space), progress
        self.rows = self.grid.rows
        if isinstance(self.grid, Line):
            self.one = np.arange(len(self.rows) - 1)
            self.other, self.steps, self.budget = self.one + 1, self.grid.steps(), math.inf
        else:
            self.one, self.other = orbit_pairs(space)
            log_affinity = log_affinity_floats(space.prior, self.rows[self.one], self.rows[self.other])
            self.steps = np.sqrt(-np.expm1(log_affinity))
            self.budget = max(64, MAX_PAIR_CELLS // (2 * len(self.rows)))

    def at(self, rates: Floats) -> Enumerated:
        """All rows at these rates."""
        return Enumerated(self.grid, rates, self._progress)

    def worst(self, rates: Floats) -> WorstCase:
        """The greatest loss over all neighbours and outputs, or as much of it as `budget` allows and a bound on it."""
        table = self.at(rates)
        bounds = self.bounds(table)
        worst = WorstCase(error=margin(float(rates.max())))
        for scanned, place in enumerate(np.argsort(-bounds).tolist()):
            if bounds[place] <= worst.loss:
                break
            if scanned == self.budget:
                return replace(worst, bound=float(bounds[place]))
            one, other = self.one[[place]], self.other[[place]]
            gap = table.log_pmf(int(one[0])) - table.log_pmf(int(other[0]))
            worst = worst.or_greater(gap[None], one, other, lambda rank: self.rows[rank].tolist())
        return worst

    def deltas(self, rates: Floats, epsilon: float, error: float) -> Iterator[Pair]:
        """Σ max(0, P - e^ε P') of all ordered neighbours whose loss may exceed ε."""
        table = self.at(rates)
        for place in np.flatnonzero(self.bounds(table) > epsilon):
            ranks = int(self.one[place]), int(self.other[place])
            rows = [table.log_pmf(rank) for rank in ranks]
            for one, other in ((0, 1), (1, 0)):
                value, off = excess(rows[one], rows[other], epsilon, error)
                yield Pair(float(value), float(off), ranks[one], ranks[other])

    def bounds(self, table: Enumerated) -> Floats:
        """A bound on the loss of each pair."""
        rates, other_rates = table.rates[self.one], table.rates[self.other]
        logs = table.log_normalisers
        bounds: Floats = np.minimum(rates, other_rates) * self.steps + np.abs(rates - other_rates)
        bounds += np.abs(logs[self.one] - logs[self.other]) + margin(float(table.rates.max()))
        return bounds


def sweepable(space: PosteriorSpace) -> bool:
    """Whether a scan of one data set of each orbit stays within `MAX_SWEEP_CELLS`: three categories or more."""
    if space.k == 2 or exceeds(space, LONGEST):
        return False
    return len(np.unique(orbits(space))) * space.size <= MAX_SWEEP_CELLS


def scanner(space: PosteriorSpace, progress: Progress | None = None) -> DenseScan | Scan:
    """The scan of everything that fits a space."""
    return Scan(space, progress) if exceeds(space, MAX_DENSE_CANDIDATES) else DenseScan(space)


def scannable(space: PosteriorSpace) -> bool:
    """Whether all neighbours and outputs of the space can be scanned."""
    return not exceeds(space, LONGEST if space.k == 2 else MAX_DENSE_CANDIDATES)


def orbit_pairs(space: PosteriorSpace) -> tuple[Wholes, Wholes]:
    """Ranks of neighbours, one data set of each orbit with all its own: no other pair has a greater loss."""
    return neighbour_pairs(space, np.unique(orbits(space)))


def neighbour_pairs(space: PosteriorSpace, ranks: Wholes) -> tuple[Wholes, Wholes]:
    """Ranks of neighbours: these data sets with all their own."""
    rows = space.candidates().array()
    pairs = [_move_record(space, rows, ranks, i, j) for i, j in itertools.permutations(range(space.k), 2)]
    return np.concatenate([ones for ones, _ in pairs]), np.concatenate([others for _, others in pairs])


def _moves(space: PosteriorSpace) -> Iterator[tuple[Wholes, Wholes]]:
    """Pairs of ranks of neighbours, each unordered pair once."""
    rows = space.candidates().array()
    for i, j in itertools.combinations(range(space.k), 2):
        yield _move_record(space, rows, np.arange(len(rows)), i, j)


def _move_record(space: PosteriorSpace, rows: Wholes, ranks: Wholes, i: int, j: int) -> tuple[Wholes, Wholes]:
    """Those of these data sets that have a record in category i, and what they are with it in category j."""
    ones = ranks[rows[ranks, i] >= 1]
    others = rows[ones].copy()
    others[:, i] -= 1
    others[:, j] += 1
    return ones, space.candidates().ranks(others)
