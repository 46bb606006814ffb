"""What a ledger asks of its database: rows that can only grow, and transactions that are durable when they end.

The table can only grow: triggers refuse changes, deletions, and rows that do not follow the last one. That is against
accidents; whoever owns the database can drop the triggers, and only a head that is kept elsewhere tells on them.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Protocol, TypeVar

from discreet.errors import LedgerError
from discreet.ledger.accounts import MEND
from discreet.ledger.entries import BUDGET, CHARGE, FIRST, LATER, SEAL, Entry

T = TypeVar("T")

VERSION = 2
"""Of the table. Version 1 had no columns for compositions and ρ; such ledgers are read and charged as they are."""

NAMES = Entry._fields
COLUMNS = {1: tuple(name for name in NAMES if name not in LATER), VERSION: NAMES}


def step(name: str) -> None:
    """A place where the tests pull the plug."""


class Source(Protocol):
    """Rows by key, as one transaction sees them; of several the newest."""

    version: int

    def all(self) -> list[Entry]:
        """Every row, in order."""

    def last(self) -> Entry | None:
        """The newest row."""

    def of_dataset(self, dataset: str, kind: str) -> Entry | None:
        """The newest row of a kind for a dataset."""

    def of_request(self, request_id: str, kind: str) -> Entry | None:
        """The row of a kind for a request."""

    def insert(self, entry: Entry) -> None:
        """One more row."""


class Store(Protocol):
    """A database that holds one ledger. `name` can be shown: no password is in it."""

    name: str

    def reading(self) -> AbstractContextManager[Rows]:
        """A consistent view."""

    def write(self, decide: Callable[[Rows], T], dataset: str | None = None, request_id: str | None = None) -> T:
        """Let `decide` read and append as the only writer; durable when this returns, undone if it fails.

        It may be asked to decide anew, so it does nothing else. Who says whose rows it will ask for lets a database
        far away answer once.
        """

    def is_damaged(self) -> bool:
        """Whether the database itself finds a fault in what it keeps, or its guards are not as they were made."""


class Rows:
    """The rows as one transaction sees them: each with its own hash, and each new one chained to the last."""

    def __init__(self, source: Source, name: str) -> None:
        self._source = source
        self._name = name

    @property
    def keeps_rho(self) -> bool:
        """Whether there are columns for it."""
        return self._source.version > 1

    def all(self) -> list[Entry]:
        """Every row, in order."""
        return self._source.all()

    def last(self) -> Entry:
        """The newest row; there always is one."""
        last = self._sound(self._source.last())
        if last is None:
            raise LedgerError(f"{self._name} has lost its rows", hint=MEND)
        return last

    def budget(self, dataset: str) -> Entry | None:
        """The row that opened a dataset."""
        return self._sound(self._source.of_dataset(dataset, BUDGET))

    def last_charge(self, dataset: str) -> Entry | None:
        """The newest charge to a dataset, which carries its total."""
        return self._sound(self._source.of_dataset(dataset, CHARGE))

    def charge(self, request_id: str) -> Entry | None:
        """The charge of a request."""
        return self._sound(self._source.of_request(request_id, CHARGE))

    def seal(self, request_id: str) -> Entry | None:
        """What was released for a request."""
        return self._sound(self._source.of_request(request_id, SEAL))

    def append(self, entry: Entry) -> Entry:
        """Chain a row to the last one: its `seq`, `previous` and `hash` are filled in here."""
        last = self.last()
        return self._insert(entry._replace(seq=last.seq + 1, previous=last.hash))

    def begin(self, entry: Entry) -> Entry:
        """The first row."""
        return self._insert(entry._replace(seq=1, previous=FIRST))

    def _insert(self, entry: Entry) -> Entry:
        chained = entry.chained()
        self._source.insert(chained)
        return chained

    def _sound(self, found: Entry | None) -> Entry | None:
        """The row, once its hash is known to be its own: nothing is decided by one that was tampered with."""
        if found is not None and not found.is_sound():
            raise LedgerError(f"row {found.seq} of {self._name} is not as it was written", hint=MEND)
        return found
