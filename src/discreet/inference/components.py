"""The components of a share: given the counts it is a Beta, and given a release a mixture of Betas.

Components are gathered by what they depend on together with another share: every data set by itself (`Betas`), or the
sum of the share's counts (`SplitShare`, `SumShare`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from discreet.arithmetic.arrays import Floats
from discreet.inference.panels import Panels, tabulate
from discreet.posteriors.mixtures import ShareLaw, log_kernel
from discreet.posteriors.predictive import deviance, excess

_NOTHING = -80.0
"""What is less likely than this, in logarithms, is left out."""


class Components(ABC):
    """A share as a sum of components: what each weighs, and the density of the logit of each."""

    @property
    @abstractmethod
    def masses(self) -> Floats:
        """What each component weighs."""

    @abstractmethod
    def density(self, s: Floats) -> Floats:
        """One row for each logit, one column for each component: its weight is in it."""

    def panels(self, law: ShareLaw, importance: Floats) -> Panels:
        """The densities on panels. Whatever the share is compared with, they are the same, and kept."""
        if "_panels" not in vars(self):
            vars(self)["_panels"] = tabulate(self.density, float(law.mean), float(law.sd), importance)
        panels: Panels = vars(self)["_panels"]
        return panels


@dataclass(frozen=True, eq=False)
class Betas(Components):
    """Components that are Beta distributions."""

    a: Floats
    b: Floats

    @property
    def masses(self) -> Floats:
        """All weigh the same."""
        return np.ones(len(self.a))

    def density(self, s: Floats) -> Floats:
        """One row for each logit, one column for each Beta."""
        with np.errstate(under="ignore"):
            densities: Floats = np.exp(log_kernel(self.a, self.b, expit(s)[:, None], expit(-s)[:, None]))
        return densities


@dataclass(frozen=True, eq=False)
class Window:
    """Weights of the counts from a first one on, of cells whose prior parameters sum to `parameter`."""

    first: int
    weights: Floats
    parameter: float

    def log_poisson(self, rate: float) -> Floats:
        """ln P(parameter + count, λ) of every count."""
        return _log_poisson(np.arange(len(self.weights), dtype=np.float64) + (self.parameter + self.first), rate)


def _log_poisson(shape: Floats, rate: float) -> Floats:
    """ln(λ^A·e^-λ/Γ(A))."""
    rates = np.full(len(shape), max(rate, 1e-300))
    logs: Floats = np.log(shape) - excess(shape) - deviance(shape, rates, shape - rates)
    return logs


@dataclass(frozen=True, eq=False)
class WindowShare(Components):
    """A share whose counts and those of the rest lie in windows.

    With any M, Beta(a+x, b+y) is P(a+x, Mθ)·P(b+y, M(1-θ))/P(a+b+x+y, M) for P(A, λ) = λ^A·e^-λ/Γ(A). P is computed in
    Loader's form, which keeps its digits at any size.
    """

    inside: Window
    rest: Window

    @property
    def first(self) -> int:
        """The least sum of the counts."""
        return self.inside.first + self.rest.first

    def _total(self, masses: Floats) -> tuple[float, Floats]:
        """M, the mean of a+b+m over sums m of these masses, and ln P(a+b+m, M) for each m."""
        shapes = np.arange(len(masses), dtype=np.float64) + (self.inside.parameter + self.rest.parameter + self.first)
        middle = float(shapes @ masses / masses.sum())
        return middle, _log_poisson(shapes, middle)

    def _poissons(self, s: Floats, middle: float, top: float) -> Iterator[tuple[int, Floats, Floats]]:
        """ln P of the counts and of the rest, for each logit where both together are not negligible over `top`."""
        for i, (share, left) in enumerate(zip(expit(s).tolist(), expit(-s).tolist(), strict=True)):
            first, second = self.inside.log_poisson(middle * share), self.rest.log_poisson(middle * left)
            if float(first.max()) + float(second.max()) - top > _NOTHING:
                yield i, first, second


class SplitShare(WindowShare):
    """A share whose counts sum to m: Σ_{x+y=m} w(x)·v(y)·Beta(a+x, b+y), one component for each m.

    Its density is a convolution.
    """

    @property
    def masses(self) -> Floats:
        """What each component weighs."""
        return np.convolve(self.inside.weights, self.rest.weights)

    def density(self, s: Floats) -> Floats:
        """One row for each logit, one column for each sum of counts."""
        masses = self.masses
        middle, total = self._total(masses)
        densities = np.zeros((len(s), len(masses)))
        for i, first, second in self._poissons(s, middle, float(total.max())):
            one, other = float(first.max()), float(second.max())
            parts = np.convolve(self.inside.weights * np.exp(first - one), self.rest.weights * np.exp(second - other))
            densities[i] = parts * np.exp(np.minimum(one + other - total, 700.0))
        return densities


@dataclass(frozen=True, eq=False)
class SumShare(WindowShare):
    """The share of counts that sum to m among all that matter: Σ_y v(y)·r(m+y)·Beta(a+m, b+y) for each m.

    `beyond` are the chances r of what is left for the cells that do not matter, by m + y from its first.
    """

    beyond: Floats

    @property
    def masses(self) -> Floats:
        """What each component weighs, but for the weights of the sums themselves."""
        return self._among(np.zeros(len(self.beyond))) @ self.rest.weights

    def density(self, s: Floats) -> Floats:
        """One row for each logit, one column for each sum of counts."""
        middle, total = self._total(self.beyond)
        highest = float(total.max())
        among, densities = self._among(total - highest), np.zeros((len(s), len(self.inside.weights)))
        for i, first, second in self._poissons(s, middle, highest):
            top = float(second.max())
            sums = among @ (self.rest.weights * np.exp(second - top))
            densities[i] = np.exp(np.minimum(first + top - highest, 700.0)) * sums
        return densities

    def _among(self, log_total: Floats) -> Floats:
        """r(m+y) over the total's factor: one row for each m, one column for each y."""
        at = np.arange(len(self.inside.weights))[:, None] + np.arange(len(self.rest.weights))[None, :]
        chances: Floats = (self.beyond * np.exp(np.minimum(-log_total, 700.0)))[at]
        return chances
