"""A ledger that was edited, truncated or swapped is found out: the first wrong row is named.

Against a forger who writes the whole chain anew only a head that is kept elsewhere helps, and that is tested too.
"""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from discreet.errors import InvalidInput, LedgerError
from discreet.ledger import Entry, Ledger
from discreet.ledger.entries import FIRST
from discreet.ledger.sqlite import GUARDS

ROWS = 8
REQUESTS = ["r1", "r2", "r4", "r7"]  # no flipped bit makes one of another
COLUMNS = list(Entry._fields)


@pytest.fixture
def ledger(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Ledger:
    """Two datasets, four charges, two seals."""
    monkeypatch.setattr("discreet.ledger.sqlite.PRAGMAS", ("synchronous = OFF", "recursive_triggers = ON"))
    made = Ledger.create(tmp_path / "l.db", dataset="anes", epsilon=1, delta="1e-6")
    Ledger.create(tmp_path / "l.db", dataset="census", epsilon="7/3")
    for i, dataset in enumerate(["anes", "census", "anes", "census"]):
        made.charge(dataset, "1/7", request_id=REQUESTS[i], digest=f"digest {i}")
    made.seal("r2", '{"output": [3, 4]}')
    made.seal("r1", '{"output": [5, 6]}')
    assert made.verify().rows == ROWS
    return made


def tamper(path: Path, *statements: str, rows: Sequence[Entry] = (), **values: object) -> None:
    """Write to the file as its owner can: the guards are dropped first and put back after."""
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA synchronous = OFF")
    kept = connection.execute("SELECT sql FROM sqlite_master WHERE type = 'trigger' ORDER BY name").fetchall()
    for name in GUARDS:
        connection.execute(f"DROP TRIGGER {name}")
    for statement in statements:
        connection.execute(statement, values)
    names = ", ".join(f":{column}" for column in COLUMNS)
    connection.executemany(f"INSERT INTO entries VALUES ({names})", [row._asdict() for row in rows])  # noqa: S608
    for (sql,) in kept:
        connection.execute(sql)
    connection.close()


@pytest.mark.parametrize("row", range(1, ROWS + 1))
@pytest.mark.parametrize("column", [column for column in COLUMNS if column != "seq"])
def test_a_flipped_byte_in_any_field_of_any_row_is_named(row: int, column: str, ledger: Ledger, tmp_path: Path) -> None:
    path = tmp_path / "l.db"
    before = path.read_bytes()
    value = ledger.history()[row - 1]._asdict()[column]
    changes: list[object] = ["x"] if value is None else [None, 7]
    if isinstance(value, str):
        flipped = value.encode()
        for place, bit in ((len(flipped) - 1, 0x01), (len(flipped) // 2, 0x80)):
            changed = bytearray(flipped)
            changed[place] ^= bit
            changes.append(bytes(changed))
    for change in changes:
        path.write_bytes(before)
        as_text = "CAST(:value AS TEXT)" if isinstance(change, bytes) else ":value"
        nullable = "PRAGMA writable_schema = 1", "UPDATE sqlite_master SET sql = replace(sql, 'NOT NULL', '')"
        loosen = nullable if change is None else ()
        connection = sqlite3.connect(path, isolation_level=None)
        for statement in ("PRAGMA synchronous = OFF", *loosen):
            connection.execute(statement)
        connection.close()
        tamper(path, f"UPDATE entries SET {column} = {as_text} WHERE seq = {row}", value=change)  # noqa: S608
        with pytest.raises(LedgerError, match=rf"^row {row} of .* is not as it was written"):
            ledger.verify()


@pytest.mark.parametrize("row", range(1, ROWS + 1))
def test_a_row_that_is_dropped_moved_or_doubled_is_named(row: int, ledger: Ledger, tmp_path: Path) -> None:
    path = tmp_path / "l.db"
    before = path.read_bytes()
    if row < ROWS:
        tamper(path, f"DELETE FROM entries WHERE seq = {row}")  # noqa: S608
        with pytest.raises(LedgerError, match=rf"^row {row} of"):
            ledger.verify()
        path.write_bytes(before)
        tamper(path, f"DELETE FROM entries WHERE seq = {row}", f"UPDATE entries SET seq = seq - 1 WHERE seq > {row}")  # noqa: S608
        with pytest.raises(LedgerError, match=rf"^row {row} of"):
            ledger.verify()
        path.write_bytes(before)
    tamper(path, f"UPDATE entries SET seq = seq + 100 WHERE seq = {row}")  # noqa: S608
    with pytest.raises(LedgerError, match=rf"^row {row} of"):
        ledger.verify()


def test_a_dropped_tail_is_found_out_by_a_pinned_head_and_only_by_it(ledger: Ledger, tmp_path: Path) -> None:
    heads = [entry.hash for entry in ledger.history()]
    for kept in range(ROWS - 1, 0, -1):
        tamper(tmp_path / "l.db", f"DELETE FROM entries WHERE seq > {kept}")  # noqa: S608
        assert ledger.verify().head == heads[kept - 1], "without a head, what is left looks sound"
        for head in heads[:kept]:
            assert ledger.verify(head).rows == kept
        for head in heads[kept:]:
            with pytest.raises(LedgerError, match="no row with that head"):
                ledger.verify(head)
    tamper(tmp_path / "l.db", "DELETE FROM entries")
    for call in (ledger.verify, ledger.head, ledger.accounts):
        with pytest.raises(LedgerError, match="lost its rows"):
            call()


@pytest.mark.parametrize("head", ["", FIRST, "0", "x" * 64, "é"])
def test_a_head_that_never_was_is_refused(head: str, ledger: Ledger) -> None:
    with pytest.raises(LedgerError):
        ledger.verify(head)


def test_another_ledger_in_its_place_is_found_out_by_a_pinned_head(ledger: Ledger, tmp_path: Path) -> None:
    head = ledger.head()
    other = Ledger.create(tmp_path / "other.db", dataset="anes", epsilon=1, delta="1e-6")
    other.charge("anes", "1/8", request_id="r0", digest="digest 0")
    (tmp_path / "other.db").replace(tmp_path / "l.db")
    with pytest.raises(LedgerError, match="no row with that head"):
        ledger.verify(head)


def forged(entries: list[Entry]) -> list[Entry]:
    """The rows chained anew, as someone who knows the rule can."""
    chain: list[Entry] = []
    for entry in entries:
        told = entry._asdict() | {"seq": len(chain) + 1, "previous": chain[-1].hash if chain else FIRST}
        chain.append(Entry(**told).chained())
    return chain


@pytest.mark.parametrize(
    ("row", "change"),
    [
        (3, {"epsilon": "1/8"}),
        (3, {"epsilon": "0"}),
        (3, {"epsilon": "2/14"}),
        (3, {"epsilon": "-1/7"}),
        (3, {"epsilon": "0.1"}),
        (5, {"spent_epsilon": "1/7"}),
        (5, {"delta": "1/2", "spent_delta": "1/2"}),
        (5, {"epsilon": "2", "spent_epsilon": "15/7"}),
        (4, {"request_id": "r1"}),
        (4, {"adjacency": "add-remove"}),
        (4, {"dataset": "nobody"}),
        (2, {"dataset": "anes"}),
        (7, {"request_id": "r9"}),
        (7, {"digest": "digest 0"}),
        (7, {"outcome": None}),
        (8, {"request_id": "r2", "digest": "digest 1", "dataset": "census"}),
        (8, {"kind": "refund"}),
    ],
)
def test_even_a_chain_written_anew_cannot_say_what_the_library_would_not(
    row: int, change: dict[str, str | None], ledger: Ledger, tmp_path: Path
) -> None:
    entries = ledger.history()
    entries[row - 1] = Entry(**(entries[row - 1]._asdict() | change))
    dropped = ("DROP INDEX one_request", "DROP INDEX one_budget", "DELETE FROM entries")
    tamper(tmp_path / "l.db", *dropped, rows=forged(entries))
    with pytest.raises(LedgerError, match=rf"^row {row} of"):
        ledger.verify()


@pytest.mark.parametrize(
    ("row", "change"),
    [
        (1, {"rho": "1/4"}),
        (1, {"rho": None}),
        (1, {"composition": "basic"}),
        (1, {"composition": "zCDP"}),
        (1, {"delta": "0"}),
        (1, {"epsilon": "1/2"}),
        (2, {"rho": "1/20000", "spent_rho": "1/20000"}),
        (2, {"rho": "0", "spent_rho": "0"}),
        (2, {"rho": "1/100", "spent_rho": "1/100"}),
        (2, {"rho": None, "spent_rho": None}),
        (2, {"delta": "1/1000000000", "spent_delta": "1/1000000000"}),
        (3, {"spent_rho": "1/200"}),
        (3, {"epsilon": "2", "spent_epsilon": "21/10", "rho": "1/20", "spent_rho": "11/200"}),
        (3, {"adjacency": "replace-answer"}),
    ],
)
def test_no_forged_chain_makes_a_concentrated_budget_say_more_than_it_may(
    row: int, change: dict[str, str | None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("discreet.ledger.sqlite.PRAGMAS", ("synchronous = OFF", "recursive_triggers = ON"))
    ledger = Ledger.create(tmp_path / "l.db", dataset="d", epsilon=1, delta="1e-6", composition="zcdp")
    for i in range(3):
        ledger.charge("d", "1/10", request_id=REQUESTS[i], digest="x")
    entries = ledger.history()
    entries[row - 1] = Entry(**(entries[row - 1]._asdict() | change))
    tamper(tmp_path / "l.db", "DELETE FROM entries", rows=forged(entries))
    with pytest.raises(LedgerError, match=r"^row [123] of"):
        ledger.verify()


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE entries SET epsilon = '9' WHERE seq = 1",
        "UPDATE OR REPLACE entries SET seq = 1 WHERE seq = 2",
        "DELETE FROM entries",
        "DELETE FROM entries WHERE seq = 8",
        "INSERT INTO entries SELECT * FROM entries WHERE seq = 8",
        "INSERT OR REPLACE INTO entries SELECT * FROM entries WHERE seq = 8",
        "REPLACE INTO entries (seq, kind, dataset, time, previous, hash) VALUES (1, 'budget', 'anes', '', '', '')",
        "INSERT INTO entries (seq, kind, dataset, time, previous, hash) VALUES (10, 'budget', 'x', '', '', '')",
        "INSERT OR REPLACE INTO entries SELECT 9, kind, dataset, time, epsilon, delta, spent_epsilon, spent_delta, "
        "adjacency, request_id, digest, outcome, (SELECT hash FROM entries WHERE seq = 8), 'h', composition, rho, "
        "spent_rho FROM entries WHERE seq = 3",
    ],
)
@pytest.mark.parametrize("recursive", [0, 1])
def test_the_table_refuses_every_statement_but_the_next_row(
    statement: str, recursive: int, ledger: Ledger, tmp_path: Path
) -> None:
    connection = sqlite3.connect(tmp_path / "l.db", isolation_level=None)
    connection.execute(f"PRAGMA recursive_triggers = {recursive}")
    with pytest.raises(sqlite3.IntegrityError, match="the ledger only grows"):
        connection.execute(statement)
    connection.close()
    assert ledger.verify().rows == ROWS


@pytest.mark.parametrize("guard", GUARDS)
def test_a_missing_or_weakened_guard_is_noticed(guard: str, ledger: Ledger, tmp_path: Path) -> None:
    connection = sqlite3.connect(tmp_path / "l.db", isolation_level=None)
    connection.execute(f"DROP TRIGGER {guard}")
    with pytest.raises(LedgerError, match="guards"):
        ledger.verify()
    connection.execute(f"CREATE TRIGGER {guard} BEFORE UPDATE ON entries BEGIN SELECT 1; END")
    with pytest.raises(LedgerError, match="guards"):
        ledger.verify()
    connection.close()


def test_no_charge_or_outcome_rests_on_a_row_that_was_changed(ledger: Ledger, tmp_path: Path) -> None:
    path = tmp_path / "l.db"
    before = path.read_bytes()
    cases: dict[str, Callable[[], object]] = {
        "UPDATE entries SET epsilon = '9' WHERE seq = 1": lambda: ledger.charge("anes", 5, request_id="n", digest="d"),
        "UPDATE entries SET spent_epsilon = '0' WHERE seq = 5": lambda: ledger.charge(
            "anes", "1/9", request_id="n", digest="d"
        ),
        "UPDATE entries SET outcome = '{}' WHERE seq = 7": lambda: ledger.find("r2"),
        "UPDATE entries SET digest = 'mine' WHERE seq = 3": lambda: ledger.charge(
            "anes", "1/7", request_id="r1", digest="mine"
        ),
        "UPDATE entries SET time = '' WHERE seq = 8": lambda: ledger.charge("anes", "1/9", request_id="n", digest="d"),
    }
    for statement, call in cases.items():
        path.write_bytes(before)
        tamper(path, statement)
        with pytest.raises(LedgerError, match="is not as it was written"):
            call()


def test_a_flipped_byte_anywhere_in_the_file_is_refused_or_changes_nothing(ledger: Ledger, tmp_path: Path) -> None:
    path = tmp_path / "l.db"
    whole, history = path.read_bytes(), ledger.history()
    chance = random.Random(7319)  # noqa: S311 - it chooses bytes to flip
    used = [place for place, byte in enumerate(whole) if byte]
    refused = 0
    for place in chance.sample(used, 150):
        changed = bytearray(whole)
        changed[place] ^= 1 << chance.randrange(8)
        path.write_bytes(changed)
        try:
            Ledger(path).verify()
            assert Ledger(path).history() == history, "accepted, so it must still say the same"
        except LedgerError:
            refused += 1
    assert refused > 90


def test_a_budget_cannot_be_raised_through_the_front_door(ledger: Ledger, tmp_path: Path) -> None:
    with pytest.raises(InvalidInput):
        Ledger.create(tmp_path / "l.db", dataset="anes", epsilon=100)
    assert ledger.remaining("anes").epsilon < 1
