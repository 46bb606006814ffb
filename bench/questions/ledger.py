"""What a charge costs on top of the disk."""

from __future__ import annotations

import sqlite3
import tempfile
from itertools import count
from pathlib import Path

from bench.rows import Answer, Effort, Row, question
from bench.timing import race
from discreet.ledger import Ledger


@question("ledger")
def ask(effort: Effort) -> Answer:
    """A durable charge.

    One charge, checked, chained and on disk; beside one INSERT of a row as long, committed by SQLite alone on a
    connection that stays open. A charge reads and checks every row that is there: also after a thousand of them.
    """
    number = count()
    with tempfile.TemporaryDirectory() as folder:
        young, old = (
            Ledger.create(Path(folder) / name, dataset="d", epsilon=10**6) for name in ("young.ledger", "old.ledger")
        )
        for _ in range(1000):
            old.charge("d", 1, request_id=str(next(number)), digest="x" * 64)
        bare = _bare(Path(folder) / "bare.db")
        medians = race(
            {
                "bare": lambda: _commit(bare),
                "charge": lambda: young.charge("d", 1, request_id=str(next(number)), digest="x" * 64),
                "after 1000": lambda: old.charge("d", 1, request_id=str(next(number)), digest="x" * 64),
            },
            effort,
        )
        bare.close()
    against = "a bare SQLite commit"
    return Answer(
        [
            Row("charge", medians["charge"], medians["bare"], against, at_most=3),
            Row("charge after 1000 others", medians["after 1000"], medians["bare"], against),
        ]
    )


def _bare(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA journal_mode = DELETE")
    connection.execute("PRAGMA synchronous = EXTRA")
    connection.execute("CREATE TABLE rows (number INTEGER PRIMARY KEY, text TEXT)")
    return connection


def _commit(connection: sqlite3.Connection) -> None:
    connection.execute("BEGIN IMMEDIATE")
    connection.execute("INSERT INTO rows (text) VALUES (?)", ("x" * 400,))
    connection.execute("COMMIT")
