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
from tests.faults.planted import (
    BelowLocalAtOneDataSet,
    BelowLocalSomewhere,
    FloatWeights,
    FlooredWeights,
    GrowthLeftOut,
    HalvedSensitivity,
    NoiseTooSmall,
    WrongNeighbour,
)
from tests.support.checker import check

BETA = PosteriorSpace([1, 1], 30)
THREE = PosteriorSpace([1, 1, 1], 5)
ENDS = PosteriorSpace(["0.01", "0.01"], 200)

FAULTS: list[tuple[Mechanism, Mechanism]] = [
    (HalvedSensitivity(BETA, epsilon=1), ExponentialGlobal(BETA, epsilon=1)),
    (WrongNeighbour(BETA, epsilon=1), Geometric(BETA, epsilon=1)),
    (WrongNeighbour(THREE, epsilon=1), Geometric(THREE, epsilon=1)),
    (BelowLocalSomewhere(BETA, epsilon=1), ExponentialGlobal(BETA, epsilon=1)),
    (BelowLocalAtOneDataSet(BETA, epsilon=1), ExponentialReciprocal(BETA, epsilon=1)),
    (GrowthLeftOut(ENDS, epsilon=1), ExponentialLocal(ENDS, epsilon=1)),
    (NoiseTooSmall(THREE, epsilon=1), LaplaceImproved(THREE, epsilon=1)),
    (FloatWeights(BETA, epsilon=1000), ExponentialGlobal(BETA, epsilon=1000)),
    (FlooredWeights(BETA, epsilon=10), ExponentialGlobal(BETA, epsilon=10)),
]


@pytest.mark.parametrize(("fault", "right"), FAULTS, ids=lambda mechanism: type(mechanism).__name__)
def test_loss_exceeds_what_is_claimed_with_the_fault_and_not_without_it(fault: Mechanism, right: Mechanism) -> None:
    found = check(fault)
    assert found.exceeds
    assert found.loss > 1.05 * found.claimed
    assert fault.guarantee <= fault.epsilon == right.epsilon
    assert not check(right).exceeds


def test_a_wrong_neighbour_doubles_the_loss() -> None:
    assert check(WrongNeighbour(THREE, epsilon=1)).loss == pytest.approx(2, abs=1e-9)


def test_noise_of_scale_one_doubles_the_loss_of_three_categories_and_is_right_for_two() -> None:
    assert check(NoiseTooSmall(THREE, epsilon=1)).loss == pytest.approx(2, abs=1e-9)
    assert not check(NoiseTooSmall(BETA, epsilon=1)).exceeds


def test_a_fault_at_a_single_data_set_is_found_there() -> None:
    found = check(BelowLocalAtOneDataSet(BETA, epsilon=1))
    assert (30, 0) in (found.counts, found.neighbour)


def test_the_claim_without_growth_is_false_only_where_sensitivity_changes_fast() -> None:
    assert not check(GrowthLeftOut(BETA, epsilon=1)).exceeds
    assert check(GrowthLeftOut(ENDS, epsilon=1)).loss == pytest.approx(1.0745, abs=1e-4)


def test_outcomes_possible_for_one_neighbour_only_are_an_infinite_loss() -> None:
    assert check(FloatWeights(BETA, epsilon=1000)).loss == float("inf")
