"""The kernel of the tight-constraints mechanism: ln w(r) - ε·d(c, r), in closed form once w is solved."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from discreet.arithmetic.arrays import Floats
from discreet.kernels.base import Factor, Kernel, Logs, Rows, rounded
from discreet.mechanisms import TightConstraints
from discreet.typing import Outcome

_WIDE = 1 << 14


class TightKernel(Kernel):
    """A column is that of geometric noise but for a constant: w looks at the output alone."""

    mechanism: TightConstraints
    closed = True

    def __init__(self, mechanism: TightConstraints) -> None:
        super().__init__(mechanism)
        self.postprocess = mechanism.way
        self.half = float(mechanism.epsilon) / 2
        """The rate of each category's factor."""

    def log_normaliser(self, counts: object) -> Logs:
        return Logs(np.array(0.0), np.array(0.0))  # these weights are probabilities

    def _logs(self, data: Rows, outputs: Rows) -> Logs:
        own = self._all if outputs is self.candidates else self._log_weights(outputs)
        return rounded(own - self.half * np.abs(outputs - data).sum(axis=1))

    @cached_property
    def _all(self) -> Floats:
        return self._log_weights(self.candidates)

    def _log_weights(self, outputs: Rows) -> Floats:
        """ln w of outputs: that of their partitions."""
        index, logs = self.mechanism.weights.counted.index, self.mechanism.weights.log_floats()
        return logs[[index[tuple(row)] for row in np.sort(outputs, axis=1).tolist()]]

    @property
    def quick(self) -> bool:
        """By how many counts matter."""
        return self.space.k * min(float(self.space.n), 80 / self.half) <= _WIDE

    def factors(self, output: Outcome) -> list[Factor]:
        """exp(-half·|r-x|), one for each category."""
        return [self._around(value) for value in output]

    def _around(self, value: int) -> Factor:
        rate = self.half
        return Factor(value, value, rate, rate, lambda x: -rate * np.abs(x - value).astype(np.float64))
