"""Kernels of the Hellinger family: bounds on the rates of a block of counts, and where normalisers come from."""

from collections.abc import Sequence

import numpy as np
import pytest

import discreet as dc
from discreet.kernels.base import LISTED
from discreet.kernels.exponential import LONGEST, ROUNDING, Enumerated, HellingerKernel
from discreet.posteriors.grid import grid

FAMILIES = ["exponential-global", "exponential-local", "exponential-smooth", "exponential-reciprocal"]


def kernel(prior: Sequence[object], n: int, scale: object = "1/2") -> HellingerKernel:
    return HellingerKernel(dc.ExponentialGlobal(dc.PosteriorSpace(prior=prior, n=n), scale=scale))


@pytest.mark.parametrize("name", FAMILIES)
def test_the_rates_of_a_block_lie_between_its_bounds_and_reach_the_lower_one(name: str) -> None:
    space = dc.PosteriorSpace(prior=["1/2", 3], n=200)
    kernel = dc.mechanism(name, space, epsilon=1).kernel
    assert (kernel.weighted, kernel.pace) == (True, "prepared")
    rates = kernel.rates(np.stack([np.arange(201), 200 - np.arange(201)], axis=1))
    first, last = np.array([0, 3, 40, 102, 180]), np.array([2, 30, 95, 140, 200])
    least, most = kernel.rate_bounds(first, last)
    for i, (one, other) in enumerate(zip(first, last, strict=True)):
        within = rates[one : other + 1]
        assert least[i] == pytest.approx(within.min(), rel=1e-12)
        assert within.max() * (1 - 1e-12) <= most[i] <= within.max() * 1.25


def test_what_is_listed_depends_on_the_number_of_candidates() -> None:
    assert kernel([1, 1], LONGEST - 2).listed
    assert not kernel([1, 1], LONGEST - 1).listed
    assert kernel([1, 1, 1], 126).listed
    assert not kernel([1, 1, 1], 127).listed
    assert 127 * 128 / 2 <= LISTED < 128 * 129 / 2


def test_tables_of_all_candidates_are_longer_on_a_simplex_than_on_a_line() -> None:
    assert len(kernel([1, 1, 1], 362).enumerated.rates) == 363 * 364 / 2 > LONGEST
    for prior, n in (([1, 1], LONGEST), ([1, 1, 1], 1447)):
        with pytest.raises(dc.TooLarge, match="was not made for so many data sets"):
            kernel(prior, n).enumerated  # noqa: B018


def test_one_data_set_is_summed_by_its_own_row_and_more_come_with_what_was_measured(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("discreet.kernels.exponential.LISTED", 200)  # for a simplex beyond it that is quickly prepared
    simplex, rows = kernel([1, 2, 1], 20), np.array([[6, 5, 9], [3, 16, 1]])
    alone = [simplex.log_normaliser(row) for row in rows]
    assert [float(logs.errors) for logs in alone] == [ROUNDING] * 2
    both, column = simplex.log_normalisers(rows), simplex.column((6, 5, 9), rows)
    assert (np.abs(both.values - [float(logs.values) for logs in alone]) <= both.errors).all()
    assert 1e-9 < both.errors.min() <= both.errors.max() < 1e-4
    assert column.values[0] == pytest.approx(-both.values[0], abs=1e-15)
    assert column.errors == pytest.approx(both.errors + ROUNDING)


def test_the_stated_rounding_is_that_of_a_rate_of_a_hundred_and_grows_in_proportion() -> None:
    rates, errors = [], []
    for scale in (1, 100, 10_000):
        line = kernel([1, 1], 20, scale)
        rates.append(float(line.rates(np.array([[3, 17]]))[0]))
        errors.append(float(line.log_normaliser((3, 17)).errors))
    assert rates[0] < 100 < rates[1]
    assert errors[0] == ROUNDING < 1e-10
    assert errors[1:] == pytest.approx([ROUNDING * rate / 100 for rate in rates[1:]])


def test_a_line_is_known_between_whole_counts_and_serves_all_data_sets() -> None:
    line = kernel([1, 2], 1000)
    places = np.array([[300.0, 700.0], [300.5, 699.5], [301.0, 699.0]])
    before, between, after = line.log_normalisers(places).values
    assert before != after
    assert between == pytest.approx((before + after) / 2, abs=1e-6)
    assert line.near(places) is line
    assert line.proposals((300, 700)) is None


def test_progress_is_told_now_and_then_from_the_first_row_to_the_last() -> None:
    told: list[tuple[int, int]] = []
    table = grid(dc.PosteriorSpace(prior=[1, 2], n=1100))
    assert len(Enumerated(table, np.full(1101, 500.0), lambda *step: told.append(step)).log_normalisers) == 1101
    assert told == [(0, 1101), (1024, 1101), (1101, 1101)]


def test_a_window_is_where_weights_are_above_what_is_negligible() -> None:
    table = grid(dc.PosteriorSpace(prior=[1, 2], n=300))
    rates = np.linspace(40.0, 900.0, 301)  # the first rows are whole
    start, stop = Enumerated(table, rates).windows
    inside = rates[:, None] * table.all_distances() <= 42 + np.log(301)
    assert (start[0], stop[0]) == (0, 301)
    assert start[200] > 100
    assert (inside.argmax(axis=1) == start).all()
    assert (inside.sum(axis=1) == stop - start).all()
