"""Two processes never spend the last of a budget: 24 behind a barrier, and a ledger without the lock to fail it."""

import pytest

from tests.support.programs import run_program


@pytest.mark.parametrize("rounds", [1, pytest.param(20, marks=pytest.mark.soak)])
def test_of_24_who_ask_for_a_tenth_at_once_exactly_ten_are_charged(rounds: int, ledger_place: str) -> None:
    results = run_program("tests.ledger.race", "locked", rounds, ledger_place)
    assert results == [{"charged": 10, "verifies": True}] * rounds


@pytest.mark.few(1)
@pytest.mark.parametrize("rounds", [1, pytest.param(20, marks=pytest.mark.soak)])
def test_of_24_who_ask_for_one_of_ten_slots_at_once_exactly_ten_have_one(rounds: int, ledger_place: str) -> None:
    results = run_program("tests.ledger.race", "locked-schedule", rounds, ledger_place)
    assert results == [{"charged": 10, "verifies": True}] * rounds


@pytest.mark.few(1)
def test_the_same_race_overspends_a_ledger_that_takes_no_lock(ledger_place: str) -> None:
    """The test above can say no, and so can `verify`: all have looked at the budget before anyone spends."""
    """The race is the same one, with `UnlockedLedger` in the place of the ledger."""
    [result] = run_program("tests.ledger.race", "unlocked", 1, ledger_place)
    assert result["charged"] > 10
    assert not result["verifies"]


@pytest.mark.few(1)
def test_without_a_lock_a_slot_is_taken_twice_and_the_reader_says_so(ledger_place: str) -> None:
    """The planted fault: all take the same slots, because each has looked before anyone wrote."""
    [result] = run_program("tests.ledger.race", "unlocked-schedule", 1, ledger_place)
    assert result["charged"] > 10
    assert not result["verifies"]
