"""A ledger is read from its first row to its last: what adds up is taken, and the first row that does not is named."""

import json
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import pytest

from discreet.errors import LedgerError
from discreet.ledger.accounts import RESTORE, Replay, replay
from discreet.ledger.entries import FIRST, Entry
from discreet.privacy_loss.renyi_bounds import pure_rho

TIME = "2030-01-01T00:00:00+00:00"
BUDGET = Entry(
    0, "budget", "d", TIME, epsilon="1", delta="1/10", adjacency="replace-one", composition="basic", unit="row"
)
OTHER = BUDGET._replace(dataset="e")


def charge(request_id: str, epsilon: str = "1/4", spent: str = "", *, times: int = 1, dataset: str = "d") -> Entry:
    """One of `times` equal charges: the last of them."""
    rho = pure_rho(Fraction(epsilon))
    return Entry(
        0,
        "charge",
        dataset,
        TIME,
        epsilon=epsilon,
        delta="0",
        spent_epsilon=spent or str(times * Fraction(epsilon)),
        spent_delta="0",
        adjacency="replace-one",
        request_id=request_id,
        digest="x",
        rho=str(rho),
        spent_rho=str(times * rho),
        unit="row",
    )


def seal(request_id: str, outcome: str | None = "{}", dataset: str = "d") -> Entry:
    return Entry(0, "seal", dataset, TIME, request_id=request_id, digest="x", outcome=outcome)


def chained(rows: Sequence[Entry]) -> list[Entry]:
    """The rows with their numbers and hashes, as someone who knows the rule can write them."""
    chain: list[Entry] = []
    for row in rows:
        linked = row._replace(seq=len(chain) + 1, previous=chain[-1].hash if chain else FIRST)
        chain.append(linked._replace(hash=linked.computed_hash()))
    return chain


def test_rows_that_follow_each_other_add_up() -> None:
    rows = chained([BUDGET, OTHER, charge("a"), charge("b", "1/3", dataset="e"), charge("c", times=2), seal("a")])
    state = replay(rows, "l.db")
    assert (state.rows, state.head, state.entries) == (6, rows[-1].hash, rows)
    assert list(state.charges) == ["a", "b", "c"]
    assert state.seals == {"a": rows[-1]}
    one, other = state.accounts()
    assert (one.dataset, one.spent, one.charges, one.sealed) == ("d", (Fraction(1, 2), Fraction(0)), 2, 1)
    assert (one.unfinished, one.units, one.unit, one.slots) == (("c",), ("row",), "row", ())
    assert (one.adjacency, one.composition, one.budget) == ("replace-one", "basic", (Fraction(1), Fraction(1, 10)))
    assert (other.dataset, other.spent.epsilon, other.unfinished) == ("e", Fraction(1, 3), ("b",))
    assert Replay().only is None
    assert Replay().rows == 0
    assert Replay().head == FIRST


HALF = charge("b", times=2)
RHO = str(2 * pure_rho(Fraction(1, 4)))

WRONG = {
    "no name": HALF._replace(request_id=None),
    "charged twice": HALF._replace(request_id="a"),
    "charged twice, elsewhere": charge("a", dataset="e"),
    "no loss": charge("b", "0", "1/4")._replace(spent_rho=charge("a").rho),
    "no loss, of which nothing else is known": charge("b", "0", "1/4")._replace(rho=None, spent_rho=None),
    "no rho": HALF._replace(rho="0", spent_rho=charge("a").rho),
    "a rho above all that was ever written": HALF._replace(
        rho="1/31", spent_rho=str(Fraction(RHO) / 2 + Fraction(1, 31))
    ),
    "a sum that is too small": HALF._replace(spent_epsilon="1/4"),
    "a sum that is too large": HALF._replace(spent_epsilon="3/4"),
    "a sum of deltas": HALF._replace(spent_delta="1/100"),
    "a sum of rhos": HALF._replace(spent_rho=charge("a").rho),
    "no sum of rhos": HALF._replace(spent_rho=None),
    "beyond the budget": charge("b", "1", "5/4"),
    "no budget": charge("b", dataset="nobody"),
    "a second budget": BUDGET,
    "a budget of nothing": BUDGET._replace(dataset="f", epsilon="0"),
    "a budget with a rho that nobody asked for": BUDGET._replace(dataset="f", rho="1/100"),
    "another kind": HALF._replace(kind="refund"),
    "a number": HALF._replace(digest=7),  # type: ignore[arg-type]
    "a seal without its charge": seal("b"),
    "an empty seal": seal("a", None),
    "a seal of another dataset": seal("a", dataset="e"),
    "a seal of another digest": seal("a")._replace(digest="y"),
    "a seal that spends": seal("a")._replace(epsilon="1"),
    "a seal of nobody": seal("a")._replace(request_id=None),
}


@pytest.mark.parametrize("row", WRONG.values(), ids=WRONG)
def test_a_row_that_this_library_would_not_have_written_is_named(row: Entry) -> None:
    with pytest.raises(LedgerError, match=r"^row 4 of l\.db is not as it was written") as refused:
        replay(chained([BUDGET, OTHER, charge("a"), row]), "l.db")
    assert refused.value.hint == RESTORE


def test_a_second_seal_is_named() -> None:
    with pytest.raises(LedgerError, match="row 4 of"):
        replay(chained([BUDGET, charge("a"), seal("a"), seal("a", "[]")]), "l.db")


def test_the_largest_rho_that_was_ever_written_is_half_the_square_of_epsilon() -> None:
    before = charge("a")._replace(rho="1/32", spent_rho="1/32")
    assert replay(chained([BUDGET, before]), "l.db").rows == 2


def test_a_charge_with_a_delta_may_have_any_rho_above_nothing() -> None:
    """Its rho is that of its noise: half the square of its ε bounds only what has no δ."""
    row = charge("a")._replace(delta="1/20", spent_delta="1/20", rho="1", spent_rho="1")
    assert replay(chained([BUDGET, row]), "l.db").budgets["d"].spent.rho == 1
    with pytest.raises(LedgerError, match="row 2 of"):
        replay(chained([BUDGET, row._replace(rho="0", spent_rho="0")]), "l.db")


@pytest.mark.parametrize("field", ["seq", "previous", "hash"])
def test_a_link_of_the_chain_that_is_broken_is_named(field: str) -> None:
    rows = chained([BUDGET, charge("a"), charge("b", times=2)])
    change: dict[str, Any] = {field: 3 if field == "seq" else "1" * 64}
    broken = rows[1]._replace(**change)
    if field != "hash":
        broken = broken._replace(hash=broken.computed_hash())
    with pytest.raises(LedgerError, match="row 2 of"):
        replay([rows[0], broken, rows[2]], "l.db")


def test_a_ledger_without_rows_has_lost_them() -> None:
    with pytest.raises(LedgerError, match=r"^l\.db has lost its rows") as refused:
        replay([], "l.db")
    assert refused.value.hint == RESTORE == "spend nothing more from it, and restore a copy whose head you know"


def test_of_one_dataset_only_its_own_rows_are_added_up() -> None:
    rows = chained([BUDGET, OTHER, charge("a"), charge("b", dataset="e"), charge("c", times=2), seal("b", dataset="e")])
    state = replay([row for row in rows if row.dataset == "d" or row.kind == "seal"], "l.db", "d")
    assert (state.only, state.rows, state.head) == ("d", 6, rows[-1].hash)
    assert state.budgets["d"].spent.amount.epsilon == Fraction(1, 2)
    assert (list(state.charges), state.seals) == (["a", "c"], {})
    another = replay([rows[0], rows[3]], "l.db", "d")
    assert (list(another.charges), another.budgets["d"].spent.amount.epsilon) == (["b"], Fraction(0))


def test_of_one_dataset_a_wrong_row_is_named_by_its_number() -> None:
    rows = chained([BUDGET, OTHER, charge("a"), charge("b", "1/4", "1/4")])
    for wrong in (rows[3], rows[2]._replace(hash="0" * 64)):
        with pytest.raises(LedgerError, match=f"row {wrong.seq} of"):
            replay([rows[0], *rows[2 : wrong.seq - 1], wrong], "l.db", "d")


def test_a_new_row_is_chained_to_the_last_and_there_is_one() -> None:
    rows = chained([BUDGET, charge("a")])
    state = replay(rows, "l.db")
    row = state.append(charge("b", times=2)._replace(seq=9, previous="x", hash="y"))
    assert (row.seq, row.previous, row.unit) == (3, rows[-1].hash, "row")
    assert row == state.new
    assert state.rows == 2, "it is not read yet"
    state.add(row)
    with pytest.raises(AssertionError, match="one row"):
        state.append(charge("c"))


def test_where_units_cannot_be_kept_a_new_row_says_none() -> None:
    state = Replay(has_units=False)
    row = state.append(BUDGET._replace(columns='{"protected":["vote"],"public":[]}'))
    assert (row.unit, row.columns, row.seq, row.previous) == (None, None, 1, FIRST)
    assert row.hash == row.computed_hash()


@pytest.mark.parametrize(
    ("outcome", "unit"),
    [
        ({"unit": "one row"}, "one row"),
        ({"columns": [{"unit": "people"}, {"unit": "one row"}]}, "one row"),
        ({"columns": [{"unit": "people"}, "x", {}]}, "people"),
        ({"columns": []}, "unknown"),
        ({"epsilon": "1"}, "unknown"),
        ([{"unit": "one row"}], "unknown"),
        (None, "unknown"),
    ],
)
def test_before_units_were_kept_the_receipt_says_what_was_protected(outcome: object, unit: str) -> None:
    rows = [BUDGET._replace(unit=None), charge("a")._replace(unit=None), charge("b", times=2)]
    seals = [] if outcome is None else [seal("a", json.dumps(outcome))]
    [account] = replay(chained([*rows, *seals]), "l.db").accounts()
    assert account.units == tuple(sorted(("row", unit)))
    assert account.unit is None
