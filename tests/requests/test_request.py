"""What a request declares, what goes together in it, and what it settles before anything is read."""

from pathlib import Path
from typing import Any

import pytest

import discreet as dc
from discreet.counting import CsvFormat
from discreet.ledger import Ledger
from discreet.requests.prepare import PreparedRequest, prepare_request
from discreet.requests.request import ReleaseRequest, place_delta
from tests.requests.questions import TWO, ask, columns

CROSS: dict[str, Any] = {"cross": {"sex": ["f", "m"], "vote": ["a", "b"]}, "epsilon": 1}


@pytest.mark.parametrize(
    "options",
    [
        {"by": "region", "groups": ["n", "s"]},
        {"exposure": {"n": 10, "s": 20}},
        {"mechanism": "laplace"},
        {"calibrated": True},
    ],
)
def test_a_cross_table_is_refused_what_only_one_column_has(options: dict[str, Any]) -> None:
    assert dc.Question(**CROSS).crossed
    with pytest.raises(dc.InvalidInput, match="a cross table has no groups of its own, and is released by geometric"):
        dc.Question(**CROSS, **options)


def test_a_cross_table_is_of_its_axes_alone_and_released_by_itself() -> None:
    with pytest.raises(dc.InvalidInput, match="there is one column to count, and others to cross"):
        dc.Question("vote", **CROSS)
    for questions, is_bundle in (
        ([dc.Question(**CROSS)], True),
        ([dc.Question(**CROSS), dc.Question("vote", ["a", "b"], epsilon=1)], False),
    ):
        with pytest.raises(dc.InvalidInput, match="a cross table is released by itself"):
            ReleaseRequest("table.csv", questions, is_bundle=is_bundle)
    table = dc.Question(**CROSS, other="rest", missing="unknown").declaration(None)
    assert table.axes == {"sex": ("f", "m", "unknown", "rest"), "vote": ("a", "b", "unknown", "rest")}


def test_n_is_private_for_all_columns_or_for_none() -> None:
    public, private = (
        dc.Question("vote", ["a", "b"], epsilon=1, adjacency=adjacency) for adjacency in ("replace-one", "add-remove")
    )
    assert [ReleaseRequest("t.csv", [question]).has_private_n for question in (public, private)] == [False, True]
    with pytest.raises(dc.InvalidInput, match="n is private for one column and public for another"):
        ReleaseRequest("t.csv", [public, private])
    with pytest.raises(dc.InvalidInput) as refusal:
        ReleaseRequest("t.csv", [private], n=7)
    assert refusal.value.hint == "leave `n` out: nothing asks for it"


def test_a_loss_is_that_of_all_cells_unless_groups_are_public() -> None:
    grouped: dict[str, Any] = {"by": "sex", "groups": ["f", "m", "x"], "epsilon": 1}
    protected, public = (dc.Question("vote", ["a", "b"], **grouped, group_public=each) for each in (False, True))
    assert (protected.loss_categories, public.loss_categories) == (6, 2)
    others: list[dict[str, Any]] = [{"mechanism": "laplace"}, {"adjacency": "add-remove"}]
    assert [dc.Question("vote", ["a", "b", "c"], **each).loss_categories for each in others] == [2, 2]


def test_whom_and_what_a_request_protects_is_what_was_declared() -> None:
    """Charges add up only over the same neighbours: a scope without its id column would be that of rows."""
    questions = [
        dc.Question("vote", ["a", "b"], by="sex", groups=["f", "m"], group_public=True, epsilon=1),
        dc.Question("age", ["y", "o"], by="sex", groups=["f", "m"], group_public=True, epsilon=1),
    ]
    request = ReleaseRequest("t.csv", questions, id_column="patient")
    prepared = prepare_request(request, [(3, 4), (3, 4)])
    for scope in (prepared.columns[0].scope, prepared.scope):
        assert (scope.unit, scope.public) == ("id:patient", frozenset({"sex"}))
    assert prepared.scope.protected == {"vote", "age"}
    assert prepare_request(ReleaseRequest("t.csv", questions), [(3, 4), (3, 4)]).scope.unit == "row"


def test_what_nobody_said_is_missing_and_not_an_empty_name() -> None:
    request = ReleaseRequest("t.csv", [dc.Question("vote", ["a", "b"], epsilon=1)])
    assert (request.dataset, request.request_id, request.again, request.is_bundle) == (None, None, True, False)
    assert ReleaseRequest("t.csv", request.questions, n=1).sizes == 1


def test_a_file_of_tabs_is_cut_at_tabs_unless_its_delimiter_is_declared() -> None:
    question = dc.Question("vote", ["a", "b"], epsilon=1)
    forms = (CsvFormat(), CsvFormat(delimiter=";"))
    assert [ReleaseRequest("t.tsv", [question], form=form).form.delimiter for form in forms] == ["\t", ";"]
    assert ReleaseRequest("t.csv", [question]).form.delimiter == ","


def test_a_mechanism_is_calibrated_only_if_that_is_said() -> None:
    asked = [dc.Question("vote", ["a", "b"], mechanism="laplace", calibrated=each).terms for each in (True, False)]
    assert [terms.calibrated for terms in asked] == [True, False]


@pytest.mark.parametrize("adjacency", ["replace-one", "replace-answer"])
def test_public_groups_are_shared_by_neighbours_whichever_of_the_two_is_named(adjacency: str) -> None:
    public: dict[str, Any] = {"by": "sex", "groups": ["f", "m"], "group_public": True}
    assert dc.Question("vote", ["a", "b"], **public, adjacency=adjacency).adjacency == "replace-answer"
    for options, other in (({}, "replace-answer"), (public, "replace-nobody")):
        with pytest.raises(dc.InvalidInput, match="there is no such adjacency for a release"):
            dc.Question("vote", ["a", "b"], **options, adjacency=other)


@pytest.mark.parametrize(("budget", "asked"), [(None, "who"), ("who", None)])
def test_a_request_for_others_than_its_budget_protects_is_refused_before_anybody_is_asked(
    budget: str | None, asked: str | None, tmp_path: Path
) -> None:
    ledger = Ledger.create(tmp_path / "l.db", dataset="d", epsilon=1, id_column=budget)

    def confirm(_: PreparedRequest) -> bool:
        raise AssertionError

    with pytest.raises(dc.InvalidInput):
        ask(ledger, id_column=asked, confirm=confirm)
    assert ledger.spent("d").epsilon == 0


def test_one_column_of_several_that_might_be_asked_for_comes_in_a_bundle() -> None:
    assert columns(questions=TWO[:1]).columns == ("vote",)


def test_the_delta_of_one_column_is_its_mechanisms() -> None:
    assert place_delta("gaussian", "1e-6", 1) == ({"delta": "1e-6"}, 0)


def test_a_delta_that_is_no_number_is_named() -> None:
    with pytest.raises(dc.InvalidInput, match=r"^delta "):
        place_delta("gaussian", "few", 2)
