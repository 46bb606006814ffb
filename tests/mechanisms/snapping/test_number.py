"""The snapping mechanism: its exact distribution, its exact loss, its draws, and what it refuses."""

import copy
import math
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as dc
from bench.snapping_sets import AWKWARD, BOUNDS, EPSILONS, ParameterSet, parameter_sets
from discreet.arithmetic.binary64 import ETA
from discreet.mechanisms.snapping import number
from discreet.testing import CountedBits, FixedBits, HashedBits
from tests.oracles.snapping import Snap
from tests.support.statistics import fits, tally

SETS = parameter_sets()


def test_there_are_sixty_sets_with_every_epsilon_bound_and_kind_of_value() -> None:
    assert len(SETS) == 60
    assert {s.epsilon for s in SETS} == set(EPSILONS)
    assert {s.bound for s in SETS} == set(BOUNDS)
    assert {s.kind for s in SETS} == set(AWKWARD)


@pytest.mark.parametrize("chosen", SETS, ids=str)
def test_masses_sum_to_one_and_the_loss_is_within_mironov_s_bound(chosen: ParameterSet) -> None:
    found = chosen.snapping.verify(chosen.value, chosen.neighbour)
    assert found.mass_is_one
    ideal = 1 / Fraction(chosen.snapping.scale)
    mironov = (1 + 12 * chosen.snapping.reach * ETA) * ideal + 2 * ETA
    assert (found.ideal, found.bound) == (ideal, mironov)
    assert found.loss is not None
    assert found.holds
    assert found.loss.lower <= found.loss.upper <= min(found.certified, found.bound)
    assert max(found.certified, found.bound) <= chosen.snapping.epsilon
    assert found.delta(chosen.snapping.epsilon).lower == 0


def test_the_loss_exceeds_the_ideal_by_a_hair_and_falls_below_where_the_clamp_helps() -> None:
    found = dc.Snapping(epsilon=1, bound=100).verify(0, 1)
    assert 0 < found.excess < 1e-13
    assert dc.Snapping(epsilon=1, bound=100).verify("100.5", "99.5").excess < -0.4


@pytest.mark.few(1)
@pytest.mark.parametrize(
    ("epsilon", "bound", "value"),
    [("1", 4, "1/3"), ("1", 3, "0"), ("2", 3, "-1/2"), ("1/3", 17, "2"), ("1", 4, "1"), ("20", 2, "0.1")],
)
def test_the_distribution_is_that_of_plain_bisection_in_fractions(epsilon: str, bound: int, value: str) -> None:
    snapping, x = dc.Snapping(epsilon=epsilon, bound=bound), Fraction(value)
    slow = Snap(Fraction(snapping.scale), Fraction(snapping.lattice), Fraction(bound))
    law = snapping.distribution(value)
    last = min(slow.last, 4)
    for index in range(-last, last + 1):
        down = [slow.tail(x, 1, i) if i >= -slow.last else Fraction(0) for i in (index, index - 1)]
        up = [slow.tail(x, -1, i) if i <= slow.last else Fraction(0) for i in (index, index + 1)]
        expected = (down[0] - down[1] + up[0] - up[1]) / 2
        assert law.masses[index - law.first].fraction() == expected


def test_a_value_that_is_a_double_is_added_as_the_machine_adds_it() -> None:
    snapping = dc.Snapping(epsilon="0.7", bound=64)
    rank = -(7 << 52) + 12345
    for value in (0.5, -3.25, 17.0, 2.0**-40):
        noise = snapping.scale * snapping._log(rank)
        y = value + noise
        assert snapping._land(Fraction(value), True, rank) == math.floor(y / snapping.lattice + 0.5)


@pytest.mark.parametrize("times", [20_000, pytest.param(100_000, marks=pytest.mark.soak)])
def test_releases_agree_with_the_exact_distribution_and_reject_a_scale_30_percent_off(times: int) -> None:
    snapping, value = dc.Snapping(epsilon="0.5", bound=40), "2.7"
    bits, x = HashedBits("snapping"), snapping.scaled(value)
    seen = tally((snapping._draw(x, bits),) for _ in range(times))
    for change in (1, 0.7, 1.3):
        other = copy.copy(snapping)
        object.__setattr__(other, "scale", snapping.scale * change)
        law = other.distribution(value)
        masses: dict[tuple[int, ...], float] = {
            (law.first + i,): float(mass.fraction()) for i, mass in enumerate(law.masses)
        }
        assert fits(seen, masses) == (change == 1)


def test_releases_are_multiples_of_the_lattice_or_the_bound() -> None:
    snapping = dc.Snapping(epsilon=1, bound=5, sensitivity=3)
    assert snapping.name == "snapping"
    outputs = set(snapping.distribution(1).probabilities())
    assert {snapping.release(1) for _ in range(50)} <= outputs
    assert outputs == {-5.0, 0.0, 5.0}


@given(st.fractions(min_value=-50, max_value=50), st.fractions(min_value=-50, max_value=50))
def test_scaling_is_exact_and_never_moves_values_apart(one: Fraction, other: Fraction) -> None:
    snapping = dc.Snapping(epsilon=1, bound=30, sensitivity="1/10")
    assert abs(snapping.scaled(one) - snapping.scaled(other)) <= abs(one - other) * 10


def test_sensitivity_only_rescales() -> None:
    plain, scaled = dc.Snapping(epsilon=1, bound=40), dc.Snapping(epsilon=1, bound=4, sensitivity="0.1")
    assert scaled.scale == plain.scale
    assert scaled.distribution("0.3").masses == plain.distribution(3).masses
    tenths = [float(Fraction(y) / 10) for y in plain.distribution(3).probabilities()]
    assert list(scaled.distribution("0.3").probabilities()) == tenths


def test_values_beyond_the_bound_and_beyond_all_floats_are_clamped() -> None:
    snapping = dc.Snapping(epsilon=1, bound=4)
    for far in (4, 5, 1e300, "1e999"):
        assert snapping.distribution(far).masses == snapping.distribution(4).masses
    tiny = snapping.distribution(5e-324).masses
    assert sum(m.fraction() for m in tiny) == 1
    assert tiny == snapping.distribution("1e-999").masses


def test_outputs_farther_than_any_double_s_logarithm_keep_their_due_probability() -> None:
    snapping = dc.Snapping(epsilon=1, bound=4000)
    near, far = snapping.probability(0, 2000.0), snapping.probability(1, 2000.0)
    assert near.exponent < -2000
    assert abs(math.log(far.over(near)) - 1) < 1e-9
    found = snapping.verify(0, 1)
    assert found.complete
    assert found.holds


def test_a_single_output_has_the_probability_that_the_distribution_says() -> None:
    snapping = dc.Snapping(epsilon="0.5", bound=30)
    for output, mass in snapping.distribution("2.7").items():
        assert snapping.probability("2.7", output).fraction() == mass.fraction()


def test_an_output_knows_its_number_and_what_is_none_has_none() -> None:
    snapping = dc.Snapping(epsilon=1, bound=5)
    assert [snapping.index(output) for output in (0.0, 2.0, -4.0, 5.0, -5.0)] == [0, 1, -2, 3, -3]
    thirds = dc.Snapping(epsilon=2, bound=30, sensitivity=3)
    for index in range(-thirds.last, thirds.last + 1):
        assert thirds.index(thirds.output(index)) == index
    for output in (1.0, 6.0, 4.5, -7.0):
        with pytest.raises(dc.InvalidInput, match="no output"):
            snapping.index(output)


def test_the_delta_is_zero_from_the_exact_loss_on_and_positive_below() -> None:
    found = dc.Snapping(epsilon=1, bound=20).verify(0, 1)
    assert found.delta(found.exact_epsilon).upper == 0
    below = found.delta("0.9")
    assert 0 < below.lower <= below.upper
    p, q = ([float(mass.fraction()) for mass in law.masses] for law in found.laws)
    there = sum(max(0.0, x - math.exp(0.9) * y) for x, y in zip(p, q, strict=True))
    back = sum(max(0.0, y - math.exp(0.9) * x) for x, y in zip(p, q, strict=True))
    assert abs(float(below) - max(there, back)) < 1e-12
    assert found.delta(0).upper < 1


def test_both_directions_and_the_worst_output_are_as_defined() -> None:
    found = dc.Snapping(epsilon="0.5", bound=12).verify("0.2", "-0.3")
    one, other = (law.probabilities() for law in found.laws)
    assert found.forward == max(one[y] / other[y] for y in one)
    assert found.backward == max(other[y] / one[y] for y in one)
    assert found.ratio == max(one[found.worst] / other[found.worst], other[found.worst] / one[found.worst])


def test_more_outputs_than_can_be_listed_are_refused_or_enclosed() -> None:
    snapping = dc.Snapping(epsilon=1, bound=2**40)
    with pytest.raises(dc.TooLarge, match="outputs"):
        snapping.distribution(0)
    found = snapping.verify(0, 1)
    assert not found.complete
    assert found.mass_is_one
    assert found.loss is not None
    assert found.loss.upper == found.certified <= found.bound


@pytest.mark.every
@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"epsilon": 1, "bound": 1}, "exceed the noise"),
        ({"epsilon": "0.01", "bound": 100}, "exceed the noise"),
        ({"epsilon": 1, "bound": 2**47}, "too wide"),
        ({"epsilon": "0.001", "bound": 2**52}, "too wide"),
        ({"epsilon": 0, "bound": 10}, "epsilon"),
        ({"epsilon": "1e-15", "bound": 10}, "epsilon"),
        ({"epsilon": "1e10", "bound": 10}, "epsilon"),
        ({"epsilon": math.nan, "bound": 10}, "epsilon"),
        ({"epsilon": 1, "bound": -3}, "bound"),
        ({"epsilon": 1, "bound": "inf"}, "bound"),
        ({"epsilon": 1, "bound": 10, "sensitivity": 0}, "sensitivity"),
        ({"epsilon": 1, "bound": 10, "sensitivity": 10}, "exceed the noise"),
        ({"epsilon": "0.001", "bound": 2**51}, "too wide"),
        ({"epsilon": 0, "bound": 10}, "^epsilon must be greater than 0"),
        ({"epsilon": 1, "bound": 0}, "^bound must be greater than 0"),
        ({"epsilon": 1, "bound": 9, "sensitivity": 10}, "raise it above 10,"),
    ],
)
def test_what_is_outside_the_theorem_is_refused_with_a_way_to_mend_it(arguments: dict[str, Any], words: str) -> None:
    with pytest.raises(dc.InvalidInput, match=words) as refused:
        dc.Snapping(**arguments)
    assert refused.value.hint


@pytest.mark.every
@pytest.mark.parametrize("value", [math.nan, "nan", None, "seven", True, "1,5"])
def test_a_value_that_is_no_number_is_refused_in_the_same_words(value: Any) -> None:
    snapping = dc.Snapping(epsilon=1, bound=10)
    for refuses, name in (
        (snapping.release, "value"),
        (snapping.index, "output"),
        (lambda value: snapping.verify(value, 0), "value"),
        (lambda value: snapping.verify(0, value), "neighbour"),
    ):
        with pytest.raises(dc.InvalidInput, match=rf"^{name} is not a number; write it"):
            refuses(value)


def test_values_that_are_not_adjacent_are_refused() -> None:
    with pytest.raises(dc.InvalidInput, match="adjacent"):
        dc.Snapping(epsilon=1, bound=10).verify(0, "1.001")
    assert dc.Snapping(epsilon=1, bound=10, sensitivity=2).verify(0, "1.001").holds


@given(st.fractions(min_value=-20, max_value=20))
def test_every_release_reads_the_same_bits_whatever_the_value(value: Fraction) -> None:
    snapping = dc.Snapping(epsilon=1, bound=15)
    bits = CountedBits(HashedBits("bits"))
    snapping._draw(snapping.scaled(value), bits)
    assert bits.used == 1 + 64 + 52


def test_the_scale_is_solved_so_that_at_most_epsilon_is_spent() -> None:
    for chosen in SETS:
        snapping = chosen.snapping
        assert snapping.guarantee <= snapping.epsilon
        least = (1 + 12 * snapping.reach * ETA) / (snapping.epsilon - 2 * ETA)
        assert least <= Fraction(snapping.scale) <= least * (1 + 4 * ETA * snapping.reach)
        assert snapping.lattice / 2 < snapping.scale <= snapping.lattice
        assert math.frexp(snapping.lattice)[0] == 0.5


def test_doubles_tell_neighbours_apart_up_to_2_to_the_51_sensitivities() -> None:
    assert dc.Snapping(epsilon="0.001", bound=2**51 - 1).reach == 2**51 - 1


@pytest.mark.parametrize(("epsilon", "bound"), [(1, 3), (1, 2**40), (4, 64)])
def test_a_uniform_too_deep_to_be_drawn_would_have_landed_at_the_clamp_from_the_farthest_input(
    epsilon: int, bound: int
) -> None:
    snapping = dc.Snapping(epsilon=epsilon, bound=bound)
    greatest = (-snapping._depth << 52) - 1  # of those with so many zeros ahead
    for upward in (True, False):
        farthest = -snapping.reach if upward else snapping.reach
        clamp = snapping.last if upward else -snapping.last
        assert snapping._land(farthest, upward, greatest) == clamp


@pytest.mark.parametrize(("epsilon", "bound"), [(1, "3"), (1, "19.48"), (4, "4.87")])  # the last two need all 64
def test_bits_that_are_all_zero_give_the_clamp_after_sixty_four_of_them(epsilon: int, bound: str) -> None:
    snapping = dc.Snapping(epsilon=epsilon, bound=bound)
    for sign, clamp in (("1", snapping.last), ("0", -snapping.last)):
        assert snapping._draw(Fraction(0), FixedBits(sign + (64 + 52) * "0")) == clamp


def test_a_bound_of_just_the_noise_s_scale_is_refused() -> None:
    with pytest.raises(dc.InvalidInput, match="exceed the noise"):
        number._require_range(Fraction(2), Fraction(1), 2.0)


def test_the_lattice_is_the_least_power_of_two_that_is_not_below_the_scale() -> None:
    assert [number._lattice(scale) for scale in (0.25, 0.3, 1.0, 1.5, 2.0, 2.5)] == [0.25, 0.5, 1.0, 2.0, 2.0, 4.0]


def test_a_law_shows_nothing_of_itself() -> None:
    assert repr(dc.Snapping(epsilon=1, bound=10).distribution(3)) == "<SnappedLaw>"
