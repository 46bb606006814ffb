"""Killed at any step, a release leaves no outcome without its charge, and its repetition pays nothing more."""

from pathlib import Path

import pytest

from discreet.errors import DiscreetError
from discreet.ledger import Ledger
from discreet.requests import run
from tests.faults import told
from tests.support.programs import run_program
from tests.support.soak import KILLS
from tests.support.tables import fail_at, write_votes

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


@pytest.mark.few(1)
@pytest.mark.parametrize("times", [1, pytest.param(KILLS // 7, marks=(pytest.mark.soak, pytest.mark.long))])
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


def left_after(step: str, place: Path, patch: pytest.MonkeyPatch) -> str:
    """What a release leaves behind that ends at this step by an exception."""
    source = write_votes(place / "v.csv", ["a"] * 5 + ["b"] * 3)
    (place / "l.db").unlink(missing_ok=True)
    ledger = Ledger.create(place / "l.db", dataset="d", epsilon=1)
    patch.setattr(run, "reached", fail_at(step))
    with pytest.raises((RuntimeError, DiscreetError)):
        run.release(source, column="vote", categories=["a", "b"], epsilon=1, ledger=ledger, dataset="d", request_id="r")
    charge = ledger.find("r")
    return "nothing" if charge is None else "charged" if charge.outcome is None else "sealed"


def test_a_budget_that_is_charged_after_the_draw_is_found_out(
    tmp_path: Path, quick: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert {step: left_after(step, tmp_path, monkeypatch) for step in LEFT} == LEFT
    told.charged_after_the_draw(monkeypatch)
    assert left_after("drawn", tmp_path, monkeypatch) == "nothing"
