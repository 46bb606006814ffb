"""Studies of drawn data sets: the same on every run, and their interval holds."""

import numpy as np
import pytest

import discreet as dc
from discreet.utility.error_tables import WeightedTable
from discreet.utility.metrics import METRIC
from discreet.utility.studies import draw_study, drawn_data, row_study
from tests.oracles import spaces


def test_data_sets_are_drawn_from_the_predictive() -> None:
    space = dc.PosteriorSpace(prior=["1/2", 1, 3], n=5)
    rows = drawn_data(space, 20_000, "a test")
    expected = spaces.prior_predictive(["1/2", 1, 3], 5)
    seen, number = np.unique(rows, axis=0, return_counts=True)
    for row, times in zip(seen.tolist(), number.tolist(), strict=True):
        chance = float(expected[tuple(row)])
        assert abs(times / 20_000 - chance) < 4.5 * (chance / 20_000) ** 0.5


def test_very_large_data_sets_have_the_right_mean_and_spread() -> None:
    space = dc.PosteriorSpace(prior=[2, 3, 5], n=10**12)
    share = drawn_data(space, 20_000, "large") / 1e12
    assert share.mean(axis=0) == pytest.approx([0.2, 0.3, 0.5], abs=4e-3)
    assert share.std(axis=0) == pytest.approx((np.array([0.2, 0.3, 0.5]) * [0.8, 0.7, 0.5] / 11) ** 0.5, rel=0.03)


@pytest.mark.few(1)
@pytest.mark.parametrize("name", ["geometric", "laplace-improved", "exponential-reciprocal"])
def test_the_stated_interval_of_draws_holds_the_exact_mean(name: str) -> None:
    mechanism = dc.mechanism(name, dc.PosteriorSpace(prior=[1, 1, 1], n=12), epsilon=1)
    exact, survey = dc.accuracy(mechanism), draw_study(mechanism, METRIC["hellinger"], None).survey
    mean, error = float(survey.high.mean()), 3.5 * float(survey.high.std()) / len(survey.high) ** 0.5
    assert abs(mean - exact.mean) < error


def test_exact_laws_of_drawn_data_sets_are_sharper() -> None:
    mechanism = dc.ExponentialLocal(dc.PosteriorSpace(prior=[1, 1, 1], n=12), epsilon=4)
    survey = row_study(WeightedTable(mechanism), METRIC["hellinger"], 400).survey
    assert abs(float(survey.high.mean()) - dc.accuracy(mechanism).mean) < 3.5 * float(survey.high.std()) / 20


def test_large_spaces_say_how_they_were_measured_and_how_sharply() -> None:
    error = dc.accuracy(dc.Geometric(dc.PosteriorSpace(prior=[1] * 4, n=10**9), epsilon=1))
    assert "exact draws" in error.method
    assert 0 < error.error < 0.03 * error.mean
    assert error.worst_mean is None
    with pytest.raises(dc.TooLarge, match="worst case"):
        error.worst_tail(0.1)
    again = dc.accuracy(dc.Geometric(dc.PosteriorSpace(prior=[1] * 4, n=10**9), epsilon=1))
    assert again.mean == error.mean


def test_given_counts_of_a_large_space_are_drawn_for_too() -> None:
    space = dc.PosteriorSpace(prior=[1] * 4, n=4 * 10**6)
    error = dc.accuracy(dc.LaplaceImproved(space, epsilon=1), [10**6] * 4)
    assert not error.publishable
    assert 0 < error.error < 0.1 * error.mean


def test_total_variation_is_not_drawn() -> None:
    with pytest.raises(dc.TooLarge):
        dc.accuracy(dc.Geometric(dc.PosteriorSpace(prior=[1] * 4, n=1000), epsilon=1), metric="total-variation")
