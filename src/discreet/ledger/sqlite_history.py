"""The rows of a ledger from before version 3, which was a SQLite file.

Such a file may have a journal beside one of its names. A journal is played back only if the file is not sound without
it: one that was left behind under this name, while charges were made under another, would undo them.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from urllib.parse import quote

from discreet.errors import LedgerError
from discreet.ledger.accounts import Replay, damage_error, replay
from discreet.ledger.entries import LATER, Entry

SQLITE_MAGIC = b"SQLite format 3\0"

APPLICATION = 0x64637274
"""Tells SQLite's own tools, and us, that a file is a ledger."""

VERSIONS = {1: tuple(name for name in Entry._fields if name not in LATER), 2: Entry._fields[:17]}
"""The columns of each version of the table."""


def read_sqlite(file: Path, name: str) -> Replay:
    """All rows, checked; without the journal if they are sound without it."""
    try:
        with closing(open_sqlite(file, "mode=ro&immutable=1")) as connection:
            return _state(connection, name)
    except (LedgerError, sqlite3.Error, UnicodeError):
        pass
    try:
        with closing(open_sqlite(file)) as connection:
            return _state(connection, name)
    except (sqlite3.Error, UnicodeError) as failure:
        if getattr(failure, "sqlite_errorcode", 0) & 0xFF in {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}:
            raise LedgerError(f"{name} is locked by another process", hint="try again when it has ended") from None
        raise LedgerError(
            f"{name} is not a ledger, or broken", hint="check the name, or restore a copy whose head you know"
        ) from None


def open_sqlite(file: Path, mode: str = "mode=rw") -> sqlite3.Connection:
    """A connection that never makes a file."""
    connection = sqlite3.connect(f"file:{quote(str(file))}?{mode}", uri=True, timeout=60, isolation_level=None)
    # A row whose text was damaged must be read, to be named.
    connection.text_factory = lambda raw: raw.decode("utf-8", "surrogateescape")
    for pragma in ("synchronous = EXTRA", "fullfsync = ON", "trusted_schema = OFF"):
        connection.execute(f"PRAGMA {pragma}")
    return connection


def _state(connection: sqlite3.Connection, name: str) -> Replay:
    mark, version = (connection.execute(f"PRAGMA {what}").fetchone()[0] for what in ("application_id", "user_version"))
    if mark != APPLICATION or version not in VERSIONS:
        raise LedgerError(f"{name} is not a ledger of this version", hint="check the name")
    names = VERSIONS[version]
    rows = connection.execute(f"SELECT {', '.join(names)} FROM entries ORDER BY seq").fetchall()  # noqa: S608
    state = replay([Entry(**dict(zip(names, row, strict=True))) for row in rows], name)
    # Table and indexes must tell the same: a half-written page can leave the rows readable.
    if connection.execute("PRAGMA integrity_check").fetchone() != ("ok",):
        raise damage_error(name, state.rows)
    return state
