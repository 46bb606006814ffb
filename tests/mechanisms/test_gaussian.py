"""The discrete Gaussian: law, losses, ρ and σ against enumeration; what it cannot promise, it says."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

import discreet as dc
from discreet.arithmetic.numbers import fraction_lower, fraction_upper, precision
from discreet.mechanisms import gaussian_loss
from discreet.mechanisms.gaussian_loss import GaussianLoss, least_deviation
from discreet.privacy_loss import rho_upper
from tests.oracles import gaussian as oracle
from tests.oracles.precision import mp, real

SPACE = dc.PosteriorSpace(prior=[1, 1, 1], n=20)
CASES = [(2, "3/10"), (2, "5/2"), (3, "1/2"), (3, "2"), (4, "7/10")]
ORDERS = ["1.01", "1.1", "1.5", "2", "3", "5", "10", "20", "50", "100"]


@pytest.mark.parametrize(("k", "sigma"), CASES)
def test_the_law_is_the_enumerated_one_in_balls(k: int, sigma: str) -> None:
    space = dc.PosteriorSpace(prior=[1] * k, n=6)
    counts = (6, *(0,) * (k - 1))
    law = dc.Gaussian(space, sigma=sigma).law(counts)
    total = oracle.normaliser(k, sigma)
    with precision(160):
        assert float(abs(law.log_total().exp() / float(total) - 1)) < 1e-14
        for move in [(0,) * k, (1, -1, *(0,) * (k - 2)), (-9, *(0,) * (k - 2), 9)]:
            weight = mp.exp(-mp.mpf(sum(t * t for t in move)) / (2 * real(sigma) ** 2)) / total
            found = law.log_probability(tuple(c + t for c, t in zip(counts, move, strict=True)))
            assert float(found) == pytest.approx(float(mp.log(weight)), rel=1e-13)


@pytest.mark.parametrize(("k", "sigma"), CASES)
@pytest.mark.parametrize("epsilon", ["0", "1/3", "2"])
def test_delta_is_that_of_the_enumerated_losses_and_never_below_it(k: int, sigma: str, epsilon: str) -> None:
    lower, upper = GaussianLoss(Fraction(sigma) ** 2, k).delta_bounds(Fraction(epsilon))
    truth = oracle.delta(oracle.losses(k, sigma), epsilon)
    assert lower <= upper
    assert float(lower) == pytest.approx(float(truth), rel=1e-12, abs=1e-15)
    assert float(upper) == pytest.approx(float(truth), rel=1e-12, abs=1e-15)


@pytest.mark.parametrize(("k", "sigma"), CASES)
def test_no_renyi_divergence_exceeds_its_rho(k: int, sigma: str) -> None:
    rho = float(GaussianLoss(Fraction(sigma) ** 2, k).rho)
    assert rho == pytest.approx(1 / float(Fraction(sigma)) ** 2)
    for order in ORDERS:
        divergence = float(oracle.renyi(k, sigma, order))
        assert divergence <= rho * float(order) * (1 + 1e-12)
        assert divergence > 0.99 * rho * float(order) or Fraction(sigma) < 1  # and ρ is not far above it


def test_a_deviation_of_seven_tenths_exceeds_what_is_claimed() -> None:
    """A fault: noise of 0.7σ with the claims of σ."""
    mechanism = dc.Gaussian(SPACE, epsilon=1, delta="1e-2")
    narrow = GaussianLoss((Fraction(7, 10) * mechanism.sigma) ** 2, 3)
    assert narrow.delta_bounds(mechanism.epsilon)[0] > mechanism.delta
    assert float(oracle.renyi(3, "7/5", 2)) > 2 * float(GaussianLoss(Fraction(4), 3).rho)


def test_a_delta_that_is_rounded_down_would_be_found_below_the_truth(monkeypatch: pytest.MonkeyPatch) -> None:
    loss, at = GaussianLoss(Fraction(4), 3), Fraction(1)
    with precision(512):
        monkeypatch.setattr(gaussian_loss, "BITS", 512)
        gaussian_loss._spread.cache_clear()
        truth = fraction_lower(loss._delta(at))
    monkeypatch.undo()
    gaussian_loss._spread.cache_clear()
    assert loss.delta_bounds(at)[1] >= truth
    monkeypatch.setattr(gaussian_loss, "fraction_upper", fraction_lower)
    assert loss.delta_bounds(at)[1] < truth


@pytest.mark.parametrize(("k", "sigma", "times"), [(2, "4", 3), (3, "3", 2), (3, "1/2", 2)])
def test_several_releases_have_the_convolved_losses(k: int, sigma: str, times: int) -> None:
    law = one = {loss: p for loss, p in oracle.losses(k, sigma).items() if p > 1e-18}
    for _ in range(times - 1):
        law = oracle.added(law, one)
    loss = GaussianLoss(Fraction(sigma) ** 2, k, times)
    for epsilon in ("1/2", "3/2"):
        lower, upper = loss.delta_bounds(Fraction(epsilon))
        truth = float(oracle.delta(law, epsilon))
        assert float(lower) <= truth * (1 + 1e-12)
        assert float(upper) >= truth * (1 - 1e-12)
        if Fraction(sigma) > 2:
            assert float(upper - lower) < 1e-12


@pytest.mark.parametrize(("epsilon", "delta"), [("1/10", "1e-6"), ("1", "1e-6"), ("3", "1e-10"), ("1/1000", "1e-3")])
@pytest.mark.parametrize("k", [2, 5])
def test_sigma_keeps_delta_and_less_would_not(epsilon: str, delta: str, k: int) -> None:
    mechanism = dc.Gaussian(dc.PosteriorSpace(prior=[1] * k, n=50), epsilon=epsilon, delta=delta)
    assert mechanism.guarantee == mechanism.epsilon == Fraction(epsilon)
    assert mechanism.loss.delta_bounds(mechanism.epsilon)[1] <= mechanism.delta == Fraction(delta)
    less = GaussianLoss((mechanism.sigma * Fraction(9999, 10000)) ** 2, k)
    assert less.delta_bounds(mechanism.epsilon)[0] > mechanism.delta


def test_the_least_epsilon_of_a_deviation_is_enclosed() -> None:
    loss, delta = GaussianLoss(Fraction(36), 3), Fraction(1, 10**6)
    lower, upper = loss.epsilon_bounds(delta)
    assert loss.delta_bounds(upper)[1] <= delta < loss.delta_bounds(lower)[0]
    assert 0 < upper - lower < Fraction(1, 10**11)
    mechanism = dc.Gaussian(SPACE, sigma=6, delta="1e-6")
    assert mechanism.epsilon == mechanism.guarantee == upper


def test_audits_and_certificates_tell_the_exact_loss_at_delta() -> None:
    mechanism = dc.Gaussian(SPACE, epsilon=1, delta="1e-6")
    result = dc.audit(mechanism)
    assert result.holds
    assert result.private
    assert Fraction("0.9999") < result.lower <= result.epsilon <= 1
    assert 0 < result.delta(1) <= 1e-6 < result.delta("1/2")
    assert result.certificate.facts["delta"] == "1/1000000"
    result.certificate.check(mechanism)
    assert rho_upper(mechanism) >= 1 / mechanism.sigma**2
    with pytest.raises(dc.NotPrivate, match="another mechanism"):
        result.certificate.check(dc.Gaussian(SPACE, epsilon=1, delta="1e-5"))


def test_without_a_delta_nothing_is_promised_or_released() -> None:
    with pytest.raises(dc.InvalidInput, match=r"gaussian needs a delta.*like 1e-6"):
        dc.mechanism("gaussian", SPACE, epsilon=1)
    with pytest.raises(dc.InvalidInput, match="epsilon and delta, or sigma"):
        dc.mechanism("gaussian", SPACE, epsilon=None)
    study = dc.Gaussian(SPACE, sigma=3)
    assert study.guarantee == float("inf")
    with pytest.raises(dc.NotPrivate, match="without a δ"):
        study.release([7, 7, 6])
    assert study.release([7, 7, 6], accept_no_guarantee=True).mechanism is study
    assert dc.audit(study).epsilon == float("inf")


@pytest.mark.parametrize("delta", [0, 1, "-1e-6", "2", "1e-50"])
def test_a_delta_that_is_no_small_probability_is_refused(delta: object) -> None:
    with pytest.raises(dc.InvalidInput, match="delta"):
        dc.Gaussian(SPACE, epsilon=1, delta=delta)  # type: ignore[arg-type]


def test_a_sigma_below_what_delta_needs_is_no_guarantee() -> None:
    mechanism = dc.Gaussian(SPACE, epsilon=1, delta="1e-6", sigma=3)
    assert mechanism.guarantee > 1
    with pytest.raises(dc.NotPrivate):
        mechanism.release([7, 7, 6])


@pytest.mark.parametrize(("prior", "n", "sigma"), [([1, 1], 12, 2), ([1, "1/2", 2], 5, 1)])
def test_the_pmf_on_candidates_is_the_law_after_the_nearest_candidate(prior: list[object], n: int, sigma: int) -> None:
    space = dc.PosteriorSpace(prior=prior, n=n)
    mechanism = dc.Gaussian(space, sigma=sigma)
    counts = (n - 1, 1, *(0,) * (space.k - 2))
    pmf = np.zeros(space.size)
    for move, weight in oracle.noises(space.k, sigma):
        released = mechanism.postprocess(np.array([counts]) + np.array([move]))
        pmf[space.candidates().index(tuple(released[0].tolist()))] += float(weight / oracle.normaliser(space.k, sigma))
    assert np.exp(mechanism.log_pmf(counts)) == pytest.approx(pmf, abs=1e-13)
    assert np.isfinite(mechanism.log_pmf(counts)).all()
    expected = dc.accuracy(mechanism, counts)
    truth = [dc.hellinger(space.prior.update(counts), space.prior.update(row)) for row in space.candidates()]
    assert expected.mean == pytest.approx(float(pmf @ truth), rel=1e-9)


def test_many_releases_need_less_noise_than_one_at_a_time() -> None:
    once = least_deviation(Fraction(1), Fraction(1, 10**6), 2)
    forty = least_deviation(Fraction(1), Fraction(1, 10**6), 2, 40)
    assert 6 * once < forty < 7 * once  # about sqrt(40), where pure noise would grow by 40


def test_enclosures_of_delta_are_sharp() -> None:
    with precision(192):
        found = GaussianLoss(Fraction(1600), 3, 40)._delta(Fraction(1))
    assert float((fraction_upper(found) - fraction_lower(found)) / fraction_upper(found)) < 1e-30
