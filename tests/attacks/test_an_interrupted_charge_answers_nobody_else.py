"""A signal that raises in the middle of a charge: who asks next gets his own answer, and never one that was left over.

A connection on which something was asked and not read holds an open transaction, or answers that would be taken for
those of the next question: a COMMIT that was another's would be a charge that was answered and never made.
"""

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

import psycopg
import pytest

import discreet.ledger.postgres as postgres_store
from discreet.errors import LedgerError
from discreet.ledger import Ledger
from tests.support.postgres import Server

CHILDREN, THREADS = 6, 6


class Late(Exception):
    """What a caller's own alarm raises."""


@contextmanager
def alarm(seconds: float, raised: type[BaseException]) -> Iterator[None]:
    def ring(_signal: int, _frame: FrameType | None) -> None:
        raise raised

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


ACTS: dict[str, Callable[[Ledger], object]] = {
    "charge": lambda ledger: ledger.charge("d", 1, request_id="late", digest="x"),
    "seal": lambda ledger: ledger.seal("first", '{"by": "late"}'),
}


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="there are no alarms here")
@pytest.mark.parametrize("raised", [Late, KeyboardInterrupt])
@pytest.mark.parametrize("act", ACTS)
def test_who_asks_after_an_interrupted_write_gets_his_own_answer(
    act: str, raised: type[BaseException], database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger = Ledger.create(database, dataset="d", epsilon=99)
    for number in range(4):  # long enough for the statements to be prepared
        ledger.charge("d", 1, request_id=str(number), digest="x")
    ledger.charge("d", 1, request_id="first", digest="x")
    with psycopg.connect(database) as holder, monkeypatch.context() as patch:
        patch.setattr(postgres_store, "PATIENCE", 1)  # psycopg waits for what it sent, but after a KeyboardInterrupt
        holder.execute("SELECT FROM discreet.mark FOR UPDATE")
        with pytest.raises((raised, LedgerError)), alarm(0.2, raised):
            ACTS[act](ledger)
    with Ledger(database)._store.transaction():  # the server may still finish what was sent before the interruption
        pass
    spent = ledger.spent("d").epsilon
    charges = [ledger.charge("d", 1, request_id=f"after {number}", digest="x") for number in range(4)]
    kept = {entry.request_id: entry.hash for entry in Ledger(database).history() if entry.kind == "charge"}
    assert [kept[charge.request_id] for charge in charges] == [charge.hash for charge in charges]
    assert ledger.spent("d").epsilon == spent + 4
    ledger.verify()


@pytest.mark.parametrize("step", ["open", "locked", "written", "committed"])
def test_an_interruption_while_it_tidies_up_leaves_no_connection_behind(
    step: str, database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger = Ledger.create(database, dataset="d", epsilon=99)
    hold = ledger._store._shared  # type: ignore[union-attr]
    used = hold.link().info.backend_pid

    def stop(reached: str) -> None:
        if reached == step:
            raise Late

    def stopped(_failure: BaseException) -> None:
        raise Late

    with monkeypatch.context() as patch:
        patch.setattr(postgres_store, "step", stop)
        patch.setattr(hold, "_undo", stopped)
        with pytest.raises(Late):
            ledger.charge("d", 1, request_id="late", digest="x")
    again = ledger.charge("d", 1, request_id="late", digest="x")
    assert again.is_new == (step != "committed")
    assert hold.link().info.backend_pid != used
    assert ledger.spent("d").epsilon == 1


def test_a_refusal_keeps_the_connection(database: str) -> None:
    ledger = Ledger.create(database, dataset="d", epsilon=1)
    hold = ledger._store._shared  # type: ignore[union-attr]
    used = hold.link().info.backend_pid
    with pytest.raises(ValueError, match="does not fit"):
        ledger.charge("d", 2, request_id="r", digest="x")
    assert ledger.charge("d", 1, request_id="r", digest="x").is_new
    assert hold.link().info.backend_pid == used


@pytest.mark.skipif(not hasattr(os, "fork"), reason="nothing forks here")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_threads_of_a_forked_child_take_turns_from_the_first(postgres: Server) -> None:
    url = postgres.new_database()
    ledger = Ledger.create(url, dataset="d", epsilon=99)
    ledger.charge("d", 1, request_id="parent", digest="x")
    for run in range(CHILDREN):
        child = os.fork()
        if not child:
            os._exit(_charged_by_threads(ledger, run))
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == THREADS
    assert ledger.spent("d").epsilon == 1 + CHILDREN * THREADS
    ledger.verify()


def _charged_by_threads(ledger: Ledger, run: int) -> int:
    """How many of them were charged, all starting at once."""
    sys.setswitchinterval(1e-6)
    start, charged = threading.Barrier(THREADS), list[bool]()

    def charge(number: int) -> None:
        start.wait()
        charged.append(ledger.charge("d", 1, request_id=f"{run} {number}", digest="x").is_new)

    threads = [threading.Thread(target=charge, args=(number,)) for number in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sum(charged)
