"""A connection to PostgreSQL: where it leads, how it is kept open, and what its failures are called.

No message repeats what the server or the address said: they may name users and hold passwords.
"""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TypeVar
from urllib.parse import quote
from weakref import WeakSet, finalize

import psycopg
from psycopg import Connection, conninfo, errors

from discreet.errors import DiscreetError, LedgerError

T = TypeVar("T")
Link = Connection[tuple[object, ...]]

# A connection that breaks is told by an exception; without a handler, psycopg's warning would also go to stderr.
logging.getLogger("psycopg").addHandler(logging.NullHandler())

CONNECT_PATIENCE = 10
"""Seconds."""


class SharedConnection:
    """One connection that stays open. Threads take turns; a forked child leaves its parent's alone."""

    def __init__(self, url: str) -> None:
        self._address, self.name = read_address(url)
        self._begin()
        _SHARED.add(self)

    def _begin(self) -> None:
        self._links: list[Link] = []
        self._turn = threading.RLock()
        self._is_taken = False
        self._pid = os.getpid()
        finalize(self, _close, self._links, self._pid)

    def begin_in_child(self) -> None:
        """Forget the connection of the parent, and who had it there."""
        links, parent = self._links, self._pid
        self._begin()
        _close(links, parent)

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Have the connection alone. Whatever ends it early ends its transaction too.

        A signal may raise anywhere, even while this tidies up, and leave answers on the wire that whoever asks next
        would take for his own. So a connection whose last turn is not known to have ended is not used again.
        """
        with self._turn:
            if self._is_taken:
                self._drop()
            self._is_taken = True
            try:
                yield
            except BaseException as failure:
                self._undo(failure)
                self._is_taken = False
                raise
            self._is_taken = False

    def link(self) -> Link:
        """The open connection."""
        if not self._links or self._links[0].closed:
            self._links[:] = [psycopg.connect(self._address, autocommit=True, prepare_threshold=2)]
        return self._links[0]

    def begin_transaction(self, begin: Callable[[Link], T]) -> tuple[Link, T]:
        """The connection with a transaction begun. One that broke while nobody used it is replaced, once."""
        was_open = bool(self._links)
        try:
            return self.link(), begin(self.link())
        except psycopg.OperationalError:
            if not was_open or not self._links[0].closed:
                raise
        return self.link(), begin(self.link())

    def _undo(self, failure: BaseException) -> None:
        """After a refusal of our own the connection is sound; after anything else it goes too.

        Statements that were to be prepared behind one that failed are not, and psycopg would go on as if they were.
        """
        if isinstance(failure, DiscreetError):
            with suppress(psycopg.Error):
                for link in self._links:
                    link.execute("ROLLBACK")
                return
        self._drop()

    def _drop(self) -> None:
        for link in self._links:
            link.close()


_SHARED: WeakSet[SharedConnection] = WeakSet()


def _begin_in_child() -> None:
    """At once after a fork: later, several threads of the child could find the parent's connection at a time."""
    for shared in list(_SHARED):
        shared.begin_in_child()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_begin_in_child)


def _close(links: list[Link], pid: int) -> None:
    """Close connections, and those of a parent on this side only: the farewell must not reach the parent's server."""
    for link in links:
        if pid != os.getpid() and not link.closed:
            nowhere = os.open(os.devnull, os.O_RDWR)
            os.dup2(nowhere, link.fileno())
            os.close(nowhere)
        link.close()


def read_address(url: str) -> tuple[str, str]:
    """The address with what it may leave out, and its name without user, password and options."""
    usual = {"connect_timeout": str(CONNECT_PATIENCE), "keepalives_idle": "30", "application_name": "discreet"}
    try:
        parameters = {name: str(value) for name, value in conninfo.conninfo_to_dict(url).items() if value is not None}
        address = conninfo.make_conninfo("", **{**usual, **parameters, "client_encoding": "UTF8"})
    except (psycopg.Error, UnicodeError):
        parameters, address = {}, ""
    # A password with a slash or an @ of its own is cut there, and the rest would be shown as a name.
    if not parameters.get("dbname") or "@" in parameters["dbname"] + parameters.get("host", "")[1:]:
        raise LedgerError("the address of the ledger cannot be read", hint="write postgresql://user@host/database")
    host, port, database = parameters.get("host", ""), parameters.get("port", ""), quote(parameters["dbname"])
    if host.startswith("/"):
        return address, f"postgresql:///{database}?host={quote(host)}"
    return address, f"postgresql://{quote(host)}{':' if port else ''}{quote(port)}/{database}"


def missing_error(name: str) -> LedgerError:
    return LedgerError(f"there is no ledger in {name}", hint="check the name, or make one with discreet ledger create")


@contextmanager
def translate_failures(name: str) -> Iterator[None]:
    """Failures of the database in words of our own."""
    try:
        yield
    except (psycopg.Error, UnicodeError) as failure:
        raise _ledger_error(failure, name) from None


def _ledger_error(failure: Exception, name: str) -> LedgerError:
    match failure:
        case errors.LockNotAvailable() | errors.IdleInTransactionSessionTimeout():
            return LedgerError(f"{name} is locked by another process", hint="try again when it has ended")
        case errors.InsufficientPrivilege() | errors.ReadOnlySqlTransaction():
            return LedgerError(
                f"this role may not do that to {name}", hint="see docs/ledger.md for the rights it needs"
            )
        case errors.UndefinedTable() | errors.InvalidSchemaName():
            return missing_error(name)
        case errors.InvalidSqlStatementName() | errors.DuplicatePreparedStatement():
            return LedgerError(
                f"a pool before {name} forgets prepared statements",
                hint="connect directly, or see docs/ledger.md on pools",
            )
        case errors.FeatureNotSupported():
            return LedgerError(f"{name} was brought to another version meanwhile", hint="ask again")
        case psycopg.OperationalError():
            return LedgerError(
                f"{name} cannot be reached", hint="check the address, the user, the password and the server"
            )
    return LedgerError(
        f"{name} is not a ledger, or broken", hint="check the name, or restore a copy whose head you know"
    )
