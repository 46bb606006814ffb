"""What OpenDP's own tests ask of its measurements, asked of ours, with the library as it is installed (0.16).

The checks are written anew; each names the test of OpenDP's Python suite (python/test) that asks the same of theirs.
Two of them cannot be asked: amplification by subsampling, and the cast between bounded metrics, which in this version
of OpenDP know no vectors of texts.
"""

from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import opendp.prelude
import pytest

import discreet as dc
from discreet.bridges.opendp import make_release
from discreet.privacy_loss import certificate_by_theorem, rho_upper
from discreet.typing import Epsilon

dp: Any = opendp.prelude
"""Half of it has no types."""

RECORDS = ["yes", "no", "no", "yes", "no", "yes", "no", "no"]
NAMES = ["geometric", "laplace-improved", "exponential-reciprocal", "tight"]
FARTHEST = 2**32 - 1
"""The largest distance that OpenDP can say."""


@pytest.fixture(autouse=True)
def _features() -> Iterator[None]:
    dp.enable_features("contrib", "honest-but-curious")
    yield
    dp.disable_features("contrib", "honest-but-curious")


def made(name: str, epsilon: Epsilon = "1/2") -> dc.Mechanism:
    return dc.mechanism(name, dc.PosteriorSpace(prior=[1, 1], n=len(RECORDS)), epsilon=epsilon)


def ours(epsilon: Epsilon = "1/2", **options: Any) -> Any:
    return make_release(made("geometric", epsilon), ["no", "yes"], **options)


def assert_map(measurement: Any, loss: Fraction) -> None:
    """Zero at zero, never less for more changes, m times the loss of one for m of them, and `check` is the map."""
    distances = [0, 1, 2, 3, 7, 8, 1000, FARTHEST]
    mapped = [measurement.map(far) for far in distances]
    assert mapped[0] == 0
    assert mapped == sorted(mapped)
    for far, told in zip(distances, mapped, strict=True):
        assert far * loss <= Fraction(told) <= far * loss * (1 + Fraction(1, 10**15))
        assert measurement.check(far, told)
        assert far == 0 or not measurement.check(far, told * (1 - 1e-9))


@pytest.mark.parametrize("name", NAMES)
def test_the_map_is_that_of_a_pure_measurement(name: str) -> None:
    """test_meas.py: test_geometric, test_randomized_response."""
    mechanism = made(name)
    assert_map(make_release(mechanism, ["no", "yes"]), Fraction(certificate_by_theorem(mechanism).bound))


WRONG_MAPS: dict[str, Callable[[int], float]] = {
    "map_of_one_change": lambda far: 0.5 if far else 0.0,
    "map_rounded_down": lambda far: 0.49999999 * far,
    "map_of_twice_the_changes": lambda far: 0.5 * (far // 2),
}


@pytest.mark.parametrize("fault", WRONG_MAPS)
def test_a_wrong_map_would_be_seen(fault: str) -> None:
    right = ours()
    wrong = dp.m.make_user_measurement(
        *right.input_space, right.output_measure, right.function, WRONG_MAPS[fault], TO=dp.Vec[dp.i64]
    )
    with pytest.raises(AssertionError):
        assert_map(wrong, Fraction(1, 2))


def test_types_and_spaces_are_what_they_say() -> None:
    """test_core.py: test_type_getters, test_supporting_elements, test_member."""
    measurement = ours()
    assert (measurement.input_distance_type, measurement.output_distance_type) == ("u32", "f64")
    assert str(measurement.input_carrier_type) == "Vec<String>"
    assert str(measurement.input_domain) == "VectorDomain(AtomDomain(T=String), size=8)"
    assert (str(measurement.input_metric), str(measurement.output_measure)) == ("ChangeOneDistance()", "MaxDivergence")
    assert measurement.input_domain.member(RECORDS)
    assert not measurement.input_domain.member(RECORDS[1:])
    assert not measurement.input_domain.member([*RECORDS, "no"])
    with pytest.raises(TypeError):
        measurement([1] * len(RECORDS))
    with pytest.raises((TypeError, ValueError)):
        measurement.map(-1)


def test_a_transformation_before_it_multiplies_its_loss() -> None:
    """test_core.py: test_chain. A table of any size is cut to n: one record more or less is one change."""
    texts = dp.vector_domain(dp.atom_domain(T=str)), dp.symmetric_distance()
    chain = dp.t.make_resize(*texts, size=8, constant="no") >> ours(distance="contributions")
    assert [chain.map(far) for far in (0, 1, 2, 5)] == [0.0, 0.5, 1.0, 2.5]
    assert sum(chain(["yes"] * 3)) == sum(chain(["yes"] * 30)) == len(RECORDS)


def test_what_is_done_after_it_costs_nothing() -> None:
    """test_core.py: test_function."""
    after = ours() >> dp.new_function(lambda output: sum(output), TO=dp.i64)
    assert (after(RECORDS), after.map(3)) == (8, 1.5)


def test_compositions_nest_and_add_up() -> None:
    """test_comb.py: test_make_composition."""
    inner = dp.c.make_composition([ours("1/4"), ours("1/8")])
    both = dp.c.make_composition([ours(), inner, ours()])
    assert [both.map(far) for far in (0, 1, 2)] == [0.0, 1.375, 2.75]
    first, nested, last = both(RECORDS)
    assert [sum(each) for each in (first, *nested, last)] == [8] * 4


@pytest.mark.parametrize("name", NAMES)
def test_as_zero_concentrated_it_costs_no_less_than_we_charge(name: str) -> None:
    """test_comb.py: test_make_pureDP_to_zCDP. OpenDP knows ε alone, and says ε²/2."""
    mechanism = made(name)
    theirs = dp.c.make_pureDP_to_zCDP(make_release(mechanism, ["no", "yes"])).map(1)
    assert rho_upper(mechanism) <= Fraction(theirs) <= Fraction(1, 8) * (1 + Fraction(1, 10**15))


def test_twenty_of_them_cost_no_less_than_our_composition_says() -> None:
    """test_comb.py: test_fix_delta, test_make_approximate, test_make_fixed_approxDP_to_approxDP."""
    twenty = dp.c.make_composition([dp.c.make_pureDP_to_zCDP(ours("1/10"))] * 20)
    epsilon, delta = dp.c.make_fix_delta(dp.c.make_zCDP_to_approxDP(twenty), 1e-6).map(1)
    assert delta == 1e-6
    assert dc.compose([made("geometric", "1/10")] * 20).epsilon("1e-6") <= epsilon < 4
    assert dp.c.make_approximate(ours()).map(2) == (1.0, 0.0)
    assert dp.c.make_fixed_approxDP_to_approxDP(dp.c.make_approximate(ours())).map(1).epsilon(delta=1e-7) == 0.5


def test_an_adaptive_composition_answers_what_was_agreed_and_then_stops() -> None:
    """test_interactive.py: test_sequential_composition."""
    space = ours().input_space
    agreed = dp.c.make_adaptive_composition(*space, dp.max_divergence(), d_in=1, d_mids=[0.5, 0.25])
    assert agreed.map(1) == 0.75
    answers = agreed(RECORDS)
    assert sum(answers(ours())) == 8
    with pytest.raises(dp.OpenDPException, match="insufficient budget"):
        answers(ours())
    assert sum(answers(ours("1/4"))) == 8
    with pytest.raises(dp.OpenDPException, match="out of queries"):
        answers(ours("1/100"))


def test_an_odometer_counts_what_was_spent_and_a_filter_stops_at_its_end() -> None:
    """test_interactive.py: test_fully_adaptive_composition, test_privacy_filter."""
    odometer = dp.c.make_fully_adaptive_composition(*ours().input_space, dp.max_divergence())
    answers, spent = odometer(RECORDS), []
    for epsilon in ("1/2", "1/4", "1/8"):
        answers(ours(epsilon))
        spent.append(answers.privacy_loss(1))
    assert (spent, answers.privacy_loss(3)) == ([0.5, 0.75, 0.875], 2.625)
    privacy_filter = dp.c.make_privacy_filter(odometer, d_in=1, d_out=1.0)(RECORDS)
    privacy_filter(ours())
    privacy_filter(ours())
    with pytest.raises(dp.OpenDPException, match="exhausted"):
        privacy_filter(ours("1/1000"))


def test_a_search_for_the_largest_epsilon_finds_it() -> None:
    """test_core.py: test_bisect_chain."""
    largest = dp.binary_search_param(ours, d_in=2, d_out=1.0, bounds=(0.01, 3.0))
    assert largest == pytest.approx(0.5, abs=1e-12)
    assert ours(largest).check(2, 1.0)
