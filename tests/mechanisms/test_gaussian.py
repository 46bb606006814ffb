"""The discrete Gaussian: law, losses, ρ and σ against enumeration; what it cannot promise, it says."""

from __future__ import annotations

import math
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.special import gammaln

import discreet as dc
from discreet.arithmetic.numbers import fraction_lower, fraction_upper, precision
from discreet.mechanisms import gaussian_loss
from discreet.mechanisms.gaussian_loss import (
    GaussianLoss,
    _epsilon_about,
    _least,
    _log_delta,
    _scale_about,
    least_deviation,
)
from discreet.privacy_loss import Price, rho_upper
from discreet.privacy_loss.composition import epsilon_upper
from discreet.testing import HashedBits
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


@pytest.mark.few(1)
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


@pytest.mark.every
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


PRIVATE = dc.PosteriorSpace(prior=[1, "1/2", 2], n=None)


def test_where_n_is_private_every_count_has_noise_of_its_own() -> None:
    mechanism = dc.Gaussian(PRIVATE, epsilon=1, delta="1e-6")
    with precision(128):
        law, one = mechanism.law([4, 0, 9]), dc.Gaussian(dc.PosteriorSpace([1, 1], n=None), sigma=mechanism.sigma)
        chances = [law.log_probability((5, -2, z)) for z in (7, 8)]
        alone = one.law([0, 9]).log_probability((0, 8)) - one.law([0, 9]).log_probability((0, 7))
        assert (chances[1] - chances[0]).overlaps(alone)
    drawn = law._draw_many(HashedBits("cells"), 20_000) - np.array([4, 0, 9])
    assert drawn.std(axis=0) == pytest.approx([float(mechanism.sigma)] * 3, rel=0.03)
    assert np.abs(np.corrcoef(drawn.T) - np.eye(3)).max() < 0.04


def test_one_added_record_has_the_loss_of_one_count() -> None:
    sigma = Fraction(3, 2)
    weights = {t: mp.exp(-mp.mpf(t * t) / (2 * real(sigma) ** 2)) for t in range(-30, 31)}
    total = mp.fsum(weights.values())
    law = {mp.mpf(2 * t + 1) / (2 * real(sigma) ** 2): weight / total for t, weight in weights.items()}
    mechanism = dc.Gaussian(PRIVATE, sigma=sigma, delta="1e-3")
    assert mechanism.loss.rho == 1 / (2 * sigma**2)
    for epsilon in ("1/3", "1"):
        found = mechanism.loss.delta_bounds(Fraction(epsilon))
        assert [float(end) for end in found] == pytest.approx([float(oracle.delta(law, epsilon))] * 2, rel=1e-12)
    less = dc.Gaussian(PRIVATE, epsilon=1, delta="1e-6").sigma
    assert float(less) == pytest.approx(float(least_deviation(Fraction(1), Fraction(1, 10**6), 2)) / 2**0.5, rel=1e-3)


def test_a_reader_of_a_private_n_weighs_all_data_sets() -> None:
    mechanism, z = dc.Gaussian(PRIVATE, sigma="3/2", delta="1e-3"), np.array([4, -1, 7])
    alpha = PRIVATE.prior.alpha
    rows = np.indices((20, 12, 24)).reshape(3, -1).T
    n = rows.sum(axis=1)
    logs = gammaln(n + 1) - gammaln(alpha.sum() + n) + (gammaln(alpha + rows) - gammaln(rows + 1)).sum(axis=1)
    weight = np.exp(logs - ((z - rows) ** 2).sum(axis=1) / (2 * 1.5**2))
    mean = weight @ ((alpha + rows) / (alpha.sum() + n)[:, None]) / weight.sum()
    belief = dc.noise_aware(mechanism, tuple(z.tolist()))
    assert belief.mean == pytest.approx(mean, abs=1e-9)
    assert belief.error < 1e-9


def test_a_zcdp_budget_pays_one_over_sigma_squared(tmp_path: Path) -> None:
    mechanism = dc.Gaussian(SPACE, epsilon="1/10", delta="1e-9")
    ledger = dc.Ledger.create(tmp_path / "l.db", dataset="d", epsilon=1, delta="1e-6", composition="zcdp")
    for number in range(12):  # the sum of their ε is above 1
        ledger.charge("d", Price(((mechanism,),)), request_id=f"r{number}", digest=f"{number}")
    spent = ledger.account("d").concentrated
    assert spent is not None
    assert spent.epsilon == epsilon_upper(12 * rho_upper(mechanism), "1e-6")
    with pytest.raises(dc.InvalidInput, match="delta"):
        ledger.charge("d", "1/100", "1e-9", request_id="known by ε and δ alone", digest="12")
    wide = dc.Gaussian(SPACE, epsilon="1/1000", delta="1/20")  # ρ is above ε²/2
    ledger = dc.Ledger.create(tmp_path / "l.db", dataset="e", epsilon=9, delta="1e-6", composition="zcdp")
    ledger.charge("e", Price(((wide,),)), request_id="wide", digest="13")
    dc.Ledger(tmp_path / "l.db").verify()


def test_no_slot_of_a_schedule_holds_it(tmp_path: Path) -> None:
    ledger = dc.Ledger.create(tmp_path / "l.db", dataset="d", composition="exact", schedule="3 x 1", delta="1e-6")
    price = Price(((dc.Gaussian(SPACE, epsilon="1/2", delta="1e-7"),),))
    with pytest.raises(dc.NotPrivate, match="no slot of a schedule"):
        ledger.charge("d", price, request_id="r", digest="1")
    assert ledger.charges("d") == []


@pytest.mark.every
@pytest.mark.parametrize("threshold", ["1/7", "1", "2047/2048", "9.9", "1/1000000"])
@pytest.mark.parametrize("digits", [2, 3, 20])
def test_a_search_ends_at_the_least_number_of_its_digits_wherever_it_begins(threshold: str, digits: int) -> None:
    """The digits count from the first one of where it begins; the nearer it begins, the fewer numbers it looks at."""
    least = Fraction(threshold)
    for factor in ("1/100", "1/2", "0.7", "0.99999", "1", "1.00001", "2", "4096"):
        begin, looks = float(least * Fraction(factor)), 0

        def enough(number: Fraction) -> bool:
            nonlocal looks
            looks += 1
            return number >= least

        unit = Fraction(2) ** (math.frexp(begin)[1] - digits)
        found = _least(enough, begin, digits)
        assert found == math.ceil(least / unit) * unit
        assert looks <= 3 + 2 * math.ceil(abs(found - Fraction(begin)) / unit).bit_length()


def test_a_search_begins_at_what_a_continuous_gaussian_has() -> None:
    for scale, epsilon in ((0.01, 0.001), (1.0, 1.0), (3.0, 10.0), (0.5, 4.0), (0.2, 0.01)):
        ends = [mp.ncdf(sign * mp.mpf(scale) / 2 - mp.mpf(epsilon) / scale) for sign in (1, -1)]
        delta = ends[0] - mp.exp(epsilon) * ends[1]
        assert _log_delta(scale, epsilon) == pytest.approx(float(mp.log(delta)), rel=1e-9)
        assert _scale_about(epsilon, float(delta)) == pytest.approx(scale, rel=1e-9)
        assert _epsilon_about(scale, float(delta)) == pytest.approx(epsilon, rel=1e-9)


def test_few_deltas_are_looked_at_where_noise_is_wide(monkeypatch: pytest.MonkeyPatch) -> None:
    """A continuous Gaussian is then near. σ has 20 bits, and what ε was found has 44."""
    looks, bounds = 0, GaussianLoss.delta_bounds

    def counted(loss: GaussianLoss, epsilon: Fraction) -> tuple[Fraction, Fraction]:
        nonlocal looks
        looks += 1
        return bounds(loss, epsilon)

    monkeypatch.setattr(GaussianLoss, "delta_bounds", counted)
    least_deviation.cache_clear()
    for lone, times in ((False, 1), (False, 3), (True, 1), (True, 3)):
        looks = 0
        sigma = least_deviation(Fraction(1, 100), Fraction(1, 10**6), 3, times, lone=lone)
        assert looks <= 6
        assert (sigma * 2 ** (20 - math.frexp(float(sigma))[1])).denominator == 1
    looks = 0
    lower, upper = GaussianLoss(Fraction(10**6), 3).epsilon_bounds(Fraction(1, 10**6))
    assert looks <= 50
    assert upper - lower == upper / 2**42


@pytest.mark.every
@pytest.mark.parametrize(
    ("variance", "k", "times", "delta"),
    [("1/4", 2, 2, "1/2"), ("1", 3, 3, "1/10"), ("1", 3, 3, "1e-3"), ("1", 3, 3, "9/10"), ("1/4", 3, 2, "1/2")],
)
def test_an_epsilon_is_enclosed_where_delta_is_known_up_to_a_tenth(
    variance: str, k: int, times: int, delta: str
) -> None:
    """Several releases of narrow noise: what is below is sought at twice the distance, and again."""
    loss, share = GaussianLoss(Fraction(variance), k, times), Fraction(delta)
    lower, upper = loss.epsilon_bounds(share)
    assert 0 <= lower < upper
    assert loss.delta_bounds(upper)[1] <= share
    assert lower == 0 or loss.delta_bounds(lower)[0] > share >= loss.delta_bounds((lower + upper) / 2)[0]
    assert (lower == 0) == (loss.delta_bounds(upper / 2)[0] <= share)
    assert loss.delta_bounds(Fraction(0))[1] <= 1


def test_a_delta_that_is_met_exactly_is_met() -> None:
    loss, at = GaussianLoss(Fraction(4), 3), Fraction(1, 3)
    never, one, third = (loss.delta_bounds(epsilon)[1] for epsilon in (Fraction(0), Fraction(1), at))
    assert loss.epsilon_bounds(never) == loss.epsilon_bounds(Fraction(1, 2)) == (Fraction(0), Fraction(0))
    assert loss.epsilon_bounds(one)[1] == 1
    assert least_deviation(Fraction(1), one, 3) == 2
    assert dc.Gaussian(SPACE, epsilon=at, delta=third, sigma=2).guarantee == at


def test_several_releases_of_lone_counts_add_their_rho() -> None:
    assert gaussian_loss.gaussian_loss(Fraction(2), 5, 3) == GaussianLoss(Fraction(4), 5, 3)
    assert gaussian_loss.gaussian_loss(Fraction(2), 5, 3, lone=True).rho == Fraction(3, 8)


@pytest.mark.every
@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"sigma": 0}, "^sigma must be greater than 0"),
        ({"sigma": "1/100"}, "^sigma is out of range; stay between 0.05 and 1e7"),
        ({"sigma": "1e8"}, "^sigma is out of range"),
        ({"epsilon": "1e-9", "delta": "1e-40"}, "^sigma is out of range"),
        ({"epsilon": 1, "delta": 1}, "^delta must be below 1; give a small number, like 1e-6"),
    ],
)
def test_what_is_refused_is_named_with_what_is_allowed(options: dict[str, Any], message: str) -> None:
    with pytest.raises(dc.InvalidInput, match=message):
        dc.Gaussian(SPACE, **options)


def test_no_noise_is_narrower_than_a_twentieth_of_a_record() -> None:
    mechanism = dc.Gaussian(SPACE, epsilon=1000, delta="1/10")
    assert mechanism.sigma == Fraction(1, 20)
    assert mechanism.parameters() == {"sigma": "1/20", "delta": "1/10"}


def test_a_study_without_a_delta_says_so_and_has_no_epsilon() -> None:
    study = dc.Gaussian(SPACE, sigma=3)
    assert study.epsilon == 0
    assert study.guaranteed_by == "no noise with Gaussian tails is ε-DP without a δ"
    assert study.parameters() == {"sigma": "3"}
