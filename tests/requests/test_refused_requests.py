"""What is refused before anything is spent: before the data is touched, or before its counts are looked at."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

import discreet as dc
from discreet.counting import CsvFormat
from discreet.errors import BudgetExceeded, InvalidInput, LedgerError, NotPrivate, SourceError
from discreet.ledger import Ledger
from discreet.requests import run
from discreet.requests.prepare import PreparedRequest
from discreet.requests.request import ReleaseRequest
from discreet.requests.run import release, release_counts
from tests.requests.questions import GROUPED, TABLE, TWO, ask, columns, grouped, untouched


@pytest.mark.parametrize(
    "options",
    [
        {"categories": ["a"]},
        {"categories": ["a", "a"]},
        {"categories": "ab"},
        {"id_column": "vote"},
        {"n": "nan"},
        {"n": 0},
        {"engine": "abacus"},
        {"group_public": True},
    ],
)
def test_what_is_wrong_in_public_is_refused_before_the_data_is_touched(
    options: dict[str, Any], ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("discreet.counting.duck.open_duck", untouched)
    with pytest.raises(InvalidInput):
        ask(ledger, **options)


def test_a_ledger_that_cannot_be_charged_is_refused_before_the_data_is_touched(
    ledger: Ledger, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("discreet.counting.duck.open_duck", untouched)
    with pytest.raises(LedgerError):
        ask(tmp_path / "nothing.db")
    assert not (tmp_path / "nothing.db").exists()
    question: dict[str, Any] = {"column": "vote", "categories": ["a", "b"], "epsilon": 1}
    for wrong in (
        {"ledger": ledger},
        {"ledger": ledger, "dataset": "e"},
        {"ledger": None, "dataset": "d"},
        {"ledger": None, "request_id": "x"},
    ):
        with pytest.raises(InvalidInput):
            release(TABLE, **question, **wrong)


PUBLIC: dict[str, Any] = {"dataset": "answers", "group_public": True}


@pytest.mark.parametrize(
    ("asking", "options", "error"),
    [
        (ask, {"epsilon": "nan"}, InvalidInput),
        (ask, {"epsilon": 2}, BudgetExceeded),
        (ask, {"epsilon": "1.000000000000000000000001"}, BudgetExceeded),
        (ask, {"mechanism": "optimal"}, NotPrivate),
        (ask, {"mechanism": "gaussian"}, InvalidInput),
        (ask, {"prior": [1, 1, 1]}, InvalidInput),
        (ask, {"n": 14}, InvalidInput),
        (grouped, {**PUBLIC, "n": [3, 5]}, InvalidInput),
        (grouped, {**PUBLIC, "n": [4, 3]}, InvalidInput),
        (grouped, {"n": [3, 4]}, InvalidInput),
        (grouped, {"n": 8}, InvalidInput),
        (grouped, {"prior": [1, 2, 3]}, InvalidInput),
        (columns, {"n": 8}, InvalidInput),
        (columns, {"epsilon": 1}, InvalidInput),
        (columns, {"questions": []}, InvalidInput),
        (columns, {"questions": [dc.Question("vote", ["a", "b"]), TWO[1]]}, InvalidInput),
        (columns, {"questions": [TWO[0], dc.Question("sex", ["f", "m"], epsilon=1)]}, BudgetExceeded),
        (columns, {"questions": [TWO[0], dc.Question("sex", ["f", "m"], epsilon=1, mechanism="optimal")]}, NotPrivate),
        (
            columns,
            {"questions": [TWO[0], dc.Question("sex", ["f"], other="m", epsilon=1, prior=[1] * 3)]},
            InvalidInput,
        ),
        (columns, {"questions": [TWO[0], dc.Question(**GROUPED, epsilon="1/4", group_public=True)]}, InvalidInput),
        (columns, {"questions": [TWO[0], dc.Question("age", ["1", "2"], epsilon="1/4")]}, SourceError),
    ],
)
def test_what_is_refused_is_refused_before_the_counts_are_looked_at_and_costs_nothing(
    asking: Callable[..., Any], options: Any, error: type[Exception], ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("discreet.counting.Tally.has_strays", property(untouched))
    monkeypatch.setattr("discreet.counting.Tally.counts", property(untouched))
    with pytest.raises(error):
        asking(ledger, **options, confirm=untouched)
    assert ledger.verify().rows == 2


@pytest.mark.parametrize(
    ("asking", "options"),
    [
        (ask, {"categories": ["a", "c"]}),
        (grouped, {"groups": ["f", "x"]}),
        (grouped, {**PUBLIC, "groups": ["f", "x"]}),
        (columns, {"questions": [TWO[0], dc.Question("sex", ["f", "x"], epsilon="1/4")]}),
    ],
)
def test_a_value_outside_what_is_declared_is_refused_before_the_charge(
    asking: Callable[..., Any], options: dict[str, Any], ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("discreet.counting.Tally.counts", property(untouched))
    with pytest.raises(InvalidInput):
        asking(ledger, **options)
    assert ledger.verify().rows == 2


def test_of_one_column_it_is_said_that_it_has_strays_and_of_several_not_which(ledger: Ledger) -> None:
    with pytest.raises(InvalidInput, match=r"^column 'vote' has values outside the declared categories"):
        ask(ledger, categories=["a", "c"])
    with pytest.raises(InvalidInput, match=r"^a column has values outside what is declared"):
        columns(ledger, questions=[TWO[0], dc.Question("sex", ["f", "x"], epsilon="1/4")])


@pytest.mark.parametrize("asking", [ask, columns])
def test_a_table_needs_one_record(asking: Callable[..., Any]) -> None:
    with pytest.raises(InvalidInput, match="the table has no records"):
        asking(source=TABLE[:0])
    assert asking(source=TABLE[:1]).document["n"] == 1


def test_what_is_not_proved_is_refused_before_a_draw_also_where_nothing_is_charged() -> None:
    question = dc.Question("vote", ["a", "b"], epsilon=1, mechanism="optimal")
    with pytest.raises(NotPrivate, match="the certified loss exceeds epsilon"):
        run.price_request(ReleaseRequest(TABLE, [question]), None)
    study: dict[str, Any] = {"mechanism": "gaussian", "sigma": 3, "epsilon": None}
    with pytest.raises(NotPrivate, match="gaussian has no guarantee here"):
        release_counts([3, 4], **study)
    assert sum(release_counts([3, 4], **study, accept_no_guarantee=True).output) == 7


@pytest.mark.parametrize("asking", [ask, columns])
def test_a_table_is_read_as_is_said(asking: Callable[..., Any], tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    TABLE.to_csv(path, index=False, sep=";")
    assert asking(source=path, form=CsvFormat(delimiter=";"), id_column="who").document["n"] == 6
    with pytest.raises(InvalidInput, match="there is no engine 'abacus'"):
        asking(source=path, engine="abacus")
    with (
        patch.object(run, "open_source", side_effect=SourceError("here", hint="")) as opened,
        pytest.raises(SourceError),
    ):
        asking(source=path, engine="spark")
    assert opened.call_args.kwargs["engine"] == "spark"


@pytest.mark.parametrize("asking", [ask, columns])
def test_a_release_that_is_not_confirmed_costs_nothing(asking: Callable[..., Any], ledger: Ledger) -> None:
    with pytest.raises(InvalidInput, match="not confirmed"):
        asking(ledger, confirm=lambda _: False)
    assert ledger.verify().rows == 2


def test_a_release_that_is_not_confirmed_costs_nothing_and_what_is_shown_is_public(ledger: Ledger) -> None:
    shown: list[PreparedRequest] = []

    def refuse(prepared: PreparedRequest) -> bool:
        shown.append(prepared)
        return False

    for table in (TABLE, TABLE[::-1].replace({"a": "b"})):
        with pytest.raises(InvalidInput, match="not confirmed"):
            ask(ledger, table, confirm=refuse)
    assert ledger.spent("d").epsilon == 0
    drafts = {json.dumps(prepared.receipt().document) for prepared in shown}
    assert len(drafts) == 1, "the same for all data of this size"
    assert json.loads(drafts.pop())["output"] is None
