"""Wide scans for the greatest privacy loss of an exponential mechanism, in floats with a stated error.

`Dense` holds all distances of a small space. A `Scan` never holds more than a few rows: a pair of neighbours is looked
at only if a bound on its loss exceeds the greatest found so far. For adjacent c, c' with rates a = s/S(c) and a' the
loss is at most min(a, a')·H(c,c') + |a - a'| + |ln NL - ln NL'|, because H ≤ 1 and |H(c,r) - H(c',r)| ≤ H(c,c'). Where
too many pairs remain, what is left is bounded by it, and the result says so.
"""

from __future__ import annotations

import itertools
import math
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from discreet.arithmetic.arrays import Floats, Wholes
from discreet.kernels.exponential import LONGEST, Enumerated
from discreet.posteriors.distances import log_affinity_floats
from discreet.posteriors.grid import WIDEST_TABLES, Grid, Line, grid
from discreet.posteriors.space import PosteriorSpace, exceeds, orbits, rank_rows
from discreet.privacy_loss.deltas import Pair, excess
from discreet.typing import Outcome, Progress

MARGIN = 2e-10
"""The stated error of a scan whose log-weights are below a thousand; see `margin`."""


def margin(largest: float) -> float:
    """The stated error of a scan: in proportion to its largest log-weight, where that exceeds a thousand.

    Log-probabilities are tested to a tenth of it (`tests/privacy_loss/test_scan.py`).
    """
    return MARGIN * max(1.0, largest / 1000)


DENSE = 3000
"""Spaces of up to this many candidates keep all distances (72 MB)."""

CELLS = 1 << 29
"""The most distances that the normalisers of a sweep may take, one data set of each orbit against all outputs."""

PAIRS = 1 << 28
"""About how many distances a sweep then spends on pairs."""


@dataclass(frozen=True, slots=True)
class WorstCase:
    """The greatest loss that was found, and where. These are no one's data: all data sets are looked at alike."""

    loss: float = -math.inf
    counts: Outcome = ()
    neighbour: Outcome = ()
    output: Outcome = ()
    bound: float = -math.inf
    """On what was not looked at."""
    error: float = 0.0
    """By how much the loss and the bound may be off."""

    def to_json(self) -> dict[str, list[int]]:
        """Where it is."""
        return {key: list(getattr(self, key)) for key in ("counts", "neighbour", "output")}


class Dense:
    """All distances of a small space of any k."""

    def __init__(self, space: PosteriorSpace) -> None:
        table = grid(space)
        self.space, self.rows = space, table.rows
        self.distances, self.moves = table.all_distances(), list(_moves(space))

    def log_pmf(self, rates: Floats) -> Floats:
        """Log-probabilities of all outputs for all data sets, given a = s/S for each."""
        logits = -rates[:, None] * self.distances
        shown: Floats = logits - np.log(np.exp(logits).sum(axis=1))[:, None]
        return shown

    def worst(self, rates: Floats) -> WorstCase:
        """The greatest loss over all neighbours and outputs."""
        log_pmf = self.log_pmf(rates)
        found = WorstCase()
        for one, other in self.moves:
            gap = log_pmf[one] - log_pmf[other]
            for sign, place in ((1, int(gap.argmax())), (-1, int(gap.argmin()))):
                row, output = divmod(place, self.rows.shape[0])
                loss = sign * float(gap[row, output])
                if loss > found.loss:
                    ranks = (one[row], other[row])[::sign]
                    here, there, at = (tuple(self.rows[rank].tolist()) for rank in (*ranks, output))
                    found = WorstCase(loss, here, there, at)
        return replace(found, error=margin(float(rates.max())))

    def deltas(self, rates: Floats, epsilon: float, error: float) -> Iterator[Pair]:
        """Σ max(0, P - e^ε P') of all ordered neighbours."""
        log_pmf = self.log_pmf(rates)
        for one, other in self.moves:
            for here, there in ((one, other), (other, one)):
                found = excess(log_pmf[here], log_pmf[there], epsilon, error)
                yield from map(Pair, *(column.tolist() for column in (*found, here, there)))

    def mean_error(self, rates: Floats, weights: Floats) -> float:
        """The expected distance, with weights on the data sets."""
        chance = np.exp(-rates[:, None] * self.distances)
        return float(weights @ ((chance * self.distances).sum(axis=1) / chance.sum(axis=1)))


class Scan(ABC):
    """Pairs of neighbours in the order of a bound on their loss, row by row; the rates are given later."""

    budget: float = math.inf
    """How many pairs are looked at, at most."""

    def __init__(self, space: PosteriorSpace, progress: Progress | None = None, table: Grid | None = None) -> None:
        self.space, self.table, self._progress = space, table or grid(space), progress
        self.rows = self.table.rows
        self.one, self.other = self._pairs()
        self.steps = self._steps()

    @abstractmethod
    def _pairs(self) -> tuple[Wholes, Wholes]:
        """Ranks of neighbours, enough of them that no other pair has a greater loss."""

    @abstractmethod
    def _steps(self) -> Floats:
        """H of the pairs."""

    def at(self, rates: Floats) -> Enumerated:
        """All rows at these rates."""
        return Enumerated(self.table, rates, self._progress)

    def worst(self, rates: Floats) -> WorstCase:
        """The greatest loss over all neighbours and outputs, or as much of it as `budget` allows and a bound on it."""
        every = self.at(rates)
        bounds = self.bounds(every)
        found = WorstCase(error=margin(float(rates.max())))
        for looked_at, place in enumerate(np.argsort(-bounds).tolist()):
            if bounds[place] <= found.loss:
                break
            if looked_at == self.budget:
                return replace(found, bound=float(bounds[place]))
            c, d = int(self.one[place]), int(self.other[place])
            gap = every.log_pmf(c) - every.log_pmf(d)
            for sign in (1, -1):
                output = int(np.argmax(sign * gap))
                loss = sign * float(gap[output])
                if loss > found.loss:
                    one, other, at = (tuple(self.rows[rank].tolist()) for rank in (*(c, d)[::sign], output))
                    found = WorstCase(loss, one, other, at, error=found.error)
        return found

    def deltas(self, rates: Floats, epsilon: float, error: float) -> Iterator[Pair]:
        """Σ max(0, P - e^ε P') of all ordered neighbours whose loss may exceed ε."""
        every = self.at(rates)
        for place in np.flatnonzero(self.bounds(every) > epsilon):
            ranks = int(self.one[place]), int(self.other[place])
            rows = [every.log_pmf(rank) for rank in ranks]
            for one, other in ((0, 1), (1, 0)):
                value, off = excess(rows[one], rows[other], epsilon, error)
                yield Pair(float(value), float(off), ranks[one], ranks[other])

    def mean_error(self, rates: Floats, weights: Floats) -> float:
        """The expected distance, with weights on the data sets."""
        return self.at(rates).mean_error(weights)

    def bounds(self, every: Enumerated) -> Floats:
        """A bound on the loss of each pair."""
        one, other = every.rates[self.one], every.rates[self.other]
        logs = every.log_normalisers
        bounds: Floats = np.minimum(one, other) * self.steps + np.abs(one - other)
        bounds += np.abs(logs[self.one] - logs[self.other]) + margin(float(every.rates.max()))
        return bounds


class LineScan(Scan):
    """Two categories, in Hellinger distance or in any other metric that grows outward."""

    table: Line

    def _pairs(self) -> tuple[Wholes, Wholes]:
        first = np.arange(len(self.rows) - 1)
        return first, first + 1

    def _steps(self) -> Floats:
        return self.table.steps()


class Sweep(Scan):
    """Three categories or more: one data set of each orbit, and all its neighbours.

    Categories of equal prior can be exchanged without changing any loss: S, H and NL depend on the pairs (α_i, c_i)
    alone. `tests/privacy_loss/test_sweep.py` holds it to the scan of everything.
    """

    def __init__(self, space: PosteriorSpace, progress: Progress | None = None) -> None:
        super().__init__(space, progress)
        self.budget = max(64, PAIRS // (2 * len(self.rows)))

    def _pairs(self) -> tuple[Wholes, Wholes]:
        first, ones, others = np.unique(orbits(self.space)), [], []
        for i, j in itertools.permutations(range(self.space.k), 2):
            source = first[self.rows[first, i] >= 1]
            moved = self.rows[source].copy()
            moved[:, i] -= 1
            moved[:, j] += 1
            ones.append(source)
            others.append(rank_rows(moved))
        return np.concatenate(ones), np.concatenate(others)

    def _steps(self) -> Floats:
        log_affinity = log_affinity_floats(self.space.prior, self.rows[self.one], self.rows[self.other])
        return np.sqrt(-np.expm1(log_affinity))


def sweepable(space: PosteriorSpace) -> bool:
    """Whether a sweep of the space stays within `CELLS`."""
    if space.k == 2 or exceeds(space, LONGEST) or space.k * (space.n + 1) ** 2 > WIDEST_TABLES:
        return False
    return len(np.unique(orbits(space))) * space.size <= CELLS


def scanner(space: PosteriorSpace, progress: Progress | None = None) -> Dense | LineScan:
    """The scan that fits a space."""
    return LineScan(space, progress) if exceeds(space, DENSE) else Dense(space)


def scannable(space: PosteriorSpace) -> bool:
    """Whether all neighbours and outputs of the space can be scanned."""
    return not exceeds(space, LONGEST if space.k == 2 else DENSE)


def _moves(space: PosteriorSpace) -> Iterator[tuple[Wholes, Wholes]]:
    """Pairs of ranks of neighbours, each unordered pair once."""
    rows = space.candidates().array()
    rank = {tuple(row): i for i, row in enumerate(rows.tolist())}
    for i, j in itertools.combinations(range(space.k), 2):
        one = np.flatnonzero(rows[:, i] >= 1)
        moved = rows[one].copy()
        moved[:, i] -= 1
        moved[:, j] += 1
        yield one, np.array([rank[tuple(row)] for row in moved.tolist()], dtype=np.int64)
