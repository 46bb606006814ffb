"""The ledger's database, through SQLAlchemy: the table, its guards, and transactions that are durable when they end.

The table can only grow: triggers refuse changes, deletions, and rows that do not follow the last one. That is against
accidents; whoever can write the file can drop the triggers, and only a head that is kept elsewhere tells on them.
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import fields, replace
from typing import Any, Protocol

from sqlalchemy import Column, Connection, Index, Integer, MetaData, Select, Table, Text, bindparam, insert, select

from discreet.errors import LedgerError
from discreet.ledger.accounts import MEND
from discreet.ledger.entries import BUDGET, CHARGE, FIRST, SEAL, Entry

VERSION = 1

metadata = MetaData()
entries = Table(
    "entries",
    metadata,
    Column("seq", Integer, primary_key=True, autoincrement=False),
    *(Column(field.name, Text, nullable="None" in str(field.type)) for field in fields(Entry) if field.name != "seq"),
)
# A request is charged once and sealed once, a dataset budgeted once, and no two rows follow the same one.
_BUDGETS = entries.c.kind == BUDGET
Index("one_request", entries.c.request_id, entries.c.kind, unique=True)
Index("one_budget", entries.c.dataset, unique=True, sqlite_where=_BUDGETS, postgresql_where=_BUDGETS)
Index("one_successor", entries.c.previous, unique=True)
Index("by_dataset", entries.c.dataset, entries.c.kind, entries.c.seq)


def step(name: str) -> None:
    """A place where the tests pull the plug."""


# Made once: putting a statement together costs more than running it. The newest row comes first.
_LAST = select(entries).order_by(entries.c.seq.desc()).limit(1)
_OF_DATASET = _LAST.where(entries.c.dataset == bindparam("name"), entries.c.kind == bindparam("kind"))
_OF_REQUEST = _LAST.where(entries.c.request_id == bindparam("name"), entries.c.kind == bindparam("kind"))
_APPEND = insert(entries)


class Store(Protocol):
    """A database that holds one ledger. SQLite is the first; one with row locks can follow."""

    name: str

    def reading(self) -> AbstractContextManager[Rows]:
        """A consistent view."""

    def writing(self) -> AbstractContextManager[Rows]:
        """The only writer until it ends; durable when it has ended, undone if it fails."""

    def is_damaged(self) -> bool:
        """Whether the database itself finds a fault in its file, or its guards are not as they were made."""


class Rows:
    """The rows as one transaction sees them."""

    def __init__(self, connection: Connection, name: str) -> None:
        self._connection = connection
        self._name = name

    def all(self) -> list[Entry]:
        """Every row, in order."""
        return self._read(select(entries).order_by(entries.c.seq))

    def last(self) -> Entry:
        """The newest row; there always is one."""
        last = self._first(_LAST)
        if last is None:
            raise LedgerError(f"{self._name} has lost its rows", mend=MEND)
        return last

    def budget(self, dataset: str) -> Entry | None:
        """The row that opened a dataset."""
        return self._first(_OF_DATASET, name=dataset, kind=BUDGET)

    def last_charge(self, dataset: str) -> Entry | None:
        """The newest charge to a dataset, which carries its total."""
        return self._first(_OF_DATASET, name=dataset, kind=CHARGE)

    def charge(self, request_id: str) -> Entry | None:
        """The charge of a request."""
        return self._first(_OF_REQUEST, name=request_id, kind=CHARGE)

    def seal(self, request_id: str) -> Entry | None:
        """What was released for a request."""
        return self._first(_OF_REQUEST, name=request_id, kind=SEAL)

    def append(self, entry: Entry) -> Entry:
        """Chain a row to the last one: its `seq`, `previous` and `hash` are filled in here."""
        last = self.last()
        return self._insert(replace(entry, seq=last.seq + 1, previous=last.hash))

    def begin(self, entry: Entry) -> Entry:
        """The first row."""
        return self._insert(replace(entry, seq=1, previous=FIRST))

    def _insert(self, entry: Entry) -> Entry:
        chained = entry.chained()
        self._connection.execute(_APPEND, chained.as_row())
        return chained

    def _read(self, query: Select[Any], **bound: str) -> list[Entry]:
        return [Entry(*row) for row in self._connection.execute(query, bound)]

    def _first(self, query: Select[Any], **bound: str) -> Entry | None:
        """The row, once its hash is known to be its own: nothing is decided by one that was tampered with."""
        found = next(iter(self._read(query, **bound)), None)
        if found is not None and found.hash != found.computed_hash():
            raise LedgerError(f"row {found.seq} of {self._name} is not as it was written", mend=MEND)
        return found
