"""Ledgers of earlier versions, as they were written then: they open, verify, and go on in the same place."""

import os
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from fractions import Fraction
from pathlib import Path
from unittest.mock import Mock, call

import psycopg
import pytest

import discreet.ledger.file as file
import discreet.ledger.sqlite_history as sqlite_history
from discreet.errors import BudgetExceeded, InvalidInput, LedgerError
from discreet.ledger import Ledger, Scope
from tests.contracts.source import ROOT
from tests.support.postgres import Server

HERE = ROOT / "tests" / "ledger"
HEADS = {
    1: "a4f1ca965071f516cbc9415149a69a852ad03022287111f50b6eda99f24b4c59",
    2: "a5c07fe3954863627b2c39d7e02b76048535968169b6ad2b3cb1820cb8eb4e6d",
}
"""Version 2 was written by commit 3f7be81: budgets of all kinds, releases of rows and of people, a charge unsealed."""


def write_sqlite(path: Path, version: int) -> Path:
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript((HERE / f"version{version}.sql").read_text(encoding="utf-8"))
    return path


@pytest.fixture(params=[1])
def before(request: pytest.FixtureRequest, tmp_path: Path, quick: None) -> Ledger:
    """A ledger of an earlier version: of the first unless another is asked for."""
    return Ledger(write_sqlite(tmp_path / "l.db", request.param))


@pytest.fixture
def on_a_server(postgres: Server, tmp_path: Path) -> tuple[str, Ledger]:
    """The rows of version 2 in tables of version 2."""
    url = postgres.new_database()
    rows = Ledger(write_sqlite(tmp_path / "l.db", 2)).history()
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute((HERE / "version2_postgres.sql").read_bytes())
        places = ", ".join(["%s"] * 17)
        for row in rows:
            connection.execute(f"INSERT INTO discreet.entries VALUES ({places})".encode(), row[:17])  # noqa: S608
    return url, Ledger(url)


def test_version_1_opens_and_verifies_with_the_head_that_it_had(before: Ledger) -> None:
    assert (before.verify(HEADS[1]).rows, before.head()) == (6, HEADS[1])
    anes, census = before.accounts()
    assert (anes.composition, anes.concentrated, anes.unit) == ("basic", None, None)
    assert anes.spent == (Fraction(17, 70), Fraction(1, 10**9))
    assert census.remaining.epsilon == 2
    assert '"rho": null' in before.export()


def test_version_1_is_charged_and_sealed_on_in_the_same_file(before: Ledger, tmp_path: Path) -> None:
    inode = (tmp_path / "l.db").stat().st_ino
    assert before.charge("anes", "1/7", "1e-9", request_id="tuesday", digest="f").is_new is False
    before.charge("anes", "1/10", request_id="wednesday", digest="g")
    before.seal("wednesday", "{}")
    Ledger.create(tmp_path / "l.db", dataset="third", epsilon=1, delta="1e-6", composition="zcdp")
    with pytest.raises(BudgetExceeded):
        before.charge("anes", 1, request_id="thursday", digest="h")
    assert before.verify(HEADS[1]).rows == 9
    assert (tmp_path / "l.db").stat().st_ino == inode, "all names of the file lead to the same ledger"
    with pytest.raises(sqlite3.DatabaseError):
        sqlite3.connect(tmp_path / "l.db").execute("SELECT * FROM entries")


@pytest.mark.parametrize("before", [2], indirect=True)
def test_version_2_verifies_and_goes_on_and_says_what_its_budgets_mixed(before: Ledger) -> None:
    assert (before.verify(HEADS[2]).rows, before.head()) == (12, HEADS[2])
    assert [entry.request_id for entry in before.history() if entry.kind == "seal"].count("people") == 1
    anes, waves, arms = before.accounts()
    assert anes.units == ("one person, all rows with the same id", "one row")
    assert (waves.units, arms.units) == (("one row", "unknown"), ("one row",))
    assert before.charge("waves", "1/10", request_id="second wave", digest="d" * 64).is_new is False
    before.seal("second wave", "{}")
    before.charge("anes", "1/4", request_id="by row", digest="x")
    before.charge("anes", "1/4", request_id="by person", digest="x", scope=Scope("id"))
    assert before.account("anes").spent.epsilon == Fraction(5, 4)
    assert before.verify(HEADS[2]).rows == 15


@pytest.mark.parametrize("column", ["digest", "time", "request_id", "epsilon"])
@pytest.mark.parametrize("value", ["'1/11'", "x'00ff'"])
def test_a_changed_row_of_before_is_named(column: str, value: str, before: Ledger, tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "l.db", isolation_level=None)) as connection:
        connection.executescript(f"DROP TRIGGER no_update; UPDATE entries SET {column} = {value} WHERE seq = 3")  # noqa: S608
    for act in (before.verify, lambda: before.charge("anes", "1/10", request_id="r", digest="x")):
        with pytest.raises(LedgerError, match="row 3 of"):
            act()


def test_text_of_before_that_is_no_unicode_is_a_row_that_is_named(before: Ledger, tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "l.db", isolation_level=None)) as connection:
        connection.executescript(
            "DROP TRIGGER no_update; UPDATE entries SET digest = CAST(x'31ff' AS TEXT) WHERE seq = 3"
        )
    with pytest.raises(LedgerError) as refusal:
        before.verify()
    assert refusal.value.message == f"row 3 of {tmp_path / 'l.db'} is not as it was written"


def test_a_file_of_before_that_cannot_be_read_is_refused_by_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, names = tmp_path / "l.db", list[str]()
    path.touch()
    broken = f"{path} is not a ledger, or broken; check the name, or restore a copy whose head you know"
    locked = f"{path} is locked by another process; try again when it has ended"
    for failure, code, message in (
        (sqlite3.OperationalError(), sqlite3.SQLITE_BUSY, locked),
        (sqlite3.OperationalError(), sqlite3.SQLITE_BUSY_SNAPSHOT, locked),
        (sqlite3.OperationalError(), sqlite3.SQLITE_LOCKED, locked),
        (sqlite3.OperationalError(), sqlite3.SQLITE_IOERR, broken),
        (sqlite3.OperationalError(), None, broken),
        (UnicodeError(), None, broken),
    ):
        if code is not None:
            vars(failure)["sqlite_errorcode"] = code

        def fail(_connection: sqlite3.Connection, name: str, failure: Exception = failure) -> None:
            names.append(name)
            raise failure

        monkeypatch.setattr(sqlite_history, "_state", fail)
        with pytest.raises(LedgerError) as refusal:
            sqlite_history.read_sqlite(path, str(path))
        assert str(refusal.value) == message
    assert len(names) == 12, "each was read with its journal too"
    assert names[1::2] == [str(path)] * 6


def test_a_file_of_before_is_first_read_without_its_journal_and_never_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, asked = write_sqlite(tmp_path / "a?b%20c.db", 1), list[str]()
    connect = sqlite3.connect

    def note(address: str, **options: object) -> sqlite3.Connection:
        if not address.startswith("file:"):  # coverage keeps what it measured in SQLite, in this very process
            return connect(address, **options)  # type: ignore[call-overload, no-any-return]
        assert options.get("uri") is True, "else, as SQLite was built, the address might be a name"
        assert options.get("timeout") == file.PATIENCE
        asked.append(address.rpartition("?")[2])
        return connect(address, **options)  # type: ignore[call-overload, no-any-return]

    monkeypatch.setattr("sqlite3.connect", note)
    assert sqlite_history.read_sqlite(path, "l.db").head == HEADS[1]
    assert asked == ["mode=ro&immutable=1"]
    with pytest.raises(LedgerError):
        sqlite_history.read_sqlite(tmp_path / "missing.db", "l.db")
    assert asked[1:] == ["mode=ro&immutable=1", "mode=rw"]
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_of_before_is_brought_to_this_version_step_by_step(
    before: Ledger, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Until its header is written it is the SQLite file that it was; the rows are on the disk before the header."""
    path, steps = tmp_path / "l.db", list[tuple[str, bytes]]()
    old, rows = path.read_bytes(), b"".join(map(file._line, before.history()))
    (tmp_path / "l.db-journal").write_bytes(b"left behind")
    read = Mock(side_effect=sqlite_history.read_sqlite)
    monkeypatch.setattr(file, "read_sqlite", read)
    monkeypatch.setattr(file, "step", lambda name: steps.append((name, path.read_bytes())))
    monkeypatch.setattr(file, "_sync", lambda handle: steps.append((f"sync {handle > 2}", path.read_bytes())))
    before.charge("anes", "1/10", request_id="wednesday", digest="g")
    header, end = file.HEADER % len(old), path.read_bytes()
    converted = header + old[len(header) :] + rows
    assert steps == [
        ("open", old),
        ("sync True", old + rows),
        ("converted", old + rows),
        ("sync True", converted),
        ("locked", converted),
        ("sync True", end[:-1]),
        ("written", end[:-1]),
        ("sync True", end),
        ("committed", end),
    ]
    assert end.startswith(converted)
    assert read.call_args_list == [call(path, str(path))] * 2, "again once nobody else can write"
    assert not (tmp_path / "l.db-journal").exists()


@pytest.mark.few(2)
@pytest.mark.parametrize("step", ["open", "converted", "locked", "written", "committed"])
def test_a_ledger_killed_while_it_is_brought_to_this_version_loses_nothing(step: str, tmp_path: Path) -> None:
    path = write_sqlite(tmp_path / "l.db", 2)
    program = (
        "import os, signal, sys; import discreet.ledger.file as file; from discreet.ledger import Ledger;"
        "file.step = lambda name: name == sys.argv[1] and os.kill(os.getpid(), signal.SIGKILL);"
        "Ledger(sys.argv[2]).charge('anes', '1/4', request_id='r', digest='x')"
    )
    process = subprocess.run([sys.executable, "-c", program, step, str(path)], check=False)
    assert process.returncode == -signal.SIGKILL
    ledger = Ledger(path)
    stands = step in {"written", "committed"}
    assert ledger.verify(HEADS[2]).rows == 12 + stands
    assert ledger.charge("anes", "1/4", request_id="r", digest="x").is_new != stands
    assert ledger.spent("anes").epsilon == 1


def test_a_stale_journal_under_one_name_does_not_undo_what_was_charged_under_another(tmp_path: Path) -> None:
    """What an attack did to version 2: the journal lies beside `a.db`, the charge was made through `b.db`."""
    path = write_sqlite(tmp_path / "a.db", 2)
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("BEGIN IMMEDIATE")
    connection.execute("INSERT INTO entries SELECT seq + 1, 'budget', 'late', time, epsilon, delta, NULL, NULL, "
                       "adjacency, NULL, NULL, NULL, hash, 'h', 'basic', NULL, NULL FROM entries "
                       "ORDER BY seq DESC LIMIT 1")  # fmt: skip
    connection.execute("PRAGMA cache_spill = 1")
    journal = (tmp_path / "a.db-journal").read_bytes()
    connection.execute("ROLLBACK")
    connection.close()
    os.link(path, tmp_path / "b.db")
    (tmp_path / "a.db-journal").write_bytes(b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7" + journal[8:])
    Ledger(tmp_path / "b.db").charge("anes", "1/4", request_id="r", digest="x")
    assert Ledger(tmp_path / "a.db").find("r") is not None
    assert Ledger(tmp_path / "a.db").verify(HEADS[2]).rows == 13


def test_version_2_on_a_server_verifies_and_is_charged_as_it_is(on_a_server: tuple[str, Ledger]) -> None:
    _, ledger = on_a_server
    assert ledger.verify(HEADS[2]).rows == 12
    ledger.charge("anes", "1/4", request_id="r", digest="x", scope=Scope("id", frozenset({"vote"})))
    ledger.seal("r", "{}")
    assert [entry.unit for entry in ledger.history()] == [None] * 14
    assert ledger.verify(HEADS[2]).rows == 14


def test_the_owner_brings_version_2_on_a_server_to_this_version_by_opening_a_budget(
    on_a_server: tuple[str, Ledger], postgres: Server
) -> None:
    url, ledger = on_a_server
    Ledger.create(url, dataset="patients", epsilon=1, id_column="patient")
    assert ledger.verify(HEADS[2]).rows == 13
    assert ledger.account("patients").unit == "id:patient"
    with pytest.raises(InvalidInput, match="told apart by 'patient'"):
        ledger.charge("patients", "1/4", request_id="r", digest="x")
    assert ledger.charge("patients", "1/4", request_id="r", digest="x", scope=Scope("patient")).is_new
