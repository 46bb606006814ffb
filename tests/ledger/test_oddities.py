"""What nobody would do on purpose is refused in our own words: no traceback, and nothing spent."""

from fractions import Fraction
from pathlib import Path

import psycopg
import pytest

from discreet.errors import BudgetExceeded, InvalidInput, LedgerError
from discreet.ledger import Ledger


@pytest.mark.parametrize("length", [245, 250, 300])
def test_a_name_that_is_too_long_is_refused(length: int, tmp_path: Path) -> None:
    place = tmp_path / ("x" * length)
    with pytest.raises(LedgerError, match="cannot be"):
        Ledger.create(place, dataset="d", epsilon=1)
    with pytest.raises(LedgerError):
        Ledger(place)
    assert list(tmp_path.iterdir()) == []


def test_links_that_lead_in_a_circle_are_refused(tmp_path: Path) -> None:
    place = tmp_path / "circle.db"
    place.symlink_to(place)
    with pytest.raises(LedgerError):
        Ledger.create(place, dataset="d", epsilon=1)
    with pytest.raises(LedgerError):
        Ledger(place)


def test_a_link_leads_to_one_ledger_and_one_budget(tmp_path: Path) -> None:
    (tmp_path / "link.db").symlink_to(tmp_path / "real.db")
    linked = Ledger.create(tmp_path / "link.db", dataset="d", epsilon=1)
    assert (tmp_path / "real.db").is_file()
    linked.charge("d", 1, request_id="r", digest="x")
    with pytest.raises(BudgetExceeded):
        Ledger(tmp_path / "real.db").charge("d", 1, request_id="s", digest="x")


def test_numbers_that_python_would_not_write_are_refused_in_six_digits(tmp_path: Path) -> None:
    ledger = Ledger.create(tmp_path / "l.db", dataset="d", epsilon=Fraction(7**4000 + 1, 7**4000))
    ledger.charge("d", Fraction(1, 11) ** 200 * 11**190, request_id="r", digest="x")
    with pytest.raises(BudgetExceeded, match=r"epsilon = 5\.00001 does not fit: 0\.999999 of 1 is left"):
        ledger.charge("d", 5 * Fraction(10**450 + 1, 10**450), request_id="s", digest="x")
    with pytest.raises(InvalidInput, match="round it to few digits"):
        ledger.charge("d", 5 * Fraction(10**4500 + 1, 10**4500), request_id="s", digest="x")


def test_an_outcome_too_deep_to_be_read_back_is_refused(tmp_path: Path) -> None:
    ledger = Ledger.create(tmp_path / "l.db", dataset="d", epsilon=1)
    ledger.charge("d", 1, request_id="r", digest="x")
    with pytest.raises(InvalidInput, match="must be a JSON text"):
        ledger.seal("r", "[" * 10**5 + "]" * 10**5)


@pytest.mark.parametrize("lost", ["DEALLOCATE ALL", "DISCARD ALL"])
def test_a_pool_that_forgets_statements_is_named_and_costs_nothing(lost: str, database: str) -> None:
    ledger = Ledger.create(database, dataset="d", epsilon=9)
    for number in range(4):
        ledger.charge("d", 1, request_id=str(number), digest="x")
    link: psycopg.Connection[object] = ledger._store._shared.link()  # type: ignore[union-attr]
    link.pgconn.exec_(lost.encode())
    with pytest.raises(LedgerError, match="forgets prepared statements"):
        ledger.charge("d", 1, request_id="r", digest="x")
    assert ledger.charge("d", 1, request_id="r", digest="x").is_new
    assert ledger.spent("d").epsilon == 5
