"""Rows of a ledger: which are texts, how they are exported, and what is refused."""

import logging
from fractions import Fraction
from typing import Any

import pytest

from discreet.errors import InvalidInput, LedgerError
from discreet.ledger import accounts, postgres_link
from discreet.ledger.entries import (
    LATER,
    Amount,
    Entry,
    Loss,
    Scope,
    _read_number,
    as_csv,
    exact_amount,
    harmless,
    proper_name,
)
from discreet.ledger.schedules import Need, Schedule


def changed(row: Entry, **fields: Any) -> Entry:
    """The row with other fields, whatever their type."""
    return row._replace(**fields)


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
    with pytest.raises(ValueError, match="not an amount"):
        _read_number(f"1{'0' * 4000}/{'3' * 4000}")
    for text in (None, 7, "", "-1", "+1", "1.5", "1/0", "1/-2", " 1", "1\n", "٣", "1/٣", "1e3"):
        with pytest.raises(ValueError, match="not an amount"):
            _read_number(text)
    for text in ("2/4", "01", "1/1", "0/5"):
        with pytest.raises(ValueError, match="not in lowest terms"):
            _read_number(text)


LARGEST = 10**4000 - 1
"""What a ledger keeps of a number: so many digits above the line, and below it."""


@pytest.mark.parametrize("number", [Fraction(LARGEST), Fraction(1, LARGEST), Fraction(LARGEST, LARGEST - 1)])
def test_what_is_not_refused_when_it_is_written_can_be_read(number: Fraction) -> None:
    for amount in (Amount(number, Fraction(0)), Amount(Fraction(1), number)):
        row = changed(ROW, **Loss(amount, None).texts())
        assert row.loss == (amount, None)


@pytest.mark.parametrize("number", [Fraction(LARGEST + 1), Fraction(1, LARGEST + 1)])
def test_what_has_more_digits_than_are_kept_is_refused_before_it_is_written(number: Fraction) -> None:
    for amount in (Amount(number, Fraction(0)), Amount(Fraction(1), number)):
        with pytest.raises(InvalidInput, match="a denominator that does not go with the earlier ones"):
            Loss(amount).texts()


def test_a_loss_is_written_in_exact_texts_under_names_that_may_begin_alike() -> None:
    loss = Loss(Amount(Fraction(1, 3), Fraction(1, 10**9)), Fraction(1, 18))
    assert loss.texts() == {"epsilon": "1/3", "delta": "1/1000000000", "rho": "1/18"}
    assert Loss(loss.amount, None).texts("spent_") == {"spent_epsilon": "1/3", "spent_delta": "1/1000000000"}
    assert loss.amount.to_json() == {"epsilon": "1/3", "delta": "1/1000000000"}
    total = Loss(Amount(Fraction(2, 3), Fraction(0)), Fraction(2, 9))
    row = changed(ROW, **loss.texts(), **total.texts("spent_"))
    assert (row.loss, row.amount, row.total) == (loss, loss.amount, total)


def test_losses_add_up_in_every_part_and_a_rho_that_is_not_known_stays_so() -> None:
    one, other = (Loss(Amount(Fraction(1, a), Fraction(1, 10 * a)), Fraction(1, 100 * a)) for a in (2, 3))
    assert one.plus(other) == (Amount(Fraction(5, 6), Fraction(1, 12)), Fraction(1, 120))
    assert one.amount.minus(other.amount) == (Fraction(1, 6), Fraction(1, 60))
    unknown = Loss(one.amount, None)
    for sum_ in (unknown.plus(other), other.plus(unknown), unknown.plus(unknown)):
        assert sum_.rho is None
    assert unknown.times(2) == (Amount(Fraction(1), Fraction(1, 20)), None)
    assert Loss().plus(one) == one
    tiny = Loss(Amount(Fraction(1), Fraction(0)), Fraction(1, 3**100))
    assert tiny.plus(Loss()).rho == Fraction(1, 2**128), "rounded up"
    assert tiny.times(2).rho == Fraction(1, 2**128)


def test_an_amount_is_within_another_if_both_parts_are() -> None:
    whole = Amount(Fraction(1), Fraction(1, 10))
    assert whole.within(whole)
    assert not whole.within(Amount(Fraction(1, 2), Fraction(1)))
    assert not whole.within(Amount(Fraction(2), Fraction(1, 20)))


def test_an_amount_that_is_asked_for_has_an_epsilon_above_0_and_a_delta_below_1() -> None:
    assert exact_amount("1/3", 0.1) == (Fraction(1, 3), Fraction(1, 10))
    assert exact_amount("1e-300", 0).delta == 0
    for epsilon, delta, parameter in ((0, 0, "epsilon"), (-1, 0, "epsilon"), (1, -1, "delta"), (1, "-1e-9", "delta")):
        with pytest.raises(InvalidInput) as refused:
            exact_amount(epsilon, delta)
        assert refused.value.parameter == parameter
    for delta in (1, "3/2"):
        with pytest.raises(InvalidInput, match="delta must be less than 1"):
            exact_amount(1, delta)


def test_columns_are_kept_in_order_and_read_again() -> None:
    scope = Scope(None, frozenset({"b", "a"}), frozenset({"d", "c"}))
    row = ROW._replace(columns=scope.columns)
    assert row.columns == '{"protected":["a","b"],"public":["c","d"]}'
    assert row.scope == scope
    assert Scope(public=frozenset({"c"})).columns == '{"protected":[],"public":["c"]}'
    assert ROW.scope == Scope()
    assert ROW._replace(columns='{"public":["c"]}').scope == Scope(public=frozenset({"c"}))
    assert ROW._replace(columns='{"protected":["a"]}').scope == Scope(protected=frozenset({"a"}))


def test_scopes_together_have_all_columns_and_a_conflict_is_named_whichever_comes_first() -> None:
    one, other = Scope("id", frozenset({"a", "b"}), frozenset({"x"})), Scope("id", frozenset({"c"}), frozenset({"y"}))
    assert one.plus(other) == Scope("id", frozenset({"a", "b", "c"}), frozenset({"x", "y"}))
    assert one.conflict(other) is None
    public = Scope("id", public=frozenset({"b", "a"}))
    assert (one.conflict(public), public.conflict(one)) == ("a", "a")
    assert (one.conflict(one), public.conflict(public)) == (None, None)


def test_a_row_is_hashed_with_every_field_that_it_has() -> None:
    whole = Entry(1, *(f"field {i}" for i in range(1, len(Entry._fields))))
    hashes = {changed(whole, **{name: "other"}).computed_hash() for name in Entry._fields if name != "hash"}
    assert len(hashes | {whole.computed_hash()}) == len(Entry._fields)
    assert whole._replace(hash="other").computed_hash() == whole.computed_hash()
    assert set(LATER) == {"composition", "rho", "spent_rho", "unit", "columns"}
    for name in LATER:
        assert f'"{name}"'.encode() not in changed(whole, **{name: None}).canonical(), "as before there was one"
    assert b'"digest":null' in whole._replace(digest=None).canonical()


@pytest.mark.parametrize("name", ["kind", "dataset", "time", "previous", "hash"])
def test_no_row_is_without_what_every_row_has(name: str) -> None:
    assert not changed(ROW, **{name: None}).is_text()
    assert not changed(ROW, **{name: 7}).is_text()


def test_a_name_has_between_1_and_200_printable_characters() -> None:
    for name in ("x", "x" * 200, "two words", "é"):
        assert proper_name(name, "it") == name
    for wrong in ("", "x" * 201, " x", "x ", "a\nb", None, 7):
        with pytest.raises(InvalidInput, match="it has no proper name") as refused:
            proper_name(wrong, "it")
        assert refused.value.hint == "use 1 to 200 printable characters, with no blanks around them"


def test_only_what_begins_like_a_formula_gets_an_apostrophe() -> None:
    for text in ("=1", " =1", "\t1", "\r1", "  +1", "-1", "@x", "＝1"):
        assert harmless(text) == f"'{text}"
    for text in ("1", "a=1", "", "1/3", "'=1"):
        assert harmless(text) == text
    assert (harmless(None), harmless(7)) == ("", "7")


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
