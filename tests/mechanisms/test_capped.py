"""The enumerable space of a private n with a public cap: a yardstick for geometric."""

import math
from itertools import product

import numpy as np
import pytest

import discreet as dc
from discreet.posteriors.distances import hellinger_floats
from discreet.posteriors.predictive import log_predictive

SPACE = dc.PosteriorSpace(prior=[1, 1], cap=8)


def mean_error(mechanism: dc.Geometric) -> float:
    """Over data sets with every n alike and then the prior, and all outputs: by the definition."""
    space, q = mechanism.space, math.exp(-float(mechanism.epsilon))
    rows = space.candidates().array()
    weight = np.exp(log_predictive(space.prior, rows))
    axis = np.arange(9)
    noise = (1 - q) / (1 + q) * q ** np.abs(axis[:, None] - axis[None, :])
    noise[0], noise[-1] = q**axis / (1 + q), q ** (8 - axis) / (1 + q)  # beyond the ends all is read alike
    total = 0.0
    for z in product(range(9), repeat=2):
        back = mechanism.postprocess(np.array([z]))[0].tolist()
        chance = noise[z[0], rows[:, 0]] * noise[z[1], rows[:, 1]]
        total += float((weight * chance) @ hellinger_floats(space.prior, back, rows))
    return total / float(weight.sum())


@pytest.mark.few(1)
@pytest.mark.parametrize(("epsilon", "above"), [(0.5, 5.7), (1, 4.8), (2, 4.2)])
def test_geometric_with_bayes_post_processing_is_a_few_per_cent_above_the_linear_programme(
    epsilon: float, above: float
) -> None:
    limit = dc.Optimal(SPACE, epsilon=epsilon).error
    found = mean_error(dc.Geometric(SPACE, epsilon=epsilon, postprocess="bayes"))
    assert 100 * (found / limit - 1) == pytest.approx(above, abs=0.06)
    assert mean_error(dc.Geometric(SPACE, epsilon=epsilon)) >= found


def test_distances_under_a_cap_are_those_of_posteriors_with_different_totals() -> None:
    space = dc.PosteriorSpace(prior=[1, "1/2"], cap=4)
    for c in space.candidates():
        rows = space.candidates().array()
        found = hellinger_floats(space.prior, c, rows)
        truth = [dc.hellinger(space.posterior(c), space.posterior(tuple(row))) for row in rows.tolist()]
        assert found.tolist() == pytest.approx(truth, rel=1e-9, abs=1e-12)
        assert space.distance(c, rows[0].tolist()) == pytest.approx(truth[0])


def test_every_number_of_records_is_alike_under_a_cap() -> None:
    rows = SPACE.candidates().array()
    chance, n = np.exp(log_predictive(SPACE.prior, rows)), rows.sum(axis=1)
    assert [chance[n == size].sum() for size in range(9)] == pytest.approx([1.0] * 9)


def test_noisy_counts_above_the_cap_lead_to_a_data_set_of_the_cap() -> None:
    mechanism = dc.Geometric(SPACE, epsilon=1)
    assert mechanism.postprocess(np.array([[9, 3], [3, 4]])).tolist() == [[7, 1], [3, 4]]
