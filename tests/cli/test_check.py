"""`discreet check`: what the curator sees, and what it leaves unsaid elsewhere."""

from pathlib import Path

import pytest

from tests.cli.command import assert_refused, discreet

ROWS = "vote;who\nClinton;1\nDole;2\nDole ;3\nDole ;4\nPerot;4\n;5\nDole;\n"
DECLARED = ("--column", "vote", "--delimiter", ";")


@pytest.fixture
def people(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A small table with a misspelling."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "people.csv").write_text(ROWS)
    return "people.csv"


def test_data_that_does_not_fit_is_shown_to_the_curator_and_is_exit_2(people: str) -> None:
    answer = discreet("check", people, *DECLARED, "--categories", "Clinton,Dole,Nader", "--json")
    assert answer.code == 2
    assert answer.err.startswith("error: column 'vote' has values outside the declared categories; ")
    assert answer.document == {
        "fits": False,
        "publishable": False,
        "n": 7,
        "rows": 7,
        "outside": 4,
        "missing": 0,
        "empty": 1,
        "without_id": None,
        "unused": ["Nader"],
        "strays": [{"value": "Dole ", "rows": 2}, {"value": "Perot", "rows": 1}],
        "categories": ["Clinton", "Dole", "Nader"],
        "other": None,
        "by": None,
        "groups": None,
        "other_group": None,
        "unused_groups": [],
        "stray_groups": [],
    }


def test_data_fits_with_other(people: str) -> None:
    declared = ("--categories", "Clinton,Dole", "--other", "rest", "--id-column", "who")
    answer = discreet("check", people, *DECLARED, *declared, "--json")
    assert (answer.code, answer.err) == (0, "")
    found = answer.document
    assert (found["fits"], found["rows"], found["n"], found["outside"], found["without_id"]) == (True, 7, 6, 3, 1)


def test_the_table_says_that_it_is_not_publishable(people: str) -> None:
    answer = discreet("check", people, *DECLARED, "--categories", "Clinton,Dole", "--id-column", "who")
    assert answer.code == 2
    assert "'Dole '" in answer.out
    assert "it does not fit" in answer.out
    assert "not publishable" in answer.out
    assert answer.err.count("\n") == 1
    assert "Perot" not in answer.err


def test_categories_with_commas_are_quoted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.csv").write_text('"a,b"\nc\n"a,b"\n')
    answer = discreet("check", "t.csv", "--no-header", "--column", "column0", "--categories", '"a,b",c')
    assert answer.code == 0
    assert "it fits: every record is in a category" in answer.out
    assert_refused(discreet("check", "t.csv", "--column", "v", "--categories", '"a,b'))


@pytest.mark.parametrize(
    ("source", "column", "categories"),
    [
        ("nothing.csv", "vote", "a,b"),
        ("people.csv", "Vote", "a,b"),
        ("people.csv", "vote", "a"),
        ("people.csv", "vote", "a,a"),
        ("people.csv", "vote", ""),
        ("people.csv", "", "a,b"),
        ("s3://people/vote.parquet", "vote", "a,b"),
        ("no\nsuch\x1b[31m.csv", "vote", "a,b"),
    ],
)
def test_what_cannot_be_checked_is_refused_in_one_line(source: str, column: str, categories: str, people: str) -> None:
    assert people == "people.csv"
    options = ("--column", column, "--categories", categories, "--delimiter", ";")
    assert_refused(discreet("check", source, *options))


def test_a_value_that_steers_the_terminal_is_shown_and_not_obeyed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.csv").write_text("v\na\n\x1b[31mred\n[bold]x[/]\n")
    answer = discreet("check", "t.csv", "--column", "v", "--categories", "a,b")
    assert "\x1b" not in answer.out
    assert "[bold]x[/]" in answer.out
