"""Budgets as their rows say them: what is sound, what fits, what is left, and what is said of it."""

import math
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from discreet.errors import BudgetExceeded, InvalidInput
from discreet.ledger import Account, Amount, Entry
from discreet.ledger.budgets import Budget, _epsilon_lower, budget_rho, cost_words
from discreet.ledger.schedules import Slot, TakenSlot, need_of_epsilon, write_taken_slots
from discreet.privacy_loss.composition import epsilon_upper, rho_lower
from discreet.privacy_loss.renyi_bounds import pure_rho


def amount(epsilon: int, delta: str = "0") -> Amount:
    return Amount(Fraction(epsilon), Fraction(delta))


def row(epsilon: str, delta: str = "0", **fields: str | None) -> Entry:
    """A budget under replace-one, as its row says it."""
    plain: dict[str, Any] = {"adjacency": "replace-one", "composition": "basic", **fields}
    return Entry(1, "budget", "d", "2030-01-01T00:00:00+00:00", epsilon=epsilon, delta=delta, **plain)


def spend(epsilon: str, delta: str = "0", rho: Fraction | None = None, **fields: str | None) -> Entry:
    """A charge by its ε alone, as its row says it, but for the sums."""
    known = pure_rho(Fraction(epsilon)) if rho is None else rho
    plain: dict[str, Any] = {"adjacency": "replace-one", "request_id": "r", "rho": str(known), **fields}
    return Entry(2, "charge", "d", "", epsilon=epsilon, delta=delta, **plain)


RHO = str(rho_lower(1, "1e-6"))
ZCDP = row("1", "1/1000000", composition="zcdp", rho=RHO)
SLOTS = row("1", composition="exact 2 x 1/4, 1 x 1/2 for 2 categories")


def after(budget: Entry, *charges: Entry) -> Budget:
    """The budget when these were charged."""
    account = Budget(budget)
    for charge in charges:
        account.spend(charge, account.require_room(charge))
    return account


def test_a_budget_is_sound_if_its_row_says_what_this_library_would() -> None:
    least = row(str(epsilon_upper("1/100", "1e-6")), "1/1000000", composition="zcdp", rho="1/100")
    for sound in (row("1"), row("1", composition=None), row("1/3", "1/10"), ZCDP, SLOTS, least):
        assert Budget(sound).is_sound()
    for wrong in (
        row("0"),
        row("0", composition="zcdp"),
        row("1", "1/1000000", composition="zcdp"),
        row("1", "1/1000000", rho=RHO),
        row("1", "1/1000000", rho=RHO, composition=None),
        row("0", "1/1000000", rho="0", composition="zcdp"),
        row("1", "0", rho="0", composition="zcdp"),
        row("99/100", "1/1000000", rho=RHO, composition="zcdp"),
        row("1", "1/2000000", rho=RHO, composition="zcdp"),
        SLOTS._replace(rho="0"),
        SLOTS._replace(epsilon="99/100"),
        SLOTS._replace(epsilon="0", delta="9/10"),
        SLOTS._replace(composition="zCDP"),
    ):
        assert not Budget(wrong).is_sound(), wrong


def test_what_remains_is_the_most_that_one_more_charge_may_cost() -> None:
    assert after(row("1", "1/10"), spend("1/3", "1/30")).remaining == (Fraction(2, 3), Fraction(1, 15))
    assert Budget(ZCDP).remaining == (Fraction(1), Fraction(0)), "by the sum; its δ pays for the composition"
    few = after(ZCDP, spend("1/3"))
    assert few.remaining == (Fraction(2, 3), Fraction(0))
    tenth = spend("1/10", rho=Fraction(1, 800))
    many = after(ZCDP, *[tenth] * 12)
    left = Fraction(RHO) - Fraction(12, 800)
    assert many.remaining == (_epsilon_lower(left), Fraction(0)), "the sum is beyond the budget: by its ρ"
    assert many.remaining.epsilon > 0
    assert after(ZCDP, spend("1")).remaining == (Fraction(0), Fraction(0)), "nothing is less than nothing"
    noisy = after(ZCDP, spend("1/10", "1/1000000000", Fraction(1, 1000)))
    assert noisy.remaining == (_epsilon_lower(Fraction(RHO) - Fraction(1, 1000)), Fraction(0))
    unknown = after(ZCDP, spend("1/3")._replace(rho=None))
    assert unknown.remaining == (Fraction(2, 3), Fraction(0)), "by the sum alone"
    assert unknown.concentrated is None
    assert Budget(row("1")).concentrated is None
    assert few.concentrated == (epsilon_upper(pure_rho(Fraction(1, 3)), "1e-6"), Fraction(1, 10**6))


def test_of_a_schedule_the_largest_free_slot_remains() -> None:
    def takes(slot: int, epsilon: str) -> Entry:
        text = write_taken_slots([TakenSlot(slot, need_of_epsilon(Fraction(epsilon)))])
        return spend(epsilon, composition=text)

    budget = after(SLOTS, takes(0, "1/5"))
    assert budget.remaining == (Fraction(1, 2), Fraction(0))
    assert [(slot.epsilon, slot.times, slot.used) for slot in budget.slots] == [
        (Fraction(1, 4), 2, 1),
        (Fraction(1, 2), 1, 0),
    ]
    assert after(SLOTS, takes(1, "1/5")).remaining == (Fraction(1, 4), Fraction(0))
    full = after(SLOTS, takes(0, "1/5"), takes(0, "1/5"), takes(1, "1/5"))
    assert full.remaining == (Fraction(0), Fraction(0))
    for slot in (0, 1, 2, -1):
        with pytest.raises(BudgetExceeded, match="fits no slot"):
            full.require_room(takes(slot, "1/5"))
    with pytest.raises(BudgetExceeded, match="fits no slot"):
        Budget(SLOTS).require_room(takes(0, "1/5")._replace(epsilon="1/4"))  # it needs less than it costs
    assert (Budget(row("1")).slots, Budget(row("1")).schedule) == ((), None)


@pytest.mark.parametrize("budget", [row("1"), ZCDP])
def test_a_charge_that_says_slots_has_none_where_there_is_no_schedule(budget: Entry) -> None:
    text = write_taken_slots([TakenSlot(0, need_of_epsilon(Fraction(1, 5)))])
    with pytest.raises(BudgetExceeded):
        Budget(budget).require_room(spend("1/5", composition=text))


def test_a_schedule_is_charged_twice_the_epsilon_of_what_adds_or_removes() -> None:
    budget, need = Budget(SLOTS), need_of_epsilon(Fraction(1, 8))
    one = budget.take_slots(spend("1/8"), [need])
    assert one.composition == write_taken_slots([TakenSlot(0, need)])
    two = budget.take_slots(spend("1/8", adjacency="add-remove"), [need])
    assert two.composition == write_taken_slots([TakenSlot(0, need_of_epsilon(Fraction(1, 4)))])
    assert budget.require_room(two).amount.epsilon == Fraction(1, 4)
    three = budget.take_slots(spend("1/5", adjacency="add-remove"), [need_of_epsilon(Fraction(1, 5))])
    assert str(three.composition).startswith('[[1,"2/5",')
    with pytest.raises(
        BudgetExceeded, match="epsilon = 3/8 fits no slot that is left for 'd': free are 2 x 1/4, 1 x 1/2"
    ):
        budget.take_slots(spend("3/8", adjacency="add-remove"), [need_of_epsilon(Fraction(3, 8))])


def test_a_charge_fits_up_to_the_last_bit_and_no_further() -> None:
    assert Budget(row("1", "1/10")).require_room(spend("1", "1/10")).amount == (Fraction(1), Fraction(1, 10))
    for more in (spend("1000001/1000000"), spend("1", "1/5")):
        with pytest.raises(BudgetExceeded):
            Budget(row("1", "1/10")).require_room(more)
    by_rho = spend("2", rho=Fraction(RHO))
    assert Budget(ZCDP).require_room(by_rho).rho == Fraction(RHO)
    with pytest.raises(BudgetExceeded):
        Budget(ZCDP).require_room(by_rho._replace(rho=str(Fraction(RHO) * Fraction(1000001, 1000000))))
    with pytest.raises(BudgetExceeded):
        Budget(ZCDP).require_room(by_rho._replace(rho=None))
    assert Budget(ZCDP).require_room(spend("1")._replace(rho=None)).rho is None
    noisy = spend("1/10", "1/1000000000", Fraction(1, 1000))
    assert Budget(ZCDP).require_room(noisy).rho == Fraction(1, 1000)
    with pytest.raises(InvalidInput, match="the delta of dataset 'd' is needed for its composition"):
        Budget(ZCDP).require_room(noisy._replace(rho=None))
    with pytest.raises(InvalidInput, match="needed for its composition"):
        Budget(SLOTS).require_room(noisy)


def test_a_refusal_says_which_part_does_not_fit_and_what_is_left_of_it() -> None:
    def refusal(budget: Budget, charge: Entry) -> BudgetExceeded:
        with pytest.raises(BudgetExceeded) as refused:
            budget.require_room(charge)
        return refused.value

    budget = after(row("1", "1/10"), spend("1/3", "1/30"))
    both = refusal(budget, spend("1", "1/5"))
    assert both.message == "epsilon = 1 does not fit: 2/3 of 1 is left for 'd'"
    assert both.hint == "ask for less, or not at all"
    assert refusal(budget, spend("2/3", "1/5")).message == "delta = 1/5 does not fit: 1/15 of 1/10 is left for 'd'"
    twice = refusal(budget, spend("1/2", adjacency="add-remove"))
    assert twice.message == "epsilon = 1 does not fit: 2/3 of 1 is left for 'd'"
    assert twice.hint == (
        "ask for less, or not at all; "
        "under replace-one an add-remove release costs twice its epsilon, as to replace is to remove and to add"
    )
    concentrated = refusal(after(ZCDP, spend("1/3")), spend("3/4"))
    assert concentrated.message == "epsilon = 3/4 does not fit: at most 0.666666 is left of 1 for 'd'"
    whole, more = (Fraction(part * 10**39 + 1, 30 * 10**39) for part in (20, 22))  # too long to be shown as they are
    budget = after(row(str(whole)), spend(str(whole / 10**9)))
    words = refusal(budget, spend(str(more))).message
    assert words == "epsilon = 0.733334 does not fit: 0.666666 of 0.666666 is left for 'd'", "rounded against who asks"
    with pytest.raises(BudgetExceeded, match=r"epsilon = 0\.733334 fits no slot"):
        Budget(SLOTS).take_slots(spend(str(more)), [need_of_epsilon(more)])


def test_a_refusal_of_what_fits_no_slot_names_the_free_ones_and_who_may_ask() -> None:
    with pytest.raises(BudgetExceeded) as refused:
        Budget(SLOTS).take_slots(spend("3/4"), [need_of_epsilon(Fraction(3, 4))])
    assert refused.value.message == "epsilon = 3/4 fits no slot that is left for 'd': free are 2 x 1/4, 1 x 1/2"
    assert (
        refused.value.hint == "ask for what fits one of them, each column for itself: a schedule accepts nothing else"
    )
    three = SLOTS._replace(composition="exact 1 x 1/2 for 3 categories")
    with pytest.raises(BudgetExceeded, match="free are 1 x 1/2 for releases of at least 3 categories"):
        Budget(three).take_slots(spend("3/4"), [need_of_epsilon(Fraction(3, 4))])


def test_rows_and_people_do_not_share_a_budget() -> None:
    people = row("1", unit="id:person:1")
    with pytest.raises(InvalidInput, match="'d' is budgeted for people, told apart by 'person:1'") as refused:
        Budget(people).require_room(spend("1/4", unit="row"))
    assert refused.value.hint == "release with the id column 'person:1'"
    with pytest.raises(InvalidInput, match="'d' is budgeted for rows") as refused:
        Budget(row("1", unit="row")).require_room(spend("1/4", unit="id:person"))
    assert refused.value.hint == "release without an id column, or open another budget"
    for unit in ("row", "id:person", None):
        assert Budget(row("1")).require_room(spend("1/4", unit=unit)).amount.epsilon == Fraction(1, 4), "as before"
    assert Budget(people).require_room(spend("1/4", unit="id:person:1")).amount.epsilon == Fraction(1, 4)


def test_a_column_is_public_or_protected_for_all_charges_of_a_budget() -> None:
    counted = spend("1/10", columns='{"protected":["vote"],"public":["arm"]}')
    budget = after(row("1"), counted, spend("1/10", columns='{"protected":["age"],"public":[]}'))
    for column in ("vote", "age"):
        with pytest.raises(InvalidInput, match=f"column '{column}' of dataset 'd' is public in one request"):
            budget.require_room(spend("1/10", columns=f'{{"protected":[],"public":["{column}"]}}'))
    with pytest.raises(InvalidInput, match="column 'arm' of dataset 'd'"):
        budget.require_room(spend("1/10", columns='{"protected":["arm"],"public":[]}'))
    assert budget.require_room(counted).amount.epsilon == Fraction(3, 10)


@pytest.mark.parametrize("rho", ["0", "1e-20", "1/1000", "1/200", "0.024356", "1/2", "1", "3", "50", "1000"])
def test_the_epsilon_of_a_rho_is_the_largest_multiple_of_a_thousand_millionth(rho: str) -> None:
    step = Fraction(1, 10**9)
    for each in (Fraction(rho), Fraction(rho) + step, Fraction(rho) * Fraction(999999, 1000000)):
        epsilon = _epsilon_lower(each)
        assert (epsilon / step).denominator == 1
        assert pure_rho(epsilon) <= each < pure_rho(epsilon + step)


def test_what_a_charge_cost_its_budget_stands_beside_it_where_it_differs() -> None:
    charge = spend("1/4", adjacency="add-remove")
    assert cost_words(charge, "replace-one") == ", paid 0.5"
    assert cost_words(charge, "add-remove") == ""
    assert cost_words(spend("1/4"), "replace-answer") == ""
    assert cost_words(charge._replace(kind="budget"), "replace-one") == ""


def test_an_account_is_told_to_programs_exactly_and_what_is_no_fraction_rounded_up() -> None:
    tenth = Fraction(1, 10)
    account = Account(
        dataset="d",
        adjacency="replace-one",
        unit="row",
        units=("row",),
        composition="basic",
        budget=amount(1, "1/3"),
        spent=Amount(tenth, Fraction(0)),
        concentrated=None,
        remaining=Amount(1 - tenth, Fraction(1, 3)),
        charges=1,
        sealed=0,
        unfinished=("r",),
    )
    plain = {
        "dataset": "d",
        "adjacency": "replace-one",
        "unit": "row",
        "units": ["row"],
        "composition": "basic",
        "budget": {"epsilon": "1", "delta": "1/3"},
        "spent": {"epsilon": "1/10", "delta": "0"},
        "concentrated": None,
        "remaining": {"epsilon": "9/10", "delta": "1/3"},
        "charges": 1,
        "sealed": 0,
        "unfinished": ["r"],
        "slots": [],
    }
    assert account.to_json() == plain
    assert account.guarantee == account.spent
    third = Amount(Fraction(1, 3), Fraction(1, 7))
    document = replace(account, concentrated=third, slots=(Slot(tenth, 3, 1),)).to_json()
    assert document["concentrated"]["delta"] == "1/7"
    upper = document["concentrated"]["epsilon"]
    assert math.nextafter(upper, 0) < Fraction(1, 3) <= Fraction(upper)
    assert document["slots"] == [{"epsilon": "1/10", "times": 3, "used": 1}]


def test_the_guarantee_is_the_smaller_of_the_sum_and_of_what_the_rule_of_the_budget_proves() -> None:
    base = Account(
        "d", "replace-one", None, (), "zcdp", amount(2, "1/10"), amount(3), amount(1, "1/10"), amount(0), 0, 0, ()
    )
    assert base.guarantee == amount(1, "1/10")
    assert replace(base, concentrated=amount(4, "1/10")).guarantee == amount(3)
    assert replace(base, concentrated=None).guarantee == amount(3)
    scheduled = replace(base, concentrated=None, slots=(Slot(Fraction(1), 3, 3),))
    assert scheduled.guarantee == amount(2, "1/10")
    assert replace(scheduled, spent=amount(1)).guarantee == amount(1)


def test_a_new_budget_by_zcdp_needs_a_delta_and_others_have_no_rho() -> None:
    with pytest.raises(InvalidInput, match="a zcdp budget needs a delta"):
        budget_rho(amount(1), "zcdp")
    with pytest.raises(InvalidInput, match="there is no composition 'zCDP'") as refused:
        budget_rho(amount(1, "1e-6"), "zCDP")
    assert refused.value.hint == "use basic or zcdp or exact"
    assert [budget_rho(amount(1, "1e-6"), rule) for rule in ("basic", "exact")] == [None, None]
    assert str(budget_rho(amount(1, "1e-6"), "zcdp")) == RHO
