"""Charges and seals that are killed, at every step and at any moment in between.

A program of its own, so that it can fork: `python -m tests.ledger.kills KILLS LEDGER [NAME ...]` prints what it found.
A child makes a request, tells its parent what it was answered, and is killed; the parent then looks at the ledger and
asks again with the same id. If the ledger's file has more names, each child takes the next one.
"""

import json
import os
import random
import signal
import sys
import time
from collections import Counter
from fractions import Fraction

import discreet.ledger.file as file
import discreet.ledger.postgres as postgres
from discreet.ledger import Ledger

POINTS = [(action, step) for action in ("charge", "seal") for step in ("open", "locked", "written", "committed")]
"""What is done, and where it is killed."""

Point = tuple[str, str]


def run(kills: int, names: list[str]) -> dict[str, int]:
    """Kill as often as asked; an assertion fails if the ledger ever breaks its word."""
    ledgers = [Ledger(name) for name in names]
    chance, tally = random.Random(kills), Counter[str]()  # noqa: S311 - it chooses when to kill
    for i in range(kills):
        point = POINTS[i % len(POINTS)] if i % 5 else None  # every fifth is killed at a moment and not at a step
        answered = _killed(ledgers[i % len(names)], f"r{i}", point, after=chance.uniform(0, 0.03))
        tally[" ".join([*(point or ("anywhere",)), "after", answered[-1] if answered else "nothing"])] += 1
        _inspect(ledgers[(i + 1) % len(names)], f"r{i}", answered, requests=i + 1)
    assert all(ledger.spent("d").epsilon == kills for ledger in ledgers)
    return dict(tally)


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
    doing = "charge"

    def pull(step: str) -> None:
        if point == (doing, step):
            os.kill(os.getpid(), signal.SIGKILL)

    for store in (file, postgres):
        vars(store)["step"] = pull
    ledger.charge("d", 1, request_id=request, digest="x")
    os.write(tell, b"charged ")
    doing = "seal"
    ledger.seal(request, json.dumps({"drawn": "by the child"}))
    os.write(tell, b"sealed ")


def _inspect(ledger: Ledger, request: str, answered: list[str], requests: int) -> None:
    """The ledger keeps what it answered, has no outcome without its charge, and serves the retry."""
    # A server may still be committing what the dead have sent: whoever gets the lock knows that it is done.
    with ledger._store.transaction():
        pass
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
    print(json.dumps(run(int(sys.argv[1]), sys.argv[2:])))
