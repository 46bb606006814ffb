"""Two processes never spend the last of a budget: 24 behind a barrier, and a ledger without the lock to fail it."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.contracts.source import ROOT
from tests.support.postgres import Server


@pytest.fixture(params=["file", "postgresql"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A file, or a database of a real server that many reach at once."""
    if request.param == "file":
        return str(tmp_path / "l.db")
    server: Server = request.getfixturevalue("postgres")
    return server.new_database(tcp=True)


def race(kind: str, rounds: int, place: str) -> list[dict[str, Any]]:
    """Each round's result, from a program that may fork."""
    command = [sys.executable, "-W", "error", "-m", "tests.ledger.race", kind, str(rounds), place]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    results: list[dict[str, Any]] = json.loads(done.stdout)
    return results


@pytest.mark.parametrize("rounds", [1, pytest.param(20, marks=pytest.mark.soak)])
def test_of_24_who_ask_for_a_tenth_at_once_exactly_ten_are_charged(rounds: int, place: str) -> None:
    results = race("locked", rounds, place)
    assert results == [{"charged": 10, "verifies": True}] * rounds


def test_the_same_race_overspends_a_ledger_that_takes_no_lock(place: str) -> None:
    """The test above can say no, and so can `verify`: all have looked at the budget before anyone spends."""
    (result,) = race("unlocked", 1, place)
    assert result["charged"] > 10
    assert not result["verifies"]
