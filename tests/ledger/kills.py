"""Charges and seals that are killed, at every step and at any moment in between.

A program of its own, so that it can fork: `python -m tests.ledger.kills KILLS LEDGER` prints what it found. A child
makes a request, tells its parent what it was answered, and is killed; the parent then looks at the ledger and asks
again with the same id.
"""

from __future__ import annotations

import json
import os
import random
import signal
import sys
import time
from collections import Counter
from fractions import Fraction

import discreet.ledger.postgres as postgres
import discreet.ledger.sqlite as sqlite
from discreet.ledger import Ledger
from discreet.ledger.postgres_rows import Memory

POINTS = [
    *((action, step, "asked") for action in ("charge", "seal") for step in ("open", "locked", "written", "committed")),
    *((action, step, "remembered") for action in ("charge", "seal") for step in ("open", "written", "committed")),
]
"""What is done, where it is killed, and whether a server's rows were asked for or remembered; then one message holds
all, and who sends it is never told of the lock. A file is always asked."""

Point = tuple[str, str, str]


def run(kills: int, place: str) -> dict[str, int]:
    """Kill as often as asked; an assertion fails if the ledger ever breaks its word."""
    ledger = Ledger.create(place, dataset="d", epsilon=kills)
    chance, found = random.Random(kills), Counter[str]()  # noqa: S311 - it chooses when to kill
    for i in range(kills):
        point = POINTS[i % len(POINTS)] if i % 5 else None  # every fifth is killed at a moment and not at a step
        answered = _killed(ledger, f"r{i}", point, after=chance.uniform(0, 0.08))
        found[" ".join([*(point or ("anywhere",)), "after", answered[-1] if answered else "nothing"])] += 1
        _inspect(ledger, f"r{i}", answered, requests=i + 1)
    assert ledger.spent("d").epsilon == kills
    return dict(found)


def _killed(ledger: Ledger, request: str, point: Point | None, after: float) -> list[str]:
    """What a child was answered before it was killed."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.close(read)
            _request(ledger, request, point, write)
        finally:
            os._exit(0)
    os.close(write)
    if point is None:
        time.sleep(after)
        os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    with os.fdopen(read) as pipe:
        answered = pipe.read().split()
    assert point is None or os.WTERMSIG(status) == signal.SIGKILL, "the plug was not pulled"
    return answered


def _request(ledger: Ledger, request: str, point: Point | None, tell: int) -> None:
    doing, memory = "", "remembered" if point is None else point[2]
    _remember(ledger, memory)

    def pull(step: str) -> None:
        if point == (doing, step, memory):
            os.kill(os.getpid(), signal.SIGKILL)
        assert (step, memory, type(ledger._store)) != ("locked", "remembered", postgres.PostgresStore)

    for store in (sqlite, postgres):
        vars(store)["step"] = pull
    doing = "charge"
    ledger.charge("d", 1, request_id=request, digest="x")
    os.write(tell, b"charged ")
    if memory == "asked":
        _remember(ledger, memory)
    doing = "seal"
    ledger.seal(request, json.dumps({"drawn": "by the child"}))
    os.write(tell, b"sealed ")


def _remember(ledger: Ledger, memory: str) -> None:
    """Have a server's rows in memory, or forget them."""
    if isinstance(ledger._store, postgres.PostgresStore):
        ledger._store._memory = Memory()
        if memory == "remembered":
            ledger._store.write(lambda _: None, dataset="d")


def _inspect(ledger: Ledger, request: str, answered: list[str], requests: int) -> None:
    """The ledger keeps what it answered, has no outcome without its charge, and serves the retry."""
    # A server may still be committing what the dead have sent: whoever gets the lock knows that it is done.
    ledger._store.write(lambda _: None)
    ledger.verify()  # a seal without its charge, or a charge beyond the budget, is a row that it names
    charge = ledger.find(request)
    assert charge is not None or "charged" not in answered
    assert "sealed" not in answered or (charge is not None and charge.outcome is not None)
    spent = ledger.spent("d").epsilon
    assert spent == requests - (0 if charge else 1)

    again = ledger.charge("d", 1, request_id=request, digest="x")
    assert again.is_new == (charge is None)
    assert again.outcome == (None if charge is None else charge.outcome)
    if again.outcome is None:
        ledger.seal(request, json.dumps({"drawn": "by the parent"}))
    assert ledger.spent("d").epsilon == Fraction(requests), "one charge, however often it is asked for"


if __name__ == "__main__":
    print(json.dumps(run(int(sys.argv[1]), sys.argv[2])))
