"""What every mechanism and every release shares: refusals by name, and beliefs of the same output."""

import inspect
from typing import Any

import pytest

import discreet as dc
from discreet.mechanisms import base
from discreet.mechanisms.base import Mechanism, Released

PUBLIC = dc.PosteriorSpace(prior=[1, 2], n=9)
PRIVATE = dc.PosteriorSpace(prior=[1, 1], n=None)


def released(space: dc.PosteriorSpace, output: tuple[int, ...]) -> Released:
    mechanism = dc.Geometric(space, epsilon=1)
    return Released(posterior=mechanism.posterior(output), output=output, mechanism=mechanism)


@pytest.mark.every
@pytest.mark.parametrize(
    ("epsilon", "message"),
    [
        (0, "^epsilon must be greater than 0"),
        ("1e-10", "^epsilon is out of range; stay between 1e-9 and 1e6"),
        ("1000001", "^epsilon is out of range"),
    ],
)
def test_an_epsilon_that_promises_nothing_is_refused(epsilon: object, message: str) -> None:
    with pytest.raises(dc.InvalidInput, match=message) as refused:
        base.read_epsilon(epsilon)
    assert refused.value.parameter == "epsilon"
    assert base.read_epsilon("1e-9") * 10**15 == base.read_epsilon("1e6")


@pytest.mark.every
@pytest.mark.parametrize(
    ("choices", "words"), [(("a", "b"), "a or b"), (("a", "b", "c"), "one of a, b, c"), (("a",), "a")]
)
def test_a_choice_that_there_is_not_is_met_with_those_there_are(choices: tuple[str, ...], words: str) -> None:
    base.require_choice("kind", "a", choices)
    with pytest.raises(dc.InvalidInput, match=f"^kind must be {words}; leave it out for a$"):
        base.require_choice("kind", "z", choices)


def test_a_release_is_its_posterior_its_output_and_its_mechanism() -> None:
    assert list(inspect.signature(Released).parameters) == ["posterior", "output", "mechanism"]
    one, other = released(PUBLIC, (4, 5)), released(PUBLIC, (4, 5))
    one.noise_aware()
    assert one == other  # what was computed from it since is no part of it


def test_a_belief_is_computed_once_unless_the_reader_adds_to_it() -> None:
    one = released(PUBLIC, (4, 5))
    known = one.noise_aware()
    assert one.noise_aware() is known
    assert known.mean.tolist() == dc.noise_aware(one.mechanism, (4, 5)).mean.tolist()
    own = one.noise_aware(prior=[9, 1])
    assert own.mean.tolist() == dc.noise_aware(one.mechanism, (4, 5), prior=[9, 1]).mean.tolist()
    assert own.mean[0] > known.mean[0] + 0.1
    assert one.noise_aware() is known
    some = released(PRIVATE, (4, 5)).noise_aware(records=(12, 13))
    assert (
        some.mean.tolist() == dc.noise_aware(dc.Geometric(PRIVATE, epsilon=1), (4, 5), records=(12, 13)).mean.tolist()
    )


def test_categories_without_names_are_numbered_and_beliefs_take_what_the_reader_adds() -> None:
    one = released(PUBLIC, (4, 5))
    assert one.belief().axes == {"category": ("1", "2")}
    assert one.belief()["2"].mean == one.noise_aware().mean[1]
    assert one.belief(["yes", "no"], prior=[9, 1])["yes"].mean == one.noise_aware(prior=[9, 1]).mean[0]
    some = released(PRIVATE, (4, 5))
    assert some.belief(records=(12, 13))["1"].mean == some.noise_aware(records=(12, 13)).mean[0]
    assert some.belief()["1"].interval() != some.belief(records=(12, 13))["1"].interval()


def test_rates_are_per_one_unit_and_under_jeffreys_prior_unless_told_otherwise() -> None:
    some, exposure = released(PRIVATE, (30, 12)), {"north": 1200, "south": 880}
    plain, own = some.rates(exposure).rate("north"), some.rates(exposure, prior=(50, 1000)).rate("north")
    assert plain.mean == pytest.approx(30 / 1200, rel=0.05)
    assert own.mean == pytest.approx((30 + 50) / (1200 + 1000), rel=0.02)
    assert some.rates(exposure, per=100).rate("north").mean == pytest.approx(100 * plain.mean)


def test_a_receipt_tells_the_names_the_title_and_the_source_that_it_was_given() -> None:
    receipt = released(PUBLIC, (4, 5)).receipt(["a", "b"], title="A trial", source_name="register")
    document: Any = receipt.to_json()
    assert receipt.categories == ("a", "b")
    assert "A trial" in document
    assert "register" in document


def test_what_a_mechanism_does_not_say_of_itself_is_the_cautious_answer() -> None:
    assert Mechanism.of_private_n is False
    with pytest.raises(dc.InvalidInput, match="n is private under add-remove"):
        dc.Laplace(PRIVATE, epsilon=1)
    with pytest.raises(dc.InvalidInput, match="only smooth and reciprocal sensitivities have a gamma"):
        dc.calibrate("geometric", PUBLIC, epsilon=1, gamma=1)


def test_what_is_no_mechanism_is_refused_with_how_to_build_one() -> None:
    base.require_mechanism(dc.Geometric(PUBLIC, epsilon=1))
    message = r'^mechanism must be a Mechanism, not a str; build one: dc.mechanism\("geometric", space, epsilon=1\)$'
    with pytest.raises(dc.InvalidInput, match=message) as refused:
        base.require_mechanism("geometric")
    assert refused.value.parameter == "mechanism"
