"""Ledger: budgets that are charged first, exactly, durably, and never refunded."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

from discreet.errors import InvalidInput, LedgerError
from discreet.ledger.accounts import MEND, Account, replay
from discreet.ledger.charges import OTHER, Charge, Verified, charge_of, require_room
from discreet.ledger.entries import (
    BUDGET,
    CHARGE,
    SEAL,
    Amount,
    Entry,
    amount_texts,
    asked_amount,
    checked_name,
)
from discreet.ledger.exports import as_csv, as_json
from discreet.ledger.places import created, opened
from discreet.ledger.rules import (
    ADJACENCIES,
    BASIC,
    REPLACE_ONE,
    Spent,
    asked_rho,
    budget_rho,
    largest,
    spent_with,
)
from discreet.ledger.store import Rows, Store


class Ledger:
    """The budgets of datasets, in a SQLite file or a PostgreSQL database that can only grow.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "budgets.db"
    >>> ledger = Ledger.create(path, dataset="anes", epsilon=1)
    >>> charge = ledger.charge("anes", 0.1, request_id="monday", digest="…")
    >>> charge.epsilon, ledger.remaining("anes").epsilon
    (Fraction(1, 10), Fraction(9, 10))
    >>> ledger.charge("anes", 0.95, request_id="tuesday", digest="…")
    Traceback (most recent call last):
    discreet.errors.BudgetExceeded: epsilon = 19/20 does not fit: 9/10 of 1 is left for 'anes'; ask for less, or not ...
    """

    def __init__(self, path_or_url: str | Path) -> None:
        """Open a ledger that exists. A missing one is refused: made silently, it would be an untouched budget."""
        self._store: Store = opened(path_or_url)

    @classmethod
    def create(
        cls,
        path_or_url: str | Path,
        *,
        dataset: str,
        epsilon: object,
        delta: object = 0,
        adjacency: str = REPLACE_ONE,
        composition: str = BASIC,
    ) -> Ledger:
        """Open a dataset with its budget, in a ledger that is made if there is none. A budget is set once.

        Under the composition `zcdp` many small releases cost less than the sum of their ε; it takes a δ.
        Under the adjacency `replace-answer` a budget also bears releases under `replace-one`, which protect more.
        """
        amount = asked_amount(epsilon, delta)
        rho = budget_rho(amount, composition)
        if adjacency not in ADJACENCIES:
            raise InvalidInput("there is no adjacency of that name", hint=f"use {' or '.join(ADJACENCIES)}")
        first = Entry(
            seq=0,
            kind=BUDGET,
            dataset=checked_name(dataset, "the dataset"),
            time=_now(),
            adjacency=adjacency,
            composition=composition,
            rho=None if rho is None else str(rho),
            **amount_texts(amount),
        )
        if created(path_or_url, first):
            return cls(path_or_url)
        ledger = cls(path_or_url)

        def decide(rows: Rows) -> None:
            if rows.budget(first.dataset) is not None:
                raise InvalidInput(f"{ledger.name} has a budget for {first.dataset!r}", hint="a budget is set once")
            if rho is not None and not rows.keeps_rho:
                raise InvalidInput(
                    f"{ledger.name} was made by an earlier version, which adds ε up",
                    hint="open the dataset in a new ledger",
                )
            rows.append(first if rows.keeps_rho else first._replace(composition=None))

        ledger._store.write(decide, dataset=first.dataset)
        return ledger

    @property
    def name(self) -> str:
        """Where it is kept, fit to be shown: no password is in it."""
        return self._store.name

    def charge(
        self,
        dataset: str,
        epsilon: object,
        delta: object = 0,
        *,
        request_id: str,
        digest: str,
        adjacency: str = REPLACE_ONE,
        rho: object = None,
    ) -> Charge:
        """Spend from a budget, durably before this returns, or raise `BudgetExceeded` and spend nothing.

        `digest` stands for all parameters of the request; `rho` is its proved loss under zero-concentrated privacy, if
        that is less than ε²/2. A request that was charged before is not charged again: with the same digest its charge
        is returned, with its sealed outcome if there is one; with another it is refused. Nothing is ever refunded.
        Held to its word by `tests/attacks/test_a_budget_is_never_spent_twice.py` and
        `tests/attacks/test_no_outcome_without_its_charge.py`.
        """
        amount = asked_amount(epsilon, delta)
        price = asked_rho(rho, amount)
        name, digest = checked_name(request_id, "the request"), checked_name(digest, "the digest")
        dataset = checked_name(dataset, "the dataset")

        def decide(rows: Rows) -> Charge:
            earlier = rows.charge(name)
            if earlier is not None:
                asked = (dataset, amount, digest, adjacency, str(price) if earlier.rho else None)
                if (earlier.dataset, earlier.amount, earlier.digest, earlier.adjacency, earlier.rho) != asked:
                    raise InvalidInput(f"request {name!r} was made with other parameters", hint=OTHER)
                return charge_of(earlier, rows.seal(name), is_new=False)
            budget = self._budget_of(rows, dataset)
            spent = require_room(budget, _spent(rows, dataset), amount, price, adjacency)
            kept = {"rho": str(price), "spent_rho": str(spent.rho)} if rows.keeps_rho else {}
            written = rows.append(
                Entry(
                    seq=0,
                    kind=CHARGE,
                    dataset=dataset,
                    time=_now(),
                    adjacency=adjacency,
                    request_id=name,
                    digest=digest,
                    **amount_texts(amount),
                    **amount_texts(spent.amount, ("spent_epsilon", "spent_delta")),
                    **kept,
                )
            )
            return charge_of(written, None, is_new=True)

        return self._store.write(decide, dataset=dataset, request_id=name)

    def afford(
        self, dataset: str, epsilon: object, delta: object = 0, *, adjacency: str = REPLACE_ONE, rho: object = None
    ) -> None:
        """Refuse what `charge` would refuse now, and spend nothing. It may have changed when the charge is made."""
        amount = asked_amount(epsilon, delta)
        with self._store.reading() as rows:
            budget = self._budget_of(rows, dataset)
            require_room(budget, _spent(rows, dataset), amount, asked_rho(rho, amount), adjacency)

    def seal(self, request_id: str, outcome: str) -> None:
        """Keep what was released for a charge (a JSON text), durably, before it is shown.

        It is kept once: a second seal is refused, so that of two draws under one charge only the first can be shown.
        """
        name = checked_name(request_id, "the request")
        if not _is_json(outcome):
            raise InvalidInput("an outcome must be a JSON text", hint="write it with json.dumps")

        def decide(rows: Rows) -> None:
            charge = rows.charge(name)
            if charge is None:
                raise LedgerError(f"request {name!r} has no charge", hint="charge first")
            if rows.seal(name) is not None:
                raise LedgerError(f"request {name!r} is sealed", hint="ask with its id again for what was released")
            rows.append(
                Entry(
                    seq=0,
                    kind=SEAL,
                    dataset=charge.dataset,
                    time=_now(),
                    request_id=name,
                    digest=charge.digest,
                    outcome=outcome,
                )
            )

        self._store.write(decide, request_id=name)

    def find(self, request_id: str) -> Charge | None:
        """The charge of a request, with its outcome if it was sealed."""
        name = checked_name(request_id, "the request")
        with self._store.reading() as rows:
            charge = rows.charge(name)
            return None if charge is None else charge_of(charge, rows.seal(name), is_new=False)

    def spent(self, dataset: str) -> Amount:
        """What the charges to a dataset add up to, plainly; `account` also tells what they cost by its own rule."""
        with self._store.reading() as rows:
            self._budget_of(rows, dataset)
            return _spent(rows, dataset).amount

    def remaining(self, dataset: str) -> Amount:
        """The most that one more charge may cost: under basic composition, what is left of the budget."""
        with self._store.reading() as rows:
            return largest(self._budget_of(rows, dataset), _spent(rows, dataset))

    def account(self, dataset: str) -> Account:
        """One dataset's budget and what became of it, from a full and checked reading."""
        found = {account.dataset: account for account in self.accounts()}
        if dataset not in found:
            raise self._unknown(dataset)
        return found[dataset]

    def accounts(self) -> list[Account]:
        """Every dataset with its budget, from a full and checked reading."""
        return replay(self.history(), self._store.name).accounts()

    def history(self, dataset: str | None = None) -> list[Entry]:
        """All rows, or those of one dataset, in order."""
        with self._store.reading() as rows:
            found = rows.all()
        return [entry for entry in found if dataset is None or entry.dataset == dataset]

    def head(self) -> str:
        """The hash of the newest row. Kept elsewhere, it later tells whether rows were dropped or forged."""
        with self._store.reading() as rows:
            return rows.last().hash

    def verify(self, head: str | None = None) -> Verified:
        """Check every row and the chain; `LedgerError` names the first that is wrong.

        With a head that was noted earlier, it must still be in the chain: without one, a ledger that lost its newest
        rows, or was written anew, looks sound.
        """
        state = replay(self.history(), self._store.name)
        if self._store.is_damaged():
            raise LedgerError(f"the file or the guards of {self._store.name} are damaged", hint=MEND)
        if head is not None and head.strip().lower() not in state.hashes:
            raise LedgerError(f"{self._store.name} has no row with that head: it lost rows, or is another", hint=MEND)
        return Verified(rows=state.rows, head=state.head)

    def export(self, kind: str = "json") -> str:
        """All rows as a text: `json` with everything, `csv` for spreadsheets, without the outcomes."""
        if kind not in {"csv", "json"}:
            raise InvalidInput(f"there is no export as {kind!r}", hint="use csv or json")
        return as_csv(self.history()) if kind == "csv" else as_json(self.history())

    def _budget_of(self, rows: Rows, dataset: str) -> Entry:
        budget = rows.budget(checked_name(dataset, "the dataset"))
        if budget is None:
            raise self._unknown(dataset)
        return budget

    def _unknown(self, dataset: str) -> InvalidInput:
        return InvalidInput(
            f"{self._store.name} has no dataset {dataset!r}", hint="check the spelling, or discreet ledger create"
        )


def _spent(rows: Rows, dataset: str) -> Spent:
    return spent_with(rows.last_charge(dataset))


def _is_json(text: object) -> bool:
    try:
        return isinstance(text, str) and bool(text.encode()) and json.loads(text) is not None
    except (ValueError, RecursionError):  # no JSON, or no Unicode, or too deep for anybody who reads it
        return False


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
