"""Mixtures of Betas: moments, distributions and quantiles, of one and of many at once."""

from typing import Any

import numpy as np
import pytest
from scipy import stats
from scipy.special import betaincinv

import discreet as dc
from discreet.posteriors.mixtures import BetaMixture
from tests.oracles.precision import mp

WEIGHTS, A, B = np.array([0.2, 0.5, 0.3]), np.array([0.5, 30.0, 4.0]), np.array([2.0, 11.0, 4.0])


def test_one_component_is_the_beta_itself() -> None:
    for a, b in ((1, 1), (0.5, 0.5), (0.01, 3), (300, 20), (5e11, 5e11), (1e9, 3)):
        mixture = BetaMixture([1.0], [a], [b])
        for p in (0.001, 0.025, 0.5, 0.975):
            assert float(mixture.quantile(p)) == pytest.approx(float(betaincinv(a, b, p)), rel=1e-10)
        assert float(mixture.mean) == pytest.approx(a / (a + b), rel=1e-15)
        assert float(mixture.sd) == pytest.approx(stats.beta(a, b).std(), rel=1e-9)


def test_moments_and_distribution_are_weighted_sums() -> None:
    mixture = BetaMixture(WEIGHTS, A, B)
    parts, x = stats.beta(A, B), np.linspace(0.01, 0.99, 23)
    assert mixture.cdf(x) == pytest.approx(parts.cdf(x[:, None]) @ WEIGHTS)
    assert mixture.pdf(x) == pytest.approx(parts.pdf(x[:, None]) @ WEIGHTS)
    assert float(mixture.mean) == pytest.approx(mean := WEIGHTS @ parts.mean())
    assert float(mixture.sd) == pytest.approx((WEIGHTS @ (parts.var() + parts.mean() ** 2) - mean**2) ** 0.5)


@pytest.mark.parametrize(("a", "b"), [(2.83e11, 6.57e11), (4.5e11, 1.66e6), (7.5e11, 19.8), (0.02, 1e6), (0.5, 0.5)])
def test_a_density_keeps_its_digits_where_powers_and_the_beta_function_cancel(a: float, b: float) -> None:
    mixture = BetaMixture([1.0], [a], [b])
    x = min(max(float(mixture.mean + 1.3 * mixture.sd), 1e-9), 1 - 2.0**-40)
    with mp.workdps(60):
        at = mp.mpf(x)
        logs = (a - 1) * mp.log(at) + (b - 1) * mp.log(1 - at)
        expected = logs + mp.loggamma(mp.mpf(a) + mp.mpf(b)) - mp.loggamma(a) - mp.loggamma(b)
    assert np.log(mixture.pdf(x)) == pytest.approx(float(expected), abs=1e-9)


def test_quantiles_turn_the_distribution_round() -> None:
    mixture = BetaMixture(WEIGHTS, A, B)
    p = np.array([1e-6, 0.01, 0.3, 0.5, 0.9, 0.9999])
    assert mixture.cdf(mixture.quantile(p)) == pytest.approx(p, rel=1e-11)
    with mp.workdps(30):
        x = mp.mpf(float(mixture.quantile(0.3)))
        parts = zip(WEIGHTS, A, B, strict=True)
        exact = mp.fsum(w * mp.betainc(a, b, 0, x, regularized=True) for w, a, b in parts)
    assert float(exact) == pytest.approx(0.3, rel=1e-12)


def test_an_interval_reaches_to_the_ends_where_its_mass_is() -> None:
    """A weak prior leaves half of a share's mass within 1e-300 of 0 or of 1: no float in between may end it."""
    low, high = BetaMixture([0.5, 0.5], [1e-3, 12.001], [12.001, 1e-3]).interval(0.95)
    assert (float(low), float(high)) == (0.0, 1.0)


@pytest.mark.few(5)
@pytest.mark.parametrize("nearly", [1e-9, 1e-6, 1e-3, 0.02, 0.1])
@pytest.mark.parametrize("other", [1e-3, 0.5, 1e3, 1e12])
def test_quantiles_near_one_are_those_near_zero_turned_round(nearly: float, other: float) -> None:
    here = BetaMixture([0.3, 0.7], [nearly, nearly + 1], [other + 1, other])
    there = BetaMixture([0.3, 0.7], [other + 1, other], [nearly, nearly + 1])
    for p in (0.01, 0.25, 0.5, 0.75, 0.99):
        x = float(here.quantile(p))
        assert float(there.quantile(1 - p)) == pytest.approx(1 - x, rel=0, abs=2e-16 + 1e-12 * min(x, 1 - x))
    for mixture in (here, there):
        low, high = mixture.interval(0.95)
        assert 0 <= low <= high <= 1


def test_two_far_apart_components_leave_a_gap_that_the_search_crosses() -> None:
    mixture = BetaMixture([0.5, 0.5], [1e6, 10.0], [10.0, 1e6])
    assert float(mixture.cdf(mixture.quantile(0.5))) == pytest.approx(0.5, abs=1e-9)
    assert float(mixture.quantile(0.49)) < 1e-4
    assert float(mixture.quantile(0.51)) > 1 - 1e-4


@pytest.mark.parametrize(
    ("weights", "a", "b"),
    [([1, 1], [1], [1]), ([-1, 2], [1, 1], [1, 1]), ([0, 0], [1, 1], [1, 1]), ([1], [0], [1]), (1.0, [1], [1])],
)
def test_what_is_no_mixture_is_refused(weights: Any, a: Any, b: Any) -> None:
    with pytest.raises(dc.InvalidInput):
        BetaMixture(weights, a, b)


@pytest.mark.parametrize("p", [0, 1, 1.1])
def test_a_quantile_that_is_no_share_is_refused(p: float) -> None:
    with pytest.raises(dc.InvalidInput):
        BetaMixture(WEIGHTS, A, B).quantile(p)
    with pytest.raises(dc.InvalidInput):
        BetaMixture(WEIGHTS, A, B).interval(-p or 1)
