"""A ledger of version 1, as it was written then: it opens, verifies, and goes on by the rules it was made under."""

from __future__ import annotations

import sqlite3
from fractions import Fraction
from pathlib import Path

import pytest

from discreet.errors import BudgetExceeded, InvalidInput, LedgerError
from discreet.ledger import Ledger
from tests.contracts.source import ROOT

HEAD = "a4f1ca965071f516cbc9415149a69a852ad03022287111f50b6eda99f24b4c59"


@pytest.fixture
def old(tmp_path: Path, quick: None) -> Ledger:
    path = tmp_path / "l.db"
    connection = sqlite3.connect(path)
    connection.executescript((ROOT / "tests" / "ledger" / "version1.sql").read_text(encoding="utf-8"))
    connection.close()
    return Ledger(path)


def test_it_opens_and_verifies_with_the_head_that_it_had(old: Ledger) -> None:
    assert (old.verify(HEAD).rows, old.head()) == (6, HEAD)
    anes, census = old.accounts()
    assert (anes.composition, anes.concentrated) == ("basic", None)
    assert anes.spent == (Fraction(17, 70), Fraction(1, 10**9))
    assert census.remaining.epsilon == 2
    assert '"rho": null' in old.export()


def test_it_is_charged_and_sealed_on_and_stays_of_its_version(old: Ledger, tmp_path: Path) -> None:
    assert old.charge("anes", "1/7", "1e-9", request_id="tuesday", digest="f").is_new is False
    assert old.charge("anes", "1/7", "1e-9", request_id="tuesday", digest="f", rho="1/800").is_new is False
    old.charge("anes", "1/10", request_id="wednesday", digest="g")
    old.seal("wednesday", "{}")
    Ledger.create(tmp_path / "l.db", dataset="third", epsilon=1)
    with pytest.raises(BudgetExceeded):
        old.charge("anes", 1, request_id="thursday", digest="h")
    assert old.verify(HEAD).rows == 9
    connection = sqlite3.connect(tmp_path / "l.db")
    assert connection.execute("PRAGMA user_version").fetchone() == (1,)
    connection.close()
    assert [entry.rho for entry in old.history()] == [None] * 9


def test_a_concentrated_budget_needs_a_new_ledger(old: Ledger, tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="earlier version"):
        Ledger.create(tmp_path / "l.db", dataset="z", epsilon=1, delta="1e-6", composition="zcdp")
    assert old.verify(HEAD).rows == 6


def test_a_changed_row_is_named(old: Ledger, tmp_path: Path) -> None:
    connection = sqlite3.connect(tmp_path / "l.db", isolation_level=None)
    connection.execute("DROP TRIGGER no_update")
    connection.execute("UPDATE entries SET epsilon = '1/11' WHERE seq = 3")
    connection.close()
    with pytest.raises(LedgerError, match="row 3 of"):
        old.verify()
