"""A ledger on a server: who may do what, what it insists on, and what it never says."""

import gc
import os
import re
import subprocess
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import psycopg
import pytest

import discreet.ledger.postgres as postgres_store
from discreet.errors import LedgerError
from discreet.ledger import Entry, Ledger
from discreet.ledger.accounts import Replay
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
