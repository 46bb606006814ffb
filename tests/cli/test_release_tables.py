"""`discreet release` on tables, with a ledger and without."""

import errno
import json
import os
import pty
import subprocess
from fractions import Fraction
from pathlib import Path

import duckdb
import pytest

from discreet.cli.outputs import ReservedFile
from discreet.ledger import Ledger
from tests.cli.command import SCRIPT, assert_painted, assert_refused, told, typed
from tests.support.tables import write_votes

REQUEST = "release v.csv --column vote --categories a,b"
TABLE = f"{REQUEST} --epsilon 0.5"
PAID = "--ledger l.db --dataset d"
CHARGED = f"{TABLE} {PAID}"

pytestmark = pytest.mark.usefixtures("place")


def test_a_table_is_released_charged_and_sealed(place: Path) -> None:
    document = told(f"{CHARGED} --yes --out r.json --plot r.png")
    assert json.loads((place / "r.json").read_text()) == document
    assert_painted(place / "r.png")
    assert document["n"] == 16
    assert Ledger(place / "l.db").spent("d").epsilon == 0.5
    assert sorted(path.name for path in place.iterdir()) == ["l.db", "r.json", "r.png", "v.csv"]
    assert told(f"{TABLE} --no-ledger")["dataset"] is None


def test_people_see_the_price_before_and_the_posterior_its_meaning_and_a_paragraph_after() -> None:
    answer = typed(f"{CHARGED} --yes")
    assert answer.code == 0
    before, _, after = answer.out.partition("shares of vote")
    for words in ("about to release", "ε = 0.5 (exactly 1/2)", "points wide", "expected error"):
        assert words in before
    for words in ("a factor of at most 1.65", "\nmean and interval: ", "For the methods section"):
        assert words in after


def test_a_missing_ledger_is_exit_5_and_is_not_made(place: Path) -> None:
    for file in ("x.db", "v.csv"):
        assert_refused(typed(f"{TABLE} --ledger {file} --dataset d --yes"), code=5)
    assert not (place / "x.db").exists()


def test_a_release_beyond_the_budget_is_exit_3_and_costs_nothing(place: Path) -> None:
    typed(f"{CHARGED} --yes")
    for epsilon in ("0.50000000000000000001", "1"):
        assert_refused(typed(f"{REQUEST} --epsilon {epsilon} {PAID} --yes"), code=3)
    assert Ledger(place / "l.db").remaining("d").epsilon == 0.5


def test_a_mechanism_without_a_guarantee_is_exit_4_and_costs_nothing(place: Path) -> None:
    assert_refused(typed(f"{CHARGED} --mechanism optimal --yes"), code=4)
    assert Ledger(place / "l.db").spent("d").epsilon == 0


def test_without_a_terminal_and_without_yes_a_charge_is_refused_before_the_data_or_the_ledger_is_opened(
    place: Path,
) -> None:
    answer = typed(CHARGED)
    assert_refused(answer)
    assert "confirmed" in answer.err
    for missing in ("v.csv", "l.db"):
        (place / missing).unlink()
        assert typed(CHARGED) == answer


@pytest.mark.few(1)
@pytest.mark.parametrize(("keys", "code", "spent"), [("y\n", 0, 0.5), ("n\n", 2, 0), ("\x04", 2, 0), ("\x03", 2, 0)])
def test_on_a_terminal_a_charge_is_asked_for_and_only_a_yes_is_a_yes(
    keys: str, code: int, spent: float, place: Path
) -> None:
    """The keys are typed into a real terminal: y, n, Ctrl-D and Ctrl-C."""
    ours, theirs = pty.openpty()
    running = subprocess.Popen(
        [str(SCRIPT), *CHARGED.split()],
        stdin=theirs,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONUTF8": "1", "COLUMNS": "120"},
        start_new_session=True,
    )
    os.close(theirs)
    assert running.stdout is not None
    first = running.stdout.readline()  # the plan: the question follows it
    if keys == "\x03":
        running.send_signal(2)  # the terminal is not its controlling one, so that Ctrl-C is sent by hand
    else:
        os.write(ours, keys.encode())
    out, err = running.communicate(timeout=120)
    os.close(ours)
    assert "about to release" in first
    assert running.returncode in ({code, 130} if keys == "\x03" else {code}), err
    assert "Traceback" not in err
    assert ("shares of vote" in out) == (code == 0)
    assert Ledger(place / "l.db").spent("d").epsilon == spent


def test_a_dry_run_touches_neither_data_nor_ledger(place: Path) -> None:
    for path in place.iterdir():
        path.unlink()
    document = told(f"{CHARGED} --n 13 --dry-run --out r.json")
    assert document["output"] is document["request_id"] is None
    assert document["certificate"]["loss"] == "1/2"
    assert list(place.iterdir()) == []
    people = typed(f"{TABLE} --no-ledger --n 13 --dry-run").out
    assert "dry run: nothing was drawn" in people
    assert "from a zcdp budget it would take ρ = 0." in people
    assert_refused(typed(f"{CHARGED} --dry-run --n 13 --mechanism optimal"), code=4)


def test_a_dry_run_says_what_the_release_then_says_of_price_and_accuracy() -> None:
    draft, final = told(f"{TABLE} --no-ledger --n 16 --dry-run"), told(f"{TABLE} --no-ledger")
    drawn = {"output", "posterior", "belief", "interval", "released_at", "citation"}
    assert {key: draft[key] for key in set(draft) - drawn} == {key: final[key] for key in set(final) - drawn}


def test_the_same_request_id_shows_the_same_outcome_and_costs_nothing(place: Path) -> None:
    line = f"{CHARGED} --yes --request-id x"
    assert told(f"{line} --out 1.json") == told(f"{line} --out 2.json")
    assert (place / "1.json").read_bytes() == (place / "2.json").read_bytes()
    assert Ledger(place / "l.db").spent("d").epsilon == 0.5
    other = typed(f"{line} --prior 2,1 --json")
    assert (other.code, other.document["error"]["kind"]) == (2, "InvalidInput")
    assert "charged before under this request id: nothing more was charged" in typed(line).out
    assert "charged before" not in typed(f"{CHARGED} --yes --again").out


def test_one_record_a_person_is_counted_and_said(place: Path) -> None:
    write_votes(place / "v.csv", ["a", "a", "a", "b"], people=[1, 1, 1, 2])
    rows, people = told(f"{TABLE} --no-ledger"), told(f"{TABLE} --id-column person --no-ledger")
    assert (rows["n"], rows["unit"]) == (4, "one row")
    assert (people["n"], people["unit"]) == (2, "one person, all rows with the same id")
    answer = typed(f"{TABLE} --id-column person --no-ledger")
    assert "replacing one person (all rows with the same id)" in answer.out
    assert "│ people                     │" in answer.out
    assert "mechanism: geometric, on n = 2 people\n" in answer.out
    private = typed(f"{TABLE} --id-column person --no-ledger --adjacency add-remove --out people.json")
    for printed in (private.out, typed("infer people.json").out):
        assert "\npeople in the categories: " in printed
        assert ", on a private number of people\n" in printed


def test_a_csv_file_of_another_format_and_names_with_commas_are_read_as_declared(place: Path) -> None:
    (place / "v.csv").write_text('"x";"a,b"\n"y";c\n', encoding="utf-8")
    line = "release v.csv --epsilon 1000 --no-ledger --delimiter ; --no-header --column column1 --categories"
    document = told(line, '"a,b",c')
    assert (document["categories"], document["output"]) == (["a,b", "c"], [1, 1])


def test_tabs_another_encoding_and_missing_values_are_read_as_declared(place: Path) -> None:
    (place / "v.tsv").write_bytes("drink\tn\ncafé\t1\n\t2\nmaté\t3\ncafé\t4\n".encode("cp1252"))
    line = "release v.tsv --epsilon 1000 --column drink --encoding cp1252 --categories café,thé --missing unsaid"
    document = told(f"{line} --other else --no-ledger")
    assert (document["categories"], document["output"]) == (["café", "thé", "unsaid", "else"], [2, 0, 1, 1])
    stray = typed(f"{line} --ledger l.db --dataset d --yes".replace("1000", "1"))
    assert stray.code == 2
    assert "outside the declared categories" in stray.err
    assert Ledger(place / "l.db").spent("d").epsilon == 0, "other strays stop before the charge"
    two = told(
        "release v.tsv --epsilon 1000 --no-ledger --encoding cp1252 --column drink --categories café --other else"
        " --missing unsaid --column n --categories 1,2 --other rest --missing",
        "",
    )
    assert [part["categories"] for part in two["parts"]] == [["café", "unsaid", "else"], ["1", "2", "rest"]]


def test_no_file_takes_the_place_of_a_ledger_by_whichever_name(place: Path) -> None:
    rows = Ledger(place / "l.db").verify().rows
    os.link(place / "l.db", place / "hard.db")
    (place / "soft.db").symlink_to("l.db")
    counts = "release --counts 3,4 --epsilon 1 --no-ledger"
    for name in ("l.db", "hard.db", "soft.db"):
        for line in ("ledger export l.db", f"{CHARGED} --yes", f"{TABLE} --no-ledger", counts):
            assert_refused(typed(f"{line} --out {name}"))
    assert Ledger(place / "l.db").verify().rows == rows


def test_no_receipt_takes_the_place_of_a_table(place: Path) -> None:
    write_votes(place / "v2.csv", ["a"] * 3)
    with duckdb.connect(place / "t.duckdb") as connection:
        connection.execute("CREATE TABLE votes AS SELECT 'a' AS vote")
        connection.execute("COPY votes TO 'v.parquet'")
    os.link(place / "v.csv", place / "hard.csv")
    for source, out in (
        ("v*.csv", "v2.csv"),
        ("v.csv", "hard.csv"),
        ("duckdb://t.duckdb/votes", "t.duckdb"),
        ("v.csv", "v.parquet"),
        ("v.csv", "t.duckdb"),
    ):
        before = (place / out).read_bytes()
        assert_refused(typed(f"{TABLE} --no-ledger --out {out}".replace("v.csv", source, 1)))
        assert (place / out).read_bytes() == before


def test_what_a_full_disk_does_not_keep_is_printed(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(self: ReservedFile, content: bytes) -> None:
        raise OSError(errno.ENOSPC, "no space left")

    monkeypatch.setattr(ReservedFile, "write", full)
    answer = typed(f"{TABLE} --no-ledger --out r.json")
    assert answer.code == 2
    assert "shares of vote" in answer.out
    assert "r.json could not be written" in answer.err
    assert not (place / "r.json").exists()


@pytest.mark.parametrize("asked", ["--column vote --categories a,b", "--cross vote=a,b --cross sex=f,m"])
def test_a_budget_that_pays_twice_says_so_before_it_pays(place: Path, asked: str) -> None:
    """To replace is to remove and to add: what protects the number of records costs twice."""
    answer = typed(f"release v.csv {asked} --adjacency add-remove --epsilon 1/8 --ledger l.db --dataset d --yes").out
    before, _, _ = answer.partition("mechanism:")
    assert "The budget pays ε = 0.25" in before
    assert "to be spent" in before
    assert Ledger(place / "l.db").spent("d").epsilon == Fraction(1, 4)
    assert "ε = 0.125, paid 0.25" in typed("ledger history l.db", COLUMNS="120").out
    dry = typed(f"release v.csv {asked} --adjacency add-remove --epsilon 1/8 --dry-run --no-ledger").out
    assert "from a budget under replace-one it would take ε = 0.25" in dry


def test_a_budget_that_pays_once_says_nothing_of_it(place: Path) -> None:
    answer = typed("release v.csv --column vote --categories a,b --epsilon 1/8 --ledger l.db --dataset d --yes").out
    assert "ε = 0.125 (exactly 1/8), δ = 0" in answer
    assert "budget pays" not in answer
    assert "paid" not in typed("ledger history l.db").out
