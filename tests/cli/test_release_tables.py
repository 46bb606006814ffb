"""`discreet release` on tables, with a ledger and without."""

import errno
import json
import os
import pty
import subprocess
from pathlib import Path

import pytest

from discreet.cli.files import Reserved
from discreet.ledger import Ledger
from tests.cli.command import SCRIPT, Answer, assert_refused, discreet
from tests.support.tables import no_sync, write_votes

TABLE = ("release", "v.csv", "--column", "vote", "--categories", "a,b", "--epsilon", "0.5")
CHARGED = (*TABLE, "--ledger", "l.db", "--dataset", "d")


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory with a table of 13 votes, and a ledger with a budget of 1."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("discreet.ledger.file._sync", no_sync)
    write_votes(tmp_path / "v.csv", ["a"] * 8 + ["b"] * 5)
    Ledger.create(tmp_path / "l.db", dataset="d", epsilon=1)
    return tmp_path


def test_a_table_is_released_charged_and_sealed_by_the_installed_command(place: Path) -> None:
    answer = discreet(*CHARGED, "--yes", "--json", "--out", "r.json", "--plot", "r.png", cwd=place)
    assert (answer.code, answer.err) == (0, "")
    assert json.loads((place / "r.json").read_text()) == answer.document
    assert (place / "r.png").read_bytes().startswith(b"\x89PNG")
    assert answer.document["n"] == 13
    assert Ledger(place / "l.db").spent("d").epsilon == 0.5
    assert sorted(path.name for path in place.iterdir()) == ["l.db", "r.json", "r.png", "v.csv"]


def test_people_see_the_price_before_and_the_posterior_its_meaning_and_a_paragraph_after() -> None:
    answer = discreet(*CHARGED, "--yes")
    assert answer.code == 0
    before, _, after = answer.out.partition("released posterior")
    assert "about to release" in before
    assert "ε = 1/2" in before
    assert "expected error" in before
    assert "a factor of at most 1.65" in after
    assert "\nintervals: " in after
    assert "For the methods section" in after


def test_either_a_ledger_or_no_ledger_must_be_said() -> None:
    answer = discreet(*TABLE, "--yes")
    assert_refused(answer)
    assert "--ledger or --no-ledger" in answer.err
    assert_refused(discreet(*CHARGED, "--no-ledger", "--yes"))
    assert_refused(discreet(*TABLE, "--ledger", "l.db", "--yes"))
    assert_refused(discreet(*TABLE, "--no-ledger", "--dataset", "d", "--yes"))
    assert_refused(discreet(*TABLE, "--no-ledger", "--request-id", "x"))
    assert discreet(*TABLE, "--no-ledger", "--json").document["dataset"] is None


def test_a_missing_ledger_is_exit_5_and_is_not_made(place: Path) -> None:
    assert_refused(discreet(*TABLE, "--ledger", "x.db", "--dataset", "d", "--yes"), code=5)
    assert not (place / "x.db").exists()
    assert_refused(discreet(*TABLE, "--ledger", "v.csv", "--dataset", "d", "--yes"), code=5)
    assert_refused(discreet(*TABLE, "--ledger", "l.db", "--dataset", "e", "--yes"), code=2)


def test_a_release_beyond_the_budget_is_exit_3_and_costs_nothing(place: Path) -> None:
    discreet(*CHARGED, "--yes")
    for epsilon in ("0.50000000000000000001", "1"):
        assert_refused(discreet(*CHARGED[:6], "--epsilon", epsilon, *CHARGED[8:], "--yes"), code=3)
    assert Ledger(place / "l.db").remaining("d").epsilon == 0.5


def test_a_mechanism_without_a_guarantee_is_exit_4_and_costs_nothing(place: Path) -> None:
    assert_refused(discreet(*CHARGED, "--mechanism", "optimal", "--yes"), code=4)
    assert Ledger(place / "l.db").spent("d").epsilon == 0


def test_without_a_terminal_and_without_yes_a_charge_is_refused_before_the_data_or_the_ledger_is_opened(
    place: Path,
) -> None:
    answer = discreet(*CHARGED, cwd=place)
    assert_refused(answer)
    assert "confirmed" in answer.err
    for missing in ("v.csv", "l.db"):
        (place / missing).unlink()
        assert discreet(*CHARGED, cwd=place) == answer


@pytest.mark.few(2)
@pytest.mark.parametrize(("typed", "code", "spent"), [("y\n", 0, 0.5), ("n\n", 2, 0), ("\x04", 2, 0), ("\x03", 2, 0)])
def test_on_a_terminal_a_charge_is_asked_for_and_only_a_yes_is_a_yes(
    typed: str, code: int, spent: float, place: Path
) -> None:
    """The keys are typed into a real terminal: y, n, Ctrl-D and Ctrl-C."""
    ours, theirs = pty.openpty()
    running = subprocess.Popen(
        [str(SCRIPT), *CHARGED],
        stdin=theirs,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=place,
        env={**os.environ, "PYTHONUTF8": "1", "COLUMNS": "120"},
        start_new_session=True,
    )
    os.close(theirs)
    assert running.stdout is not None
    first = running.stdout.readline()  # the plan: the question follows it
    if typed == "\x03":
        running.send_signal(2)  # the terminal is not its controlling one, so that Ctrl-C is sent by hand
    else:
        os.write(ours, typed.encode())
    out, err = running.communicate(timeout=120)
    os.close(ours)
    assert "about to release" in first
    assert running.returncode in ({code, 130} if typed == "\x03" else {code}), err
    assert "Traceback" not in err
    assert ("released posterior" in out) == (code == 0)
    assert Ledger(place / "l.db").spent("d").epsilon == spent


def test_a_dry_run_touches_neither_data_nor_ledger(place: Path) -> None:
    for path in place.iterdir():
        path.unlink()
    answer = discreet(*CHARGED, "--n", "13", "--dry-run", "--json", "--out", "r.json")
    assert answer.code == 0
    assert answer.document["output"] is answer.document["request_id"] is None
    assert answer.document["certificate"]["loss"] == "1/2"
    assert list(place.iterdir()) == []
    shown = discreet(*TABLE, "--no-ledger", "--n", "13", "--dry-run").out
    assert "dry run: nothing was drawn" in shown
    assert "from a zcdp budget it would take ρ = 0." in shown
    assert_refused(discreet(*CHARGED, "--dry-run"))
    assert_refused(discreet(*CHARGED, "--dry-run", "--n", "13", "--mechanism", "optimal"), code=4)


def test_a_dry_run_says_what_the_release_then_says_of_price_and_accuracy() -> None:
    draft = discreet(*TABLE, "--no-ledger", "--n", "13", "--dry-run", "--json").document
    final = discreet(*TABLE, "--no-ledger", "--json").document
    drawn = {"output", "posterior", "interval"}
    assert {key: draft[key] for key in set(draft) - drawn} == {key: final[key] for key in set(final) - drawn}


def test_the_same_request_id_shows_the_same_outcome_and_costs_nothing(place: Path) -> None:
    asked = (*CHARGED, "--yes", "--request-id", "x", "--json")
    first, again = discreet(*asked, "--out", "1.json"), discreet(*asked, "--out", "2.json")
    assert first.document == again.document
    assert (place / "1.json").read_bytes() == (place / "2.json").read_bytes()
    assert Ledger(place / "l.db").spent("d").epsilon == 0.5
    assert_refused_json(discreet(*asked, "--prior", "2,1"), "InvalidInput", 2)
    assert "released before under this request id: nothing was charged" in discreet(*asked[:-1]).out
    assert "released before" not in discreet(*CHARGED, "--yes").out


def assert_refused_json(answer: Answer, kind: str, code: int) -> None:
    assert answer.code == code
    assert answer.document["error"]["kind"] == kind


def test_one_record_a_person_is_counted_and_said(place: Path) -> None:
    write_votes(place / "v.csv", ["a", "a", "a", "b"], people=[1, 1, 1, 2])
    rows = discreet(*TABLE, "--no-ledger", "--json").document
    people = discreet(*TABLE, "--id-column", "person", "--no-ledger", "--json").document
    assert (rows["n"], rows["unit"]) == (4, "one row")
    assert (people["n"], people["unit"]) == (2, "one person, all rows with the same id")
    answer = discreet(*TABLE, "--id-column", "person", "--no-ledger")
    assert "replacing one person (all rows with the same id)" in answer.out


def test_a_csv_file_of_another_format_and_names_with_commas_are_read_as_declared(place: Path) -> None:
    (place / "v.csv").write_text('"x";"a,b"\n"y";c\n', encoding="utf-8")
    asked = ("release", "v.csv", "--categories", '"a,b",c', "--epsilon", "1000", "--no-ledger", "--json")
    answer = discreet(*asked, "--delimiter", ";", "--no-header", "--column", "column1")
    assert answer.code == 0, answer
    assert answer.document["categories"] == ["a,b", "c"]
    assert answer.document["output"] == [1, 1]


UNMEANT = [
    ("--out", "v.csv"),  # the table to be overwritten
    ("--out", "./l.db"),  # the ledger to be overwritten
    ("--plot", "l.db"),  # the ledger to be painted over
    ("--n", "14"),  # another number of records
    ("--n", "nan"),  # a number that is none
    ("--engine", "abacus"),  # another engine
    ("--column", "votes"),  # another column
    ("--categories", "a"),  # one category
    ("--categories", 'a,"b'),  # a quotation that does not end
    ("--delimiter", "ab"),  # a delimiter of two
    ("--counts", "8,5"),  # a table and counts
    ("--request-id", " "),  # a request without a name
    ("--out", "no/such/place.json"),  # a place that is not there
    ("--prior", "1,1,1"),  # a prior for three
]


@pytest.mark.parametrize("arguments", UNMEANT, ids=" ".join)
def test_what_cannot_be_meant_is_refused_and_costs_nothing(arguments: tuple[str, ...], place: Path) -> None:
    table, book = (place / "v.csv").read_bytes(), (place / "l.db").read_bytes()
    assert_refused(discreet(*CHARGED, "--yes", *arguments))
    assert (place / "v.csv").read_bytes() == table
    assert (place / "l.db").read_bytes() == book
    assert len(list(place.iterdir())) == 2


def test_no_file_takes_the_place_of_a_ledger_by_whichever_name(place: Path) -> None:
    ledger = Ledger(place / "l.db")
    os.link(place / "l.db", place / "hard.db")
    (place / "soft.db").symlink_to("l.db")
    for name in ("l.db", "hard.db", "soft.db"):
        for command in (
            ("ledger", "export", "l.db", "--out", name),
            (*CHARGED, "--yes", "--out", name),
            (*TABLE, "--no-ledger", "--out", name),
            ("release", "--counts", "3,4", "--epsilon", "1", "--no-ledger", "--out", name),
        ):
            assert_refused(discreet(*command), 2)
    assert ledger.verify().rows == 1


def test_no_receipt_takes_the_place_of_a_table(place: Path) -> None:
    import duckdb

    write_votes(place / "v2.csv", ["a"] * 3)
    with duckdb.connect(place / "t.duckdb") as connection:
        connection.execute("CREATE TABLE votes AS SELECT 'a' AS vote")
        connection.execute("COPY votes TO 'v.parquet'")
    os.link(place / "v.csv", place / "hard.csv")
    rest = TABLE[2:]
    for source, out in (
        ("v*.csv", "v2.csv"),
        ("v.csv", "hard.csv"),
        ("duckdb://t.duckdb/votes", "t.duckdb"),
        ("v.csv", "v.parquet"),
        ("v.csv", "t.duckdb"),
    ):
        before = (place / out).read_bytes()
        assert_refused(discreet("release", source, *rest, "--no-ledger", "--out", out), 2)
        assert (place / out).read_bytes() == before


@pytest.mark.parametrize("budget", [CHARGED[-4:], ("--no-ledger",)])
def test_what_a_full_disk_does_not_keep_is_printed_and_can_be_had_again(
    budget: tuple[str, ...], place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(self: Reserved, content: bytes) -> None:
        raise OSError(errno.ENOSPC, "no space left")

    monkeypatch.setattr(Reserved, "write", full)
    answer = discreet(*TABLE, *budget, "--yes", "--out", "r.json")
    assert answer.code == 2
    assert "released posterior" in answer.out
    assert "r.json could not be written" in answer.err
    assert not (place / "r.json").exists()
    if "--ledger" in budget:
        request = answer.err.split("--request-id ")[1].strip()
        monkeypatch.undo()
        monkeypatch.chdir(place)
        again = discreet(*TABLE, *budget, "--yes", "--json", "--request-id", request, "--out", "r.json")
        assert again.code == 0
        assert Ledger(place / "l.db").spent("d").epsilon == 0.5
