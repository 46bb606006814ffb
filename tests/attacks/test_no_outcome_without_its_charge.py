"""Killed at any step, a ledger never holds an outcome without its charge, and never loses what it answered."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from discreet.ledger import Ledger
from tests.contracts.source import ROOT
from tests.ledger.kills import POINTS


@pytest.mark.parametrize("kills", [20, pytest.param(200, marks=pytest.mark.soak)])
def test_kills_leave_a_sound_ledger_and_one_charge_a_request(kills: int, place: str) -> None:
    Ledger.create(place, dataset="d", epsilon=kills)
    command = [sys.executable, "-W", "error", "-m", "tests.ledger.kills", str(kills), place]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found: dict[str, int] = json.loads(done.stdout)
    assert sum(found.values()) == kills
    for action, step in POINTS:
        answer = "nothing" if action == "charge" else "charged"
        assert found[f"{action} {step} after {answer}"] >= kills // len(POINTS) // 2
    assert Ledger(place).verify().rows == 1 + 2 * kills


@pytest.mark.parametrize("is_there", [False, True])
def test_a_ledger_killed_while_it_is_made_is_there_whole_or_not_at_all(is_there: bool, place: str) -> None:
    kind = "postgres" if "://" in place else "file"
    step = ("linked" if kind == "file" else "committed") if is_there else "made"
    program = (
        f"import os, signal, sys; import discreet.ledger.{kind} as store; from discreet.ledger import Ledger;"
        "store.step = lambda name: name == sys.argv[1] and os.kill(os.getpid(), signal.SIGKILL);"
        "Ledger.create(sys.argv[2], dataset='d', epsilon=1)"
    )
    assert subprocess.run([sys.executable, "-c", program, step, place], check=False).returncode == -9
    assert kind == "postgres" or Path(place).exists() == is_there
    Ledger.create(place, dataset="again", epsilon=1)
    assert Ledger(place).verify().rows == (2 if is_there else 1)
