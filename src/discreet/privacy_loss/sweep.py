"""Three categories or more, too many to keep all distances: normalisers row by row, then only the pairs that matter.

Categories of equal prior can be exchanged without changing any loss: S, H and NL depend on the pairs (α_i, c_i) alone.
So one data set of each orbit is enough on one side of a pair, with all its neighbours on the other. Adjacent c, c' with
rates a and a' lose at most min(a, a')·H(c,c') + |a - a'| + |ln NL - ln NL'|; pairs are scanned in the order of that
bound, until it is below the greatest loss found, or until enough have been scanned: then what is left is bounded by it,
and the result says so. `tests/privacy_loss/test_sweep.py` holds it to the scan of everything.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from discreet.mechanisms.geometric import rank_rows
from discreet.posteriors.distances import second_difference
from discreet.posteriors.grid import WIDEST_TABLES, grid
from discreet.posteriors.space import PosteriorSpace, exceeds
from discreet.privacy_loss.scan import Extreme, Progress, margin

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

CELLS = 1 << 29
"""The most distances that the normalisers may take, one data set of each orbit against all outputs."""

PAIRS = 1 << 28
"""About how many distances are then spent on pairs."""

_WIDEST = 1 << 16


@dataclass(frozen=True, slots=True)
class Swept:
    """The greatest loss found, and a bound on all that were not looked at."""

    extreme: Extreme
    bound: float


def orbits(space: PosteriorSpace) -> NDArray[np.int64]:
    """For each candidate the rank of the first one that differs from it by exchanging categories of equal prior.

    >>> orbits(PosteriorSpace(prior=[1, 1, 2], n=2)).tolist()
    [0, 1, 2, 1, 4, 2]
    """
    import numpy as np

    canonical = space.candidates().array().copy()
    alpha = space.prior.parameters
    for value in set(alpha):
        same = [i for i, parameter in enumerate(alpha) if parameter == value]
        canonical[:, same] = np.sort(canonical[:, same], axis=1)
    return rank_rows(canonical)


def sweepable(space: PosteriorSpace) -> bool:
    """Whether a sweep of the space stays within `CELLS`."""
    import numpy as np

    if space.k == 2 or exceeds(space, _WIDEST) or space.k * (space.n + 1) ** 2 > WIDEST_TABLES:
        return False
    return len(np.unique(orbits(space))) * space.size <= CELLS


class Sweep:
    """One space; the rates are given later."""

    def __init__(self, space: PosteriorSpace, progress: Progress | None = None) -> None:
        import numpy as np

        self.space, self._grid = space, grid(space)
        self.rows = self._grid.rows
        self.orbit = orbits(space)
        self.first = np.unique(self.orbit)
        self._progress = progress or (lambda done, total: None)

    def worst(self, rates: NDArray[np.float64]) -> Swept:
        """The greatest loss over all neighbours and outputs, or as much of it as `PAIRS` allows and a bound on it."""
        import numpy as np

        logs = self.log_normalisers(rates)
        one, other = self._pairs()
        steps = self._steps(one, other)
        bounds = np.minimum(rates[one], rates[other]) * steps + np.abs(rates[one] - rates[other])
        bounds += np.abs(logs[one] - logs[other]) + margin(float(rates.max()))
        found = Extreme(-math.inf, 0, 0, 0)
        budget = max(64, PAIRS // (2 * len(self.rows)))
        order = np.argsort(-bounds)
        for at, place in enumerate(order.tolist()):
            if bounds[place] <= found.loss:
                return Swept(found, -math.inf)
            if at == budget:
                return Swept(found, float(bounds[place]))
            c, d = int(one[place]), int(other[place])
            gap = rates[d] * self._grid.distances(d) - rates[c] * self._grid.distances(c) + (logs[d] - logs[c])
            for sign in (1, -1):
                output = int(np.argmax(sign * gap))
                if sign * gap[output] > found.loss:
                    found = Extreme(sign * float(gap[output]), *((c, d) if sign == 1 else (d, c)), output)
        return Swept(found, -math.inf)

    def log_normalisers(self, rates: NDArray[np.float64]) -> NDArray[np.float64]:
        """ln NL of every data set, from one of each orbit."""
        import numpy as np

        logs = np.empty(len(self.rows))
        for done, rank in enumerate(self.first.tolist()):
            logs[rank] = math.log(float(np.exp(-rates[rank] * self._grid.distances(rank)).sum()))
            if done % 256 == 0:
                self._progress(done, len(self.first))
        self._progress(len(self.first), len(self.first))
        shown: NDArray[np.float64] = logs[self.orbit]
        return shown

    def _pairs(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Ranks of neighbours, one data set of each orbit first."""
        import numpy as np

        ones, others = [], []
        for i, j in itertools.permutations(range(self.space.k), 2):
            source = self.first[self.rows[self.first, i] >= 1]
            moved = self.rows[source].copy()
            moved[:, i] -= 1
            moved[:, j] += 1
            ones.append(source)
            others.append(rank_rows(moved))
        return np.concatenate(ones), np.concatenate(others)

    def _steps(self, one: NDArray[np.int64], other: NDArray[np.int64]) -> NDArray[np.float64]:
        """H of pairs."""
        import numpy as np

        total = np.zeros(len(one))
        for i, parameter in enumerate(self.space.prior.parameters):
            here, there = self.rows[one, i], self.rows[other, i]
            total += 0.5 * second_difference(float(parameter) + here, float(parameter) + there, there - here)
        return np.sqrt(-np.expm1(-total))
