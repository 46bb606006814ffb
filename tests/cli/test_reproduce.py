"""`discreet reproduce` at the command line."""

from pathlib import Path

import pytest

from discreet_papers.figures.notes import FIGURE_3
from discreet_papers.registry import ENTRIES
from tests.cli.command import assert_refused, discreet


def test_the_list_names_every_figure_and_makes_none() -> None:
    answer = discreet("reproduce", "--list")
    assert answer.code == 0
    shown = {line.split()[0] for line in answer.out.splitlines() if line.strip()}
    assert {entry.id for entry in ENTRIES} <= shown
    document = discreet("reproduce", "--list", "--json").document
    assert [figure["name"] for figure in document["figures"]] == [entry.id for entry in ENTRIES]


def test_an_unknown_figure_is_refused_before_anything_is_made(tmp_path: Path) -> None:
    out = tmp_path / "figures"
    answer = discreet("reproduce", "fig1", "fig77", "--out", str(out))
    assert_refused(answer)
    assert "did you mean" in answer.err
    assert not out.exists()


@pytest.mark.soak
def test_figures_are_made_by_name_with_numbers_pictures_and_a_report(tmp_path: Path) -> None:
    answer = discreet("reproduce", "notes1", "fig5", "notes3", "--quick", "--out", str(tmp_path))
    assert answer.code == 0, answer
    assert answer.err == ""
    for name in ("fig2", "fig5", "notes3"):
        assert {path.suffix for path in tmp_path.glob(f"{name}.*")} == {".png", ".svg", ".csv", ".json"}
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert page.count("<img") == 3
    assert "0.239992747797" in page
    assert "agree with the exact means" in page
    document = discreet("reproduce", "fig2", "fig5", "--quick", "--json", "--out", str(tmp_path)).document
    assert [figure["name"] for figure in document["figures"]] == ["fig2", "fig5"]
    assert (tmp_path / "report.html").read_text(encoding="utf-8").count("<img") == 3


def test_the_runs_of_boxes_agree_with_their_exact_means() -> None:
    for box in FIGURE_3.numbers(quick=True).boxes:
        assert box.runs.agrees_with(box.mean), box
