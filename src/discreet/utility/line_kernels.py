"""All rows and columns of a mechanism on two categories: what it releases for each data set, and how likely.

A kernel gives the rows of a mechanism (the released counts and their masses, for a few data sets at a time) and its
columns (how likely an output is under every data set, which is what noise-aware inference weighs).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from discreet.kernels.exponential import Enumerated
from discreet.mechanisms import Mechanism
from discreet.posteriors.grid import Line, grid
from discreet.utility.error_rows import ErrorRows
from discreet.utility.expected_counts import predictive_weights
from discreet.utility.metrics import Floats, Metric

_CHUNK = 1 << 18


class LineKernel(ABC):
    """All rows of a mechanism on two categories; a data set is its first count."""

    def __init__(self, mechanism: Mechanism) -> None:
        self.mechanism, self.space = mechanism, mechanism.space
        table = grid(self.space)
        assert isinstance(table, Line)
        self.table = table
        self.every: Enumerated | None = None

    @cached_property
    def predictive(self) -> Floats:
        """The weights of all data sets."""
        return predictive_weights(self.space)

    @abstractmethod
    def width(self, c: int) -> int:
        """About how many outputs of a data set matter."""

    @property
    def mirrored(self) -> bool:
        """Whether c and n - c have the same error law."""
        first, second = self.space.prior.parameters
        return first == second

    @abstractmethod
    def rows(self, c: NDArray[np.int64]) -> tuple[NDArray[np.int64], Floats, Floats | None]:
        """Released counts, their masses, and (if they were needed anyway) their Hellinger distances from c."""

    @abstractmethod
    def column(self, output: int) -> Floats:
        """ln P(output | c) for every c; outputs are the law's, cut to 0 … n, where beyond says the same as the end."""

    def distances(self, c: NDArray[np.int64], released: NDArray[np.int64], metric: Metric) -> Floats:
        """From each data set to the counts released for it."""
        if metric.name == "hellinger":
            return np.sqrt(-np.expm1(np.minimum(self.table.log_affinities(c[:, None], released), 0.0)))
        flat = np.stack([released.ravel(), self.space.n - released.ravel()], axis=1)
        first = np.repeat(c, released.shape[1])
        here = np.stack([first, self.space.n - first], axis=1)
        return metric.distances(self.space.prior, here, flat).reshape(released.shape)

    def slices(self, metric: Metric, counts: tuple[int, ...] | None) -> Iterator[ErrorRows]:
        """The error laws of all data sets, weighed by the predictive; of one alone if its counts are given."""
        n = self.space.n
        if counts is not None:
            data, weight = np.array([counts[0]]), np.ones(1)
        elif self.mirrored:
            data = np.arange(n // 2 + 1)
            weight = self.predictive[data] * np.where(2 * data == n, 1.0, 2.0)
        else:
            data, weight = np.arange(n + 1), self.predictive
        start = 0
        for c in self.chunks(data):
            released, mass, hellinger = self.rows(c)
            known = hellinger if metric.name == "hellinger" else None
            value = self.distances(c, released, metric) if known is None else known
            yield ErrorRows.exact(weight[start : start + len(c)], value, mass)
            start += len(c)

    def outputs(self, c: NDArray[np.int64]) -> tuple[NDArray[np.int64], Floats]:
        """The outputs of the law and their masses, before any way back."""
        released, mass, _ = self.rows(c)
        return released, mass

    def chunks(self, data: NDArray[np.int64]) -> Iterator[NDArray[np.int64]]:
        """Consecutive data sets, so many at a time that their rows fit into the cache."""
        start = 0
        while start < len(data):
            step = max(1, _CHUNK // self.width(int(data[start])))
            yield data[start : start + step]
            start += step


class TabledLine(LineKernel):
    """Any other mechanism, from its log-probabilities, data set by data set."""

    def width(self, c: int) -> int:
        """Everything."""
        return self.space.n + 1

    @property
    def mirrored(self) -> bool:
        """Nothing is assumed."""
        return False

    @cached_property
    def _table(self) -> Floats:
        return np.stack([self.mechanism.kernel.row(row).values for row in self.table.rows.tolist()])

    def rows(self, c: NDArray[np.int64]) -> tuple[NDArray[np.int64], Floats, Floats | None]:
        """Whole rows."""
        return np.broadcast_to(np.arange(self.space.n + 1), (len(c), self.space.n + 1)), np.exp(self._table[c]), None

    def column(self, output: int) -> Floats:
        """A column of the table."""
        return self._table[:, output]
