"""From noisy counts back to a posterior: post-processing that meets the slow definitions."""

import math
import warnings
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet import Dirichlet, PosteriorSpace, TooLarge, hellinger
from discreet.arithmetic.arrays import Wholes
from discreet.mechanisms import Geometric, postprocessing
from discreet.mechanisms.postprocessing import (
    WEIGHTINGS,
    Weighting,
    _free,
    _mode,
    _reach,
    bayes,
    data_weights,
    free,
    nearest,
    require_weighable,
)
from discreet.posteriors.predictive import log_predictive
from tests.oracles import geometric
from tests.oracles import postprocessing as oracle
from tests.oracles.precision import Exact
from tests.oracles.spaces import uniform
from tests.support.enumeration import seeded


@given(st.lists(st.integers(-30, 60), min_size=2, max_size=5).filter(lambda z: sum(z) >= 1))
def test_nearest_is_the_projection_rounded_by_largest_remainder(z: list[int]) -> None:
    assert nearest(np.array([z]), sum(z))[0].tolist() == list(geometric.nearest(z))


@given(st.lists(st.integers(-(10**12), 10**12), min_size=2, max_size=40).filter(lambda z: sum(z) >= 1))
def test_nearest_is_a_candidate_whatever_comes_in(z: list[int]) -> None:
    found = nearest(np.array([z]), sum(z))[0]
    assert found.min() >= 0
    assert found.sum() == sum(z)
    if min(z) >= 0:
        assert found.tolist() == z


def test_nearest_clamps_two_categories_and_gives_what_is_left_over_to_the_first() -> None:
    noisy = np.array([[-5, 15], [0, 10], [3, 7], [10, 0], [12, -2]])
    assert nearest(noisy, 10)[:, 0].tolist() == [0, 0, 3, 10, 10]
    assert nearest(np.array([[-1, 5, 5], [5, -1, 5]]), 9).tolist() == [[0, 5, 4], [5, 0, 4]]


def test_many_rows_come_back_as_each_would_alone() -> None:
    rng = seeded("rows")
    parts = [[rng.randint(-4, 9) for _ in range(3)] for _ in range(300)]
    rows = [[*part, 12 - sum(part)] for part in parts]
    assert nearest(np.array(rows), 12).tolist() == [nearest(np.array([row]), 12)[0].tolist() for row in rows]


CASES: list[tuple[tuple[Exact, ...], tuple[int, ...], str]] = [
    ((1, 1), (3, 7), "1"),
    ((1, 1), (-2, 12), "0.2"),
    (("0.3", 4), (9, 1), "0.5"),
    ((1, 1, 1), (2, 3, 1), "1"),
    ((1, 1, 1), (-1, 5, 2), "1"),
    (("0.5", 2, 7), (4, -3, 5), "0.3"),
]


@pytest.mark.parametrize(("alpha", "z", "epsilon"), CASES)
@pytest.mark.parametrize("weighting", ["predictive", "uniform"])
def test_bayes_is_the_candidate_of_least_expected_distance(
    alpha: tuple[Exact, ...], z: tuple[int, ...], epsilon: str, weighting: str
) -> None:
    space, n = PosteriorSpace(alpha, sum(z)), sum(z)
    prior = uniform(len(alpha), n) if weighting == "uniform" else None
    believed = oracle.belief_from_noisy(alpha, z, epsilon, prior)
    best, least = oracle.bayes(alpha, believed)
    found = tuple(bayes(space, Fraction(epsilon), np.array([z]), weighting)[0].tolist())  # type: ignore[arg-type]
    error = oracle.expected_error(alpha, believed, space.posterior(found).parameters)
    assert float(error) == pytest.approx(float(least), rel=1e-12)
    assert found == best or float(error) == pytest.approx(float(least), rel=1e-14)


@pytest.mark.parametrize(("alpha", "z", "epsilon"), CASES)
def test_free_is_no_worse_than_a_slow_search_and_never_worse_than_bayes(
    alpha: tuple[Exact, ...], z: tuple[int, ...], epsilon: str
) -> None:
    space = PosteriorSpace(alpha, sum(z))
    believed = oracle.belief_from_noisy(alpha, z, epsilon)
    _, least = oracle.free(alpha, believed)
    _, on_candidates = oracle.bayes(alpha, believed)
    error = oracle.expected_error(alpha, believed, free(space, Fraction(epsilon), z).parameters)
    assert float(error) <= float(least) * (1 + 1e-6)
    assert float(error) <= float(on_candidates) * (1 + 1e-6)


@pytest.mark.parametrize("way", ["nearest", "bayes", "free"])
def test_no_post_processing_looks_at_more_than_the_output(way: str) -> None:
    """Two mechanisms that never met agree, and so does the same one before and after it has seen data."""
    space = PosteriorSpace([1, 1, 1], 6)
    one, other = (Geometric(space, epsilon=1, postprocess=way) for _ in range(2))  # type: ignore[arg-type]
    before = one.posterior((7, -2, 1))
    one.release([0, 0, 6])
    assert one.posterior((7, -2, 1)) == before == other.posterior((7, -2, 1))
    assert isinstance(before, Dirichlet)


def test_beyond_the_ends_the_belief_stays_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    space, weighed = PosteriorSpace([1, 3], 10), list[list[int]]()
    far, end = np.array([[-500, 510]]), np.array([[0, 10]])
    assert bayes(space, Fraction(1), far).tolist() == bayes(space, Fraction(1), end).tolist()
    condition = postprocessing._condition

    def counted(space: PosteriorSpace, epsilon: Fraction, row: Wholes, weighting: Weighting) -> object:
        weighed.append(row.tolist())
        return condition(space, epsilon, row, weighting)

    with monkeypatch.context() as patched:
        patched.setattr(postprocessing, "_condition", counted)
        bayes(space, Fraction(1), np.concatenate([far, end, far]))
    assert weighed == [[0, 10]]
    _free.cache_clear()
    assert free(space, Fraction(1), (-500, 510)) == free(space, Fraction(1), (0, 10))
    assert free(space, Fraction(1), (510, -500)) == free(space, Fraction(1), (10, 0))
    assert _free.cache_info().misses == 2  # so each is searched for once


def test_a_strong_prior_pulls_the_bayes_candidate_and_a_uniform_weight_does_not() -> None:
    space, z = PosteriorSpace([100, 1], 20), np.array([[10, 10]])
    pulled = bayes(space, Fraction(1, 2), z)[0][0]
    assert pulled > bayes(space, Fraction(1, 2), z, "uniform")[0][0] == 10


@pytest.mark.parametrize("n", [2047, 2048, 5000])
def test_long_lines_come_back_near_the_noisy_count(n: int) -> None:
    space, third = PosteriorSpace([1, 1], n), n // 3
    found = bayes(space, Fraction(1), np.array([[third, n - third]]))[0]
    assert found.tolist() == [third, n - third]


def test_free_under_a_cap_is_better_than_any_candidate() -> None:
    """Data sets then have different totals, of which the largest says how far to search."""
    space, z = PosteriorSpace([1, 1], cap=20), (3, 15)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = free(space, Fraction(1, 2), z)
    candidate = space.posterior(tuple(bayes(space, Fraction(1, 2), np.array([z]))[0].tolist()))
    rows = space.candidates().array()
    chance = np.exp(log_predictive(space.prior, rows) - np.abs(rows - z).sum(axis=1) / 2)
    errors = [
        sum(p * hellinger(space.prior.update(row.tolist()), other) for p, row in zip(chance, rows, strict=True))
        for other in (found, candidate)
    ]
    assert errors[0] < errors[1] * 0.995
    one, other = free(space, Fraction(1, 5), (6, 6)).alpha  # the search ends where both are alike
    assert one == pytest.approx(other, rel=2e-7)


@pytest.mark.every
@pytest.mark.parametrize("weighting", ["predictive", "uniform"])
@pytest.mark.parametrize("prior", [["1", "1"], ["80000", "1"], ["1", "1000000"], ["0.2", "3"], ["40", "40"]])
def test_counts_about_the_most_probable_one_stand_for_all(
    monkeypatch: pytest.MonkeyPatch, prior: list[str], weighting: Weighting
) -> None:
    n, epsilon = 43, Fraction(8)
    space, noisy = PosteriorSpace(prior, n), np.array([[z, n - z] for z in (-3, 0, 1, 20, 35, 42, 43)])
    all_weighed = bayes(space, epsilon, noisy, weighting)
    scores = -float(epsilon) * np.abs(np.arange(n + 1) - noisy[:, :1])
    if weighting == "predictive":
        scores = scores + log_predictive(space.prior, space.candidates().array())
    for grid in (512, 8):
        monkeypatch.setattr(postprocessing, "_GRID", grid)
        modes = [_mode(space, epsilon, int(z), weighting) for z in noisy[:, 0]]
        assert modes == scores.argmax(axis=1).tolist()
    monkeypatch.setattr(postprocessing, "_MAX_TABLE", 8)
    assert _reach(space, epsilon) == 9
    assert bayes(space, epsilon, noisy, weighting).tolist() == all_weighed.tolist()


def test_a_grid_as_long_as_the_line_has_no_gaps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of nine counts a grid of eight misses one, so that there must be a second."""
    for n, grid in ((300, 512), (8, 8)):
        monkeypatch.setattr(postprocessing, "_GRID", grid)
        for alpha in (2, 5, 9, 14, 20, 40):
            space = PosteriorSpace([alpha, 2], n)
            scores = log_predictive(space.prior, space.candidates().array()) - np.arange(n + 1) / 100
            assert _mode(space, Fraction(1, 100), 0, "predictive") == int(scores.argmax())


def test_a_million_records_are_weighed_about_the_noisy_count_alone() -> None:
    space = PosteriorSpace([1, 1], 10**6)
    assert bayes(space, Fraction(1), np.array([[400_000, 600_000]])).tolist() == [[400_000, 600_000]]


def test_noisy_counts_that_no_data_set_is_near_to_are_weighed_all_the_same() -> None:
    """Every likelihood is below e^-750, of which twice the logarithm would underflow."""
    space = PosteriorSpace([1, 1, 1], 12)
    assert bayes(space, Fraction(130), np.array([[24, 24, -36]])).tolist() == [[6, 6, 0]]


def test_more_counts_than_a_table_holds_are_refused_before_any_draw() -> None:
    """A likelihood of e^-60/n² is left out: that is (60 + 2 ln n)/ε counts on either side."""
    space = PosteriorSpace([1, 1], 2048)
    side = 60 + 2 * math.log(2048)
    require_weighable(space, Fraction(side) / Fraction("1022.999"))
    with pytest.raises(TooLarge, match="would weigh 2,049 counts"):
        require_weighable(space, Fraction(side) / Fraction("1023.001"))
    require_weighable(PosteriorSpace([1, 1, 1], 62), Fraction(1))  # 2016 candidates
    with pytest.raises(TooLarge, match=r"enumerate 2,080 candidates.*weighs nothing"):
        require_weighable(PosteriorSpace([1, 1, 1], 63), Fraction(1))


def test_a_free_point_that_is_not_clearly_better_gives_way_to_the_candidate() -> None:
    assert free(PosteriorSpace([1, 1], 10), Fraction(5), (4, 6)) == Dirichlet([5, 7])


def test_weights_of_data_sets_sum_to_one() -> None:
    space = PosteriorSpace(["1/2", 3, 1], 5)
    for weighting in WEIGHTINGS:
        assert data_weights(space.prior, space.candidates().array(), weighting).sum() == pytest.approx(1)


def test_a_third_of_a_unit_above_the_threshold_is_still_among_the_first() -> None:
    assert nearest(np.array([[1, 1], [0, 2]]), 1).tolist() == [[1, 0], [0, 1]]
    assert nearest(np.array([[-1, 1, 1]]), 1).tolist() == [[0, 1, 0]]
