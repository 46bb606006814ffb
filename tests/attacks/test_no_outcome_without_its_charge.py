"""Killed at any step, a ledger never holds an outcome without its charge, and never loses what it answered."""

import subprocess
import sys
from pathlib import Path

import pytest

from discreet.ledger import Ledger
from tests.ledger.kills import POINTS
from tests.support.programs import run_program
from tests.support.soak import KILLS


@pytest.mark.few(2)
@pytest.mark.parametrize("kills", [20, pytest.param(KILLS, marks=(pytest.mark.soak, pytest.mark.long))])
@pytest.mark.parametrize("scheduled", [False, True])
def test_kills_leave_a_sound_ledger_and_one_charge_a_request(kills: int, scheduled: bool, ledger_place: str) -> None:
    """On a schedule no slot is taken twice, and none is lost: there are as many as requests."""
    schedule = {"composition": "exact", "schedule": f"{kills} x 1", "delta": "1e-6"}
    Ledger.create(ledger_place, dataset="d", **(schedule if scheduled else {"epsilon": kills}))
    found: dict[str, int] = run_program("tests.ledger.kills", kills, ledger_place)
    assert sum(found.values()) == kills
    for action, step in POINTS:
        answer = "nothing" if action == "charge" else "charged"
        assert found[f"{action} {step} after {answer}"] >= kills // len(POINTS) // 2
    assert Ledger(ledger_place).verify().rows == 1 + 2 * kills


@pytest.mark.few(2)
@pytest.mark.parametrize("is_there", [False, True])
def test_a_ledger_killed_while_it_is_made_is_there_whole_or_not_at_all(is_there: bool, ledger_place: str) -> None:
    kind = "postgres" if "://" in ledger_place else "file"
    step = ("linked" if kind == "file" else "committed") if is_there else "made"
    program = (
        f"import os, signal, sys; import discreet.ledger.{kind} as store; from discreet.ledger import Ledger;"
        "store.step = lambda name: name == sys.argv[1] and os.kill(os.getpid(), signal.SIGKILL);"
        "Ledger.create(sys.argv[2], dataset='d', epsilon=1)"
    )
    assert subprocess.run([sys.executable, "-c", program, step, ledger_place], check=False).returncode == -9
    assert kind == "postgres" or Path(ledger_place).exists() == is_there
    Ledger.create(ledger_place, dataset="again", epsilon=1)
    assert Ledger(ledger_place).verify().rows == (2 if is_there else 1)
