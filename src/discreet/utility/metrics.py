"""Distances between a true posterior and a released one, over many candidates at once.

Between candidates of a space, Hellinger, L1 and Kullback–Leibler are each an increasing function of a sum over
categories. A category that moves between the parameters l < l + u contributes a term that falls with l and grows with
u, because trigamma falls:

    hellinger  -ln BC    ½·[lnΓ(l) + lnΓ(l+u) - 2 lnΓ(l+u/2)] = ½·∫ min(t, u-t) ψ'(l+t) dt
    kl         ∫ (u-t) ψ'(l+t) dt where records are added, ∫ t ψ'(l+t) dt where they are taken away
    l1         u

So a whole range of counts and moves is enclosed by its corners (`discreet.utility.count_blocks`).
Tests: `tests/utility/test_metrics.py`, against the distances of two Dirichlets.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit, gammaln, psi

from discreet.arithmetic.arrays import Floats, Wholes
from discreet.errors import InvalidInput
from discreet.posteriors import Dirichlet
from discreet.posteriors.dirichlet import incomplete_beta
from discreet.posteriors.distances import second_difference, stirling_rest
from discreet.posteriors.space import PosteriorSpace
from discreet.posteriors.variation import total_variation

MetricName = Literal["hellinger", "l1", "total-variation", "kl"]
METRICS: tuple[MetricName, ...] = get_args(MetricName)


@dataclass(frozen=True)
class Metric:
    """A distance as a sum over categories: of the terms, then finished. As it is, L1."""

    name: MetricName

    def term(self, low: Floats, moved: Floats, side: int) -> Floats:
        """Of a category that gained (`side` is 1) or lost (-1) `moved` records; `low` is the lesser parameter."""
        return moved

    def finish(self, total: Floats) -> Floats:
        """The distance, by the sum of the terms."""
        return total

    def distances(self, prior: Dirichlet, c: ArrayLike, rows: ArrayLike) -> Floats:
        """From the candidate c to the candidates in rows; c may also be one candidate for each of them.

        >>> METRIC["l1"].distances(Dirichlet([1, 1]), [3, 4], [[3, 4], [5, 2]]).tolist()
        [0.0, 4.0]
        """
        released = np.asarray(rows, dtype=np.int64)
        true = np.broadcast_to(np.asarray(c, dtype=np.int64), released.shape)
        total = np.zeros(released.shape[0])
        for i, parameter in enumerate(prior.parameters):
            moved = released[:, i] - true[:, i]
            low = float(parameter) + np.minimum(released[:, i], true[:, i])
            for side in (1, -1):
                where = np.flatnonzero(side * moved > 0)
                total[where] += self.term(low[where], np.abs(moved[where]).astype(np.float64), side)
        return self.finish(total)

    def diameter(self, space: PosteriorSpace) -> float:
        """No distance between two candidates is larger."""
        if self.name in ("hellinger", "total-variation"):
            return 1.0
        least, moved = np.array([space.prior.alpha.min()]), np.array([float(space.n)])
        return float(self.term(least, moved, -1)[0] + self.term(least, moved, 1)[0])


class _Hellinger(Metric):
    def term(self, low: Floats, moved: Floats, side: int) -> Floats:
        return 0.5 * second_difference(low, low + moved, moved)

    def finish(self, total: Floats) -> Floats:
        return np.sqrt(-np.expm1(-np.maximum(total, 0.0)))


class _Divergence(Metric):
    """KL(true, released): the part of a category is lnΓ(b) - lnΓ(a) - (b-a)ψ(a), from the true a to the released b."""

    def term(self, low: Floats, moved: Floats, side: int) -> Floats:
        # What is left where nearly all records are taken away is told: a sum of the two parts would have lost it.
        return log_gamma_gap(low, moved) if side > 0 else log_gamma_gap(low + moved, -moved, low)


class _Variation(Metric):
    """Total variation is no sum: two Betas of equal total cross once, and more categories are integrated one by one.

    So it has no terms, and is offered only where the candidates are enumerated.
    """

    def distances(self, prior: Dirichlet, c: ArrayLike, rows: ArrayLike) -> Floats:
        """From c, or from each of several, to the candidates in rows."""
        released = np.asarray(rows, dtype=np.int64)
        true = np.broadcast_to(np.asarray(c, dtype=np.int64), released.shape)
        if prior.k == 2:
            return _between_betas(prior, true[:, 0], released[:, 0], true.sum(axis=1))
        pairs = zip(true.tolist(), released.tolist(), strict=True)
        return np.array([total_variation(prior.update(before), prior.update(after)) for before, after in pairs])


def as_metric(name: str) -> Metric:
    """The metric of this name."""
    if name not in METRICS:
        raise InvalidInput(
            f"metric must be one of {', '.join(METRICS)}", hint="leave it out for hellinger", parameter="metric"
        )
    return METRIC[name]


def hellinger_between(one: Floats, other: Floats) -> Floats:
    """Hellinger distances of Dirichlets of any totals, by their parameters: from each row of one to each of other.

    For small parameters: differences of lnΓ are taken as they are.
    """

    def log_beta(alpha: Floats) -> Any:
        return gammaln(alpha).sum(axis=-1) - gammaln(alpha.sum(axis=-1))

    middle = log_beta((one[:, None, :] + other[None, :, :]) / 2)
    return METRIC["hellinger"].finish((log_beta(one)[:, None] + log_beta(other)[None, :]) / 2 - middle)


def log_gamma_gap(a: ArrayLike, step: ArrayLike, end: ArrayLike | None = None) -> Floats:
    """lnΓ(a+h) - lnΓ(a) - hψ(a) ≥ 0, stably: how far lnΓ lies above its tangent. `end` is a+h, if it is known better.

    Far from 0, by Stirling's series with x = h/a it is a·[(1+x)ln(1+x) - x] + ½[x - ln(1+x)] and a small rest.

    >>> abs(float(log_gamma_gap(1e12, 3.0)) / (9 / 2e12) - 1) < 1e-9
    True
    """
    start, move = np.broadcast_arrays(np.asarray(a, dtype=np.float64), np.asarray(step, dtype=np.float64))
    stop = start + move if end is None else np.broadcast_to(np.asarray(end, dtype=np.float64), start.shape)
    near = np.minimum(start, stop) < 10.0
    safe, far = np.where(near, 10.0, start), np.where(near, 10.0, stop)
    x = np.where(near, 0.0, move / safe)
    small = np.abs(x) < 0.1
    y = np.where(small, 0.0, x)
    entropy = np.where(small, _series(x, lambda j: j * (j - 1)), (1 + y) * np.log1p(y) - y)
    lag = np.where(small, _series(x, lambda j: j), y - np.log1p(y))
    rest = stirling_rest(far) - stirling_rest(safe) - np.where(near, 0.0, move) * _stirling_slope(safe)
    direct = gammaln(stop) - gammaln(start) - move * psi(start)
    return np.maximum(np.where(near, direct, safe * entropy + 0.5 * lag + rest), 0.0)


def _series(x: Floats, divisor: Callable[[int], int]) -> Floats:
    """Σ_{j≥2} (-x)^j / divisor(j), for |x| < 0.1 to the last digit."""
    total = np.zeros_like(x)
    for j in range(18, 1, -1):
        total = (total * -x) + 1.0 / divisor(j)
    return total * x * x


def _stirling_slope(x: Floats) -> Floats:
    w = 1 / (x * x)
    return -w * (1 / 12 - w * (1 / 120 - w * (1 / 252 - w * (1 / 240 - w / 132))))


def _between_betas(prior: Dirichlet, c: Wholes, r: Wholes, n: Wholes) -> Floats:
    """Total variation of Beta(α₁+c, …) and Beta(α₁+r, …): the difference of their distributions where they cross.

    The densities cross where (r-c)·logit θ is the difference of ln B, and that difference is
    (r-c)·[ψ(α₁+c) - ψ(α₂+n-c)] plus two gaps of lnΓ above its tangent. It is flat there, so θ need not be sharp.
    """
    a, b = float(prior.parameters[0]) + c, float(prior.parameters[1]) + (n - c)
    h = (r - c).astype(np.float64)
    step = np.where(h == 0, 1.0, h)
    logit = psi(a) - psi(b) + (log_gamma_gap(a, h) + log_gamma_gap(b, -h)) / step
    theta = expit(logit)
    variation: Floats = np.abs(incomplete_beta(a, b, theta) - incomplete_beta(a + h, b - h, theta))
    return np.where(h == 0, 0.0, variation)


METRIC: dict[str, Metric] = {
    "hellinger": _Hellinger("hellinger"),
    "l1": Metric("l1"),
    "total-variation": _Variation("total-variation"),
    "kl": _Divergence("kl"),
}
