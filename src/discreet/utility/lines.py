"""Two categories, every data set: laws in windows outside of which less than a float's last digit lies."""

from __future__ import annotations

import math
from functools import cached_property
from typing import TYPE_CHECKING

from discreet.errors import TooLarge
from discreet.mechanisms import Geometric, Mechanism
from discreet.mechanisms.exponential import Exponential
from discreet.mechanisms.postprocessing import free
from discreet.privacy_loss.rates import inverse_sensitivities
from discreet.utility.line_kernels import LineKernel, TabledLine
from discreet.utility.line_noise import LOST, LineNoise, line_noise
from discreet.utility.metrics import Floats, hellinger_between

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

LONGEST = 1 << 16
"""Lines of more candidates are left to strata."""

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
        return not isinstance(self.mechanism, Geometric) or self.mechanism.way == "nearest"

    @cached_property
    def _back(self) -> NDArray[np.int64]:
        """Where each noisy count from 0 to n leads; beyond them it leads where the end does."""
        assert isinstance(self.mechanism, Geometric)
        if self.space.n >= _WHOLE:
            raise TooLarge("this way back would be worked out for every count", hint="use the nearest way back")
        return self.mechanism.way_back(self.table.rows)[:, 0]

    @cached_property
    def _free(self) -> Floats:
        """Distances from every data set (a row) to the free posterior of every noisy count."""
        import numpy as np

        assert isinstance(self.mechanism, Geometric)
        rows, settings = self.table.rows, (self.mechanism.epsilon, self.mechanism.weighting)
        found = [free(self.space, settings[0], tuple(z), settings[1]).alpha for z in rows.tolist()]
        return hellinger_between(self.space.prior.alpha + rows, np.array(found))

    def outputs(self, c: NDArray[np.int64]) -> tuple[NDArray[np.int64], Floats]:
        """The count and its noise, cut to 0 … n."""
        import numpy as np

        noisy = np.clip(c[:, None] + np.arange(-self.reach, self.reach + 1), 0, self.space.n)
        return noisy, np.broadcast_to(self.noise.masses(self.reach), noisy.shape)

    def rows(self, c: NDArray[np.int64]) -> tuple[NDArray[np.int64], Floats, Floats | None]:
        """What the noisy counts lead to."""
        noisy, mass = self.outputs(c)
        if self._nearest:
            return noisy, mass, None
        assert isinstance(self.mechanism, Geometric)
        if self.mechanism.way == "free":
            return noisy, mass, self._free[c[:, None], noisy]
        return self._back[noisy], mass, None

    def column(self, output: int) -> Floats:
        """Closed forms."""
        return self.noise.log_likelihood(output, self.space.n)


class ExponentialLine(LineKernel):
    """Weights that fall with the distance."""

    def __init__(self, mechanism: Exponential) -> None:
        super().__init__(mechanism)
        self.rates = float(mechanism.scale) * inverse_sensitivities(mechanism, self.table.rows)
        self.reach = self._find_reach()

    def width(self, c: int) -> int:
        """Both sides of the count, or everything."""
        return min(2 * int(self.reach[c]), self.space.n) + 1

    def rows(self, c: NDArray[np.int64]) -> tuple[NDArray[np.int64], Floats, Floats | None]:
        """All candidates, or those within reach."""
        released, weight, distance = self._weights(c)
        return released, weight / weight.sum(axis=1, keepdims=True), distance

    def _weights(self, c: NDArray[np.int64]) -> tuple[NDArray[np.int64], Floats, Floats]:
        import numpy as np

        n, reach = self.space.n, int(self.reach[c].max())
        if n <= 2 * reach:
            released = np.broadcast_to(np.arange(n + 1), (len(c), n + 1))
            distance = np.stack([self.table.distances(rank) for rank in c.tolist()])
            weight = np.exp(-self.rates[c][:, None] * distance)
        else:
            reached = c[:, None] + np.arange(-reach, reach + 1)
            released = np.clip(reached, 0, n)
            distance = np.sqrt(-np.expm1(np.minimum(self.table.log_affinities(c[:, None], released), 0.0)))
            weight = np.exp(-self.rates[c][:, None] * distance) * (released == reached)
        return released, weight, distance

    @cached_property
    def log_normalisers(self) -> Floats:
        """ln NL(c) for every c."""
        import numpy as np

        chunks = self.chunks(np.arange(self.space.n + 1))
        shown: Floats = np.log(np.concatenate([self._weights(c)[1].sum(axis=1) for c in chunks]))
        return shown

    def normaliser(self, c: int) -> float:
        """NL(c) alone."""
        import numpy as np

        return float(self._weights(np.array([c]))[1].sum())

    def column(self, output: int) -> Floats:
        """The distance is symmetric, so a column of weights comes from a row of distances."""
        shown: Floats = -self.rates * self.table.distances(output) - self.log_normalisers
        return shown

    def _find_reach(self) -> NDArray[np.int64]:
        """For each row a reach beyond which all weights together are below e^-42: distances grow outward."""
        import numpy as np

        n = self.space.n
        found = np.full(n + 1, n)
        if n <= _WHOLE:
            return found
        needed, open_ = LOST + math.log(n + 1), np.arange(n + 1)
        reach = 16
        while reach < n // 2 and len(open_):
            least = np.full(len(open_), np.inf)
            for other in (open_ - reach, open_ + reach):
                inside = (other >= 0) & (other <= n)
                h = np.sqrt(-np.expm1(self.table.log_affinities(open_[inside], other[inside])))
                least[inside] = np.minimum(least[inside], self.rates[open_[inside]] * h)
            found[open_[least >= needed]] = reach
            open_ = open_[least < needed]
            reach = math.ceil(reach * 1.4)
        return found


def line_kernel(mechanism: Mechanism, *, alone: bool = False) -> LineKernel | None:
    """The kernel of a mechanism on two categories; None where it has too many cells for all rows, or one if `alone`."""
    space = mechanism.space
    noise = line_noise(mechanism)
    if space.n >= LONGEST:
        return None
    kernel: LineKernel
    if noise is not None:
        kernel = NoisyLine(mechanism, noise)
    elif isinstance(mechanism, Exponential):
        kernel = ExponentialLine(mechanism)
    else:
        return TabledLine(mechanism)
    if alone:
        return kernel
    cells = sum(kernel.width(c) for c in range(0, space.n + 1, 64)) * min(64, space.n + 1)
    return kernel if cells <= (2 * CELLS if kernel.mirrored else CELLS) else None
