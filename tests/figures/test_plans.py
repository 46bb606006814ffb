"""The picture of a plan."""

import numpy as np
import pytest

import discreet as dc
from discreet.figures import plans
from discreet.figures.image import render


@pytest.fixture(scope="module")
def shown() -> plans.PlanningNumbers:
    return plans.numbers(dc.PosteriorSpace(prior=[1, 1], n=20), "0.7")


def test_the_curves_are_the_expected_errors(shown: plans.PlanningNumbers) -> None:
    epsilon, error = shown.against_epsilon["geometric"]
    at = int(np.flatnonzero(epsilon == 0.7)[0])
    assert error[at] == dc.accuracy(dc.Geometric(shown.space, epsilon="0.7")).mean
    size, other = shown.against_n["geometric"]
    assert other[int(np.flatnonzero(size == 20)[0])] == error[at]
    assert (np.diff(error) < 0).all()


def test_no_curve_runs_below_the_limit(shown: plans.PlanningNumbers) -> None:
    limit = shown.against_epsilon["optimal"][1]
    for name in plans.SHOWN:
        assert (shown.against_epsilon[name][1] >= limit - 1e-6).all()


def test_the_law_is_that_of_balanced_counts_in_the_order_of_their_distance(shown: plans.PlanningNumbers) -> None:
    assert shown.counts == (10, 10)
    for distance, chance in shown.law.values():
        assert (np.diff(distance) >= 0).all()
        assert chance.sum() == pytest.approx(1)
        assert distance[0] == 0


def test_axes_say_what_they_show(shown: plans.PlanningNumbers) -> None:
    figure = plans.paint(shown)
    first, second, third = figure.axes
    assert "ε" in first.get_xlabel()
    assert "records" in second.get_xlabel()
    assert "Hellinger" in first.get_ylabel()
    assert "Hellinger" in third.get_xlabel()
    assert "probability" in third.get_ylabel()
    assert {text.get_text() for text in figure.legends[0].get_texts()} >= set(plans.SHOWN)
    assert len(render(figure, "png")) > 10_000


def test_candidates_too_many_to_list_leave_two_panels() -> None:
    wide = plans.PlanningNumbers(
        space=dc.PosteriorSpace(prior=[1] * 9, n=900),
        epsilon=dc.Geometric(dc.PosteriorSpace(prior=[1] * 9, n=900), epsilon=1).epsilon,
        counts=(100,) * 9,
        against_epsilon={"geometric": (np.array([0.1, 1.0]), np.array([0.9, 0.4]))},
        against_n={"geometric": (np.array([90.0, 900.0]), np.array([0.8, 0.4]))},
        law={},
    )
    assert len(plans.paint(wide).axes) == 2


def test_what_is_left_out_is_said_in_the_picture_with_its_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plans, "CATEGORIES", 1)
    monkeypatch.setattr(plans, "LONGEST_LAW", 2)
    few = plans.numbers(dc.PosteriorSpace(prior=[1, 1], n=4), 1)
    assert set(few.left_out) == {"exponential-reciprocal", "exponential-global", "the exact law"}
    assert set(few.against_n) == {"geometric", "laplace-improved"}
    figure = plans.paint(few)
    assert len(figure.axes) == 2
    said = " ".join(figure.legends[0].get_title().get_text().split())
    assert said == plans.small_print(few)
    assert "exponential-reciprocal, exponential-global (drawing its error" in said


def test_all_that_a_picture_shows_needs_no_small_print(shown: plans.PlanningNumbers) -> None:
    assert plans.small_print(shown) == plans.paint(shown).legends[0].get_title().get_text() == ""


def test_a_point_that_cannot_be_had_is_told_of(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(mechanism: dc.Mechanism) -> dc.Accuracy:
        if mechanism.space.n > 4:
            raise dc.DiscreetError("it is too far", hint="stay")
        return dc.accuracy(mechanism)

    monkeypatch.setattr(plans, "accuracy", refuse)
    assert plans.numbers(dc.PosteriorSpace(prior=[1, 1], n=4), 1).left_out["some points of geometric"] == (
        "it is too far"
    )


def test_what_a_plan_has_computed_is_not_computed_again(monkeypatch: pytest.MonkeyPatch) -> None:
    space, computed = dc.PosteriorSpace(prior=[1, 1], n=4), list[tuple[str, int, object]]()

    def counted(mechanism: dc.Mechanism) -> dc.Accuracy:
        computed.append((mechanism.name, mechanism.space.n, mechanism.epsilon))
        return dc.accuracy(mechanism)

    monkeypatch.setattr(plans, "accuracy", counted)
    known = {row.name: row.mean_error for row in dc.plan(space, epsilon=1).mechanisms if row.setting == "theorem"}
    values = plans.numbers(space, 1, known=known)
    assert len(set(computed)) == len(computed)
    assert ("geometric", 4, 1) not in computed
    epsilon, error = values.against_epsilon["geometric"]
    assert error[epsilon == 1] == [known["geometric"]]


def test_counts_are_as_even_as_they_can_be() -> None:
    assert plans.balanced(dc.PosteriorSpace(prior=[1, 1, 1], n=11)) == (4, 4, 3)


def test_progress_is_told_to_the_end() -> None:
    steps: list[tuple[int, int]] = []
    plans.numbers(dc.PosteriorSpace(prior=[1, 1], n=3), 1, progress=lambda done, total: steps.append((done, total)))
    assert steps[-1][0] == steps[-1][1]
