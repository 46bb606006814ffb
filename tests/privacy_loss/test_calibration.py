"""The slack of a theorem turned into accuracy: more of ε is spent, never more than all of it."""

import math
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import pairwise
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import discreet as dc
from discreet.mechanisms.exponential import Exponential
from discreet.posteriors.predictive import log_predictive
from discreet.posteriors.space import orbits
from discreet.privacy_loss import calibration
from discreet.privacy_loss.calibration import _Search, _SmallSpace
from discreet.privacy_loss.certificates import certify
from discreet.privacy_loss.scan import DenseScan, scanner
from tests.oracles import accuracy, loss, spaces
from tests.privacy_loss.families import mean_error, oracle_kernel
from tests.support.enumeration import random_spaces

EXPONENTIAL = ["exponential-global", "exponential-local", "exponential-smooth", "exponential-reciprocal"]
ALL = [*EXPONENTIAL, "laplace", "laplace-improved", "geometric"]


def spent(mechanism: dc.Mechanism, epsilon: object = 1) -> bool:
    """Whether its audit finds nearly all of ε, and never more."""
    result, budget = dc.audit(mechanism), Fraction(str(epsilon))
    return Fraction(998, 1000) * budget < result.lower <= result.epsilon <= budget


@cache
def calibrated(name: str, n: int) -> dc.Mechanism:
    """The calibrated member of a family for a flat prior and ε = 1."""
    return dc.calibrate(name, dc.PosteriorSpace([1, 1], n), epsilon=1)


@pytest.mark.few(1)
@pytest.mark.parametrize("name", ALL)
def test_fifty_records_at_epsilon_one_spend_nearly_all_of_it_and_err_no_more_than_before(name: str) -> None:
    mechanism, nominal = calibrated(name, 50), dc.mechanism(name, dc.PosteriorSpace([1, 1], 50), epsilon=1)
    result = dc.audit(mechanism)
    assert spent(mechanism)
    assert mechanism.guarantee == result.epsilon
    assert mechanism.epsilon == 1
    result.certificate.check(mechanism)
    mechanism.require_guarantee()
    assert mean_error(mechanism) <= mean_error(nominal) + 1e-12
    if isinstance(mechanism, Exponential):
        assert mean_error(mechanism) < 0.95 * mean_error(nominal)


@pytest.mark.few(1)
@pytest.mark.parametrize("name", EXPONENTIAL)
def test_the_loss_and_the_error_of_what_was_found_are_those_of_the_definition(name: str) -> None:
    mechanism = calibrated(name, 50)
    assert isinstance(mechanism, Exponential)
    gamma: Fraction = getattr(mechanism, "gamma", Fraction(1))
    kernel = oracle_kernel(type(mechanism), [Fraction(1)] * 2, 50, mechanism.scale, gamma)
    assert 0.999 < float(loss.exact_loss(kernel).epsilon) <= 1
    expected = accuracy.mean_under([1, 1], kernel, spaces.prior_predictive([1, 1], 50))
    assert mean_error(mechanism) == pytest.approx(float(expected), rel=1e-11)


def test_the_best_gamma_for_fifty_records_beats_the_seeds() -> None:
    best = calibrated("exponential-reciprocal", 50)
    fixed = dc.calibrate("exponential-reciprocal", dc.PosteriorSpace([1, 1], 50), epsilon=1, gamma=1)
    assert mean_error(best) <= 0.2075
    assert mean_error(fixed) == pytest.approx(0.2292, abs=5e-4)
    assert mean_error(calibrated("exponential-global", 50)) == pytest.approx(0.5205, abs=5e-5)


@pytest.mark.soak
def test_a_thousand_records_reach_the_printed_error() -> None:
    best = calibrated("exponential-reciprocal", 1000)
    assert isinstance(best, dc.ExponentialReciprocal)
    assert mean_error(best) <= 0.0505
    assert float(best.gamma) == pytest.approx(0.323, abs=0.02)
    assert float(best.scale) == pytest.approx(0.9756, abs=0.002)
    assert spent(best)


@pytest.mark.few(1)
@pytest.mark.parametrize("batch", range(6))
def test_random_spaces_are_calibrated_to_what_was_asked_for(batch: int) -> None:
    epsilons = ["1/10", "2"] if batch % 2 else ["1/2", "1"]
    for epsilon, (alpha, n) in zip(
        epsilons, random_spaces(f"calibrations {batch}", 2, sizes={2: 40, 3: 7, 4: 4}), strict=True
    ):
        space = dc.PosteriorSpace(alpha, n)
        errors = {}
        for name in EXPONENTIAL:
            mechanism = dc.calibrate(name, space, epsilon=epsilon)
            assert spent(mechanism, epsilon)
            errors[name] = mean_error(mechanism)
            assert errors[name] <= mean_error(dc.mechanism(name, space, epsilon=epsilon)) + 1e-12
        # γ near 0 is the global sensitivity and a large γ the local one, up to where the search for γ ends.
        for name in ("exponential-smooth", "exponential-reciprocal"):
            assert errors[name] <= 1.002 * min(errors["exponential-global"], errors["exponential-local"])


@pytest.mark.soak
@pytest.mark.parametrize(
    ("alpha", "n", "printed"), [((1, 1, 1), 8, 0.5715), ((1, 2, "0.5"), 12, None), (("0.1", 30), 60, None)]
)
def test_three_categories_and_unequal_priors_are_calibrated_too(
    alpha: tuple[object, ...], n: int, printed: float | None
) -> None:
    space = dc.PosteriorSpace(alpha, n)
    best = dc.calibrate("exponential-reciprocal", space, epsilon=1)
    assert spent(best)
    assert mean_error(best) < mean_error(dc.ExponentialReciprocal(space, epsilon=1))
    if printed is not None:
        assert mean_error(best) == pytest.approx(printed, abs=5e-4)


def test_a_slightly_larger_scale_would_spend_too_much() -> None:
    for name in EXPONENTIAL:
        mechanism = calibrated(name, 50)
        assert isinstance(mechanism, Exponential)
        scan = scanner(mechanism.space)
        rates = mechanism.rates(scan.rows)
        for factor in (1 + 1e-7, 1 + 1e-4, 1.01, 1.5, 4):
            assert scan.worst(factor * rates).loss > 1


@pytest.mark.few(1)
@pytest.mark.parametrize(
    ("name", "alpha", "n", "epsilon"),
    [
        pytest.param("exponential-local", ("1", "1"), 497, "2.08", id="found"),
        pytest.param("exponential-local", ("0.001", "0.001"), 151, "3.12", id="missed at 151 records"),
        pytest.param("exponential-reciprocal", ("0.001", "1"), 242, "3.45", id="missed at 242 records"),
    ],
)
def test_a_larger_scale_beyond_a_hump_of_the_loss_is_found(
    name: str, alpha: tuple[str, str], n: int, epsilon: str
) -> None:
    """Between two scales that keep ε the loss exceeds it, so bisection alone may stop at the smaller one."""
    gamma = 3 if name == "exponential-reciprocal" else None
    mechanism = dc.calibrate(name, dc.PosteriorSpace(alpha, n), epsilon=epsilon, gamma=gamma)
    assert isinstance(mechanism, Exponential)
    scan = scanner(mechanism.space)
    rates = mechanism.rates(scan.rows)
    target = _Search(type(mechanism), mechanism.space, Fraction(epsilon), None).target
    factors = np.linspace(0.5, 1.2, 281)
    losses = np.array([scan.worst(factor * rates).loss for factor in factors])
    private = np.flatnonzero(losses <= target)
    first = private[np.flatnonzero(np.diff(private) > 1)[0]]  # the last scale below the hump
    assert losses[first:].max() > float(epsilon)
    assert 1.1 * factors[first] < factors[private[-1]] <= 1
    assert dc.audit(mechanism).private
    assert scan.worst((1 + 1e-6) * rates).loss > target


@pytest.mark.parametrize("kind", [dc.ExponentialSmooth, dc.ExponentialReciprocal])
@pytest.mark.parametrize("gamma", ["0.25", "1/3", Fraction(1, 3), "0.123456789"])
def test_a_gamma_of_the_caller_is_kept_exactly(
    kind: type[dc.ExponentialSmooth | dc.ExponentialReciprocal], gamma: object
) -> None:
    mechanism = dc.calibrate(kind.name, dc.PosteriorSpace([1, 1], 20), epsilon=1, gamma=gamma)
    assert isinstance(mechanism, kind)
    assert mechanism.gamma == Fraction(str(gamma))
    assert spent(mechanism)


@pytest.mark.every
@pytest.mark.parametrize(
    ("name", "epsilon", "gamma"),
    [
        *(("exponential-reciprocal", 1, gamma) for gamma in (-1, 0, "nan", "much", "1e-30", "1e30")),
        *((name, 1, 1) for name in ("exponential-global", "exponential-local", "laplace", "geometric")),
        *(("exponential-global", epsilon, None) for epsilon in (0, -1, "nan", None, "1e9")),
    ],
)
def test_what_is_no_epsilon_or_no_rate_of_the_family_is_refused(name: str, epsilon: Any, gamma: object) -> None:
    with pytest.raises(dc.InvalidInput, match="epsilon" if gamma is None else "gamma"):
        dc.calibrate(name, dc.PosteriorSpace([1, 1], 20), epsilon=epsilon, gamma=gamma)


@pytest.mark.parametrize("name", ["optimal", "gaussian", ""])
def test_what_has_no_scale_is_refused(name: str) -> None:
    with pytest.raises(dc.InvalidInput, match="no scale"):
        dc.calibrate(name, dc.PosteriorSpace([1, 1], 20), epsilon=1)


@pytest.mark.parametrize("space", [dc.PosteriorSpace([1] * 4, 100), dc.PosteriorSpace([1, 1, 1], 1000)])
def test_a_space_too_large_to_scan_is_refused_at_once(space: dc.PosteriorSpace) -> None:
    with pytest.raises(dc.TooLarge, match="setting of the theorem"):
        dc.calibrate("exponential-local", space, epsilon=1)


@pytest.mark.parametrize("k", [2, 3, 5])
def test_additive_mechanisms_are_calibrated_for_any_number_of_records(k: int) -> None:
    space = dc.PosteriorSpace([1] * k, 10**12)
    for family in (dc.Laplace, dc.LaplaceImproved, dc.Geometric):
        mechanism = dc.calibrate(family.name, space, epsilon="1/3")
        assert type(mechanism) is family
        assert mechanism.guarantee == mechanism.epsilon == Fraction(1, 3)


@pytest.mark.parametrize(
    ("name", "prior", "n", "epsilon"),
    [
        *(("exponential-local", [1, "0.3"], 25, epsilon) for epsilon in ("1e-6", "20", "1000")),
        *((name, ["1e12"] * 3, 5, epsilon) for epsilon in ("0.01", "1", "100") for name in EXPONENTIAL),
        *((name, alpha, 1, "1") for alpha in ([1, 2], [1, 2, 3]) for name in EXPONENTIAL),
    ],
)
def test_extreme_epsilons_strong_priors_and_a_single_record_are_calibrated(
    name: str, prior: list[object], n: int, epsilon: str
) -> None:
    """One record moves a strong posterior by a millionth: rates are large, and so is the margin of the scan."""
    assert spent(dc.calibrate(name, dc.PosteriorSpace(prior, n), epsilon=epsilon), epsilon)


def test_what_was_found_depends_on_public_facts_alone_and_is_the_same_every_time() -> None:
    space = dc.PosteriorSpace([1, "0.7"], 60)
    one, again = (dc.calibrate("exponential-reciprocal", space, epsilon="1/2") for _ in range(2))
    assert (one, one.parameters()) == (again, again.parameters())


def test_the_search_for_gamma_says_how_far_it_is() -> None:
    reports: list[tuple[int, int]] = []
    space = dc.PosteriorSpace([1, 1], 30)
    dc.calibrate("exponential-smooth", space, epsilon=1, progress=lambda number, total: reports.append((number, total)))
    assert reports == [(number, 35) for number in range(1, len(reports) + 1)]
    assert 15 < len(reports) <= 35


def test_a_calibrated_member_says_how_its_audit_proved_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def audit(mechanism: dc.Mechanism) -> dc.Audit:
        result = dc.audit(mechanism)
        return replace(result, certificate=certify(mechanism, result.epsilon, "bounds", "in blocks", result.worst))

    monkeypatch.setattr(calibration, "audit", audit)
    mechanism = dc.calibrate("exponential-local", dc.PosteriorSpace([1, 1], 20), epsilon=1)
    assert (mechanism.proved_by, mechanism.guaranteed_by) == ("bounds", "in blocks")


def test_a_long_line_is_searched_by_its_ends_and_a_short_one_by_all_losses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calibration, "_SmallSpace", lambda *arguments: arguments)
    monkeypatch.setattr(calibration, "LongLine", lambda *arguments: arguments)
    short, long, wide = (dc.PosteriorSpace([1] * k, n) for k, n in ((2, 2999), (2, 3000), (3, 70)))
    for space, known in ((short, (short,)), (long, (long, 0.75)), (wide, (wide,))):  # of no interest: below ε/4
        scope: object = _Search(dc.ExponentialLocal, space, Fraction(3), None).scope
        assert scope == known


WORKS = [0, 1, 3, 8, 30, 100]
"""How many losses of all a search may look at."""


@pytest.mark.few(1)
@pytest.mark.parametrize("name", EXPONENTIAL)
@pytest.mark.parametrize("prior", [[1, 1], ["0.01", "200"]])
def test_a_search_that_is_cut_short_returns_the_best_certified_member_so_far(
    name: str, prior: list[object], monkeypatch: pytest.MonkeyPatch
) -> None:
    space = dc.PosteriorSpace(prior, 30)
    nominal, whole = dc.mechanism(name, space, epsilon=1), dc.calibrate(name, space, epsilon=1)
    errors = []
    for losses in WORKS:
        monkeypatch.setattr(calibration, "WORK", losses * space.size**2 * 2)
        mechanism = dc.calibrate(name, space, epsilon=1)
        assert certified(mechanism)
        errors.append(mean_error(mechanism))
    assert errors[0] == mean_error(nominal)
    assert errors[-1] < 1.1 * mean_error(whole)
    assert mean_error(whole) < 0.99 * errors[0]


def certified(mechanism: dc.Mechanism) -> bool:
    """What a calibration promises: a loss of at most ε, as the audit of the same law finds it or the theorem has it."""
    result = dc.audit(mechanism)
    private = mechanism.guarantee <= mechanism.epsilon == 1 and result.holds and result.private
    return private and (mechanism.proved_by == "theorem" or mechanism.guarantee == result.epsilon)


def test_a_scale_that_no_audit_certified_would_be_rejected(monkeypatch: pytest.MonkeyPatch) -> None:
    """The planted fault: a search that goes twice too far, and an audit that believes it."""
    space, honest = dc.PosteriorSpace([1, 1], 30), _Search._scale
    right = dc.calibrate("exponential-local", space, epsilon=1)
    assert certified(right)
    monkeypatch.setattr(_Search, "_scale", lambda self, inverse: 2 * honest(self, inverse))
    assert certified(dc.calibrate("exponential-local", space, epsilon=1))  # the audit still stands between
    monkeypatch.setattr(calibration, "audit", lambda _: dc.audit(right))
    assert not certified(dc.calibrate("exponential-local", space, epsilon=1))


def test_a_small_space_has_the_loss_the_error_and_the_rates_of_all_its_laws(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calibration, "_AT_ONCE", 1)  # so that a pair whose bound is too small is missed
    for alpha, n in (([1, 2], 1), ([1, "5/2"], 20), ([1, 1, "1/2"], 5), ([1, 1, 1], 6)):
        space = dc.PosteriorSpace(alpha, n)
        small, scan = _SmallSpace(space), DenseScan(space)
        assert small.cells == space.size**2 * (1 if space.k == 2 else 2) * 2
        chance = np.exp(log_predictive(space.prior, scan.rows))
        one, other = (np.concatenate(side) for side in zip(*scan.pairs, strict=True))
        for spread in (0.1, 1.0, 3.0):
            inverse = np.exp(spread * np.random.default_rng(n).normal(size=space.size))[orbits(space)]
            log_pmf, faster = scan.log_pmf(inverse), np.maximum(inverse[one], inverse[other])
            greatest = pytest.approx(np.abs(log_pmf[one] - log_pmf[other]).max(), rel=1e-12)
            assert [small.loss(1.0, inverse), small.least_loss(1.0, inverse)] == [greatest, greatest]
            assert small.growth(inverse) == np.abs(inverse[one] - inverse[other]).max()
            assert small.step(inverse) == (scan.distances[one, other] * faster).max()
            mean = chance @ (np.exp(log_pmf) * scan.distances).sum(axis=1) / chance.sum()
            assert small.error(1.0, inverse) == pytest.approx(float(mean), rel=1e-12)


RATES = ("growth", "step", "error")


def search_of(loss: Callable[[float], float], epsilon: Fraction = Fraction(1)) -> tuple[_Search, list[float]]:
    """A search whose losses are known, and the scales that it looks at."""
    search, seen = _Search(dc.ExponentialSmooth, dc.PosteriorSpace([1, 1], 3), epsilon, None), list[float]()

    def look(scale: float, inverse: object) -> float:
        assert inverse is not None
        assert scale > 0
        seen.append(scale)
        return loss(scale)

    half, steps = (lambda *_: 0.5), SimpleNamespace(inverse=lambda *_: np.ones(1))
    known = {"loss": look, "least_loss": lambda scale, _: 0.999 * loss(scale)} | dict.fromkeys(RATES, half)
    search.scope = SimpleNamespace(cells=1, size=8, steps=steps, **known)  # type: ignore[assignment]
    return search, seen


@pytest.mark.every
@pytest.mark.parametrize(
    ("dip", "least", "steep", "looks"),
    [
        *((dip, 0.9999, 1, 29) for dip in (0.6, 0.9, 1.3, 2.9)),
        (0.9, 0.9999, 0.3, 38),
        (0.9, 1.00005, 1, 10),
        (0.9, 1.00005, 0.3, 56),
    ],
)
def test_a_dip_of_the_loss_as_narrow_as_it_can_be_is_found_and_left_where_it_ends(
    dip: float, least: float, steep: float, looks: int
) -> None:
    def loss(scale: float) -> float:
        rate = 1.5 + 2 * math.log(8)  # 1 + Γ + ln|R|/s, that a search relies on, where ε is met at a scale of a half
        return min(2 * scale + rate * max(scale - 0.5, 0.0), least + steep * rate * abs(scale - dip), 5.0)

    search, seen = search_of(loss)
    scale = search._scale(np.ones(1))
    assert scale > dip if least < 1 else 0.5 * (1 - 3e-9) < scale < 0.5
    assert loss(scale) <= search.target < loss(scale * (1 + 2e-9))
    assert len(seen) <= looks


@pytest.mark.every
@pytest.mark.parametrize("case", [(0.01, 1, 5, 14), (0.9, 0.7, 6, 11), (0.9, 1, 2, 8), (30, 1, 3, 6), (30, 1.3, 7, 10)])
def test_a_loss_that_only_grows_is_met_with_few_looks(case: tuple[float, float, int, int]) -> None:
    factor, power, looks, more = case
    search, seen = search_of(lambda scale: factor * scale**power)
    assert factor * search._near(np.ones(1)) ** power == pytest.approx(search.target, rel=1e-7)
    assert len(seen) <= looks
    edge = search._edge(np.ones(1))
    assert factor * edge**power <= search.target < factor * (edge * (1 + 2e-9)) ** power
    assert len(seen) <= looks + more
    if edge < 6.1:  # where the walk begins
        assert search._largest(np.ones(1), edge) == edge


def test_a_search_aims_just_below_epsilon_from_half_of_it() -> None:
    search, seen = search_of(lambda scale: 3 * scale**1.2, Fraction(1, 100))
    assert search.target == pytest.approx(0.01 - 1e-11 - 5e-10, rel=1e-14)
    assert 3 * search._near(np.ones(1)) ** 1.2 == pytest.approx(search.target, rel=1e-7)
    assert (seen[0], len(seen)) == (0.005, 5)
    edge = search._edge(np.ones(1))
    assert 3 * edge**1.2 <= search.target < 3 * (edge * (1 + 2e-9)) ** 1.2


def test_a_loss_that_jumps_over_epsilon_or_meets_it_at_once_has_an_edge_too() -> None:
    for least, most, jump in ((0.5, 2.0, 1.0), (0.4, 1.3, 0.01)):
        search, _ = search_of(lambda scale: least if scale < jump else most)  # noqa: B023
        assert jump * (1 - 2e-9) < search._edge(np.ones(1)) < jump
        assert jump * (1 - 2e-9) < search._near(np.ones(1)) < jump
    assert search_of(lambda scale: 2 * scale * search.target)[0]._edge(np.ones(1)) == 0.5


def test_three_quarters_of_the_work_may_go_into_gamma_and_the_rest_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calibration, "WORK", 800)
    search, seen = search_of(lambda _: 0.5)  # no scale is too large, and the search never ends
    assert (search._options(None), len(seen)) == ({}, 600)
    assert search._scale(np.ones(1)) == seen[-1]
    assert 750 < len(seen) <= 800
    search, seen = search_of(lambda scale: scale)
    assert search._options(None)
    assert search._left == 800 - len(seen) > 400


def test_a_loss_of_exactly_epsilon_is_certified(monkeypatch: pytest.MonkeyPatch) -> None:
    losses = iter([1.0])
    monkeypatch.setattr(calibration, "audit", lambda mechanism: replace(dc.audit(mechanism), epsilon=next(losses)))
    mechanism = dc.calibrate("exponential-reciprocal", dc.PosteriorSpace([1, 1], 12), epsilon=1, gamma="1/3")
    assert (mechanism.guarantee, mechanism.proved_by) == (1, "enumeration")


def test_a_scale_is_lowered_until_its_audit_certifies_it_and_no_further(monkeypatch: pytest.MonkeyPatch) -> None:
    space, honest, scales = dc.PosteriorSpace(["1/2", 3], 30), _Search._scale, []

    def audit(mechanism: Exponential) -> dc.Audit:
        scales.append(mechanism.scale)
        result = dc.audit(mechanism)
        return replace(result, epsilon=math.nextafter(1, 2)) if len(scales) == 1 else result  # by less than a hair

    monkeypatch.setattr(calibration, "audit", audit)
    mechanism = dc.calibrate("exponential-smooth", space, epsilon=1, gamma="1/3")
    assert scales[-1] == scales[1] < scales[0] < scales[1] * (1 + Fraction(1, 10**7))
    assert mechanism.epsilon == 1
    assert dc.audit(mechanism).epsilon > 0.99999
    monkeypatch.setattr(calibration, "audit", dc.audit)
    monkeypatch.setattr(_Search, "_scale", lambda self, inverse: 2 * honest(self, inverse))
    assert dc.audit(dc.calibrate("exponential-smooth", space, epsilon=1, gamma="1/3")).epsilon > 0.9
    monkeypatch.setattr(_Search, "_scale", lambda self, inverse: 0.0)
    theorem = dc.calibrate("exponential-smooth", space, epsilon=1, gamma="1/3")
    assert (theorem.proved_by, theorem.parameters()["gamma"]) == ("theorem", "1/3")


@pytest.mark.every
@pytest.mark.parametrize(
    ("best", "looks"), [(3.0, 30), (2.9, 30), (0.3, 32), (0.004, 35), (5e-4, 36), (2e-5, 35), (3 * 2.0**-20, 35)]
)
def test_the_best_gamma_is_found_to_four_thousandths_in_about_35_looks(best: float, looks: int) -> None:
    gammas: list[float] = []

    def error(gamma: float) -> float:
        gammas.append(gamma)
        return abs(math.log(gamma / best))

    found = calibration._best_gamma(error, 3.0)
    assert (max(gammas), min(gammas)) == (3.0, 3 * 2.0**-20), "nothing beyond the largest, and six decades below it"
    assert abs(math.log(found / best)) < 0.004
    assert found == min(gammas, key=lambda gamma: abs(math.log(gamma / best)))
    assert gammas[15:17] == [3 * 2.0**-14, 3 * 2.0**-20]
    assert len(gammas) <= looks
    assert all(1.5 < before / after < 1.6 for before, after in pairwise(gammas[:15]))
