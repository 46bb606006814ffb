"""A ledger on a server decides from memory where it can, and never otherwise than it would have from the rows."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import LiteralString

import psycopg
import pytest

import discreet.ledger.book as book
import discreet.ledger.postgres as postgres_store
from discreet.errors import BudgetExceeded, DiscreetError, InvalidInput, LedgerError
from discreet.ledger import Ledger
from discreet.ledger.postgres_rows import APPEND, Memory
from tests.support.postgres import Server


def store(ledger: Ledger) -> postgres_store.PostgresStore:
    assert isinstance(ledger._store, postgres_store.PostgresStore)
    return ledger._store


@pytest.fixture
def steps(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The steps that were taken: whoever asks for rows is told when it has the lock."""
    taken: list[str] = []
    monkeypatch.setattr(postgres_store, "step", taken.append)
    return taken


def messages(ledger: Ledger, act: Callable[[Ledger], object], monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The statements of an act, and where a message ended."""
    link = store(ledger)._hold.link()
    execute, said = link.execute, list[str]()

    def watched(query: LiteralString, *bound: Sequence[object]) -> object:
        assert link.info.pipeline_status.name == "ON"
        said.append(query.split()[0])
        return execute(query, *bound)

    def sent(step: str) -> None:
        if step == "locked":
            said.append("- sent -")

    with monkeypatch.context() as patch:
        patch.setattr(link, "execute", watched)
        patch.setattr(postgres_store, "step", sent)
        act(ledger)
    return said


def test_a_charge_takes_two_messages_and_what_follows_it_one(database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    ledger = Ledger.create(database, dataset="d", epsilon=9)
    one = ["BEGIN", "SELECT", "SELECT", "INSERT", "COMMIT"]
    two = ["BEGIN", "SELECT", "SELECT", "(SELECT", "- sent -", "INSERT", "COMMIT"]
    assert messages(ledger, lambda book: book.charge("d", 1, request_id="r", digest="x"), monkeypatch) == two
    assert messages(ledger, lambda book: book.seal("r", "{}"), monkeypatch) == one
    assert messages(ledger, lambda book: book.charge("d", 1, request_id="s", digest="x"), monkeypatch) == one
    assert ledger.verify().rows == 4


def test_who_is_not_alone_asks_until_nobody_else_writes(database: str, steps: list[str]) -> None:
    one, other = Ledger.create(database, dataset="d", epsilon=99), Ledger(database)
    asked = []
    for number, ledger in enumerate([one, one, other, one, one, other, one, other, other, other]):
        steps.clear()
        ledger.charge("d", 1, request_id=str(number), digest="x")
        asked.append("".join(step[0] for step in steps))
    told = {"olwc": "asked", "owc": "remembered", "owlwc": "in vain"}
    assert [told[taken] for taken in asked] == [
        "asked", "remembered", "asked", "in vain", "asked", "in vain", "in vain", "asked", "asked", "remembered",
    ]  # fmt: skip
    assert one.verify().rows == 11


def test_what_others_spent_is_never_forgotten(database: str) -> None:
    one, other = Ledger.create(database, dataset="d", epsilon=1), Ledger(database)
    one.charge("d", "1/4", request_id="a", digest="x")
    other.charge("d", "1/2", request_id="b", digest="x")
    with pytest.raises(BudgetExceeded, match="1/4 of 1 is left"):
        one.charge("d", "1/2", request_id="c", digest="x")
    assert one.charge("d", "1/4", request_id="c", digest="x").is_new
    assert other.remaining("d").epsilon == 0


def test_a_request_that_another_made_is_not_made_again(database: str) -> None:
    one, other = Ledger.create(database, dataset="d", epsilon=9), Ledger(database)
    one.charge("d", 1, request_id="a", digest="x")
    other.charge("d", 1, request_id="b", digest="x")
    other.seal("b", '{"by": "other"}')
    again = one.charge("d", 1, request_id="b", digest="x")
    assert (again.is_new, again.outcome) == (False, '{"by": "other"}')
    with pytest.raises(InvalidInput, match="other parameters"):
        one.charge("d", 2, request_id="b", digest="x")
    other.seal("a", '{"by": "other"}')
    with pytest.raises(LedgerError, match="is sealed"):
        one.seal("a", '{"by": "one"}')
    assert one.spent("d").epsilon == 2


def test_an_old_request_is_found_by_who_remembers_only_the_last(database: str) -> None:
    ledger = Ledger.create(database, dataset="d", epsilon=9)
    for name in "abc":
        ledger.charge("d", 1, request_id=name, digest="x")
    assert not ledger.charge("d", 1, request_id="a", digest="x").is_new
    assert ledger.spent("d").epsilon == 3


def test_memory_does_not_grow_with_the_requests(database: str) -> None:
    ledger = Ledger.create(database, dataset="d", epsilon=99)
    sizes = []
    for number in range(20):
        ledger.charge("d", 1, request_id=str(number), digest="x")
        ledger.seal(str(number), "{}")
        sizes.append(len(store(ledger)._memory._found))
    assert sizes[1:] == sizes[1:2] * 19


def test_a_ledger_that_was_set_back_is_read_anew(postgres: Server) -> None:
    url = postgres.new_database()
    ledger = Ledger.create(url, dataset="d", epsilon=9)
    for name in "abc":
        ledger.charge("d", 1, request_id=name, digest="x")
    with psycopg.connect(url, autocommit=True) as owner:
        owner.execute("ALTER TABLE discreet.entries DISABLE TRIGGER no_delete")
        owner.execute("DELETE FROM discreet.entries WHERE request_id = 'c'")
        owner.execute("ALTER TABLE discreet.entries ENABLE ALWAYS TRIGGER no_delete")
    ledger.charge("d", 1, request_id="d", digest="x")
    assert ledger.spent("d").epsilon == 3
    assert ledger.verify().rows == 4


def test_a_budget_that_was_raised_behind_its_back_buys_nothing(postgres: Server) -> None:
    url = postgres.new_database()
    ledger = Ledger.create(url, dataset="d", epsilon=1)
    ledger.charge("d", "1/4", request_id="a", digest="x")
    with psycopg.connect(url, autocommit=True) as owner:
        owner.execute("ALTER TABLE discreet.entries DISABLE TRIGGER no_update")
        owner.execute("UPDATE discreet.entries SET epsilon = '9' WHERE seq = 1")
        owner.execute("ALTER TABLE discreet.entries ENABLE ALWAYS TRIGGER no_update")
    assert ledger.charge("d", "1/4", request_id="b", digest="x").is_new, "decided by the budget that was remembered"
    for curator in (ledger, Ledger(url)):
        with pytest.raises(LedgerError, match=r"row 1 of .* is not as it was written"):
            curator.charge("d", 2, request_id="c", digest="x")
    with pytest.raises(LedgerError, match="row 1 of"):
        ledger.verify()


def test_no_charge_is_answered_that_a_rule_or_a_trigger_swallowed(postgres: Server) -> None:
    for remembered in (False, True):
        url = postgres.new_database()
        ledger = Ledger.create(url, dataset="d", epsilon=9)
        if remembered:
            ledger.charge("d", 1, request_id="r", digest="x")
        with psycopg.connect(url, autocommit=True) as owner:
            owner.execute("CREATE RULE kept AS ON INSERT TO discreet.entries DO INSTEAD NOTHING")
        with pytest.raises(LedgerError, match="broken"):
            ledger.charge("d", 1, request_id="s", digest="x")
        assert ledger.find("s") is None


def test_one_message_is_as_durable_and_as_guarded_as_two(postgres: Server) -> None:
    """A trigger of the owner keeps what the settings are when a row is written."""
    url = postgres.new_database()
    Ledger.create(url, dataset="d", epsilon=9)
    with psycopg.connect(url, autocommit=True) as owner:
        owner.execute("CREATE TABLE public.seen (setting text)")
        owner.execute(
            "CREATE FUNCTION public.see() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN INSERT INTO public.seen SELECT"
            " concat_ws(' ', current_setting('synchronous_commit'), current_setting('search_path'),"
            " current_setting('row_security'), current_setting('lock_timeout'),"
            " current_setting('transaction_isolation')); RETURN NULL; END $$"
        )
        owner.execute("CREATE TRIGGER see AFTER INSERT ON discreet.entries FOR EACH ROW EXECUTE FUNCTION public.see()")
        database = psycopg.conninfo.conninfo_to_dict(url)["dbname"]
        owner.execute(f"ALTER DATABASE {database} SET synchronous_commit = off".encode())
        ledger = Ledger(url)
        for name in "ab":
            ledger.charge("d", 1, request_id=name, digest="x")
        seen = owner.execute("SELECT setting FROM public.seen").fetchall()
    assert seen == [("on pg_catalog off 1min read committed",)] * 2


def test_who_waits_in_vain_for_the_lock_is_told_and_has_spent_nothing(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger = Ledger.create(database, dataset="d", epsilon=9)
    ledger.charge("d", 1, request_id="a", digest="x")
    monkeypatch.setattr(postgres_store, "PATIENCE", 0.2)
    with psycopg.connect(database) as holder:
        holder.execute("SELECT FROM discreet.mark FOR UPDATE")
        with pytest.raises(LedgerError, match="is locked by another process"):
            ledger.charge("d", 1, request_id="b", digest="x")
    assert ledger.charge("d", 1, request_id="b", digest="x").is_new
    assert ledger.spent("d").epsilon == 2


@dataclass(frozen=True)
class Act:
    """What one of three does: a charge that fits or not, a retry that agrees or not, a seal, or a new dataset."""

    who: int
    verb: str
    request: str
    dataset: str
    cost: Fraction
    digest: str

    def done(self, url: str, ledger: Ledger) -> object:
        """The answer."""
        match self.verb:
            case "create":
                return Ledger.create(url, dataset=self.dataset, epsilon=4).name == ledger.name
            case "seal":
                ledger.seal(self.request, json.dumps(self.digest))
                return "sealed"
        return ledger.charge(self.dataset, self.cost, request_id=self.request, digest=self.digest)


def acts(seed: int, many: int = 150) -> list[Act]:
    """Who does what, in an order of chance. Who charges often seals next."""
    chance = random.Random(seed)  # noqa: S311 - nothing is secret here
    found: list[Act] = []
    while len(found) < many:
        verb = chance.choice(["create", *["charge"] * 4, *["seal"] * 3])
        request, dataset = f"r{chance.randrange(many // 2)}", f"d{chance.randrange(3)}"
        act = Act(
            chance.randrange(3), verb, request, dataset, Fraction(chance.randint(1, 4), 32), chance.choice("xxxy")
        )
        found.append(act)
        if verb == "charge" and chance.random() < 0.5:
            found.append(replace(act, verb="seal"))
    return found


def answers(url: str, done: list[Act], *, remembers: bool) -> tuple[list[str], str]:
    """What everybody is answered, and the head of the ledger that comes of it."""
    Ledger.create(url, dataset="d0", epsilon=4)
    ledgers = [Ledger(url) for _ in range(3)]
    said = []
    for act in done:
        ledger = ledgers[act.who]
        if not remembers:
            store(ledger)._memory = Memory()
        try:
            said.append(str(act.done(url, ledger)))
        except DiscreetError as refusal:
            said.append(f"{refusal.kind}: {refusal.message.replace(ledger.name, '')}")
    ledgers[0].verify()
    return said, ledgers[0].head()


@pytest.mark.parametrize("seed", range(4))
def test_memory_changes_no_answer_and_no_row(
    seed: int, postgres: Server, steps: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(book, "_now", lambda: "2030-01-01T00:00:00+00:00")
    done = acts(seed)
    asked = answers(postgres.new_database(), done, remembers=False)
    steps.clear()
    remembered = answers(postgres.new_database(), done, remembers=True)
    assert remembered == asked
    assert steps.count("open") > steps.count("locked") > 0
    assert steps.count("committed") > 40


@pytest.mark.parametrize("compared", ["(SELECT hash FROM discreet.entries ORDER BY seq DESC LIMIT 1)", "request_id"])
def test_an_append_that_does_not_compare_changes_answers(
    compared: str, postgres: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The planted faults: whichever row is the newest, and whoever made the request before."""
    monkeypatch.setattr(book, "_now", lambda: "2030-01-01T00:00:00+00:00")
    done = acts(0)
    asked = answers(postgres.new_database(), done, remembers=False)
    careless = APPEND.replace(f"{compared} = %s", f"({compared} = %s) IS {'NOT ' * (compared[0] == '(')}NULL")
    assert careless != APPEND
    monkeypatch.setattr(postgres_store, "APPEND", careless)
    assert answers(postgres.new_database(), done, remembers=True) != asked
