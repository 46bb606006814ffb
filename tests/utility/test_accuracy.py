"""`accuracy`: means, quantiles and tails as the definitions give them, for every mechanism and metric."""

from typing import Any

import numpy as np
import pytest

import discreet as dc
from discreet.utility.measure import NOT_PUBLISHABLE
from tests.oracles import accuracy as oracle
from tests.oracles import distances, spaces
from tests.oracles.sensitivity import between
from tests.utility.kernels import NAMES, SPACES, kernel, mechanism_of

METRICS = {"l1": distances.l1, "kl": distances.kl}


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("kind", SPACES)
def test_means_quantiles_and_tails_are_those_of_the_definition(kind: str, name: str) -> None:
    (alpha, n), rows, mechanism = SPACES[kind], kernel(kind, name), mechanism_of(kind, name)
    error = dc.accuracy(mechanism)
    expected = oracle.mean_under(alpha, rows, spaces.prior_predictive(alpha, n))
    assert error.mean == pytest.approx(float(expected), rel=1e-9)
    assert error.worst_mean == pytest.approx(float(oracle.worst_mean(alpha, rows)), rel=1e-9)
    assert (error.error, error.publishable) == (0, True)
    for c in spaces.candidates(len(alpha), n)[::7]:
        error = dc.accuracy(mechanism, c)
        assert error.mean == pytest.approx(float(oracle.mean(alpha, c, rows[c])), rel=1e-9)
        for p in ("0.23", "0.61", "0.957"):
            assert error.quantile(p) == pytest.approx(float(oracle.quantile(alpha, c, rows[c], p)), rel=1e-9)
        for t in ("0.051", "0.31", "0.77"):
            assert error.tail(t) == pytest.approx(float(oracle.tail(alpha, c, rows[c], t)), rel=1e-9, abs=1e-14)


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("name", ["geometric", "exponential-reciprocal"])
@pytest.mark.parametrize("kind", SPACES)
def test_the_other_metrics_have_their_own_exact_means(kind: str, name: str, metric: str) -> None:
    alpha, n = SPACES[kind]
    weights = spaces.prior_predictive(alpha, n)
    expected = oracle.mean_under(alpha, kernel(kind, name), weights, METRICS[metric])
    assert dc.accuracy(mechanism_of(kind, name), metric=metric).mean == pytest.approx(float(expected), rel=1e-9)


def test_total_variation_has_its_exact_mean_too() -> None:
    space = dc.PosteriorSpace(prior=["1/2", 3], n=3)
    mechanism, weight = dc.Geometric(space, epsilon=1), spaces.prior_predictive(["1/2", 3], 3)
    expected = 0.0
    for c in space.candidates():
        pmf = np.exp(mechanism.log_pmf(c))
        apart = [dc.total_variation(space.posterior(c), space.posterior(r)) for r in space.candidates()]
        expected += float(weight[c]) * float(pmf @ np.array(apart))
    assert dc.accuracy(mechanism, metric="total-variation").mean == pytest.approx(expected, abs=1e-8)


def test_under_the_predictive_the_quantile_pools_all_data_sets() -> None:
    alpha, n = SPACES["uneven"]
    weights, rows = spaces.prior_predictive(alpha, n), kernel("uneven", "exponential-local")
    atoms = sorted(
        (float(between(alpha, c, r)), float(weights[c] * p)) for c, row in rows.items() for r, p in row.items()
    )
    values, masses = np.array(atoms).T
    error = dc.accuracy(mechanism_of("uneven", "exponential-local"))
    for p in (0.11, 0.5, 0.83, 0.99):
        expected = values[np.searchsorted(np.cumsum(masses), p)]
        assert error.quantile(p) == pytest.approx(expected, rel=1e-9)
        assert error.tail(expected * (1 - 1e-9)) >= 1 - p - 1e-12
    assert error.median == error.quantile("1/2")


@pytest.mark.parametrize("n", [40, 41])
def test_the_mean_and_the_worst_case_are_those_of_all_data_sets_symmetric_or_not(n: int) -> None:
    mechanism = dc.ExponentialReciprocal(dc.PosteriorSpace(prior=[1, 1], n=n), epsilon=1)
    error, each = dc.accuracy(mechanism), [dc.accuracy(mechanism, [c, n - c]) for c in range(n + 1)]
    assert error.mean == pytest.approx(sum(one.mean for one in each) / (n + 1), rel=1e-12)
    assert error.worst_mean == pytest.approx(max(one.mean for one in each), rel=1e-12)
    assert error.worst_tail(0.3) == pytest.approx(max(one.tail(0.3) for one in each), rel=1e-12)
    assert error.worst_quantile(0.9) == pytest.approx(max(one.quantile(0.9) for one in each), rel=1e-12)


@pytest.mark.few(1)
@pytest.mark.parametrize(
    ("prior", "n", "name", "options", "expected"),
    [
        ([1, 1], 50, "geometric", {"epsilon": 1}, 0.10800),
        ([1, 1], 50, "geometric", {"epsilon": 1, "way": "bayes"}, 0.10800),
        ([1, 1], 50, "geometric", {"epsilon": "0.2"}, 0.4364),
        ([1, 1], 50, "geometric", {"epsilon": "0.2", "way": "bayes"}, 0.4194),
        ([1, 1], 50, "laplace-improved", {"epsilon": 1, "rounding": "floor"}, 0.1373),
        ([1, 1], 50, "exponential-reciprocal", {"scale": "0.8813", "gamma": "0.866", "epsilon": None}, 0.2070),
        ([1, 1], 1000, "exponential-reciprocal", {"scale": "0.9756", "gamma": "0.323", "epsilon": None}, 0.0503),
        ([1, 1], 1000, "geometric", {"epsilon": 1}, 0.0286),
        ([1, 1], 15000, "geometric", {"epsilon": 1}, 0.0076),
        ([1, 1, 1], 8, "geometric", {"epsilon": 1}, 0.3659),
        ([1, 1, 1], 8, "geometric", {"epsilon": 1, "way": "bayes"}, 0.3625),
        ([1, 1, 1], 8, "laplace-improved", {"epsilon": 1, "rounding": "floor"}, 0.516),
        ([1, 1, 1], 50, "geometric", {"epsilon": 1}, 0.255),
    ],
)
def test_the_table_of_the_mathematics(prior: list[int], n: int, name: str, options: Any, expected: float) -> None:
    mechanism = dc.mechanism(name, dc.PosteriorSpace(prior=prior, n=n), **options)
    digits = len(str(expected).partition(".")[2])
    assert dc.accuracy(mechanism).mean == pytest.approx(expected, abs=0.51 * 10**-digits)


@pytest.mark.few(1)
@pytest.mark.parametrize(("prior", "n", "epsilon"), [([1, 1], 15, "0.2"), ([1, 1, 1], 1, "1")])
def test_the_free_way_back_is_no_worse_and_measured_by_hellinger_only(prior: list[int], n: int, epsilon: str) -> None:
    space = dc.PosteriorSpace(prior=prior, n=n)
    free, bayes = (dc.accuracy(dc.Geometric(space, epsilon=epsilon, way=way)).mean for way in ("free", "bayes"))
    assert free <= bayes + 1e-9
    assert free < bayes or len(prior) > 2
    with pytest.raises(dc.InvalidInput, match="free"):
        dc.accuracy(dc.Geometric(space, epsilon=epsilon, way="free"), metric="l1")


def test_what_speaks_of_the_true_data_says_so_wherever_it_shows() -> None:
    mechanism = mechanism_of("two", "geometric")
    private, public = dc.accuracy(mechanism, [4, 5]), dc.accuracy(mechanism)
    assert not private.publishable
    assert NOT_PUBLISHABLE in repr(private)
    assert NOT_PUBLISHABLE not in repr(public)
    assert private.worst_mean is None


@pytest.mark.every
@pytest.mark.parametrize("p", [0, 1, "1.5", -1])
def test_a_quantile_that_is_no_share_is_refused(p: Any) -> None:
    with pytest.raises(dc.InvalidInput):
        dc.accuracy(mechanism_of("two", "geometric")).quantile(p)


def test_counts_that_do_not_fit_are_refused_without_being_quoted() -> None:
    with pytest.raises(dc.InvalidInput, match="counts must be 2 whole numbers that sum to n = 9") as refusal:
        dc.accuracy(mechanism_of("two", "geometric"), [3, 77])
    assert "77" not in str(refusal.value)


def test_windows_change_no_number() -> None:
    space = dc.PosteriorSpace(prior=[1, 2], n=2500)
    mechanism = dc.ExponentialLocal(space, scale="1/2")
    for c in (0, 3, 700, 1250):
        pmf = np.exp(mechanism.log_pmf([c, space.n - c]))
        distance = mechanism.law([c, space.n - c]).distances()
        assert dc.accuracy(mechanism, [c, space.n - c]).mean == pytest.approx(float(pmf @ distance), rel=1e-9)
