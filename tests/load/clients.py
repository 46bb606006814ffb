"""Clients of one ledger that charge, ask again and seal as fast as they can: `python -m tests.load.clients`.

With a number of seconds, of clients, and the address of the ledger, it prints for each client what it was answered, and
how much memory it had after a fifth of the time and at the end. A program of its own, so that it can fork.

Four teams share a dataset each. Its budget is for ROUND charges of every member: whoever is charged twice, or for
somebody else, takes the place of a colleague. Who has made all of his goes on to the next dataset of his team.
"""

from __future__ import annotations

import json
import multiprocessing
import resource
import sys
import time
from contextlib import suppress
from fractions import Fraction
from pathlib import Path
from typing import Any

from discreet.errors import InvalidInput
from discreet.ledger import Ledger

TEAMS = 4
ROUND = 50
"""Charges of one client to one dataset."""

PRICE = Fraction(1, 100)


def run(seconds: float, clients: int, place: str) -> list[dict[str, Any]]:
    """What every client has to tell."""
    context = multiprocessing.get_context("fork")
    with context.Pool(clients) as pool:
        return pool.starmap(_charge, [(seconds, number, clients, place) for number in range(clients)])


def _charge(seconds: float, number: int, clients: int, place: str) -> dict[str, Any]:
    ledger, end, made, early = Ledger(place), time.monotonic() + seconds, 0, 0
    while not made or time.monotonic() < end:
        dataset = f"team {number % TEAMS}, {made // ROUND}"
        if made % ROUND == 0:
            with suppress(InvalidInput):  # a colleague was quicker
                Ledger.create(place, dataset=dataset, epsilon=PRICE * ROUND * (clients // TEAMS))
        request = f"{number}/{made}"
        charge = ledger.charge(dataset, PRICE, request_id=request, digest="x")
        assert charge.is_new, "nobody else has this id"
        if made % 5 == 0:
            again = ledger.charge(dataset, PRICE, request_id=request, digest="x")
            assert (again.is_new, again.hash) == (False, charge.hash), "one charge, however often it is asked for"
        if made % 10 == 0:
            ledger.seal(request, json.dumps({"drawn by": number}))
        made += 1
        if not early and time.monotonic() > end - 0.8 * seconds:
            early = resident()
    return {"charged": made, "sealed": -(-made // 10), "early": early or resident(), "late": resident()}


def resident(pid: int | str = "self") -> int:
    """Bytes of memory that a process has."""
    return int(Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1]) * resource.getpagesize()


if __name__ == "__main__":
    print(json.dumps(run(float(sys.argv[1]), int(sys.argv[2]), sys.argv[3])))
