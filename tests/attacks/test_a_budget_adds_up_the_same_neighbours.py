"""Losses add up over the same neighbours: rows and people, public and protected columns, never share a budget."""

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import discreet as dc
from discreet.errors import InvalidInput
from discreet.ledger import Entry, Ledger, Scope
from discreet.ledger.accounts import Replay

VISITS = pd.DataFrame(
    {"patient": [i // 2 for i in range(40)], "well": ["yes", "no"] * 20, "arm": ["new"] * 20 + ["old"] * 20}
)
WELL: dict[str, Any] = {"column": "well", "categories": ["yes", "no"], "epsilon": "1/4", "dataset": "d"}
ARMS: dict[str, Any] = {"column": "arm", "categories": ["new", "old"], "epsilon": "1/4", "dataset": "d"}
JOINT: dict[str, Any] = {**WELL, "by": "arm", "groups": ["new", "old"]}


def test_a_budget_of_rows_pays_for_no_release_of_people(ledger_place: str) -> None:
    Ledger.create(ledger_place, dataset="d", epsilon=1)
    dc.release(VISITS, **WELL, ledger=ledger_place)
    with pytest.raises(InvalidInput, match="is budgeted for rows; release without an id column, or open another"):
        dc.release(VISITS, **WELL, ledger=ledger_place, id_column="patient")
    assert Ledger(ledger_place).verify().rows == 3


def test_a_budget_of_people_pays_for_no_release_of_rows_or_of_other_people(ledger_place: str) -> None:
    Ledger.create(ledger_place, dataset="d", epsilon=1, id_column="patient")
    receipt = dc.release(VISITS, **WELL, ledger=ledger_place, id_column="patient")
    assert receipt.document["n"] == 20
    for wrong in (None, "arm"):
        with pytest.raises(InvalidInput, match="told apart by 'patient'; release with the id column 'patient'"):
            dc.release(VISITS, **WELL, ledger=ledger_place, id_column=wrong)
    assert Ledger(ledger_place).account("d").unit == "id:patient"
    assert Ledger(ledger_place).verify().rows == 3


@pytest.mark.parametrize("public_first", [True, False])
def test_a_column_is_not_public_in_one_request_and_protected_in_another(public_first: bool, ledger_place: str) -> None:
    Ledger.create(ledger_place, dataset="d", epsilon=1, adjacency="replace-answer")
    public = {**JOINT, "group_public": True}
    first, second = (public, ARMS) if public_first else (ARMS, public)
    dc.release(VISITS, **first, ledger=ledger_place)
    with pytest.raises(InvalidInput, match="column 'arm' of dataset 'd' is public in one request and protected in"):
        dc.release(VISITS, **second, ledger=ledger_place)
    dc.release(VISITS, **first, ledger=ledger_place, again=True)
    assert Ledger(ledger_place).verify().rows == 5


def test_a_private_group_s_column_is_protected_too(ledger_place: str) -> None:
    Ledger.create(ledger_place, dataset="d", epsilon=1, adjacency="replace-answer")
    dc.release(VISITS, **JOINT, ledger=ledger_place)
    with pytest.raises(InvalidInput, match="column 'arm'"):
        dc.release(VISITS, **JOINT, group_public=True, ledger=ledger_place)


@pytest.mark.parametrize("fault", ["unit", "columns"])
def test_a_ledger_that_forgets_whom_or_what_it_protects_is_found_out(
    fault: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The planted faults: without what a budget keeps, the refusals above do not come."""
    book = Ledger.create(tmp_path / "l.db", dataset="d", epsilon=1)
    one = Scope(None, frozenset({"well"}), frozenset({"arm"}))
    other = Scope("patient") if fault == "unit" else Scope(None, frozenset({"arm"}))
    book.charge("d", "1/4", request_id="one", digest="x", scope=one)
    with pytest.raises(InvalidInput):
        book.charge("d", "1/4", request_id="other", digest="x", scope=other)
    spend = Replay._spend

    def forget(state: Replay, entry: Entry) -> None:
        spend(state, entry)
        budget = state.budgets[entry.dataset]
        budget.scope, budget.row = Scope(), budget.row._replace(unit=None)

    monkeypatch.setattr(Replay, "_spend", forget)
    assert book.charge("d", "1/4", request_id="other", digest="x", scope=other).is_new
