"""Every data set against every output: error laws of spaces that can be enumerated, a few data sets at a time.

On a line, laws are kept to windows outside of which less than a float's last digit lies. With three categories or more
the noisy counts of the geometric mechanism are cut where nothing that follows sees it (`discreet.utility.cut_noise`).
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

import numpy as np

from discreet.arithmetic.arrays import Floats, Wholes
from discreet.errors import TooLarge
from discreet.kernels.base import NoiseList
from discreet.kernels.exponential import LONGEST, LONGEST_ROW
from discreet.kernels.line_noise import GaussianNoise, LineNoise
from discreet.mechanisms import Mechanism
from discreet.posteriors.grid import Line, grid
from discreet.posteriors.space import orbits, require_enumerable
from discreet.samplers.noise import CountNoise
from discreet.utility.cut_noise import cut_depth, cut_outputs, number_of_outputs
from discreet.utility.error_rows import ErrorRows
from discreet.utility.expected_counts import predictive_weights
from discreet.utility.metrics import Metric, hellinger_between

MAX_CELLS = 1 << 25
"""Enumerations of more cells than this are left to enclosures, or to studies of drawn data sets."""

_CHUNK, _WHOLE = 1 << 18, 2048


class ErrorTable:
    """The error laws of a mechanism, from the law of each data set, which is known by its rank."""

    quick = False
    """Whether laws come from closed forms or tables, and not one by one."""

    symmetric = False
    """Whether exchanging categories of equal prior leaves the error law as it is."""

    def __init__(self, mechanism: Mechanism) -> None:
        require_enumerable(mechanism.space, limit=LONGEST if mechanism.space.k == 2 else LONGEST_ROW)
        self.mechanism, self.space = mechanism, mechanism.space
        self.widths = np.full(self.space.size, self.space.size)  # how many outputs of each data set matter

    @cached_property
    def candidates(self) -> Wholes:
        """All data sets, one per row."""
        return self.space.candidates().array()

    @cached_property
    def _orbits(self) -> Wholes:
        """For each data set the first whose error law it has."""
        return orbits(self.space) if self.symmetric else np.arange(self.space.size)

    @property
    def data(self) -> tuple[Wholes, Floats]:
        """The ranks of the data sets to look at and their weights: one for each orbit, or all."""
        weight = np.bincount(self._orbits, predictive_weights(self.space))
        return self._ranks, weight[self._ranks].astype(np.float64)

    @property
    def _ranks(self) -> Wholes:
        return np.flatnonzero(self._orbits == np.arange(self.space.size))

    @property
    def cells(self) -> int:
        """About how many outputs of all data sets matter."""
        return int(self.widths[self._ranks].sum())

    def slices(self, metric: Metric, ranks: Wholes, weight: Floats) -> Iterator[ErrorRows]:
        """The error laws of some data sets, so many at a time that their rows fit into the cache."""
        start = 0
        while start < len(ranks):
            part = slice(start, start + max(1, _CHUNK // int(self.widths[ranks[start]])))
            yield ErrorRows.exact(weight[part], *self.laws(ranks[part], metric))
            start = part.stop

    def laws(self, ranks: Wholes, metric: Metric) -> tuple[Floats, Floats]:
        """The distances from data sets to what may be released, and its masses, a row for each data set."""
        each = [(self.distances(rank, metric), self.masses(rank)) for rank in ranks.tolist()]
        value, mass = (np.stack(part) for part in zip(*each, strict=True))
        return value, mass

    def masses(self, rank: int) -> Floats:
        """The probabilities of what may be released for a data set."""
        return np.exp(self.mechanism.log_pmf(self.candidates[rank].tolist()))

    @property
    def outputs(self) -> Wholes:
        """What the mechanism draws, one per row, before post-processing."""
        return self.mechanism.kernel.outputs

    @cached_property
    def _released(self) -> Wholes:
        """The ranks of the candidates that the outputs lead to."""
        return self.space.candidates().ranks(self.mechanism.postprocess(self.outputs))

    def _candidate_masses(self, released: Wholes, mass: Floats) -> Floats:
        """Masses, summed over outputs that lead to the same candidate."""
        return np.bincount(released, mass, self.space.size).astype(np.float64)

    def distances(self, rank: int, metric: Metric) -> Floats:
        """From the data set to what may be released."""
        if metric.name == "hellinger":
            return grid(self.space).distances(rank)
        return metric.distances(self.space.prior, self.candidates[rank], self.candidates)


class WeightedTable(ErrorTable):
    """Weights that fall with the distance, within windows: nothing tells categories of equal prior apart."""

    quick = symmetric = True

    def __init__(self, mechanism: Mechanism) -> None:
        super().__init__(mechanism)
        self.enumerated = mechanism.kernel.enumerated
        self._start, self._stop = self.enumerated.windows
        self.widths = self._stop - self._start

    def masses(self, rank: int) -> Floats:
        """Normalised weights of the window."""
        weight = self.enumerated.weights(rank)[1]
        masses: Floats = weight / weight.sum()
        return masses

    def laws(self, ranks: Wholes, metric: Metric) -> tuple[Floats, Floats]:
        """Rows as long as the longest window."""
        value, mass = np.zeros((2, len(ranks), int(self.widths[ranks].max())))
        for row, rank in enumerate(ranks.tolist()):
            distance, weight = self.enumerated.weights(rank)
            if metric.name != "hellinger":
                window = self.candidates[self._start[rank] : self._stop[rank]]
                distance = metric.distances(self.space.prior, self.candidates[rank], window)
            value[row, : len(weight)], mass[row, : len(weight)] = distance, weight / weight.sum()
        return value, mass


class NoisyLine(ErrorTable):
    """Two categories and whole-number noise: what the count and its noise, cut to 0 … n, lead to."""

    quick = True

    def __init__(self, mechanism: Mechanism, noise: LineNoise | GaussianNoise) -> None:
        super().__init__(mechanism)
        self.noise, self.postprocess = noise, mechanism.kernel.postprocess
        self.reach = noise.reach(self.space.n)
        # Rounding down is not symmetric, and ties of other post-processing are broken to one side.
        self.symmetric = noise.symmetric and self.postprocess == "nearest"
        self.widths = np.full(self.space.n + 1, 2 * self.reach + 1)

    @cached_property
    def _released_counts(self) -> Wholes:
        """Where each noisy count from 0 to n leads; beyond them it leads where the end does."""
        if self.space.n >= _WHOLE:
            raise TooLarge(
                "this post-processing would be worked out for every count", hint="use the nearest post-processing"
            )
        return self.mechanism.postprocess(self.candidates)[:, 0]

    @cached_property
    def _free(self) -> Floats:
        """Distances from every data set (a row) to the free posterior of every noisy count."""
        rows = self.candidates
        return hellinger_between(self.space.prior.alpha + rows, _posteriors(self.mechanism, rows))

    def laws(self, ranks: Wholes, metric: Metric) -> tuple[Floats, Floats]:
        """All noises, with the same masses for every data set."""
        noisy = np.clip(ranks[:, None] + np.arange(-self.reach, self.reach + 1), 0, self.space.n)
        mass = np.broadcast_to(self.noise.masses(self.reach), noisy.shape)
        if self.postprocess == "free":
            return self._free[ranks[:, None], noisy], mass
        released = noisy if self.postprocess == "nearest" else self._released_counts[noisy]
        if metric.name == "hellinger":
            line = grid(self.space)
            assert isinstance(line, Line)
            return np.sqrt(-np.expm1(np.minimum(line.log_affinities(ranks[:, None], released), 0.0))), mass
        data, outputs = self.candidates[np.repeat(ranks, noisy.shape[1])], self.candidates[released.ravel()]
        return metric.distances(self.space.prior, data, outputs).reshape(noisy.shape), mass


class NoisySimplex(ErrorTable):
    """Noise that sums to zero, by cut noisy counts; `raw` leaves them as they are, before post-processing."""

    quick = True

    def __init__(self, mechanism: Mechanism, noise: CountNoise, *, raw: bool = False) -> None:
        super().__init__(mechanism)
        self.postprocess = "nearest" if raw else mechanism.kernel.postprocess
        self.raw, self._half = raw or self.postprocess == "free", float(noise.rate)
        self._depth = cut_depth(noise)
        if self.postprocess == "nearest":
            number = number_of_outputs(self.space, self._depth)
            if number > LONGEST_ROW:
                raise TooLarge("the noisy counts that matter are too many", hint="use a larger epsilon")
        else:
            number = len(self.outputs)
        self.widths = np.full(self.space.size, number)

    @cached_property
    def _cut(self) -> tuple[Wholes, Floats]:
        return cut_outputs(self.space, self._half, self._depth, top=self.postprocess != "nearest")

    @property
    def outputs(self) -> Wholes:
        """All noisy counts that differ."""
        return self._cut[0]

    @cached_property
    def _free(self) -> Floats:
        return _posteriors(self.mechanism, self.outputs)

    def masses(self, rank: int) -> Floats:
        """P(y | c) of all cut outputs; summed over those that lead to the same candidate."""
        logs = self._cut[1] - self._half * np.abs(self.outputs - self.candidates[rank]).sum(axis=1)
        mass: Floats = np.exp(logs - logs.max())
        mass /= mass.sum()
        return mass if self.raw else self._candidate_masses(self._released, mass)

    def distances(self, rank: int, metric: Metric) -> Floats:
        """To the candidates, or to the free posteriors."""
        if self.postprocess == "free":
            posterior = self.space.prior.alpha + self.candidates[rank : rank + 1]
            return hellinger_between(posterior, self._free).reshape(-1)
        return super().distances(rank, metric)


class ClosedTable(ErrorTable):
    """Rows in closed form on outputs that are listed; `raw` leaves them as they are, before post-processing."""

    quick = True

    def __init__(self, mechanism: Mechanism, *, raw: bool = False) -> None:
        super().__init__(mechanism)
        self.raw = raw or mechanism.kernel.postprocess == "nearest"
        self.symmetric = self.raw  # ties of other post-processing are broken to one side
        self.widths = np.full(self.space.size, len(self.outputs))

    def masses(self, rank: int) -> Floats:
        """P(o | c) of all outputs; summed over those that lead to the same candidate."""
        mass: Floats = np.exp(self.mechanism.kernel.row(self.candidates[rank].tolist()).values)
        return mass if self.raw else self._candidate_masses(self._released, mass)


class NoisyList(ErrorTable):
    """Noise of all categories from a list: what each data set and each noise lead to."""

    def __init__(self, mechanism: Mechanism, noise: NoiseList) -> None:
        super().__init__(mechanism)
        self._moves, self._mass = noise.moves, np.exp(noise.logs) / np.exp(noise.logs).sum()
        self.widths = np.full(self.space.size, len(self._mass))

    def masses(self, rank: int) -> Floats:
        """Summed over the noises that lead to the same candidate."""
        released = self.space.candidates().ranks(self.mechanism.postprocess(self._moves + self.candidates[rank]))
        return self._candidate_masses(released, self._mass)


def _posteriors(mechanism: Mechanism, outputs: Wholes) -> Floats:
    """The parameters of what is published for outputs, one per row."""
    return np.array([mechanism.posterior(tuple(output)).alpha for output in outputs.tolist()])


def error_table(mechanism: Mechanism) -> ErrorTable:
    """The table of a mechanism; `TooLarge` where not even one row of it can be made."""
    kernel = mechanism.kernel
    if kernel.noise is not None:
        return NoisyLine(mechanism, kernel.noise)
    if kernel.zero_sum is not None:
        return NoisySimplex(mechanism, kernel.zero_sum)
    if kernel.closed:
        return ClosedTable(mechanism)
    if kernel.cell_noise is not None:
        return NoisyList(mechanism, kernel.noise_list())
    return WeightedTable(mechanism) if kernel.weighted else ErrorTable(mechanism)
