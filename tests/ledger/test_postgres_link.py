"""The connection of a ledger to its server: whose turn it is, when it is given up, and what is said of it."""

import gc
import logging
import os
import socket
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from weakref import WeakSet

import psycopg
import pytest
from psycopg import errors
from psycopg.conninfo import conninfo_to_dict

import discreet.ledger.postgres as postgres_store
import discreet.ledger.postgres_link as postgres_link
from discreet.errors import BudgetExceeded, LedgerError
from discreet.ledger import Ledger
from discreet.ledger.postgres_link import SharedConnection, read_address


def handles_to_nowhere() -> int:
    """Of this process: others come and go meanwhile."""
    targets = []
    for handle in Path("/dev/fd").iterdir():
        with suppress(OSError):
            targets.append(handle.readlink())
    return targets.count(Path(os.devnull))


class Wire:
    """A connection without a server: what is asked on it, and what of it reaches the other end."""

    def __init__(self, failure: Exception | None = None) -> None:
        self.near, self.far = socket.socketpair()
        self.far.setblocking(False)
        self.fileno, self.closed, self.asked, self.failure = self.near.fileno, False, list[str](), failure

    def execute(self, statement: str) -> None:
        self.asked.append(statement)
        if self.failure is not None:
            raise self.failure

    def close(self) -> None:
        if not self.closed:
            os.write(self.fileno(), b"farewell")
        self.closed = True

    def heard(self) -> bytes:
        """What the server got; nothing once the connection is closed without a word."""
        return self.far.recv(100)

    def end(self) -> None:
        """Leave nothing open."""
        self.closed = True
        self.near.close()
        self.far.close()


@pytest.fixture
def new_wire() -> Iterator[Callable[..., Wire]]:
    """Makes them; none outlives the test."""
    with ExitStack() as stack:

        def make(failure: Exception | None = None) -> Wire:
            wire = Wire(failure)
            stack.callback(wire.end)
            return wire

        yield make


def shared(*wires: Wire) -> SharedConnection:
    connection = SharedConnection("postgresql://h/d")
    connection._links[:] = wires  # type: ignore[assignment]
    return connection


def test_a_refusal_of_our_own_ends_the_transaction_and_all_else_the_connection(new_wire: Callable[..., Wire]) -> None:
    for failure, kept in ((LedgerError("no"), True), (BudgetExceeded("no"), True), (ValueError(), False)):
        wire = new_wire()
        connection = shared(wire)
        with pytest.raises(type(failure)), connection.turn():
            raise failure
        assert wire.asked == ["ROLLBACK"] * kept
        assert wire.closed is not kept
    wire = new_wire(psycopg.OperationalError())
    connection = shared(wire)
    with pytest.raises(LedgerError, match="no"), connection.turn():
        raise LedgerError("no")
    assert (wire.asked, wire.closed) == (["ROLLBACK"], True), "who cannot be told is not asked again"


def test_a_connection_whose_last_turn_is_not_known_to_have_ended_is_not_used_again(
    new_wire: Callable[..., Wire], monkeypatch: pytest.MonkeyPatch
) -> None:
    wire = new_wire()
    connection = shared(wire)
    for _ in range(2):
        with connection.turn():
            assert not wire.closed
    with pytest.raises(LedgerError), connection.turn():
        raise LedgerError("no")
    with connection.turn():
        assert not wire.closed
    with monkeypatch.context() as patch:
        patch.setattr(connection, "_undo", lambda _: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt), connection.turn():
            raise LedgerError("no")
    assert not wire.closed
    with connection.turn():
        assert wire.closed


def test_a_connection_that_broke_while_nobody_used_it_is_replaced_once(
    new_wire: Callable[..., Wire], monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = list[Wire]()

    def connect(_address: str, **_options: object) -> Wire:
        opened.append(new_wire())
        return opened[-1]

    def begin(link: Any, *, breaks: bool = True) -> Any:
        link.execute("BEGIN")
        if len(opened) < 2:
            link.closed = breaks
            raise psycopg.OperationalError
        return link

    monkeypatch.setattr(psycopg, "connect", connect)
    connection = shared()
    with pytest.raises(psycopg.OperationalError):
        connection.begin_transaction(begin)
    assert len(opened) == 1, "a new one is not tried again"
    opened[0].closed = False
    with pytest.raises(psycopg.OperationalError):
        connection.begin_transaction(partial(begin, breaks=False))
    assert len(opened) == 1, "nor one that is open"
    for _ in range(2):
        link: Any = connection.begin_transaction(begin)
        assert link == (opened[1], opened[1])
    assert [wire.asked for wire in opened] == [["BEGIN"] * 3, ["BEGIN"] * 2]


def test_a_connection_is_closed_with_a_word_and_that_of_a_parent_without(new_wire: Callable[..., Wire]) -> None:
    for pid, word in ((os.getpid(), b"farewell"), (os.getpid() + 1, b"")):
        wire = new_wire()
        before = handles_to_nowhere()
        postgres_link._close([wire], pid)  # type: ignore[list-item]
        assert wire.closed
        assert wire.heard() == word
        assert handles_to_nowhere() == before + (not word), "nothing else stays open"
    wire = new_wire()
    wire.closed = True
    postgres_link._close([wire], os.getpid() + 1)  # type: ignore[list-item]
    wire.near.send(b"still a wire")
    assert wire.heard() == b"still a wire", "the number of a connection that is closed may be another's"


def test_who_is_let_go_says_farewell(new_wire: Callable[..., Wire]) -> None:
    wire = new_wire()
    connection = shared(wire)
    del connection
    gc.collect()
    assert wire.heard() == b"farewell"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="nothing forks here")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_child_begins_without_the_connections_of_its_parent(
    new_wire: Callable[..., Wire], monkeypatch: pytest.MonkeyPatch
) -> None:
    wire = new_wire()
    connection = shared(wire)
    monkeypatch.setattr(postgres_link, "_SHARED", WeakSet([connection]))
    with connection.turn():
        child = os.fork()
        if not child:
            is_new = not connection._links and not connection._is_taken and connection._pid == os.getpid()
            os._exit(7 if is_new and wire.closed and connection._turn.acquire(blocking=False) else 1)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
    assert connection._links == [wire]  # type: ignore[comparison-overlap]
    with pytest.raises(BlockingIOError):
        wire.heard()


def test_an_address_is_completed_and_named_without_what_is_secret() -> None:
    usual = {
        "connect_timeout": "10",
        "keepalives_idle": "30",
        "application_name": "discreet",
        "client_encoding": "UTF8",
    }
    for url, name, parts in (
        ("postgresql:///d", "postgresql:///d", {"dbname": "d"}),
        ("postgresql://h/d", "postgresql://h/d", {"dbname": "d", "host": "h"}),
        ("postgresql:///d?port=7", "postgresql://:7/d", {"dbname": "d", "port": "7"}),
        ("postgresql:///d?host=/a%20b", "postgresql:///d?host=/a%20b", {"dbname": "d", "host": "/a b"}),
        ("postgresql:///d?host=@ab", "postgresql://%40ab/d", {"dbname": "d", "host": "@ab"}),
        (
            "postgresql://u:p%40@h:7/d%3F?connect_timeout=3&client_encoding=LATIN1",
            "postgresql://h:7/d%3F",
            {"dbname": "d?", "host": "h", "port": "7", "user": "u", "password": "p@", "connect_timeout": "3"},
        ),
    ):
        address, public = read_address(url)
        assert public == name
        assert conninfo_to_dict(address) == {**usual, **parts, "client_encoding": "UTF8"}
    for url in (
        "postgresql://",
        "postgresql://h",
        "postgresql://u:p@s@h/d",
        "postgresql://u:1/p@h/d",
        "postgresql://h/d?x",
    ):
        with pytest.raises(LedgerError) as refusal:
            read_address(url)
        assert str(refusal.value) == "the address of the ledger cannot be read; write postgresql://user@host/database"


def test_every_failure_of_a_server_has_words_of_our_own() -> None:
    missing = "there is no ledger in l; check the name, or make one with discreet ledger create"
    locked = "l is locked by another process; try again when it has ended"
    rights = "this role may not do that to l; see docs/ledger.md for the rights it needs"
    pool = "a pool before l forgets prepared statements; connect directly, or see docs/ledger.md on pools"
    broken = "l is not a ledger, or broken; check the name, or restore a copy whose head you know"
    for failure, message in (
        (errors.LockNotAvailable(), locked),
        (errors.IdleInTransactionSessionTimeout(), locked),
        (errors.InsufficientPrivilege(), rights),
        (errors.ReadOnlySqlTransaction(), rights),
        (errors.UndefinedTable(), missing),
        (errors.InvalidSchemaName(), missing),
        (errors.InvalidSqlStatementName(), pool),
        (errors.DuplicatePreparedStatement(), pool),
        (errors.FeatureNotSupported(), "l was brought to another version meanwhile; ask again"),
        (errors.AdminShutdown(), "l cannot be reached; check the address, the user, the password and the server"),
        (errors.InFailedSqlTransaction(), broken),
        (UnicodeError(), broken),
    ):
        with pytest.raises(LedgerError) as refusal, postgres_link.translate_failures("l"):
            raise failure
        assert str(refusal.value) == message


def test_a_server_that_cannot_be_reached_is_named() -> None:
    url, hint = "postgresql://u:secret@127.0.0.1:1/d", "check the address, the user, the password and the server"
    calls: list[Callable[[], object]] = [lambda: Ledger(url), lambda: Ledger.create(url, dataset="d", epsilon=1)]
    for call in calls:
        with pytest.raises(LedgerError) as refusal:
            call()
        assert str(refusal.value) == f"postgresql://127.0.0.1:1/d cannot be reached; {hint}"


def test_psycopg_is_kept_from_writing_to_the_error_stream() -> None:
    assert [type(handler) for handler in logging.getLogger("psycopg").handlers] == [logging.NullHandler]


def test_only_a_commit_of_one_row_is_a_charge() -> None:
    commit, rollback, none, one, two = (
        SimpleNamespace(statusmessage=message, rowcount=rows)
        for message, rows in (("COMMIT", -1), ("ROLLBACK", -1), ("INSERT", 0), ("INSERT", 1), ("INSERT", 2))
    )
    check: Callable[..., None] = postgres_store._require_commit
    check(commit)
    check(commit, one)
    for cursors in ((rollback,), (rollback, one), (commit, none), (commit, two), (rollback, none)):
        with pytest.raises(errors.InFailedSqlTransaction):
            check(*cursors)


def test_who_lost_the_connection_is_told_that_the_charge_may_stand() -> None:
    hint = "ask again with the same request id: what was charged is not charged twice"
    for failure, closed in ((psycopg.OperationalError(), False), (errors.AdminShutdown(), True)):
        link: Any = SimpleNamespace(closed=closed)
        with pytest.raises(LedgerError) as refusal, postgres_store._require_answer(link, "l"):
            raise failure
        assert str(refusal.value) == f"the connection to l broke before it answered; {hint}"
    link.closed = False
    with pytest.raises(errors.QueryCanceled), postgres_store._require_answer(link, "l"):
        raise errors.QueryCanceled
