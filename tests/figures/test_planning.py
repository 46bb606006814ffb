"""The picture of a plan."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

import discreet as dc
from discreet.figures import planning
from discreet.figures.rendering import render


@pytest.fixture(scope="module")
def shown() -> planning.PlanningNumbers:
    return planning.numbers(dc.PosteriorSpace(prior=[1, 1], n=20), "0.7")


def test_the_curves_are_the_expected_errors(shown: planning.PlanningNumbers) -> None:
    epsilon, error = shown.against_epsilon["geometric"]
    at = int(np.flatnonzero(epsilon == 0.7)[0])
    assert error[at] == dc.accuracy(dc.Geometric(shown.space, epsilon="0.7")).mean
    size, other = shown.against_n["geometric"]
    assert other[int(np.flatnonzero(size == 20)[0])] == error[at]
    assert (np.diff(error) < 0).all()


def test_no_curve_runs_below_the_limit(shown: planning.PlanningNumbers) -> None:
    limit = shown.against_epsilon["optimal"][1]
    for name in planning.SHOWN:
        assert (shown.against_epsilon[name][1] >= limit - 1e-6).all()


def test_the_law_is_that_of_balanced_counts_in_the_order_of_their_distance(shown: planning.PlanningNumbers) -> None:
    assert shown.counts == (10, 10)
    for distance, chance in shown.law.values():
        assert (np.diff(distance) >= 0).all()
        assert chance.sum() == pytest.approx(1)
        assert distance[0] == 0


def test_axes_say_what_they_show(shown: planning.PlanningNumbers) -> None:
    figure = planning.paint(shown)
    first, second, third = figure.axes
    assert "ε" in first.get_xlabel()
    assert "records" in second.get_xlabel()
    assert "Hellinger" in first.get_ylabel()
    assert "Hellinger" in third.get_xlabel()
    assert "probability" in third.get_ylabel()
    assert {text.get_text() for text in figure.legends[0].get_texts()} >= set(planning.SHOWN)
    assert len(render(figure, "png")) > 10_000


def test_candidates_too_many_to_list_leave_two_panels() -> None:
    wide = planning.PlanningNumbers(
        space=dc.PosteriorSpace(prior=[1] * 9, n=900),
        epsilon=dc.Geometric(dc.PosteriorSpace(prior=[1] * 9, n=900), epsilon=1).epsilon,
        counts=(100,) * 9,
        against_epsilon={"geometric": (np.array([0.1, 1.0]), np.array([0.9, 0.4]))},
        against_n={"geometric": (np.array([90.0, 900.0]), np.array([0.8, 0.4]))},
        law={},
    )
    assert len(planning.paint(wide).axes) == 2


def test_counts_are_as_even_as_they_can_be() -> None:
    assert planning.balanced(dc.PosteriorSpace(prior=[1, 1, 1], n=11)) == (4, 4, 3)


def test_progress_is_told_to_the_end() -> None:
    told: list[tuple[int, int]] = []
    planning.numbers(dc.PosteriorSpace(prior=[1, 1], n=3), 1, progress=lambda done, total: told.append((done, total)))
    assert told[-1][0] == told[-1][1]


def test_painting_leaves_pyplot_alone() -> None:
    program = (
        "import sys, discreet as dc; from discreet.figures import planning as p; "
        "p.paint(p.numbers(dc.PosteriorSpace(prior=[1, 1], n=3), 1)); print('matplotlib.pyplot' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
