"""The kernel of the Hellinger exponential family: ln P(r | c) = -s·H(c,r)/S(c) - ln NL(c).

NL(c) = Σ_r exp(-s·H(c,r)/S(c)) is enumerated where the candidates can be listed (`Enumerated`). Beyond, it is a sum
over blocks of moves on a line (`discreet.kernels.line_normalisers`) or a Fourier integral on a simplex
(`discreet.kernels.simplex_normalisers`), whose errors are measured and stated.
"""

from __future__ import annotations

import math
from functools import cached_property
from typing import Self

import numpy as np

from discreet.arithmetic.arrays import Floats
from discreet.kernels.base import LISTED, Kernel, Logs, Rows
from discreet.kernels.line_normalisers import LineNormalisers
from discreet.kernels.simplex_normalisers import SimplexNormalisers
from discreet.mechanisms.exponential import Exponential
from discreet.posteriors.distances import log_affinity_floats
from discreet.posteriors.grid import Grid, Line, grid
from discreet.posteriors.space import exceeds, orbits
from discreet.samplers.bulk_rejection import BulkRejection
from discreet.sensitivity.vectorised import Steps
from discreet.typing import Outcome, Progress

LONGEST = 1 << 16
"""Lines of more candidates are not enumerated."""

LONGEST_ROW = 1 << 20
"""Rows of more candidates are not made at all."""

ROUNDING = 2e-11
"""How far a log-probability may be off whose rate is at most a hundred; in proportion to the rate beyond."""

NEGLIGIBLE = 42.0
"""What a window leaves out is below e^-42, less than 1e-18."""


class Enumerated:
    """Weights exp(-rate·H) between all candidates, from the rates of the data sets."""

    def __init__(self, table: Grid, rates: Floats, progress: Progress | None = None) -> None:
        self.table, self.rates = table, rates
        self._progress = progress or (lambda done, total: None)

    @cached_property
    def log_normalisers(self) -> Floats:
        """ln NL of every data set, from the windows of one of each orbit."""
        orbit = orbits(self.table.space)
        first = np.unique(orbit)
        logs = np.empty(self.table.size)
        for done, rank in enumerate(first.tolist()):
            logs[rank] = math.log(float(self.weights(rank)[1].sum()))
            if done % 1024 == 0:
                self._progress(done, len(first))
        self._progress(len(first), len(first))
        return logs[orbit]

    def weights(self, rank: int) -> tuple[Floats, Floats]:
        """The distances and the weights of a row, within its window."""
        start, stop = self.windows
        distance = self.table.distances_between(rank, int(start[rank]), int(stop[rank]))
        return distance, np.exp(-self.rates[rank] * distance)

    def log_pmf(self, rank: int) -> Floats:
        """The log-probabilities of all outputs of a data set."""
        logs: Floats = -self.rates[rank] * self.table.distances(rank) - self.log_normalisers[rank]
        return logs

    @cached_property
    def windows(self) -> tuple[Rows, Rows]:
        """Where a row's weights are above e^-42/|R| of its greatest: on a line H grows outward: bisection finds it."""
        size, centre = self.table.size, np.arange(self.table.size)
        if not isinstance(self.table, Line):
            return np.zeros_like(centre), np.full(size, size)
        reach = (NEGLIGIBLE + math.log(size)) / self.rates
        with np.errstate(divide="ignore"):
            level = np.log1p(-(np.minimum(reach, 1.0) ** 2))
        ends = []
        for beyond in (-1, size):
            inside, outside = centre, np.full(size, beyond)
            while (apart := np.abs(outside - inside) > 1).any():
                middle = np.where(apart, (inside + outside) // 2, inside)
                inner = self.table.log_affinities(centre, middle) >= level
                inside, outside = np.where(inner, middle, inside), np.where(inner | ~apart, outside, middle)
            ends.append(inside)
        return ends[0], ends[1] + 1


class HellingerKernel(Kernel):
    """Weights that fall with the Hellinger distance."""

    mechanism: Exponential
    weighted = True
    pace = "prepared"

    def __init__(self, mechanism: Exponential, nearby: SimplexNormalisers | None = None) -> None:
        super().__init__(mechanism)
        self.same_rates, self._nearby = mechanism.constant, nearby
        if nearby is not None:
            self.cost = nearby.cost

    def rates(self, data: Rows) -> Floats:
        return self.mechanism.rates(data)

    def rate_bounds(self, first: Rows, last: Rows) -> tuple[Floats, Floats]:
        """Over strata none of which straddles the balanced count.

        1/S(c) is the least of terms that are each monotone on either side of it.
        """
        n, scale, gamma = self.space.n, float(self.mechanism.scale), self.mechanism.smoothing
        steps = [Steps(self.space, np.stack([c, n - c], axis=1)) for c in (first, last)]
        ends = [np.stack(self.mechanism.inverse_terms(step, gamma)) for step in steps]
        least = np.minimum(ends[0].min(axis=0), ends[1].min(axis=0))
        return scale * least, scale * np.maximum(ends[0], ends[1]).min(axis=0)

    @property
    def listed(self) -> bool:
        return not exceeds(self.space, LONGEST - 1 if self.space.k == 2 else LISTED)

    @cached_property
    def enumerated(self) -> Enumerated:
        """All rows, and their normalisers once they were asked for; `TooLarge` where they are too many."""
        if exceeds(self.space, LONGEST if self.space.k == 2 else LONGEST_ROW):
            raise self._too_many()
        table = grid(self.space)
        return Enumerated(table, self.rates(table.rows))

    def _logs(self, data: Rows, outputs: Rows) -> Logs:
        rates, normalisers = self.rates(data), self.log_normalisers(data)
        return self._logs_of(self._log_weights(data, outputs, rates) - normalisers.values, rates, normalisers.errors)

    def _log_weights(self, data: Rows, outputs: Rows, rates: Floats) -> Floats:
        affinity = np.minimum(log_affinity_floats(self.space.prior, data, outputs), 0.0)
        return -rates * np.sqrt(-np.expm1(affinity))

    @staticmethod
    def _logs_of(values: Floats, rates: Floats, errors: Floats | float = 0.0) -> Logs:
        return Logs(values, np.broadcast_to(ROUNDING * np.maximum(1.0, rates / 100) + errors, values.shape))

    def log_normaliser(self, counts: object) -> Logs:
        logs = self.log_normalisers(np.array([self.space.counts(counts)], dtype=np.int64))
        return Logs(logs.values[0], logs.errors[0])

    def log_normalisers(self, data: Rows) -> Logs:
        """ln NL of data sets: of one by its own row, of more from the table of all, or from sums that need none."""
        if self._nearby is not None:
            values = self._nearby(data)
            return Logs(values, np.full(len(values), self._nearby.error))
        whole = data.dtype.kind == "i"
        if whole and len(data) == 1 and not exceeds(self.space, LONGEST_ROW):
            rates = self.rates(data)
            return self._logs_of(
                np.log(np.exp(self._log_weights(data, self.candidates, rates)).sum(keepdims=True)), rates
            )
        if whole and self.listed:
            return self._logs_of(self.enumerated.log_normalisers[self.space.candidates().ranks(data)], self.rates(data))
        if self.space.k > 2:
            return self.near(data).log_normalisers(data)
        return self.line(data[:, 0].astype(np.float64))

    @cached_property
    def line(self) -> LineNormalisers:
        """ln NL on a line of any length, also between whole counts."""
        return LineNormalisers(self.mechanism)

    def kinks(self, output: Outcome) -> list[int]:
        """At the output, and where 1/S bends."""
        return [output[0], *self.line.bends]

    def proposals(self, output: Outcome) -> BulkRejection | None:
        """The sampler's own."""
        return self.mechanism.law(output).proposals() if self.space.k > 2 else None

    def near(self, data: Rows) -> Self:
        """Beyond enumeration, with tables of the categories' sums that serve data sets like these."""
        return self if self.space.k == 2 else type(self)(self.mechanism, SimplexNormalisers(self.mechanism, data))
