"""Schedules: the price is known at the start, a charge takes a slot that it fits, and nothing else is accepted."""

import shlex
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import discreet as dc
from discreet.errors import BudgetExceeded, InvalidInput, LedgerError
from discreet.ledger import Ledger, schedules
from discreet.ledger.schedules import (
    Need,
    Schedule,
    Slot,
    TakenSlot,
    fits_slot,
    need_of_epsilon,
    read_taken_slots,
    write_taken_slots,
)
from discreet.privacy_loss import Price, compose
from tests.cli.command import discreet
from tests.contracts.source import ROOT

pytestmark = pytest.mark.usefixtures("quick")

YEAR = "12 x 0.25, 1 x 1"
LESS = Fraction(1, 5)


def opened(place: str | Path, schedule: str = YEAR, **told: Any) -> Ledger:
    return Ledger.create(place, dataset="d", composition="exact", schedule=schedule, **{"delta": "1e-6"} | told)


def price(k: int, epsilon: str, columns: int = 1) -> Price:
    geometric = dc.Geometric(dc.PosteriorSpace(prior=[1] * k, n=100), epsilon=epsilon)
    return Price(((geometric,),) * columns)


def used(ledger: Ledger) -> list[int]:
    return [slot.used for slot in ledger.account("d").slots]


@pytest.mark.parametrize("k", [2, 3, 7])
def test_the_price_is_the_exact_composition_of_all_slots(k: int, ledger_place: str) -> None:
    ledger = opened(ledger_place, categories_at_least=k)
    space = dc.PosteriorSpace(prior=[1] * k, n=100)
    truth = compose([dc.Geometric(space, epsilon="0.25")] * 12 + [dc.Geometric(space, epsilon=1)]).epsilon("1e-6")
    asked = ledger.account("d").budget
    assert asked.delta == Fraction(1, 10**6)
    assert truth <= float(asked.epsilon) <= truth + 1e-5, "rounded up to six digits"
    assert ledger.verify().rows == 1


def test_a_charge_takes_the_smallest_slot_that_it_fits_until_none_is_left(ledger_place: str) -> None:
    ledger = opened(ledger_place)
    for i in range(12):
        ledger.charge("d", "1/5", request_id=str(i), digest="x")
    assert used(ledger) == [12, 0]
    assert ledger.remaining("d").epsilon == 1
    ledger.charge("d", "1/5", request_id="large", digest="x")
    assert used(ledger) == [12, 1]
    with pytest.raises(BudgetExceeded, match=r"fits no slot that is left for 'd': free are none"):
        ledger.charge("d", "1e-9", request_id="more", digest="x")
    assert ledger.charge("d", "1/5", request_id="3", digest="x").is_new is False, "repeated for free"
    assert ledger.verify().rows == 14
    assert ledger.account("d").guarantee.epsilon <= ledger.account("d").budget.epsilon


def test_what_fits_no_slot_is_refused_and_the_free_ones_are_named(ledger_place: str) -> None:
    ledger = opened(ledger_place)
    ledger.charge("d", 1, request_id="a", digest="x")
    for call in (ledger.charge, ledger.afford):
        options: dict[str, Any] = {"request_id": "b", "digest": "x"} if call == ledger.charge else {}
        with pytest.raises(BudgetExceeded, match=r"epsilon = 13/50 fits no slot .* free are 12 x 1/4"):
            call("d", "0.26", **options)
    assert used(ledger) == [0, 1]


def test_slots_for_three_categories_take_no_release_that_tells_more(ledger_place: str) -> None:
    ledger = opened(ledger_place, "2 x 1/4", categories_at_least=3)
    with pytest.raises(BudgetExceeded, match="for releases of at least 3 categories"):
        ledger.charge("d", price(2, "1/4"), request_id="two", digest="x")
    ledger.charge("d", price(3, "1/4"), request_id="three", digest="x")
    ledger.charge("d", price(2, "1/6"), request_id="less", digest="x")  # of two categories, but with a smaller ε
    assert used(ledger) == [2]


def test_several_columns_take_a_slot_each_or_none(ledger_place: str) -> None:
    ledger = opened(ledger_place, "3 x 1/4, 1 x 1")
    ledger.charge("d", price(3, "1/4", columns=2), request_id="two", digest="x")
    assert used(ledger) == [2, 0]
    with pytest.raises(BudgetExceeded, match="free are 1 x 1/4, 1 x 1"):
        ledger.charge("d", price(3, "1/4", columns=3), request_id="three", digest="x")
    ledger.charge("d", price(3, "1/4", columns=2), request_id="rest", digest="x")
    assert used(ledger) == [3, 1]
    assert ledger.verify().rows == 3


def test_a_charge_with_a_delta_and_one_under_another_adjacency(ledger_place: str) -> None:
    ledger = opened(ledger_place)
    with pytest.raises(InvalidInput, match="needed for its composition"):
        ledger.charge("d", "1/5", "1e-9", request_id="r", digest="x")
    ledger.charge("d", "1/8", request_id="s", digest="x", adjacency="add-remove")  # two steps: twice its ε
    assert used(ledger) == [1, 0]
    ledger.charge("d", "1/4", request_id="t", digest="x", adjacency="add-remove")
    assert used(ledger) == [1, 1]


@pytest.mark.parametrize(
    ("taken", "epsilon"),
    [
        ([TakenSlot(0, need_of_epsilon(Fraction(1)))], 1),  # above its slot
        ([TakenSlot(0, Need(Fraction(1, 4), Fraction(1, 2)))], "1/4"),  # tells more than its slot
        ([TakenSlot(7, need_of_epsilon(Fraction(1, 4)))], "1/4"),  # no such slot
        ([TakenSlot(-1, need_of_epsilon(Fraction(1, 4)))], "1/4"),
        ([TakenSlot(0, need_of_epsilon(LESS))], 1),  # less than is charged
        ([TakenSlot(1, need_of_epsilon(Fraction(1)))] * 2, 2),  # one slot twice
    ],
)
def test_whoever_reads_a_ledger_finds_a_charge_above_its_slot_and_a_slot_taken_twice(
    ledger_place: str, monkeypatch: pytest.MonkeyPatch, taken: list[TakenSlot], epsilon: Any
) -> None:
    """The planted faults: the writer takes slots as it likes, and checks nothing."""
    ledger = opened(ledger_place)
    ledger.charge("d", "1/4", request_id="right", digest="x")
    with monkeypatch.context() as planted:
        planted.setattr(Schedule, "take", lambda *_: taken)
        planted.setattr(Schedule, "are_free", lambda *_: True)
        planted.setattr(schedules, "fits_slot", lambda *_: True)
        if sum(each.need.epsilon for each in taken) != Fraction(epsilon):
            planted.setattr("discreet.ledger.budgets.read_taken_slots", _claims(Fraction(epsilon)))
        ledger.charge("d", epsilon, request_id="wrong", digest="x")
    with pytest.raises(LedgerError, match="row 3"):
        ledger.verify()


def _claims(epsilon: Fraction) -> Any:
    """Reads rows that need less as if they needed what is charged."""
    claimed = {LESS: epsilon}
    return lambda text: [
        TakenSlot(each.slot, need_of_epsilon(claimed.get(each.need.epsilon, each.need.epsilon)))
        for each in read_taken_slots(text)
    ]


def test_a_price_below_the_composition_of_its_slots_is_found(
    ledger_place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as planted:
        planted.setattr(Schedule, "price", lambda *_: Fraction(1))
        planted.setattr(Schedule, "keeps", lambda *_: True)
        opened(ledger_place)
    with pytest.raises(LedgerError, match="row 1"):
        Ledger(ledger_place).verify()


@pytest.mark.parametrize(
    "text", ["", "12", "x 1", "0 x 1", "12 x", "12 x 0", "12 x -1", "1 x 1;", "999999 x 1", "1 x nan"]
)
def test_a_schedule_that_cannot_be_read_is_refused(text: str, tmp_path: Path) -> None:
    with pytest.raises(InvalidInput):
        opened(tmp_path / "l.db", text)
    assert not (tmp_path / "l.db").exists()


def test_a_schedule_goes_with_exact_composition_and_may_have_a_limit(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="go together"):
        Ledger.create(tmp_path / "l.db", dataset="d", epsilon=1, schedule=YEAR)
    with pytest.raises(InvalidInput, match="go together"):
        Ledger.create(tmp_path / "l.db", dataset="d", epsilon=1, composition="exact")
    with pytest.raises(InvalidInput, match="no epsilon"):
        Ledger.create(tmp_path / "l.db", dataset="d")
    with pytest.raises(BudgetExceeded, match="the schedule costs epsilon"):
        opened(tmp_path / "l.db", epsilon=3)
    opened(tmp_path / "l.db", epsilon=4)
    assert opened(tmp_path / "m.db", "3 x 1/3", delta=0).account("d").budget == (Fraction(1), Fraction(0))


def test_a_schedule_has_at_most_100000_slots_of_100_kinds_for_2_to_100000_categories() -> None:
    hundred = [f"1 x 1/{i}" for i in range(1, 101)]
    assert len(Schedule.read(",".join(hundred), 2).slots) == 100
    assert Schedule.read("99999 x 1, 1 x 2", 100_000) == (((99_999, Fraction(1)), (1, Fraction(2))), 100_000)
    assert Schedule.read("2 x 0.25, 1 × 1,3x1/4", 2).slots == ((5, Fraction(1, 4)), (1, Fraction(1)))
    for text in (",".join([*hundred, "1 x 2"]), "100000 x 1, 1 x 2", "100001 x 1"):
        with pytest.raises(InvalidInput, match="the schedule is too long") as refused:
            Schedule.read(text, 2)
        assert refused.value.hint == "plan at most 100,000 releases of 100 kinds"
    with pytest.raises(InvalidInput, match="cannot be read") as refused:
        Schedule.read("12", 2)
    assert refused.value.hint == 'write it like "12 x 0.25, 1 x 1"'
    for categories in (1, 0, -1, 100_001):
        with pytest.raises(InvalidInput, match="a release has at least 2 categories"):
            Schedule.read("1 x 1", categories)


def test_a_stored_schedule_is_read_only_as_it_is_written() -> None:
    written = "exact 2 x 1/4, 1 x 1 for 3 categories"
    assert str(Schedule.read_stored(written)) == written
    for text in (
        None,
        "exact",
        "exact 1 x 1, 2 x 1/4 for 3 categories",
        "exact 2 x 0.25, 1 x 1 for 3 categories",
        "exact 2 x 1/4, 1 x 1 for 03 categories",
        "exact 2 x 1/4, 1 x 1 for 1 categories",
        f"{written} ",
    ):
        with pytest.raises(ValueError, match=r"not a schedule|not as it is written|at least 2"):
            Schedule.read_stored(text)


@pytest.mark.every
@pytest.mark.parametrize(
    ("text", "total"),
    [("1 x 1/3", "1/3"), ("2 x 4", "8"), ("3 x 1/7, 2 x 1/3", "23/21"), ("365 x 1/50", "73/10")],
)
def test_without_a_delta_a_schedule_costs_the_sum_of_its_slots(text: str, total: str) -> None:
    schedule = Schedule.read(text, 2)
    assert schedule.price(Fraction(0)) == Fraction(total), "exactly: six digits rounded up would be more"
    assert schedule.keeps(Fraction(total), Fraction(0))
    assert not schedule.keeps(Fraction(total) - Fraction(1, 10**6), Fraction(0))


def test_a_price_is_kept_and_six_digits_less_are_not() -> None:
    schedule, delta = Schedule.read("8 x 1/2, 2 x 1", 3), Fraction(1, 100)
    price = schedule.price(delta)
    assert price < 6
    assert schedule.keeps(price, delta)
    assert not schedule.keeps(price - Fraction(1, 10**5), delta)


def test_a_slot_allows_the_loss_and_the_variation_of_its_release() -> None:
    schedule = Schedule.read("1 x 1/4, 1 x 1", 3)
    assert schedule.needs() == [Need(*price(3, epsilon).needs[0]) for epsilon in ("1/4", "1")]
    assert need_of_epsilon(Fraction(1, 4)) == Need(*price(2, "1/4").needs[0])
    quarter, whole = schedule.needs()
    assert fits_slot(quarter, whole)
    assert not fits_slot(whole, quarter)
    assert not fits_slot(Need(quarter.epsilon, whole.variation), quarter)
    assert not fits_slot(Need(whole.epsilon, quarter.variation), quarter)


def test_slots_are_free_until_as_many_are_taken_as_there_are() -> None:
    schedule, need = Schedule.read("2 x 1/4, 1 x 1", 2), need_of_epsilon(Fraction(1, 5))
    first, second = TakenSlot(0, need), TakenSlot(1, need)
    assert schedule.are_free([first, first, second], {})
    assert schedule.are_free([first], {0: 1, 1: 1})
    for taken, used_before in (
        ([first], {0: 2}),
        ([first, first], {0: 1}),
        ([first] * 3, {}),
        ([second], {1: 1}),
        ([TakenSlot(2, need)], {}),
        ([TakenSlot(-1, need)], {}),
        ([first, TakenSlot(2, need)], {}),
        ([first, TakenSlot(0, need_of_epsilon(Fraction(1, 2)))], {}),
    ):
        assert not schedule.are_free(taken, used_before)
    assert schedule.take([need], {}) == [first]
    assert schedule.take([need], {0: 2}) == [second]
    assert schedule.take([need] * 3, {}) == [first, first, second]
    assert schedule.take([need], {0: 2, 1: 1}) is None
    assert schedule.take([need] * 4, {}) is None
    assert schedule.uses({0: 1}) == ((Fraction(1, 4), 2, 1), (Fraction(1), 1, 0))
    assert [slot.free for slot in schedule.uses({0: 1})] == [1, 1]


def test_squares_show_forty_at_most_and_any_use_at_all() -> None:
    assert Slot(LESS, times=40, used=39).squares() == "■" * 39 + "□"
    assert Slot(LESS, times=100_000, used=1).squares() == "■" + "□" * 39
    assert Slot(LESS, times=80, used=80).squares() == "■" * 40
    assert Slot(LESS, times=41, used=0).squares() == "□" * 40


def test_what_no_number_of_losses_makes_one_of_is_no_question_of_slots(tmp_path: Path) -> None:
    ledger = opened(tmp_path / "l.db", "1 x 1/2")
    with pytest.raises(InvalidInput, match="is budgeted under replace-one, and this release is under replace-answer"):
        ledger.charge("d", "1/2", request_id="r", digest="x", adjacency="replace-answer")


@pytest.mark.parametrize(
    "text",
    [
        '[[0,"0","1/8"]]',
        '[[0,"-1/4","1/8"]]',
        '[[0,"1/4","-1/8"]]',
        '[[0,"1/4","1/8",0]]',
        '[[0,"1/4"]]',
        '[["0","1/4","1/8"]]',
        '[[0.0,"1/4","1/8"]]',
        "7",
    ],
)
def test_a_need_that_is_none_is_not_read(text: str) -> None:
    with pytest.raises((ValueError, TypeError)):
        read_taken_slots(text)


def test_a_release_that_tells_nothing_may_take_a_slot() -> None:
    taken = [TakenSlot(12, Need(Fraction(1, 4), Fraction(0))), TakenSlot(0, Need(Fraction(1, 3), Fraction(1, 9)))]
    assert write_taken_slots(taken) == '[[12,"1/4","0"],[0,"1/3","1/9"]]'
    assert read_taken_slots(write_taken_slots(taken)) == taken


def test_the_rows_say_what_was_taken_in_one_way_only() -> None:
    taken = [TakenSlot(0, Need(Fraction(1, 4), Fraction(1, 8)))]
    assert read_taken_slots(write_taken_slots(taken)) == taken
    for text in ("[]", None, "{}", '[[0, "1/4", "1/8"]]', '[[0,"2/8","1/8"]]', '[[true,"1/4","1/8"]]'):
        with pytest.raises((ValueError, TypeError)):
            read_taken_slots(text)
    assert fits_slot(Need(Fraction(1, 4), Fraction(1, 8)), Need(Fraction(1, 4), Fraction(1, 8)))


def test_the_command_opens_a_schedule_prints_its_price_and_draws_its_slots(tmp_path: Path) -> None:
    create = ["ledger", "create", "l.db", "--dataset", "d", "--composition", "exact", "--schedule", YEAR]
    answer = discreet(*create, "--delta", "1e-6", "--categories-at-least", "3", cwd=tmp_path)
    assert answer.code == 0
    assert "d may spend ε = 3.74894, δ = 1e-06 in all" in answer.out
    Ledger(tmp_path / "l.db").charge("d", price(3, "1/4"), request_id="r", digest="x")
    text = discreet("ledger", "show", "l.db", cwd=tmp_path)
    assert "d: 1 of 12 slots of ε = 0.25 taken  ■□□□□□□□□□□□" in text.out
    assert "d: 0 of 1 slots of ε = 1 taken  □" in text.out
    account = discreet("ledger", "show", "l.db", "--json", cwd=tmp_path).document["datasets"][0]
    assert account["slots"][0] == {"epsilon": "1/4", "times": 12, "used": 1}
    assert discreet(*create, "--epsilon", "1", "--delta", "1e-6", cwd=tmp_path).code == 3
    bad = discreet("ledger", "create", "m.db", "--dataset", "d", "--composition", "exact", cwd=tmp_path)
    assert (bad.code, "go together" in bad.err) == (2, True)


def test_the_page_prints_what_the_command_prints(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "composition.md").read_text(encoding="utf-8")
    commands = page.split("```\n$ ", 1)[1].split("```", 1)[0].replace("\\\n", "")
    command, *lines = commands.strip().splitlines()
    answer = discreet(*shlex.split(command)[1:], cwd=tmp_path)
    assert answer.out.splitlines()[:-1] == lines, "all but the head, which has the time in it"
