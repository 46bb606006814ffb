"""The checker that finds no fault in the library finds each planted one."""

from __future__ import annotations

import pytest

from discreet import PosteriorSpace
from discreet.mechanisms import (
    ExponentialGlobal,
    ExponentialLocal,
    ExponentialReciprocal,
    Geometric,
    LaplaceImproved,
    Mechanism,
)
from tests.faults import planted
from tests.support.checker import check

BETA = PosteriorSpace([1, 1], 30)
THREE = PosteriorSpace([1, 1, 1], 5)
ENDS = PosteriorSpace(["0.01", "0.01"], 200)

INFINITE = float("inf")
FAULTS: list[tuple[Mechanism, Mechanism, float | None]] = [
    (planted.HalvedSensitivity(BETA, epsilon=1), ExponentialGlobal(BETA, epsilon=1), None),
    (planted.WrongNeighbour(BETA, epsilon=1), Geometric(BETA, epsilon=1), 2.0),
    (planted.WrongNeighbour(THREE, epsilon=1), Geometric(THREE, epsilon=1), 2.0),
    (planted.BelowLocalSomewhere(BETA, epsilon=1), ExponentialGlobal(BETA, epsilon=1), None),
    (planted.BelowLocalAtOneDataSet(BETA, epsilon=1), ExponentialReciprocal(BETA, epsilon=1), None),
    (planted.GrowthLeftOut(ENDS, epsilon=1), ExponentialLocal(ENDS, epsilon=1), 1.074521606),
    (planted.NoiseTooSmall(THREE, epsilon=1), LaplaceImproved(THREE, epsilon=1), 2.0),
    (planted.FloatWeights(BETA, epsilon=1000), ExponentialGlobal(BETA, epsilon=1000), INFINITE),
    (planted.FlooredWeights(BETA, epsilon=10), ExponentialGlobal(BETA, epsilon=10), None),
]
"""The fault, what is right, and the loss where it is known; infinite if one neighbour alone has an outcome."""


@pytest.mark.parametrize(("fault", "right", "loss"), FAULTS, ids=[type(fault).__name__ for fault, _, _ in FAULTS])
def test_loss_exceeds_what_is_claimed_with_the_fault_and_not_without_it(
    fault: Mechanism, right: Mechanism, loss: float | None
) -> None:
    found = check(fault)
    assert found.exceeds
    assert found.loss > 1.05 * found.claimed
    assert loss is None or found.loss == pytest.approx(loss, abs=1e-9)
    assert fault.guarantee <= fault.epsilon == right.epsilon
    assert not check(right).exceeds


@pytest.mark.parametrize("fault", [planted.NoiseTooSmall(BETA, epsilon=1), planted.GrowthLeftOut(BETA, epsilon=1)])
def test_noise_of_scale_one_and_a_claim_without_growth_are_false_only_elsewhere(fault: Mechanism) -> None:
    assert not check(fault).exceeds


def test_a_fault_at_a_single_data_set_is_found_there() -> None:
    found = check(planted.BelowLocalAtOneDataSet(BETA, epsilon=1))
    assert (30, 0) in (found.counts, found.neighbour)
