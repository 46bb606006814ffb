"""The least possible error is bounded from below: by solutions of the dual programme that hold in balls."""

from fractions import Fraction

import numpy as np
import pytest
from flint import arb

import discreet as dc
from discreet.arithmetic.numbers import ball, precision
from discreet.posteriors.distances import Affinity
from discreet.utility.least_error import CELLS, Line, WindowedDual, blocks_bound, least_error, line_bound
from discreet.utility.simplex_dual import SimplexDual

LINES = [([1, 1], 12, "1"), (["1/2", 3], 15, "0.3"), ([7, 4], 20, "2"), (["0.1", 2], 9, "0.8")]


def predictive(prior: dc.Dirichlet, counts: tuple[int, ...]) -> Fraction:
    """The probability of counts in rational numbers: n!·Π α(α+1)…/c! over that of the total."""
    chance, n, place = Fraction(1), sum(counts), 0
    for alpha, count in zip(prior.parameters, counts, strict=True):
        for i in range(count):
            place += 1
            chance *= (alpha + i) * Fraction(place, i + 1)
    for i in range(n):
        chance /= prior.total + i
    return chance


def holds_in_balls(space: dc.PosteriorSpace, epsilon: str, y: list[float]) -> bool:
    """Whether y solves the dual programme of two categories: for every r all that is left can be moved to some m."""
    with precision(192):
        x = (-ball(Fraction(epsilon))).exp()
        rows = list(space.candidates())
        chances = [ball(predictive(space.prior, row)) for row in rows]
        distances = [Affinity(space.prior, row) for row in rows]
        for r in rows:
            a = [p * d.hellinger(r) - ball(Fraction(v)) for p, d, v in zip(chances, distances, y, strict=True)]
            if not any(_moves(a, m, x) for m in range(len(a))):
                return False
    return True


def _moves(a: list[arb], m: int, x: arb) -> bool:
    left, right = ball(0), ball(0)
    for value in a[:m]:
        left = value + x * left
        if not left >= 0:
            return False
    for value in a[:m:-1]:
        right = value + x * right
        if not right >= 0:
            return False
    return bool(a[m] + x * left + x * right >= 0)


@pytest.mark.parametrize(("prior", "n", "epsilon"), LINES)
def test_a_solution_on_a_line_holds_in_balls_and_a_larger_one_does_not(
    prior: list[object], n: int, epsilon: str
) -> None:
    space = dc.PosteriorSpace(prior, n)
    dual = WindowedDual(Line(space.prior, n), float(epsilon), 0, n)
    solution = dual.solution
    assert solution.sum() == pytest.approx(dc.Optimal(space, epsilon=epsilon).error, rel=1e-6)
    assert holds_in_balls(space, epsilon, solution.tolist())
    assert not holds_in_balls(space, epsilon, (1.001 * solution).tolist())
    assert not dual.feasible(-1e-3)


@pytest.mark.parametrize(("prior", "n", "epsilon"), LINES)
def test_no_bound_is_above_the_linear_programme(prior: list[object], n: int, epsilon: str) -> None:
    space = dc.PosteriorSpace(prior, n)
    limit = dc.Optimal(space, epsilon=epsilon).error * (1 + 1e-7)
    assert 0 < least_error(space, Fraction(epsilon)).value <= limit
    assert blocks_bound(Line(space.prior, n), float(epsilon)) <= limit


@pytest.mark.parametrize(
    ("prior", "n", "epsilon", "proved"),
    [
        ([1, 1, 1], 8, "1", True),
        ([1, 1, 1], 8, "0.5", True),
        (["1/2"] * 3, 6, "1", True),
        ([1, 2, "1/2"], 6, "1", True),
        ([1] * 4, 5, "2", True),
        ([1] * 5, 4, "1", True),
        ([1] * 4, 9, "2", False),
    ],
)
def test_three_categories_and_more_are_bounded_below_the_programme(
    prior: list[object], n: int, epsilon: str, proved: bool
) -> None:
    space = dc.PosteriorSpace(prior, n)
    bound = least_error(space, Fraction(epsilon)).value
    if proved:
        assert bound == pytest.approx(dc.Optimal(space, epsilon=epsilon).error, rel=1e-6)
    else:  # tight is the least there is
        assert bound == pytest.approx(dc.accuracy(dc.TightConstraints(space, epsilon=epsilon)).mean, rel=1e-6)
    for line in (Line(dc.Dirichlet([prior[0], sum(map(Fraction, prior[1:]))]), n),):  # type: ignore[arg-type]
        assert line_bound(line, float(epsilon))[0] <= bound * (1 + 1e-9)


def test_a_solution_on_the_simplex_that_is_too_large_is_refused() -> None:
    dual = SimplexDual(dc.PosteriorSpace([1, 1, 1], 6), 1.0)
    ranks = range(len(dual.rows))
    assert dual.bound() == pytest.approx(float(dual.proposal.sum()), rel=1e-8)
    assert not all(dual._holds(r, r, edges, np.ones(len(edges[0])), -1e-3) for r in ranks for edges in [dual._edges(r)])


@pytest.mark.parametrize(
    ("n", "epsilon", "within"), [(300, "1", 1e-6), (300, "0.3", 0.01), (60_000, "1", 0.05), (10**9, "2", 0.05)]
)
def test_with_two_categories_geometric_is_near_the_bound(n: int, epsilon: str, within: float) -> None:
    space = dc.PosteriorSpace([1, 1], n)
    error = dc.accuracy(dc.Geometric(space, epsilon=epsilon))
    bound = least_error(space, Fraction(epsilon), quick=n > 300).value
    assert (1 - within) * error.mean <= bound <= error.mean + error.error


def test_blocks_and_windows_agree_on_which_is_sharper() -> None:
    line = Line(dc.Dirichlet([2, 3]), 2000)
    assert 0.7 < blocks_bound(line, 0.5) / WindowedDual(line, 0.5, 0, 2000, CELLS // 4).bound() <= 1


def test_a_private_n_is_bounded_by_data_sets_of_each_size() -> None:
    capped = dc.PosteriorSpace([1, 1], cap=4)
    sizes = [least_error(dc.PosteriorSpace([1, 1], n), Fraction(2)).value for n in range(1, 5)]
    assert least_error(capped, Fraction(1)).value == pytest.approx(sum(sizes) / 5)
    with pytest.raises(dc.TooLarge, match="without a cap"):
        least_error(dc.PosteriorSpace([1, 1], n=None), Fraction(1))


@pytest.mark.parametrize(("prior", "n"), [([1, 1], 40), ([1, 1, 1], 8), ([1, 1, 1], 500)])
def test_a_plan_says_how_far_above_the_least_it_is(prior: list[int], n: int) -> None:
    plan = dc.plan(dc.PosteriorSpace(prior, n), epsilon=1)
    assert plan.least_error is not None
    most = plan.answer.mean_error + plan.answer.mean_error_within
    assert plan.answer.above_least == pytest.approx(most / plan.least_error.value - 1)
    assert any("the least that any mechanism could have" in sentence for sentence in plan.sentences())
