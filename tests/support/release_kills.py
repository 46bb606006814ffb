"""Releases that are killed, at every step and at any moment in between.

A program of its own, so that it can fork: `python -m tests.support.release_kills KILLS FOLDER LEDGER` prints what it
found. A child runs the command to its end or its death; another repeats the request; the parent never counts, so that
no thread of an engine is there to be forked.
"""

import gc
import json
import os
import random
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

import discreet.requests.run as workflow
from discreet.cli.app import run as command
from discreet.ledger import Ledger
from tests.support.tables import at, write_votes

POINTS = (*workflow.STEPS, "anywhere")
PRICE = Fraction(1, 10)


def run(kills: int, folder: Path, place: str) -> dict[str, int]:
    """Kill as often as asked; an assertion fails if a release ever breaks its word."""
    source = write_votes(folder / "v.csv", ["a"] * 5 + ["b"] * 3)
    ledger = Ledger.create(place, dataset="d", epsilon=PRICE * (kills + 1))
    chance, outcomes = random.Random(kills), Counter[str]()  # noqa: S311 - it chooses when to kill
    began = time.monotonic()
    _in_child(lambda: _request(_arguments(source, place, "alive", folder / "alive.json"), "never"), None)
    usual = time.monotonic() - began
    for first in range(0, kills, len(POINTS)):
        requests = {f"r{first + i}": point for i, point in enumerate(POINTS) if first + i < kills}
        commands = {name: _arguments(source, place, name, folder / f"{name}.json") for name in requests}
        charged = first + 1
        for name, point in requests.items():
            after = chance.uniform(0, 1.2 * usual) if point == "anywhere" else None
            died = _in_child(partial(_request, commands[name], point), after)
            assert died or point == "anywhere", "the plug was not pulled"
            left = _inspect(ledger, name, folder / f"{name}.json")
            charged += left != "nothing"
            assert ledger.spent("d").epsilon == PRICE * charged
            outcomes[f"{point}: {left}"] += 1
        _repeat(ledger, commands, folder)
        assert ledger.spent("d").epsilon == PRICE * (first + 1 + len(commands)), (
            "one charge, however often it is asked for"
        )
    return dict(outcomes)


def _arguments(source: Path, place: str, request: str, out: Path) -> list[str]:
    table = [str(source), "--column", "vote", "--categories", "a,b", "--epsilon", "0.1"]
    if _asks_for_two(request):
        table += ["--column", "person", "--categories", "0", "--other", "", "--other", "rest"]
    budget = ["--ledger", place, "--dataset", "d", "--request-id", request]
    return ["release", *table, *budget, "--yes", "--json", "--out", str(out)]


def _asks_for_two(request: str) -> bool:
    """Every other request is for two columns at the price of one."""
    return request[1:].isdigit() and int(request[1:]) % 2 == 1


def _request(arguments: list[str], point: str) -> None:
    vars(workflow)["reached"] = at(point, lambda: os.kill(os.getpid(), signal.SIGKILL))
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    assert command(arguments) == 0


def _in_child(work: Callable[[], None], after: float | None) -> bool:
    """Whether the child was killed; if `after` is given, then at that moment."""
    child = os.fork()
    if child == 0:
        try:
            work()
            os._exit(0)
        finally:
            os._exit(1)
    if after is not None:
        time.sleep(after)
        os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    assert status == 0 or os.WIFSIGNALED(status), "the request failed of itself"
    return os.WIFSIGNALED(status)


def _inspect(ledger: Ledger, request: str, out: Path) -> str:
    """What the dead left behind: never an outcome without its charge, and never a part of a file."""
    # A server may still be committing what the dead have sent: whoever gets the lock knows that it is done.
    with ledger._store.transaction():
        pass
    ledger.verify()  # a seal without its charge, or a charge beyond the budget, is a row that it names
    charge = ledger.find(request)
    if out.exists():
        assert charge is not None
        assert charge.outcome is not None
        assert out.read_text() == charge.outcome + "\n"
        return "shown"
    return "nothing" if charge is None else "charged" if charge.outcome is None else "sealed"


def _repeat(ledger: Ledger, commands: dict[str, list[str]], folder: Path) -> None:
    """The requests again: each gets its sealed outcome, or a draw under its one charge."""
    before = {name: ledger.find(name) for name in commands}

    def all_of_them() -> None:
        for arguments in commands.values():
            _request(arguments, "never")

    _in_child(all_of_them, None)
    for name, left in before.items():
        after = ledger.find(name)
        assert after is not None
        assert after.outcome is not None
        assert left is None or left.hash == after.hash
        assert left is None or left.outcome in (None, after.outcome)
        assert (folder / f"{name}.json").read_text() == after.outcome + "\n"
        receipt: dict[str, Any] = json.loads(after.outcome)
        assert receipt["charge"] == after.hash
        parts = receipt["parts"] if _asks_for_two(name) else [receipt]
        assert len(parts) == 1 + _asks_for_two(name)
        assert {sum(part["output"]) for part in parts} == {8}


def _load() -> None:
    """Load everything once for all children, with a release that no engine takes part in."""
    import duckdb  # noqa: F401
    import pyarrow.csv  # noqa: F401

    import discreet.cli.release_outputs  # noqa: F401

    workflow.release_counts([5, 3], epsilon=1)


if __name__ == "__main__":
    _load()
    gc.freeze()  # children then share these pages
    print(json.dumps(run(int(sys.argv[1]), Path(sys.argv[2]), sys.argv[3])))
    gc.unfreeze()
