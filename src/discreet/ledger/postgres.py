"""A ledger in a PostgreSQL database, for teams: several hosts may charge it at once.

A write locks the ledger's mark before it reads, so that no two can both find room for the last of a budget. It takes
two messages: the lock and the rows that will be asked for, then the new row and the commit; or one, if it was decided
from rows that are remembered and the server finds that nothing was added to them. `synchronous_commit` is
forced on in every transaction, and a server that does not sync to its disk is refused. If the connection breaks before
the answer to a commit, the charge may stand or not: the caller is told so and shown nothing, and the same request asked
again finds out. No message says what the server said, which might name a user or an address; no password is kept but
in the address itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import LiteralString, TypeVar

import psycopg
from psycopg import errors

from discreet.errors import DiscreetError, LedgerError
from discreet.ledger.accounts import MEND
from discreet.ledger.entries import Entry
from discreet.ledger.postgres_link import Hold, Link, missing, translated
from discreet.ledger.postgres_rows import (
    APPEND,
    INSERT,
    WANTED,
    Forgotten,
    Found,
    LinkSource,
    Memory,
    found_of,
    told_to_append,
)
from discreet.ledger.postgres_tables import is_guarded, make
from discreet.ledger.store import VERSION, Rows, step

PATIENCE = 60
"""Seconds to wait for other writers, and after which a writer that fell silent is shut out."""

APPLICATION = 0x64637274
"""The lock of those who make a ledger."""

T = TypeVar("T")
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
_LOCK: LiteralString = "SELECT version FROM discreet.mark FOR UPDATE"


class PostgresStore:
    """The store in a database that holds a ledger. One connection is kept open; a forked child opens its own."""

    def __init__(self, url: str) -> None:
        self._hold = Hold(url)
        self.name = self._hold.name
        self._memory = Memory()
        with translated(self.name), self._hold.turn():
            if not _is_there(self._hold.link(), self.name):
                raise missing(self.name)
            found = self._hold.link().execute("SELECT version FROM discreet.mark").fetchall()
        if found != [(VERSION,)]:
            raise LedgerError(f"{self.name} is not a ledger of this version", hint="check the name")

    @contextmanager
    def reading(self) -> Iterator[Rows]:
        """A consistent view."""
        with translated(self.name), self._hold.turn():
            yield Rows(LinkSource(self._hold.opened(_begin_reading)[0]), self.name)
            self._hold.link().execute("COMMIT")

    def write(self, decide: Callable[[Rows], T], dataset: str | None = None, request_id: str | None = None) -> T:
        """Let `decide` read and append as the only writer; durable when this returns, undone if it fails."""
        with translated(self.name), self._hold.turn():
            step("open")
            answer = self._from_memory(decide)
            if answer is not None:
                return answer[0]
            link, (rest, found) = self._hold.opened(lambda link: _begin_writing(link, dataset, request_id))
            source = LinkSource(link, self._memory.beside(found))
            with _answered(link, self.name), rest:
                step("locked")
                decided = decide(Rows(source, self.name))
                step("written")
                done = _send(link, source.new)
            _require_commit(*done)
            self._memory.keep(source)
            step("committed")
            return decided

    def _from_memory(self, decide: Callable[[Rows], T]) -> tuple[T] | None:
        """What is decided without asking, in one message; None if it has to be decided anew, and nothing was written.

        Only a row that the server appends counts. Who refuses, or finds an earlier answer, must have looked.
        """
        source = self._memory.source()
        if source is None:
            return None
        try:
            decided = decide(Rows(source, self.name))
        except (Forgotten, DiscreetError):
            return None
        entry = source.to_append()
        if entry is None or self._hold.is_broken():
            return None
        step("written")
        link = self._hold.link()
        with _answered(link, self.name), link.pipeline():
            _begin_locked(link)
            link.execute(_LOCK)
            appended = link.execute(APPEND, told_to_append(entry))
            done = link.execute("COMMIT")
        _require_commit(done)
        if appended.rowcount != 1:
            return None
        self._memory.keep(source)
        step("committed")
        return (decided,)

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
        _require_commit(*done)
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
        wanted = link.execute(WANTED, {"dataset": dataset, "request": request_id})
        pipeline.sync()
        if locked.fetchall() != [(VERSION,)]:
            raise LedgerError("the mark of the ledger was changed", hint=MEND)
        return stack.pop_all(), found_of(dataset, request_id, wanted)


def _begin_making(link: Link) -> None:
    with link.pipeline():
        _begin_locked(link)
        link.execute("SELECT pg_advisory_xact_lock(%s)", (APPLICATION,))  # there is no row to lock yet


def _begin_locked(link: Link) -> None:
    link.execute("BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE")
    link.execute(_SETTINGS, {"wait": f"{PATIENCE}s"})


def _send(link: Link, new: list[Entry]) -> tuple[Cursor, ...]:
    """The commit and before it the new rows, as one message that leaves with the pipeline."""
    rows = [link.execute(INSERT, entry) for entry in new]
    return link.execute("COMMIT"), *rows


@contextmanager
def _answered(link: Link, name: str) -> Iterator[None]:
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


def _is_there(link: Link, name: str) -> bool:
    """Whether the database holds a ledger; refused if the server may lose or garble what it was given."""
    found = link.execute(_SERVER).fetchone()
    assert found is not None
    syncs, whole_pages, unicode, is_there = found
    if not (syncs and whole_pages):
        raise LedgerError(f"the server of {name} does not sync to its disk", hint="set fsync and full_page_writes on")
    if not unicode:
        raise LedgerError(f"{name} does not keep UTF-8", hint="create the database with ENCODING 'UTF8'")
    return bool(is_there)
