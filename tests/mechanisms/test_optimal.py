"""The linear programme: a yardstick that meets its oracle, and is never a release."""

import itertools
import math

import numpy as np
import pytest
from scipy import sparse

from discreet import Geometric, NotPrivate, PosteriorSpace, TooLarge, accuracy
from discreet.arithmetic.numbers import ball, precision
from discreet.mechanisms import Optimal
from discreet.mechanisms.optimal import LARGEST, _dual_bound, _orbits
from discreet.mechanisms.postprocessing import WEIGHTINGS, Weighting
from discreet.posteriors.distances import hellinger_floats
from discreet.testing import HashedBits
from tests.oracles import optimal as oracle
from tests.oracles.spaces import prior_predictive, uniform
from tests.support.checker import kernel
from tests.support.enumeration import enumerate_space
from tests.support.statistics import fits, pmf, tally

SMALL = [(("1", "1"), 8), (("0.3", "4"), 7), (("1", "1", "1"), 3), (("7", "4"), 10)]


@pytest.mark.parametrize(("alpha", "n"), SMALL)
@pytest.mark.parametrize("epsilon", ["0.3", "1"])
def test_the_least_mean_error_meets_the_oracle(alpha: tuple[str, ...], n: int, epsilon: str) -> None:
    space = PosteriorSpace(alpha, n)
    assert Optimal(space, epsilon=epsilon).error == pytest.approx(oracle.least_mean_error(alpha, n, epsilon), abs=1e-7)
    assert Optimal(space, epsilon=epsilon, weighting="uniform").error == pytest.approx(
        oracle.least_mean_error(alpha, n, epsilon, uniform(len(alpha), n)), abs=1e-7
    )


@pytest.mark.parametrize(("alpha", "n"), SMALL)
def test_the_least_worst_error_meets_the_oracle_and_is_no_better_than_the_mean(alpha: tuple[str, ...], n: int) -> None:
    space = PosteriorSpace(alpha, n)
    worst = Optimal(space, epsilon=1, objective="worst").error
    assert worst == pytest.approx(oracle.least_worst_error(alpha, n, "1"), abs=1e-7)
    assert worst >= Optimal(space, epsilon=1).error - 1e-7


@pytest.mark.parametrize(("alpha", "n"), SMALL)
@pytest.mark.parametrize("weighting", WEIGHTINGS)
def test_the_kernel_has_the_error_it_states_and_rows_that_sum_to_one(
    alpha: tuple[str, ...], n: int, weighting: Weighting
) -> None:
    mechanism = Optimal(PosteriorSpace(alpha, n), epsilon=1, weighting=weighting)
    every = enumerate_space(mechanism.space.prior.parameters, n)
    law = uniform(len(alpha), n) if weighting == "uniform" else prior_predictive(alpha, n)
    weights = np.array([float(w) for w in law.values()])
    rows = np.exp(kernel(mechanism))
    assert rows.sum(axis=1) == pytest.approx(np.ones(len(rows)), abs=1e-12)
    assert float(weights @ (rows * every.hellinger).sum(axis=1)) == pytest.approx(mechanism.error, abs=1e-7)


@pytest.mark.parametrize(("alpha", "n"), SMALL)
def test_the_kernel_is_private_up_to_the_solvers_tolerance(alpha: tuple[str, ...], n: int) -> None:
    mechanism = Optimal(PosteriorSpace(alpha, n), epsilon=1)
    rows, every = np.exp(kernel(mechanism)), enumerate_space(PosteriorSpace(alpha, n).prior.parameters, n)
    assert (rows[every.one] - math.e * rows[every.other]).max() < 1e-6


def test_the_kernel_is_not_private_to_the_last_digit_which_is_why_it_is_never_released() -> None:
    mechanism = Optimal(PosteriorSpace([1, 1], 20), epsilon=1)
    laws = [mechanism.law(c) for c in mechanism.space.candidates()]
    with precision(300):
        beyond = [
            difference > ball(1)
            for one, other in itertools.pairwise(laws)
            for r in mechanism.space.candidates()
            if (difference := abs(one.log_probability(r) - other.log_probability(r))).is_finite()
        ]
    assert any(beyond)


def test_a_release_is_always_refused() -> None:
    mechanism = Optimal(PosteriorSpace([1, 1], 8), epsilon=1)
    assert mechanism.guarantee == math.inf
    for options in ({}, {"accept_no_guarantee": True}):
        with pytest.raises(NotPrivate, match="yardstick"):
            mechanism.release([3, 5], **options)


def test_a_row_of_the_kernel_is_drawn_as_the_exact_numbers_that_its_floats_are() -> None:
    mechanism, bits = Optimal(PosteriorSpace([1, 1, 1], 3), epsilon=1), HashedBits("kernel")
    for c in ((1, 1, 1), (3, 0, 0)):
        law = mechanism.law(c)
        assert fits(tally(law._draw(bits) for _ in range(3000)), pmf(mechanism, c))


def test_more_budget_is_never_worse() -> None:
    space = PosteriorSpace([1, "0.5"], 9)
    errors = [Optimal(space, epsilon=epsilon).error for epsilon in ("0.01", "0.1", "0.5", "1", "2", "5", "20")]
    assert all(later <= earlier + 1e-7 for earlier, later in itertools.pairwise(errors))
    assert errors[-1] < 1e-6


@pytest.mark.parametrize(("k", "n"), [(2, 256), (3, 22), (5, 10**6)])
def test_spaces_whose_programme_would_be_too_large_are_refused_at_once(k: int, n: int) -> None:
    with pytest.raises(TooLarge):
        Optimal(PosteriorSpace([1] * k, n), epsilon=1)


def test_the_largest_space_is_allowed() -> None:
    assert Optimal(PosteriorSpace([1, 1], LARGEST - 1), epsilon=1).space.size == LARGEST
    assert Optimal(PosteriorSpace([1, 1], cap=3), epsilon=1).space.size == 10  # of every n up to 3


LOPSIDED = [((3, 1115184), 9, "2"), (("1/1000000", 1), 7, "2"), (("1/2", 50, 3), 5, "1"), ((1, 1), 12, "3")]


@pytest.mark.parametrize(("prior", "n", "epsilon"), LOPSIDED, ids=str)
def test_no_mechanism_goes_below_the_limit(prior: tuple[object, ...], n: int, epsilon: str) -> None:
    """A solver's tolerance is absolute: for lopsided priors its value was above what geometric reaches."""
    space = PosteriorSpace(prior=list(prior), n=n)
    limit = Optimal(space, epsilon=epsilon)
    reached = [accuracy(Geometric(space, epsilon=epsilon, postprocess=way)).mean for way in ("nearest", "bayes")]
    weight = np.array([float(p) for p in prior_predictive([str(a) for a in prior], n).values()])
    rows = space.candidates().array()
    cost = np.stack([hellinger_floats(space.prior, row.tolist(), rows) for row in rows])
    solved = float(weight @ (np.exp([limit.log_pmf(row) for row in rows.tolist()]) * cost).sum(axis=1))
    assert 0 < limit.error <= min(*reached, solved)
    assert limit.error == pytest.approx(solved, rel=1e-5)


def test_a_dual_solution_that_is_off_proves_less_and_never_more() -> None:
    """The planted fault is the solver's own sum, which proves nothing where a constraint is not met."""
    target, private = np.array([0.2, 0.3]), sparse.csr_array(np.array([[1.0, -2.0], [-2.0, 1.0]]))
    sums = sparse.csr_array(np.array([[1.0, 1.0]]))
    best = 0.2 * 2 / 3 + 0.3 / 3  # as much on the first as the second allows
    prices, values = np.array([-1 / 30, 0.0]), np.array([0.7 / 3])
    assert _dual_bound(target, private, sums, prices, values) == pytest.approx(best, rel=1e-9)
    for off in (0.1, -0.1, 0.7):
        assert _dual_bound(target, private, sums, prices + off, values + off) < best
        assert _dual_bound(target, private, sums, prices, values + abs(off)) <= best < float((values + abs(off)).sum())


def test_a_dual_solution_that_charges_the_worst_error_too_much_is_shrunk() -> None:
    """Twice the worst error of 0.2 x + 0.3 (1 - x) is 0.4 at best: the variable of the worst error is in no sum."""
    target, private = np.array([0.0, 0.0, 2.0]), sparse.csr_array(np.array([[0.2, 0.3, -1.0]]))
    sums = sparse.csr_array(np.array([[1.0, 1.0, 0.0]]))
    for price, value in ((-2.0, 0.4), (-2.5, 0.5), (-2.5, 0.7)):
        assert _dual_bound(target, private, sums, np.array([price]), np.array([value])) == pytest.approx(0.4, rel=1e-9)


def test_an_unknown_that_stands_for_two_outputs_lowers_its_row_by_half_of_what_it_lacks() -> None:
    sums, none = sparse.csr_array(np.array([[2.0, 1.0]])), sparse.csr_array(np.zeros((1, 2)))
    found = _dual_bound(np.array([0.4, 0.3]), none, sums, np.zeros(1), np.array([0.3]))
    assert found == pytest.approx(0.2, rel=1e-9)


@pytest.mark.every
@pytest.mark.parametrize("prior", [(1, 1, 1), (1, 2, 2), (1, 2, 3)])
def test_pairs_share_an_unknown_where_categories_of_equal_prior_are_swapped(prior: tuple[int, ...]) -> None:
    space = PosteriorSpace(prior=list(prior), n=2)
    rows = space.candidates().array()
    label = _orbits(space, rows)
    swaps = [p for p in itertools.permutations(range(3)) if tuple(prior[i] for i in p) == prior]
    pairs = [(i, j) for i in range(len(rows)) for j in range(len(rows))]
    orbits = {
        (i, j): {(tuple(rows[i][list(p)].tolist()), tuple(rows[j][list(p)].tolist())) for p in swaps} for i, j in pairs
    }
    for one, other in itertools.combinations(pairs, 2):
        assert (label[one] == label[other]) == (orbits[one] == orbits[other])
