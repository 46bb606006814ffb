"""Killed at any step, a release leaves no outcome without its charge, and its repetition pays nothing more."""

from pathlib import Path

import pytest

from discreet.ledger import Ledger
from tests.support.programs import run_program

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


@pytest.mark.parametrize("times", [1, pytest.param(29, marks=pytest.mark.soak)])
def test_kills_leave_no_outcome_without_its_charge_and_one_charge_a_request(
    times: int, tmp_path: Path, ledger_place: str
) -> None:
    """The ledger itself is killed two hundred times in another test."""
    kills = STEPS * times
    left: dict[str, int] = run_program("tests.support.release_kills", kills, tmp_path, ledger_place)
    assert sum(left.values()) == kills
    at_steps = {said: often for said, often in left.items() if not said.startswith("anywhere:")}
    assert at_steps == {f"{step}: {what}": times for step, what in LEFT.items()}
    ledger = Ledger(ledger_place)
    assert ledger.verify().rows == 1 + 2 * (kills + 1), "a charge and a seal for each request"
    assert ledger.remaining("d").epsilon == 0
