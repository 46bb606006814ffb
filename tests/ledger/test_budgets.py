"""Budgets: exact, charged once a request, never overspent, and told to other programs as they are."""

import csv
import io
import json
import tempfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.errors import BudgetExceeded, InvalidInput, LedgerError
from discreet.ledger import Amount, Ledger

pytestmark = pytest.mark.usefixtures("quick")


@pytest.fixture
def ledger(ledger_place: str) -> Ledger:
    """A ledger with a budget of 1 for the dataset `anes`."""
    return Ledger.create(ledger_place, dataset="anes", epsilon=1)


def amount(epsilon: int, delta: str = "0") -> Amount:
    return Amount(Fraction(epsilon), Fraction(delta))


def test_a_tenth_ten_times_spends_one_exactly_and_an_eleventh_is_refused(ledger: Ledger) -> None:
    for i in range(10):
        ledger.charge("anes", 0.1, request_id=f"r{i}", digest="d")
    assert ledger.spent("anes").epsilon == 1
    assert ledger.remaining("anes").epsilon == 0
    for epsilon in (0.1, "1e-300", Fraction(1, 10**299)):
        with pytest.raises(BudgetExceeded):
            ledger.charge("anes", epsilon, request_id="r10", digest="d")
    assert ledger.spent("anes").epsilon == 1
    assert ledger.verify().rows == 11


def test_a_sum_in_floats_would_let_an_eleventh_through(ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    def plus(one: Amount, other: Amount) -> Amount:
        return Amount(*(Fraction(float(a) + float(b)) for a, b in zip(one, other, strict=True)))

    monkeypatch.setattr(Amount, "plus", plus)
    for i in range(10):
        ledger.charge("anes", 0.1, request_id=f"r{i}", digest="d")
    assert ledger.charge("anes", "1e-17", request_id="r10", digest="d").is_new


@given(
    budget=st.fractions(min_value=Fraction(1, 97), max_value=3, max_denominator=97),
    delta=st.sampled_from([Fraction(0), Fraction(1, 10**8), Fraction(1, 3)]),
    asked=st.lists(
        st.tuples(
            st.fractions(min_value=Fraction(1, 89), max_value=2, max_denominator=89),
            st.sampled_from([Fraction(0), Fraction(1, 10**9), Fraction(1, 7)]),
        ),
        max_size=12,
    ),
)
def test_accepted_charges_never_exceed_the_budget_exactly(
    budget: Fraction, delta: Fraction, asked: list[tuple[Fraction, Fraction]]
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        ledger = Ledger.create(Path(folder) / "l.db", dataset="d", epsilon=budget, delta=delta)
        spent, lost = Fraction(0), Fraction(0)
        for i, (epsilon, more) in enumerate(asked):
            fits = spent + epsilon <= budget and lost + more <= delta
            try:
                ledger.charge("d", epsilon, more, request_id=str(i), digest="x")
            except BudgetExceeded:
                assert not fits
            else:
                assert fits
                spent, lost = spent + epsilon, lost + more
            assert ledger.spent("d") == (spent, lost)
        assert ledger.remaining("d") == (budget - spent, delta - lost)
        ledger.verify()


NOT_POSITIVE = [0, -1, "nan", "inf", float("nan"), float("inf"), True, None, "", "1/0", "٣", 5e-324]
NOT_SHOWN = ["", " a", "a ", "a\nb", "\x1b[31m", "x" * 201, "\ud800", None, 7]
"""Names that would steer a terminal or a file, or are none."""

WRONG: dict[str, list[Any]] = {
    "price": NOT_POSITIVE,
    "delta": [-1, 1, "nan", 2],
    **dict.fromkeys(["dataset", "request_id", "digest"], NOT_SHOWN),
}


@pytest.mark.parametrize("argument", WRONG)
def test_what_is_no_number_or_no_name_is_refused_and_nothing_is_written(argument: str, tmp_path: Path) -> None:
    ledger = Ledger.create(tmp_path / "l.db", dataset="anes", epsilon=1)
    for value in WRONG[argument]:
        asked: dict[str, Any] = {"dataset": "anes", "price": 1, "delta": 0, "request_id": "r", "digest": "d"}
        asked[argument] = value
        new = {"dataset": asked["dataset"], "epsilon": asked["price"], "delta": asked["delta"]}
        calls: list[tuple[Callable[[], object], bool]] = [
            (partial(ledger.charge, **asked), True),
            (partial(Ledger.create, tmp_path / "new.db", **new), argument in ("dataset", "price", "delta")),
            (partial(ledger.spent, value), argument == "dataset"),
            (partial(ledger.find, value), argument == "request_id"),
        ]
        for call in (call for call, is_wrong in calls if is_wrong):
            with pytest.raises(InvalidInput):
                call()
    assert [path.name for path in tmp_path.iterdir()] == ["l.db"]
    assert ledger.verify().rows == 1


def test_delta_is_budgeted_like_epsilon(ledger_place: str) -> None:
    ledger = Ledger.create(ledger_place, dataset="d", epsilon=10, delta=1e-8)
    ledger.charge("d", 1, 6e-9, request_id="a", digest="d")
    with pytest.raises(BudgetExceeded, match="delta = 1/200000000 does not fit: 1/250000000 of 1/100000000"):
        ledger.charge("d", 1, 5e-9, request_id="b", digest="d")
    ledger.charge("d", 1, 4e-9, request_id="b", digest="d")
    assert ledger.remaining("d") == amount(8)


def test_a_request_is_charged_once_and_found_again_even_when_the_budget_is_used_up(ledger: Ledger) -> None:
    first = ledger.charge("anes", 1, request_id="r", digest="d")
    assert (first.is_new, first.outcome) == (True, None)
    again = ledger.charge("anes", "1.0", request_id="r", digest="d")
    assert (again.is_new, again.outcome, again.hash) == (False, None, first.hash)
    ledger.seal("r", '{"output": [1, 2]}')
    sealed = ledger.charge("anes", 1, request_id="r", digest="d")
    assert (sealed.is_new, sealed.outcome) == (False, '{"output": [1, 2]}')
    assert sealed == ledger.find("r")
    assert ledger.find("another") is None
    assert ledger.spent("anes").epsilon == 1
    assert ledger.verify().rows == 3


@pytest.mark.parametrize(
    ("dataset", "epsilon", "delta", "digest", "adjacency"),
    [
        ("anes", "1/2", 0, "other", "replace-one"),
        ("anes", "1/3", 0, "d", "replace-one"),
        ("anes", "1/2", "1e-9", "d", "replace-one"),
        ("two", "1/2", 0, "d", "replace-one"),
        ("anes", "1/2", 0, "d", "add-remove"),
    ],
)
def test_a_request_with_another_parameter_is_refused(
    dataset: str, epsilon: str, delta: Any, digest: str, adjacency: str, ledger: Ledger, ledger_place: str
) -> None:
    Ledger.create(ledger_place, dataset="two", epsilon=1, delta="1e-6")
    ledger.charge("anes", "1/2", request_id="r", digest="d")
    with pytest.raises(InvalidInput, match="other parameters"):
        ledger.charge(dataset, epsilon, delta, request_id="r", digest=digest, adjacency=adjacency)
    assert ledger.verify().rows == 3


def test_an_outcome_is_sealed_once_and_only_under_its_charge(ledger: Ledger) -> None:
    with pytest.raises(LedgerError, match="has no charge"):
        ledger.seal("r", "{}")
    ledger.charge("anes", "1/2", request_id="r", digest="d")
    for outcome in ("", "{", "nan?", b"{}", None, '"\ud800"'):
        with pytest.raises(InvalidInput):
            ledger.seal("r", outcome)  # type: ignore[arg-type]
    ledger.seal("r", '{"first": "é"}')
    for outcome in ('{"first": "é"}', '{"second": 1}'):
        with pytest.raises(LedgerError, match="is sealed"):
            ledger.seal("r", outcome)
    assert ledger.charge("anes", "1/2", request_id="r", digest="d").outcome == '{"first": "é"}'
    ledger.verify()


def test_datasets_have_budgets_of_their_own(ledger: Ledger, ledger_place: str) -> None:
    Ledger.create(ledger_place, dataset="census", epsilon=2, delta="1e-6")
    ledger.charge("anes", 1, request_id="a", digest="d")
    ledger.charge("census", 1, request_id="b", digest="d")
    ledger.seal("b", "{}")
    facts = [(a.dataset, a.budget, a.spent, a.remaining, a.charges, a.sealed) for a in ledger.accounts()]
    assert facts == [
        ("anes", amount(1), amount(1), amount(0), 1, 0),
        ("census", amount(2, "1e-6"), amount(1), amount(1, "1e-6"), 1, 1),
    ]
    assert [entry.kind for entry in ledger.history("census")] == ["budget", "charge", "seal"]
    for budget in (1, 5):
        with pytest.raises(InvalidInput, match="a budget is set once"):
            Ledger.create(ledger_place, dataset="anes", epsilon=budget)
    for call in (ledger.spent, ledger.remaining, ledger.account):
        with pytest.raises(InvalidInput, match="has no dataset 'nobody'"):
            call("nobody")
    with pytest.raises(InvalidInput):
        ledger.charge("nobody", 1, request_id="c", digest="d")


def test_denominators_that_grow_without_end_are_refused_before_they_cannot_be_written(ledger_place: str) -> None:
    ledger = Ledger.create(ledger_place, dataset="d", epsilon=1)

    def charge_coprimes(start: int, end: int) -> None:
        for i in range(start, end):
            ledger.charge("d", f"1/{10**60 + 2 * i + 1}", request_id=str(i), digest="x")

    charge_coprimes(0, 60)
    with pytest.raises(InvalidInput, match="denominator"):
        charge_coprimes(60, 200)
    assert ledger.verify().rows > 60
    ledger.charge("d", "1/2", request_id="plain", digest="x")


def test_many_who_create_at_once_make_one_ledger_and_lose_no_budget(ledger_place: str) -> None:
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda i: Ledger.create(ledger_place, dataset=f"d{i}", epsilon=i + 1), range(8)))
    budgets = {account.dataset: account.budget.epsilon for account in Ledger(ledger_place).accounts()}
    assert budgets == {f"d{i}": Fraction(i + 1) for i in range(8)}
    assert Ledger(ledger_place).verify().rows == 8


def test_cells_as_they_come_would_be_formulas(ledger_place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("discreet.ledger.entries.harmless", lambda value: str(value or ""))
    text = Ledger.create(ledger_place, dataset="=HYPERLINK(1)", epsilon=1).export("csv")
    assert next(csv.DictReader(io.StringIO(text)))["dataset"].startswith("=")


FORMULAS = ["=HYPERLINK(1)", "+1", "-1", "@SUM(1)", "=cmd|' /C calc'!A0", "＝1", "＋1", "－1", "＠SUM(1)"]


def test_json_holds_every_row_and_can_be_checked_again(ledger: Ledger) -> None:
    ledger.charge("anes", "1/3", request_id="r", digest="d")
    ledger.seal("r", '{"output": [1]}')
    rows = json.loads(ledger.export())
    assert [row["kind"] for row in rows] == ["budget", "charge", "seal"]
    assert rows[1]["epsilon"] == "1/3"
    assert rows[2]["outcome"] == '{"output": [1]}'
    assert rows[2]["hash"] == ledger.head()
    assert [row["previous"] for row in rows[1:]] == [row["hash"] for row in rows[:-1]]
    with pytest.raises(InvalidInput):
        ledger.export("xlsx")


@pytest.mark.parametrize("name", FORMULAS)
def test_no_cell_of_the_csv_begins_like_a_formula(name: str, ledger_place: str) -> None:
    ledger = Ledger.create(ledger_place, dataset=name, epsilon=1)
    ledger.charge(name, 1, request_id=name, digest=name)
    ledger.seal(name, "{}")
    rows = list(csv.DictReader(io.StringIO(ledger.export("csv"))))
    assert [row["dataset"] for row in rows] == [f"'{name}"] * 3
    assert not [cell for row in rows for cell in row.values() if cell.startswith(("=", "+", "-", "@", "\t", "\r"))]
    assert "outcome" not in rows[0]
