"""A budget adds up losses over its own neighbours: what protects others costs more there, or is refused."""

import math
from fractions import Fraction
from itertools import product
from pathlib import Path

import pytest

from discreet.errors import BudgetExceeded, InvalidInput, LedgerError
from discreet.ledger import Ledger, budgets
from discreet.ledger.budgets import ADJACENCIES, losses_of_one
from discreet.privacy_loss.renyi_bounds import pure_rho

pytestmark = pytest.mark.usefixtures("quick")

COSTS = {
    ("replace-one", "replace-one"): 1,
    ("replace-one", "replace-answer"): 1,
    ("replace-answer", "replace-answer"): 1,
    ("add-remove", "add-remove"): 1,
    ("add-remove", "replace-one"): 2,
    ("add-remove", "replace-answer"): 2,
}
"""By the release's adjacency and the budget's. What is not here is refused."""


@pytest.mark.parametrize(("released", "budgeted"), list(product(ADJACENCIES, repeat=2)))
def test_a_release_costs_as_many_losses_as_its_steps_lead_from_neighbour_to_neighbour(
    released: str, budgeted: str, ledger_place: str
) -> None:
    ledger = Ledger.create(ledger_place, dataset="d", epsilon=1, adjacency=budgeted)
    cost = COSTS.get((released, budgeted))
    if cost is None:
        with pytest.raises(InvalidInput, match=f"is budgeted under {budgeted}, and this release is under {released}"):
            ledger.charge("d", "1/3", request_id="r", digest="x", adjacency=released)
        assert ledger.verify().rows == 1
        return
    charge = ledger.charge("d", "1/3", request_id="r", digest="x", adjacency=released)
    assert (charge.epsilon, charge.adjacency) == (Fraction(1, 3), released), "a receipt says the same"
    assert ledger.spent("d").epsilon == Fraction(cost, 3)
    assert not ledger.charge("d", "1/3", request_id="r", digest="x", adjacency=released).is_new
    assert ledger.verify().rows == 2


def test_the_steps_are_those_between_tables() -> None:
    """By brute force: tables of two people over two groups and two answers, or nobody."""
    records = list(product("fm", "yn"))
    tables = [tuple(sorted(table)) for size in range(3) for table in product(records, repeat=size)]

    def neighbours(relation: str, one: tuple[tuple[str, str], ...]) -> set[tuple[tuple[str, str], ...]]:
        smaller = {one[:i] + one[i + 1 :] for i in range(len(one))}
        if relation == "add-remove":
            return smaller | {tuple(sorted((*one, record))) for record in records}
        return {
            tuple(sorted((*one[:i], record, *one[i + 1 :])))
            for i in range(len(one))
            for record in records
            if relation == "replace-one" or record[0] == one[i][0]
        }

    for released, budgeted in product(ADJACENCIES, repeat=2):
        steps = 0
        for table in set(tables):
            within, reached = {table}, 0
            goals = neighbours(budgeted, table) - {table}
            while not goals <= within and reached < 3:
                within |= {other for each in within for other in neighbours(released, each)}
                reached += 1
            steps = max(steps, reached)
        assert losses_of_one(released, budgeted) == (None if steps == 3 else steps)


def test_reasons_are_given_in_words(tmp_path: Path) -> None:
    Ledger.create(tmp_path / "l.db", dataset="here", epsilon=1)
    ledger = Ledger.create(tmp_path / "l.db", dataset="private n", epsilon=1, adjacency="add-remove")
    with pytest.raises(InvalidInput, match="publish the number of records, which this budget protects") as refused:
        ledger.charge("private n", "1/3", request_id="r", digest="x")
    assert "release under add-remove" in refused.value.hint
    with pytest.raises(BudgetExceeded, match="epsilon = 6/5 does not fit: 1 of 1 is left for 'here'") as dear:
        ledger.charge("here", "3/5", request_id="r", digest="x", adjacency="add-remove")
    assert "costs twice its epsilon, as to replace is to remove and to add" in dear.value.hint
    with pytest.raises(InvalidInput, match="there is no adjacency of that name"):
        Ledger.create(tmp_path / "l.db", dataset="e", epsilon=1, adjacency="add-remove-one")


def test_a_delta_does_not_double_and_is_refused(tmp_path: Path) -> None:
    ledger = Ledger.create(tmp_path / "l.db", dataset="d", epsilon=1, delta="1e-6")
    with pytest.raises(InvalidInput, match="a delta under add-remove has no price under replace-one"):
        ledger.charge("d", "1/10", "1e-9", request_id="r", digest="x", adjacency="add-remove")
    add_remove = Ledger.create(tmp_path / "l.db", dataset="own", epsilon=1, delta="1e-6", adjacency="add-remove")
    add_remove.charge("own", "1/10", "1e-9", request_id="r", digest="x", adjacency="add-remove")
    assert add_remove.spent("own") == (Fraction(1, 10), Fraction(1, 10**9))


def test_under_zcdp_two_steps_cost_four_times_the_rho(ledger_place: str) -> None:
    ledger = Ledger.create(ledger_place, dataset="d", epsilon=1, delta="1e-6", composition="zcdp")
    ledger.charge("d", "1/20", request_id="r", digest="x", adjacency="add-remove")
    [charge] = ledger.history()[1:]
    assert charge.loss.rho == pure_rho(Fraction(1, 20))
    assert (charge.total.rho, charge.spent_epsilon) == (4 * pure_rho(Fraction(1, 20)), "1/10")
    ledger.charge("d", "1/10", request_id="s", digest="x")
    twice = ledger.history()[2].total.rho
    assert twice == 4 * pure_rho(Fraction(1, 20)) + pure_rho(Fraction(1, 10)), "hardly less than the doubled ε"
    assert ledger.verify().rows == 3


def test_four_is_the_least_factor_that_holds_for_every_law() -> None:
    """Gaussian noise on the difference of two counts, which one record moves by one and a replacement by two."""
    step, sigma = 1 / 64, 1.0
    places = [step * i for i in range(-64 * 40, 64 * 40)]

    def divergence(order: float, shift: int) -> float:
        """Of the densities by a sum: the trapezoid rule is exact to the last digits here."""
        total = sum(math.exp(-(order * (x - shift) ** 2 + (1 - order) * x * x) / (2 * sigma**2)) for x in places)
        return math.log(total * step / math.sqrt(2 * math.pi * sigma**2)) / (order - 1)

    for order in (1.5, 2.0, 4.0):
        rho = divergence(order, 1) / order
        assert math.isclose(divergence(order, 2), 4 * rho * order, rel_tol=1e-9)


def test_a_ledger_whose_charge_was_paid_by_another_factor_is_named(
    ledger_place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The planted fault: a writer that takes every release at its own ε."""
    ledger = Ledger.create(ledger_place, dataset="d", epsilon=1)
    with monkeypatch.context() as planted:
        planted.setattr(budgets, "losses_of_one", lambda *_: 1)
        ledger.charge("d", "3/5", request_id="r", digest="x", adjacency="add-remove")
        assert ledger.spent("d").epsilon == Fraction(3, 5)
    with pytest.raises(LedgerError, match="row 2 of"):
        ledger.verify()
    with pytest.raises(LedgerError, match="row 2 of"):
        ledger.charge("d", "1/10", request_id="s", digest="x")
