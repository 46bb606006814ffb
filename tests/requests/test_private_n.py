"""Releases under add-remove: nothing asks how many records there are, filters select, budgets are charged by steps."""

from fractions import Fraction
from typing import Any

import pandas as pd
import pytest

import discreet as dc
from discreet.errors import BudgetExceeded, InvalidInput
from discreet.ledger import Ledger
from discreet.requests.prepare import prepare_request
from discreet.requests.request import Question, ReleaseRequest
from discreet.requests.run import release_counts
from tests.requests.questions import TABLE, ask, grouped

pytestmark = pytest.mark.usefixtures("quick")

PRIVATE: dict[str, Any] = {"adjacency": "add-remove"}


def question(**options: Any) -> Question:
    return Question("vote", ["a", "b"], epsilon=1, **options)


def digest(**options: Any) -> str:
    request = ReleaseRequest("votes.csv", [question(**{**PRIVATE, **options})])
    return prepare_request(request, [None]).digest


def test_a_release_holds_no_n_and_outputs_have_any_total() -> None:
    totals = {sum(ask(**PRIVATE).output) for _ in range(15)}
    assert len(totals) > 3
    receipt = ask(**PRIVATE)
    [made] = [each.mechanism for each in receipt.released if each is not None]
    assert made.space.adjacency.sizes == {}


@pytest.mark.parametrize("source", [TABLE.iloc[:0], TABLE, pd.DataFrame({"vote": ["?"] * 3, "sex": "f", "who": 1})])
def test_an_empty_table_and_one_of_strays_are_released_like_any_other(source: pd.DataFrame) -> None:
    for receipt in (ask(source=source, **PRIVATE), grouped(source=source, **PRIVATE)):
        assert receipt.verify().loss == "1/2"


def test_a_filter_leaves_the_selected_records() -> None:
    """At an ε of a hundred the noise is none, for all that a test can see."""
    free: dict[str, Any] = {**PRIVATE, "epsilon": 100}
    assert ask(filters={"sex": ["m"]}, **free).output == (1, 3)
    assert ask(filters={"sex": ["x"]}, **free).output == (0, 0)
    assert ask(filters={"who": [0, 1]}, **free).output == (1, 2)
    assert grouped(filters={"who": [0, 1]}, **free).output == (1, 1, 0, 1)
    assert ask(categories=["a", "x"], **free).output == (3, 0), "what is outside is not counted"


def test_a_filter_where_n_is_public_is_refused_with_both_ways_out() -> None:
    ways: list[dict[str, Any]] = [{}, {"by": "who", "groups": ["0", "1"], "group_public": True}]
    for options in ways:
        with pytest.raises(InvalidInput, match="with a filter the number of selected records would be") as refused:
            ask(filters={"sex": ["m"]}, **options)
        assert "`adjacency` add-remove" in refused.value.hint
        assert "make groups, or categories, of 'sex'" in refused.value.hint


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"n": 7}, "the number of records is private"),
        ({"by": "sex", "groups": ["f", "m"], "group_public": True}, "groups that are public have sizes"),
        ({"mechanism": "laplace"}, "n is private under add-remove"),
        ({"mechanism": "exponential-global"}, "n is private under add-remove"),
        ({"adjacency": "add-or-remove"}, "there is no such adjacency"),
        ({"adjacency": "replace-answer"}, "there is no such adjacency"),
    ],
)
def test_what_does_not_go_with_it_is_refused(options: dict[str, Any], says: str) -> None:
    with pytest.raises(InvalidInput, match=says):
        ask(**{**PRIVATE, **options})


def test_requests_that_ask_for_other_records_have_other_digests_and_order_says_nothing() -> None:
    filters = [{}, {"sex": ["f"]}, {"sex": ["f", "m"]}, {"who": ["f"]}, {"sex": ["f"], "who": [1]}]
    digests = {digest(filters=each) for each in filters}
    assert len(digests | {digest(adjacency="add-remove", other="rest")}) == 6
    assert digest(filters={"sex": ["m", "f"]}) == digest(filters={"sex": ["f", "m", "f"]})


def test_a_budget_pays_once_for_all_cells_and_twice_where_n_is_public(ledger_place: str) -> None:
    book = Ledger.create(ledger_place, dataset="d", epsilon=2, adjacency="add-remove")
    Ledger.create(ledger_place, dataset="public n", epsilon=2)
    grouped(book, **PRIVATE, filters={"who": [0, 1, 2]})
    assert book.spent("d").epsilon == Fraction(1, 2)
    with pytest.raises(InvalidInput, match="is budgeted under add-remove, and this release is under replace-one"):
        ask(book)
    ask(book, **PRIVATE, dataset="public n")
    assert book.spent("public n").epsilon == 1
    with pytest.raises(BudgetExceeded, match="costs twice its epsilon"):
        ask(book, **PRIVATE, dataset="public n", epsilon="3/5")
    ask(book, dataset="public n")
    assert book.spent("public n").epsilon == Fraction(3, 2)
    assert book.verify().rows == 2 + 2 * 3


def test_a_request_is_charged_once_and_shown_again_whatever_became_of_the_table(ledger_place: str) -> None:
    ledger = Ledger.create(ledger_place, dataset="d", epsilon=1, adjacency="add-remove")
    first = ask(ledger, **PRIVATE, request_id="r")
    again = ask(ledger, **PRIVATE, request_id="r", source=TABLE.iloc[:0])
    assert first.document == again.document
    with pytest.raises(InvalidInput, match="was charged for this question before"):
        ask(ledger, **PRIVATE)
    with pytest.raises(InvalidInput, match="was made with other parameters"):
        ask(ledger, **PRIVATE, request_id="r", filters={"sex": ["f"]})
    assert ledger.spent("d").epsilon == Fraction(1, 2)


def test_people_are_added_or_removed_as_wholes() -> None:
    receipt = ask(id_column="who", **PRIVATE, epsilon=100)
    assert receipt.output == (3, 3)
    assert receipt.document["unit"].startswith("one person")
    assert "one person (all rows with the same id) is added or removed" in receipt.to_methods()


def test_a_column_that_selects_is_protected_and_cannot_be_public_elsewhere(ledger_place: str) -> None:
    ledger = Ledger.create(ledger_place, dataset="d", epsilon=3, adjacency="replace-answer")
    ask(ledger, **PRIVATE, filters={"sex": ["f"]})
    with pytest.raises(InvalidInput, match="column 'sex' of dataset 'd' is public in one request and protected in"):
        grouped(ledger, group_public=True)


def test_counts_in_hand_may_be_none_at_all() -> None:
    receipt = release_counts([0, 0, 0], epsilon=1, adjacency="add-remove")
    assert receipt.verify().loss == "1"
    with pytest.raises(InvalidInput, match="the number of records is private"):
        release_counts([1, 2], epsilon=1, n=3, adjacency="add-remove")
    assert dc.PosteriorSpace(prior=[1, 1], n=None).counts([0, 0]) == (0, 0)
