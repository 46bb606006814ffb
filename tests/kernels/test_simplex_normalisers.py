"""Normalisers of three categories or more without a list of candidates: those of enumeration, within what is stated."""

import numpy as np
import pytest

import discreet as dc
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
        exact = np.array([float(HellingerKernel(mechanism).log_normaliser(row).values) for row in rows])
        totals = SimplexNormalisers(mechanism, rows)
        assert totals(rows) == pytest.approx(exact, abs=2e-5)
        assert totals.rounding < 1e-4
        some = rows[::8]
        assert SimplexNormalisers(mechanism, some, finer=True)(some) == pytest.approx(exact[::8], abs=5e-6)


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
    others = every[7::190]
    exact = np.array([float(HellingerKernel(mechanism).log_normaliser(row).values) for row in others])
    assert np.abs(totals(others) - exact).max() <= totals.error < 1e-4
    assert 2.0**-24 < totals.rounding < 1e-4  # no float of 24 bits promises more
