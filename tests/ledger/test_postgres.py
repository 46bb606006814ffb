"""The rows of a ledger on a server: which are read, under which settings, and what is refused."""

import re
from collections.abc import Callable
from typing import Any

import psycopg
import pytest
from psycopg import errors

import discreet.ledger.postgres as postgres_store
from discreet.errors import LedgerError
from discreet.ledger import Entry, Ledger
from discreet.ledger.accounts import Replay
from discreet.ledger.postgres_link import read_address


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
        owner.execute("ALTER TABLE discreet.entries ADD COLUMN note text")
        for call in (two_datasets.verify, lambda: two_datasets.charge("d", 1, request_id="s", digest="x")):
            with pytest.raises(LedgerError, match=f"^{name} has a column that this version does not know;"):
                call()
        owner.execute("DROP TABLE discreet.entries")
        for call in (two_datasets.verify, lambda: two_datasets.charge("d", 1, request_id="s", digest="x")):
            with pytest.raises(LedgerError, match=f"^there is no ledger in {name};"):
                call()
