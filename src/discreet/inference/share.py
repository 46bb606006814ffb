"""Share: what may be believed of the share that some cells of a release have among others of it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from discreet.arithmetic.arrays import Floats
from discreet.inference.counts import Cells
from discreet.inference.draws import part_seed
from discreet.inference.posterior import NoiseAware
from discreet.inference.quantities import Quantity
from discreet.posteriors.mixtures import ShareLaw


@dataclass(frozen=True, eq=False, repr=False)
class Share(Quantity):
    """What may be believed of the share that some cells have among others of the same release."""

    posterior: NoiseAware
    own: Cells
    among: Cells
    label: str
    people: str | None = None
    """Who it is about, where the release says so."""
    part: tuple[str, str] | None = None
    """Which of them, by axis and label: those of one public group."""

    @property
    def rest(self) -> Cells:
        """The other cells of the whole."""
        numerator = set(self.own)
        return tuple(i for i in self.among if i not in numerator)

    @cached_property
    def law(self) -> ShareLaw:
        """The mixture of Betas."""
        return self.posterior.share(self.own, self.among)

    @property
    def error(self) -> float:
        return self.posterior.share_error(self.own, self.among)

    @property
    def mean(self) -> float:
        return float(self.law.mean)

    @property
    def sd(self) -> float:
        return float(self.law.sd)

    def cdf(self, x: ArrayLike) -> Floats:
        return self.law.cdf(np.clip(np.asarray(x, dtype=np.float64), 0.0, 1.0))

    def pdf(self, x: ArrayLike) -> Floats:
        return self.law.pdf(x)

    def quantile(self, p: ArrayLike) -> Floats:
        return self.law.quantile(p)

    def sample(self, size: object = 1, *, seed: object = None) -> Floats:
        return self.of(self.posterior.sample(size, seed=seed))

    def of(self, shares: Floats) -> Floats:
        """The share in draws of all cells, one a row."""
        quotients: Floats = shares[:, list(self.own)].sum(axis=1) / shares[:, list(self.among)].sum(axis=1)
        return quotients


def distinct_posteriors(posteriors: Iterable[NoiseAware]) -> list[NoiseAware]:
    """Each of them once, in their order: one for each public group."""
    return list({id(posterior): posterior for posterior in posteriors}.values())


def sample_shares(shares: Iterable[Share], size: object, seed: object) -> Floats:
    """Draws of several shares, a column for each: those of one posterior together."""
    columns = list(shares)
    posteriors = distinct_posteriors(share.posterior for share in columns)
    draws = {id(each): each.sample(size, seed=part_seed(seed, i)) for i, each in enumerate(posteriors)}
    return np.column_stack([share.of(draws[id(share.posterior)]) for share in columns])
