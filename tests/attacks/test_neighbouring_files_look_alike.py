"""With `--other` and `--other-group`, all that a release says beside its numbers is the same for neighbouring files.

A file that is not well-formed is refused before the charge, in the same words whatever is wrong with it and wherever.
"""

import json
import logging
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from discreet.ledger import Ledger
from discreet.requests import run
from tests.cli.command import Answer, discreet, installed_discreet
from tests.support.tables import fail_at, no_sync, write_votes

VOTES = ["a"] * 6 + ["b"] * 5
NEIGHBOURS = ["a", "b", "c", "", " a", "A", "Perot", "0", "31337", "NULL", "nan", "=1+1", "ä", "a\u0308", "x" * 300]
"""What the last of twelve people may have answered."""

WRITTEN = [b"\xff", b"a\xff", b"\0", b'"a"', b'"a\nb"', b'"a\rb\r\n"', b'"a""b"', b'"a,b"', b"\xef\xbb\xbfa", b"\xc3"]
"""The same as bytes of the file."""

NO_RECORDS = [b"a", b"a,1,2", b" ", b"a\rb,1", b"a,1\r\r", b'"a,1', b'a,"1', b'a"b,1', b'"a" ,1', b'\xff"\0,1']
"""Lines that are no record of two fields."""

TABLE = ("release", "v.csv", "--column", "vote", "--categories", "a,b", "--other", "rest", "--epsilon", "0.5")
CHARGED = (*TABLE, "--ledger", "l.db", "--dataset", "d", "--request-id", "x", "--yes")

RECORDS = [("a", "f")] * 3 + [("b", "f")] * 2 + [("a", "m")] * 4 + [("b", "m")] * 2
PAIRS = [
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

PAID = ("--epsilon", "0.5", "--ledger", "l.db", "--dataset", "d", "--request-id", "x", "--yes")
GROUPED = ("release", "v.csv", "--column", "vote", "--categories", "a,b", "--by", "sex", "--groups", "f,m")
OPEN = ("--other", "rest", "--other-group", "else")
TWO = ("release", "v.csv", "--column", "vote", "--categories", "a,b", "--column", "sex", "--categories", "f,m")

FORMS: dict[str, tuple[Sequence[str], list[tuple[str, str]]]] = {
    "groups": ((*GROUPED, *OPEN), PAIRS),
    "public groups": ((*GROUPED, *OPEN, "--group-public"), [("a", "f"), ("b", "f"), ("Perot", "f"), ("", "f")]),
    "two columns": ((*TWO, "--other", "rest", "--other", "else"), PAIRS),
}
"""Where groups are public, neighbours differ in the answer alone."""


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("discreet.ledger.file._sync", no_sync)
    monkeypatch.delenv("DISCREET_DEBUG", raising=False)
    return tmp_path


def prepare(place: Path, last: str) -> None:
    """Twelve answers, the last of which is told, and a fresh ledger."""
    write_votes(place / "v.csv", [*VOTES, last])
    (place / "l.db").unlink(missing_ok=True)
    Ledger.create(place / "l.db", dataset="d", epsilon=1)


def prepare_lines(place: Path, line: bytes, at: int = len(VOTES)) -> None:
    """The same with a line of bytes among the others."""
    prepare(place, "b")
    lines = (place / "v.csv").read_bytes().splitlines()
    lines[1 + at] = line
    (place / "v.csv").write_bytes(b"\n".join([*lines, b""]))


def shape(value: Any) -> Any:
    """A document without its numbers."""
    if isinstance(value, dict):
        return {key: shape(part) for key, part in value.items()}
    if isinstance(value, list):
        return [shape(part) for part in value]
    return "number" if isinstance(value, int | float) else value


def words(text: str) -> list[str]:
    """The lines without numbers, blanks and the lines of tables, whose lengths follow the numbers."""
    return [re.sub(r"[^A-Za-zεδ%:]", "", line) for line in text.splitlines()]


@pytest.mark.parametrize("every", [4, pytest.param(1, marks=pytest.mark.soak)])
@pytest.mark.parametrize("arguments", [CHARGED, (*TABLE, "--no-ledger")], ids=["charged", "not charged"])
def test_documents_of_neighbours_have_one_shape(arguments: Sequence[str], every: int, place: Path) -> None:
    seen = set()
    for field in [*(last.encode() for last in NEIGHBOURS), *WRITTEN][::every]:
        prepare_lines(place, field + b",1")
        answer = discreet(*arguments, "--json")
        document = answer.document | {"charge": None}  # the ledger's hash has its time in it
        seen.add((answer.code, answer.err, answer.out.count("\n"), json.dumps(shape(document))))
    assert len(seen) == 1
    assert answer.code == 0


@pytest.mark.few(1)
@pytest.mark.parametrize("options", [("--id-column", "person"), ()])
def test_a_line_that_is_no_record_stops_before_the_charge_in_one_sentence(
    options: tuple[str, ...], place: Path
) -> None:
    seen = set()
    for line in NO_RECORDS:
        for at in (0, len(VOTES)):
            prepare_lines(place, line, at)
            seen.add(discreet(*CHARGED, *options))
            assert Ledger(place / "l.db").verify().rows == 1, "nothing is charged"
    [answer] = seen
    said = (
        "v.csv cannot be read as a table; check that it is whole and well-formed; discreet check says where it is not"
    )
    assert answer == Answer(2, "", f"error: {said}\n")


def test_tables_of_neighbours_have_one_shape(place: Path) -> None:
    seen = set()
    for last in NEIGHBOURS:
        prepare(place, last)
        answer = discreet(*CHARGED)
        seen.add((answer.code, answer.err, *words(answer.out)))
    assert len(seen) == 1
    assert answer.code == 0


def test_the_installed_command_tells_neighbours_no_further_apart(place: Path) -> None:
    seen = set()
    for last in ("a", "Perot"):
        prepare(place, last)
        answer = installed_discreet(*CHARGED, "--json")
        seen.add((answer.code, answer.err, json.dumps(shape(answer.document | {"charge": None}))))
    assert len(seen) == 1


@pytest.mark.few(6)
@pytest.mark.parametrize("debug", ["0", "1"])
@pytest.mark.parametrize("step", run.STEPS)
def test_failures_of_neighbours_are_equal_to_the_byte(
    step: str, debug: str, place: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    monkeypatch.setattr(run, "reached", fail_at(step))
    monkeypatch.setenv("DISCREET_DEBUG", debug)
    seen: set[Answer] = set()
    for last in ("a", "b", "Perot", ""):
        prepare(place, last)
        seen.add(discreet(*CHARGED))
        Ledger(place / "l.db").verify()
    assert len(seen) == 1
    assert seen.pop().code == 1
    assert not caplog.records


@pytest.mark.few(5)
@pytest.mark.parametrize("last", NEIGHBOURS)
def test_without_other_a_stray_stops_before_the_charge_in_words_that_name_nothing(last: str, place: Path) -> None:
    prepare(place, last)
    without = [word for word in CHARGED if word not in ("--other", "rest")]
    answer = discreet(*without)
    rows = Ledger(place / "l.db").verify().rows
    if last in ("a", "b"):
        assert (answer.code, rows) == (0, 3)
    else:
        message = "column 'vote' has values outside the declared categories"
        hint = "give the rest a name with --other, or look with discreet check"
        assert (answer.code, answer.err, rows) == (2, f"error: {message}; {hint}\n", 1)


def prepare_pairs(place: Path, last: tuple[str, str]) -> None:
    rows = "".join(f"{vote},{sex}\n" for vote, sex in [*RECORDS, last])
    (place / "v.csv").write_text("vote,sex\n" + rows, encoding="utf-8")
    (place / "l.db").unlink(missing_ok=True)
    Ledger.create(place / "l.db", dataset="d", epsilon=1, adjacency="replace-answer")


@pytest.mark.parametrize("few", [4, pytest.param(None, marks=pytest.mark.soak)])
@pytest.mark.parametrize("form", FORMS)
def test_documents_and_tables_of_neighbours_have_one_shape(form: str, few: int | None, place: Path) -> None:
    arguments, neighbours = FORMS[form]
    documents, tables = set(), set()
    for last in neighbours[:few]:
        prepare_pairs(place, last)
        answer = discreet(*arguments, *PAID, "--json")
        text = answer.out.replace(Ledger(place / "l.db").history()[1].hash, "")  # it has the ledger's time in it
        documents.add((answer.code, answer.err, answer.out.count("\n"), json.dumps(shape(json.loads(text)))))
        prepare_pairs(place, last)
        shown = discreet(*arguments, *PAID)
        tables.add((shown.code, shown.err, *words(shown.out)))
    assert len(documents) == len(tables) == 1
    assert answer.code == 0


@pytest.mark.few(6)
@pytest.mark.parametrize("step", run.STEPS)
@pytest.mark.parametrize("form", FORMS)
def test_failures_of_neighbours_by_group_are_equal_to_the_byte(
    form: str, step: str, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run, "reached", fail_at(step))
    arguments, neighbours = FORMS[form]
    seen: set[Answer] = set()
    for last in neighbours[:3]:
        prepare_pairs(place, last)
        seen.add(discreet(*arguments, *PAID))
        Ledger(place / "l.db").verify()
    assert len(seen) == 1
    assert seen.pop().code == 1


@pytest.mark.parametrize("last", [("Perot", "f"), ("a", "x"), ("", "")])
@pytest.mark.parametrize("form", ["groups", "two columns"])
def test_a_stray_of_either_column_stops_before_the_charge_in_the_same_words(
    form: str, last: tuple[str, str], place: Path
) -> None:
    prepare_pairs(place, last)
    answer = discreet(*(GROUPED if form == "groups" else TWO), *PAID)
    said = {
        "groups": "error: columns 'vote' and 'sex' have values outside what is declared; ",
        "two columns": "error: a column has values outside what is declared; ",
    }
    assert answer.code == 2
    assert answer.err.startswith(said[form])
    assert answer.err.count("\n") == 1
    assert Ledger(place / "l.db").verify().rows == 1
