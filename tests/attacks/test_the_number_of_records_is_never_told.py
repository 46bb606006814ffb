"""Under add-remove, all that the world sees of a table is its noisy counts: no byte depends on how many records it has.

The draw and the clock are held still here. Then everything must be equal to the byte between a table, one with a record
more or less of any kind, and the empty one: standard output and error, exit code, receipt, picture's numbers, ledger.
"""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import pytest

import discreet as dc
from discreet.ledger import Ledger
from discreet.mechanisms import Mechanism, Released
from discreet.requests import run
from tests.attacks.test_neighbouring_files_look_alike import shape, words
from tests.cli.command import Answer, discreet, installed_discreet
from tests.cli.command import told as read_json
from tests.counting.tables import as_sqlite
from tests.faults import sizes
from tests.faults.planting import Fault
from tests.support.tables import fail_at

Record = tuple[str, ...]

COLUMNS = ("vote", "sex", "region", "who")
RECORDS: list[Record] = [
    ("a", "f", "north", "1"), ("b", "f", "north", "2"), ("a", "m", "south", "3"), ("b", "m", "east", "4"),
    ("a", "f", "north", "5"), ("", "f", "south", "5"), ("Perot", "x", "north", "6"), ("b", "m", "north", "6"),
]  # fmt: skip
MORE: list[list[Record]] = [
    [("a", "f", "north", "7")], [("Perot", "f", "north", "7")], [("b", "m", "west", "7")], [("", "", "", "7")],
    [("a", "f", "north", "7"), ("b", "m", "south", "7"), ("c", "q", "west", "7")], [("a", "m", "south", "")],
]  # fmt: skip
"""What one more person may be: one row, or with an id column several."""

VOTE = ("release", "SOURCE", "--column", "vote", "--categories", "a,b", "--epsilon", "0.5", "--adjacency", "add-remove")
GROUPED = (*VOTE, "--by", "sex", "--groups", "f,m")
PEOPLE = (*GROUPED, "--id-column", "who")
TWO = (*VOTE, "--column", "sex", "--categories", "f,m")
RATES = (
    *("release", "SOURCE", "--rates", "--by", "sex", "--groups", "f,m", "--exposure", "f=1000,m=900", "--per", "100"),
    *("--epsilon", "0.5", "--adjacency", "add-remove"),
)
NORTH = ("--filter", "region=north,south")
PAID = ("--ledger", "l.db", "--dataset", "d", "--request-id", "x", "--yes", "--out", "r.json")

FORMS: dict[str, Sequence[str]] = {
    "one column": (*VOTE, *NORTH, *PAID),
    "not charged": (*VOTE, "--no-ledger"),
    "other and missing": (*VOTE, "--other", "rest", "--missing", "none", *PAID),
    "groups": (*GROUPED, *NORTH, *PAID),
    "people": (*PEOPLE, *NORTH, *PAID),
    "two columns": (*TWO, *NORTH, *PAID),
    "rates": (*RATES, *NORTH, *PAID),
    "a dry run": (*VOTE, *NORTH, "--no-ledger", "--dry-run"),
}


def as_csv(path: Path, rows: Sequence[Record]) -> str:
    (path / "v.csv").write_text("".join(",".join(row) + "\n" for row in (COLUMNS, *rows)), encoding="utf-8")
    return "v.csv"


def as_parquet(path: Path, rows: Sequence[Record]) -> str:
    frame = pd.DataFrame(rows, columns=list(COLUMNS), dtype="string")
    frame.to_parquet(path / "v.parquet")
    return "v.parquet"


def as_duckdb(path: Path, rows: Sequence[Record]) -> str:
    (path / "v.db").unlink(missing_ok=True)
    with duckdb.connect(path / "v.db") as connection:
        connection.execute(f"CREATE TABLE t ({', '.join(f'{name} VARCHAR' for name in COLUMNS)})")
        for row in rows:
            connection.execute("INSERT INTO t VALUES (?, ?, ?, ?)", list(row))
    return "duckdb://v.db/t"


def in_sqlite(path: Path, rows: Sequence[Record]) -> str:
    (path / "people.db").unlink(missing_ok=True)
    as_sqlite(path, {name: ("TEXT", [row[i] for row in rows]) for i, name in enumerate(COLUMNS)})
    return "sqlite://people.db/t"


def neighbours(people: bool) -> list[list[Record]]:
    """The table, with a record more or less, and none at all."""
    more = [extra if people else extra[:1] for extra in MORE]
    return [RECORDS, *(RECORDS + extra for extra in more), RECORDS[1:], RECORDS[:4] + RECORDS[6:], []]


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, quick: None) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("DISCREET_DEBUG", raising=False)
    return tmp_path


@pytest.fixture
def still(monkeypatch: pytest.MonkeyPatch) -> None:
    """The draw and the clock are the same for everyone; nothing else is held."""

    def draw(mechanism: Mechanism, counts: object, **_: object) -> Released:
        mechanism.space.counts(counts)
        output = tuple(range(5, 5 + mechanism.space.k))
        return Released(posterior=mechanism.posterior(output), output=output, mechanism=mechanism)

    monkeypatch.setattr(Mechanism, "release", draw)
    for module in ("ledger.book", "requests.prepare"):
        monkeypatch.setattr(f"discreet.{module}.utc_now", lambda: "2030-01-01T00:00:00+00:00")


def ask(place: Path, arguments: Sequence[str], rows: Sequence[Record], write: Any = as_csv) -> Answer:
    """The command's answer for a table, with a fresh ledger."""
    for name in ("l.db", "r.json"):
        (place / name).unlink(missing_ok=True)
    who = "who" if "--id-column" in arguments else None
    Ledger.create(place / "l.db", dataset="d", epsilon=1, adjacency="add-remove", id_column=who)
    source = write(place, rows)
    return discreet(*(source if word == "SOURCE" else word for word in arguments))


def all_that_is_seen(
    place: Path, arguments: Sequence[str], rows: Sequence[Record], write: Any = as_csv
) -> tuple[Answer, bytes, bytes]:
    answer = ask(place, arguments, rows, write)
    written = (place / "r.json").read_bytes() if (place / "r.json").exists() else b""
    return answer, written, (place / "l.db").read_bytes()


@pytest.mark.usefixtures("still")
@pytest.mark.parametrize("step", [4, pytest.param(1, marks=pytest.mark.soak)])
@pytest.mark.parametrize("form", FORMS)
def test_not_a_byte_depends_on_how_many_records_there_are(form: str, step: int, place: Path) -> None:
    tables = [*neighbours(people=form == "people")[::step], []]
    for option in ((), ("--json",)) if form in ("people", "two columns") else ((),):
        [seen] = {all_that_is_seen(place, (*FORMS[form], *option), rows) for rows in tables}
        answer, written, _ = seen
        assert (answer.code, answer.err) == (0, "")
        assert b'"n"' not in written
        assert '"n":' not in answer.out
        assert "--no-ledger" in FORMS[form] or written


@pytest.mark.few(1)
@pytest.mark.usefixtures("still")
@pytest.mark.parametrize("write", [as_parquet, as_duckdb, in_sqlite])
def test_not_a_byte_depends_on_it_on_other_engines(write: Callable[..., str], place: Path) -> None:
    for form in ("groups", "people"):
        tables = neighbours(people=form == "people")[::4]
        assert len({all_that_is_seen(place, FORMS[form], rows, write) for rows in (*tables, [])}) == 1


@pytest.mark.few(3)
@pytest.mark.parametrize("step", run.STEPS)
def test_failures_are_equal_to_the_byte(step: str, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run, "reached", fail_at(step))
    [answer] = {ask(place, FORMS["people"], rows) for rows in neighbours(people=True)[::3]}
    assert answer.code == 1


def test_with_true_draws_only_numbers_differ(place: Path) -> None:
    tables, documents = set(), set()
    for rows in [*neighbours(people=True)[::3], []]:
        answer = ask(place, FORMS["people"], rows)
        tables.add((answer.code, answer.err, *words(answer.out)))
        receipt = json.loads((place / "r.json").read_text())
        charge = receipt.pop("charge")
        documents.add(json.dumps(shape(receipt | {"released_at": ""})).replace(charge, ""))
        history = Ledger(place / "l.db").history()
        documents.add(str([entry._replace(time="", hash="", previous="", outcome="") for entry in history]))
    assert (len(tables), len(documents)) == (1, 2)


@pytest.mark.soak
def test_the_installed_command_releases_an_empty_table_like_any_other(place: Path) -> None:
    seen = set()
    for rows in (RECORDS, []):
        Ledger.create(place / f"{len(rows)}.db", dataset="d", epsilon=1, adjacency="add-remove")
        arguments = (*VOTE, *NORTH, "--ledger", f"{len(rows)}.db", "--dataset", "d", "--yes", "--json")
        answer = installed_discreet(*(as_csv(place, rows) if word == "SOURCE" else word for word in arguments))
        seen.add((answer.code, answer.err, answer.out.count("\n"), len(answer.document)))
    assert seen == {(0, "", answer.out.count("\n"), len(answer.document))}


def test_counts_in_hand_tell_no_total(place: Path) -> None:
    for counts in ("0,0", "7,5", "0,1"):
        document = read_json(f"release --counts {counts} --epsilon 1 --no-ledger --adjacency add-remove")
        assert "n" not in document
    for n in ("--n 12", "--n 0"):
        answer = discreet(*f"release --counts 7,5 --epsilon 1 --no-ledger --adjacency add-remove {n}".split())
        assert (answer.code, answer.err.count("\n")) == (2, 1)


FAULTS: dict[str, Fault] = {
    name: getattr(sizes, name)
    for name in ("n_published", "digest_with_the_size", "error_on_the_empty_table", "strays_looked_at")
}


@pytest.mark.usefixtures("still")
@pytest.mark.parametrize("fault", FAULTS)
def test_whatever_tells_the_number_of_records_is_found_out(
    fault: str, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    FAULTS[fault](monkeypatch)
    assert len({all_that_is_seen(place, FORMS["one column"], rows) for rows in neighbours(people=False)}) > 1


@pytest.mark.usefixtures("still")
def test_a_filter_where_n_is_published_would_tell_how_many_were_selected(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two tables of as many rows, that differ in one: under replace-one they are neighbours."""
    replaced = [*RECORDS[1:], ("a", "f", "west", "1")]
    asked = {"column": "sex", "categories": ["f", "m"], "other": "x", "filters": {"region": ["north"]}, "epsilon": 1}
    tables = [pd.DataFrame(rows, columns=list(COLUMNS)) for rows in (RECORDS, replaced)]
    with pytest.raises(dc.InvalidInput, match="the number of selected records would be"):
        dc.release(tables[0], **asked, ledger=None)  # type: ignore[arg-type]
    sizes.filter_after_n_is_public(monkeypatch)
    assert len({dc.release(table, **asked, ledger=None).n for table in tables}) == 2  # type: ignore[arg-type]
