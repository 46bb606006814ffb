"""How many records there are, all of them or in some cells: a whole number that a release with a private n hides."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from discreet.arithmetic.arrays import Floats, Wholes
from discreet.arithmetic.numbers import whole
from discreet.inference.draws import draw_places, sample_bits
from discreet.inference.quantities import Quantity
from discreet.posteriors.mixtures import as_levels


@dataclass(frozen=True, eq=False, repr=False)
class Total(Quantity):
    """The posterior of a number of records. Intervals end at whole numbers, and hold at least their level.

    >>> from discreet import Geometric, PosteriorSpace, noise_aware
    >>> posterior = noise_aware(Geometric(PosteriorSpace(prior=[1, 1], n=None), epsilon=1), (60, 38))
    >>> total = Total(*posterior.counts.total([0, 1]), "records", posterior.error)
    >>> round(total.mean, 2), total.interval()
    (97.96, (94.0, 102.0))
    """

    counts: Wholes
    chances: Floats
    label: str
    within: float

    @property
    def error(self) -> float:
        return self.within

    @cached_property
    def mean(self) -> float:
        return float(self.counts @ self.chances)

    @cached_property
    def sd(self) -> float:
        return float(np.sqrt((self.counts - self.mean) ** 2 @ self.chances))

    @cached_property
    def _sums(self) -> Floats:
        return np.append(0.0, np.cumsum(self.chances))

    def cdf(self, x: ArrayLike) -> Floats:
        below: Floats = self._sums[np.searchsorted(self.counts, np.asarray(x, dtype=np.float64), side="right")]
        return below

    def pdf(self, x: ArrayLike) -> Floats:
        at = np.asarray(x, dtype=np.float64)
        place = np.minimum(np.searchsorted(self.counts, at), len(self.counts) - 1)
        return np.where(self.counts[place] == at, self.chances[place], 0.0)

    def quantile(self, p: ArrayLike) -> Floats:
        place = np.searchsorted(self._sums[1:], as_levels(p))
        return self.counts[np.minimum(place, len(self.counts) - 1)].astype(np.float64)

    def sample(self, size: object = 1, *, seed: object = None) -> Floats:
        places = draw_places(sample_bits(seed), self.chances, whole(size, "size", minimum=1))
        return self.counts[places].astype(np.float64)
