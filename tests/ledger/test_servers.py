"""A ledger on a server: who may do what, what it insists on, and what it never says."""

import gc
import logging
import os
import re
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
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
from discreet.ledger import Entry, Ledger
from discreet.ledger.accounts import Replay
from discreet.ledger.postgres_link import SharedConnection, read_address
from discreet.ledger.postgres_tables import insertion
from tests.contracts.source import ROOT
from tests.support.postgres import OWNER, PASSWORD, Server, binaries, serving

CURATOR = (
    "GRANT USAGE ON SCHEMA discreet TO {}",
    "GRANT SELECT ON discreet.entries, discreet.mark TO {}",
    "GRANT INSERT ON discreet.entries TO {}",
    "GRANT UPDATE ON discreet.mark TO {}",
)
"""What docs/ledger.md tells its readers to grant; the first two are for an auditor."""


def database_of(url: str) -> str:
    return str(psycopg.conninfo.conninfo_to_dict(url)["dbname"])


def as_role(server: Server, url: str, role: str, grants: Sequence[str]) -> str:
    """The address of a database for a new role that has these rights."""
    database = database_of(url)
    server.run(f"CREATE ROLE {role} LOGIN PASSWORD '{role}'", *(one.format(role) for one in grants), database=database)
    return server.url(database, user=role, password=role)


def in_transaction(ledger: Ledger, setting: str) -> str:
    """A setting as it is when a charge is written."""
    link: psycopg.Connection[Any] = ledger._store._shared.link()  # type: ignore[union-attr]
    with ledger._store.transaction():
        row = link.execute(f"SHOW {setting}".encode()).fetchone()
    assert row is not None
    return str(row[0])


@pytest.mark.parametrize("scheme", ["postgresql://", "postgres://"])
def test_a_ledger_is_named_by_its_address_and_shown_without_user_and_password(scheme: str, postgres: Server) -> None:
    url = postgres.new_database(tcp=True).replace("postgresql://", scheme)
    ledger = Ledger.create(url, dataset="d", epsilon=1)
    assert ledger.name == f"postgresql://127.0.0.1:{postgres.port}/{database_of(url)}"
    assert Ledger(url).head() == ledger.head()


def test_no_error_says_the_password_the_user_or_what_the_server_said(postgres: Server) -> None:
    url = postgres.new_database(tcp=True)
    ledger = Ledger.create(url, dataset="d", epsilon=1)
    postgres.run("CREATE ROLE nosy LOGIN PASSWORD 'hush'")
    database = database_of(url)
    messages = []
    calls: list[Callable[[], object]] = [
        lambda: Ledger(url.replace(f":{postgres.port}", ":1")),
        lambda: Ledger(postgres.url("nowhere", tcp=True)),
        lambda: Ledger(postgres.url("postgres")),
        lambda: Ledger(postgres.url(database, password="wrong secret")),  # noqa: S106
        lambda: Ledger(postgres.url(database, user="nobody at all")),
        lambda: Ledger(postgres.url(database, user="nosy", password="hush")),  # noqa: S106
        lambda: Ledger(url + "?nonsense=secret"),
        lambda: Ledger("postgresql://me:secret@host:port/db"),
        lambda: Ledger("postgresql://me:secret@"),
        lambda: Ledger("postgresql://me:1/secret@host/db"),  # a slash that was not quoted
        lambda: Ledger("postgresql://"),
        lambda: Ledger(url + "?sslmode=require&sslpassword=secret"),
        lambda: ledger.verify("0" * 64),
    ]
    for call in calls:
        with pytest.raises(LedgerError) as caught:
            call()
        messages.append(str(caught.value))
        assert caught.value.__cause__ is None
        assert caught.value.__suppress_context__ or caught.value.__context__ is None
    for text in messages:
        assert "; " in text
        for secret in (PASSWORD, "pass%20word", "secret", "hush", OWNER, "nosy", "nobody", "FATAL", "nonsense"):
            assert secret not in text
    for text in (repr(ledger), ledger.name, ledger.export(), ledger.export("csv")):
        assert "pass" not in text
        assert OWNER not in text


def test_a_missing_ledger_is_refused_and_not_made(database: str) -> None:
    with pytest.raises(LedgerError, match="there is no ledger in"):
        Ledger(database)
    with psycopg.connect(database) as connection:
        assert connection.execute("SELECT to_regnamespace('discreet')").fetchone() == (None,)


def test_a_database_that_holds_something_else_under_our_name_is_left_as_it_is(postgres: Server) -> None:
    url = postgres.new_database()
    postgres.run("CREATE SCHEMA discreet", "CREATE TABLE discreet.entries (seq integer)", database=database_of(url))
    with pytest.raises(LedgerError):
        Ledger.create(url, dataset="d", epsilon=1)
    with psycopg.connect(url) as connection:
        assert connection.execute("SELECT to_regclass('discreet.mark')").fetchone() == (None,)


def test_threads_that_share_a_ledger_take_turns(database: str) -> None:
    ledger = Ledger.create(database, dataset="d", epsilon=100)
    with ThreadPoolExecutor(6) as pool:
        list(pool.map(lambda i: ledger.charge("d", 1, request_id=str(i), digest="x"), range(24)))
    assert ledger.spent("d").epsilon == 24
    assert ledger.verify().rows == 25


@pytest.mark.parametrize(
    ("asked", "kept"), [("off", "on"), ("local", "on"), ("remote_write", "on"), ("remote_apply", "remote_apply")]
)
def test_a_commit_waits_for_the_disk_whatever_the_database_was_set_to(asked: str, kept: str, postgres: Server) -> None:
    url = postgres.new_database()
    Ledger.create(url, dataset="d", epsilon=1)
    postgres.run(f"ALTER DATABASE {database_of(url)} SET synchronous_commit = {asked}")
    ledger = Ledger(url)
    assert in_transaction(ledger, "synchronous_commit") == kept
    assert in_transaction(ledger, "transaction_isolation") == "read committed"
    assert in_transaction(ledger, "search_path") == "pg_catalog"


@pytest.mark.few(1)
@pytest.mark.parametrize("setting", ["fsync", "full_page_writes"])
def test_a_server_that_may_forget_is_refused(setting: str) -> None:
    if binaries() is None:
        pytest.skip("no PostgreSQL server")
    with serving(**{setting: "off"}) as server, pytest.raises(LedgerError, match="does not sync to its disk"):
        Ledger.create(server.new_database(), dataset="d", epsilon=1)


def test_a_database_that_cannot_keep_every_name_is_refused(postgres: Server) -> None:
    postgres.run("CREATE DATABASE latin ENCODING 'LATIN1' TEMPLATE template0")
    with pytest.raises(LedgerError, match="does not keep UTF-8"):
        Ledger.create(postgres.url("latin"), dataset="d", epsilon=1)


def test_roles_charge_or_look_and_neither_can_undo(postgres: Server) -> None:
    url = postgres.new_database()
    Ledger.create(url, dataset="d", epsilon=1)
    charging, looking = as_role(postgres, url, "curator", CURATOR), as_role(postgres, url, "auditor", CURATOR[:2])
    curator, auditor = Ledger(charging), Ledger(looking)
    curator.charge("d", "1/2", request_id="r", digest="x")
    curator.seal("r", "{}")
    assert auditor.verify().rows == 3
    assert auditor.accounts() == curator.accounts()
    for call in (
        lambda: auditor.charge("d", "1/4", request_id="s", digest="x"),
        lambda: Ledger.create(looking, dataset="e", epsilon=1),
    ):
        with pytest.raises(LedgerError, match="this role may not do that"):
            call()
    forbidden = [
        "UPDATE discreet.entries SET epsilon = '9'",
        "DELETE FROM discreet.entries",
        "TRUNCATE discreet.entries",
        "ALTER TABLE discreet.entries DISABLE TRIGGER ALL",
        "DROP TABLE discreet.entries",
        "SET session_replication_role = replica",
        "UPDATE discreet.mark SET version = 9",
    ]
    with psycopg.connect(charging, autocommit=True) as connection:
        for statement in forbidden:
            with pytest.raises((psycopg.errors.InsufficientPrivilege, psycopg.errors.RaiseException)):
                connection.execute(statement.encode())
    assert auditor.verify().rows == 3


def test_a_curator_who_forges_a_row_by_hand_resets_no_budget(postgres: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """With exactly the documented rights: correctly chained, and with a running sum that is too small."""
    url = postgres.new_database()
    owner = Ledger.create(url, dataset="d", epsilon=1)
    Ledger.create(url, dataset="e", epsilon=1)
    owner.charge("d", "9/10", request_id="r", digest="x")
    curator = as_role(postgres, url, "forger", CURATOR)
    last = owner.history()[-1]
    forged = last._replace(
        seq=4, previous=last.hash, request_id="s", epsilon="1/100", spent_epsilon="1/100", rho="1/20000",
        spent_rho="1/20000",
    )  # fmt: skip
    query, values = insertion(forged._replace(hash=forged.computed_hash()))
    with psycopg.connect(curator, autocommit=True) as connection:
        connection.execute(query.encode(), values)
    for ledger in (Ledger(curator), owner):
        calls: list[Callable[[], object]] = [
            partial(ledger.charge, "d", "1/2", request_id="t", digest="x"),
            partial(ledger.remaining, "d"),
            ledger.verify,
        ]
        for call in calls:
            with pytest.raises(LedgerError, match=r"row 4 of .* is not as it was written"):
                call()
    assert Ledger(curator).charge("e", "1/2", request_id="u", digest="x").is_new, "other datasets go on"

    def trust(state: Replay, entry: Entry) -> None:
        state.budgets[entry.dataset].spend(entry, entry.total)

    monkeypatch.setattr(Replay, "_spend", trust)
    assert owner.charge("d", "1/2", request_id="t", digest="x").is_new, "a planted fault: sums are believed"


def test_rows_that_a_policy_hides_are_an_error_and_not_a_gap(postgres: Server) -> None:
    url = postgres.new_database()
    Ledger.create(url, dataset="d", epsilon=1).charge("d", 1, request_id="r", digest="x")
    policy = "CREATE POLICY early ON discreet.entries USING (seq < 2)"
    hidden = (*CURATOR, "ALTER TABLE discreet.entries ENABLE ROW LEVEL SECURITY", policy)
    ledger = Ledger(as_role(postgres, url, "dupe", hidden))
    for call in (ledger.verify, lambda: ledger.charge("d", 1, request_id="s", digest="x")):
        with pytest.raises(LedgerError):
            call()


def test_a_ledger_that_stays_locked_is_refused_and_nothing_is_spent(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger = Ledger.create(database, dataset="d", epsilon=1)
    with psycopg.connect(database) as holder, monkeypatch.context() as patch:
        patch.setattr(postgres_store, "PATIENCE", 2)  # also how long this process may fall silent
        holder.execute("SELECT FROM discreet.mark FOR UPDATE")
        with pytest.raises(LedgerError, match="is locked by another process"):
            ledger.charge("d", 1, request_id="r", digest="x")
        assert ledger.spent("d").epsilon == 0, "who only looks need not wait"
    assert ledger.charge("d", 1, request_id="r", digest="x").is_new


def test_a_writer_that_falls_silent_is_shut_out_and_has_spent_nothing(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    silent, other = Ledger.create(database, dataset="d", epsilon=1), Ledger(database)

    def stay_away(step: str) -> None:
        if step == "written":
            monkeypatch.setattr(postgres_store, "PATIENCE", 60)
            monkeypatch.setattr(postgres_store, "step", lambda _: None)
            assert other.charge("d", 1, request_id="other", digest="x").is_new  # waits until the first is shut out

    monkeypatch.setattr(postgres_store, "PATIENCE", 2)  # on a busy machine it falls silent for a while before it should
    monkeypatch.setattr(postgres_store, "step", stay_away)
    with pytest.raises(LedgerError):
        silent.charge("d", 1, request_id="silent", digest="x")
    assert silent.find("silent") is None
    assert silent.spent("d").epsilon == 1


def test_a_child_that_was_forked_leaves_its_parents_connection_alone(postgres: Server) -> None:
    program = (
        "import gc, os, sys; from discreet.ledger import Ledger;"
        "ledger = Ledger.create(sys.argv[1], dataset='d', epsilon=9);"
        "child = os.fork();"
        "child or (ledger.charge('d', 1, request_id='child', digest='x'), ledger.__dict__.clear(), gc.collect());"
        "child and (os.waitpid(child, 0), ledger.charge('d', 1, request_id='parent', digest='x'),"
        " print(ledger.spent('d').epsilon))"
    )
    command = [sys.executable, "-W", "error", "-c", program, postgres.new_database()]
    process = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (process.returncode, process.stdout, process.stderr) == (0, "2\n", "")


def test_a_ledger_that_is_let_go_closes_its_connection(database: str) -> None:
    ledger = Ledger.create(database, dataset="d", epsilon=1)
    link = ledger._store._shared.link()  # type: ignore[union-attr]
    assert not link.closed
    del ledger
    gc.collect()
    assert link.closed


@pytest.mark.parametrize("before", range(4))
def test_a_refusal_of_the_server_spoils_no_later_charge(before: int, database: str) -> None:
    """What is sent behind a statement that fails is not prepared, whichever time it was sent."""
    ledger = Ledger.create(database, dataset="d", epsilon=99)
    with psycopg.connect(database, autocommit=True) as owner:
        owner.execute(
            "CREATE FUNCTION discreet.refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'no'; END $$"
        )
        for number in range(4 + before):
            if number == before:
                owner.execute(
                    "CREATE TRIGGER refuse BEFORE INSERT ON discreet.entries EXECUTE FUNCTION discreet.refuse()"
                )
                for _ in range(3):
                    with pytest.raises(LedgerError):
                        ledger.charge("d", 1, request_id="refused", digest="x")
                owner.execute("DROP TRIGGER refuse ON discreet.entries")
            assert ledger.charge("d", 1, request_id=f"r{number}", digest="x").is_new
    assert ledger.verify().rows == 5 + before


def test_a_refusal_that_has_a_code_is_no_broken_connection(database: str) -> None:
    ledger = Ledger.create(database, dataset="d", epsilon=1)
    with pytest.raises(LedgerError) as refusal, ledger._store.transaction("d"):
        raise psycopg.errors.QueryCanceled
    assert "broke before it answered" not in refusal.value.message
    with pytest.raises(LedgerError) as refusal, ledger._store.transaction("d"):
        raise psycopg.OperationalError
    assert refusal.value.message == f"the connection to {ledger.name} broke before it answered"
    assert ledger.charge("d", 1, request_id="r", digest="x").is_new


@pytest.mark.parametrize("place", ["dbname=budgets password=secret", "host = h user=u", "password='secret'"])
def test_an_address_in_keywords_is_refused_and_not_shown(place: str) -> None:
    calls: list[Callable[[], Ledger]] = [lambda: Ledger(place), lambda: Ledger.create(place, dataset="d", epsilon=1)]
    for call in calls:
        with pytest.raises(LedgerError, match="write postgresql://user@host/database") as caught:
            call()
        assert "secret" not in str(caught.value)


def test_psycopg_is_not_loaded_for_a_file() -> None:
    program = (
        "import sys, tempfile; from discreet.ledger import Ledger;"
        "Ledger.create(tempfile.mkdtemp() + '/l.db', dataset='d', epsilon=1); print('psycopg' in sys.modules)"
    )
    process = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, env={**os.environ}
    )
    assert process.stdout == "False\n"


@pytest.mark.parametrize("lost", ["DEALLOCATE ALL", "DISCARD ALL"])
def test_a_pool_that_forgets_statements_is_named_and_costs_nothing(lost: str, database: str) -> None:
    ledger = Ledger.create(database, dataset="d", epsilon=9)
    for number in range(4):
        ledger.charge("d", 1, request_id=str(number), digest="x")
    link: psycopg.Connection[object] = ledger._store._shared.link()  # type: ignore[union-attr]
    link.pgconn.exec_(lost.encode())
    with pytest.raises(LedgerError, match="forgets prepared statements"):
        ledger.charge("d", 1, request_id="r", digest="x")
    assert ledger.charge("d", 1, request_id="r", digest="x").is_new
    assert ledger.spent("d").epsilon == 5


def test_the_rights_of_the_page_are_the_tested_ones() -> None:
    page = (ROOT / "docs" / "ledger.md").read_text(encoding="utf-8")
    granted = re.findall(r"^GRANT (.*) TO .*;$", page, flags=re.MULTILINE)
    assert sorted(granted) == sorted(right.removeprefix("GRANT ").removesuffix(" TO {}") for right in CURATOR)


def test_without_psycopg_it_is_said_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("discreet.errors.find_spec", lambda _: None)
    with pytest.raises(LedgerError, match=r"^a ledger on PostgreSQL needs psycopg; pip install '\.\[postgres\]'"):
        Ledger("postgresql://me:secret@host/db")


HANDLES = Path("/dev/fd")


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
        handles = len(list(HANDLES.iterdir()))
        postgres_link._close([wire], pid)  # type: ignore[list-item]
        assert wire.closed
        assert wire.heard() == word
        assert len(list(HANDLES.iterdir())) == handles
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


class Answers:
    """A server that answers in turn."""

    def __init__(self, *rows: list[tuple[object, ...]]) -> None:
        self.rows = list(rows)

    def execute(self, _statement: str) -> "Answers":
        return self

    def fetchall(self) -> list[tuple[object, ...]]:
        return self.rows.pop(0)

    def fetchone(self) -> tuple[object, ...]:
        return self.rows.pop(0)[0]


def test_a_server_that_may_lose_or_garble_rows_or_has_others_is_refused() -> None:
    version: Callable[[Any, str], object] = postgres_store._version
    sync = "the server of l does not sync to its disk; set fsync and full_page_writes on"
    for answers, message in (
        ([[(False, True, True, True)]], sync),
        ([[(True, False, True, True)]], sync),
        ([[(True, True, False, True)]], "l does not keep UTF-8; create the database with ENCODING 'UTF8'"),
        ([[(True, True, True, True)], [(4,)]], "l is not a ledger of this version; check the name"),
        ([[(True, True, True, True)], [(3,), (3,)]], "l is not a ledger of this version; check the name"),
        ([[(True, True, True, True)], []], "l is not a ledger of this version; check the name"),
    ):
        with pytest.raises(LedgerError) as refusal:
            version(Answers(*answers), "l")
        assert str(refusal.value) == message
    assert version(Answers([(True, True, True, False)]), "l") is None
    assert [version(Answers([(True, True, True, True)], [(number,)]), "l") for number in (2, 3)] == [2, 3]


def test_tables_that_lost_their_rows_are_said_to_have() -> None:
    for dataset in (None, "d"):
        with pytest.raises(LedgerError, match=r"^l has lost its rows; "):
            postgres_store._replay([], "l", dataset, None)


@pytest.fixture
def two_datasets(database: str) -> Ledger:
    """Rows 1 and 2 are budgets, 3 and 4 charges to each, 5 and 6 their seals."""
    ledger = Ledger.create(database, dataset="d", epsilon=9)
    Ledger.create(database, dataset="e", epsilon=9)
    for dataset in ("d", "e"):
        ledger.charge(dataset, 1, request_id=f"to {dataset}", digest="x")
    for dataset in ("d", "e"):
        ledger.seal(f"to {dataset}", "{}")
    return ledger


def test_a_charge_reads_what_concerns_it_and_no_more(two_datasets: Ledger) -> None:
    store = two_datasets._store

    def seen(state: Replay) -> list[int]:
        return [entry.seq for entry in state.entries]

    assert seen(store.read()) == [1, 2, 3, 4, 5, 6]
    assert seen(store.read("d")) == [1, 2, 3, 6]
    assert seen(store.read("d", seals=True)) == [1, 2, 3, 5, 6]
    assert seen(store.read(None, "to d")) == [1, 2, 3, 5, 6]
    assert seen(store.read("e", "to d")) == [1, 2, 3, 4, 5, 6]
    assert store.read("e", "to d").budgets["d"].spent.amount.epsilon == 0, "only the dataset's sum is worked out"
    for asked, rows in (
        ((), [1, 2, 3, 4, 5, 6]),
        (("d",), [1, 2, 3, 6]),
        ((None, "to d"), [1, 2, 3, 5, 6]),
        (("e", "to d"), [1, 2, 3, 4, 5, 6]),
        (("e", "new"), [1, 2, 4, 6]),
    ):
        with store.transaction(*asked) as state:
            assert seen(state) == rows
    with pytest.raises(LedgerError, match=re.escape(f"row 4 of {two_datasets.name} is not")):
        postgres_store._replay([tuple(row) for row in two_datasets.history()[3:]], two_datasets.name, "e", None)


def test_the_table_itself_refuses_a_row_without_what_every_row_has(two_datasets: Ledger) -> None:
    link: psycopg.Connection[Any] = two_datasets._store._shared.link()  # type: ignore[union-attr]
    columns = link.execute(
        "SELECT attname, attnotnull, collname FROM pg_attribute LEFT JOIN pg_collation c ON c.oid = attcollation"
        " WHERE attrelid = 'discreet.entries'::regclass AND attnum > 0 ORDER BY attnum"
    ).fetchall()
    assert [name for name, *_ in columns] == list(Entry._fields)
    assert {name for name, needed, _ in columns if needed} == {"seq", "kind", "dataset", "time", "previous", "hash"}
    assert {collation for _, _, collation in columns[1:]} == {"C"}


def test_every_transaction_has_the_settings_that_it_rests_on(two_datasets: Ledger) -> None:
    store: Any = two_datasets._store
    settings = {
        "synchronous_commit": "on",
        "search_path": "pg_catalog",
        "row_security": "off",
        "lock_timeout": "1min",
        "idle_in_transaction_session_timeout": "1min",
    }

    def kept(link: psycopg.Connection[Any]) -> dict[str, str]:
        names = [*settings, "transaction_isolation", "transaction_read_only"]
        rows = link.execute("SELECT name, current_setting(name) FROM unnest(%s::text[]) AS name", (names,))
        return dict(rows.fetchall())

    with store._reading() as link:
        assert kept(link) == {
            **settings, "transaction_isolation": "repeatable read", "transaction_read_only": "on"
        }  # fmt: skip
    with store.transaction("d"):
        assert kept(store._shared.link()) == {
            **settings, "transaction_isolation": "read committed", "transaction_read_only": "off"
        }  # fmt: skip


def test_a_server_comes_by_the_places_where_the_plug_is_pulled(database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    steps = list[str]()
    monkeypatch.setattr(postgres_store, "step", steps.append)
    ledger = Ledger.create(database, dataset="d", epsilon=1)
    assert steps == ["made", "committed"]
    ledger.charge("d", 1, request_id="r", digest="x")
    assert steps[2:] == ["open", "locked", "written", "committed"]


def test_who_makes_a_ledger_waits_for_who_makes_it_already_and_then_goes_on_in_his(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    making = postgres_store._begin_making

    def be_late(link: Any) -> None:
        monkeypatch.setattr(postgres_store, "_begin_making", making)
        Ledger.create(database, dataset="first", epsilon=1)
        making(link)

    with psycopg.connect(database) as holder, monkeypatch.context() as patch:
        patch.setattr(postgres_store, "PATIENCE", 0.3)
        holder.execute("SELECT pg_advisory_xact_lock(%s)", (0x64637274,))  # the same in all versions
        with pytest.raises(LedgerError, match="is locked by another process"):
            Ledger.create(database, dataset="d", epsilon=1)
    monkeypatch.setattr(postgres_store, "_begin_making", be_late)
    ledger = Ledger.create(database, dataset="second", epsilon=1)
    assert [entry.dataset for entry in ledger.history()] == ["first", "second"]
    ledger.verify()


def test_a_ledger_that_may_not_have_been_made_is_named(database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    name = read_address(database)[1]
    for failure, message in (
        (psycopg.OperationalError(), f"the connection to {name} broke before it answered"),
        (errors.QueryCanceled(), f"{name} cannot be reached"),
    ):

        def fail(*_given: object, failure: Exception = failure) -> None:
            raise failure

        monkeypatch.setattr(postgres_store, "_send", fail)
        with pytest.raises(LedgerError, match=f"^{re.escape(message)};"):
            Ledger.create(database, dataset="d", epsilon=1)
    with pytest.raises(LedgerError, match=f"^{re.escape(f'there is no ledger in {name}')};"):
        Ledger(database)


def test_tables_that_change_under_an_open_ledger_are_named(two_datasets: Ledger, database: str) -> None:
    name = re.escape(two_datasets.name)
    with psycopg.connect(database, autocommit=True) as owner:
        for version, message in ((9, f"^{name} is not a ledger of this version;"), (3, "")):
            owner.execute("ALTER TABLE discreet.mark DISABLE TRIGGER no_change")
            owner.execute("UPDATE discreet.mark SET version = %s", (version,))
            owner.execute("ALTER TABLE discreet.mark ENABLE ALWAYS TRIGGER no_change")
            if message:
                calls: list[Callable[[], object]] = [
                    lambda: two_datasets.charge("d", 1, request_id="r", digest="x"),
                    lambda: Ledger(database),
                    lambda: Ledger.create(database, dataset="f", epsilon=1),
                ]
                for call in calls:
                    with pytest.raises(LedgerError, match=message):
                        call()
        assert two_datasets.charge("d", 1, request_id="r", digest="x").is_new
        owner.execute("ALTER TABLE discreet.entries DISABLE TRIGGER ALL")
        owner.execute("UPDATE discreet.entries SET digest = 'other' WHERE seq = 3")
        for call in (two_datasets.verify, lambda: two_datasets.charge("d", 1, request_id="s", digest="x")):
            with pytest.raises(LedgerError, match=f"^row 3 of {name} is not as it was written;"):
                call()
        owner.execute("DROP TABLE discreet.entries")
        for call in (two_datasets.verify, lambda: two_datasets.charge("d", 1, request_id="s", digest="x")):
            with pytest.raises(LedgerError, match=f"^there is no ledger in {name};"):
                call()
