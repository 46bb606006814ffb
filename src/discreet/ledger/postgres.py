"""A ledger in a PostgreSQL database, for teams: several hosts may charge it at once.

A write locks the ledger's mark before it reads, so that no two can both find room for the last of a budget. It takes
two messages: the lock and the rows that will be asked for, then the new row and the commit. `synchronous_commit` is
forced on in every transaction, and a server that does not sync to its disk is refused. If the connection breaks before
the answer to a commit, the charge may stand or not: the caller is told so and shown nothing, and the same request asked
again finds out. No message says what the server said, which might name a user or an address; no password is kept but
in the address itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import LiteralString

import psycopg
from psycopg import errors

from discreet.errors import LedgerError
from discreet.ledger.accounts import MEND
from discreet.ledger.entries import Entry
from discreet.ledger.postgres_link import Hold, Link, missing, translated
from discreet.ledger.postgres_tables import NAMES, PLACES, is_guarded, make
from discreet.ledger.store import VERSION, Rows, step

PATIENCE = 60
"""Seconds to wait for other writers, and after which a writer that fell silent is shut out."""

APPLICATION = 0x64637274
"""The lock of those who make a ledger."""

Found = dict[tuple[str, str | None], Entry | None]

# Rows that others may not see are an error and not a gap; a commit is on disk when it is answered.
_SETTINGS: LiteralString = """
    SELECT set_config('synchronous_commit',
            CASE WHEN current_setting('synchronous_commit') = 'remote_apply' THEN 'remote_apply' ELSE 'on' END, true),
        set_config('search_path', 'pg_catalog', true), set_config('row_security', 'off', true),
        set_config('lock_timeout', %(wait)s, true), set_config('idle_in_transaction_session_timeout', %(wait)s, true)"""
_SERVER: LiteralString = """
    SELECT current_setting('fsync') = 'on', current_setting('full_page_writes') = 'on',
        current_setting('server_encoding') = 'UTF8',
        EXISTS (SELECT FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace s ON s.oid = c.relnamespace
                WHERE s.nspname = 'discreet' AND c.relname = 'mark')"""  # to_regclass may answer from a cache
_LOCK: LiteralString = "SELECT version FROM discreet.mark FOR UPDATE"
_ENTRIES: LiteralString = "SELECT " + NAMES + " FROM discreet.entries "  # noqa: S608 - no value comes from outside
_ALL: LiteralString = _ENTRIES + "ORDER BY seq"
_LAST: LiteralString = _ENTRIES + "ORDER BY seq DESC LIMIT 1"
_OF_DATASET: LiteralString = _ENTRIES + "WHERE dataset = %s AND kind = %s ORDER BY seq DESC LIMIT 1"
_OF_REQUEST: LiteralString = _ENTRIES + "WHERE request_id = %s AND kind = %s"
_OF_A_CHARGE: dict[LiteralString, LiteralString] = {
    "last": _LAST,
    "budget of dataset": _ENTRIES + "WHERE dataset = %(dataset)s AND kind = 'budget'",
    "charge of dataset": _ENTRIES + "WHERE dataset = %(dataset)s AND kind = 'charge' ORDER BY seq DESC LIMIT 1",
    "charge of request": _ENTRIES + "WHERE request_id = %(request)s AND kind = 'charge'",
    "seal of request": _ENTRIES + "WHERE request_id = %(request)s AND kind = 'seal'",
}
_WANTED: LiteralString = " UNION ALL ".join(
    "(SELECT '" + what + "', found.* FROM (" + query + ") found)"  # noqa: S608
    for what, query in _OF_A_CHARGE.items()
)
_INSERT: LiteralString = "INSERT INTO discreet.entries (" + NAMES + ") VALUES (" + PLACES + ")"  # noqa: S608


class LinkSource:
    """Rows by key, over a connection; those that were fetched with the lock are not asked for again."""

    version = VERSION

    def __init__(self, link: Link, fetched: Found | None = None) -> None:
        self._link = link
        self._fetched: Found = dict(fetched or {})
        self.new: list[Entry] = []

    def all(self) -> list[Entry]:
        """Every row, in order."""
        return [_entry(row) for row in self._link.execute(_ALL)]

    def last(self) -> Entry | None:
        """The newest row."""
        return self._first("last", None, _LAST)

    def of_dataset(self, dataset: str, kind: str) -> Entry | None:
        """The newest row of a kind for a dataset."""
        return self._first(f"{kind} of dataset", dataset, _OF_DATASET, dataset, kind)

    def of_request(self, request_id: str, kind: str) -> Entry | None:
        """The row of a kind for a request."""
        return self._first(f"{kind} of request", request_id, _OF_REQUEST, request_id, kind)

    def insert(self, entry: Entry) -> None:
        """One more row, sent together with the commit."""
        self.new.append(entry)
        self._fetched["last", None] = entry

    def _first(self, what: str, name: str | None, query: LiteralString, *bound: str) -> Entry | None:
        if (what, name) not in self._fetched:
            self._fetched[what, name] = _first(self._link.execute(query, bound))
        return self._fetched[what, name]


class PostgresStore:
    """The store in a database that holds a ledger. One connection is kept open; a forked child opens its own."""

    def __init__(self, url: str) -> None:
        self._hold = Hold(url)
        self.name = self._hold.name
        with translated(self.name), self._hold.turn():
            if not _is_there(self._hold.link(), self.name):
                raise missing(self.name)
            found = self._hold.link().execute("SELECT version FROM discreet.mark").fetchall()
        if found != [(VERSION,)]:
            raise LedgerError(f"{self.name} is not a ledger of this version", mend="check the name")

    @contextmanager
    def reading(self) -> Iterator[Rows]:
        """A consistent view."""
        with translated(self.name), self._hold.turn():
            yield Rows(LinkSource(self._hold.opened(_begin_reading)[0]), self.name)
            self._hold.link().execute("COMMIT")

    @contextmanager
    def writing(self, dataset: str | None = None, request_id: str | None = None) -> Iterator[Rows]:
        """The only writer until it ends; durable when it has ended, undone if it fails."""
        with translated(self.name), self._hold.turn():
            step("open")
            link, (rest, fetched) = self._hold.opened(lambda link: _begin_writing(link, dataset, request_id))
            source = LinkSource(link, fetched)
            with _answered(link, self.name), rest:
                step("locked")
                yield Rows(source, self.name)
                step("written")
                done = _send(link, source.new)
            _require_commit(done)
            step("committed")

    def is_damaged(self) -> bool:
        """Whether the guards are not as they were made, or the tables would be lost in a crash."""
        with translated(self.name), self._hold.turn():
            guarded = is_guarded(self._hold.opened(_begin_reading)[0])
            self._hold.link().execute("COMMIT")
        return not guarded


def create_tables(url: str, first: Entry) -> bool:
    """Make a ledger with its first row: whole and durable at once, or not at all. False if there is one."""
    hold = Hold(url)
    with translated(hold.name), hold.turn():
        if _is_there(hold.link(), hold.name):
            return False
        link, _ = hold.opened(_begin_making)
        if _is_there(link, hold.name):  # somebody was quicker
            link.execute("ROLLBACK")
            return False
        make(link)
        source = LinkSource(link)
        Rows(source, hold.name).begin(first)
        step("made")
        with _answered(link, hold.name), link.pipeline():
            done = _send(link, source.new)
        _require_commit(done)
        step("committed")
    return True


def _begin_reading(link: Link) -> None:
    with link.pipeline():
        link.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
        link.execute(_SETTINGS, {"wait": f"{PATIENCE}s"})


def _begin_writing(link: Link, dataset: str | None, request_id: str | None) -> tuple[ExitStack, Found]:
    """Take the lock, and then, as a statement of its own that sees what others have committed, each row by its key.

    The pipeline stays open for the second message: leaving it would tell the server to flush, and whoever is told
    anything after falling silent no longer counts as idle.
    """
    with ExitStack() as stack:
        pipeline = stack.enter_context(link.pipeline())
        _begin_locked(link)
        locked = link.execute(_LOCK)
        wanted = link.execute(_WANTED, {"dataset": dataset, "request": request_id})
        pipeline.sync()
        if locked.fetchall() != [(VERSION,)]:
            raise LedgerError("the mark of the ledger was changed", mend=MEND)
        found = {what: _entry(tuple(row)) for what, *row in wanted}
        names = dict.fromkeys(_OF_A_CHARGE, dataset) | {"charge of request": request_id, "seal of request": request_id}
        fetched: Found = {(what, name): found.get(what) for what, name in names.items() if name is not None}
        fetched["last", None] = found.get("last")
        return stack.pop_all(), fetched


def _begin_making(link: Link) -> None:
    with link.pipeline():
        _begin_locked(link)
        link.execute("SELECT pg_advisory_xact_lock(%s)", (APPLICATION,))  # there is no row to lock yet


def _begin_locked(link: Link) -> None:
    link.execute("BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE")
    link.execute(_SETTINGS, {"wait": f"{PATIENCE}s"})


def _send(link: Link, new: list[Entry]) -> psycopg.Cursor[tuple[object, ...]]:
    """The new rows and the commit, as one message that leaves with the pipeline."""
    for entry in new:
        link.execute(_INSERT, tuple(entry.as_row().values()))
    return link.execute("COMMIT")


@contextmanager
def _answered(link: Link, name: str) -> Iterator[None]:
    """Who lost the connection cannot know whether the commit was made."""
    try:
        yield
    except psycopg.OperationalError:
        if not link.closed:
            raise
        raise LedgerError(
            f"the connection to {name} broke before it answered",
            mend="ask again with the same request id: what was charged is not charged twice",
        ) from None


def _require_commit(done: psycopg.Cursor[tuple[object, ...]]) -> None:
    """A transaction that had failed would have been rolled back without an error."""
    if done.statusmessage != "COMMIT":
        raise errors.InFailedSqlTransaction


def _is_there(link: Link, name: str) -> bool:
    """Whether the database holds a ledger; refused if the server may lose or garble what it was given."""
    found = link.execute(_SERVER).fetchone()
    assert found is not None
    syncs, whole_pages, unicode, is_there = found
    if not (syncs and whole_pages):
        raise LedgerError(f"the server of {name} does not sync to its disk", mend="set fsync and full_page_writes on")
    if not unicode:
        raise LedgerError(f"{name} does not keep UTF-8", mend="create the database with ENCODING 'UTF8'")
    return bool(is_there)


def _first(cursor: psycopg.Cursor[tuple[object, ...]]) -> Entry | None:
    row = cursor.fetchone()
    return None if row is None else _entry(row)


def _entry(row: tuple[object, ...]) -> Entry:
    return Entry(*row)  # type: ignore[arg-type]
