"""Two categories, every data set: laws in windows outside of which less than a float's last digit lies."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from discreet.errors import TooLarge
from discreet.kernels.exponential import LONGEST
from discreet.kernels.line_noise import LineNoise
from discreet.mechanisms import Mechanism
from discreet.utility.line_kernels import LineKernel, TabledLine
from discreet.utility.metrics import Floats, hellinger_between

CELLS = 1 << 25
"""So are enumerations of more cells than this."""

_WHOLE = 2048


class NoisyLine(LineKernel):
    """Whole-number noise, clamped to 0 … n; or, for geometric, brought back by another way."""

    def __init__(self, mechanism: Mechanism, noise: LineNoise) -> None:
        super().__init__(mechanism)
        self.noise = noise
        self.reach = noise.reach(self.space.n)

    def width(self, c: int) -> int:
        """Both sides of the count."""
        return 2 * self.reach + 1

    @property
    def mirrored(self) -> bool:
        """Rounding down is not symmetric, and ties of other ways back are broken to one side."""
        return super().mirrored and self.noise.up == self.noise.down and self._nearest

    @property
    def _nearest(self) -> bool:
        return self.mechanism.kernel.way == "nearest"

    @cached_property
    def _back(self) -> NDArray[np.int64]:
        """Where each noisy count from 0 to n leads; beyond them it leads where the end does."""
        if self.space.n >= _WHOLE:
            raise TooLarge("this way back would be worked out for every count", hint="use the nearest way back")
        return self.mechanism.way_back(self.table.rows)[:, 0]

    @cached_property
    def _free(self) -> Floats:
        """Distances from every data set (a row) to the free posterior of every noisy count."""
        rows = self.table.rows
        found = [self.mechanism.posterior(tuple(z)).alpha for z in rows.tolist()]
        return hellinger_between(self.space.prior.alpha + rows, np.array(found))

    def outputs(self, c: NDArray[np.int64]) -> tuple[NDArray[np.int64], Floats]:
        """The count and its noise, cut to 0 … n."""
        noisy = np.clip(c[:, None] + np.arange(-self.reach, self.reach + 1), 0, self.space.n)
        return noisy, np.broadcast_to(self.noise.masses(self.reach), noisy.shape)

    def rows(self, c: NDArray[np.int64]) -> tuple[NDArray[np.int64], Floats, Floats | None]:
        """What the noisy counts lead to."""
        noisy, mass = self.outputs(c)
        if self._nearest:
            return noisy, mass, None
        if self.mechanism.kernel.way == "free":
            return noisy, mass, self._free[c[:, None], noisy]
        return self._back[noisy], mass, None

    def column(self, output: int) -> Floats:
        """Closed forms."""
        return self.noise.log_likelihood(output, self.space.n)


class WeightedLine(LineKernel):
    """Weights that fall with the distance."""

    def __init__(self, mechanism: Mechanism) -> None:
        super().__init__(mechanism)
        self.every = every = mechanism.kernel.enumerated
        self._rates = every.rates
        (start, stop), c = every.windows, np.arange(every.table.size)
        self.reach = np.maximum(c - start, stop - 1 - c)

    def width(self, c: int) -> int:
        """Both sides of the count, or everything."""
        return min(2 * int(self.reach[c]), self.space.n) + 1

    def rows(self, c: NDArray[np.int64]) -> tuple[NDArray[np.int64], Floats, Floats | None]:
        """All candidates, or those within reach."""
        n, reach = self.space.n, int(self.reach[c].max())
        if n <= 2 * reach:
            released = np.broadcast_to(np.arange(n + 1), (len(c), n + 1))
            distance = np.stack([self.table.distances(rank) for rank in c.tolist()])
            weight = np.exp(-self._rates[c][:, None] * distance)
        else:
            reached = c[:, None] + np.arange(-reach, reach + 1)
            released = np.clip(reached, 0, n)
            distance = np.sqrt(-np.expm1(np.minimum(self.table.log_affinities(c[:, None], released), 0.0)))
            weight = np.exp(-self._rates[c][:, None] * distance) * (released == reached)
        return released, weight / weight.sum(axis=1, keepdims=True), distance

    def column(self, output: int) -> Floats:
        """The kernel's."""
        return self.mechanism.kernel.column((output, self.space.n - output)).values


def line_kernel(mechanism: Mechanism, *, alone: bool = False) -> LineKernel | None:
    """The kernel of a mechanism on two categories; None where it has too many cells for all rows, or one if `alone`."""
    space = mechanism.space
    if space.n >= LONGEST:
        return None
    noise = mechanism.kernel.noise
    kernel: LineKernel
    if noise is not None:
        kernel = NoisyLine(mechanism, noise)
    elif mechanism.kernel.weighted:
        kernel = WeightedLine(mechanism)
    else:
        return TabledLine(mechanism)
    if alone:
        return kernel
    cells = sum(kernel.width(c) for c in range(0, space.n + 1, 64)) * min(64, space.n + 1)
    return kernel if cells <= (2 * CELLS if kernel.mirrored else CELLS) else None
