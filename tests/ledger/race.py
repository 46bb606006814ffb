"""Processes behind a barrier, each asking for a tenth of a budget, again and again.

A program of its own, so that it can fork: `python -m tests.ledger.race locked 20 LEDGER` prints, for each round, how
many were charged, and whether the ledger verifies and says that all was spent. Each round has a dataset of its own;
`locked-schedule` gives it ten slots of a tenth.
"""

import json
import multiprocessing
import sys
from multiprocessing.synchronize import Barrier
from typing import Any

import psycopg  # noqa: F401 - loaded once, and not by each racer

from discreet.errors import BudgetExceeded, LedgerError
from discreet.ledger import Ledger
from tests.faults.unlocked_ledger import UnlockedLedger

RACERS = 24
PATIENCE = 300
"""Seconds until a race that does not go on has failed: a busy machine starts 24 processes slowly."""

CONTEXT = multiprocessing.get_context("fork")


class Unlocked(UnlockedLedger):
    """Nobody spends before all have seen that it fits: without a lock, the race is lost on any machine."""

    looked = CONTEXT.Barrier(RACERS)

    def afford(self, *asked: Any, **told: Any) -> Any:
        """Look, and wait for the others."""
        answer = super().afford(*asked, **told)
        self.looked.wait(PATIENCE)
        return answer


SCHEDULE = {"composition": "exact", "schedule": "10 x 1/10", "delta": "1e-6"}
"""Of a tenth each: as many slots as there would be room for."""

KINDS: dict[str, type[Ledger]] = {"locked": Ledger, "unlocked": Unlocked}


def run(kind: type[Ledger], rounds: int, place: str, *, scheduled: bool) -> list[dict[str, Any]]:
    """All rounds, with the same processes."""
    ready, done = CONTEXT.Barrier(RACERS + 1), CONTEXT.Barrier(RACERS + 1)
    charged = CONTEXT.Array("i", RACERS)
    racers = [
        CONTEXT.Process(target=_ask, args=(kind, rounds, place, i, ready, done, charged), daemon=True)
        for i in range(RACERS)
    ]
    for racer in racers:
        racer.start()
    budget = SCHEDULE if scheduled else {"epsilon": 1}
    return [_round(_of_round(place, number), f"d{number}", budget, ready, done, charged) for number in range(rounds)]


def _of_round(place: str, number: int) -> str:
    """A file of its own: nobody reads one that was overspent. On a server other datasets can still be charged."""
    return place if "://" in place else f"{place}.{number}"


def _ask(kind: type[Ledger], rounds: int, place: str, racer: int, ready: Barrier, done: Barrier, charged: Any) -> None:
    for number in range(rounds):
        ready.wait(PATIENCE)
        ledger = kind(_of_round(place, number))
        try:
            ledger.charge(f"d{number}", "1/10", request_id=f"r{racer} of {number}", digest="x")
            charged[racer] = 1
        except (BudgetExceeded, LedgerError):  # nobody charges a ledger that was overspent
            charged[racer] = 0
        done.wait(PATIENCE)


def _round(
    place: str, dataset: str, budget: dict[str, Any], ready: Barrier, done: Barrier, charged: Any
) -> dict[str, Any]:
    ledger = Ledger.create(place, dataset=dataset, **budget)
    ready.wait(PATIENCE)
    done.wait(PATIENCE)
    try:
        verifies = ledger.verify().rows > 0 and ledger.spent(dataset).epsilon == 1
    except LedgerError:
        verifies = False
    return {"charged": sum(charged), "verifies": verifies}


if __name__ == "__main__":
    name, rounds, place = sys.argv[1:]
    kind = KINDS[name.removesuffix("-schedule")]
    print(json.dumps(run(kind, int(rounds), place, scheduled=name.endswith("-schedule"))))
