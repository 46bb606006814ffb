"""On a server too a ledger can only grow, and one that its owner edited, truncated or disarmed is found out."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import psycopg
import pytest

from discreet.errors import LedgerError
from discreet.ledger import Entry, Ledger
from discreet.ledger.postgres_tables import GUARDS

ROWS = 6
COLUMNS = [name for name in Entry._fields if name != "seq"]


@dataclass
class Book:
    """A ledger with two datasets, two charges and two seals, and a connection of its owner."""

    ledger: Ledger
    owner: psycopg.Connection[Any]

    def edit(self, statement: str, *bound: object) -> None:
        """What the owner can do: the guards sleep meanwhile."""
        for table, guard in GUARDS:
            self.run(f"ALTER TABLE discreet.{table} DISABLE TRIGGER {guard}")
        self.owner.execute(statement.encode(), bound)
        for table, guard in GUARDS:
            self.run(f"ALTER TABLE discreet.{table} ENABLE ALWAYS TRIGGER {guard}")

    def set(self, row: int, column: str, value: object) -> None:
        """Another value in a field."""
        self.edit(f"UPDATE discreet.entries SET {column} = %s WHERE seq = {row}", value)  # noqa: S608

    def run(self, statement: str) -> None:
        self.owner.execute(statement.encode())


@pytest.fixture
def book(database: str) -> Iterator[Book]:
    ledger = Ledger.create(database, dataset="anes", epsilon=1, delta="1e-6", composition="zcdp")
    Ledger.create(database, dataset="census", epsilon="7/3")
    ledger.charge("anes", "1/7", request_id="r1", digest="digest 1")
    ledger.charge("census", "1/7", request_id="r2", digest="digest 2")
    ledger.seal("r1", '{"output": [3, 4]}')
    ledger.seal("r2", '{"output": [5, 6]}')
    assert ledger.verify().rows == ROWS
    with psycopg.connect(database, autocommit=True) as owner:
        yield Book(ledger, owner)


@pytest.mark.parametrize("column", COLUMNS)
def test_a_changed_field_of_any_row_is_named(column: str, book: Book) -> None:
    for row, entry in enumerate(book.ledger.history(), start=1):
        value = entry._asdict()[column]
        changed = "x" if value is None else value[:-1] + ("0" if value[-1] != "0" else "1")
        book.set(row, column, changed)
        with pytest.raises(LedgerError, match=rf"^row {row} of .* is not as it was written"):
            book.ledger.verify()
        book.set(row, column, value)
    book.ledger.verify()


@pytest.mark.parametrize("row", range(1, ROWS))
def test_a_dropped_row_is_named(row: int, book: Book) -> None:
    book.edit(f"DELETE FROM discreet.entries WHERE seq = {row}")  # noqa: S608
    with pytest.raises(LedgerError, match=rf"^row {row} of"):
        book.ledger.verify()


def test_a_dropped_tail_is_found_out_by_a_pinned_head_and_only_by_it(book: Book) -> None:
    heads = [entry.hash for entry in book.ledger.history()]
    book.edit("DELETE FROM discreet.entries WHERE seq > 4")
    assert book.ledger.verify(heads[3]).rows == 4, "without a later head, what is left looks sound"
    with pytest.raises(LedgerError, match="no row with that head"):
        book.ledger.verify(heads[-1])


@pytest.mark.few(20)
@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE discreet.entries SET epsilon = '9' WHERE seq = 1",
        "UPDATE discreet.entries SET epsilon = '9' WHERE false",
        "DELETE FROM discreet.entries WHERE seq = 6",
        "DELETE FROM discreet.entries",
        "TRUNCATE discreet.entries",
        "TRUNCATE discreet.mark, discreet.entries CASCADE",
        "UPDATE discreet.mark SET version = 3",
        "DELETE FROM discreet.mark",
        "INSERT INTO discreet.mark VALUES (3)",
        "INSERT INTO discreet.entries SELECT * FROM discreet.entries WHERE seq = 6 ON CONFLICT DO NOTHING",
        "INSERT INTO discreet.entries SELECT * FROM discreet.entries WHERE seq = 6"
        " ON CONFLICT (seq) DO UPDATE SET outcome = '{}'",
        "INSERT INTO discreet.entries (seq, kind, dataset, time, previous, hash) VALUES (8, 'budget', 'x', '', '', '')",
        "INSERT INTO discreet.entries (seq, kind, dataset, time, previous, hash) VALUES (7, 'budget', 'x', '', '', '')",
        "MERGE INTO discreet.entries e USING discreet.mark m ON e.seq = 6 WHEN MATCHED THEN DELETE",
    ],
)
@pytest.mark.parametrize("role", ["origin", "replica"])
def test_the_table_refuses_every_statement_but_the_next_row(statement: str, role: str, book: Book) -> None:
    book.run(f"SET session_replication_role = {role}")
    with pytest.raises(psycopg.errors.RaiseException, match="the ledger only grows"):
        book.run(statement)
    assert book.ledger.verify().rows == ROWS


@pytest.mark.parametrize(
    "statement",
    [
        *(f"DROP TRIGGER {guard} ON discreet.{table}" for table, guard in GUARDS),
        *(f"ALTER TABLE discreet.{table} DISABLE TRIGGER {guard}" for table, guard in GUARDS),
        "ALTER TABLE discreet.entries ENABLE TRIGGER no_delete",
        "CREATE OR REPLACE FUNCTION discreet.only_grows() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'",
        "CREATE RULE kept AS ON INSERT TO discreet.entries DO INSTEAD NOTHING",
        "DROP INDEX discreet.one_request",
        "ALTER TABLE discreet.entries SET UNLOGGED",
    ],
)
def test_a_missing_or_weakened_guard_is_noticed(statement: str, book: Book) -> None:
    book.run(statement)
    with pytest.raises(LedgerError, match="guards"):
        book.ledger.verify()


def test_no_charge_or_outcome_rests_on_a_row_that_was_changed(book: Book) -> None:
    census, seal = book.ledger.history()[1], book.ledger.history()[4]
    book.set(2, "epsilon", "9")
    with pytest.raises(LedgerError, match=r"row 2 of .* is not as it was written"):
        book.ledger.charge("census", 5, request_id="n", digest="d")
    book.set(2, "epsilon", census.epsilon)
    book.set(5, "outcome", "{}")
    with pytest.raises(LedgerError, match=r"row 5 of .* is not as it was written"):
        book.ledger.find("r1")
    book.set(5, "outcome", seal.outcome)
    assert book.ledger.verify().rows == ROWS
