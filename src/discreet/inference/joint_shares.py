"""The joint law of two shares: a density of the logits of both, as polynomials on panels.

Given the counts, two shares are independent Betas. Given a release they are a mixture of such pairs, and the density of
their logits s and t is Σ_r u_r(s)·v_r(t) with few terms: one where the releases are of different people, about ten
where two groups are cells of one table. Each u and v is a polynomial on panels, which are halved until their last
coefficients vanish. Whatever compares two shares is one integral, ∫ U_r(h(t))·v_r(t) dt with U_r the integral of u_r.
`tests/inference/test_comparisons.py` holds it to sums over all data sets, `tests/inference/test_differences.py` to
ball arithmetic over eight decades of widths.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from discreet.arithmetic.arrays import Floats
from discreet.inference.components import Components
from discreet.inference.panels import FARTHEST, SHARP, Function, Functions, gauss_nodes, tabulate_law
from discreet.posteriors.mixtures import ShareLaw

_MAX_TERMS = 64


@dataclass(frozen=True, eq=False)
class JointShares:
    """Two shares with the density Σ_r u_r(s)·v_r(t) of their logits. `error` bounds how far any probability is off."""

    first: Functions
    second: Functions
    error: float

    def below(self, ahead: Function, back: Function) -> float:
        """P(s ≤ h(t)) for an increasing h and its inverse: Gauss' rule between all edges of both."""
        at, weight = self._nodes(back)
        height = np.einsum("nr,nr->n", self.first.distribution(ahead(at)), self.second.density(at))
        ends = self.first.distribution(ahead(np.array([-np.inf, np.inf])))
        chance = height @ weight + ends[0] @ self.second.at_zero + ends[1] @ self.second.at_one
        return min(max(float(chance), 0.0), 1.0)

    @property
    def ties(self) -> tuple[float, float]:
        """The chances that both are not told from 0, and that both are not told from 1."""
        first, second = self.first, self.second
        return float(first.at_zero @ second.at_zero), float(first.at_one @ second.at_one)

    def rise(self, ahead: Function, back: Function, speed: Function) -> float:
        """How fast P(s ≤ h(t)) grows where h moves at a speed that depends on h(t)."""
        at, weight = self._nodes(back)
        to = ahead(at)
        to = np.where(np.isfinite(to), to, 2 * FARTHEST)
        height = np.einsum("nr,nr->n", self.first.density(to), self.second.density(at))
        moving = height != 0
        return float((height[moving] * speed(to[moving])) @ weight[moving])

    def mean(self, of_first: Function, of_second: Function) -> float:
        """The mean of a product of functions of the two logits."""
        return float(self.first.mean(of_first) @ self.second.mean(of_second))

    def _nodes(self, back: Function) -> tuple[Floats, Floats]:
        edges, other = self.second.edges, back(self.first.edges)
        return gauss_nodes(np.unique(np.concatenate([edges, other[(other > edges[0]) & (other < edges[-1])]])))


def joint_shares(
    first: Components, second: Components, weights: Floats, laws: tuple[ShareLaw, ShareLaw]
) -> JointShares:
    """From the components of both shares, and how much each pair of them weighs: a vector where only like ones pair.

    The density at all pairs of nodes is taken apart by pivoting into few products of functions.
    """
    if weights.ndim == 1:
        importance = weights * second.masses, weights * first.masses
    else:
        importance = weights @ second.masses, first.masses @ weights
    total = float(importance[0] @ first.masses)
    one, other = (
        side.panels(law, important / total)
        for side, law, important in zip((first, second), laws, importance, strict=True)
    )
    paired = one.values * weights if weights.ndim == 1 else one.values @ weights
    left = paired @ other.values.T / total
    area = np.outer(*(gauss_nodes(side.edges)[1] for side in (one, other)))
    scale = np.sqrt(area)
    missing = abs(float((left * area).sum()) - 1)
    rows: list[Floats] = []
    columns: list[Floats] = []
    for _ in range(_MAX_TERMS):
        i, j = np.unravel_index(int(np.argmax(np.abs(left) * scale)), left.shape)
        if float(np.abs(left[i, j]) * scale[i, j]) < SHARP / 100:
            break
        columns.append(left[:, j] / left[i, j])
        rows.append(left[i].copy())
        left -= np.outer(columns[-1], rows[-1])
    hidden = float((np.abs(left) * area).sum())
    return JointShares(
        Functions.through(one.edges, np.stack(columns, axis=1)),
        Functions.through(other.edges, np.stack(rows, axis=1)),
        one.error + other.error + hidden + missing + 4 * SHARP,
    )


def independent_shares(first: ShareLaw, second: ShareLaw) -> JointShares:
    """Two shares whose posteriors are independent."""
    (one, one_error), (other, other_error) = (tabulate_law(law) for law in (first, second))
    return JointShares(one, other, one_error + other_error + 4 * SHARP)
