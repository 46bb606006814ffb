"""`discreet plan`: for people in eighty columns, and for programs."""

from fractions import Fraction
from pathlib import Path

import pytest

import discreet as dc
from discreet.cli.plan import _print_margins
from discreet.inference.margin_plans import MarginPlan
from discreet.utility.targets import meets_error
from discreet.web.plans import _width
from tests.cli.command import assert_painted, told, typed

SMALL = "plan --prior 1,1 --n 30"


def test_the_epsilon_found_meets_the_target_and_a_hundredth_less_does_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("discreet.utility.plans.MAX_CALIBRATED", 100)  # the rows beside it are tested elsewhere
    document = told("plan --prior 1,1 --n 1000 --target-error 0.05 --confidence 0.95")
    epsilon, space = Fraction(document["epsilon_exact"]), dc.PosteriorSpace(prior=[1, 1], n=1000)
    assert document["epsilon"] >= epsilon
    assert meets_error(space, epsilon, Fraction("0.05"), Fraction("0.95"))
    assert not meets_error(space, epsilon * Fraction(99, 100), Fraction("0.05"), Fraction("0.95"))
    row = next(row for row in document["mechanisms"] if (row["name"], row["setting"]) == ("geometric", "theorem"))
    assert row["error_95"] <= 0.05
    assert document["recommended"] == "geometric"


def test_the_table_fits_eighty_columns_and_says_what_to_use() -> None:
    answer = typed(f"{SMALL} --epsilon 1 --compare", COLUMNS="80")
    assert answer.code == 0, answer
    table = answer.out.partition("mechanisms at")[2].partition("\nuse geometric")[0]
    assert all(len(line) <= 80 for line in table.splitlines())
    for name in ("geometric", "laplace-improved", "exponential-reciprocal", "exponential-global", "optimal"):
        assert name in table
    assert "use geometric (theorem)" in answer.out
    assert "without privacy" in answer.out


def test_a_width_can_be_asked_for() -> None:
    document = told(f"{SMALL} --target-width 0.35")
    row = document["mechanisms"][0]
    assert row["name"] == "geometric"
    assert document["interval_width_without_privacy"] < row["interval_width"] <= 0.35


def test_the_worst_case_costs_more() -> None:
    line = f"{SMALL} --target-error 0.3 --confidence 0.9"
    assert told(line, "--worst-case")["epsilon"] > told(line)["epsilon"]


def test_a_picture_is_painted(place: Path) -> None:
    answer = typed(f"{SMALL} --epsilon 1 --plot plan.png")
    assert answer.code == 0, answer
    assert_painted(place / "plan.png")
    assert "written: plan.png" in answer.out


def test_the_answer_comes_in_points_and_says_what_the_epsilon_means() -> None:
    answer = typed("plan --prior jeffreys --n 100 --epsilon 0.5")
    assert answer.out.startswith("95 % intervals will be about ")
    assert "a factor of at most 1.65" in answer.out
    assert "a chance of at most 62.3 %" in answer.out
    assert len(told("plan --prior jeffreys --n 100 --epsilon 0.5")["mechanisms"]) == 1


def test_private_groups_are_planned_with_sizes_that_are_guesses() -> None:
    answer = typed("plan --groups new=20,old=26 --epsilon 1 --of difference")
    assert "95 % intervals of the difference will be about" in answer.out
    assert "guesses" in answer.out
    assert typed("plan --groups new=20,new=26 --epsilon 1").code == 2


def test_slow_work_says_one_line_where_stderr_is_no_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("discreet.cli.outputs.PATIENCE", 0.0)
    monkeypatch.delenv("DISCREET_QUIET", raising=False)
    assert typed(f"{SMALL} --epsilon 1 --compare").err == "planning …\n"
    monkeypatch.setenv("DISCREET_QUIET", "")  # so that what the option sets is undone
    assert typed(f"{SMALL} --epsilon 1 --compare --quiet").err == ""


def test_a_small_standard_error_is_not_zero(capsys: pytest.CaptureFixture[str]) -> None:
    _print_margins([MarginPlan(("sex",), 0.033, 0.0002, 0.031, 0.004)], "one cross table")
    printed = capsys.readouterr().out
    assert "3.3 ± 0.02 points" in printed
    assert "3.1 ± 0.4 points" in printed
    assert _width(0.033, 0.0002) == "3.3 ± 0.02"
