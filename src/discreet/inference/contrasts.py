"""What is asked of all shares of a whole at once: the mean score of an ordinal item, and which share is the largest.

Given the counts, shares are independent Gammas over their sum. So a mean score is at most t where Σ (s_j - t)·G_j ≤ 0,
and its probability is an integral over the characteristic function of that sum (Gil-Pelaez); a share is the largest
where its Gamma is. Both are integrals over E[Π_j f_j(c_j)], which `CountPosterior.expectation` knows exactly: nothing
is sampled. `tests/inference/test_contrasts.py` holds them to sums over all data sets.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import gammainc, gammaln, xlogy

from discreet.arithmetic.arrays import Floats, Wholes
from discreet.arithmetic.roots import root_between
from discreet.inference.posterior import NoiseAware
from discreet.inference.quantities import Estimate, Quantity

_CLOSE, _MAX_NODES, _AT_ONCE = 1e-12, 1 << 15, 128
_NODES = 48


@dataclass(frozen=True, eq=False, repr=False)
class Score(Quantity):
    """Σ s_j·θ_j over the shares of some cells among themselves."""

    posterior: NoiseAware
    cells: tuple[tuple[int, ...], ...]
    scores: tuple[float, ...]
    label: str

    @property
    def name(self) -> str:
        return self.label

    @property
    def error(self) -> float:
        return self.posterior.error + 1e-9

    @property
    def mean(self) -> float:
        return self._moments[0]

    @property
    def sd(self) -> float:
        return self._moments[1]

    @cached_property
    def _moments(self) -> tuple[float, float]:
        """From the distribution function: E[S] = high - ∫F, by Gauss' rule on panels about where F rises."""
        low, high = min(self.scores), max(self.scores)
        guess, spread = self._normal
        edges = np.unique(np.clip([low, *(guess + spread * np.array([-40, -8, -4, -2, 0, 2, 4, 8, 40])), high], low, high))
        node, weight = np.polynomial.legendre.leggauss(12)
        half = np.diff(edges)[:, None] / 2
        at, size = (edges[:-1, None] + half * (node + 1)).ravel(), (half * weight).ravel()
        below = self.cdf(at)
        mean = high - float(size @ below)
        # E[(S-mean)²] = (high-mean)² - 2·∫(x-mean)·F
        return mean, math.sqrt(max((high - mean) ** 2 - 2 * float((size * (at - mean)) @ below), 0.0))

    @cached_property
    def _normal(self) -> tuple[float, float]:
        """About where it is, from the expected counts."""
        size = self._sizes
        share, scores = size / size.sum(), np.array(self.scores)
        mean = float(share @ scores)
        return mean, math.sqrt(max(float(share @ (scores - mean) ** 2), 1e-12) / (1 + float(size.sum())))

    @cached_property
    def _sizes(self) -> Floats:
        alpha, found = self.posterior.prior.alpha, []
        for cells in self.cells:
            count, chance = self.posterior.counts.total(cells)
            found.append(float(alpha[list(cells)].sum()) + float(count @ chance))
        return np.array(found)

    def cdf(self, x: ArrayLike) -> Floats:
        where = np.asarray(x, dtype=np.float64)
        return np.array([self._below(t) for t in where.reshape(-1).tolist()]).reshape(where.shape)

    def pdf(self, x: ArrayLike) -> Floats:
        where, step = np.asarray(x, dtype=np.float64), 1e-3 * self._normal[1]
        found: Floats = (self.cdf(where + step) - self.cdf(where - step)) / (2 * step)
        return found

    def quantile(self, p: ArrayLike) -> Floats:
        wanted = np.asarray(p, dtype=np.float64)
        low, high = min(self.scores), max(self.scores)
        found = [root_between(lambda t, q=q: self._below(t) - q, low, high, 1e-12) for q in wanted.reshape(-1).tolist()]
        return np.array(found).reshape(wanted.shape)

    def sample(self, size: object = 1, *, seed: object = None) -> Floats:
        drawn = self.posterior.sample(size, seed=seed)
        shares = np.stack([drawn[:, list(cells)].sum(axis=1) for cells in self.cells], axis=1)
        found: Floats = shares @ np.array(self.scores) / shares.sum(axis=1)
        return found

    def _below(self, t: float) -> float:
        """½ - (1/π)·∫ Im φ(u)/u du, by midpoints so close that the sum repeats itself only beyond its tails."""
        away = np.array(self.scores) - t
        if (away >= 0).all() or (away <= 0).all():
            return float((away <= 0).all())
        size = self._sizes
        period = 2 * abs(float(size @ away)) + 30 * math.sqrt(float(size @ away**2)) + 80 * float(np.abs(away).max())
        step, total = 2 * math.pi / period, 0.0
        for start in range(0, _MAX_NODES, _AT_ONCE):
            u = (np.arange(start, start + _AT_ONCE) + 0.5) * step
            wave = self._characteristic(away, u)
            total += float((wave.imag / u).sum()) * step
            if float(np.abs(wave).max()) < _CLOSE:
                break
        return min(max(0.5 - total / math.pi, 0.0), 1.0)

    def _characteristic(self, away: Floats, u: Floats) -> NDArray[np.complex128]:
        """E[Π (1 - iu(s_j-t))^-(α_j+c_j)]."""
        alpha = self.posterior.prior.alpha

        def power(x: Wholes, a: float, log: NDArray[np.complex128]) -> NDArray[Any]:
            found: NDArray[Any] = np.exp((a + x)[None, :] * log[:, None])
            return found

        factors = {
            cell: partial(power, a=float(alpha[cell]), log=-np.log1p(-1j * u * distance))
            for cells, distance in zip(self.cells, away.tolist(), strict=True)
            for cell in cells
        }
        return self.posterior.counts.expectation(factors)


def probabilities_largest(posterior: NoiseAware, cells: tuple[tuple[int, ...], ...]) -> list[Estimate]:
    """For each set of cells, the probability that its share is the largest: ∫ g_i·Π_(j≠i) G_j, by Gauss' rule.

    Sets of several cells are summed first: their Gamma has the sum of the parameters.
    """
    raise NotImplementedError


__all__ = ["Callable", "Score", "gammainc", "gammaln", "probabilities_largest", "xlogy"]
