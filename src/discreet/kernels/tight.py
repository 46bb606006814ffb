"""The kernel of the tight-constraints mechanism: ln w(r) - ε·d(c, r), in closed form once w is solved."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from discreet.arithmetic.arrays import Floats
from discreet.kernels.base import Factor, Kernel, Logs, Rows, closed_form_logs, exponential_factor
from discreet.mechanisms import TightConstraints
from discreet.mechanisms.tight import every_order, place_of
from discreet.typing import Outcome


class TightKernel(Kernel):
    """A column is that of geometric noise but for a constant: w looks at the output alone."""

    mechanism: TightConstraints
    closed = True

    quick = True
    """Where weights can be solved, n·k is at most twice `MOST_ENTRIES`: two parts alone have n/2 + 1 partitions."""

    def __init__(self, mechanism: TightConstraints) -> None:
        super().__init__(mechanism)
        self.postprocess = mechanism.postprocessing
        self.signed = mechanism.outputs is not None
        self.half = float(mechanism.epsilon) / 2
        """The rate of each category's factor."""

    def log_normaliser(self, counts: object) -> Logs:
        return Logs(np.array(0.0), np.array(0.0))  # these weights are probabilities

    def _logs(self, data: Rows, outputs: Rows) -> Logs:
        log_weights = self._all if outputs is self.outputs else self._log_weights(outputs)
        return closed_form_logs(log_weights - self.half * np.abs(np.maximum(outputs, 0) - data).sum(axis=1))

    @cached_property
    def outputs(self) -> Rows:
        """The candidates, or all orders of the noisy outputs."""
        if self.mechanism.outputs is None:
            return self.candidates
        return np.array(list(every_order(self.mechanism.weights)))

    @cached_property
    def _all(self) -> Floats:
        return self._log_weights(self.outputs)

    def _log_weights(self, outputs: Rows) -> Floats:
        """ln w of outputs: that of their partitions. A negative count counts as 0, and what it makes up for is left."""
        weights = self.mechanism.weights
        logs = weights.log_floats()[[place_of(weights, tuple(row)) for row in outputs.tolist()]]
        log_weights: Floats = logs + self.half * (np.maximum(outputs, 0).sum(axis=1) - self.space.n)
        return log_weights

    def factors(self, output: Outcome) -> list[Factor]:
        """exp(-half·|r-x|), one for each category; a negative count counts as 0."""
        place_of(self.mechanism.weights, output)
        return [exponential_factor(self.half, max(value, 0)) for value in output]
