"""Every data set against every output: error laws of spaces that can be enumerated, a few data sets at a time.

On a line, laws are kept to windows outside of which less than a float's last digit lies. With three categories or more
the noisy counts of the geometric mechanism are cut where nothing that follows sees it (`discreet.utility.cut_noise`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from functools import cached_property

import numpy as np

from discreet.arithmetic.arrays import Floats, Wholes
from discreet.errors import TooLarge
from discreet.kernels.exponential import LONGEST, LONGEST_ROW, Enumerated
from discreet.kernels.line_noise import LineNoise
from discreet.mechanisms import Mechanism
from discreet.posteriors.grid import Line, grid
from discreet.posteriors.space import orbits, rank_rows, require_enumerable
from discreet.samplers.noise import ZeroSum
from discreet.utility.cut_noise import cut_depth, cut_outputs, number_of_outputs
from discreet.utility.error_rows import ErrorRows
from discreet.utility.expected_counts import predictive_weights
from discreet.utility.metrics import Metric, hellinger_between

CELLS = 1 << 25
"""Enumerations of more cells than this are left to enclosures, or to studies of drawn data sets."""

_CHUNK, _WHOLE = 1 << 18, 2048


class ErrorTable(ABC):
    """The error laws of a mechanism; a data set is known by its rank."""

    quick = True
    """Whether laws come from closed forms or tables, and not one by one."""

    symmetric = False
    """Whether exchanging categories of equal prior leaves the error law as it is."""

    def __init__(self, mechanism: Mechanism) -> None:
        self.mechanism, self.space = mechanism, mechanism.space

    @cached_property
    def data(self) -> tuple[Wholes, Floats]:
        """The ranks of the data sets to look at and their weights: one for each orbit, or all."""
        weight = predictive_weights(self.space)
        if not self.symmetric:
            return np.arange(len(weight)), weight
        orbit = orbits(self.space)
        first = np.unique(orbit)
        return first, np.bincount(orbit, weight)[first].astype(np.float64)

    @abstractmethod
    def width(self, rank: int) -> int:
        """About how many outputs of a data set matter."""

    @abstractmethod
    def laws(self, ranks: Wholes, metric: Metric) -> tuple[Floats, Floats]:
        """The distances from data sets to what may be released, and its masses, a row for each data set."""

    def slices(self, metric: Metric, ranks: Wholes, weight: Floats) -> Iterator[ErrorRows]:
        """The error laws of some data sets, so many at a time that their rows fit into the cache."""
        start = 0
        while start < len(ranks):
            part = slice(start, start + max(1, _CHUNK // self.width(int(ranks[start]))))
            yield ErrorRows.exact(weight[part], *self.laws(ranks[part], metric))
            start = part.stop


class LineTable(ErrorTable):
    """Two categories, from log-probabilities, data set by data set; the rank is the first count."""

    every: Enumerated | None = None
    """All rows by the distances of candidates, if there are such."""

    def __init__(self, mechanism: Mechanism) -> None:
        super().__init__(mechanism)
        table = grid(self.space)
        assert isinstance(table, Line)
        self.table = table

    def width(self, rank: int) -> int:
        """Everything."""
        return self.space.n + 1

    @cached_property
    def _masses(self) -> Floats:
        return np.exp(self.mechanism.kernel.all_rows())

    def laws(self, ranks: Wholes, metric: Metric) -> tuple[Floats, Floats]:
        """Whole rows."""
        released = np.broadcast_to(np.arange(self.space.n + 1), (len(ranks), self.space.n + 1))
        return self._distances(ranks, released, metric), self._masses[ranks]

    def _distances(self, c: Wholes, released: Wholes, metric: Metric) -> Floats:
        """From each data set to the counts released for it."""
        if metric.name == "hellinger":
            return np.sqrt(-np.expm1(np.minimum(self.table.log_affinities(c[:, None], released), 0.0)))
        here, there = (
            np.stack([first, self.space.n - first], axis=1)
            for first in (np.repeat(c, released.shape[1]), released.ravel())
        )
        return metric.distances(self.space.prior, here, there).reshape(released.shape)


class NoisyLine(LineTable):
    """Whole-number noise, clamped to 0 … n; or, for geometric, with another post-processing."""

    def __init__(self, mechanism: Mechanism, noise: LineNoise) -> None:
        super().__init__(mechanism)
        self.noise, self.postprocess = noise, mechanism.kernel.postprocess
        self.reach = noise.reach(self.space.n)
        # Rounding down is not symmetric, and ties of other post-processing are broken to one side.
        self.symmetric = noise.up == noise.down and self.postprocess == "nearest"

    def width(self, rank: int) -> int:
        """Both sides of the count."""
        return 2 * self.reach + 1

    @cached_property
    def _back(self) -> Wholes:
        """Where each noisy count from 0 to n leads; beyond them it leads where the end does."""
        if self.space.n >= _WHOLE:
            raise TooLarge("this way back would be worked out for every count", hint="use the nearest way back")
        return self.mechanism.postprocess(self.table.rows)[:, 0]

    @cached_property
    def _free(self) -> Floats:
        """Distances from every data set (a row) to the free posterior of every noisy count."""
        rows = self.table.rows
        return hellinger_between(self.space.prior.alpha + rows, _posteriors(self.mechanism, rows))

    def laws(self, ranks: Wholes, metric: Metric) -> tuple[Floats, Floats]:
        """What the count and its noise, cut to 0 … n, lead to."""
        noisy = np.clip(ranks[:, None] + np.arange(-self.reach, self.reach + 1), 0, self.space.n)
        mass = np.broadcast_to(self.noise.masses(self.reach), noisy.shape)
        if self.postprocess == "free":
            return self._free[ranks[:, None], noisy], mass
        return self._distances(ranks, noisy if self.postprocess == "nearest" else self._back[noisy], metric), mass


class WeightedLine(LineTable):
    """Weights that fall with the distance."""

    symmetric = True

    def __init__(self, mechanism: Mechanism) -> None:
        super().__init__(mechanism)
        self.every = every = mechanism.kernel.enumerated
        self._rates = every.rates
        (start, stop), c = every.windows, np.arange(every.table.size)
        self.reach = np.maximum(c - start, stop - 1 - c)

    def width(self, rank: int) -> int:
        """Both sides of the count, or everything."""
        return min(2 * int(self.reach[rank]), self.space.n) + 1

    def laws(self, ranks: Wholes, metric: Metric) -> tuple[Floats, Floats]:
        """All candidates, or those within reach."""
        n, reach = self.space.n, int(self.reach[ranks].max())
        if n <= 2 * reach:
            released = np.broadcast_to(np.arange(n + 1), (len(ranks), n + 1))
            distance = np.stack([self.table.distances(rank) for rank in ranks.tolist()])
            weight = np.exp(-self._rates[ranks][:, None] * distance)
        else:
            reached = ranks[:, None] + np.arange(-reach, reach + 1)
            released = np.clip(reached, 0, n)
            distance = np.sqrt(-np.expm1(np.minimum(self.table.log_affinities(ranks[:, None], released), 0.0)))
            weight = np.exp(-self._rates[ranks][:, None] * distance) * (released == reached)
        value = distance if metric.name == "hellinger" else self._distances(ranks, released, metric)
        return value, weight / weight.sum(axis=1, keepdims=True)


class SimplexTable(ErrorTable):
    """Three categories or more, from the law of each data set."""

    quick = False

    def __init__(self, mechanism: Mechanism) -> None:
        require_enumerable(mechanism.space, limit=LONGEST_ROW)
        super().__init__(mechanism)
        self.candidates = self.space.candidates().array()

    def width(self, rank: int) -> int:
        """All candidates."""
        return len(self.candidates)

    def laws(self, ranks: Wholes, metric: Metric) -> tuple[Floats, Floats]:
        """One data set after the other."""
        each = [(self.distances(rank, metric), self.masses(rank)) for rank in ranks.tolist()]
        value, mass = (np.stack(part) for part in zip(*each, strict=True))
        return value, mass

    def masses(self, rank: int) -> Floats:
        """The probabilities of what may be released for a data set."""
        return np.exp(self.mechanism.log_pmf(self.candidates[rank].tolist()))

    def distances(self, rank: int, metric: Metric) -> Floats:
        """From the data set to what may be released."""
        if metric.name == "hellinger":
            return grid(self.space).distances(rank)
        return metric.distances(self.space.prior, self.candidates[rank], self.candidates)


class WeightedSimplex(SimplexTable):
    """Weights that fall with the distance: nothing tells categories of equal prior apart."""

    quick = symmetric = True

    def masses(self, rank: int) -> Floats:
        """Normalised weights."""
        weight = self.mechanism.kernel.enumerated.weights(rank)[1]
        shown: Floats = weight / weight.sum()
        return shown


class NoisySimplex(SimplexTable):
    """Noise that sums to zero, by cut noisy counts; `told` leaves them as they are told, before post-processing."""

    quick = True

    def __init__(self, mechanism: Mechanism, noise: ZeroSum, *, told: bool = False) -> None:
        super().__init__(mechanism)
        self.postprocess = "nearest" if told else mechanism.kernel.postprocess
        self.told, self._half = told or self.postprocess == "free", float(noise.rate)
        depth = cut_depth(noise)
        if self.postprocess == "nearest" and number_of_outputs(self.space, depth) > LONGEST_ROW:
            raise TooLarge("the noisy counts that matter are too many", hint="use a larger epsilon")
        top = self.postprocess != "nearest"
        self.outputs, self._log_rest = cut_outputs(self.space, self._half, depth, top=top)

    def width(self, rank: int) -> int:
        """All noisy counts."""
        return len(self.outputs)

    @cached_property
    def _back(self) -> Wholes:
        """The ranks of the candidates that the outputs lead to."""
        return rank_rows(self.mechanism.postprocess(self.outputs))

    @cached_property
    def _free(self) -> Floats:
        return _posteriors(self.mechanism, self.outputs)

    def masses(self, rank: int) -> Floats:
        """P(y | c) of all cut outputs; summed over those that lead to the same candidate."""
        logs = self._log_rest - self._half * np.abs(self.outputs - self.candidates[rank]).sum(axis=1)
        mass: Floats = np.exp(logs - logs.max())
        mass /= mass.sum()
        return mass if self.told else np.bincount(self._back, mass, len(self.candidates)).astype(np.float64)

    def distances(self, rank: int, metric: Metric) -> Floats:
        """To the candidates, or to the free posteriors."""
        if self.postprocess == "free":
            here = self.space.prior.alpha + self.candidates[rank : rank + 1]
            return hellinger_between(here, self._free).reshape(-1)
        return super().distances(rank, metric)


def _posteriors(mechanism: Mechanism, outputs: Wholes) -> Floats:
    """The parameters of what is published for outputs, one a row."""
    return np.array([mechanism.posterior(tuple(output)).alpha for output in outputs.tolist()])


def line_table(mechanism: Mechanism, *, alone: bool = False) -> LineTable | None:
    """The table of a mechanism on two categories; None where it has too many cells for all rows, or one if `alone`."""
    space, kernel = mechanism.space, mechanism.kernel
    if space.n >= LONGEST:
        return None
    if kernel.noise is None and not kernel.weighted:
        return LineTable(mechanism)
    table = WeightedLine(mechanism) if kernel.noise is None else NoisyLine(mechanism, kernel.noise)
    if alone:
        return table
    cells = sum(table.width(c) for c in range(0, space.n + 1, 64)) * min(64, space.n + 1)
    mirrored = table.symmetric and len(set(space.prior.parameters)) == 1
    return table if cells <= (2 * CELLS if mirrored else CELLS) else None


def simplex_table(mechanism: Mechanism) -> SimplexTable:
    """The table of a mechanism on three categories or more."""
    kernel = mechanism.kernel
    if kernel.zero_sum is not None:
        return NoisySimplex(mechanism, kernel.zero_sum)
    return WeightedSimplex(mechanism) if kernel.weighted else SimplexTable(mechanism)
