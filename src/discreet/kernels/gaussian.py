"""The kernels of Gaussian noise: exp(-‖z-c‖²/2σ²) over a sum that no data changes."""

from __future__ import annotations

import math

import numpy as np

from discreet.errors import TooLarge
from discreet.kernels.additive import NoisyKernel
from discreet.kernels.base import Factor, Logs, NoiseList, Rows, closed_form_logs
from discreet.kernels.line_noise import GaussianNoise
from discreet.mechanisms import Gaussian
from discreet.mechanisms.noisy_counts import zero_sum_moves

_FAR = 9.0
"""So many standard deviations from its mean a count of the reader's ends."""

_LISTED, _LOST = 1 << 18, 36.0


class GaussianKernel(NoisyKernel):
    """Gaussian noise. Where n is public, it sums to zero."""

    mechanism: Gaussian

    def __init__(self, mechanism: Gaussian) -> None:
        super().__init__(mechanism)
        k, self.variance = self.space.k, float(mechanism.sigma) ** 2
        self.far = _FAR * math.sqrt(self.variance)
        self.wide = 2 * self.far
        if self.space.adjacency.keeps_total:
            self.noise = GaussianNoise(self.variance / 2) if k == 2 else None
            self.cell_noise = GaussianNoise(self.variance * (k - 1) / k)

    def _logs(self, data: Rows, outputs: Rows) -> Logs:
        squares = ((outputs - data).astype(np.float64) ** 2).sum(axis=1)
        return closed_form_logs(-squares / (2 * self.variance) - self._log_total)

    def _around(self, z: int, inside: int) -> Factor:
        """exp(-(z-x)²/2σ²). From the count nearest to z on, each step falls by 1/σ² more than the last."""
        rate = 1 / (2 * self.variance)
        left, right = (rate * (1 + 2 * max(beyond, 0)) for beyond in (z - inside, inside - z))
        # Relative to the largest, so that an output far outside loses no digits.
        return Factor(
            inside, inside, left, right,
            lambda x: -rate * (x - inside) * (x + inside - 2.0 * z),
            2 * rate,
        )  # fmt: skip

    def noise_list(self) -> NoiseList:
        """All noise with a weight above e^-36 of the largest, and what leads from one candidate to another."""
        if not self.space.adjacency.keeps_total:
            return super().noise_list()
        k, reach = self.space.k, max(math.ceil(math.sqrt(2 * self.variance * _LOST)), self.space.n)
        if (k - 1) * math.log(2 * reach + 1) > math.log(_LISTED):
            raise TooLarge("the noises that matter are too many to list", hint="use fewer records or a larger epsilon")
        moves = zero_sum_moves(k, reach)
        logs = -(moves * moves).sum(axis=1) / (2 * self.variance)
        listed = (logs > -_LOST) | (np.abs(moves).sum(axis=1) <= 2 * self.space.n)
        return NoiseList(moves[listed], logs[listed] - self._log_total)
