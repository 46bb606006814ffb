"""The inverse questions: the ε found meets its target, and 0.99 of it does not."""

from __future__ import annotations

from fractions import Fraction

import pytest

import discreet as dc
from discreet.utility.targets import least_epsilon_for_error, least_epsilon_for_width, meets_error
from discreet.utility.widths import expected_width

LESS = Fraction(99, 100)


@pytest.mark.parametrize("worst_case", [False, True])
@pytest.mark.parametrize(
    ("prior", "n", "error", "confidence"),
    [
        ([1, 1], 1000, "0.05", "0.95"),
        ([1, 1], 30, "0.2", "0.9"),
        ([7, 4], 200, "0.05", "0.99"),
        (["1/2", "1/2"], 5000, "0.1", "0.5"),
        ([1, 1, 1], 12, "0.3", "0.9"),
    ],
)
def test_the_least_epsilon_for_an_error(
    prior: list[int], n: int, error: str, confidence: str, worst_case: bool
) -> None:
    space, wanted = dc.PosteriorSpace(prior=prior, n=n), (Fraction(error), Fraction(confidence))
    found = least_epsilon_for_error(space, *wanted, worst_case=worst_case)
    assert meets_error(space, found, *wanted, worst_case=worst_case)
    assert not meets_error(space, LESS * found, *wanted, worst_case=worst_case)


def test_what_meets_a_target_is_the_exact_law() -> None:
    space = dc.PosteriorSpace(prior=[1, 1], n=40)
    mechanism = dc.Geometric(space, epsilon=1)
    found = dc.accuracy(mechanism)
    at = found.quantile("0.9")
    assert meets_error(space, 1, Fraction(at), Fraction("0.9"))
    assert not meets_error(space, 1, Fraction(at) * Fraction(999, 1000), Fraction("0.9"))


def test_every_data_set_asks_for_more_than_the_average() -> None:
    space = dc.PosteriorSpace(prior=[1, 1], n=1000)
    wanted = Fraction("0.05"), Fraction("0.95")
    average, worst = (least_epsilon_for_error(space, *wanted, worst_case=worst) for worst in (False, True))
    assert average < worst
    n, tail = space.n, [0, 1, 500]
    for c in tail:
        just_above = Fraction("0.05") + Fraction(1, 10**12)
        assert dc.accuracy(dc.Geometric(space, epsilon=worst), [c, n - c]).tail(just_above) <= 0.05


def test_a_thousand_million_records_are_no_trouble() -> None:
    space, wanted = dc.PosteriorSpace(prior=[1, 1], n=10**9), (Fraction("0.001"), Fraction("0.9"))
    found = least_epsilon_for_error(space, *wanted)
    assert meets_error(space, found, *wanted)
    assert not meets_error(space, LESS * found, *wanted)


@pytest.mark.parametrize(("prior", "n", "width"), [([1, 1], 60, "0.25"), ([1, 2], 300, "0.1"), ([1, 1, 1], 30, "0.4")])
def test_the_least_epsilon_for_a_width(prior: list[int], n: int, width: str) -> None:
    space = dc.PosteriorSpace(prior=prior, n=n)
    found = least_epsilon_for_width(space, Fraction(width))
    assert expected_width(dc.Geometric(space, epsilon=found)).value <= float(width)
    assert expected_width(dc.Geometric(space, epsilon=LESS * found)).value > float(width)


def test_a_width_below_that_without_privacy_is_refused_and_said() -> None:
    with pytest.raises(dc.InvalidInput, match="even without privacy"):
        least_epsilon_for_width(dc.PosteriorSpace(prior=[1, 1], n=60), Fraction("0.1"))


def test_the_plan_is_made_for_the_epsilon_that_was_found() -> None:
    space = dc.PosteriorSpace(prior=[1, 1], n=30)
    found = dc.plan(space, target_error="0.2", confidence="0.9")
    assert found.epsilon == least_epsilon_for_error(space, Fraction("0.2"), Fraction("0.9"))
    assert found.question == {"target_error": "1/5", "confidence": "9/10", "worst_case": False}
    assert {row["epsilon"] for row in found.mechanisms} == {found.to_json()["epsilon"]}


def test_a_target_that_no_epsilon_meets_is_refused() -> None:
    with pytest.raises(dc.InvalidInput, match="no epsilon"):
        least_epsilon_for_error(dc.PosteriorSpace(prior=[1, 1], n=2), Fraction(1, 10**9), 1 - Fraction(1, 10**9000))
