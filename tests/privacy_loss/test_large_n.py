"""Calibration beyond enumeration: certified, near the largest scale, and rejected where it is claimed without proof."""

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import beta

import discreet as dc
from discreet.posteriors.predictive import log_predictive
from discreet.privacy_loss import calibration, large_n
from discreet.privacy_loss.certificates import certificate_by_theorem
from discreet.privacy_loss.edge_rows import Side
from discreet.privacy_loss.large_n import LongLine
from discreet.privacy_loss.scan import DenseScan


@pytest.mark.soak
def test_a_million_records_are_calibrated_with_a_certified_loss() -> None:
    space = dc.PosteriorSpace([1, 1], 10**6)
    mechanism = dc.calibrate("exponential-reciprocal", space, epsilon=1)
    assert isinstance(mechanism, dc.ExponentialReciprocal)
    assert mechanism.guarantee <= 1 == mechanism.epsilon
    assert Fraction("0.95") < mechanism.scale < 1
    assert Fraction("0.05") < mechanism.gamma < Fraction("0.4")
    assert mechanism.proved_by == certificate_by_theorem(mechanism).method == "bounds"
    again = dc.audit(mechanism)
    assert again.private
    assert Fraction("0.95") < again.lower <= again.epsilon == mechanism.guarantee


@pytest.mark.few(1)
@pytest.mark.parametrize("n", [10**5, 10**9])
@pytest.mark.parametrize("name", ["exponential-local", "exponential-global"])
def test_sensitivities_without_a_rate_reach_what_is_asked(name: str, n: int) -> None:
    mechanism = dc.calibrate(name, dc.PosteriorSpace(["0.5", 3], n), epsilon="0.7")
    assert Fraction("0.699999") < mechanism.guarantee <= Fraction("0.7")
    assert mechanism.proved_by == "bounds"


@pytest.mark.few(1)
@pytest.mark.parametrize("name", ["exponential-reciprocal", "exponential-local", "exponential-global"])
@pytest.mark.parametrize("prior", [[1, 2], ["1e5", "0.03"]])
def test_a_search_with_the_ends_alone_finds_what_one_with_all_losses_finds(
    name: str, prior: list[object], monkeypatch: pytest.MonkeyPatch
) -> None:
    space = dc.PosteriorSpace(prior, 700)
    gamma = "0.3" if name == "exponential-reciprocal" else None
    exact = dc.calibrate(name, space, epsilon=1, gamma=gamma)
    monkeypatch.setattr(calibration, "MAX_DENSE_CANDIDATES", 100)
    mechanism = dc.calibrate(name, space, epsilon=1, gamma=gamma)
    assert mechanism.guarantee <= 1
    scales = [Fraction(each.parameters()["scale"]) for each in (exact, mechanism)]
    assert abs(scales[1] / scales[0] - 1) <= Fraction(1, 10**6)


@pytest.mark.soak
def test_the_rate_that_the_ends_and_a_sample_choose_is_nearly_as_good_as_the_best(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    space = dc.PosteriorSpace([1, 2], 700)
    exact = dc.calibrate("exponential-reciprocal", space, epsilon=1)
    monkeypatch.setattr(calibration, "MAX_DENSE_CANDIDATES", 100)
    mechanism = dc.calibrate("exponential-reciprocal", space, epsilon=1)
    assert dc.accuracy(mechanism).mean < 1.01 * dc.accuracy(exact).mean


@pytest.mark.soak
@pytest.mark.parametrize("n", [65_536, 65_535])
def test_a_strong_and_unequal_prior_is_calibrated_on_either_side_of_enumeration(n: int) -> None:
    mechanism = dc.calibrate("exponential-smooth", dc.PosteriorSpace([10**6, "1/50"], n), epsilon=2, gamma="1/3")
    assert isinstance(mechanism, dc.ExponentialSmooth)
    assert Fraction("1.999") < mechanism.guarantee <= 2
    assert float(mechanism.scale) == pytest.approx(0.832004, abs=1e-5)
    assert mechanism.proved_by == ("enumeration" if n == 65_535 else "bounds")


def test_a_loss_that_somebody_claims_does_not_lower_what_is_certified() -> None:
    space = dc.PosteriorSpace([1, 1], 10**5)
    plain = dc.ExponentialReciprocal(space, scale="1/2")
    certified = dc.audit(plain)
    between = (Fraction(certified.lower) + Fraction(certified.epsilon)) / 2
    assert certified.lower < between < certified.epsilon
    claimed = dc.audit(plain.certified(between, between, "somebody said so"))
    assert claimed.epsilon == certified.epsilon
    assert not claimed.private


def test_outputs_whose_weights_are_negligible_at_every_scale_of_interest_are_left_out() -> None:
    """Under a large prior their window would be so wide that few rows of an end were seen."""
    space = dc.PosteriorSpace([10**7, 10**7], 10**6)
    near, far = LongLine(space, 0.25).cells, LongLine(space, 0.001).cells
    assert near < far / 4
    assert far - near < 1 << 21  # and even then few rows are seen rather than a window cut


def test_a_long_line_is_seen_as_enumeration_sees_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Near the ends exactly, and its expected error within a few per cent."""
    monkeypatch.setattr(large_n, "MIN_END_ROWS", 20)
    space = dc.PosteriorSpace(["1/2", 3], 400)
    line, dense, ends = LongLine(space, 0.001), DenseScan(space), np.r_[0:20, 380:400]
    steps, chances = dense.distances.diagonal(1), np.exp(log_predictive(space.prior, dense.rows))
    for mechanism in (
        dc.ExponentialReciprocal(space, scale="0.001", gamma="0.02"),
        dc.ExponentialLocal(space, scale="1/2"),
        dc.ExponentialGlobal(space, scale=20),
    ):
        scale, inverse = float(mechanism.scale), line.steps.inverse(type(mechanism), mechanism.smoothing)
        each = mechanism.inverse_sensitivities(dense.rows)
        log_pmf = dense.log_pmf(scale * each)
        losses, growth = (np.abs(np.diff(rows, axis=0))[ends].max() for rows in (log_pmf, each))
        assert line.loss(scale, inverse) == pytest.approx(max(losses, scale), rel=1e-9)
        assert line.growth(inverse) == pytest.approx(growth, rel=1e-9, abs=1e-12)
        inner = np.r_[steps[:20] * each[1:21], steps[380:] * each[380:400]]
        assert line.step(inverse) == pytest.approx(max(inner.max(), 1.0), rel=1e-9)
        assert line.step(1000 * inverse) == pytest.approx(1000 * inner.max(), rel=1e-9)  # S a thousandth of what it is
        error = chances @ (np.exp(log_pmf) * dense.distances).sum(axis=1)
        assert line.error(scale, inverse) == pytest.approx(error, rel=0.03)


@pytest.mark.parametrize(("prior", "n", "ends"), [(["1/2", "3"], 40, 20), (["1/2", "0.4"], 12, 20)])
def test_the_error_of_a_line_is_that_of_200_counts_spread_evenly_over_the_predictive(
    prior: list[str], n: int, ends: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Exactly so where every output is a group of its own; and all rows of a short line are looked at as ends."""
    monkeypatch.setattr(large_n, "MIN_END_ROWS", ends)
    space = dc.PosteriorSpace(prior, n)
    line, dense, last = LongLine(space, 0.001), DenseScan(space), min(ends, n)
    first, second = (float(Fraction(parameter)) for parameter in prior)
    counts = np.rint(n * beta.ppf((np.arange(200) + 0.5) / 200, first, second)).astype(np.int64)
    seen = np.r_[0 : last + 1, () if first == second else n - np.arange(last + 1), counts]
    assert line.steps.rows.tolist() == np.stack([seen, n - seen], axis=1).tolist()
    for mechanism in (dc.ExponentialReciprocal(space, scale=1, gamma="0.1"), dc.ExponentialGlobal(space, scale=20)):
        scale, each = float(mechanism.scale), mechanism.inverse_sensitivities(dense.rows)
        log_pmf, inverse = dense.log_pmf(scale * each), each[seen]
        errors = (np.exp(log_pmf) * dense.distances).sum(axis=1)
        assert line.error(scale, inverse) == pytest.approx(errors[counts].mean(), rel=1e-12)
        assert line.loss(scale, inverse) == pytest.approx(np.abs(np.diff(log_pmf, axis=0)).max(), rel=1e-9)
        with np.errstate(invalid="ignore"):
            assert line.error(math.inf, inverse) == math.inf


def test_rows_near_an_end_lose_what_they_lose_with_all_outputs_of_a_line_that_is_longer_than_their_window(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(large_n, "MIN_END_ROWS", 20)
    monkeypatch.setattr(large_n, "_STRATA", 1)
    space = dc.PosteriorSpace(["1/2", 3], 3000)
    line, outputs, losses = LongLine(space, 0.001), np.arange(3001), []
    assert line.cells < 21 * 3001  # so that outputs are beyond
    mechanism = dc.ExponentialLocal(space, scale=4)
    for side in Side.both(space):
        distances = np.stack([side.distances(c, outputs) for c in range(21)])
        rows = np.array([side.pair(c) for c in range(21)])
        logs = -4 * mechanism.inverse_sensitivities(rows)[:, None] * distances
        losses.append(np.abs(np.diff(logs - np.log(np.exp(logs).sum(axis=1))[:, None], axis=0)).max())
    assert max(losses) > 4
    assert line.loss(4, line.steps.inverse(dc.ExponentialLocal, 1.0)) == pytest.approx(max(losses), rel=1e-9)


@pytest.mark.parametrize(("cells", "seen"), [(149, 2), (99, 0), (2000, 21)])
def test_an_end_whose_rows_have_too_many_weights_is_seen_by_fewer_or_left_out(
    cells: int, seen: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in (("MIN_END_ROWS", 20), ("_CELLS", cells), ("_STRATA", 5)):
        monkeypatch.setattr(large_n, name, value)
    space = dc.PosteriorSpace([1, 1], 49)
    line, mechanism = LongLine(space, 0.001), dc.ExponentialLocal(space, scale=3)
    inverse = line.steps.inverse(dc.ExponentialLocal, 1.0)
    assert len(inverse) == seen + 5
    assert line.cells == 50 * seen + 5 * 99
    dense = DenseScan(space)
    log_pmf = dense.log_pmf(3 * mechanism.inverse_sensitivities(dense.rows))
    losses = np.abs(np.diff(log_pmf[:seen], axis=0)).max(initial=3.0)
    assert line.loss(3, inverse) == pytest.approx(losses, rel=1e-9)
    assert (losses > 3) == (seen > 0)
