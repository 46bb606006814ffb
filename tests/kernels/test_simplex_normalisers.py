"""Normalisers of three categories or more without a list of candidates: those of enumeration, within what is stated."""

import numpy as np
import pytest

import discreet as dc
from discreet.arithmetic.arrays import Floats, Wholes
from discreet.kernels import HellingerKernel
from discreet.kernels.simplex_normalisers import SimplexNormalisers
from discreet.mechanisms.exponential import Exponential

SPACES = [([1, 1, 1], 40), (["1/2", 30, 2], 60), ([1, 1, 1, 1], 14), ([1] * 8, 5)]
FAMILIES = ["exponential-global", "exponential-local", "exponential-smooth", "exponential-reciprocal"]


def family(name: str, prior: list[object], n: int, epsilon: str) -> Exponential:
    mechanism = dc.mechanism(name, dc.PosteriorSpace(prior=prior, n=n), epsilon=epsilon)
    assert isinstance(mechanism, Exponential)
    return mechanism


@pytest.mark.few(1)
@pytest.mark.parametrize("name", FAMILIES)
@pytest.mark.parametrize(("prior", "n"), SPACES, ids=str)
def test_normalisers_are_those_of_enumeration(name: str, prior: list[object], n: int) -> None:
    for epsilon in ("1/10", "30"):
        mechanism = family(name, prior, n, epsilon)
        every = mechanism.space.candidates().array()
        rows = every[np.linspace(0, len(every) - 1, 40).astype(int)]
        exact = exact_normalisers(mechanism, rows)
        totals = SimplexNormalisers(mechanism, rows)
        assert totals(rows) == pytest.approx(exact, abs=2e-5)
        assert totals.rounding < 1e-4
        some = rows[::8]
        assert SimplexNormalisers(mechanism, some, finer=True)(some) == pytest.approx(exact[::8], abs=5e-6)


def exact_normalisers(mechanism: Exponential, rows: Wholes) -> Floats:
    return np.array([float(HellingerKernel(mechanism).log_normaliser(row).values) for row in rows])


@pytest.mark.parametrize(("k", "n", "epsilon", "within"), [(8, 3, "10", 1e-6), (12, 2, "1", 2e-4)])
def test_few_records_in_many_categories_are_no_far_tail(k: int, n: int, epsilon: str, within: float) -> None:
    mechanism = family("exponential-global", [1] * k, n, epsilon)
    rows = mechanism.space.candidates().array()[[0, 1, 20, -1]]
    exact, totals = exact_normalisers(mechanism, rows), SimplexNormalisers(mechanism, rows)
    assert totals(rows) == pytest.approx(exact, abs=within)
    assert 2.0**-23 < totals.rounding < 2.0**-20
    finer = SimplexNormalisers(mechanism, rows, finer=True)
    assert finer(rows) == pytest.approx(exact, abs=within)
    assert finer.cost > totals.cost


@pytest.mark.parametrize("order", [1, -1])
def test_the_error_is_twice_what_a_finer_one_sees_at_the_worst_row(order: int) -> None:
    mechanism = family("exponential-local", [1, 1, 1], 120, "10")
    rows = np.array([[14, 37, 69], [120, 0, 0]])[::order]
    exact, totals = exact_normalisers(mechanism, rows), SimplexNormalisers(mechanism, rows)
    gaps = np.abs(totals(rows) - exact)
    assert gaps.min() < gaps.max() / 10
    assert totals.error - totals.rounding == pytest.approx(2 * gaps.max(), rel=0.05)
    assert gaps.max() < 2e-6
    assert SimplexNormalisers(mechanism, rows, finer=True)(rows) == pytest.approx(exact, abs=5e-8)


@pytest.mark.parametrize("epsilon", ["1/100", "1", "100"])
def test_exponents_that_are_left_out_do_not_matter(epsilon: str, monkeypatch: pytest.MonkeyPatch) -> None:
    n = 10**6
    mechanism, rows = family("exponential-local", [1, 1, 1], n, epsilon), np.array([[n // 3] * 3, [n - 2, 1, 1]])
    rows[0, 0] += 1
    some = SimplexNormalisers(mechanism, rows, finer=True)
    monkeypatch.setattr("discreet.kernels.simplex_normalisers._LOST", np.inf)
    every = SimplexNormalisers(mechanism, rows, finer=True)
    assert some(rows) == pytest.approx(every(rows), abs=1e-9)
    assert some.cost < every.cost


@pytest.mark.parametrize("scale", ["1e-9", "1e5"])
def test_a_normaliser_is_at_least_one_and_at_most_the_number_of_candidates(scale: str) -> None:
    space = dc.PosteriorSpace(prior=[1, 1, 1], n=6)
    rows = space.candidates().array()
    logs = SimplexNormalisers(dc.ExponentialGlobal(space, scale=scale), rows)(rows)
    assert logs.min() >= 0
    assert logs.max() <= np.log(28)
    row = np.array([[333_333_333, 333_333_333, 333_333_334]])
    steep = family("exponential-local", [1, 1, 1], 10**9, "10000")
    assert SimplexNormalisers(steep, row, finer=True)(row).tolist() == [0]


def test_a_sensitivity_costs_by_the_pairs_of_categories(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("discreet.kernels.simplex_normalisers._LOST", np.inf)  # the sums of both cost the same
    more = []
    for k in (3, 6):
        mechanisms = [family(name, [1] * k, 12, "10000") for name in FAMILIES[:2]]
        constant, local = (SimplexNormalisers(one, np.full((1, k), 12 // k), finer=True).cost for one in mechanisms)
        more.append(local - constant)
    assert more[1] == 4 * more[0] > 0


@pytest.mark.soak
@pytest.mark.parametrize("name", ["exponential-local", "exponential-reciprocal"])
def test_a_normaliser_hardly_depends_on_how_many_records_there_are(name: str) -> None:
    errors = []
    for n in (9 * 10**8, 9 * 10**11, 9 * 10**14):
        mechanism = family(name, [1, 1, 1], n, "1")
        rows = np.array([[n // 3] * 3, [n // 2, n // 4, n // 4]])
        errors.append(SimplexNormalisers(mechanism, rows)(rows))
    assert errors[1] == pytest.approx(errors[0], abs=1e-4)
    assert errors[2] == pytest.approx(errors[0], abs=1e-4)


def test_data_sets_like_those_that_tables_are_made_for_keep_to_the_stated_error() -> None:
    mechanism = family("exponential-reciprocal", [1, 1, 1], 90, "1")
    every = mechanism.space.candidates().array()
    totals = SimplexNormalisers(mechanism, every[::400])
    others = every[7::420]
    assert np.abs(totals(others) - exact_normalisers(mechanism, others)).max() <= totals.error < 2e-6
    assert 2.0**-23 < totals.rounding < 2.0**-21  # no float of 24 bits promises more
