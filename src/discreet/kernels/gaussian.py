"""The kernels of Gaussian noise: exp(-‖z-c‖²/2σ²) over a sum that no data changes."""

from __future__ import annotations

import math
from functools import cached_property

import numpy as np

from discreet.arithmetic.numbers import nearest_float
from discreet.errors import TooLarge
from discreet.kernels.base import Factor, Kernel, Logs, NoiseList, Rows, rounded
from discreet.kernels.line_noise import GaussianNoise
from discreet.mechanisms import Gaussian
from discreet.samplers.bits import Bits
from discreet.typing import Outcome

_CELLS = 1 << 14
_FAR = 9.0
"""So many standard deviations from its mean a count of the reader's ends."""

_LISTED, _LOST = 1 << 18, 36.0


class GaussianCellKernel(Kernel):
    """Gaussian noise on every count by itself. n is private."""

    mechanism: Gaussian
    signed = noisy = True
    pace = "quick"

    def __init__(self, mechanism: Gaussian) -> None:
        super().__init__(mechanism)
        self.variance = float(mechanism.sigma) ** 2

    @property
    def reach(self) -> float:
        return _FAR * math.sqrt(self.variance)

    @cached_property
    def _log_total(self) -> float:
        return nearest_float(self.mechanism.noise.log_total)

    def log_normaliser(self, counts: object) -> Logs:
        return rounded(np.array(self._log_total))

    def _logs(self, data: Rows, outputs: Rows) -> Logs:
        squares = ((outputs - data).astype(np.float64) ** 2).sum(axis=1)
        return rounded(-squares / (2 * self.variance) - self._log_total)

    def draw_outputs(self, data: Rows, each: int, bits: Bits) -> Rows:
        """Noise is the same for all data sets, and drawn at once."""
        noisy = np.repeat(data, each, axis=0) + self.mechanism.noise.draw_many(bits, each * len(data))
        return self.mechanism.postprocess(noisy).reshape(len(data), each, self.space.k)

    @property
    def quick(self) -> bool:
        """By how wide the noise is."""
        return self.space.k * 2 * _FAR * math.sqrt(self.variance) <= _CELLS

    def factors(self, output: Outcome) -> list[Factor]:
        """exp(-(z-x)²/2σ²). From the count nearest to z on, each step falls by 1/σ² more than the last."""
        around = {z: self._around(z, max(z, 0)) for z in set(output)}
        return [around[z] for z in output]

    def _around(self, z: int, inside: int) -> Factor:
        rate = 1 / (2 * self.variance)
        left, right = (rate * (1 + 2 * max(beyond, 0)) for beyond in (z - inside, inside - z))
        # Relative to the largest, so that an output far outside loses no digits.
        return Factor(
            inside, inside, left, right,
            lambda x: -rate * (x - inside) * (x + inside - 2.0 * z),
            2 * rate,
        )  # fmt: skip


class GaussianKernel(GaussianCellKernel):
    """Gaussian noise that sums to zero. n is public."""

    def __init__(self, mechanism: Gaussian) -> None:
        super().__init__(mechanism)
        k = self.space.k
        self.noise = GaussianNoise(self.variance / 2) if k == 2 else None
        self.cell_noise = GaussianNoise(self.variance * (k - 1) / k)

    @property
    def reach(self) -> float:
        return min(self.space.n + 1.0, super().reach)

    @property
    def quick(self) -> bool:
        """By how wide the noise is, as for geometric noise."""
        n, k = self.space.n, self.space.k
        wide = min(float(n), 2 * _FAR * math.sqrt(self.variance))
        return wide <= _CELLS * math.sqrt(n) if k == 2 else k * wide <= _CELLS

    def factors(self, output: Outcome) -> list[Factor]:
        """The same among 0 … n."""
        around = {z: self._around(z, min(max(z, 0), self.space.n)) for z in set(output)}
        return [around[z] for z in output]

    def noise_list(self) -> NoiseList:
        """All noise with a weight above e^-36 of the largest, and what leads from one candidate to another."""
        k, reach = self.space.k, max(math.ceil(math.sqrt(2 * self.variance * _LOST)), self.space.n)
        if (k - 1) * math.log(2 * reach + 1) > math.log(_LISTED):
            raise TooLarge("the noises that matter are too many to list", hint="use fewer records or a larger epsilon")
        axis = np.arange(-reach, reach + 1, dtype=np.int64)
        grid = np.stack(np.meshgrid(*[axis] * (k - 1), indexing="ij"), axis=-1).reshape(-1, k - 1)
        moves = np.concatenate([grid, -grid.sum(axis=1, keepdims=True)], axis=1)
        logs = -(moves * moves).sum(axis=1) / (2 * self.variance)
        kept = (logs > -_LOST) | (np.abs(moves).sum(axis=1) <= 2 * self.space.n)
        return NoiseList(moves[kept], logs[kept] - self._log_total)
