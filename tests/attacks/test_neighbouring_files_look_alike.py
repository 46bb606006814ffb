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
from tests.faults import told
from tests.support.tables import fail_at

RECORDS = [b"a,f"] * 3 + [b"b,f"] * 2 + [b"a,m"] * 4 + [b"b,m"] * 2
ANSWERS = ["a", "b", "c", "", " a", "A", "Perot", "0", "31337", "NULL", "nan", "=1+1", "ä", "a\u0308", "x" * 300]
"""What the last of twelve people may have answered."""

WRITTEN = [b"\xff", b"a\xff", b"\0", b'"a"', b'"a\nb"', b'"a\rb\r\n"', b'"a""b"', b'"a,b"', b"\xef\xbb\xbfa", b"\xc3"]
"""The same as bytes of the file."""

NO_RECORDS = [b"a", b"a,1,2", b" ", b"a\rb,1", b"a,1\r\r", b'"a,1', b'a,"1', b'a"b,1', b'"a" ,1', b'\xff"\0,1']
"""Lines that are no record of two fields."""

TEXTS = [f"{answer},f".encode() for answer in ANSWERS]
LINES = [*TEXTS, *(answer + b",f" for answer in WRITTEN)]
PAIRS = [b"a,f", b"b,f", b"a,m", b"b,x", b",", b"Perot,f", b"NULL,F", b"31337,=1+1"]
"""What the last may have answered, and their group."""

VOTE = ("release", "v.csv", "--column", "vote", "--categories", "a,b", "--epsilon", "0.5")
GROUPED = (*VOTE, "--by", "sex", "--groups", "f,m")
TWO = (*VOTE, "--column", "sex", "--categories", "f,m")
PAID = ("--ledger", "l.db", "--dataset", "d", "--request-id", "x", "--yes")
OPEN = ("--other", "rest", "--other-group", "else")

FORMS: dict[str, tuple[Sequence[str], list[bytes]]] = {
    "one column": ((*VOTE, "--other", "rest", *PAID), LINES),
    "not charged": ((*VOTE, "--other", "rest", "--no-ledger"), LINES),
    "latin": ((*VOTE, "--other", "rest", "--missing", "none", "--encoding", "latin-1", *PAID), LINES),
    "groups": ((*GROUPED, *OPEN, *PAID), PAIRS),
    "public groups": ((*GROUPED, *OPEN, "--group-public", *PAID), [b"a,f", b"b,f", b"Perot,f", b",f"]),
    "two columns": ((*TWO, "--other", "rest", "--other", "else", *PAID), PAIRS),
}
"""Where groups are public, neighbours differ in the answer alone."""


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, quick: None) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("DISCREET_DEBUG", raising=False)
    return tmp_path


def prepare(place: Path, line: bytes, at: int = len(RECORDS)) -> None:
    """Twelve records, of which one is told, and a fresh ledger."""
    lines = [*RECORDS, b"b,f"]
    lines[at] = line
    (place / "v.csv").write_bytes(b"\n".join([b"vote,sex", *lines, b""]))
    (place / "l.db").unlink(missing_ok=True)
    Ledger.create(place / "l.db", dataset="d", epsilon=1, adjacency="replace-answer")


def some(neighbours: list[bytes], most: int) -> list[bytes]:
    """From the first on, as many as are wanted."""
    return neighbours[:: -(-len(neighbours) // most)]


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


def seen_in(answer: Answer, place: Path) -> tuple[object, ...]:
    """What a document tells beside its numbers."""
    text = answer.out
    for charge in Ledger(place / "l.db").history()[1:2]:
        text = text.replace(charge.hash, "")  # it has the ledger's time in it
    text = re.sub(r"T[0-9:]{8}[+]00:00", "", text)
    return answer.code, answer.err, answer.out.count("\n"), json.dumps(shape(json.loads(text)))


@pytest.mark.parametrize("most", [3, pytest.param(100, marks=pytest.mark.soak)])
@pytest.mark.parametrize("form", FORMS)
def test_documents_and_tables_of_neighbours_have_one_shape(form: str, most: int, place: Path) -> None:
    arguments, neighbours = FORMS[form]
    documents, tables = set(), set()
    for line in some(neighbours, most):
        prepare(place, line)
        documents.add(seen_in(discreet(*arguments, "--json"), place))
        prepare(place, line)
        answer = discreet(*arguments)
        tables.add((answer.code, answer.err, *words(answer.out)))
    assert len(documents) == len(tables) == 1
    assert answer.code == 0


def test_the_installed_command_tells_neighbours_no_further_apart(place: Path) -> None:
    documents = set()
    for line in (b"a,f", b"Perot,f"):
        prepare(place, line)
        documents.add(seen_in(installed_discreet(*FORMS["one column"][0], "--json"), place))
    assert len(documents) == 1


@pytest.mark.few(1)
@pytest.mark.parametrize("options", [("--id-column", "sex"), ("--encoding", "latin-1"), ()])
def test_a_line_that_is_no_record_stops_before_the_charge_in_one_sentence(
    options: tuple[str, ...], place: Path
) -> None:
    answers = set()
    for line in NO_RECORDS:
        for at in (0, len(RECORDS)):
            prepare(place, line, at)
            answers.add(discreet(*FORMS["one column"][0], *options))
            assert Ledger(place / "l.db").verify().rows == 1, "nothing is charged"
    hint = "check that it is whole and well-formed; discreet check says where it is not"
    assert answers == {Answer(2, "", f"error: v.csv cannot be read as a table; {hint}\n")}


@pytest.mark.few(12)
@pytest.mark.parametrize("debug", ["0", "1"])
@pytest.mark.parametrize("step", run.STEPS)
@pytest.mark.parametrize("form", [form for form in FORMS if form != "not charged"])
def test_failures_of_neighbours_are_equal_to_the_byte(
    form: str, step: str, debug: str, place: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    monkeypatch.setattr(run, "reached", fail_at(step))
    monkeypatch.setenv("DISCREET_DEBUG", debug)
    arguments, neighbours = FORMS[form]
    answers = set()
    for line in some(neighbours, 4):
        prepare(place, line)
        answers.add(discreet(*arguments))
        Ledger(place / "l.db").verify()
    [answer] = answers
    assert answer.code == 1
    assert not caplog.records


NAMED = "give the rest a name with --other (NULL and empty texts with --missing), or look with discreet check\n"
STRAYS = {
    "one column": (VOTE, TEXTS, f"column 'vote' has values outside the declared categories; {NAMED}"),
    "groups": (GROUPED, PAIRS, "column 'vote' or 'sex' has values outside what is declared; "),
    "two columns": (TWO, PAIRS, "a column has values outside what is declared; "),
}


@pytest.mark.parametrize("most", [8, pytest.param(100, marks=pytest.mark.soak)])
@pytest.mark.parametrize("form", STRAYS)
def test_without_other_a_stray_stops_before_the_charge_in_words_that_name_nothing(
    form: str, most: int, place: Path
) -> None:
    arguments, neighbours, words = STRAYS[form]
    refusals = set()
    for line in some(neighbours, most):
        prepare(place, line)
        answer = discreet(*arguments, *PAID)
        if line in RECORDS:
            assert (answer.code, Ledger(place / "l.db").verify().rows) == (0, 3)
        else:
            assert (answer.code, Ledger(place / "l.db").verify().rows) == (2, 1)
            refusals.add(answer.err)
    [refusal] = refusals
    assert refusal.startswith(f"error: {words}")
    assert refusal.count("\n") == 1


def test_a_warning_that_depends_on_a_count_is_found_out(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told.empty_category_warned_of(monkeypatch)
    arguments, documents = FORMS["one column"][0], set()
    for line in (b"Perot,f", b"a,f"):
        prepare(place, line)
        documents.add(seen_in(discreet(*arguments, "--json"), place))
    assert len(documents) == 2


def test_a_refusal_that_tells_strays_apart_is_found_out(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told.strays_told_apart(monkeypatch)
    refusals = set()
    for lines in ([b"Perot,f"], [b"Perot,f", b"Perot,m"]):
        prepare(place, lines[0])
        if lines[1:]:
            whole = (place / "v.csv").read_bytes()
            (place / "v.csv").write_bytes(whole.replace(b"a,f", lines[1], 1))
        refusals.add(discreet(*VOTE, *PAID).err)
    assert len(refusals) == 2
