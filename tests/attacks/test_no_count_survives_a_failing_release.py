"""A release that fails at any step tells no count: not on a stream, in a log, in the ledger, or in a traceback."""

import logging
import re
import traceback
from pathlib import Path

import pytest

from discreet.errors import DiscreetError
from discreet.ledger import Ledger
from discreet.requests import run
from discreet.requests.run import release
from tests.cli.command import Answer, discreet
from tests.support.tables import write_votes

CANARY = 31337
VOTES = ["a"] * CANARY + ["b"] * 9973
RELEASED = (20_655, 20_655)
"""What every law emits here, so that the canary is never released by chance."""

CHARGED = ("release", "v.csv", "--column", "vote", "--categories", "a,b", "--epsilon", "1/2", "--ledger", "l.db")
ASKED = (*CHARGED, "--dataset", "d", "--request-id", "x", "--yes")


def failing(*_: object, **__: object) -> None:
    """Fails as carelessly as the code of others: with the count in its words, and a cause that has it too."""
    try:
        raise KeyError(CANARY)
    except KeyError as cause:
        raise RuntimeError(f"{CANARY:,} of {CANARY} rows") from cause


AFTER = [step for step in run.STEPS if step not in ("opened", "prepared", "checked")]

PLACES = {
    "the engine": "discreet.counting.duck.DuckTable._fetch",
    "the reader of CSV": "discreet.counting.csv_table.CsvTable._places",
    "the tally": "discreet.counting.table.Counts",
    "the check of counts": "discreet.posteriors.space.PosteriorSpace.counts",
    "the law": "discreet.mechanisms.geometric.Geometric.law",
    "the draw": "discreet.mechanisms.law.Law.draw",
    "the way back": "discreet.mechanisms.geometric.Geometric.posterior",
    "the receipt": "discreet.receipts.receipt.canonical",
    "the seal": "discreet.ledger.book.Ledger.seal",
    "the ledger's rows": "discreet.ledger.book._is_json",
}
"""Where it may go wrong once rows are read."""

ENGINE = "the engine"
"""Which counts people, and no rows of CSV files."""


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_votes(tmp_path_factory.mktemp("table") / "v.csv", VOTES)


@pytest.fixture(autouse=True)
def place(tmp_path: Path, table: Path, monkeypatch: pytest.MonkeyPatch, quick: None) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("discreet.mechanisms.law.Law.draw", lambda law: RELEASED)
    monkeypatch.setattr(
        "discreet.requests.prepare.accuracy_statement", lambda made: {"what": "", "mean": None, "method": ""}
    )
    (tmp_path / "v.csv").symlink_to(table)
    Ledger.create(tmp_path / "l.db", dataset="d", epsilon=1)
    return tmp_path


def assert_silent(text: str) -> None:
    """The count is not in the text; digests are left out, which may have any digits."""
    told = re.sub(r"[0-9a-f]{32,}", "", text)
    for shown in (f"{CANARY}", f"{CANARY:,}", f"{CANARY + 1}", hex(CANARY)):
        assert shown not in told


def fail(where: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let it go wrong in a place, or after a step."""
    if where in PLACES:
        monkeypatch.setattr(PLACES[where], failing)
    else:
        monkeypatch.setattr(run, "reached", lambda step: failing() if step == where else None)


def assert_nothing_told(place: Path, answer: Answer, caplog: pytest.LogCaptureFixture) -> None:
    assert_silent(answer.out + answer.err)
    assert_silent(caplog.text)
    assert_silent(Ledger(place / "l.db").export())
    assert_silent((place / "l.db").read_bytes().decode("latin-1"))
    Ledger(place / "l.db").verify()
    assert sorted(path.name for path in place.iterdir()) == ["l.db", "v.csv"]


def test_the_canary_would_be_seen() -> None:
    with pytest.raises(AssertionError):
        assert_silent(f"there are {CANARY:,} rows")
    with pytest.raises(RuntimeError, match=str(CANARY)):
        failing()


def test_a_release_that_succeeds_tells_no_count(place: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    answer = discreet(*ASKED, "--json")
    assert answer.code == 0
    assert tuple(answer.document["output"]) == RELEASED
    assert_nothing_told(place, answer, caplog)


@pytest.mark.few(13)
@pytest.mark.parametrize("debug", ["0", "1"])
@pytest.mark.parametrize("where", [*PLACES, *AFTER])
def test_a_failure_tells_no_count(
    where: str, debug: str, place: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    monkeypatch.setenv("DISCREET_DEBUG", debug)
    fail(where, monkeypatch)
    answer = discreet(*ASKED, *(("--id-column", "person") if where == ENGINE else ()))
    assert answer.code in (1, 2)
    assert ("Traceback" in answer.err) == (debug == "1")
    assert_nothing_told(place, answer, caplog)


@pytest.mark.parametrize("where", [*PLACES, *AFTER])
def test_no_exception_that_leaves_the_workflow_holds_a_count_in_itself_or_its_causes(
    where: str, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fail(where, monkeypatch)
    people = "person" if where == ENGINE else None
    with pytest.raises(DiscreetError) as failed:
        release("v.csv", column="vote", categories=["a", "b"], epsilon=1, ledger="l.db", dataset="d", id_column=people)
    error: BaseException | None = failed.value
    while error is not None:
        assert_silent(repr(error) + "".join(traceback.format_exception(error)))
        error = error.__cause__ or error.__context__
