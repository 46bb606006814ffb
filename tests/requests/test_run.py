"""The workflow: what is charged, what is sealed, what a retry gets, and what is said of it."""

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

import discreet as dc
from discreet import version
from discreet.counting import CsvFormat
from discreet.counting.duck import DuckTable
from discreet.errors import BudgetExceeded, DiscreetError, InvalidInput, LedgerError
from discreet.ledger import Ledger
from discreet.privacy_loss import certificates
from discreet.receipts import UNIT_PERSON, UNIT_ROW, Receipt, documents, verify_receipt
from discreet.requests import prepare, run
from discreet.requests.prepare import prepare_request
from discreet.requests.request import ReleaseRequest, draw_request_id
from discreet.requests.run import STEPS, release_counts
from tests.requests.questions import GROUPED, TABLE, TWO, ask, columns, grouped, untouched
from tests.support.tables import at, fail_at, write_votes


def test_the_steps_are_taken_in_their_order(ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    taken: list[str] = []
    monkeypatch.setattr(run, "reached", taken.append)
    ask(ledger)
    assert tuple(taken) == STEPS


def test_a_release_is_charged_exactly_sealed_as_shown_and_verifies(ledger: Ledger) -> None:
    receipt = ask(ledger, epsilon="1/3", request_id="monday")
    assert ledger.spent("d").epsilon == Fraction(1, 3)
    charge = ledger.find("monday")
    assert charge is not None
    assert charge.outcome == receipt.to_json()
    assert receipt.document["charge"] == charge.hash
    assert (receipt.request_id, receipt.document["dataset"]) == ("monday", "d")
    verify_receipt(Receipt.from_json(receipt.to_json()))
    assert ledger.verify().rows == 2 + 2


def test_a_ledger_may_be_named_by_its_path(ledger: Ledger, tmp_path: Path) -> None:
    ask(tmp_path / "l.db")
    ask(str(tmp_path / "l.db"), again=True)
    assert ledger.remaining("d").epsilon == 0


def test_a_request_without_an_id_gets_one_of_its_own(ledger: Ledger) -> None:
    first, second = ask(ledger), ask(ledger, again=True)
    assert first.request_id != second.request_id
    assert {len(draw_request_id()) for _ in range(64)} == {len(str(first.request_id))} == {32}


@pytest.mark.parametrize("mechanism", ["exponential-reciprocal", "laplace", "geometric"])
def test_the_charge_is_the_epsilon_asked_whatever_the_certified_loss(mechanism: str, ledger: Ledger) -> None:
    receipt = ask(ledger, epsilon="0.9", mechanism=mechanism, calibrated=mechanism != "laplace")
    assert ledger.spent("d").epsilon == Fraction(9, 10)
    assert receipt.document["epsilon_exact"] == "9/10"


def test_the_same_request_returns_the_sealed_outcome_and_draws_nothing(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = ask(ledger, request_id="x")
    monkeypatch.setattr("discreet.mechanisms.law.Law.draw", untouched)
    monkeypatch.setattr("discreet.counting.Tally.counts", property(untouched))
    monkeypatch.setattr("discreet.counting.Tally.has_strays", property(untouched))
    again = ask(ledger, request_id="x", confirm=untouched)
    assert again.document == first.document
    assert again.posterior == first.posterior
    assert ledger.spent("d").epsilon == Fraction(1, 2)


OTHERWISE: dict[str, dict[str, Any]] = {
    "another epsilon": {"epsilon": "1/4"},
    "another prior": {"prior": [1, 2]},
    "another mechanism": {"mechanism": "laplace"},
    "another way back": {"way": "bayes"},
    "a calibrated form": {"mechanism": "exponential-global", "calibrated": True},
    "another gamma": {"mechanism": "exponential-reciprocal", "gamma": 2},
    "another order of categories": {"categories": ["b", "a"]},
    "other": {"categories": ["a"], "other": "b"},
    "another column": {"column": "second"},
    "one record a person": {"id_column": "person"},
    "another CSV format": {"form": CsvFormat(delimiter=";")},
    "other groups": {"groups": ["m", "f"]},
    "another group": {"groups": ["f"], "other_group": "m"},
    "no groups": {"by": None, "groups": ()},
    "another column of groups": {"by": "gender"},
}


@pytest.mark.few(4)
@pytest.mark.parametrize("sealed", [True, False])
@pytest.mark.parametrize("change", OTHERWISE)
def test_a_request_with_another_parameter_is_refused(
    change: str, sealed: bool, ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = TABLE.assign(second=TABLE["vote"], person=range(len(TABLE)), gender=TABLE["sex"])
    ask_again = partial(grouped if "group" in change else ask, ledger, table, request_id="x")
    if not sealed:
        monkeypatch.setattr(run, "reached", fail_at("charged"))
        with pytest.raises(DiscreetError):
            ask_again()
        monkeypatch.setattr(run, "reached", lambda step: None)
    else:
        ask_again()
    with pytest.raises(InvalidInput, match="other parameters"):
        ask_again(**OTHERWISE[change])
    assert ledger.spent("d").epsilon == Fraction(1, 2)
    assert ask_again().request_id == "x"


def test_the_digest_of_a_request_is_that_of_earlier_versions() -> None:
    """Who charged with one and repeats the request with another must not be told that it is another request."""
    questions = [dc.Question("vote", ["a", "b"], other="é", epsilon="1/3"), dc.Question(**GROUPED, epsilon=1)]
    prepared = prepare_request(ReleaseRequest("x.csv", questions, dataset="d", id_column="who"), [10, 10])
    assert prepared.digest == "a6b56996ea8f466570421edb2463d2396f1970bcb36e27492d19f81beeb66942"


def test_one_question_has_its_own_digest_as_in_earlier_versions_and_so_have_public_groups() -> None:
    plain = ReleaseRequest("x.csv", [dc.Question("vote", ["a", "b"], epsilon=1)])
    assert prepare_request(plain, [10]).digest == "0eb3cde0a0fdafb7d02dcba59bb815ac8f1100eca91cfe3fc18c82abb8484e9f"

    def public(*priors: int) -> str:
        question = dc.Question(**GROUPED, epsilon=1, group_public=True, prior=priors)
        return prepare_request(ReleaseRequest("x.csv", [question]), [(3, 4)]).digest

    assert public(1, 1, 1, 1) == "b296dfd9f96f4d68ab83d122467892be80ce33495eb4d436124de623ae1d0a12"
    assert public(1, 1, 1, 2) != public(1, 1, 1, 1), "the law of every group is part of it"


def test_a_request_for_another_number_of_records_or_another_source_is_refused(ledger: Ledger, tmp_path: Path) -> None:
    path = write_votes(tmp_path / "one.csv", ["a", "b", "b"])
    two = write_votes(tmp_path / "two.csv", ["a", "b", "b"])
    ask(ledger, path, request_id="x")
    with pytest.raises(InvalidInput, match="other parameters"):
        ask(ledger, two, request_id="x")
    write_votes(path, ["a", "b", "b", "b"])
    with pytest.raises(InvalidInput, match="other parameters"):
        ask(ledger, path, request_id="x")


@pytest.mark.parametrize("step", ["charged", "drawn", "sealed"])
def test_an_upgrade_does_not_make_another_request(step: str, ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who charged, crashed and upgraded repeats the request under its charge: nothing was shown for it."""
    monkeypatch.setattr(run, "reached", fail_at(step))
    with pytest.raises(DiscreetError):
        ask(ledger, request_id="x")
    monkeypatch.setattr(run, "reached", lambda step: None)
    for module in (certificates, documents):
        monkeypatch.setattr(module, "__version__", "99.0")
    receipt = ask(ledger, request_id="x")
    assert receipt.document["version"] == ("99.0" if step != "sealed" else version.__version__)
    assert ledger.spent("d").epsilon == Fraction(1, 2)


@pytest.mark.few(5)
@pytest.mark.parametrize("asking", [ask, columns])
@pytest.mark.parametrize("step", STEPS)
def test_a_failure_costs_at_most_one_charge_and_names_the_request_that_need_not_be_paid_again(
    step: str, asking: Callable[..., Any], ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run, "reached", fail_at(step))
    with pytest.raises((RuntimeError, DiscreetError)) as failed:
        asking(ledger)
    monkeypatch.setattr(run, "reached", lambda step: None)
    charges = [entry for entry in ledger.history() if entry.kind == "charge"]
    assert len(charges) == (step in ("charged", "drawn", "sealed"))
    for charge in charges:
        assert isinstance(failed.value, DiscreetError)
        assert f"request id {charge.request_id}: nothing more is charged" in failed.value.hint
        assert failed.value.__cause__ is failed.value.__context__ is None
    request = str(charges[0].request_id) if charges else "x"
    left = ledger.find(request)
    receipt = asking(ledger, request_id=request)
    outcome = None if left is None else left.outcome
    assert outcome == (receipt.to_json() if step == "sealed" else None)
    assert ledger.spent("d").epsilon == Fraction(1, 2)
    assert asking(ledger, request_id=request).document == receipt.document
    assert ledger.verify().rows == 2 + 2


@pytest.mark.parametrize("asking", [ask, columns])
def test_a_receipt_has_the_date_of_its_charge(
    asking: Callable[..., Any], ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(prepare, "utc_now", lambda: "2030-01-01T00:00:00+00:00")
    receipt = asking(ledger, request_id="x")
    charge = ledger.find("x")
    assert charge is not None
    assert receipt.document["released_at"] == charge.time < "2030"


def test_an_interruption_stays_one_and_says_how_to_go_on_without_paying(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(run, "reached", at("charged", interrupt))
    with pytest.raises(KeyboardInterrupt) as stopped:
        ask(ledger, request_id="x")
    assert stopped.value.__notes__ == ["repeat it with request id x: nothing more is charged"]
    with pytest.raises(KeyboardInterrupt) as stopped:
        ask(None)
    assert not hasattr(stopped.value, "__notes__"), "nothing was charged"


def overtake(monkeypatch: pytest.MonkeyPatch, first: Callable[[], Any]) -> list[Any]:
    """Somebody else is faster: their release is made when ours was checked, and not charged yet."""
    results: list[Any] = []

    def once() -> None:
        monkeypatch.setattr(run, "reached", lambda step: None)
        results.append(first())

    monkeypatch.setattr(run, "reached", at("checked", once))
    return results


@pytest.mark.parametrize("asking", [ask, columns])
def test_who_is_overtaken_by_the_same_request_gets_what_was_sealed(
    asking: Callable[..., Any], ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    results = overtake(monkeypatch, lambda: asking(ledger, request_id="x"))
    assert [asking(ledger, request_id="x").document] == [first.document for first in results]
    assert ledger.spent("d").epsilon == Fraction(1, 2)


@pytest.mark.parametrize("asking", [ask, columns])
def test_who_is_overtaken_by_the_same_question_pays_nothing(
    asking: Callable[..., Any], ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    overtake(monkeypatch, lambda: asking(ledger))
    with pytest.raises(InvalidInput, match="was charged for this question before"):
        asking(ledger)
    assert ledger.spent("d").epsilon == Fraction(1, 2)


@pytest.mark.parametrize("asking", [ask, columns])
def test_a_question_is_paid_for_again_only_if_that_is_said(asking: Callable[..., Any], ledger: Ledger) -> None:
    asking(ledger)
    with pytest.raises(InvalidInput, match="was charged for this question before"):
        asking(ledger)
    assert ledger.spent("d").epsilon == Fraction(1, 2)
    asking(ledger, again=True)
    assert ledger.spent("d").epsilon == 1


def test_of_two_draws_under_one_charge_only_the_first_that_was_sealed_is_ever_shown(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    winners: list[Receipt] = []

    def overtaken(step: str) -> None:
        if step == "drawn" and not winners:
            winners.append(Receipt({}))
            winners[0] = ask(ledger, request_id="x")

    monkeypatch.setattr(run, "reached", overtaken)
    with pytest.raises(LedgerError, match="sealed"):
        ask(ledger, request_id="x")
    assert ask(ledger, request_id="x").document == winners[0].document
    assert ledger.spent("d").epsilon == Fraction(1, 2)


def _rewrite(path: Path, votes: list[str], step: str) -> None:
    if step == "counted":
        write_votes(path, votes)


def test_a_table_is_read_once_and_what_changes_in_it_later_changes_nothing(tmp_path: Path) -> None:
    path = write_votes(tmp_path / "v.csv", ["a", "b", "b"])
    with pytest.MonkeyPatch.context() as patched:
        for votes in (["a", "b", "stray"], ["a", "b"], ["a", "b", "b", "b"]):
            write_votes(path, ["a", "b", "b"])
            patched.setattr(run, "reached", partial(_rewrite, path, votes))
            receipt = ask(None, path, epsilon=1000)
            assert (receipt.document["n"], receipt.output) == (3, (1, 2))


def test_the_rows_are_gone_through_once(ledger: Ledger) -> None:
    with patch.object(DuckTable, "_read", autospec=True, side_effect=DuckTable._read) as read:
        ask(ledger)
    assert read.call_count == 1


def test_more_than_one_row_per_person_shows_in_n_and_in_the_unit(tmp_path: Path) -> None:
    path = write_votes(tmp_path / "v.csv", ["a", "a", "a", "b", "b"], people=[1, 1, 1, 2, 3])
    rows = ask(None, path, epsilon=1000)
    people = ask(None, path, epsilon=1000, id_column="person")
    assert (rows.document["n"], rows.output, rows.document["unit"]) == (5, (3, 2), UNIT_ROW)
    assert (people.document["n"], people.output, people.document["unit"]) == (3, (1, 2), UNIT_PERSON)


def test_without_a_ledger_a_failure_speaks_of_no_charge(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run, "reached", fail_at("counted"))
    with pytest.raises(DiscreetError) as failed:
        ask(None)
    assert "charge" not in str(failed.value)
    assert failed.value.hint == "try again"


def test_counts_in_hand_give_the_receipt_that_their_table_gives(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prepare, "utc_now", lambda: "2030-01-01T00:00:00+00:00")
    from_table = ask(None, epsilon=1000)
    from_counts = release_counts([3, 4], categories=["a", "b"], epsilon=1000)
    about = {"column": "vote", "question": from_table.document["question"], "citation": from_table.document["citation"]}
    assert {**from_counts.document, **about} == from_table.document


@pytest.mark.parametrize("counts", [5, "85", "8,5", [8], [8, -5], [8, 5.5], [8, None], []])
def test_counts_that_are_none_are_refused(counts: object) -> None:
    with pytest.raises(InvalidInput):
        release_counts(counts, epsilon=1)


def test_of_counts_in_hand_it_is_said_where_they_are_from_and_which_number_is_wrong() -> None:
    receipt = release_counts([3, 4], epsilon=1, title="Votes", source_name="a poll")
    assert (receipt.document["title"], receipt.document["source_name"]) == ("Votes", "a poll")
    for counts, n in (([0, 0], None), ([3, 4], 0)):
        with pytest.raises(InvalidInput, match=r"^n must be at least 1"):
            release_counts(counts, n=n, epsilon=1)


def test_a_price_is_told_by_the_budget_that_would_pay_and_costs_nothing(ledger: Ledger) -> None:
    def price(epsilon: str, **more: Any) -> Any:
        question = dc.Question("vote", ["a", "b"], epsilon=epsilon)
        return run.price_request(ReleaseRequest(TABLE, [question], dataset="d", **more), ledger).price.epsilon

    assert price("1/2") == Fraction(1, 2)
    with pytest.raises(BudgetExceeded):
        price("3/2")
    assert ledger.remaining("d").epsilon == 1
    ask(ledger, request_id="x")
    assert price("1/2", request_id="x") == Fraction(1, 2)
    with pytest.raises(InvalidInput, match="other parameters"):
        price("1/4", request_id="x")
    with pytest.raises(DiscreetError):
        price("1/2", again=False)


@pytest.mark.parametrize(
    ("source", "engine"), [("t.csv", "duckdb"), ("postgres://host/base/votes", "ibis"), ("spark:///votes", "spark")]
)
def test_a_request_says_which_engine_counts_in_its_source(source: str, engine: str) -> None:
    assert ReleaseRequest(source, TWO).engine == engine


def test_a_prior_by_its_name_has_a_parameter_for_each_answer_of_every_group(ledger: Ledger) -> None:
    receipt = grouped(ledger, prior="jeffreys")
    assert receipt.document["prior"] == {"f": [0.5, 0.5], "m": [0.5, 0.5]}


def test_a_calibrated_release_has_the_gamma_that_was_asked_for(ledger: Ledger) -> None:
    receipt = ask(ledger, mechanism="exponential-reciprocal", calibrated=True, gamma="1/7")
    assert receipt.document["mechanism"]["gamma"] == "1/7"
    plain = ask(mechanism="exponential-reciprocal", gamma="1/7").document["mechanism"]
    assert Fraction(receipt.document["mechanism"]["scale"]) > Fraction(plain["scale"])


@pytest.mark.parametrize("asking", [ask, grouped])
def test_a_receipt_says_what_missing_values_are_called(asking: Callable[..., Any]) -> None:
    receipt = asking(source=TABLE.replace({"vote": {"b": None}}), categories=["a", "b"], missing="?", epsilon=1000)
    assert (receipt.document["missing"], receipt.document["categories"]) == ("?", ["a", "b", "?"])
    assert receipt.verify().bound <= 1000
