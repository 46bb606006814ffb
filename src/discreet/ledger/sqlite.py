"""A ledger in one SQLite file.

A rollback journal and not a write-ahead log: between transactions the file is the whole ledger, so that a copy of it
cannot miss charges that still lie in a second file. `synchronous = EXTRA` also syncs the directory when the journal
goes, without which a power cut could bring the journal back and undo a charge that was already answered. A write
takes the lock before it reads (`BEGIN IMMEDIATE`), so that no two processes can both find room for the last of a
budget; `turns` has one more, which a copy of the file made in the same process does not take away.
"""

from __future__ import annotations

import os
import sqlite3
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TypeVar
from urllib.parse import quote

from sqlalchemy import Connection, Engine, create_engine, event, text
from sqlalchemy.exc import DBAPIError, SQLAlchemyError
from sqlalchemy.pool import NullPool

from discreet.errors import LedgerError
from discreet.ledger.entries import FIRST, Entry
from discreet.ledger.statements import ConnectionSource, statements
from discreet.ledger.store import COLUMNS, VERSION, Rows, step
from discreet.ledger.turns import Busy, alone

T = TypeVar("T")

APPLICATION = 0x64637274
"""Tells SQLite's own tools, and us, that a file is a ledger."""

FAILURES = (SQLAlchemyError, sqlite3.Error, UnicodeError)
"""What a broken file ends in: Python cannot always decode what SQLite says of it."""

PATIENCE = 60.0
"""Seconds to wait for other processes."""

PRAGMAS = (
    "journal_mode = DELETE",
    "synchronous = EXTRA",
    "fullfsync = ON",
    "trusted_schema = OFF",
    "recursive_triggers = ON",
)

GUARDS = {
    "no_update": "BEFORE UPDATE ON entries BEGIN SELECT RAISE(ABORT, 'the ledger only grows'); END",
    "no_delete": "BEFORE DELETE ON entries BEGIN SELECT RAISE(ABORT, 'the ledger only grows'); END",
    # INSERT OR REPLACE would drop a row without asking no_delete, if it got past this.
    "only_next": f"""BEFORE INSERT ON entries WHEN
        NEW.seq IS NOT (SELECT coalesce(max(seq), 0) + 1 FROM entries)
        OR NEW.previous IS NOT coalesce((SELECT hash FROM entries ORDER BY seq DESC LIMIT 1), '{FIRST}')
        OR EXISTS (SELECT 1 FROM entries WHERE request_id = NEW.request_id AND kind = NEW.kind)
        OR EXISTS (SELECT 1 FROM entries WHERE NEW.kind = 'budget' AND kind = 'budget' AND dataset = NEW.dataset)
        BEGIN SELECT RAISE(ABORT, 'the ledger only grows'); END""",  # noqa: S608 - no value comes from outside
}


class SqliteStore:
    """The store in a file that exists. No connection outlives a transaction, so forks and threads share nothing."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.name = str(path)
        self._file = resolved(path)
        if not self._file.is_file():
            raise LedgerError(
                f"there is no ledger {self.name}", hint="check the name, or make one with discreet ledger create"
            )
        self._engine = _engine(self._file)
        with self._translated(), self._engine.connect() as connection:
            mark = connection.exec_driver_sql("PRAGMA application_id").scalar()
            self._version = int(connection.exec_driver_sql("PRAGMA user_version").scalar() or 0)
        if mark != APPLICATION or self._version not in COLUMNS:
            raise LedgerError(f"{self.name} is not a ledger of this version", hint="check the name")

    @contextmanager
    def reading(self) -> Iterator[Rows]:
        """A consistent view."""
        with self._translated(), self._engine.begin() as connection:
            yield self._rows(connection)

    def write(self, decide: Callable[[Rows], T], dataset: str | None = None, request_id: str | None = None) -> T:
        """Let `decide` read and append as the only writer; durable when this returns, undone if it fails."""
        with self._translated(), alone(self._file.parent, PATIENCE):
            step("open")
            with self._engine.connect().execution_options(opening="BEGIN IMMEDIATE") as connection:
                with connection.begin():
                    step("locked")
                    decided = decide(self._rows(connection))
                    step("written")
                step("committed")
                return decided

    def is_damaged(self) -> bool:
        """Whether SQLite finds a fault in its file, or the guards are not as they were made."""
        try:
            with self._engine.begin() as connection:
                found = connection.exec_driver_sql("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'").all()
                sound = connection.exec_driver_sql("PRAGMA integrity_check").scalar() == "ok"
        except FAILURES:
            return True
        return not sound or dict(map(tuple, found)) != {name: _guard(name) for name in GUARDS}

    def _rows(self, connection: Connection) -> Rows:
        return Rows(ConnectionSource(connection, self._version), self.name)

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except Busy:
            raise _locked(self.name) from None
        except FAILURES as failure:
            raise _explained(failure, self.name) from None


def create_file(path: Path, first: Entry) -> bool:
    """Make a ledger with its first row: whole, durable and under its name at once, or not at all.

    False if the name was taken meanwhile, which leaves that file as it is. The file may be read by its owner only.
    """
    target = resolved(path)
    for ending in ("-journal", "-wal"):
        if resolved(target.with_name(target.name + ending)).exists():
            # SQLite would play the other one's journal into the new file.
            raise LedgerError(f"{path} was lost, and its journal was not", hint="restore it, or choose another name")
    unwritable = LedgerError(f"{path} cannot be created", hint="choose a directory on a local disk that may be written")
    try:
        handle, made = tempfile.mkstemp(prefix=f".{target.name}.", suffix=".new", dir=target.parent)
    except OSError:
        raise unwritable from None
    os.close(handle)
    temporary = Path(made)
    try:
        engine = _engine(temporary)
        with engine.begin() as connection:
            _make(connection)
            Rows(ConnectionSource(connection, VERSION), str(path)).begin(first)
        engine.dispose()
        step("made")
        temporary.chmod(0o600)
        os.link(temporary, target)  # unlike a rename, it never takes the place of another ledger
        step("linked")
    except FileExistsError:
        return False
    except (OSError, *FAILURES):
        raise unwritable from None
    finally:
        temporary.unlink(missing_ok=True)
        _sync(target.parent)
    return True


def resolved(path: Path) -> Path:
    """The file that a name leads to, whether there is one or not."""
    try:
        target = path.resolve()
        target.exists()  # a name may be too long to ask for
    except (OSError, RuntimeError):
        raise LedgerError(f"{path} cannot be the name of a file", hint="check the name, and where links lead") from None
    return target


def _engine(file: Path) -> Engine:
    address = f"file:{quote(str(file))}?mode=rw"  # never makes a file

    def connect() -> sqlite3.Connection:
        connection = sqlite3.connect(address, uri=True, timeout=PATIENCE, isolation_level=None, check_same_thread=False)
        # A row whose text was damaged must be read, to be named.
        connection.text_factory = lambda raw: raw.decode("utf-8", "surrogateescape")
        for pragma in PRAGMAS:
            connection.execute(f"PRAGMA {pragma}")
        return connection

    engine = create_engine("sqlite://", creator=connect, poolclass=NullPool, hide_parameters=True)

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        connection.exec_driver_sql(connection.get_execution_options().get("opening", "BEGIN"))

    return engine


def _make(connection: Connection) -> None:
    statements(VERSION).metadata.create_all(connection)
    for name in GUARDS:
        connection.execute(text(_guard(name)))
    connection.exec_driver_sql(f"PRAGMA application_id = {APPLICATION}")
    connection.exec_driver_sql(f"PRAGMA user_version = {VERSION}")


def _guard(name: str) -> str:
    return f"CREATE TRIGGER {name} {GUARDS[name]}"


def _sync(directory: Path) -> None:
    """Make the names in a directory durable, where the system lets one."""
    with suppress(OSError):
        handle = os.open(directory, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _locked(name: str) -> LedgerError:
    return LedgerError(f"{name} is locked by another process", hint="try again when it has ended")


def _explained(failure: Exception, name: str) -> LedgerError:
    cause = failure.orig if isinstance(failure, DBAPIError) else failure
    code = getattr(cause, "sqlite_errorcode", 0) & 0xFF
    if code in {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}:
        return _locked(name)
    if code in {sqlite3.SQLITE_READONLY, sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN}:
        return LedgerError(f"{name} cannot be read or written", hint="check the disk and the permissions")
    return LedgerError(
        f"{name} is not a ledger, or broken", hint="check the name, or restore a copy whose head you know"
    )
