"""Two categories measured by either distance: Hellinger, or what the seeds' program computed in its place.

`HELLINGER` takes BC as it is; `LEGACY` takes BC^(1/ln(n+Σα)), which is what dividing by the logarithm of the total
comes to where its lnΓ should be subtracted. Sensitivities are by enumeration, and share no code with those of releases.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from discreet.mechanisms import LaplaceImproved
from discreet.posteriors.grid import Line
from discreet.posteriors.space import PosteriorSpace

Ruler: TypeAlias = Callable[[PosteriorSpace], float]
"""The power of BC that a distance is made of."""

NEAR = 300
"""Losses are scanned for first counts up to this, from the end where they are greatest."""


def HELLINGER(space: PosteriorSpace) -> float:  # noqa: N802 - a constant in all but form
    """sqrt(1 - BC)."""
    return 1.0


def LEGACY(space: PosteriorSpace) -> float:  # noqa: N802
    """sqrt(1 - BC^(1/ln(n+Σα)))."""
    return 1 / math.log(space.n + float(sum(space.prior.parameters)))


@dataclass(frozen=True)
class Measured:
    """A line of candidates under one of the two distances.

    >>> line = Measured.of(100, HELLINGER)
    >>> round(float(line.local[0]), 5), round(float(line.local[50]), 5)
    (0.33894, 0.07028)
    >>> round(float(Measured.of(100, LEGACY).local[0]), 3)
    0.161
    """

    line: Line
    power: float
    local: NDArray[np.float64]

    @classmethod
    def of(cls, n: int, ruler: Ruler, prior: object = 1) -> Measured:
        """Prior beta(prior, prior)."""
        line = Line(PosteriorSpace(prior=[prior, prior], n=n))
        power, first = ruler(line.space), np.arange(n)
        steps = np.sqrt(-np.expm1(line.log_affinities(first, first + 1) * power))
        return cls(line, power, np.maximum(np.append(steps, 0.0), np.append(0.0, steps)))

    @property
    def n(self) -> int:
        """The number of records."""
        return self.line.space.n

    def distances(self, first: int) -> NDArray[np.float64]:
        """From the candidate with this first count to all."""
        log_affinity = self.line.log_affinities(np.full(self.n + 1, first), np.arange(self.n + 1))
        return np.sqrt(-np.expm1(np.minimum(log_affinity, 0.0) * self.power))

    def smooth(self, first: int, gamma: float) -> float:
        """max LS(x')·exp(-γ|x-x'|)."""
        return float((self.local * np.exp(-gamma * np.abs(np.arange(self.n + 1) - first))).max())

    def inverse_reciprocal(self, first: int, gamma: float) -> float:
        """min 1/LS(x') + γ|x-x'|."""
        return float((1 / self.local + gamma * np.abs(np.arange(self.n + 1) - first)).min())

    def mean(self, first: int, rate: float) -> float:
        """The expected distance of a release with weights exp(-rate·H)."""
        distances = self.distances(first)
        weight = np.exp(-rate * distances)
        return float((weight @ distances) / weight.sum())

    def laplace_mean(self, first: int, scale: float) -> float:
        """The expected distance of floored Laplace noise of this scale."""
        made = LaplaceImproved(self.line.space, epsilon=1, rate=1 / Fraction(str(scale)), rounding="floor")
        return float(np.exp(made.log_pmf([first, self.n - first])) @ self.distances(first))

    def loss(self, rate: Callable[[int], float]) -> float:
        """The greatest loss between neighbours near the end, over all outputs, with weights exp(-rate(x)·H)."""
        best, before = 0.0, None
        for first in range(min(NEAR, self.n) + 1):
            weight = -rate(first) * self.distances(first)
            log_pmf = weight - math.log(np.exp(weight).sum())
            if before is not None:
                best = max(best, float(np.abs(log_pmf - before).max()))
            before = log_pmf
        return best


def smooth_mean(line: Measured, epsilon: float, inside: Callable[[int], int] = lambda n: n + 1) -> float:
    """The mean error of M_H as published (s = ε/2, δ = 1e-8) for balanced data; γ with `inside(n)` for |R|."""
    centre = line.n // 2
    gamma = math.log(1 - epsilon / (2 * math.log(1e-8 / (2 * inside(line.n)))))
    return line.mean(centre, epsilon / 2 / line.smooth(centre, gamma))
