"""An audit that cannot say no is none: every planted fault is rejected, by its loss or by its certificate."""

import contextlib
import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import discreet as dc
from discreet.privacy_loss.certificates import certificate_by_theorem
from tests.faults import losses as faults
from tests.faults import planted

SPACE = dc.PosteriorSpace([1, 1], 20)
FIFTY = dc.PosteriorSpace([1, 1], 50)


def assert_rejected_by_its_loss(mechanism: dc.Mechanism) -> dc.Audit:
    """The audit finds more loss than is claimed, and its certificate does not certify."""
    result = dc.audit(mechanism)
    assert not result.holds
    assert not result.private
    assert result.lower > mechanism.guarantee
    with pytest.raises(dc.NotPrivate, match="exceeds"):
        result.certificate.check(mechanism)
    return result


def assert_accepted(mechanism: dc.Mechanism) -> None:
    """The right mechanism beside a fault: an audit that says no to everything proves nothing either."""
    result = dc.audit(mechanism)
    assert result.holds
    assert result.private
    result.certificate.check(mechanism)


def assert_not_covered(certificate: dc.Certificate, mechanism: dc.Mechanism) -> None:
    """A certificate of something else."""
    with pytest.raises(dc.NotPrivate, match="another mechanism"):
        certificate.check(mechanism)


def test_an_epsilon_off_by_one_percent_is_rejected_by_its_loss() -> None:
    for space in (FIFTY, dc.PosteriorSpace([1, 2, 3], 7)):
        result = assert_rejected_by_its_loss(faults.OnePercentMore(space, epsilon=1))
        assert float(result.lower) == pytest.approx(1.01, abs=1e-12)
        assert_accepted(dc.LaplaceImproved(space, epsilon=1))


@pytest.mark.parametrize("family", ["exponential-global", "exponential-local", "exponential-reciprocal"])
def test_a_scale_one_percent_above_the_calibrated_one_is_rejected_by_its_loss(family: str) -> None:
    right = dc.calibrate(family, FIFTY, epsilon=1)
    assert_accepted(right)
    assert isinstance(right, dc.ExponentialGlobal | dc.ExponentialLocal | dc.ExponentialReciprocal)
    options = {"gamma": right.gamma} if isinstance(right, dc.ExponentialReciprocal) else {}
    bolder: Any = type(right)(FIFTY, scale=right.scale * Fraction(101, 100), **options)
    assert_rejected_by_its_loss(bolder.certified(right.epsilon, right.guarantee, right.guaranteed_by))


def test_a_claim_that_nobody_checked_is_rejected_by_its_loss() -> None:
    honest = dc.ExponentialReciprocal(FIFTY, epsilon=1)
    result = dc.audit(honest)
    assert result.epsilon < Fraction(2, 5)
    lower = result.lower
    assert isinstance(lower, Fraction)
    assert_rejected_by_its_loss(faults.flattered(honest, lower * Fraction(99, 100)))
    assert_accepted(faults.flattered(honest, lower * Fraction(101, 100)))
    assert dc.audit(faults.flattered(honest, lower)).epsilon == result.epsilon  # no claim lowers what is certified


def test_a_halved_sensitivity_is_rejected_by_its_loss() -> None:
    assert_rejected_by_its_loss(planted.HalvedSensitivity(FIFTY, epsilon=1))
    assert_accepted(dc.ExponentialGlobal(FIFTY, epsilon=1))


def test_a_smoothness_left_out_of_the_theorem_is_rejected_by_its_loss() -> None:
    space = dc.PosteriorSpace(["0.001", "0.001"], 200)
    assert_rejected_by_its_loss(planted.GrowthLeftOut(space, epsilon=1))
    assert_accepted(dc.ExponentialLocal(space, epsilon=1))


def test_a_scale_certified_for_another_n_is_rejected_by_its_loss_and_by_its_certificate() -> None:
    fault = faults.AnotherN(dc.PosteriorSpace([1, 1], 150), epsilon=1)
    assert_rejected_by_its_loss(fault)
    right = dc.calibrate("exponential-local", FIFTY, epsilon=1)
    assert_accepted(right)
    assert_not_covered(dc.audit(right).certificate, fault)


def test_weights_floored_at_zero_are_rejected_by_an_infinite_loss() -> None:
    fault = faults.LinearWeights(SPACE, scale="1/2", gamma=1)
    result = assert_rejected_by_its_loss(fault)
    assert result.epsilon == result.certificate.bound == math.inf


def test_float_weights_that_underflow_for_one_neighbour_only_are_rejected_by_an_infinite_loss() -> None:
    fault = faults.UnderflowingWeights(dc.PosteriorSpace([1, 1], 100), scale=80)
    result = assert_rejected_by_its_loss(fault)
    assert result.epsilon == result.lower == math.inf
    assert result.worst is not None
    rank = fault.space.candidates().index(result.worst.output)
    one, other = (fault.law(c).log_weights()[rank] for c in (result.worst.counts, result.worst.neighbour))
    assert np.isfinite(one)
    assert other == -math.inf
    right = dc.ExponentialLocal(fault.space, scale=80)
    assert_accepted(right)
    for counts in (result.worst.counts, result.worst.neighbour):  # the law itself gives both a weight, near e**-745
        assert -790 < right.law(counts).log_weights()[rank] < -700


def test_noise_proved_for_another_adjacency_is_rejected_by_its_loss() -> None:
    space = dc.PosteriorSpace([1, 1, 1], 8)
    fault = faults.ProvedForAddRemove(space, epsilon=1)
    result = assert_rejected_by_its_loss(fault)
    assert float(result.lower) == pytest.approx(2, abs=1e-12)
    assert_accepted(dc.LaplaceImproved(space, epsilon=1))


def test_an_audit_of_one_adjacency_never_certifies_another() -> None:
    right, fault = dc.ExponentialReciprocal(SPACE, epsilon=1), faults.ClaimedForAddRemove(SPACE, epsilon=1)
    assert right.adjacency != fault.adjacency
    for certificate in (dc.audit(right).certificate, certificate_by_theorem(right)):
        assert_not_covered(certificate, fault)
    with pytest.raises(dc.DiscreetError):
        dc.audit(fault).certificate.check(fault)


def test_the_solver_s_optimal_kernel_is_rejected_by_its_loss() -> None:
    for space, epsilon in ((dc.PosteriorSpace([1, 1], 10), 1), (dc.PosteriorSpace([1, 1, 1], 5), 1)):
        kernel = dc.Optimal(space, epsilon=epsilon)
        result = dc.audit(kernel)
        assert result.holds  # it claims nothing
        assert not result.private
        assert kernel.epsilon < result.epsilon < kernel.epsilon + Fraction(1, 10**6)
        for certificate in (result.certificate, certificate_by_theorem(kernel)):
            with pytest.raises(dc.NotPrivate, match="exceeds"):
                certificate.check(kernel)


def test_a_solver_s_kernel_that_leaves_an_output_to_one_neighbour_has_an_infinite_loss() -> None:
    kernel = dc.Optimal(dc.PosteriorSpace([7, 4], 30), epsilon=2)
    result = dc.audit(kernel)
    assert result.epsilon == result.lower == math.inf
    assert not result.private
    assert 0 < result.delta(2) < 1e-6


def test_a_law_that_differs_in_one_weight_is_rejected_by_its_loss_and_by_its_certificate() -> None:
    right, fault = dc.ExponentialReciprocal(SPACE, epsilon=1), faults.OneWeight(SPACE, epsilon=1)
    result = assert_rejected_by_its_loss(fault)
    assert result.worst is not None
    assert (result.worst.counts, result.worst.output) == (faults.OneWeightLaw.data, faults.OneWeightLaw.outcome)
    assert_accepted(right)
    assert_not_covered(dc.audit(right).certificate, fault)
    assert_not_covered(certificate_by_theorem(right), fault)


def test_a_drawn_weight_that_differs_in_one_place_or_is_no_number_is_rejected_by_its_audit() -> None:
    for fault in (faults.OneDrawnWeight(SPACE, epsilon=1), faults.NotANumber(SPACE, epsilon=1)):
        assert_not_covered(dc.audit(dc.ExponentialReciprocal(SPACE, epsilon=1)).certificate, fault)
        with contextlib.suppress(dc.DiscreetError):
            assert not dc.audit(fault).private


def test_a_geometric_law_of_another_rate_is_not_taken_for_the_right_one() -> None:
    fault = faults.DoubledRate(SPACE, epsilon=1)
    with pytest.raises(dc.InvalidInput, match="laws on candidates"):
        dc.audit(fault)
    assert_not_covered(certificate_by_theorem(dc.Geometric(SPACE, epsilon=1)), fault)
