"""Wide scans for the greatest privacy loss of an exponential mechanism, in floats with a stated error.

`Dense` holds all distances of a small space. `LineScan` is for two categories and many records, and never holds more
than a few rows: a normaliser is summed only where its weights matter, and a pair of neighbours is scanned only if a
bound on its loss exceeds the greatest found so far. For adjacent c, c' with rates a = s/S(c) and a' the loss is at most
min(a, a')·H(c,c') + |a - a'| + |ln NL - ln NL'|, because H ≤ 1 and |H(c,r) - H(c',r)| ≤ H(c,c').
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from discreet.grid import Line, grid
from discreet.loss.deltas import Pair, excess
from discreet.space import PosteriorSpace, exceeds

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MARGIN = 2e-10
"""The stated error of a scan whose log-weights are below a thousand; see `margin`."""


def margin(largest: float) -> float:
    """The stated error of a scan: in proportion to its largest log-weight, where that exceeds a thousand.

    Log-probabilities are tested to a tenth of it (`tests/loss/test_scanning.py`).
    """
    return MARGIN * max(1.0, largest / 1000)


DENSE = 3000
"""Spaces of up to this many candidates keep all distances (72 MB)."""

LONGEST = 1 << 16
"""Lines of more candidates are not scanned in full."""

_NEGLIGIBLE = 42.0

Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Extreme:
    """A loss, and where it is reached: the ranks of the data set, its neighbour and the output."""

    loss: float
    counts: int
    neighbour: int
    output: int


class Dense:
    """All distances of a small space of any k."""

    def __init__(self, space: PosteriorSpace) -> None:
        import numpy as np

        table = grid(space)
        self.space, self.rows = space, table.rows
        self.distances = np.stack([table.distances(rank) for rank in range(table.size)])
        self.moves = list(_moves(space))

    def log_pmf(self, rates: NDArray[np.float64]) -> NDArray[np.float64]:
        """Log-probabilities of all outputs for all data sets, given a = s/S for each."""
        import numpy as np

        logits = -rates[:, None] * self.distances
        shown: NDArray[np.float64] = logits - np.log(np.exp(logits).sum(axis=1))[:, None]
        return shown

    def worst(self, rates: NDArray[np.float64]) -> Extreme:
        """The greatest loss over all neighbours and outputs."""
        import numpy as np

        log_pmf = self.log_pmf(rates)
        found = Extreme(-math.inf, 0, 0, 0)
        for one, other in self.moves:
            gap = log_pmf[one] - log_pmf[other]
            for sign in (1, -1):
                place = int(np.argmax(sign * gap))
                row, output = divmod(place, self.rows.shape[0])
                loss = sign * float(gap[row, output])
                if loss > found.loss:
                    pair = (int(one[row]), int(other[row]))
                    found = Extreme(loss, *(pair if sign == 1 else pair[::-1]), output)
        return found

    def deltas(self, rates: NDArray[np.float64], epsilon: float, error: float) -> Iterator[Pair]:
        """Σ max(0, P - e^ε P') of all ordered neighbours."""
        log_pmf = self.log_pmf(rates)
        for one, other in self.moves:
            for here, there in ((one, other), (other, one)):
                found = excess(log_pmf[here], log_pmf[there], epsilon, error)
                yield from map(Pair, *(column.tolist() for column in (*found, here, there)))

    def mean_error(self, rates: NDArray[np.float64], weights: NDArray[np.float64]) -> float:
        """The expected distance, with weights on the data sets."""
        import numpy as np

        chance = np.exp(-rates[:, None] * self.distances)
        return float(weights @ ((chance * self.distances).sum(axis=1) / chance.sum(axis=1)))


class LineScan:
    """Two categories, row by row, in Hellinger distance or in any other metric that grows outward."""

    def __init__(self, space: PosteriorSpace, progress: Progress | None = None, table: Line | None = None) -> None:
        self.space = space
        found = table or grid(space)
        assert isinstance(found, Line)
        self._grid, self.rows = found, found.rows
        self._progress = progress or (lambda done, total: None)
        self._steps = found.steps()

    def worst(self, rates: NDArray[np.float64]) -> Extreme:
        """The greatest loss over all neighbours and outputs."""
        import numpy as np

        logs = self.log_normalisers(rates)
        bounds = self._bounds(rates, logs)
        found = Extreme(-math.inf, 0, 0, 0)
        for c in np.argsort(-bounds):
            if bounds[c] <= found.loss:
                break
            gap = self._gap(int(c), rates, logs)
            for sign in (1, -1):
                output = int(np.argmax(sign * gap))
                if sign * gap[output] > found.loss:
                    pair = (int(c), int(c) + 1) if sign == 1 else (int(c) + 1, int(c))
                    found = Extreme(sign * float(gap[output]), *pair, output)
        return found

    def deltas(self, rates: NDArray[np.float64], epsilon: float, error: float) -> Iterator[Pair]:
        """Σ max(0, P - e^ε P') of all ordered neighbours whose loss may exceed ε."""
        import numpy as np

        logs = self.log_normalisers(rates)

        @lru_cache(maxsize=2)
        def row(c: int) -> NDArray[np.float64]:
            shown: NDArray[np.float64] = -rates[c] * self._grid.distances(c) - logs[c]
            return shown

        for c in np.flatnonzero(self._bounds(rates, logs) > epsilon).tolist():
            for one, other in ((c, c + 1), (c + 1, c)):
                value, off = excess(row(one), row(other), epsilon, error)
                yield Pair(float(value), float(off), one, other)

    def log_normalisers(self, rates: NDArray[np.float64]) -> NDArray[np.float64]:
        """ln NL(c) for every data set; what a window leaves out is below e^-42 of the whole."""
        import numpy as np

        start, stop = self._windows(rates)
        size = len(self.rows)
        logs = np.empty(size)
        mirrored = self._mirrored(rates)
        last = (size + 1) // 2 if mirrored else size
        for c in range(last):
            distance = self._grid.distances_between(c, int(start[c]), int(stop[c]))
            distance *= -rates[c]
            logs[c] = math.log(np.exp(distance, out=distance).sum())
            if c % 1024 == 0:
                self._progress(c, last)
        if mirrored:
            logs[last:] = logs[: size - last][::-1]
        self._progress(last, last)
        return logs

    def _mirrored(self, rates: NDArray[np.float64]) -> bool:
        first, second = self.space.prior.parameters
        return first == second

    def _bounds(self, rates: NDArray[np.float64], logs: NDArray[np.float64]) -> NDArray[np.float64]:
        import numpy as np

        one, other = rates[:-1], rates[1:]
        bounds: NDArray[np.float64] = (
            np.minimum(one, other) * self._steps
            + np.abs(one - other)
            + np.abs(np.diff(logs))
            + margin(float(rates.max()))
        )
        return bounds

    def _gap(self, c: int, rates: NDArray[np.float64], logs: NDArray[np.float64]) -> NDArray[np.float64]:
        """ln P(r|c) - ln P(r|c+1) for every output r."""
        gap: NDArray[np.float64] = rates[c + 1] * self._grid.distances(c + 1)
        gap -= rates[c] * self._grid.distances(c)
        gap += logs[c + 1] - logs[c]
        return gap

    def _windows(self, rates: NDArray[np.float64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Where a row's weights are above e^-42/(n+1) of its greatest: H grows outward, so bisection finds the ends."""
        import numpy as np

        size = len(self.rows)
        reach = (_NEGLIGIBLE + math.log(size)) / rates
        with np.errstate(divide="ignore"):
            level = np.where(reach < 1, np.log1p(-(np.minimum(reach, 1.0) ** 2)), -np.inf)
        centre = np.arange(size)
        ends = []
        for outer, inner_step in ((np.zeros(size, dtype=np.int64), -1), (np.full(size, size - 1), 1)):
            inside, outside = centre.copy(), outer + inner_step
            while (np.abs(outside - inside) > 1).any():
                middle = (inside + outside) // 2
                middle = np.where(np.abs(outside - inside) > 1, middle, inside)
                kept = self._grid.log_affinities(centre, middle) >= level
                inside = np.where(kept, middle, inside)
                outside = np.where(kept | (middle == inside), outside, middle)
            ends.append(inside)
        return ends[0], ends[1] + 1


def scanner(space: PosteriorSpace, progress: Progress | None = None) -> Dense | LineScan:
    """The scan that fits a space."""
    return LineScan(space, progress) if exceeds(space, DENSE) else Dense(space)


def scannable(space: PosteriorSpace) -> bool:
    """Whether all neighbours and outputs of the space can be scanned."""
    return not exceeds(space, LONGEST if space.k == 2 else DENSE)


def _moves(space: PosteriorSpace) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Pairs of ranks of neighbours, each unordered pair once."""
    import itertools

    import numpy as np

    rows = space.candidates().array()
    rank = {tuple(row): i for i, row in enumerate(rows.tolist())}
    for i, j in itertools.combinations(range(space.k), 2):
        one = np.flatnonzero(rows[:, i] >= 1)
        moved = rows[one].copy()
        moved[:, i] -= 1
        moved[:, j] += 1
        yield one, np.array([rank[tuple(row)] for row in moved.tolist()], dtype=np.int64)
