"""The open questions: their pages say what their numbers say, and their pictures are labelled."""

import math
from functools import cache
from itertools import pairwise
from typing import Any

import pytest

import discreet as dc
from discreet.figures.image import render
from discreet_papers.pages import QUESTIONS, QUESTIONS_HEAD, question, study
from discreet_papers.questions import normalisers, scores, tightness, winners
from discreet_papers.questions.any_score import ScoreMechanism
from discreet_papers.registry import ENTRIES
from tests.contracts.source import ROOT

PAGE = (ROOT / "docs" / "questions.md").read_text(encoding="utf-8")


@cache
def quick(name: str) -> Any:
    """Quicker still: the map of winners takes as long for each of its six ε."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(winners, "EPSILONS", ("0.5", "1", "5"))
        return study(name).numbers(True)


def test_the_page_begins_as_written_and_shows_all_pictures() -> None:
    assert PAGE.startswith(QUESTIONS_HEAD)
    assert PAGE.count("\n## ") == len(QUESTIONS)
    for name in QUESTIONS:
        assert (ROOT / "docs" / "images" / f"question-{name}.png").is_file()


@pytest.mark.soak
@pytest.mark.parametrize("name", [*QUESTIONS][::-1])
def test_the_page_says_what_the_full_numbers_say(name: str) -> None:
    assert question(name, study(name).numbers(False)) in PAGE


@pytest.mark.few(1)
@pytest.mark.parametrize("name", QUESTIONS)
def test_a_quick_run_has_a_table_sentences_and_a_labelled_picture(name: str) -> None:
    result = quick(name)
    table = study(name).table(result)
    assert all(len(row) == len(table.columns) for row in table.rows)
    assert len(study(name).sentences(result)) >= 3
    figure = study(name).paint(result)
    for axes in figure.axes:
        assert axes.get_xlabel()
        assert axes.get_ylabel()
        assert axes.get_title(loc="left")
    assert len(render(figure, "png")) > 10_000


def test_every_question_is_in_the_list_of_what_can_be_reproduced() -> None:
    modules = {entry.module for entry in ENTRIES if entry.kind == "question"}
    assert modules == {f"questions.{name}" for name in QUESTIONS}


def test_the_normaliser_comes_down_to_its_limit_and_grows_under_global_sensitivity() -> None:
    result = quick("normalisers")
    assert result.by_size["exponential-reciprocal"][-1][1] == pytest.approx(1 / math.tanh(0.25), rel=5e-3)
    growing = [value for _, value in result.by_size["exponential-global"]]
    assert growing == sorted(growing)
    for _, bounds in result.bounds:
        ordered = [bounds[name] for name in ("exact", "normalised", "data-free", "loose")]
        assert all(one <= other * (1 + 1e-9) for one, other in pairwise(ordered))


def test_the_normaliser_of_three_categories_comes_down_to_a_sum_over_a_lattice() -> None:
    result = quick("normalisers")
    values = [value for _, value, _ in result.by_simplex]
    assert result.lattice == pytest.approx(7.46124, abs=5e-6)
    assert values[1:] == sorted(values[1:], reverse=True)  # from n = 30 on
    assert values[-1] == pytest.approx(result.lattice, rel=1e-3)
    assert all(max(counts) - min(counts) == 0 for _, _, counts in result.by_simplex if counts is not None)


def test_calibration_helps_and_does_not_reach_geometric() -> None:
    result = quick("tightness")
    last = {name: curve[-1][1] for name, curve in result.errors.items()}
    assert last["geometric"] < last[tightness.BEST] < last[tightness.GAMMA_ONE] < last[tightness.THEOREM]
    for curve in result.losses.values():
        assert all(loss < 1 for _, loss in curve)
    assert result.calibrated[1][1:] == pytest.approx((0.8813, 0.874), abs=5e-4)


def test_the_map_agrees_with_the_accuracy_of_the_mechanisms_it_shows() -> None:
    cell = next(c for c in quick("winners") if (c.k, c.prior, c.data, c.n, c.epsilon) == (2, 1, "balanced", 300, 1))
    space = dc.PosteriorSpace(prior=[1, 1], n=300)
    mechanisms = {
        "M_H": dc.ExponentialSmooth.as_published(space, epsilon=1),
        "laplace": dc.Laplace.as_published(space, epsilon=1),
        "laplace-improved": dc.LaplaceImproved.as_published(space, epsilon=1),
        "geometric": dc.Geometric(space, epsilon=1),
    }
    for name, mechanism in mechanisms.items():
        assert cell.errors[name] == pytest.approx(dc.accuracy(mechanism, [150, 150]).mean, rel=1e-9)
    assert winners.BEATEN[cell.beaten] == "beats baseline Laplace"


def test_a_cell_counts_rivals_from_the_weakest_on() -> None:
    errors = {"M_H": 2.0, "laplace": 3.0, "laplace-improved": 1.0, "geometric": 5.0}
    cell = winners.Cell(2, 1, "balanced", 10, 1.0, errors, equal=0.5)
    assert cell.beaten == 1
    assert cell.beaten_at_loss == 3
    assert winners.Cell(2, 1, "balanced", 10, 1.0, errors).beaten_at_loss is None


def test_at_equal_loss_all_of_epsilon_is_spent() -> None:
    scaled = winners.at_exact_loss(dc.PosteriorSpace(prior=[1, 1], n=30), "1")
    assert dc.audit(scaled).epsilon == pytest.approx(1, abs=1e-6)
    assert all(cell.equal is not None for cell in quick("winners") if cell.n <= winners.LARGEST[cell.k])


@pytest.mark.parametrize("name", ["jensen-shannon", "le-cam"])
def test_bounded_scores_are_metrics_between_0_and_1(name: str) -> None:
    for prior, n in (([1, 5], 12), ([1, 1, 2], 4)):
        score = ScoreMechanism.of(name, dc.PosteriorSpace(prior=prior, n=n)).score
        assert score == pytest.approx(score.T, abs=1e-12)
        assert 0 <= score.min() <= score.max() < 1
        assert (score[:, None, :] <= score[:, :, None] + score[None, :, :] + 1e-9).all()


def test_bounded_scores_are_their_integrals() -> None:
    """Of 2(1-x) and 2x: the square of Le Cam's is ∫(1-2x)² = 1/3, that of Jensen and Shannon's 1 - 1/(2 ln 2)."""
    space = dc.PosteriorSpace(prior=[1, 1], n=1)
    assert ScoreMechanism.of("le-cam", space).score[0, 1] ** 2 == pytest.approx(1 / 3, abs=1e-12)
    assert ScoreMechanism.of("jensen-shannon", space).score[0, 1] ** 2 == pytest.approx(1 - 0.5 / math.log(2), abs=1e-9)


def test_every_score_is_measured_at_the_same_exact_loss() -> None:
    for row in quick("scores").rows:
        scored = ScoreMechanism.of(row.score, dc.PosteriorSpace(prior=list(row.prior), n=row.n))
        assert scored.loss(row.scale, scored.inverse(row.rate / row.diameter)) == pytest.approx(1, abs=1e-6)
        assert row.at_theorem <= 1
    assert {score for _, _, score in quick("scores").refused} == {"chi-squared"}
    assert scores.EPSILON == 1
    assert normalisers.MANY == 1000
