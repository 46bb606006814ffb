"""`discreet plan`: for people in eighty columns, and for programs."""

from fractions import Fraction
from pathlib import Path

import pytest

import discreet as dc
from discreet.utility.targets import meets_error
from tests.cli.command import assert_refused, discreet

SMALL = ("plan", "--prior", "1,1", "--n", "30")


def test_the_epsilon_found_meets_the_target_and_a_hundredth_less_does_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("discreet.utility.plans.CALIBRATED", 100)  # the rows beside it are tested elsewhere
    arguments = ("plan", "--prior", "1,1", "--n", "1000", "--target-error", "0.05", "--confidence", "0.95")
    document = discreet(*arguments, "--json").document
    epsilon, space = Fraction(document["epsilon_exact"]), dc.PosteriorSpace(prior=[1, 1], n=1000)
    assert document["epsilon"] >= epsilon
    assert meets_error(space, epsilon, Fraction("0.05"), Fraction("0.95"))
    assert not meets_error(space, epsilon * Fraction(99, 100), Fraction("0.05"), Fraction("0.95"))
    row = next(row for row in document["mechanisms"] if (row["name"], row["setting"]) == ("geometric", "theorem"))
    assert row["error_95"] <= 0.05
    assert document["recommended"] == "geometric"


def test_the_table_fits_eighty_columns_and_says_what_to_use() -> None:
    answer = discreet(*SMALL, "--epsilon", "1", COLUMNS="80")
    assert answer.code == 0, answer
    table = answer.out.partition("\nuse geometric")[0]
    assert all(len(line) <= 80 for line in table.splitlines())
    for name in ("geometric", "laplace-improved", "exponential-reciprocal", "exponential-global", "optimal"):
        assert name in table
    assert "use geometric (theorem)" in answer.out
    assert "without privacy" in answer.out


def test_a_width_can_be_asked_for() -> None:
    document = discreet(*SMALL, "--target-width", "0.35", "--json").document
    row = document["mechanisms"][0]
    assert row["name"] == "geometric"
    assert row["interval_width"] <= 0.35
    assert document["interval_width_without_privacy"] < row["interval_width"]


def test_the_worst_case_costs_more() -> None:
    asked = (*SMALL, "--target-error", "0.3", "--confidence", "0.9", "--json")
    average = discreet(*asked).document["epsilon"]
    assert discreet(*asked, "--worst-case").document["epsilon"] > average


def test_a_picture_is_painted(tmp_path: Path) -> None:
    answer = discreet(*SMALL, "--epsilon", "1", "--plot", "plan.png", cwd=tmp_path)
    assert answer.code == 0, answer
    assert (tmp_path / "plan.png").read_bytes().startswith(b"\x89PNG")
    assert "written: plan.png" in answer.out


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("--epsilon", "1", "--target-width", "0.1"),
        ("--target-error", "0.1"),
        ("--epsilon", "1", "--worst-case"),
        ("--target-width", "0.001"),
        ("--target-width", "1"),
        ("--target-error", "1", "--confidence", "0.95"),
        ("--epsilon", "0"),
        ("--epsilon", "1", "--plot", "plan.bmp"),
    ],
    ids=str,
)
def test_an_unclear_question_is_refused_in_one_line(arguments: tuple[str, ...]) -> None:
    assert_refused(discreet(*SMALL, *arguments))
