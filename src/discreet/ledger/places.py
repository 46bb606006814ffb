"""Where a ledger is kept: a file, or a database by its address."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from discreet.errors import LedgerError, require_packages
from discreet.ledger.entries import Entry
from discreet.ledger.file import FileStore, create_file, resolve_path

if TYPE_CHECKING:
    from discreet.ledger.postgres import PostgresStore

SQLITE = "sqlite:///"
POSTGRES = ("postgresql://", "postgres://")
_ADDRESS = re.compile(
    r"\b(?:dbname|password|host|user)\s*=|^\s*postgres(?:ql)?(?:\+\w+)?:|^[^/\\]*:[^/\\]*@", re.IGNORECASE
)
"""An address as libpq spells it, or one that is misspelt: a file of that name would show its password."""


def open_store(path_or_url: str | Path) -> FileStore | PostgresStore:
    """The ledger that is kept there; `LedgerError` if there is none."""
    if not _is_postgres(path_or_url):
        return FileStore(_file_of(path_or_url))

    from discreet.ledger.postgres import PostgresStore

    return PostgresStore(str(path_or_url))


def create_if_missing(path_or_url: str | Path, first: Entry) -> bool:
    """Make a ledger with its first row, whole or not at all; False if there is one, which is left as it is."""
    if not _is_postgres(path_or_url):
        file = _file_of(path_or_url)
        return not resolve_path(file).exists() and create_file(file, first)

    from discreet.ledger.postgres import create_tables

    return create_tables(str(path_or_url), first)


def _is_postgres(path_or_url: str | Path) -> bool:
    if not isinstance(path_or_url, str) or not path_or_url.startswith(POSTGRES):
        return False
    require_packages("a ledger on PostgreSQL", "postgres", "psycopg", error=LedgerError)
    return True


def _file_of(path_or_url: str | Path) -> Path:
    text = str(path_or_url)
    if isinstance(path_or_url, str) and "://" in text:
        if not text.startswith(SQLITE):
            raise LedgerError(
                "a ledger cannot be kept at such an address", hint="name a file, sqlite:///file or postgresql://…"
            )
        text = text.removeprefix(SQLITE)
    if _ADDRESS.search(text):
        raise LedgerError("a ledger cannot be kept at such an address", hint="write postgresql://user@host/database")
    if not text or "\0" in text:
        raise LedgerError("a ledger needs the name of a file", hint="like budgets.db")
    return Path(text)
