"""The least possible error is bounded from below: by solutions of the dual programme that hold in balls."""

from fractions import Fraction

import numpy as np
import pytest
from flint import arb

import discreet as dc
from discreet.arithmetic.numbers import ball, precision
from discreet.posteriors.distances import Affinity
from discreet.utility.interior_dual import InteriorDual, Line
from discreet.utility.least_error import MAX_WINDOW_CELLS_QUICK, WindowedDual, least_error, line_bound
from discreet.utility.simplex_dual import Moves, SimplexDual
from tests.oracles.spaces import prior_predictive_exact

LINES = [([1, 1], 12, "1"), (["1/2", 3], 15, "0.3"), ([7, 4], 20, "2"), (["0.1", 2], 9, "0.8")]


def holds_in_balls(space: dc.PosteriorSpace, epsilon: str, y: list[float]) -> bool:
    """Whether y solves the dual programme of two categories: for every r all that is left can be moved to some m."""
    with precision(192):
        x = (-ball(Fraction(epsilon))).exp()
        rows = list(space.candidates())
        chances = [ball(prior_predictive_exact(space.prior.parameters, row)) for row in rows]
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
    assert InteriorDual(Line(space.prior, n), float(epsilon), 0, n, MAX_WINDOW_CELLS_QUICK).bound() <= limit


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
    assert dual.bound() == pytest.approx(float(dual.proposal.sum()), rel=1e-8)
    assert not all(dual._holds(r, moves, -1e-3) for r, moves in dual.moves.items())


def holds_on_simplex(dual: SimplexDual, epsilon: str, y: list[float]) -> bool:
    """Whether y solves the dual programme: for one r of every orbit all that is left is moved to a centre, in balls.

    From the data sets that are farthest from the centre on, none may owe anything; it then goes to its neighbours that
    are nearer, in parts of which none but the sum matters: at most 1.
    """
    prior, rows = dual.space.prior, [tuple(row) for row in dual.rows.tolist()]
    with precision(160):
        x = (-ball(Fraction(epsilon))).exp()
        chances = [ball(prior_predictive_exact(prior.parameters, row)) for row in rows]
        affinities = [Affinity(prior, row) for row in rows]
        for r, moves in dual.moves.items():
            terms = zip(chances, affinities, y, strict=True)
            left = [p * affinity.hellinger(rows[r]) - ball(Fraction(v)) for p, affinity, v in terms]
            if not _moves_on_simplex(left, rows, moves, x):
                return False
    return True


def _moves_on_simplex(left: list[arb], rows: list[tuple[int, ...]], moves: Moves, x: arb) -> bool:
    centre, (source, target), shares = moves
    ways: dict[int, list[tuple[int, Fraction]]] = {}
    for one, other, share in zip(source.tolist(), target.tolist(), shares.tolist(), strict=True):
        assert sum(abs(a - b) for a, b in zip(rows[one], rows[other], strict=True)) == 2  # neighbours
        ways.setdefault(one, []).append((other, Fraction(share)))
    far = [sum(abs(a - b) for a, b in zip(row, rows[centre], strict=True)) for row in rows]
    for at in sorted(range(len(rows)), key=lambda at: -far[at]):
        if not left[at] >= 0:
            return False
        total = sum((share for _, share in ways.get(at, [])), Fraction(0))
        for other, share in ways.get(at, []):
            assert far[other] < far[at]
            if total:
                left[other] += x * ball(share / total) * left[at]
    return True


@pytest.mark.parametrize(
    ("prior", "n", "epsilon"),
    [([1, 1, 1], 5, "1"), ([1, 1, 1], 6, "0.5"), ([1, 2, "1/2"], 4, "1"), ([1] * 4, 3, "2"), ([1] * 5, 3, "2")],
)
def test_a_solution_on_the_simplex_holds_in_balls_and_a_larger_one_does_not(
    prior: list[object], n: int, epsilon: str
) -> None:
    dual = SimplexDual(dc.PosteriorSpace(prior, n), float(epsilon))
    assert 0.6 < dual.bound() / dc.Optimal(dual.space, epsilon=epsilon).error <= 1 + 1e-7
    assert holds_on_simplex(dual, epsilon, dual.solution.tolist())
    assert not holds_on_simplex(dual, epsilon, (1.05 * dual.solution).tolist())


@pytest.mark.few(1)
@pytest.mark.parametrize(
    ("prior", "n", "epsilon", "first"),
    [([1, 1], 60, "1", 0), (["1/2", 3], 80, "0.8", 2), ([3, 4], 70, "2", 1), (["1/2", "1/2"], 90, "1.5", 3)],
)
def test_a_solution_between_the_ends_holds_in_balls_and_a_larger_one_does_not(
    prior: list[object], n: int, epsilon: str, first: int
) -> None:
    space = dc.PosteriorSpace(prior, n)
    dual = InteriorDual(Line(space.prior, n), float(epsilon), first, n - first, MAX_WINDOW_CELLS_QUICK)
    chances = np.array([float(prior_predictive_exact(space.prior.parameters, row)) for row in space.candidates()])
    y = np.zeros(n + 1)
    y[first : n - first + 1] = np.repeat(dual.solution, np.diff(dual.edges)) * chances[first : n - first + 1]
    assert space.candidates().unrank(0)[0] == 0  # in the order of the first count
    assert y.sum() * (1 + 1e-12) >= dual.bound() > 0.5 * dc.Optimal(space, epsilon=epsilon).error
    assert holds_in_balls(space, epsilon, y.tolist())
    assert not holds_in_balls(space, epsilon, (1.1 * y).tolist())
    assert not dual.passes(1.1 * dual.solution).all()


@pytest.mark.soak
@pytest.mark.parametrize(("prior", "epsilon"), [([1, 1], "0.003"), ([2, 3], "0.002")])
def test_every_third_count_at_thrice_the_epsilon_bounds_the_programme_too(prior: list[object], epsilon: str) -> None:
    space = dc.PosteriorSpace(prior, 120)
    dual = InteriorDual(Line(space.prior, 120), float(epsilon), 0, 120, MAX_WINDOW_CELLS_QUICK)
    assert dual.step >= 3
    assert dual.bound() <= dc.Optimal(space, epsilon=epsilon).error


def test_blocks_bound_what_is_in_them() -> None:
    for prior in ([1, 1], ["1/2", "1/2"], [3, 4], ["1/2", 7]):
        line = Line(dc.Dirichlet(prior), 300)
        dual = InteriorDual(line, 1.0, 5, 290, 2000)
        chances = np.exp(line.log_weight(np.arange(301.0)))
        for block, (low, after) in enumerate(zip(dual.edges[:-1], dual.edges[1:], strict=True)):
            inside = chances[low:after]
            assert dual.p_least[block] <= inside.min() * (1 + 1e-12)
            assert inside.max() <= dual.p_most[block] * (1 + 1e-12)
            for place in (0, len(dual._least) - 1):
                apart = int(dual._least[place])
                r = np.arange(low, after)
                for side, c in ((dual._left, r - apart), (dual._right, r + apart)):
                    kept = (c >= 0) & (c <= 300)
                    costs = line.cost(c[kept].astype(float), r[kept].astype(float))
                    assert (costs >= side.cost[block, place] * (1 - 1e-12)).all()


@pytest.mark.few(1)
@pytest.mark.parametrize(
    ("n", "epsilon", "within"),
    [(300, "1", 1e-6), (300, "0.3", 0.01), (60_000, "1", 0.02), (10**6, "0.01", 0.02), (10**9, "2", 0.02)],
)
def test_with_two_categories_geometric_is_near_the_bound(n: int, epsilon: str, within: float) -> None:
    space = dc.PosteriorSpace([1, 1], n)
    error = dc.accuracy(dc.Geometric(space, epsilon=epsilon))
    bound = least_error(space, Fraction(epsilon), quick=n > 300).value
    assert (1 - within) * error.mean <= bound <= error.mean + error.error


def test_blocks_and_windows_agree_on_which_is_sharper() -> None:
    line = Line(dc.Dirichlet([2, 3]), 2000)
    between = InteriorDual(line, 0.5, 0, 2000, MAX_WINDOW_CELLS_QUICK).bound()
    assert 0.85 < between / WindowedDual(line, 0.5, 0, 2000).bound() <= 1


def test_a_private_n_is_bounded_by_data_sets_of_each_size() -> None:
    capped = dc.PosteriorSpace([1, 1], cap=4)
    sizes = [least_error(dc.PosteriorSpace([1, 1], n), Fraction(2)).value for n in range(1, 5)]
    assert least_error(capped, Fraction(1)).value == pytest.approx(sum(sizes) / 5)
    with pytest.raises(dc.TooLarge, match="without a cap"):
        least_error(dc.PosteriorSpace([1, 1], n=None), Fraction(1))


@pytest.mark.few(1)
@pytest.mark.parametrize(("prior", "n"), [([1, 1], 40), ([1, 1, 1], 8), ([1, 1, 1], 500)])
def test_a_plan_says_how_far_above_the_least_it_is(prior: list[int], n: int) -> None:
    plan = dc.plan(dc.PosteriorSpace(prior, n), epsilon=1)
    assert plan.least_error is not None
    most = plan.answer.mean_error + plan.answer.mean_error_within
    assert plan.answer.above_least == pytest.approx(most / plan.least_error.value - 1)
    assert any("the least that any mechanism could have" in sentence for sentence in plan.sentences())
