"""The table and its statements, through SQLAlchemy, for each version of the table."""

from __future__ import annotations

from functools import cache
from typing import Any

from sqlalchemy import Column, Connection, Index, Integer, MetaData, Select, Table, Text, bindparam, insert, select

from discreet.ledger.entries import BUDGET, Entry
from discreet.ledger.store import COLUMNS

NEVER_NULL = frozenset({"kind", "dataset", "time", "previous", "hash"})


class Statements:
    """Made once for each version: putting a statement together costs more than running it. The newest row is first."""

    def __init__(self, version: int) -> None:
        self.version = version
        self.metadata = MetaData()
        self.table = table = Table(
            "entries",
            self.metadata,
            Column("seq", Integer, primary_key=True, autoincrement=False),
            *(Column(name, Text, nullable=name not in NEVER_NULL) for name in COLUMNS[version] if name != "seq"),
        )
        # A request is charged once and sealed once, a dataset budgeted once, and no two rows follow the same one.
        Index("one_request", table.c.request_id, table.c.kind, unique=True)
        Index("one_budget", table.c.dataset, unique=True, sqlite_where=table.c.kind == BUDGET)
        Index("one_successor", table.c.previous, unique=True)
        Index("by_dataset", table.c.dataset, table.c.kind, table.c.seq)
        self.all = select(table).order_by(table.c.seq)
        self.last = select(table).order_by(table.c.seq.desc()).limit(1)
        of_kind = self.last.where(table.c.kind == bindparam("kind"))
        self.of_dataset = of_kind.where(table.c.dataset == bindparam("name"))
        self.of_request = of_kind.where(table.c.request_id == bindparam("name"))
        self.insert = insert(table)


@cache
def statements(version: int) -> Statements:
    """The statements for tables of this version."""
    return Statements(version)


class ConnectionSource:
    """Rows by key, over a connection."""

    def __init__(self, connection: Connection, version: int) -> None:
        self.version = version
        self._connection = connection
        self._ask = statements(version)

    def all(self) -> list[Entry]:
        """Every row, in order."""
        return self._read(self._ask.all)

    def last(self) -> Entry | None:
        """The newest row."""
        return self._first(self._ask.last)

    def of_dataset(self, dataset: str, kind: str) -> Entry | None:
        """The newest row of a kind for a dataset."""
        return self._first(self._ask.of_dataset, name=dataset, kind=kind)

    def of_request(self, request_id: str, kind: str) -> Entry | None:
        """The row of a kind for a request."""
        return self._first(self._ask.of_request, name=request_id, kind=kind)

    def insert(self, entry: Entry) -> None:
        """One more row."""
        told = entry._asdict()
        self._connection.execute(self._ask.insert, {name: told[name] for name in COLUMNS[self.version]})

    def _read(self, query: Select[Any], **bound: str) -> list[Entry]:
        return [Entry(*row) for row in self._connection.execute(query, bound)]

    def _first(self, query: Select[Any], **bound: str) -> Entry | None:
        return next(iter(self._read(query, **bound)), None)
