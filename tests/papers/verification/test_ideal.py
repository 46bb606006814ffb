"""The ideal mechanism of the paper: its closed form, against Laplace's, and the float mechanism against it."""

import math
from fractions import Fraction

import pytest
from flint import arb

import discreet as dc
from discreet.arithmetic.numbers import precision
from discreet_papers.verification.dilations import UNIFORM, Steps
from discreet_papers.verification.ideal import Ideal
from discreet_papers.verification.refutations import LOWER_HALF


def laplace_cdf(y: float) -> float:
    return 0.5 * math.exp(y) if y < 0 else 1 - 0.5 * math.exp(-y)


@pytest.mark.parametrize("value", ["0", "0.3", "-1.7"])
def test_uniform_noise_gives_the_cells_of_laplace_noise(value: str) -> None:
    ideal = Ideal(epsilon=2, lattice="0.5")
    for index in range(-8, 9):
        low, high = (index - 0.5) * 0.5, (index + 0.5) * 0.5
        expected = laplace_cdf(2 * (high - float(value))) - laplace_cdf(2 * (low - float(value)))
        with precision(128):
            assert float(ideal.mass(value, index)) == pytest.approx(expected, abs=1e-15)


@pytest.mark.parametrize("mu", [UNIFORM, LOWER_HALF])
@pytest.mark.parametrize("value", ["0", "2.9", "50"])
def test_with_a_bound_the_masses_sum_to_one(mu: Steps, value: str) -> None:
    ideal = Ideal(epsilon=1, lattice=2, bound=7)
    with precision(128):
        total = sum((ideal.mass(value, index, mu) for index in range(-ideal.last, ideal.last + 1)), start=arb(0))
        assert total.contains(1)
        assert total.rad() < 1e-30


def test_the_ideal_mechanism_is_private_at_its_epsilon_and_not_below() -> None:
    ideal = Ideal(epsilon=1, lattice="0.5", bound=10)
    assert float(ideal.closeness(0, 1)) < 1e-70
    assert ideal.closeness(0, 1, at="0.9").lower > Fraction(1, 100)


@pytest.mark.parametrize(("epsilon", "bound", "value"), [("1", 20, "0.3"), ("2", 5, "-1/3"), ("0.1", 50, "2")])
def test_the_float_mechanism_is_the_ideal_one_but_for_rounding(epsilon: str, bound: int, value: str) -> None:
    snapping = dc.Snapping(epsilon=epsilon, bound=bound)
    ideal = Ideal(epsilon=1 / Fraction(snapping.scale), lattice=Fraction(snapping.lattice), bound=bound)
    law = snapping.distribution(value)
    with precision(256):
        for index, mass in enumerate(law.masses, start=law.first):
            there = ideal.mass(value, index)
            assert abs(mass.ball() / there - 1) < 100 * bound * 2.0**-53 / snapping.scale
        assert all(index != 0 or mass.mantissa for index, mass in enumerate(law.masses, start=law.first))


def test_without_a_bound_there_is_no_last_output() -> None:
    with pytest.raises(dc.InvalidInput, match="bound"):
        Ideal(epsilon=1, lattice=1).last  # noqa: B018
