"""A ledger in a PostgreSQL database, for teams: several hosts may charge it at once.

A write locks the ledger's mark before it reads, so that no two can both find room for the last of a budget. It takes
two messages: the lock and the rows that concern it, then the new row and the commit. Every charge works out anew, from
all charges to its dataset, what was spent: a row that a curator inserted by hand, with a total of his own, is named and
nothing more is charged. `synchronous_commit` is forced on in every transaction, and a server that does not sync to its
disk is refused. If the connection breaks before the answer to a commit, the charge may stand or not: the caller is told
so and shown nothing, and the same request asked again finds out. No message says what the server said, which might name
a user or an address; no password is kept but in the address itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from typing import LiteralString

import psycopg
from psycopg import errors

from discreet.errors import LedgerError
from discreet.ledger.accounts import Replay, replay
from discreet.ledger.entries import CHARGE, SEAL, Entry
from discreet.ledger.postgres_link import Link, SharedConnection, missing_error, translate_failures
from discreet.ledger.postgres_tables import COLUMNS, EARLIER, VERSION, VERSION_OF, insertion, is_guarded, make, upgrade

PATIENCE = 60
"""Seconds to wait for other writers, and after which a writer that fell silent is shut out."""

APPLICATION = 0x64637274
"""The lock of those who make a ledger."""

WRITE: LiteralString = "READ COMMITTED READ WRITE"

Cursor = psycopg.Cursor[tuple[object, ...]]

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


def step(name: str) -> None:
    """A place where the tests pull the plug."""


class PostgresStore:
    """The store in a database that holds a ledger. One connection is kept open; a forked child opens its own."""

    def __init__(self, url: str) -> None:
        self._shared = SharedConnection(url)
        self.name = self._shared.name
        with translate_failures(self.name), self._shared.turn():
            if _version(self._shared.link(), self.name) is None:
                raise missing_error(self.name)

    def read(self, dataset: str | None = None, request_id: str | None = None, *, seals: bool = False) -> Replay:
        """A consistent view: of all rows, or of those of the dataset, its seals if asked for, and the request."""
        with self._reading() as link:
            rows = link.execute(*_query(dataset, request_id, seals=seals)).fetchall()
        return _replay(rows, self.name, dataset, request_id)

    def is_damaged(self) -> bool:
        """Whether the guards are not as they were made, or the tables would be lost in a crash."""
        with self._reading() as link:
            return not is_guarded(link)

    @contextmanager
    def _reading(self) -> Iterator[Link]:
        with translate_failures(self.name), self._shared.turn():
            link, _ = self._shared.begin_transaction(_begin_reading)
            yield link
            link.execute("COMMIT")

    @contextmanager
    def transaction(self, dataset: str | None = None, request_id: str | None = None) -> Iterator[Replay]:
        """Be the only writer; what is appended is durable when this ends, and nothing is written if it fails."""
        with translate_failures(self.name), self._shared.turn():
            step("open")
            begin = partial(_begin_writing, dataset=dataset, request_id=request_id)
            link, (rest, version, rows) = self._shared.begin_transaction(begin)
            with _require_answer(link, self.name), rest:
                step("locked")
                state = _replay(rows, self.name, dataset, request_id)
                state.has_units = _require_version(version, self.name) == VERSION
                yield state
                step("written")
                cursors = _send(link, state.new)
            _require_commit(*cursors)
            step("committed")


def create_tables(url: str, first: Entry) -> bool:
    """Make a ledger with its first row: whole and durable at once, or not at all. False if there is one.

    The tables of one that is there are brought to the version of today, which only their owner can.
    """
    shared = SharedConnection(url)
    with translate_failures(shared.name), shared.turn():
        if _version(shared.link(), shared.name) == VERSION:
            return False
        link, _ = shared.begin_transaction(_begin_making)
        version = _version(link, shared.name)  # somebody may have been quicker
        if version is None:
            make(link)
        elif version == EARLIER:
            upgrade(link)
        step("made")
        with _require_answer(link, shared.name), link.pipeline():
            cursors = _send(link, Replay().append(first) if version is None else None)
        _require_commit(*cursors)
        step("committed")
    return version is None


def _query(
    dataset: str | None, request_id: str | None, *, seals: bool = False
) -> tuple[LiteralString, dict[str, str | list[str] | None]]:
    """All rows; or each dataset's budget, the charges to one, what was done for a request, and the newest row."""
    if dataset is None and request_id is None:
        return "SELECT * FROM discreet.entries ORDER BY seq", {}
    return (
        "SELECT * FROM discreet.entries WHERE kind = 'budget' OR (kind = ANY(%(kinds)s) AND dataset = %(dataset)s)"
        " OR request_id = %(request)s OR seq = (SELECT max(seq) FROM discreet.entries) ORDER BY seq",
        {"dataset": dataset, "request": request_id, "kinds": [CHARGE, SEAL] if seals else [CHARGE]},
    )


def _replay(rows: list[tuple[object, ...]], name: str, dataset: str | None, request_id: str | None) -> Replay:
    absent = (None,) * (len(COLUMNS) - len(rows[0]) if rows else 0)  # of tables of an earlier version
    if rows and len(rows[0]) > len(COLUMNS):
        raise LedgerError(f"{name} has a column that this version does not know", hint="upgrade discreet")
    entries = [Entry._make(row + absent) for row in rows]
    return replay(entries, name, only=None if dataset is None and request_id is None else dataset or "")


def _require_version(rows: list[tuple[object, ...]], name: str) -> object:
    if rows not in ([(VERSION,)], [(EARLIER,)]):
        raise LedgerError(f"{name} is not a ledger of this version", hint="check the name")
    return rows[0][0]


def _begin(link: Link, mode: LiteralString) -> None:
    link.execute("BEGIN ISOLATION LEVEL " + mode)
    link.execute(_SETTINGS, {"wait": f"{PATIENCE}s"})


def _begin_reading(link: Link) -> None:
    with link.pipeline():
        _begin(link, "REPEATABLE READ READ ONLY")


def _begin_writing(
    link: Link, dataset: str | None, request_id: str | None
) -> tuple[ExitStack, list[tuple[object, ...]], list[tuple[object, ...]]]:
    """Take the lock, and then, as a statement of its own that sees what others have committed, the rows.

    The pipeline stays open for the second message: leaving it would tell the server to flush, and whoever is told
    anything after falling silent no longer counts as idle.
    """
    with ExitStack() as stack:
        pipeline = stack.enter_context(link.pipeline())
        _begin(link, WRITE)
        locked = link.execute(VERSION_OF + " FOR UPDATE")
        entries = link.execute(*_query(dataset, request_id))
        pipeline.sync()
        version, rows = locked.fetchall(), entries.fetchall()
        return stack.pop_all(), version, rows


def _begin_making(link: Link) -> None:
    with link.pipeline():
        _begin(link, WRITE)
        link.execute("SELECT pg_advisory_xact_lock(%s)", (APPLICATION,))  # there is no row to lock yet


def _send(link: Link, new: Entry | None) -> tuple[Cursor, ...]:
    """The commit and before it the new row, as one message that leaves with the pipeline."""
    rows = [] if new is None else [link.execute(*insertion(new))]
    return link.execute("COMMIT"), *rows


@contextmanager
def _require_answer(link: Link, name: str) -> Iterator[None]:
    """Who lost the connection, or his place among the answers, cannot know whether the commit was made."""
    try:
        yield
    except psycopg.OperationalError as failure:
        if failure.sqlstate is not None and not link.closed:
            raise
        raise LedgerError(
            f"the connection to {name} broke before it answered",
            hint="ask again with the same request id: what was charged is not charged twice",
        ) from None


def _require_commit(commit: Cursor, *rows: Cursor) -> None:
    """A transaction that had failed would be rolled back without an error, and a rule may swallow a row."""
    if commit.statusmessage != "COMMIT" or any(row.rowcount != 1 for row in rows):
        raise errors.InFailedSqlTransaction


def _version(link: Link, name: str) -> object:
    """The version of the ledger's tables, None without any; a server that may lose or garble them is refused."""
    row = link.execute(_SERVER).fetchone()
    assert row is not None
    syncs, whole_pages, unicode, is_there = row
    if not (syncs and whole_pages):
        raise LedgerError(f"the server of {name} does not sync to its disk", hint="set fsync and full_page_writes on")
    if not unicode:
        raise LedgerError(f"{name} does not keep UTF-8", hint="create the database with ENCODING 'UTF8'")
    return _require_version(link.execute(VERSION_OF).fetchall(), name) if is_there else None
