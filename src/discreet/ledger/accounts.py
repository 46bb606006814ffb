"""Reading a ledger from its first row to its last: what was budgeted and spent, and the first row that is wrong."""

from __future__ import annotations

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


@dataclass(frozen=True, slots=True)
class Account:
    """A dataset's budget and what became of it."""

    dataset: str
    adjacency: str
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


def account_of(budget: Entry, spent: Spent, *, charges: int, sealed: int) -> Account:
    """The account of a budget with this much spent."""
    return Account(
        dataset=budget.dataset,
        adjacency=str(budget.adjacency),
        composition=composition_of(budget),
        budget=budget.amount,
        spent=spent.amount,
        concentrated=guaranteed(budget, spent),
        remaining=largest(budget, spent),
        charges=charges,
        sealed=sealed,
    )


@dataclass(slots=True)
class Replay:
    """The state after some rows. `add` refuses a row that this library would not have written after them."""

    head: str = FIRST
    rows: int = 0
    hashes: set[str] = field(default_factory=set)
    budgets: dict[str, Entry] = field(default_factory=dict)
    spent: dict[str, Spent] = field(default_factory=dict)
    charges: dict[str, Entry] = field(default_factory=dict)
    seals: dict[str, Entry] = field(default_factory=dict)

    def add(self, entry: Entry) -> None:
        """Take one more row; `ValueError`, `TypeError` or `KeyError` if anything about it is wrong."""
        if entry.seq != self.rows + 1 or entry.previous != self.head or entry.hash != entry.computed_hash():
            raise ValueError("the chain is broken")
        {BUDGET: self._add_budget, CHARGE: self._add_charge, SEAL: self._add_seal}[entry.kind](entry)
        self.head, self.rows = entry.hash, entry.seq
        self.hashes.add(entry.hash)

    def accounts(self) -> list[Account]:
        """One account for each dataset, in the order of their budgets."""
        return [
            account_of(
                budget,
                self.spent[dataset],
                charges=sum(charge.dataset == dataset for charge in self.charges.values()),
                sealed=sum(seal.dataset == dataset for seal in self.seals.values()),
            )
            for dataset, budget in self.budgets.items()
        ]

    def _add_budget(self, entry: Entry) -> None:
        if entry.dataset in self.budgets or entry.amount.epsilon <= 0 or not is_sound(entry):
            raise ValueError("a second, an empty or a false budget")
        self.budgets[entry.dataset], self.spent[entry.dataset] = entry, Spent()

    def _add_charge(self, entry: Entry) -> None:
        budget = self.budgets[entry.dataset]
        rho = None if entry.rho is None else read_number(entry.rho)
        spent = self.spent[entry.dataset].plus(entry.amount, rho)
        adds_up = entry.amount.epsilon > 0 and is_price(rho, entry.amount) and spent == spent_with(entry)
        if (
            entry.request_id is None
            or entry.request_id in self.charges
            or not covers(entry.adjacency, budget.adjacency)
            or not (adds_up and fits(budget, spent))
        ):
            raise ValueError("a charge that could not have been accepted")
        self.charges[entry.request_id], self.spent[entry.dataset] = entry, spent

    def _add_seal(self, entry: Entry) -> None:
        charge = self.charges[str(entry.request_id)]
        if entry.request_id in self.seals or entry.outcome is None:
            raise ValueError("a second or an empty seal")
        if (entry.dataset, entry.digest) != (charge.dataset, charge.digest):
            raise ValueError("a seal for another charge")
        self.seals[str(entry.request_id)] = entry


def replay(entries: Iterable[Entry], name: str) -> Replay:
    """Go through the rows; `LedgerError` names the first that is wrong. Tested on flips of every field of every row."""
    state, bad = Replay(), 0
    for place, entry in enumerate(entries, start=1):
        try:
            state.add(entry)
        except (ValueError, TypeError, KeyError, UnicodeEncodeError):
            bad = place
            break
    if bad:
        raise LedgerError(f"row {bad} of {name} is not as it was written", hint=MEND)
    if not state.rows:
        raise LedgerError(f"{name} has lost its rows", hint=MEND)
    return state


MEND = "spend nothing more from it, and restore a copy whose head you know"
