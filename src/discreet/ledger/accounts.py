"""Reading a ledger from its first row to its last: what was budgeted and spent, and the first row that is wrong."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from discreet.errors import LedgerError
from discreet.ledger.entries import BUDGET, CHARGE, FIRST, NOTHING, SEAL, Amount, Entry


@dataclass(frozen=True, slots=True)
class Account:
    """A dataset's budget and what became of it."""

    dataset: str
    adjacency: str
    budget: Amount
    spent: Amount
    charges: int
    sealed: int

    @property
    def remaining(self) -> Amount:
        """What may still be spent."""
        return self.budget.minus(self.spent)


@dataclass(slots=True)
class Replay:
    """The state after some rows. `add` refuses a row that this library would not have written after them."""

    head: str = FIRST
    rows: int = 0
    hashes: set[str] = field(default_factory=set)
    budgets: dict[str, Entry] = field(default_factory=dict)
    spent: dict[str, Amount] = field(default_factory=dict)
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
            Account(
                dataset=dataset,
                adjacency=str(budget.adjacency),
                budget=budget.amount,
                spent=self.spent[dataset],
                charges=sum(charge.dataset == dataset for charge in self.charges.values()),
                sealed=sum(seal.dataset == dataset for seal in self.seals.values()),
            )
            for dataset, budget in self.budgets.items()
        ]

    def _add_budget(self, entry: Entry) -> None:
        if entry.dataset in self.budgets or entry.amount.epsilon <= 0:
            raise ValueError("a second or an empty budget")
        self.budgets[entry.dataset], self.spent[entry.dataset] = entry, NOTHING

    def _add_charge(self, entry: Entry) -> None:
        budget = self.budgets[entry.dataset]
        spent = self.spent[entry.dataset].plus(entry.amount)
        fits = entry.amount.epsilon > 0 and spent == entry.spent and spent.within(budget.amount)
        if (
            entry.request_id is None
            or entry.request_id in self.charges
            or entry.adjacency != budget.adjacency
            or not fits
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
        raise LedgerError(f"row {bad} of {name} is not as it was written", mend=MEND)
    if not state.rows:
        raise LedgerError(f"{name} has lost its rows", mend=MEND)
    return state


MEND = "spend nothing more from it, and restore a copy whose head you know"
