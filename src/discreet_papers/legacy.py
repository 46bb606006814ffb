"""The papers' own distance and settings, to show their figures as they were printed. Nothing here is for a release.

Their program divides ln BC by ln(n+Σα) where it should subtract lnΓ(n+Σα), so what they plot as Hellinger distance is
sqrt(1 - BC^p) with p = 1/ln(n+Σα). That is still a metric for every p > 0: lnΓ(x+y) is a positive mixture of
e^-(x+y)t plus terms in x alone and in y alone, so all powers of BC are inner products of unit vectors. The triangle
inequality stands, and with it that the score changes most at r = BI(c), and the bounds of a pruned scan.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from discreet import PosteriorSpace, global_sensitivity
from discreet.arithmetic.arrays import Floats, Wholes
from discreet.arithmetic.numbers import ball, exact, nearest_float
from discreet.posteriors.distances import log_affinity_floats
from discreet.posteriors.grid import Line
from discreet.sensitivity.vectorised import Steps


def legacy_power(space: PosteriorSpace) -> float:
    """The power of BC in the papers' distance, 1/ln(n+Σα)."""
    return nearest_float(lambda: 1 / ball(space.prior.total + space.n).log())


def legacy_gamma(n: int, epsilon: object, delta: object) -> float:
    """The smoothing rate of the papers' program, ln(1 - ε/(2 ln(δ/(2n)))): n where their text has |R|, for every k."""
    budget, slack = exact(epsilon, "epsilon", above=0), exact(delta, "delta", above=0)
    return nearest_float(lambda: (1 - ball(budget) / (2 * (ball(slack) / (2 * n)).log())).log())


def legacy_floats(space: PosteriorSpace, counts: Sequence[int], rows: ArrayLike) -> Floats:
    """The legacy distances from the candidate c to many others, one per row."""
    return _distance(np.minimum(log_affinity_floats(space.prior, counts, rows), 0.0), legacy_power(space))


def _distance(log_affinity: Floats, power: float) -> Floats:
    """sqrt(1 - BC^p)."""
    distance: Floats = np.sqrt(-np.expm1(power * log_affinity))
    return distance


def _of_step(hellinger: ArrayLike, power: float) -> Floats:
    """From H = sqrt(1 - BC) of a step: it grows with H, so the largest step stays the largest."""
    return _distance(np.log1p(-np.square(hellinger)), power)


class LegacySensitivity:
    """The sensitivities of many data sets under the legacy distance, one per row.

    Smooth ones look at the same arrangements as under the right distance; `tests/papers/test_legacy.py` holds
    them to the definition, the extreme over all data sets.
    """

    def __init__(self, space: PosteriorSpace, rows: ArrayLike) -> None:
        self._power = legacy_power(space)
        self._steps = Steps(space, np.asarray(rows, dtype=np.int64))
        self.everywhere = float(_of_step(global_sensitivity(space), self._power))
        self.local = _of_step(1 / self._steps.local, self._power)

    def smooth(self, gamma: float) -> Floats:
        """The largest LS(c')·exp(-γd)."""
        smooth = self.local
        for inverse, distance in self._steps.far:
            smooth = np.maximum(smooth, _of_step(1 / inverse, self._power) * np.exp(-gamma * distance))
        return smooth

    def reciprocal(self, gamma: float) -> Floats:
        """The S whose 1/S is the least 1/LS(c') + γd."""
        inverse_sensitivity = 1 / self.local
        for inverse, distance in self._steps.far:
            step = np.maximum(_of_step(1 / inverse, self._power), 1e-300)  # no step where no record is left
            inverse_sensitivity = np.minimum(inverse_sensitivity, 1 / step + gamma * distance)
        sensitivity: Floats = 1 / inverse_sensitivity
        return sensitivity


class LegacyLine(Line):
    """Legacy distances between all candidates of two categories, a row at a time, for wide scans."""

    def __init__(self, space: PosteriorSpace) -> None:
        super().__init__(space)
        self._power = legacy_power(space)

    def log_affinities(self, ranks: Wholes, others: Wholes) -> Floats:
        """ln BC^p for many pairs of ranks."""
        scaled: Floats = super().log_affinities(ranks, others) * self._power
        return scaled

    def _log_affinity(self, rank: int, start: int, stop: int) -> Floats:
        scaled = super()._log_affinity(rank, start, stop)
        scaled *= self._power
        return scaled
