"""An exponential mechanism with any score on a small space: a study in floats, with no release.

P(r | c) ∝ exp(-s·u(c,r)/S(c)) for a score u ≥ 0 that is 0 at the truth. If S ≥ LS everywhere, 1/S changes by at most Γ
between neighbours, and u is at most D on the space, the loss is at most 2s(1 + ΓD): the proof for Hellinger, whose
D is 1, needs nothing else. Sensitivities are by enumeration of all neighbours and outputs. A score that is infinite
somewhere has neither sensitivity nor D, and is refused. Numbers are floats, right to `MARGIN`: enough to compare
scores, and no ground for a release, which would need enclosures of u. Tests: `tests/papers/test_any_score.py`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, TypeAlias

import numpy as np
from scipy.special import gammaln, rel_entr

from discreet.arithmetic.arrays import Floats, Wholes
from discreet.errors import InvalidInput, NotPrivate
from discreet.posteriors.distances import chi_squared, log_affinity_floats
from discreet.posteriors.space import PosteriorSpace, require_enumerable
from discreet.utility.metrics import METRIC

Score: TypeAlias = Callable[[PosteriorSpace, Wholes, Wholes], Floats]
"""Distances from the candidate that is the truth to each of some rows."""

MARGIN = 1e-9
"""How far a loss or a sensitivity of this study may be from the truth."""

LARGEST = 400
"""Spaces of more candidates are not studied."""


@dataclass(frozen=True)
class ScoreMechanism:
    """One score on one space.

    >>> l1 = ScoreMechanism.of("l1", PosteriorSpace(prior=[1, 1], n=20))
    >>> float(l1.local.max()), l1.diameter
    (2.0, 40.0)
    >>> round(l1.loss(1.0, 1 / l1.local), 4)  # two-sided geometric noise, cut off and normalised
    1.2091
    """

    name: str
    space: PosteriorSpace
    score: Floats

    @classmethod
    def of(cls, name: str, space: PosteriorSpace) -> ScoreMechanism:
        """The score of this name, between all candidates; refused where it is infinite."""
        if name not in SCORES:
            raise InvalidInput(
                f"score must be one of {', '.join(SCORES)}", hint="choose one of them", parameter="score"
            )
        require_enumerable(space, limit=LARGEST)
        rows = space.candidates().array()
        score = np.stack([SCORES[name](space, row, rows) for row in rows])
        if not np.isfinite(score).all():
            raise NotPrivate(
                f"{name} is infinite between candidates: no sensitivity bounds it",
                hint="choose a bounded score, or a prior above n",
            )
        return cls(name, space, score)

    @property
    def diameter(self) -> float:
        """D, the greatest score on the space."""
        return float(self.score.max())

    @cached_property
    def _steps(self) -> Wholes:
        """d(c, c') between all data sets; neighbours are one apart."""
        rows = self.space.candidates().array()
        steps: Wholes = np.abs(rows[:, None, :] - rows[None, :, :]).sum(axis=2) // 2
        return steps

    @cached_property
    def _pairs(self) -> tuple[Wholes, Wholes]:
        """The ranks of all ordered pairs of neighbours."""
        one, other = np.nonzero(self._steps == 1)
        return one, other

    @cached_property
    def local(self) -> Floats:
        """LS(c): the greatest |u(c,r) - u(c',r)| over neighbours c' and outputs r."""
        one, other = self._pairs
        local = np.zeros(len(self.score))
        np.maximum.at(local, one, np.abs(self.score[one] - self.score[other]).max(axis=1))
        return local

    def inverse(self, gamma: float) -> Floats:
        """1/S(c) = min 1/LS(c') + γ·d: global sensitivity for γ = 0, local for γ = ∞."""
        if math.isinf(gamma):
            return 1 / self.local
        inverse: Floats = (1 / self.local[None, :] + gamma * self._steps).min(axis=1)
        return np.minimum(inverse, 1 / self.local)

    def guarantee(self, scale: float, inverse: Floats) -> float:
        """2s(1 + ΓD), with Γ by enumeration."""
        one, other = self._pairs
        return 2 * scale * (1 + float(np.abs(inverse[one] - inverse[other]).max()) * self.diameter)

    def log_pmf(self, scale: float, inverse: Floats) -> Floats:
        """Log-probabilities of all outputs for all data sets."""
        logits = -scale * inverse[:, None] * self.score
        log_pmf: Floats = logits - np.log(np.exp(logits).sum(axis=1))[:, None]
        return log_pmf

    def loss(self, scale: float, inverse: Floats) -> float:
        """The greatest loss over all neighbours and outputs."""
        one, other = self._pairs
        log_pmf = self.log_pmf(scale, inverse)
        return float((log_pmf[one] - log_pmf[other]).max())

    def largest_scale(self, epsilon: float, inverse: Floats) -> float:
        """The largest scale, among those tried, whose loss is at most ε: from the theorem's scale upwards.

        The loss is not monotone in the scale everywhere, so a ladder is climbed to its top before a step is halved.
        """
        least = epsilon / self.guarantee(1.0, inverse)
        ladder = [least * math.pow(64 * epsilon / least, i / 80) for i in range(81)]
        fit = max(i for i, scale in enumerate(ladder) if self.loss(scale, inverse) <= epsilon + MARGIN)
        low, high = ladder[fit], ladder[min(fit + 1, 80)]
        for _ in range(40):
            middle = (low + high) / 2
            low, high = (middle, high) if self.loss(middle, inverse) <= epsilon else (low, middle)
        return low


def _metric(name: str) -> Score:
    return lambda space, here, rows: METRIC[name].distances(space.prior, here, rows)


def _chi_squared(space: PosteriorSpace, here: Wholes, rows: Wholes) -> Floats:
    truth = space.posterior(here)
    return np.array([chi_squared(truth, space.posterior(row)) for row in rows])


@lru_cache(maxsize=2)
def _densities(space: PosteriorSpace) -> tuple[Floats, Floats]:
    """The densities of all candidates at the nodes of a rule on the simplex, a row each, and its weights.

    Two categories: Gauss and Legendre's rule. Three: a product of two on the square, folded to the triangle.
    """
    node, weight = (part / 2 for part in np.polynomial.legendre.leggauss({2: 600, 3: 96}[space.k]))
    node = node + 0.5
    if space.k == 2:
        theta = np.stack([node, 1 - node], axis=1)
    else:
        one, other = (part.ravel() for part in np.meshgrid(node, node, indexing="ij"))
        theta = np.stack([one, (1 - one) * other, (1 - one) * (1 - other)], axis=1)
        weight = (weight[:, None] * weight[None, :]).ravel() * (1 - one)
    alpha = space.prior.alpha + space.candidates().array()
    log_beta = gammaln(alpha).sum(axis=1) - gammaln(alpha.sum(axis=1))
    return np.exp((alpha - 1) @ np.log(theta).T - log_beta[:, None]), weight


def _root_score(divergence: Callable[[Any, Any], Any]) -> Score:
    """The root of a divergence between two densities, by quadrature: a metric between 0 and 1."""

    def score(space: PosteriorSpace, here: Wholes, rows: Wholes) -> Floats:
        density, weight = _densities(space)
        ranks = space.candidates().ranks
        truth, others = density[ranks(here[None, :])], density[ranks(rows)]
        squares = np.maximum(divergence(truth, others) @ weight, 0.0)
        squares[(rows == here).all(axis=1)] = 0.0
        distances: Floats = np.sqrt(squares)
        return distances

    return score


def _jensen_shannon(p: Floats, q: Floats) -> Floats:
    """∫ p·ln(2p/(p+q)) + q·ln(2q/(p+q)), over 2 ln 2."""
    both = (p + q) / 2
    divergence: Floats = (rel_entr(p, both) + rel_entr(q, both)) / (2 * math.log(2))
    return divergence


def _triangular(p: Floats, q: Floats) -> Floats:
    """∫ (p-q)²/(p+q), halved: the square of Le Cam's distance."""
    with np.errstate(invalid="ignore"):
        return np.where(p + q > 0, (p - q) ** 2 / (2 * (p + q)), 0.0)


SCORES: dict[str, Score] = {
    "hellinger": _metric("hellinger"),
    "total-variation": _metric("total-variation"),
    "kl": _metric("kl"),
    "renyi-1/2": lambda space, here, rows: -2 * log_affinity_floats(space.prior, here.tolist(), rows),
    "l1": _metric("l1"),
    "jensen-shannon": _root_score(_jensen_shannon),
    "le-cam": _root_score(_triangular),
    "chi-squared": _chi_squared,
}
"""Scores by name. Those of Jensen–Shannon and Le Cam are roots, metrics between 0 and 1. That of Rényi, -2 ln BC, is
not made from H, which is 1 to the last float where BC is small."""
