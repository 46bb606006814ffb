"""Rows of a ledger: which are texts, how they are exported, and what is refused."""

import logging
from fractions import Fraction

import pytest

from discreet.errors import LedgerError
from discreet.ledger import accounts, postgres_link
from discreet.ledger.entries import MAX_DIGITS, Entry, _read_number, as_csv
from discreet.ledger.schedules import Need, Schedule

ROW = Entry(seq=1, kind="budget", dataset="d", time="2030-01-01T00:00:00+00:00")


def test_a_row_is_of_texts_if_none_is_missing_or_a_number() -> None:
    assert ROW.is_text()
    assert not ROW._replace(kind=None).is_text()  # type: ignore[arg-type]
    assert not ROW._replace(epsilon=1.5).is_text()  # type: ignore[arg-type]


def test_exported_rows_end_as_lines_of_unix_do() -> None:
    text = as_csv([ROW])
    header, row, end = text.split("\n")
    assert "\r" not in text
    assert header.startswith("seq,kind,dataset,time,")
    assert row.startswith("1,budget,d,2030-01-01T00:00:00+00:00,")
    assert end == ""


def test_an_amount_has_no_more_digits_than_a_ledger_keeps() -> None:
    part = MAX_DIGITS - 1
    assert _read_number(f"1{'0' * part}/{'3' * part}") > 1
    with pytest.raises(ValueError, match="not an amount"):
        _read_number(f"1{'0' * part}00/{'3' * part}")


def test_the_slots_of_several_releases_are_written_from_the_greatest_need_on() -> None:
    schedule = Schedule.read("2 x 1/2, 2 x 1", 2)
    needs = [Need(Fraction(1, 4), Fraction(1, 100)), Need(Fraction(3, 4), Fraction(1, 50))]
    taken = schedule.take(needs, {})
    assert taken is not None
    assert [(each.slot, each.need.epsilon) for each in taken] == [(1, Fraction(3, 4)), (0, Fraction(1, 4))]


def test_damage_and_what_is_no_ledger_say_what_to_do() -> None:
    damage = accounts.damage_error("x.db", 7)
    assert "row 7 of x.db is not as it was written" in str(damage)
    assert damage.hint == accounts.RESTORE
    broken = postgres_link._ledger_error(ValueError(), "x")
    assert isinstance(broken, LedgerError)
    assert "x is not a ledger, or broken" in str(broken)
    assert broken.hint == "check the name, or restore a copy whose head you know"


def test_the_driver_writes_nothing_to_the_terminal() -> None:
    handlers = logging.getLogger("psycopg").handlers
    assert any(isinstance(handler, logging.NullHandler) for handler in handlers)
