"""From noisy counts back to a posterior: post-processing that meets the slow definitions."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet import Dirichlet, PosteriorSpace
from discreet.mechanisms import Geometric
from discreet.mechanisms.postprocessing import bayes, free, nearest
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


def test_beyond_the_ends_the_belief_stays_the_same() -> None:
    space = PosteriorSpace([1, 3], 10)
    far, end = np.array([[-500, 510]]), np.array([[0, 10]])
    assert bayes(space, Fraction(1), far).tolist() == bayes(space, Fraction(1), end).tolist()
    assert free(space, Fraction(1), (-500, 510)) == free(space, Fraction(1), (0, 10))


def test_a_strong_prior_pulls_the_bayes_candidate_and_a_uniform_weight_does_not() -> None:
    space, z = PosteriorSpace([100, 1], 20), np.array([[10, 10]])
    pulled = bayes(space, Fraction(1, 2), z)[0][0]
    assert pulled > bayes(space, Fraction(1, 2), z, "uniform")[0][0] == 10


@pytest.mark.parametrize("n", [2047, 2048, 5000])
def test_long_lines_come_back_near_the_noisy_count(n: int) -> None:
    space, third = PosteriorSpace([1, 1], n), n // 3
    found = bayes(space, Fraction(1), np.array([[third, n - third]]))[0]
    assert found.tolist() == [third, n - third]
