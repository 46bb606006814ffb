"""Two processes never spend the last of a budget: 24 behind a barrier, and a ledger without the lock to fail it."""

from __future__ import annotations

import json
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

from tests.contracts.source import ROOT


def race(kind: str, rounds: int, folder: Path) -> list[dict[str, Any]]:
    """Each round's result, from a program that may fork."""
    command = [sys.executable, "-W", "error", "-m", "tests.ledger.race", kind, str(rounds), str(folder)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=600, check=True)
    results: list[dict[str, Any]] = json.loads(done.stdout)
    return results


def test_of_24_who_ask_for_a_tenth_at_once_exactly_ten_are_charged(tmp_path: Path) -> None:
    results = race("locked", 20, tmp_path)
    assert results == [{"charged": 10, "spent": "1", "verifies": True}] * 20


def test_the_same_race_overspends_a_ledger_that_takes_no_lock(tmp_path: Path) -> None:
    """The test above can say no, and so can `verify`."""
    results = race("unlocked", 3, tmp_path)
    overspent = [result for result in results if Fraction(result["spent"]) > 1]
    assert overspent
    assert not any(result["verifies"] for result in overspent)
