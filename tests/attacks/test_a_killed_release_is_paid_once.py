"""Killed at any step, a release leaves no outcome without its charge, and its repetition pays nothing more."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from discreet.ledger import Ledger
from tests.contracts.source import ROOT
from tests.support.postgres import Server

LEFT = {
    "opened": "nothing",
    "counted": "nothing",
    "prepared": "nothing",
    "checked": "nothing",
    "charged": "charged",
    "drawn": "charged",
    "sealed": "sealed",
}
"""What a release that was killed after each step leaves behind."""


STEPS = len(LEFT) + 1
"""One kill at each step, and one anywhere."""


def killed(kills: int, folder: Path, place: str) -> dict[str, int]:
    """What so many kills left behind, by the step at which each happened."""
    command = [sys.executable, "-W", "error", "-m", "tests.support.release_kills", str(kills), str(folder), place]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found: dict[str, int] = json.loads(done.stdout)
    assert sum(found.values()) == kills
    return {said: times for said, times in found.items() if not said.startswith("anywhere:")}


def is_paid_once(place: str, requests: int) -> bool:
    """Whether the ledger is sound, holds a charge and a seal for each request, and has nothing left."""
    ledger = Ledger(place)
    return ledger.verify().rows == 1 + 2 * requests and ledger.remaining("d").epsilon == 0


@pytest.mark.parametrize("times", [1, pytest.param(29, marks=pytest.mark.soak)])
def test_kills_leave_no_outcome_without_its_charge_and_one_charge_a_request(times: int, tmp_path: Path) -> None:
    place = str(tmp_path / "l.db")
    assert killed(STEPS * times, tmp_path, place) == {f"{step}: {left}": times for step, left in LEFT.items()}
    assert is_paid_once(place, STEPS * times + 1)


@pytest.mark.parametrize("times", [1, pytest.param(5, marks=pytest.mark.soak)])
def test_kills_of_a_release_that_a_server_charges_leave_no_more(times: int, tmp_path: Path, postgres: Server) -> None:
    """The ledger itself is killed two hundred times in another test."""
    place = postgres.new_database()
    assert killed(STEPS * times, tmp_path, place) == {f"{step}: {left}": times for step, left in LEFT.items()}
    assert is_paid_once(place, STEPS * times + 1)
