"""A connection or a server that dies in the middle of a charge: it stands or it does not, and the retry pays once.

Never is there an outcome without a charge: who was not answered draws nothing, and asks again with the same id.
"""

import json
import os
import random
import signal
import socket
import threading
import time
from contextlib import closing, nullcontext, suppress
from dataclasses import replace
from fractions import Fraction
from typing import Any

import psycopg
import pytest

import discreet.ledger.postgres as postgres_store
from discreet.errors import LedgerError
from discreet.ledger import Ledger
from tests.support.postgres import Server, binaries, serving


def backend(ledger: Ledger) -> int:
    """The process of the server that serves this ledger's connection."""
    link: psycopg.Connection[Any] = ledger._store._shared.link()  # type: ignore[union-attr]
    return link.info.backend_pid


def settle(ledger: Ledger) -> None:
    """Wait for whoever still holds the lock; the connection may be found broken."""
    with suppress(LedgerError), ledger._store.transaction():
        pass


@pytest.mark.parametrize(
    ("step", "stands"), [("open", True), ("locked", False), ("written", False), ("committed", True)]
)
def test_a_backend_that_is_ended_at_a_step_leaves_a_charge_or_none(
    step: str, stands: bool, postgres: Server, database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger = Ledger.create(database, dataset="d", epsilon=2)
    serves = backend(ledger)

    def end(reached: str) -> None:
        if reached == step:
            postgres.run(f"SELECT pg_terminate_backend({serves}, 10000)")

    monkeypatch.setattr(postgres_store, "step", end)
    with nullcontext() if stands else pytest.raises(LedgerError):
        assert ledger.charge("d", 1, request_id="r", digest="x").is_new
    monkeypatch.undo()
    assert (ledger.find("r") is not None) == stands
    assert ledger.charge("d", 1, request_id="r", digest="x").is_new != stands
    assert ledger.spent("d").epsilon == 1
    assert ledger.verify().rows == 2


class Cut:
    """A wire to the server that can be cut when a commit passes: before the server gets it, or before its answer."""

    def __init__(self, port: int) -> None:
        self.when = ""
        self._port = port
        self._door = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._door.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._door.accept()
                server = socket.create_connection(("127.0.0.1", self._port))
                for ends in ((client, server, "before"), (server, client, "after")):
                    threading.Thread(target=self._pass_on, args=ends, daemon=True).start()

    def _pass_on(self, one: socket.socket, other: socket.socket, cut: str) -> None:
        with suppress(OSError):
            while data := one.recv(1 << 16):
                if b"COMMIT\0" in data and self.when == cut:
                    break
                other.sendall(data)
        for end in (one, other):
            _hang_up(end)

    def close(self) -> None:
        """Let nobody in any more."""
        _hang_up(self._door)


def _hang_up(end: socket.socket) -> None:
    with suppress(OSError):
        end.shutdown(socket.SHUT_RDWR)
    end.close()


@pytest.mark.parametrize(("when", "stands"), [("before", False), ("after", True)])
def test_a_wire_that_is_cut_at_the_commit_hides_whether_the_charge_stands_and_the_retry_finds_out(
    when: str, stands: bool, postgres: Server
) -> None:
    with closing(Cut(postgres.port)) as wire:
        through = replace(postgres, port=wire.port)
        base = psycopg.conninfo.conninfo_to_dict(postgres.new_database())["dbname"]
        ledger = Ledger.create(through.url(str(base), tcp=True), dataset="d", epsilon=2)
        wire.when = when
        with pytest.raises(LedgerError, match="broke before it answered; ask again with the same request id"):
            ledger.charge("d", 1, request_id="r", digest="x")
        wire.when = ""
        again = ledger.charge("d", 1, request_id="r", digest="x")
        assert again.is_new != stands
        assert again.outcome is None

        wire.when = when
        with pytest.raises(LedgerError, match="broke before it answered"):
            ledger.seal("r", "{}")
        wire.when = ""
        sealed = ledger.charge("d", 1, request_id="r", digest="x")
        assert sealed.outcome == ("{}" if stands else None)
        assert ledger.spent("d").epsilon == 1
        ledger.verify()


def test_sixty_backends_ended_at_any_moment_leave_one_charge_a_request(postgres: Server, database: str) -> None:
    ledger = Ledger.create(database, dataset="d", epsilon=1000)
    chance = random.Random(60)  # noqa: S311 - it chooses when to end them
    with psycopg.connect(postgres.url("postgres"), autocommit=True) as boss:
        for i in range(60):
            request, answered = f"r{i}", False
            serves, after = backend(ledger), chance.uniform(0, 0.012)

            def end(serves: int = serves, after: float = after) -> None:
                time.sleep(after)
                boss.execute("SELECT pg_terminate_backend(%s)", (serves,))

            killer = threading.Thread(target=end)
            killer.start()
            with suppress(LedgerError):
                ledger.charge("d", 1, request_id=request, digest="x")
                answered = True
                ledger.seal(request, json.dumps({"drawn": i}))
            killer.join()
            settle(ledger)
            charge = ledger.find(request)
            assert charge is not None or not answered, "what was answered stands"
            assert ledger.charge("d", 1, request_id=request, digest="x").is_new == (charge is None)
            assert ledger.spent("d").epsilon == Fraction(i + 1)
    ledger.verify()


def test_a_server_that_crashes_keeps_every_charge_that_it_answered(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its backend is killed, which makes the whole server start anew from its log on disk."""
    if binaries() is None:
        pytest.skip("no PostgreSQL server")
    with serving() as server:
        ledger = Ledger.create(server.new_database(), dataset="d", epsilon=100)
        for i, step in enumerate(["written", "committed"]):
            serves = backend(ledger)

            def kill(reached: str, step: str = step, serves: int = serves) -> None:
                if reached == step:
                    os.kill(serves, signal.SIGKILL)

            with monkeypatch.context() as patch:
                patch.setattr(postgres_store, "step", kill)
                with nullcontext() if step == "committed" else pytest.raises(LedgerError):
                    ledger.charge("d", 1, request_id=f"r{i}", digest="x")
            back = False
            while not back:
                time.sleep(0.05)
                with suppress(psycopg.OperationalError):
                    server.run("SELECT 1")
                    back = True
            settle(ledger)
            assert (ledger.find(f"r{i}") is not None) == (step == "committed")
        assert ledger.spent("d").epsilon == 1
        ledger.verify()
