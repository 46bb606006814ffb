"""Rows by key, from a PostgreSQL server or from what this process remembers of it.

Each row names the hash of the one before, so the newest hash stands for all rows. Who remembers the newest, and the
rows that a charge is decided by, can decide without asking: what comes of it names that newest hash, and the server
appends it only if that still is its newest and nobody made the request before (`APPEND`). Then the decision is the one
that the server's own rows would have led to; otherwise nothing is written, and it is made anew from them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import LiteralString

from discreet.ledger.entries import BUDGET, CHARGE, SEAL, Entry
from discreet.ledger.postgres_link import Link
from discreet.ledger.postgres_tables import NAMES, PLACES
from discreet.ledger.store import VERSION

Key = tuple[str, str, str]
"""Whether it is of a dataset or of a request, whose, and the kind of the row."""

Found = dict[Key, Entry | None]

LAST: Key = ("last", "", "")

_ENTRIES: LiteralString = "SELECT " + NAMES + " FROM discreet.entries "  # noqa: S608 - no value comes from outside
_ALL: LiteralString = _ENTRIES + "ORDER BY seq"
_OF: dict[str, LiteralString] = {
    "last": _ENTRIES + "ORDER BY seq DESC LIMIT 1",
    "dataset": _ENTRIES + "WHERE dataset = %s AND kind = %s ORDER BY seq DESC LIMIT 1",
    "request": _ENTRIES + "WHERE request_id = %s AND kind = %s",
}

_OF_A_CHARGE: dict[LiteralString, LiteralString] = {
    "last": _OF["last"],
    "budget of dataset": _ENTRIES + "WHERE dataset = %(dataset)s AND kind = 'budget'",
    "charge of dataset": _ENTRIES + "WHERE dataset = %(dataset)s AND kind = 'charge' ORDER BY seq DESC LIMIT 1",
    "charge of request": _ENTRIES + "WHERE request_id = %(request)s AND kind = 'charge'",
    "seal of request": _ENTRIES + "WHERE request_id = %(request)s AND kind = 'seal'",
}
WANTED: LiteralString = " UNION ALL ".join(
    "(SELECT '" + what + "', found.* FROM (" + query + ") found)"  # noqa: S608
    for what, query in _OF_A_CHARGE.items()
)
"""Every row that a charge or a seal asks for, at once."""

INSERT: LiteralString = "INSERT INTO discreet.entries (" + NAMES + ") VALUES (" + PLACES + ")"  # noqa: S608
APPEND: LiteralString = (
    "INSERT INTO discreet.entries (" + NAMES + ") SELECT " + PLACES + " FROM discreet.mark WHERE version = %s"  # noqa: S608
    " AND (SELECT hash FROM discreet.entries ORDER BY seq DESC LIMIT 1) = %s"
    " AND NOT EXISTS (SELECT FROM discreet.entries WHERE request_id = %s AND kind = %s)"
)
"""The next row, if it is."""


def told_to_append(entry: Entry) -> tuple[object, ...]:
    """What `APPEND` is to be told."""
    return (*entry, VERSION, entry.previous, entry.request_id, entry.kind)


def found_of(dataset: str | None, request_id: str | None, answer: Iterable[tuple[object, ...]]) -> Found:
    """The answer to `WANTED`, by key; that there is no row is an answer too."""
    found: Found = {LAST: None}
    if dataset is not None:
        found |= {("dataset", dataset, BUDGET): None, ("dataset", dataset, CHARGE): None}
    if request_id is not None:
        found |= {("request", request_id, CHARGE): None, ("request", request_id, SEAL): None}
    for what, *row in answer:
        kind, _, owner = str(what).partition(" of ")
        name = {"dataset": dataset, "request": request_id}.get(owner)
        found[LAST if name is None else (owner, name, kind)] = Entry._make(row)
    return found


class KnownSource(ABC):
    """Rows that are known by their keys; the others are got by `_ask`."""

    version = VERSION

    def __init__(self, found: Found) -> None:
        self.found: Found = dict(found)
        self.new: list[Entry] = []

    @abstractmethod
    def all(self) -> list[Entry]:
        """Every row, in order."""

    def last(self) -> Entry | None:
        """The newest row."""
        return self._first(LAST)

    def of_dataset(self, dataset: str, kind: str) -> Entry | None:
        """The newest row of a kind for a dataset."""
        return self._first(("dataset", dataset, kind))

    def of_request(self, request_id: str, kind: str) -> Entry | None:
        """The row of a kind for a request."""
        return self._first(("request", request_id, kind))

    def insert(self, entry: Entry) -> None:
        """One more row, sent together with the commit."""
        self.new.append(entry)
        self.found[LAST] = self.found["dataset", entry.dataset, entry.kind] = entry
        if entry.request_id is not None:
            self.found["request", entry.request_id, entry.kind] = entry

    def _first(self, key: Key) -> Entry | None:
        if key not in self.found:
            self.found[key] = self._ask(key)
        return self.found[key]

    @abstractmethod
    def _ask(self, key: Key) -> Entry | None:
        """The row with a key that is not known."""


class LinkSource(KnownSource):
    """Rows over a connection; those that were fetched with the lock are not asked for again."""

    def __init__(self, link: Link, found: Found | None = None) -> None:
        super().__init__(found or {})
        self._link = link

    def all(self) -> list[Entry]:
        return [Entry._make(row) for row in self._link.execute(_ALL)]

    def _ask(self, key: Key) -> Entry | None:
        owner, *bound = key
        row = self._link.execute(_OF[owner], bound if key != LAST else None).fetchone()
        return None if row is None else Entry._make(row)


class Forgotten(Exception):
    """It has to be asked for."""


class RememberedSource(KnownSource):
    """Rows from memory. That nobody made a request before is assumed here, and found out by `APPEND`."""

    def __init__(self, found: Found) -> None:
        super().__init__(found)
        self._assumed: set[Key] = set()

    def all(self) -> list[Entry]:
        raise Forgotten

    def to_append(self) -> Entry | None:
        """The one new row, if `APPEND` finds out all that was assumed for it."""
        if len(self.new) != 1:
            return None
        entry = self.new[0]
        return entry if self._assumed <= {("request", entry.request_id, entry.kind)} else None

    def _ask(self, key: Key) -> Entry | None:
        if key[0] != "request":
            raise Forgotten
        self._assumed.add(key)
        return None


class Memory:
    """What this process knew when it last had the lock: the newest row, each dataset's, and the last request's."""

    def __init__(self) -> None:
        self._found: Found = {}
        self._others = False

    def source(self) -> RememberedSource | None:
        """The rows; None if there are none, or if others write too, so that it would often be in vain."""
        return RememberedSource(self._found) if self._found and not self._others else None

    def beside(self, found: Found) -> Found:
        """Rows that were just fetched, and what is remembered beside them if nobody else has written meanwhile."""
        self._others = bool(self._found) and self._found[LAST] != found[LAST]
        return found if self._others else self._found | found

    def keep(self, source: KnownSource) -> None:
        """Remember the rows as they are after a commit."""
        last = source.found[LAST]
        request = None if last is None else last.request_id
        self._found = {key: row for key, row in source.found.items() if key[0] != "request" or key[1] == request}
