"""What a charge costs on top of a server's disk."""

from __future__ import annotations

from itertools import count, cycle

import psycopg

from bench.rows import Answer, Effort, Row, question
from bench.servers import serving
from bench.timing import race
from discreet.ledger import Ledger


@question("ledger-postgres")
def ask(effort: Effort) -> Answer:
    """A durable charge on PostgreSQL.

    One charge, locked, checked, chained and on the server's disk; beside one INSERT of a row as long, committed by the
    same server on a connection of the same kind that stays open, in one message. A charge takes one message too if it
    was decided from rows that are remembered and still hold, and two if others wrote since: in the second row two
    ledgers take turns.
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
            found = race(
                {
                    "bare": lambda: bare.execute("INSERT INTO rows (text) VALUES (%s)", ("x" * 400,)),
                    "charge": lambda: ledger.charge("d", 1, request_id=str(next(number)), digest="x" * 64),
                    "in turn": lambda: next(turns).charge("d", 1, request_id=str(next(number)), digest="x" * 64),
                },
                effort,
            )
    peer = "a bare PostgreSQL commit"
    return Answer(
        [
            Row("charge on PostgreSQL", found["charge"], found["bare"], peer, at_most=3),
            Row("the same, others write too", found["in turn"], found["bare"], peer, grows=True),
        ]
    )
