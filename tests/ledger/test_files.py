"""The file: never made by accident, whole or not at all, its owner's only, and durable."""

from __future__ import annotations

import sqlite3
import stat
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from pathlib import Path

import pytest

import discreet.ledger.sqlite as sqlite
from discreet.errors import LedgerError
from discreet.ledger import Ledger


@pytest.mark.parametrize(
    "name", ["missing.db", "no/such/place.db", "folder", "empty.db", "text.db", "other.db", "future.db"]
)
def test_what_is_no_ledger_is_refused_and_left_as_it_is(name: str, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "empty.db").touch()
    (tmp_path / "text.db").write_text("budget = 1\n" * 100)
    for other, version in (("other.db", None), ("future.db", 3)):
        with sqlite3.connect(tmp_path / other) as connection:
            connection.execute("CREATE TABLE entries (seq INTEGER)")
            if version:
                connection.execute(f"PRAGMA application_id = {sqlite.APPLICATION}")
                connection.execute(f"PRAGMA user_version = {version}")
        connection.close()
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    with pytest.raises(LedgerError):
        Ledger(tmp_path / name)
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before
    if name not in {"missing.db"}:
        with pytest.raises(LedgerError):
            Ledger.create(tmp_path / name, dataset="d", epsilon=1)
        assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before


@pytest.mark.parametrize("address", ["", "postgresql://host/db", "mysql://host/db", "sqlite://", "a\0b", "https://x/y"])
def test_addresses_that_are_no_file_are_refused(address: str) -> None:
    with pytest.raises(LedgerError):
        Ledger(address)
    with pytest.raises(LedgerError):
        Ledger.create(address, dataset="d", epsilon=1)


def test_a_ledger_may_be_named_by_its_address(tmp_path: Path) -> None:
    Ledger.create(f"sqlite:///{tmp_path}/l.db", dataset="d", epsilon=1)
    assert Ledger(f"sqlite:///{tmp_path}/l.db").head() == Ledger(tmp_path / "l.db").head()


@pytest.mark.parametrize("name", ["a b.db", "a?mode=memory.db", "a#b.db", "100%.db", "a%20b.db", "é'\".db", ":memory:"])
def test_odd_names_are_that_file(name: str, tmp_path: Path) -> None:
    Ledger.create(tmp_path / name, dataset="d", epsilon=1)
    assert [path.name for path in tmp_path.iterdir()] == [name]
    assert Ledger(tmp_path / name).verify().rows == 1


def test_a_new_ledger_is_its_owners_only_and_alone(tmp_path: Path) -> None:
    ledger = Ledger.create(tmp_path / "l.db", dataset="d", epsilon=1)
    ledger.charge("d", 1, request_id="r", digest="x")
    assert stat.S_IMODE((tmp_path / "l.db").stat().st_mode) == 0o600
    assert [path.name for path in tmp_path.iterdir()] == ["l.db"], "between transactions the file is the whole ledger"


def test_a_ledger_that_cannot_be_made_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise OSError("no links here")

    monkeypatch.setattr("os.link", fail)
    with pytest.raises(LedgerError, match="cannot be created"):
        Ledger.create(tmp_path / "l.db", dataset="d", epsilon=1)
    assert list(tmp_path.iterdir()) == []


def test_a_journal_without_its_ledger_is_not_played_into_a_new_one(tmp_path: Path) -> None:
    (tmp_path / "l.db-journal").write_bytes(b"x")
    with pytest.raises(LedgerError, match="journal"):
        Ledger.create(tmp_path / "l.db", dataset="d", epsilon=1)
    assert not (tmp_path / "l.db").exists()


def test_many_who_create_at_once_make_one_ledger_and_lose_no_budget(tmp_path: Path) -> None:
    def create(i: int) -> None:
        Ledger.create(tmp_path / "l.db", dataset=f"d{i}", epsilon=i + 1)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(create, range(8)))
    ledger = Ledger(tmp_path / "l.db")
    budgets = {account.dataset: account.budget.epsilon for account in ledger.accounts()}
    assert budgets == {f"d{i}": Fraction(i + 1) for i in range(8)}
    assert ledger.verify().rows == 8
    assert [path.name for path in tmp_path.iterdir()] == ["l.db"]


def test_a_ledger_that_stays_locked_is_refused_and_nothing_is_spent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger = Ledger.create(tmp_path / "l.db", dataset="d", epsilon=1)
    monkeypatch.setattr(sqlite, "PATIENCE", 0.1)
    holder = sqlite3.connect(tmp_path / "l.db", isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    with pytest.raises(LedgerError, match="is locked by another process"):
        ledger.charge("d", 1, request_id="r", digest="x")
    holder.execute("ROLLBACK")
    holder.close()
    assert ledger.spent("d").epsilon == 0
    assert ledger.charge("d", 1, request_id="r", digest="x").is_new


def test_every_write_is_synced_to_disk_and_takes_the_lock_before_it_reads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger = Ledger.create(tmp_path / "l.db", dataset="d", epsilon=1)
    with ledger._store._engine.connect() as connection:  # type: ignore[attr-defined]
        mode, syncs = (connection.exec_driver_sql(f"PRAGMA {p}").scalar() for p in ("journal_mode", "synchronous"))
    assert (mode, syncs) == ("delete", 3), "3 is EXTRA"
    said: list[str] = []
    connect = sqlite3.connect

    def traced(*arguments: object, **options: object) -> sqlite3.Connection:
        connection: sqlite3.Connection = connect(*arguments, **options)  # type: ignore[call-overload]
        connection.set_trace_callback(said.append)
        return connection

    monkeypatch.setattr("sqlite3.connect", traced)
    ledger.charge("d", 1, request_id="r", digest="x")
    begins_and_ends = [statement for statement in said if statement.startswith(("BEGIN", "COMMIT", "ROLLBACK"))]
    assert begins_and_ends == ["BEGIN IMMEDIATE", "COMMIT"]
    assert said[len(sqlite.PRAGMAS)] == "BEGIN IMMEDIATE"
    assert said[-1] == "COMMIT"
