"""The proposition with three terms is enough, and least without rounding; the paper's one term is not enough."""

import math
from fractions import Fraction

import pytest

import discreet as dc
from discreet_papers.verification.dilations import UNIFORM, Steps
from discreet_papers.verification.ideal import Ideal
from discreet_papers.verification.proposition import opposite_dilation, three_terms
from discreet_papers.verification.refutations import (
    LOWER_HALF,
    definition_five,
    mass_as_printed,
    one_dilation_is_not_enough,
    other_branch,
)
from tests.papers.verification.test_dilation import random_steps


@pytest.mark.parametrize("epsilon", ["0.1", "1", "3"])
@pytest.mark.parametrize("t", ["0", "0.3", "1"])
def test_all_three_terms_are_zero_for_the_uniform(epsilon: str, t: str) -> None:
    terms = three_terms(UNIFORM, UNIFORM, epsilon, t)
    assert [term.upper for term in terms] == [0, 0, 0]


@pytest.mark.parametrize("seed", range(30))
def test_the_three_terms_bound_what_the_mechanism_does_rounded_and_clamped(seed: int) -> None:
    one, other = random_steps(seed), random_steps(seed + 500)
    epsilon, t = ("0.5", "1", "2")[seed % 3], ("1", "0.6", "0.25", "0")[seed % 4]
    enough = three_terms(one, other, epsilon, t).delta.upper
    for lattice, bound in (("1", 12), ("0.3", 6), ("0.125", 4)):
        ideal = Ideal(epsilon=epsilon, lattice=lattice, bound=bound)
        for direction in (1, -1):
            neighbour = Fraction("0.1") + direction * Fraction(t)
            assert ideal.closeness("0.1", neighbour, mu1=one, mu2=other).lower <= enough


@pytest.mark.few(1)
@pytest.mark.parametrize("seed", [0, 1, 3])
def test_without_rounding_the_three_terms_are_least(seed: int) -> None:
    one, other = random_steps(seed), random_steps(seed + 500)
    enough = float(three_terms(one, other, 1, "0.5").delta)
    fine = Ideal(epsilon=1, lattice="1/64", bound=6)
    assert float(fine.closeness(0, "0.5", mu1=one, mu2=other)) == pytest.approx(enough, abs=0.03)


def test_the_paper_s_single_dilation_is_zero_where_no_epsilon_is_enough() -> None:
    case = one_dilation_is_not_enough(1)
    assert case.dilation.constant == case.dilation.slope == 0
    assert case.impossible.upper == 0
    assert case.possible.lower > Fraction(2, 100)
    assert case.needed.lower > Fraction(3, 10)
    for epsilon in ("0.5", "2", "10"):
        case = one_dilation_is_not_enough(epsilon)
        assert str(case.dilation) == "0"
        assert case.impossible.upper == 0 < case.possible.lower


def test_the_paper_s_proof_fails_on_the_other_branch_and_its_definition_five_even_for_the_uniform() -> None:
    assert float(other_branch(1)) == pytest.approx(1 - math.exp(-1), abs=1e-15)
    assert float(definition_five(1)) == pytest.approx(1 - math.exp(-2), abs=1e-15)
    assert float(mass_as_printed(1)) == pytest.approx(0.5, abs=1e-15)
    assert opposite_dilation(LOWER_HALF, LOWER_HALF, 1).lower > 0


def test_a_distance_beyond_one_is_refused() -> None:
    with pytest.raises(dc.InvalidInput, match="t must be"):
        three_terms(UNIFORM, UNIFORM, 1, "1.1")


def test_swapping_the_two_laws_matters() -> None:
    narrow = Steps(["1/2", 1], [2])
    assert three_terms(narrow, UNIFORM, 1).delta.lower > 0
    assert float(three_terms(UNIFORM, narrow, 1).delta) != float(three_terms(narrow, UNIFORM, 1).delta)
