"""Where n is private, intervals of shares and of the total hold their level over all data sets of the prior."""

import math
from typing import Any

import numpy as np
import pytest
from scipy.special import betainc, gammaln

import discreet as dc
from discreet.inference.records import Between, NegativeBinomial, Records


def weights(alpha: Any, rows: Any, records: Records) -> Any:
    """The chance of each data set: n from what is held likely of it, and then the prior."""
    n, total = rows.sum(axis=1), alpha.sum()
    logs = (gammaln(alpha + rows) - gammaln(alpha) - gammaln(rows + 1)).sum(axis=1)
    logs += gammaln(total) + gammaln(n + 1) - gammaln(total + n)
    if isinstance(records, Between):
        inside = (n >= records.low) & (n <= records.high)
        return np.where(inside, np.exp(logs), 0.0) / (records.high - records.low + 1)
    assert isinstance(records, NegativeBinomial)
    share = float(records.mean) / (float(records.mean) + total)
    return np.exp(logs + gammaln(total + n) - gammaln(total) - gammaln(n + 1) + total * math.log1p(-share)) * share**n


def covered(alpha: Any, epsilon: float, records: Records, most: int) -> tuple[float, float, float]:
    """How often the first share and the total lie in their intervals, and what the total's intervals state."""
    rows = np.stack(np.meshgrid(*[np.arange(most + 1)] * 2, indexing="ij"), axis=-1).reshape(-1, 2)
    chance = weights(alpha, rows, records)
    rows, chance = rows[chance > 1e-13], chance[chance > 1e-13]
    assert chance.sum() == pytest.approx(1, abs=1e-9)
    mechanism = dc.Geometric(dc.PosteriorSpace(prior=alpha.tolist(), n=None), epsilon=epsilon)
    q, z = math.exp(-epsilon), np.arange(int(rows.max()) + math.ceil(21 / epsilon))
    noise = (1 - q) / (1 + q) * q ** np.abs(z[:, None] - np.arange(most + 1)[None, :])
    noise[0] = q ** np.arange(most + 1) / (1 + q)  # all outputs of at most 0 are read alike
    share = total = stated = 0.0
    a, n = alpha + rows, rows.sum(axis=1)
    for first in z.tolist():
        for second in z.tolist():
            likely = chance * noise[first, rows[:, 0]] * noise[second, rows[:, 1]]
            if likely.sum() < 1e-12:
                continue
            belief = dc.Belief.of(dc.noise_aware(mechanism, (first, second), records=records), {"a": ("x", "y")})
            low, high = belief["x"].interval()
            share += float(likely @ (betainc(a[:, 0], a[:, 1], high) - betainc(a[:, 0], a[:, 1], low)))
            low, high = belief.total.interval()
            total += float(likely @ ((n >= low) & (n <= high)))
            stated += float(likely.sum() * (belief.total.cdf(high) - belief.total.cdf(low - 0.5)))
    return share, total, stated


@pytest.mark.parametrize(
    ("alpha", "epsilon", "records", "most"),
    [
        ([1.0, 0.5], 4.0, Between(0, 3), 3),
        pytest.param([1.0, 2.0], 1.5, Between(2, 6), 6, marks=pytest.mark.soak),
        pytest.param([1.0, 0.5], 2.0, NegativeBinomial(2), 60, marks=pytest.mark.soak),
    ],
)
@pytest.mark.filterwarnings("ignore::discreet.inference.factor_posteriors.Contradiction")  # rare outputs count too
def test_intervals_hold_their_level_over_all_data_sets(
    alpha: list[float], epsilon: float, records: Records, most: int
) -> None:
    share, total, stated = covered(np.array(alpha), epsilon, records, most)
    assert share == pytest.approx(0.95, abs=1e-5)
    assert total == pytest.approx(stated, abs=1e-5)  # whole numbers: an interval holds a little more than its level
    assert total >= 0.95
