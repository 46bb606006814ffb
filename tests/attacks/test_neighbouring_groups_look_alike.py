"""With `--other` and `--other-group`, neighbouring files by group look alike: shapes, texts, exit codes."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import pytest

from discreet.ledger import Ledger
from discreet.requests import run
from discreet.utility.statement import accuracy_statement
from tests.attacks.test_neighbouring_files_look_alike import shape, words
from tests.cli.command import Answer, discreet
from tests.support.tables import no_sync

ROWS = [("a", "f")] * 3 + [("b", "f")] * 2 + [("a", "m")] * 4 + [("b", "m")] * 2
NEIGHBOURS = [
    ("a", "f"),
    ("b", "f"),
    ("a", "m"),
    ("b", "x"),
    ("", ""),
    ("Perot", "f"),
    ("NULL", "F"),
    ("31337", "=1+1"),
]
"""What the last of twelve people may have answered, and their group."""

CHARGED = ("--epsilon", "0.5", "--ledger", "l.db", "--dataset", "d", "--request-id", "x", "--yes")
GROUPED = ("release", "v.csv", "--column", "vote", "--categories", "a,b", "--by", "sex", "--groups", "f,m")
OPEN = ("--other", "rest", "--other-group", "else")
TWO = ("release", "v.csv", "--column", "vote", "--categories", "a,b", "--column", "sex", "--categories", "f,m")

FORMS: dict[str, tuple[Sequence[str], list[tuple[str, str]]]] = {
    "groups": ((*GROUPED, *OPEN), NEIGHBOURS),
    "public groups": ((*GROUPED, *OPEN, "--group-public"), [("a", "f"), ("b", "f"), ("Perot", "f"), ("", "f")]),
    "two columns": ((*TWO, "--other", "rest", "--other", "else"), NEIGHBOURS),
}
"""Where groups are public, neighbours differ in the answer alone."""

SAID_ONCE = cache(accuracy_statement)
"""It sees public facts only, and takes most of the time."""


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("discreet.ledger.file._sync", no_sync)
    monkeypatch.setattr("discreet.requests.prepare.accuracy_statement", SAID_ONCE)
    monkeypatch.delenv("DISCREET_DEBUG", raising=False)
    return tmp_path


def prepare(place: Path, last: tuple[str, str]) -> None:
    rows = "".join(f"{vote},{sex}\n" for vote, sex in [*ROWS, last])
    (place / "v.csv").write_text("vote,sex\n" + rows, encoding="utf-8")
    (place / "l.db").unlink(missing_ok=True)
    Ledger.create(place / "l.db", dataset="d", epsilon=1, adjacency="replace-answer")


@pytest.mark.parametrize("form", FORMS)
def test_documents_and_tables_of_neighbours_have_one_shape(form: str, place: Path) -> None:
    arguments, neighbours = FORMS[form]
    documents, tables = set(), set()
    for last in neighbours:
        prepare(place, last)
        answer = discreet(*arguments, *CHARGED, "--json")
        text = answer.out.replace(Ledger(place / "l.db").history()[1].hash, "")  # it has the ledger's time in it
        documents.add((answer.code, answer.err, answer.out.count("\n"), json.dumps(shape(json.loads(text)))))
        prepare(place, last)
        shown = discreet(*arguments, *CHARGED)
        tables.add((shown.code, shown.err, *words(shown.out)))
    assert len(documents) == len(tables) == 1
    assert answer.code == 0


@pytest.mark.few(6)
@pytest.mark.parametrize("step", run.STEPS)
@pytest.mark.parametrize("form", FORMS)
def test_failures_of_neighbours_are_equal_to_the_byte(
    form: str, step: str, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(taken: str) -> None:
        if taken == step:
            raise RuntimeError("made to fail")

    monkeypatch.setattr(run, "reached", fail)
    arguments, neighbours = FORMS[form]
    seen: set[Answer] = set()
    for last in neighbours[:3]:
        prepare(place, last)
        seen.add(discreet(*arguments, *CHARGED))
        Ledger(place / "l.db").verify()
    assert len(seen) == 1
    assert seen.pop().code == 1


@pytest.mark.parametrize("last", [("Perot", "f"), ("a", "x"), ("", "")])
@pytest.mark.parametrize("form", ["groups", "two columns"])
def test_a_stray_of_either_column_stops_before_the_charge_in_the_same_words(
    form: str, last: tuple[str, str], place: Path
) -> None:
    prepare(place, last)
    answer = discreet(*(GROUPED if form == "groups" else TWO), *CHARGED)
    said = {
        "groups": "error: columns 'vote' and 'sex' have values outside what is declared; ",
        "two columns": "error: a column has values outside what is declared; ",
    }
    assert answer.code == 2
    assert answer.err.startswith(said[form])
    assert answer.err.count("\n") == 1
    assert Ledger(place / "l.db").verify().rows == 1
