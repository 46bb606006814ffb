"""Reading a ledger from its first row to its last: what was budgeted and spent, and the first row that is wrong."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field

from discreet.errors import LedgerError
from discreet.ledger.budgets import Account, Budget, worst_rho
from discreet.ledger.entries import BUDGET, CHARGE, FIRST, SEAL, Entry

RESTORE = "spend nothing more from it, and restore a copy whose head you know"


@dataclass(slots=True)
class Replay:
    """The state after some rows. `add` refuses a row that this library would not have written after them.

    Of a ledger on a server only some rows are read for a charge: its dataset's but for the seals, its request's, and
    the newest. Then `only` names the dataset. Its sums are worked out anew from its rows all the same.
    """

    only: str | None = None
    entries: list[Entry] = field(default_factory=list)
    budgets: dict[str, Budget] = field(default_factory=dict)
    charges: dict[str, Entry] = field(default_factory=dict)
    seals: dict[str, Entry] = field(default_factory=dict)
    has_units: bool = True
    """Whether a row that is written can say its unit and its columns."""
    new: Entry | None = None
    """The row that is to be written: one in a transaction."""

    @property
    def head(self) -> str:
        """The hash of the newest row."""
        return self.entries[-1].hash if self.entries else FIRST

    @property
    def rows(self) -> int:
        """The number of rows, also of those that were not read."""
        return self.entries[-1].seq if self.entries else 0

    def append(self, entry: Entry) -> Entry:
        """Chain a new row to the last one: its `seq`, `previous` and `hash` are filled in here."""
        assert self.new is None, "a transaction writes one row"
        row = entry._replace(seq=self.rows + 1, previous=self.head)
        if not self.has_units:
            row = row._replace(unit=None, columns=None)
        self.new = row._replace(hash=row.computed_hash())
        return self.new

    def add(self, entry: Entry) -> None:
        """Take one more row; an error if anything about it is wrong."""
        follows = entry.seq == self.rows + 1 and entry.previous == self.head
        if entry.hash != entry.computed_hash() or not (follows or self.only is not None):
            raise ValueError("the chain is broken")
        if not entry.is_text():
            raise ValueError("a field that is no text")
        {BUDGET: self._add_budget, CHARGE: self._add_charge, SEAL: self._add_seal}[entry.kind](entry)
        self.entries.append(entry)

    def accounts(self) -> list[Account]:
        """One account for each dataset, in the order of their budgets."""
        return [self.account(budget) for budget in self.budgets.values()]

    def account(self, budget: Budget) -> Account:
        """One dataset's budget and what became of it."""
        row = budget.row
        charges = [charge for charge in self.charges.values() if charge.dataset == row.dataset]
        return Account(
            dataset=row.dataset,
            adjacency=str(row.adjacency),
            unit=row.unit,
            units=tuple(sorted(set(map(self._unit_of, charges)))),
            composition=budget.composition,
            budget=row.amount,
            spent=budget.spent.amount,
            concentrated=budget.concentrated,
            remaining=budget.remaining,
            charges=len(charges),
            sealed=sum(charge.request_id in self.seals for charge in charges),
            unfinished=tuple(str(charge.request_id) for charge in charges if charge.request_id not in self.seals),
            slots=budget.slots,
        )

    def _add_budget(self, entry: Entry) -> None:
        budget = Budget(entry)
        if entry.dataset in self.budgets or not budget.is_sound():
            raise ValueError("a second, an empty or a false budget")
        self.budgets[entry.dataset] = budget

    def _add_charge(self, entry: Entry) -> None:
        if entry.request_id is None or entry.request_id in self.charges:
            raise ValueError("a request that is charged twice")
        if self.only in {None, entry.dataset}:
            self._spend(entry)
        self.charges[entry.request_id] = entry

    def _spend(self, entry: Entry) -> None:
        budget, (amount, rho) = self.budgets[entry.dataset], entry.loss
        spent = budget.require_room(entry)
        is_price = rho is None or (rho > 0 and (amount.delta > 0 or rho <= worst_rho(amount)))
        if amount.epsilon <= 0 or not is_price or spent != entry.total:
            raise ValueError("a charge that could not have been accepted")
        budget.spend(entry, spent)

    def _add_seal(self, entry: Entry) -> None:
        charge = self.charges.get(str(entry.request_id))
        if charge is None and self.only is not None:  # the newest row, of another request
            return
        if charge is None or entry.request_id in self.seals or entry.outcome is None:
            raise ValueError("a second or an empty seal, or one without its charge")
        plain = Entry(entry.seq, SEAL, charge.dataset, entry.time, request_id=charge.request_id, digest=charge.digest)
        if entry != plain._replace(outcome=entry.outcome, previous=entry.previous, hash=entry.hash):
            raise ValueError("a seal for another charge, or one that spends")
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


def replay(entries: Iterable[Entry], name: str, only: str | None = None) -> Replay:
    """Go through the rows; `LedgerError` names the first that is wrong. Tested on flips of every field of every row."""
    state = Replay(only)
    for place, entry in enumerate(entries, start=1):
        try:
            state.add(entry)
        except (ValueError, TypeError, LookupError, AttributeError):
            raise damage_error(name, place if only is None else entry.seq) from None
    if not state.entries:
        raise LedgerError(f"{name} has lost its rows", hint=RESTORE)
    return state


def damage_error(name: str, row: int) -> LedgerError:
    """The refusal of a ledger with a row that this library would not have written."""
    return LedgerError(f"row {row} of {name} is not as it was written", hint=RESTORE)
