"""Charges and seals whose answers are told on standard output: `python -m tests.ledger.power LEDGER N [--unsynced]`.

A program of its own, so that what it asks of the kernel can be recorded.
"""

import json
import os
import sys
import time

import discreet.ledger.file as file
import discreet.ledger.postgres as postgres
from discreet.ledger import Ledger


def run(place: str, requests: int, *, synced: bool) -> None:
    """One answer after each thing that is done."""
    if not synced:
        vars(file)["_sync"] = lambda handle: None
        vars(postgres)["_SETTINGS"] = postgres._SETTINGS.replace("ELSE 'on'", "ELSE 'off'")
    ledger = Ledger(place) if "://" in place else Ledger.create(place, dataset="d", epsilon=10**6)
    _answer("made")
    for i in range(requests):
        ledger.charge("d", 1, request_id=f"r{i}", digest="x")
        _answer(f"charged:r{i}")
        ledger.seal(f"r{i}", json.dumps({"drawn": i}))
        _answer(f"sealed:r{i}")


def _answer(text: str) -> None:
    os.write(1, f"answer {text} {time.time():.6f}\n".encode())


if __name__ == "__main__":
    run(sys.argv[1], int(sys.argv[2]), synced="--unsynced" not in sys.argv)
