"""Plans where n is private: what a release would give if there were about as many records as a guess says.

Nobody may be told n, so a plan takes a guess of it, and says so. Data sets are drawn from the prior predictive at that
n and outputs from the law, so that errors are means with a standard error. The width is that of the belief under a flat
prior on n. What privacy of n costs is told against replace-one with a public n at equal protection: ε under add-remove
protects a replaced record by 2ε, because a replacement is one record less and one more.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np

from discreet.arithmetic.arrays import Floats
from discreet.arithmetic.numbers import float_upper
from discreet.inference.dispatch import noise_aware
from discreet.mechanisms import Geometric
from discreet.posteriors.distances import second_difference
from discreet.posteriors.space import PosteriorSpace
from discreet.privacy_loss import audit
from discreet.samplers.bits import Bits
from discreet.testing import HashedBits
from discreet.typing import Epsilon
from discreet.utility.plans import Plan, PlanRow
from discreet.utility.studies import drawn_data
from discreet.utility.widths import expected_width, width_without_privacy

DRAWS, INTERVALS = 20_000, 12
"""So many releases are drawn for the errors, and of these so many for the width."""

_SURE = 6.0


def plan_private(
    space: PosteriorSpace, epsilon: Epsilon, guess: int, *, category: int = 1, level: Fraction = Fraction(19, 20)
) -> Plan:
    """What geometric gives at an ε under add-remove, if there are as many records as guessed.

    >>> plan = plan_private(PosteriorSpace(prior=[1, 1], n=None), 1, 1000)
    >>> for line in plan.sentences()[:2]:
    ...     print(line)
    95 % intervals will be about 4.9 points wide, 4.9 without privacy.
    n is private: 1,000 records is a guess, and nothing of the release depends on it.
    """
    mechanism = Geometric(space, epsilon=epsilon)
    public = PosteriorSpace(prior=space.prior, n=guess)
    data = drawn_data(public, DRAWS, "a private n")
    bits: Bits = HashedBits("a private n: noise")
    outputs = data + mechanism.noise.draw_many(bits, DRAWS)
    released = mechanism.postprocess(outputs)
    errors = _hellinger(space.prior.alpha, data, released)
    moved = np.abs(_shares(space, data) - _shares(space, released)).sum(axis=1)
    widths = np.array([_width(mechanism, row, category, level) for row in outputs[:INTERVALS].tolist()])
    exact = [space.prior.update(row).interval(float(level)) for row in data[:INTERVALS].tolist()]
    plain = np.array([float(high[category - 1] - low[category - 1]) for low, high in exact])
    # By how much noise widens the same data's intervals varies far less than their widths do.
    without, times = width_without_privacy(public, level).value, float(widths.mean() / plain.mean())
    spread = float((widths - times * plain).std()) / plain.mean() * without
    alike = expected_width(Geometric(public, epsilon=2 * mechanism.epsilon), level)
    row = PlanRow(
        name=mechanism.name,
        setting="theorem",
        epsilon=float_upper(mechanism.epsilon),
        exact_epsilon=float_upper(audit(mechanism).epsilon),
        exact_epsilon_by="theorem",
        exact_epsilon_reached=True,
        mean_error=float(errors.mean()),
        mean_error_within=2.58 * float(errors.std()) / math.sqrt(DRAWS),
        worst_mean_error=None,
        error_95=float(np.quantile(errors, 0.95)),
        shift_points=50 * float(moved.mean()),
        interval_width=without * times,
        interval_width_within=_SURE * float(spread) / math.sqrt(INTERVALS),
        parameters=mechanism.parameters(),
        method=f"{DRAWS} exact draws; interval by {INTERVALS} outputs of {DRAWS} exact draws",
        missing={"worst_mean_error": "n is private"},
    )
    question: dict[str, Any] = {
        "epsilon": str(mechanism.epsilon),
        "guess": guess,
        "interval": {"level": float(level), "category": category},
        "width_at_equal_protection": alike.value,
    }
    return Plan(
        space=space,
        epsilon=mechanism.epsilon,
        mechanisms=(row,),
        omitted=(),
        recommended=mechanism.name,
        setting="theorem",
        reason="the others need a public n",
        interval_width_without_privacy=without,
        level=level,
        question=question,
    )


def _width(mechanism: Geometric, output: list[int], category: int, level: Fraction) -> float:
    low, high = noise_aware(mechanism, output).marginal(category - 1).interval(level)
    return float(high - low)


def _shares(space: PosteriorSpace, rows: Any) -> Floats:
    parameters = space.prior.alpha + rows
    shares: Floats = parameters / parameters.sum(axis=1, keepdims=True)
    return shares


def _hellinger(alpha: Floats, data: Any, released: Any) -> Floats:
    """Between posteriors whose totals may differ: ln BC is that of the categories less that of the totals, halved."""
    each = second_difference(alpha + data, alpha + released, released - data).sum(axis=1)
    sums = alpha.sum() + data.sum(axis=1), alpha.sum() + released.sum(axis=1)
    total = second_difference(*sums, sums[1] - sums[0])
    distances: Floats = np.sqrt(-np.expm1(-np.maximum(each - total, 0.0) / 2))
    return distances
