"""The book: what it answers about a charge, a seal and a budget, and what it refuses before it writes."""

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import discreet as dc
from discreet.errors import BudgetExceeded, InvalidInput, LedgerError
from discreet.ledger import Ledger, Scope, book
from discreet.ledger.accounts import RESTORE
from discreet.ledger.book import Charge, repetition
from discreet.ledger.schedules import Schedule, TakenSlot, need_of_epsilon, write_taken_slots
from discreet.privacy_loss import Price
from discreet.privacy_loss.renyi_bounds import pure_rho

pytestmark = pytest.mark.usefixtures("quick")

THIRD = Fraction(1, 3)


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    """A file with a budget of 1 for the dataset `d`."""
    return Ledger.create(tmp_path / "l.db", dataset="d", epsilon=1, delta="1e-6")


def geometric(epsilon: str, k: int = 2, n: int | None = 100) -> Price:
    return Price(((dc.Geometric(dc.PosteriorSpace(prior=[1] * k, n=n), epsilon=epsilon),),))


def test_a_budget_is_written_as_it_was_asked_for(ledger: Ledger, tmp_path: Path) -> None:
    Ledger.create(
        tmp_path / "l.db", dataset="e", epsilon="1/2", adjacency="add-remove", composition="basic", id_column="person"
    )
    Ledger.create(tmp_path / "l.db", dataset="z", epsilon=1, delta="1e-6", composition="zcdp")
    plain, people, concentrated = ledger.history()
    assert (plain.seq, plain.kind, plain.dataset) == (1, "budget", "d")
    assert (plain.epsilon, plain.delta, plain.rho) == ("1", "1/1000000", None)
    assert (plain.adjacency, plain.composition, plain.unit) == ("replace-one", "basic", "row")
    assert (people.seq, people.dataset, people.epsilon, people.delta) == (2, "e", "1/2", "0")
    assert (people.adjacency, people.unit) == ("add-remove", "id:person")
    assert concentrated.composition == "zcdp"
    assert concentrated.rho is not None
    assert plain.time <= people.time <= concentrated.time
    assert plain.time.endswith("+00:00")


def test_a_charge_says_all_that_was_asked_and_is_found_so_again(ledger: Ledger) -> None:
    charge = ledger.charge("d", THIRD, "1e-7", request_id="r", digest="question")
    row = ledger.history()[1]
    assert charge == Charge(
        dataset="d",
        epsilon=THIRD,
        delta=Fraction(1, 10**7),
        adjacency="replace-one",
        request_id="r",
        digest="question",
        time=row.time,
        hash=row.hash,
        outcome=None,
        is_new=True,
    )
    assert row.time >= ledger.history()[0].time
    assert (row.rho, row.spent_rho, row.spent_epsilon, row.spent_delta) == (None, None, "1/3", "1/10000000")
    ledger.charge("d", "1/4", request_id="s", digest="another")
    ledger.seal("s", '{"output": 1}\n  ')
    first, second = ledger.charges("d")
    assert (first.request_id, first.outcome, first.is_new, first.hash) == ("r", None, False, charge.hash)
    assert (second.request_id, second.dataset, second.digest) == ("s", "d", "another")
    assert second.outcome == '{"output": 1}\n', "only blanks at its end are no part of it"
    assert ledger.find("s") == second
    assert ledger.charge("d", "1/4", request_id="s", digest="another") == second


def test_charges_come_with_what_was_sealed_for_them(ledger_place: str) -> None:
    ledger = Ledger.create(ledger_place, dataset="d", epsilon=1)
    for name in ("first", "second", "third"):
        ledger.charge("d", "1/10", request_id=name, digest=name)
    ledger.seal("first", '"one"')
    ledger.seal("second", '"two"')
    outcomes = [(charge.request_id, charge.outcome, charge.is_new) for charge in ledger.charges("d")]
    assert outcomes == [("first", '"one"', False), ("second", '"two"', False), ("third", None, False)]


def test_a_request_is_known_though_others_came_after_it(ledger_place: str) -> None:
    """On a server only some rows are read for a charge, and the newest is always among them."""
    ledger = Ledger.create(ledger_place, dataset="d", epsilon=1)
    Ledger.create(ledger_place, dataset="e", epsilon=1)
    for name in ("first", "second"):
        ledger.charge("d", "1/10", request_id=name, digest=name)
    ledger.charge("e", "1/10", request_id="third", digest="third")
    ledger.seal("first", '"one"')
    ledger.charge("e", "1/10", request_id="fourth", digest="fourth")
    again = ledger.charge("d", "1/10", request_id="first", digest="first")
    assert (again.is_new, again.outcome) == (False, '"one"')
    assert ledger.find("first") == again
    with pytest.raises(InvalidInput, match="'first' was made with other parameters"):
        ledger.charge("e", "1/10", request_id="first", digest="first")
    with pytest.raises(LedgerError, match="request 'first' is sealed"):
        ledger.seal("first", '"two"')
    ledger.seal("second", '"three"')
    assert (ledger.spent("d").epsilon, ledger.remaining("e").epsilon) == (Fraction(1, 5), Fraction(4, 5))
    ledger.afford("d", "4/5")
    with pytest.raises(BudgetExceeded):
        ledger.afford("d", "81/100")
    assert ledger.verify().rows == 8


def test_charges_are_those_of_one_dataset(ledger: Ledger, tmp_path: Path) -> None:
    Ledger.create(tmp_path / "l.db", dataset="e", epsilon=1)
    ledger.charge("e", "1/4", request_id="r", digest="x")
    assert ledger.charges("d") == []
    assert [charge.request_id for charge in ledger.charges("e")] == ["r"]
    with pytest.raises(InvalidInput, match="has no dataset 'f'"):
        ledger.charges("f")
    assert [entry.seq for entry in ledger.history("e")] == [2, 3]
    assert [entry.seq for entry in ledger.history()] == [1, 2, 3]


def test_a_question_is_paid_for_again_only_if_that_is_asked(ledger: Ledger, tmp_path: Path) -> None:
    Ledger.create(tmp_path / "l.db", dataset="e", epsilon=1)
    ledger.charge("d", "1/10", request_id="my request", digest="x")
    words = "'d' was charged for this question before; repeat it for free with `request_id` 'my request', or pay"
    with pytest.raises(InvalidInput, match=words):
        ledger.charge("d", "1/10", request_id="s", digest="x", again=False)
    assert not ledger.charge("d", "1/10", request_id="my request", digest="x", again=False).is_new
    assert ledger.charge("d", "1/10", request_id="t", digest="y", again=False).is_new, "another question"
    assert ledger.charge("e", "1/10", request_id="u", digest="x", again=False).is_new, "of other data"
    assert ledger.charge("d", "1/10", request_id="s", digest="x", again=True).is_new
    assert ledger.charge("d", "1/10", request_id="v", digest="x").is_new
    assert ledger.spent("d").epsilon == Fraction(4, 10)


def test_the_refusal_of_a_repetition_says_how_to_go_on(ledger: Ledger) -> None:
    charge = ledger.charge("d", "1/10", request_id="r", digest="x")
    finished, unfinished = repetition(charge), repetition(charge, finished=False)
    assert finished.message == "'d' was charged for this question before"
    assert finished.hint == "repeat it for free with `request_id` r, or pay for a new draw with `again`"
    assert unfinished.message == "'d' was charged for this question before, and not finished"
    assert unfinished.hint == "finish it for free with `request_id` r, or pay for a new draw with `again`"


@pytest.mark.parametrize("field", ["epsilon", "delta", "digest", "adjacency", "dataset"])
def test_a_request_that_says_another_thing_is_refused_with_its_reason(
    field: str, ledger: Ledger, tmp_path: Path
) -> None:
    Ledger.create(tmp_path / "l.db", dataset="e", epsilon=1, delta="1e-6")
    asked: dict[str, Any] = {"dataset": "d", "epsilon": "1/10", "delta": 0, "digest": "x", "adjacency": "replace-one"}
    ledger.charge("d", "1/10", request_id="r", digest="x")
    other = {"dataset": "e", "epsilon": "1/11", "delta": "1e-9", "digest": "y", "adjacency": "replace-answer"}
    asked[field] = other[field]
    with pytest.raises(InvalidInput, match="request 'r' was made with other parameters") as refused:
        ledger.charge(asked.pop("dataset"), asked.pop("epsilon"), asked.pop("delta"), request_id="r", **asked)
    assert refused.value.hint == "ask as you did before, or use another id, which costs anew"
    assert ledger.verify().rows == 3


def test_a_request_may_be_repeated_with_another_rho_in_its_last_digits_only(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = pure_rho(Fraction(1, 10))
    ledger.charge("d", "1/10", request_id="r", digest="x")
    for rho, is_same in (
        (whole / 2, True),
        (whole * (1 + Fraction(1, 1 << 20)), True),
        (whole * (1 + Fraction(1, 1 << 19)), False),
        (whole * 2, False),
    ):
        monkeypatch.setattr(book, "pure_rho", lambda _, rho=rho: rho)
        if is_same:
            assert not ledger.charge("d", "1/10", request_id="r", digest="x").is_new
        else:
            with pytest.raises(InvalidInput, match="other parameters"):
                ledger.charge("d", "1/10", request_id="r", digest="x")


def test_a_request_of_before_rho_was_kept_is_repeated_for_free(ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as before:
        before.setattr(book, "pure_rho", lambda _: None)
        ledger.charge("d", "1/10", request_id="r", digest="x")
    assert ledger.history()[1].rho is None
    assert not ledger.charge("d", "1/10", request_id="r", digest="x").is_new
    ledger.charge("d", "1/10", request_id="s", digest="x")
    with monkeypatch.context() as before:
        before.setattr(book, "pure_rho", lambda _: None)
        assert not ledger.charge("d", "1/10", request_id="s", digest="x").is_new
    assert ledger.verify().rows == 3


def test_a_price_is_kept_with_its_smallest_rho_its_delta_and_its_adjacency(ledger: Ledger, tmp_path: Path) -> None:
    ledger.charge("d", geometric("1/10", 3), request_id="three", digest="x")
    ledger.charge("d", geometric("1/10", n=None), request_id="private", digest="x", adjacency="replace-one")
    gaussian = Price(((dc.Gaussian(dc.PosteriorSpace(prior=[1, 1], n=100), epsilon="1/10", delta="1e-7"),),))
    ledger.charge("d", gaussian, "1e-9", request_id="gaussian", digest="x")
    _, three, private, gauss = ledger.history()
    assert three.rho == str(geometric("1/10", 3).rho)
    assert Fraction(str(three.rho)) < pure_rho(Fraction(1, 10))
    assert (private.adjacency, private.spent_epsilon) == ("add-remove", "3/10"), "twice its ε"
    assert (gauss.epsilon, gauss.delta, gauss.rho) == ("1/10", "1/10000000", str(gaussian.rho))


def test_a_pure_price_costs_no_more_rho_than_its_epsilon_alone(ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Price, "rho", Fraction(1))
    ledger.charge("d", geometric("1/10"), request_id="r", digest="x")
    assert ledger.history()[1].rho == str(pure_rho(Fraction(1, 10)))


def test_a_gaussian_price_keeps_its_rho_though_it_is_above_half_the_square_of_epsilon(tmp_path: Path) -> None:
    ledger = Ledger.create(tmp_path / "l.db", dataset="d", epsilon=1, delta="9/10")
    gaussian = dc.Gaussian(dc.PosteriorSpace(prior=[1, 1], n=100), epsilon="1/100", delta="1/5")
    ledger.charge("d", Price(((gaussian,),)), request_id="r", digest="x")
    rho = ledger.history()[1].loss.rho
    assert rho is not None
    assert rho > Fraction(1, 20000)
    assert ledger.verify().rows == 2


def test_a_charge_keeps_whom_and_which_columns_it_protects(ledger: Ledger) -> None:
    scope = Scope(protected=frozenset({"vote", "age"}), public=frozenset({"arm"}))
    ledger.afford("d", "1/10", scope=scope)
    ledger.charge("d", "1/10", request_id="r", digest="x", scope=scope)
    row = ledger.history()[1]
    assert (row.unit, row.columns) == ("row", '{"protected":["age","vote"],"public":["arm"]}')
    for other in (Scope(public=frozenset({"vote"})), Scope(protected=frozenset({"arm"}))):
        with pytest.raises(InvalidInput, match="is public in one request and protected in another"):
            ledger.charge("d", "1/10", request_id="s", digest="x", scope=other)
        with pytest.raises(InvalidInput, match="is public in one request and protected in another"):
            ledger.afford("d", "1/10", scope=other)
    with pytest.raises(InvalidInput, match="budgeted for rows"):
        ledger.afford("d", "1/10", scope=Scope("person"))


def test_afford_asks_for_the_same_as_charge_and_writes_nothing(ledger: Ledger) -> None:
    before = ledger.head()
    ledger.afford("d", 1, "1e-6")
    for wrong in (("d", "1.1"), ("d", 1, "1e-5")):
        with pytest.raises(BudgetExceeded):
            ledger.afford(*wrong)
    with pytest.raises(BudgetExceeded):
        ledger.afford("d", "0.6", adjacency="add-remove")
    ledger.afford("d", "0.5", adjacency="add-remove")
    assert ledger.head() == before


def test_a_charge_to_a_schedule_takes_what_its_mechanism_needs_and_no_more(tmp_path: Path) -> None:
    ledger = Ledger.create(
        tmp_path / "l.db",
        dataset="d",
        delta="1e-6",
        composition="exact",
        schedule="1 x 1/4, 1 x 1/2",
        categories_at_least=3,
    )
    ledger.afford("d", geometric("1/2", 3))
    ledger.charge("d", geometric("1/4", 3), request_id="r", digest="x")
    assert [slot.used for slot in ledger.account("d").slots] == [1, 0]
    with pytest.raises(BudgetExceeded):
        ledger.afford("d", "1/2")  # by its ε alone it may tell more than a release of three categories
    ledger.charge("d", "1/4", request_id="s", digest="x")
    row = ledger.history()[2]
    assert row.composition == write_taken_slots([TakenSlot(1, need_of_epsilon(Fraction(1, 4)))])


def test_a_schedule_costs_its_price_and_may_cost_just_that(tmp_path: Path) -> None:
    price = Schedule.read("4 x 1/4", 2).price(Fraction(1, 10**6))
    options: dict[str, Any] = {"delta": "1e-6", "composition": "exact", "schedule": "4 x 1/4"}
    with pytest.raises(BudgetExceeded, match="the schedule costs epsilon"):
        Ledger.create(tmp_path / "l.db", dataset="d", epsilon=price - Fraction(1, 10**6), **options)
    assert not (tmp_path / "l.db").exists()
    ledger = Ledger.create(tmp_path / "l.db", dataset="d", epsilon=price, **options)
    assert ledger.account("d").budget == (price, Fraction(1, 10**6))
    assert ledger.history()[0].composition == "exact 4 x 1/4 for 2 categories"


@pytest.mark.parametrize(
    ("call", "what"),
    [
        (lambda ledger: ledger.charge("", 1, request_id="r", digest="x"), "the dataset"),
        (lambda ledger: ledger.charge("d", 1, request_id="", digest="x"), "the request"),
        (lambda ledger: ledger.charge("d", 1, request_id="r", digest=""), "the digest"),
        (lambda ledger: ledger.charge("d", 1, request_id="r", digest="x", scope=Scope("")), "the id column"),
        (lambda ledger: ledger.afford("", 1), "the dataset"),
        (lambda ledger: ledger.charges(""), "the dataset"),
        (lambda ledger: ledger.spent(""), "the dataset"),
        (lambda ledger: ledger.seal("", "{}"), "the request"),
        (lambda ledger: ledger.find(""), "the request"),
        (lambda _: Ledger.create("never.db", dataset="", epsilon=1), "the dataset"),
    ],
)
def test_the_refusal_of_a_name_says_whose_it_is(call: Any, what: str, ledger: Ledger) -> None:
    with pytest.raises(InvalidInput, match=f"^{what} has no proper name"):
        call(ledger)


@pytest.mark.parametrize(
    "outcome", ["null", "", "{", " ", pytest.param("[" * 100_000, id="deep"), 7, None, b"{}", '"\ud800"']
)
def test_what_says_nothing_is_not_sealed(outcome: Any, ledger: Ledger) -> None:
    ledger.charge("d", "1/10", request_id="r", digest="x")
    with pytest.raises(InvalidInput, match="an outcome must be a JSON text"):
        ledger.seal("r", outcome)
    assert ledger.find("r") is not None
    assert ledger.verify().rows == 2


@pytest.mark.parametrize("outcome", ["{}", "0", "false", '""', "[]"])
def test_whatever_says_something_is_sealed(outcome: str, ledger: Ledger) -> None:
    ledger.charge("d", "1/10", request_id="r", digest="x")
    ledger.seal("r", outcome)
    row = ledger.history()[2]
    assert (row.kind, row.dataset, row.request_id, row.digest, row.outcome) == ("seal", "d", "r", "x", outcome)
    assert (row.epsilon, row.unit) == (None, None)
    assert ledger.find("r") == ledger.charges("d")[0]


def test_a_head_is_known_in_any_case_and_with_blanks_around_it(ledger: Ledger) -> None:
    head = ledger.head()
    ledger.charge("d", "1/10", request_id="r", digest="x")
    verified = ledger.verify(f" {head.upper()}\n")
    assert (verified.rows, verified.head) == (2, ledger.head())
    with pytest.raises(LedgerError, match="has no row with that head") as refused:
        ledger.verify("0" * 64)
    assert refused.value.hint == RESTORE


def test_an_export_is_a_text_for_people_too(ledger: Ledger) -> None:
    text = ledger.export()
    assert text.startswith('[\n  {\n    "seq": 1,\n    "kind": "budget",')
    assert text.endswith("\n  }\n]\n")
    assert json.loads(text) == [entry._asdict() for entry in ledger.history()]
    assert ledger.export("json") == text
    assert ledger.export("csv").startswith("seq,kind,dataset,")
