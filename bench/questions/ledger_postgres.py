"""What a charge costs on top of a server's disk."""

from __future__ import annotations

import multiprocessing
from itertools import count, cycle
from typing import Any

import psycopg

from bench.rows import Answer, Effort, Row, question
from bench.servers import serving
from bench.timing import race
from discreet.ledger import Ledger

CLIENTS, EACH = 16, 8
"""How many write at once, and how often in a turn."""

_connections: dict[str, Any] = {}
"""The connections of one client, in its own process."""


def _open(url: str) -> None:
    _connections["ledger"] = Ledger(url)
    _connections["bare"] = psycopg.connect(url, autocommit=True, prepare_threshold=2)


def _charge(request: tuple[str, int]) -> None:
    dataset, number = request
    _connections["ledger"].charge(dataset, 1, request_id=f"{dataset}/{number}", digest="x" * 64)


def _insert(text: str) -> None:
    _connections["bare"].execute("INSERT INTO rows (text) VALUES (%s)", (text,))


@question("ledger-postgres")
def ask(effort: Effort) -> Answer:
    """A durable charge on PostgreSQL.

    One charge, locked, checked, chained and on the server's disk; beside one INSERT of a row as long, committed by the
    same server on a connection of the same kind that stays open, in one message. A charge takes one message too if it
    was decided from rows that are remembered and still hold, and two if others wrote since: in the second row two
    ledgers take turns. In the third, 16 clients write at once, for each other's budget, which is opened anew for every
    128 charges; a server syncs the commits of several clients that do not wait for each other together, and charges
    wait.
    """
    number = count()
    with serving() as server:
        url = server.new_database()
        ledger = Ledger.create(url, dataset="d", epsilon=10**6)
        shared = server.new_database()
        Ledger.create(shared, dataset="d", epsilon=10**6)
        turns = cycle([Ledger(shared), Ledger(shared)])
        with psycopg.connect(url, autocommit=True, prepare_threshold=2) as bare:
            bare.execute("CREATE TABLE rows (number bigserial PRIMARY KEY, text text)")
            clients = multiprocessing.get_context("fork").Pool(CLIENTS, _open, (url,))

            def charge_at_once() -> None:
                dataset = f"of {next(number)}"
                Ledger.create(url, dataset=dataset, epsilon=10**6)
                clients.map(_charge, [(dataset, i) for i in range(CLIENTS * EACH)], chunksize=EACH)

            medians = race(
                {
                    "bare": lambda: bare.execute("INSERT INTO rows (text) VALUES (%s)", ("x" * 400,)),
                    "charge": lambda: ledger.charge("d", 1, request_id=str(next(number)), digest="x" * 64),
                    "in turn": lambda: next(turns).charge("d", 1, request_id=str(next(number)), digest="x" * 64),
                    "bare at once": lambda: clients.map(_insert, ["x" * 400] * CLIENTS * EACH, chunksize=EACH),
                    "charges at once": charge_at_once,
                },
                effort,
            )
            clients.terminate()
    peer = "a bare PostgreSQL commit"
    return Answer(
        [
            Row("charge on PostgreSQL", medians["charge"], medians["bare"], peer, at_most=3),
            Row("the same, others write too", medians["in turn"], medians["bare"], peer, grows=True),
            Row(
                f"{CLIENTS} clients at once, a charge",
                medians["charges at once"] / (CLIENTS * EACH),
                medians["bare at once"] / (CLIENTS * EACH),
                f"{CLIENTS} clients' bare commits",
                grows=True,
            ),
        ]
    )
