"""Reading a ledger from its first row to its last: what was budgeted and spent, and the first row that is wrong."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from discreet.arithmetic.numbers import float_upper
from discreet.errors import LedgerError
from discreet.ledger.entries import BUDGET, CHARGE, FIRST, SEAL, Amount, Entry, read_number
from discreet.ledger.rules import (
    Spent,
    composition_of,
    covers,
    fits,
    guaranteed,
    is_price,
    is_sound,
    largest,
    spent_with,
)
from discreet.ledger.scopes import Scope, columns_of


@dataclass(frozen=True, slots=True)
class Account:
    """A dataset's budget and what became of it."""

    dataset: str
    adjacency: str
    unit: str | None
    """Whose data one record is; None for budgets from before units were kept."""
    units: tuple[str, ...]
    """What its charges protect: more than one only in a ledger of before."""
    composition: str
    budget: Amount
    spent: Amount
    """The plain sum of the charges."""
    concentrated: Amount | None
    """What they cost together under zero-concentrated privacy, rounded up; None for a budget that adds plainly."""
    remaining: Amount
    """The most that one more charge may cost."""
    charges: int
    sealed: int

    @property
    def guarantee(self) -> Amount:
        """What the releases so far promise together: the smaller ε of the two."""
        both = [self.spent] if self.concentrated is None else [self.spent, self.concentrated]
        return min(both, key=lambda amount: amount.epsilon)

    def to_json(self) -> dict[str, Any]:
        """The account for programs: amounts are exact texts; what has no short fraction is a float, rounded up."""
        together = self.concentrated
        return {
            "dataset": self.dataset,
            "adjacency": self.adjacency,
            "unit": self.unit,
            "units": list(self.units),
            "composition": self.composition,
            "budget": self.budget.to_json(),
            "spent": self.spent.to_json(),
            "concentrated": None
            if together is None
            else {"epsilon": float_upper(together.epsilon), "delta": str(together.delta)},
            "remaining": self.remaining.to_json(),
            "charges": self.charges,
            "sealed": self.sealed,
        }


@dataclass(slots=True)
class Replay:
    """The state after some rows. `add` refuses a row that this library would not have written after them.

    Of a ledger on a server only some rows are read for a charge: its dataset's but for the seals, its request's, and
    the newest. Then `only` names the dataset. Its sums are worked out anew from its rows all the same.
    """

    only: str | None = None
    entries: list[Entry] = field(default_factory=list)
    budgets: dict[str, Entry] = field(default_factory=dict)
    spent: dict[str, Spent] = field(default_factory=dict)
    scopes: dict[str, Scope] = field(default_factory=dict)
    charges: dict[str, Entry] = field(default_factory=dict)
    seals: dict[str, Entry] = field(default_factory=dict)

    @property
    def head(self) -> str:
        """The hash of the newest row."""
        return self.entries[-1].hash if self.entries else FIRST

    @property
    def rows(self) -> int:
        """The number of rows, also of those that were not read."""
        return self.entries[-1].seq if self.entries else 0

    def add(self, entry: Entry) -> None:
        """Take one more row; `ValueError`, `TypeError` or `KeyError` if anything about it is wrong."""
        follows = entry.seq == self.rows + 1 and entry.previous == self.head
        if entry.hash != entry.computed_hash() or not (follows or self.only is not None):
            raise ValueError("the chain is broken")
        {BUDGET: self._add_budget, CHARGE: self._add_charge, SEAL: self._add_seal}[entry.kind](entry)
        self.entries.append(entry)

    def accounts(self) -> list[Account]:
        """One account for each dataset, in the order of their budgets."""
        return [self._account(budget) for budget in self.budgets.values()]

    def _account(self, budget: Entry) -> Account:
        spent = self.spent[budget.dataset]
        charges = [charge for charge in self.charges.values() if charge.dataset == budget.dataset]
        return Account(
            dataset=budget.dataset,
            adjacency=str(budget.adjacency),
            unit=budget.unit,
            units=tuple(sorted(set(map(self._unit_of, charges)))),
            composition=composition_of(budget),
            budget=budget.amount,
            spent=spent.amount,
            concentrated=guaranteed(budget, spent),
            remaining=largest(budget, spent),
            charges=len(charges),
            sealed=sum(charge.request_id in self.seals for charge in charges),
        )

    def _add_budget(self, entry: Entry) -> None:
        if entry.dataset in self.budgets or entry.amount.epsilon <= 0 or not is_sound(entry):
            raise ValueError("a second, an empty or a false budget")
        self.budgets[entry.dataset], self.spent[entry.dataset] = entry, Spent()
        self.scopes[entry.dataset] = Scope()

    def _add_charge(self, entry: Entry) -> None:
        if entry.request_id is None or entry.request_id in self.charges:
            raise ValueError("a request that is charged twice")
        if self.only in {None, entry.dataset}:
            self._spend(entry)
        self.charges[entry.request_id] = entry

    def _spend(self, entry: Entry) -> None:
        budget, before = self.budgets[entry.dataset], self.scopes[entry.dataset]
        rho = None if entry.rho is None else read_number(entry.rho)
        spent, scope = self.spent[entry.dataset].plus(entry.amount, rho), columns_of(entry)
        if (
            entry.amount.epsilon <= 0
            or not is_price(rho, entry.amount)
            or spent != spent_with(entry)
            or not covers(entry.adjacency, budget.adjacency)
            or (budget.unit is not None and entry.unit != budget.unit)
            or not fits(budget, spent)
            or before.conflict(scope)
        ):
            raise ValueError("a charge that could not have been accepted")
        self.spent[entry.dataset], self.scopes[entry.dataset] = spent, before.plus(scope)

    def _add_seal(self, entry: Entry) -> None:
        charge = self.charges.get(str(entry.request_id))
        if charge is None and self.only is not None:  # the newest row, of another request
            return
        if charge is None or entry.request_id in self.seals or entry.outcome is None:
            raise ValueError("a second or an empty seal, or one without its charge")
        if (entry.dataset, entry.digest) != (charge.dataset, charge.digest):
            raise ValueError("a seal for another charge")
        self.seals[str(entry.request_id)] = entry

    def _unit_of(self, charge: Entry) -> str:
        """What a charge protects; before units were kept, the receipt that was sealed for it tells."""
        if charge.unit is not None:
            return charge.unit
        seal = self.seals.get(str(charge.request_id))
        outcome = None if seal is None else json.loads(str(seal.outcome))
        parts = outcome.get("columns", [outcome]) if isinstance(outcome, dict) else []
        units = (str(part["unit"]) for part in parts if isinstance(part, dict) and "unit" in part)
        return min(units, default="unknown")


class Page:
    """What one writer reads and may add: a single row, chained to the newest."""

    def __init__(self, state: Replay, *, has_units: bool = True) -> None:
        self.state = state
        self.new: Entry | None = None
        self._has_units = has_units

    def append(self, entry: Entry) -> Entry:
        """Chain a row to the last one: its `seq`, `previous` and `hash` are filled in here."""
        assert self.new is None, "a transaction writes one row"
        following = entry._replace(seq=self.state.rows + 1, previous=self.state.head)
        if not self._has_units:
            following = following._replace(unit=None, columns=None)
        self.new = following._replace(hash=following.computed_hash())
        return self.new


def replay(entries: Iterable[Entry], name: str, only: str | None = None) -> Replay:
    """Go through the rows; `LedgerError` names the first that is wrong. Tested on flips of every field of every row."""
    state = Replay(only)
    for place, entry in enumerate(entries, start=1):
        try:
            state.add(entry)
        except (ValueError, TypeError, KeyError, UnicodeEncodeError):
            raise damaged(name, place if only is None else entry.seq) from None
    if not state.entries:
        raise LedgerError(f"{name} has lost its rows", hint=MEND)
    return state


def damaged(name: str, row: int) -> LedgerError:
    """The refusal of a ledger with a row that this library would not have written."""
    return LedgerError(f"row {row} of {name} is not as it was written", hint=MEND)


MEND = "spend nothing more from it, and restore a copy whose head you know"
