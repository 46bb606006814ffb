"""Synthetic copies: records drawn from what a reader may believe, and how to combine analyses of several copies.

A copy is drawn as the data might have been: shares θ from the belief, then n records from θ, with n as published or
drawn from its own belief. One copy hides what nobody knows: an analysis of it as if it were data is too sure of itself.
Over M copies, q̄ is the mean of the estimates, b their variance between copies and ū the mean of their variances within;
b holds what is not known of θ and what each copy adds, so that what is not known of θ is T = (1 + 1/M)·b - ū, with
(M - 1)·(1 - ū/((1 + 1/M)·b))² degrees of freedom (Raghunathan, Reiter and Rubin, 2003). Where T is not positive ū takes
its place. `tests/inference/test_synthetic.py` measures the coverage on the bundled data.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from discreet.arithmetic.arrays import Wholes
from discreet.arithmetic.numbers import exact_share, whole
from discreet.errors import InvalidInput
from discreet.inference.beliefs import Belief
from discreet.inference.draws import draw_places
from discreet.testing import HashedBits

MAX_RECORDS = 10**8
"""Of all copies together."""


def synthetic_counts(belief: Belief, copies: object, *, seed: object) -> Wholes:
    """How many records each cell has, in the order of the belief's cells: one row for each copy.

    The same for the same seed: a receipt is public, and so is what is drawn from it.

    >>> from discreet import Geometric, PosteriorSpace, noise_aware
    >>> posterior = noise_aware(Geometric(PosteriorSpace(prior=[1, 1], n=100), epsilon=1), (60, 40))
    >>> synthetic_counts(Belief.of(posterior, {"vote": ["yes", "no"]}), 3, seed=1).sum(axis=1).tolist()
    [100, 100, 100]
    """
    number, posterior = whole(copies, "copies", minimum=1), belief.posterior
    at = [cell for _, (cell,) in belief.cells.values()]
    if len(at) != posterior.k:
        raise InvalidInput("copies are of all cells of a release", hint="leave among, given and margin out")
    sizes = [posterior.n] * number
    if posterior.n is None:
        sizes = [round(float(size)) for size in belief.total.sample(number, seed=(seed, "records"))]
    total = sum(size or 0 for size in sizes)
    if total > MAX_RECORDS:
        raise InvalidInput(f"copies have at most {MAX_RECORDS:,} records together", hint="make fewer copies")
    shares = posterior.sample(number, seed=(seed, "shares"))[:, at]
    counts = np.zeros((number, len(at)), dtype=np.int64)
    for copy, (theta, size) in enumerate(zip(shares, sizes, strict=True)):
        if size:
            places = draw_places(HashedBits(f"synthetic copy {copy} {seed}"), theta, size)
            counts[copy] = np.bincount(places, minlength=len(at))
    return counts


@dataclass(frozen=True, slots=True)
class CombinedEstimate:
    """An estimate from several synthetic copies: Student's t with `df` degrees of freedom."""

    mean: float
    sd: float
    df: float

    def interval(self, level: object = 0.95) -> tuple[float, float]:
        """The low and the high end."""
        from scipy import stats

        reach = float(stats.t.ppf((1 + float(exact_share(level, "level"))) / 2, self.df)) * self.sd
        return self.mean - reach, self.mean + reach

    def __repr__(self) -> str:
        low, high = self.interval()
        return f"<{self.mean:.4g}, 95 % interval {low:.4g} to {high:.4g}, from synthetic copies>"


def combine_synthetic(estimates: Sequence[float], variances: Sequence[float]) -> CombinedEstimate:
    """Combine the same analysis of each copy: its estimates, and the variances that each copy alone would give them.

    >>> import discreet as dc
    >>> dc.combine_synthetic([0.52, 0.55, 0.49, 0.57, 0.50], [0.0003] * 5)
    <0.526, 95 % interval 0.4073 to 0.6447, from synthetic copies>
    """
    q, u = np.asarray(estimates, dtype=np.float64), np.asarray(variances, dtype=np.float64)
    if q.ndim != 1 or q.shape != u.shape or len(q) < 2 or not (np.isfinite(q).all() and (u >= 0).all()):
        raise InvalidInput(
            "there must be an estimate and a variance of two copies or more", hint="one of each per copy"
        )
    copies, between, within = len(q), float(q.var(ddof=1)), float(u.mean())
    spread = (1 + 1 / copies) * between
    unknown = spread - within
    if unknown <= 0:
        return CombinedEstimate(float(q.mean()), math.sqrt(within), copies - 1.0)
    return CombinedEstimate(float(q.mean()), math.sqrt(unknown), max((copies - 1) * (1 - within / spread) ** 2, 1.0))
