"""What a calibration looks at on long lines of two categories: the rows near the ends, and a sample of all.

The greatest losses sit near an end of the line, or come close to s in its middle. So a scale is searched for with the
rows near the ends and s itself. What is found is then audited on all rows, and lowered until that certifies it. Only
the audit is trusted.

γ is chosen for the least expected error over 200 counts spread evenly over the prior predictive, each with its outputs
in groups of growing distance: an estimate to within a few per cent, and no claim rests on it.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.special import betaincinv

from discreet.arithmetic.arrays import Floats, Wholes
from discreet.posteriors.space import PosteriorSpace
from discreet.privacy_loss.edge_rows import MIN_END_ROWS, Side
from discreet.privacy_loss.interior_bounds import distance_groups
from discreet.sensitivity.exact import global_sensitivity
from discreet.sensitivity.vectorised import Steps

_STRATA = 200
_CELLS = 1 << 21
"""An end is left out, or seen by fewer rows, where these have more weights than this."""


class LongLine:
    """A long line, as a calibration looks at it; scales of less than `least` are of no interest."""

    def __init__(self, space: PosteriorSpace, least: float) -> None:
        slowest = least / global_sensitivity(space)
        ends = [_End(side, slowest) for side in Side.both(space)]
        self._ends = [end for end in ends if end.number > 1]
        counts, self._distance, self._number = _sample(space)
        first = np.concatenate([*(end.rows for end in self._ends), counts])
        self.steps = Steps(space, np.stack([first, space.n - first], axis=1))
        self.size = space.size
        self.cells = sum(end.cells for end in self._ends) + self._distance.size

    def loss(self, scale: float, inverse: Floats) -> float:
        """The greatest loss of two adjacent rows near the ends, or s itself."""
        return max([scale, *(end.loss(scale * part) for end, part in self._parts(inverse))])

    least_loss = loss

    def error(self, scale: float, inverse: Floats) -> float:
        """About E[H] under the prior predictive."""
        chance = self._number * np.exp(-scale * inverse[-_STRATA:, None] * self._distance)
        mean = (chance * self._distance).sum(axis=1) / chance.sum(axis=1)
        return float(mean.mean()) if math.isfinite(float(mean.sum())) else math.inf

    def growth(self, inverse: Floats) -> float:
        """The most that 1/S changes between adjacent rows."""
        return max([0.0, *(float(np.abs(np.diff(part)).max()) for _, part in self._parts(inverse))])

    def step(self, inverse: Floats) -> float:
        """The largest H/S of two adjacent rows."""
        return max([1.0, *(float((end.steps * part[1:]).max()) for end, part in self._parts(inverse))])

    def _parts(self, inverse: Floats) -> list[tuple[_End, Floats]]:
        parts = np.split(inverse, np.cumsum([end.number for end in self._ends]))
        return list(zip(self._ends, parts, strict=False))


class _End:
    """All distances between the first rows of a side and the outputs in their window."""

    def __init__(self, side: Side, slowest: float) -> None:
        n = side.space.n
        last = min(MIN_END_ROWS, n)
        outputs = np.arange(side.window(last, slowest)[1] + 1)
        self.number = min(last + 1, _CELLS // len(outputs))
        self.cells, self._beyond = self.number * len(outputs), n - int(outputs[-1])
        rows = np.arange(self.number)
        self.rows = n - rows if side.mirrored else rows
        if self.number > 1:
            self._distance = np.stack([side.distances(int(c), outputs) for c in rows])
            self.steps = self._distance[rows[1:], rows[:-1]]

    def loss(self, rates: Floats) -> float:
        """The greatest loss of two adjacent rows among these."""
        logs = -rates[:, None] * self._distance
        weights = np.exp(logs)
        logs -= np.log(weights.sum(axis=1) + self._beyond * weights[:, -1])[:, None]
        return float(np.abs(np.diff(logs, axis=0)).max())


def _sample(space: PosteriorSpace) -> tuple[Wholes, Floats, Floats]:
    """Counts spread evenly over the predictive, and a row for each: groups of outputs, how far and how many."""
    first, second = (float(parameter) for parameter in space.prior.parameters)
    n, side = space.n, Side(space)
    share = betaincinv(first, second, (np.arange(_STRATA) + 0.5) / _STRATA)
    counts: Wholes = np.rint(share * n).astype(np.int64)
    edges = distance_groups(n)
    near, far = edges[:-1], edges[1:] - 1
    distances, numbers = [np.zeros((_STRATA, 1))], [np.ones((_STRATA, 1))]
    for sign, room in ((1, n - counts), (-1, counts)):
        reach = np.minimum(far, room[:, None])
        middle = np.minimum((near + reach) // 2, room[:, None])
        distances.append(np.stack([side.distances(int(c), c + sign * middle[i]) for i, c in enumerate(counts)]))
        numbers.append(np.maximum(reach - near + 1, 0.0))
    return counts, np.concatenate(distances, axis=1), np.concatenate(numbers, axis=1)
