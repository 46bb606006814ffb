"""Calibration beyond enumeration: certified, near the largest scale, and rejected where it is claimed without proof."""

from __future__ import annotations

from fractions import Fraction

import pytest

from discreet import ExponentialGlobal, ExponentialLocal, ExponentialReciprocal, PosteriorSpace, audit, calibrate
from discreet.mechanisms.exponential import Exponential
from discreet.privacy_loss.certificates import certificate_by_theorem
from discreet.privacy_loss.large_n import LongSearch


@pytest.mark.soak
def test_a_million_records_are_calibrated_with_a_certified_loss() -> None:
    space = PosteriorSpace([1, 1], 10**6)
    found = calibrate("exponential-reciprocal", space, epsilon=1)
    assert isinstance(found, ExponentialReciprocal)
    assert found.guarantee <= 1 == found.epsilon
    assert Fraction("0.95") < found.scale < 1
    assert Fraction("0.05") < found.gamma < Fraction("0.4")
    assert found.proved_by == certificate_by_theorem(found).method == "bounds"
    again = audit(found)
    assert again.holds
    assert again.private
    assert again.epsilon == found.guarantee
    assert again.lower > Fraction("0.95")


@pytest.mark.parametrize("name", ["exponential-global", "exponential-local"])
def test_sensitivities_without_a_rate_reach_what_is_asked(name: str) -> None:
    found = calibrate(name, PosteriorSpace(["0.5", 3], 10**9), epsilon="0.7")
    assert Fraction("0.699999") < found.guarantee <= Fraction("0.7")


@pytest.mark.parametrize("family", [ExponentialReciprocal, ExponentialLocal, ExponentialGlobal])
def test_the_search_finds_what_enumeration_finds(family: type[Exponential]) -> None:
    space = PosteriorSpace([1, 2], 700)
    gamma = "0.3" if family is ExponentialReciprocal else None
    exact = calibrate(family.name, space, epsilon=1, gamma=gamma)
    found = LongSearch(family, space, Fraction(1), None).found(gamma)
    assert isinstance(exact, Exponential)
    assert found.guarantee <= 1
    assert 0.97 * exact.scale <= found.scale <= exact.scale * (1 + Fraction(1, 10**6))


def test_a_loss_that_somebody_claims_does_not_lower_what_is_certified() -> None:
    space = PosteriorSpace([1, 1], 10**6)
    plain = ExponentialReciprocal(space, scale="1/2", gamma="0.1")
    certified = audit(plain)
    assert certified.lower < Fraction("0.503") < certified.epsilon
    claimed = audit(plain.certified(Fraction("0.503"), Fraction("0.503"), "somebody said so"))
    assert claimed.epsilon == certified.epsilon
    assert not claimed.private
