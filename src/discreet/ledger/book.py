"""Ledger: budgets that are charged first, exactly, durably, and never refunded."""

from __future__ import annotations

import json
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR
from fractions import Fraction
from pathlib import Path
from shlex import quote

from discreet.arithmetic.cards import Bar, card
from discreet.arithmetic.numbers import float_upper
from discreet.arithmetic.texts import visible_text
from discreet.arithmetic.words import utc_now
from discreet.errors import BudgetExceeded, InvalidInput, LedgerError
from discreet.ledger.accounts import RESTORE, Replay
from discreet.ledger.budgets import ADJACENCIES, BASIC, EXACT, REPLACE_ONE, Account, Budget, budget_rho
from discreet.ledger.entries import BUDGET, CHARGE, SEAL, Amount, Entry, Loss, Scope, as_csv, exact_amount, proper_name
from discreet.ledger.places import create_if_missing, open_store
from discreet.ledger.schedules import Need, Schedule, need_of_epsilon
from discreet.privacy_loss.composition import rounded_up, six_digits
from discreet.privacy_loss.prices import Price
from discreet.privacy_loss.renyi_bounds import pure_rho
from discreet.typing import Epsilon

ROWS = Scope()

SAME_FIELDS = ("dataset", "epsilon", "delta", "digest", "adjacency")
"""What a request that is repeated must say again. Its ρ may have fallen since, by a sharper proof."""

LAST_DIGITS = Fraction(1, 1 << 20)
"""In these a ρ that is proved from a scan may differ between machines."""

OTHER_PARAMETERS = "ask as you did before, or use another id, which costs anew"
"""What to do about a request that was made before with other parameters."""


@dataclass(frozen=True, slots=True)
class Charge:
    """What a request has been charged, and what was released for it, if it was sealed."""

    dataset: str
    epsilon: Fraction
    delta: Fraction
    adjacency: str
    request_id: str
    digest: str
    time: str
    hash: str
    """Of the charge's row: what a receipt can name."""
    outcome: str | None
    """The sealed JSON text. A charge without one may be drawn for again; nothing more is spent."""
    is_new: bool
    """Whether this call spent it."""


@dataclass(frozen=True, slots=True)
class Verified:
    """A ledger found sound, up to this head."""

    rows: int
    head: str


class Ledger:
    """The budgets of datasets, in a file or a PostgreSQL database that can only grow.

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
        self._store = open_store(path_or_url)

    @classmethod
    def create(
        cls,
        path_or_url: str | Path,
        *,
        dataset: str,
        epsilon: Epsilon | None = None,
        delta: Epsilon = 0,
        adjacency: str = REPLACE_ONE,
        composition: str = BASIC,
        schedule: str | None = None,
        categories_at_least: int = 2,
        id_column: str | None = None,
    ) -> Ledger:
        """Open a dataset with its budget, in a ledger that is made if there is none. A budget is set once.

        Under the composition `zcdp` many small releases cost less than the sum of their ε; it takes a δ.
        Under `exact` a `schedule` like "12 x 0.25, 1 x 1" fixes all releases, each of `categories_at_least` so many
        categories; its price is worked out, and `epsilon` is the most that it may be.
        Under the adjacency `replace-answer` a budget also bears releases under `replace-one`, which protect more. Both
        bear releases under `add-remove`, at twice their ε; under `add-remove` a budget bears nothing else.
        The budget protects single rows, or with `id_column` people: all rows with the same value there.
        """
        amount, composition = _new_budget(epsilon, delta, composition, schedule, categories_at_least)
        allowed = Loss(amount, budget_rho(amount, composition.partition(" ")[0]))
        if adjacency not in ADJACENCIES:
            raise InvalidInput("there is no adjacency of that name", hint=f"use {' or '.join(ADJACENCIES)}")
        first = Entry(
            seq=0,
            kind=BUDGET,
            dataset=proper_name(dataset, "the dataset"),
            time=utc_now(),
            adjacency=adjacency,
            composition=composition,
            unit=Scope(id_column).unit,
            **allowed.texts(),
        )
        if create_if_missing(path_or_url, first):
            return cls(path_or_url)
        ledger = cls(path_or_url)
        with ledger._store.transaction(dataset=first.dataset) as state:
            if first.dataset in state.budgets:
                raise InvalidInput(f"{ledger.name} has a budget for {first.dataset!r}", hint="a budget is set once")
            state.append(first)
        return ledger

    @property
    def name(self) -> str:
        """Where it is kept, fit to be shown: no password is in it."""
        return self._store.name

    def __repr__(self) -> str:
        return visible_text(f"<Ledger {self.name}>")

    def _repr_html_(self) -> str:
        def bar(account: Account) -> Bar:
            whole, spent = account.budget.epsilon, account.guarantee.epsilon
            share = float_upper(spent / whole)
            left = six_digits(account.remaining.epsilon, ROUND_FLOOR)
            text = f"ε = {six_digits(spent, ROUND_CEILING)} spent, {left} left of {six_digits(whole, ROUND_FLOOR)}"
            return Bar(account.dataset, text, (0, share, share))

        return card(
            f"Ledger {self.name}",
            "A charge that does not fit is refused. Nothing is ever refunded.",
            bars=map(bar, self.accounts()),
            key="Blue: the share of each budget that is spent.",
            end=1.0,
        )

    def charge(
        self,
        dataset: str,
        price: Epsilon | Price,
        delta: Epsilon = 0,
        *,
        request_id: str,
        digest: str,
        adjacency: str = REPLACE_ONE,
        scope: Scope = ROWS,
        again: bool = True,
    ) -> Charge:
        """Spend from a budget, durably before this returns, or raise `BudgetExceeded` and spend nothing.

        `price` is an ε, or a `Price` of the mechanisms themselves, which also have a δ, an adjacency and a ρ. `digest`
        stands for all parameters of the request, `scope` says whom and which columns it protects. A request that was
        charged before is not charged again: with the same digest its charge is returned, with its sealed outcome if
        there is one; with another it is refused. Unless it may be paid for `again`, what has the digest of an earlier
        charge to the dataset is refused too, and that charge is named. Nothing is ever refunded.
        Held to its word by `tests/attacks/test_a_budget_is_never_spent_twice.py` and
        `tests/attacks/test_no_outcome_without_its_charge.py`.
        """
        name = proper_name(request_id, "the request")
        entry = _charge_entry(dataset, price, delta, adjacency, scope)
        entry = entry._replace(request_id=name, digest=proper_name(digest, "the digest"))
        with self._store.transaction(entry.dataset, name) as state:
            earlier = state.charges.get(name)
            if earlier is not None:
                is_same = all(getattr(earlier, field) == getattr(entry, field) for field in SAME_FIELDS)
                if not is_same or _is_dearer(entry, earlier):
                    raise InvalidInput(f"request {name!r} was made with other parameters", hint=OTHER_PARAMETERS)
                return charge_of(earlier, state.seals.get(name), is_new=False)
            for row in () if again else state.charges.values():
                if (row.dataset, row.digest) == (entry.dataset, entry.digest):
                    raise repetition(charge_of(row, state.seals.get(str(row.request_id)), is_new=False))
            budget = self._budget(state, entry.dataset)
            entry = _take_slots(budget, entry, price)
            spent = budget.require_room(entry)
            written = state.append(entry._replace(seq=0, time=utc_now(), **spent.texts("spent_")))
        return charge_of(written, None, is_new=True)

    def afford(
        self,
        dataset: str,
        price: Epsilon | Price,
        delta: Epsilon = 0,
        *,
        adjacency: str = REPLACE_ONE,
        scope: Scope = ROWS,
    ) -> None:
        """Refuse what `charge` would refuse now, and spend nothing. It may have changed when the charge is made."""
        entry = _charge_entry(dataset, price, delta, adjacency, scope)
        budget = self._budget(self._store.read(entry.dataset), entry.dataset)
        budget.require_room(_take_slots(budget, entry, price))

    def seal(self, request_id: str, outcome: str) -> None:
        """Keep what was released for a charge (a JSON text), durably, before it is shown.

        It is kept once: a second seal is refused, so that of two draws under one charge only the first can be shown.
        """
        name = proper_name(request_id, "the request")
        if not _is_json(outcome):
            raise InvalidInput("an outcome must be a JSON text", hint="write it with json.dumps")
        with self._store.transaction(request_id=name) as state:
            charge = state.charges.get(name)
            if charge is None:
                raise LedgerError(f"request {name!r} has no charge", hint="charge first")
            if name in state.seals:
                raise LedgerError(f"request {name!r} is sealed", hint="ask with its id again for what was released")
            seal = Entry(seq=0, kind=SEAL, dataset=charge.dataset, time=utc_now())
            state.append(seal._replace(request_id=name, digest=charge.digest, outcome=outcome))

    def find(self, request_id: str) -> Charge | None:
        """The charge of a request, with its outcome if it was sealed."""
        name = proper_name(request_id, "the request")
        state = self._store.read(request_id=name)
        charge = state.charges.get(name)
        return None if charge is None else charge_of(charge, state.seals.get(name), is_new=False)

    def charges(self, dataset: str) -> list[Charge]:
        """All charges to a dataset, in order. One without an outcome was not finished."""
        state = self._store.read(proper_name(dataset, "the dataset"), seals=True)
        self._budget(state, dataset)
        rows = [row for row in state.charges.values() if row.dataset == dataset]
        return [charge_of(row, state.seals.get(str(row.request_id)), is_new=False) for row in rows]

    def spent(self, dataset: str) -> Amount:
        """What the charges to a dataset add up to, plainly; `account` also tells what they cost by its own rule."""
        return self._read(dataset).spent.amount

    def remaining(self, dataset: str) -> Amount:
        """The most that one more charge may cost: under basic composition, what is left of the budget."""
        return self._read(dataset).remaining

    def account(self, dataset: str) -> Account:
        """One dataset's budget and what became of it, from a full and checked reading."""
        state = self._store.read()
        return state.account(self._budget(state, dataset))

    def accounts(self) -> list[Account]:
        """Every dataset with its budget, from a full and checked reading."""
        return self._store.read().accounts()

    def history(self, dataset: str | None = None) -> list[Entry]:
        """All rows, or those of one dataset, in order, from a full and checked reading."""
        return [entry for entry in self._store.read().entries if dataset is None or entry.dataset == dataset]

    def head(self) -> str:
        """The hash of the newest row. Kept elsewhere, it later tells whether rows were dropped or forged."""
        return self._store.read().head

    def verify(self, head: str | None = None) -> Verified:
        """Check every row and the chain; `LedgerError` names the first that is wrong.

        With a head that was noted earlier, it must still be in the chain: without one, a ledger that lost its newest
        rows, or was written anew, looks sound.
        """
        state = self._store.read()
        if self._store.is_damaged():
            raise LedgerError(f"the guards of {self._store.name} are damaged", hint=RESTORE)
        if head is not None and head.strip().lower() not in {entry.hash for entry in state.entries}:
            raise LedgerError(
                f"{self._store.name} has no row with that head: it lost rows, or is another", hint=RESTORE
            )
        return Verified(rows=state.rows, head=state.head)

    def export(self, kind: str = "json") -> str:
        """All rows as a text: `json` with everything, `csv` for spreadsheets, without the outcomes."""
        if kind not in {"csv", "json"}:
            raise InvalidInput(f"there is no export as {kind!r}", hint="use csv or json")
        if kind == "csv":
            return as_csv(self.history())
        return json.dumps([entry._asdict() for entry in self.history()], indent=2, allow_nan=False) + "\n"

    def _read(self, dataset: str) -> Budget:
        return self._budget(self._store.read(proper_name(dataset, "the dataset")), dataset)

    def _budget(self, state: Replay, dataset: str) -> Budget:
        if dataset not in state.budgets:
            raise InvalidInput(
                f"{self.name} has no dataset {dataset!r}", hint="check the spelling, or discreet ledger create"
            )
        return state.budgets[dataset]


def charge_of(entry: Entry, seal: Entry | None, *, is_new: bool) -> Charge:
    """A charge from its row, and the row of its seal."""
    return Charge(
        dataset=entry.dataset,
        epsilon=entry.amount.epsilon,
        delta=entry.amount.delta,
        adjacency=str(entry.adjacency),
        request_id=str(entry.request_id),
        digest=str(entry.digest),
        time=entry.time,
        hash=entry.hash,
        outcome=None if seal is None else str(seal.outcome).rstrip(" "),  # blanks only make it as long as any other
        is_new=is_new,
    )


def repetition(charge: Charge, *, finished: bool = True) -> InvalidInput:
    """The refusal of a question that was paid for before."""
    state, verb = ("", "repeat") if finished else (", and not finished", "finish")
    return InvalidInput(
        f"{charge.dataset!r} was charged for this question before{state}",
        hint=f"{verb} it for free with `request_id` {quote(charge.request_id)}, or pay for a new draw with `again`",
    )


def _new_budget(
    epsilon: Epsilon | None, delta: Epsilon, composition: str, schedule: str | None, categories: int
) -> tuple[Amount, str]:
    """What a new budget allows, and how its row says that charges add up."""
    if (composition == EXACT) != (schedule is not None):
        raise InvalidInput(
            "a schedule and exact composition go together", hint='say both, like "12 x 0.25"', parameter="schedule"
        )
    if schedule is None:
        if epsilon is None:
            raise InvalidInput("the budget has no epsilon", hint="say all that may ever be spent", parameter="epsilon")
        return exact_amount(epsilon, delta), composition
    slots, slack = Schedule.read(schedule, categories), exact_amount(1, delta).delta
    price = Amount(slots.price(slack), slack)
    if epsilon is not None and price.epsilon > exact_amount(epsilon, delta).epsilon:
        raise BudgetExceeded(
            f"the schedule costs epsilon = {price.epsilon}", hint="plan fewer or smaller releases, or allow more"
        )
    return price, str(slots)


def _take_slots(budget: Budget, entry: Entry, price: Epsilon | Price) -> Entry:
    """The charge, under a schedule with a slot for each of its releases."""
    if budget.schedule is None:
        return entry
    needs = (
        [Need(*need) for need in price.needs] if isinstance(price, Price) else [need_of_epsilon(entry.amount.epsilon)]
    )
    return budget.take_slots(entry, needs)


def _is_dearer(entry: Entry, earlier: Entry) -> bool:
    """Whether a request would cost more than it was charged, under zero-concentrated privacy."""
    now, then = entry.loss.rho, earlier.loss.rho
    return now is not None and then is not None and now > then * (1 + LAST_DIGITS)


def _charge_entry(dataset: str, price: Epsilon | Price, delta: Epsilon, adjacency: str, scope: Scope) -> Entry:
    """A charge as it is asked for: ρ is the mechanisms' own, and ε·tanh(ε/2) where only ε is known."""
    if isinstance(price, Price):
        amount, adjacency = Amount(price.epsilon, price.delta), price.adjacency
        exact_rho = rounded_up(price.rho)  # which needs no δ
        rho: Fraction | None = exact_rho if amount.delta else min(pure_rho(amount.epsilon), exact_rho)
    else:
        amount = exact_amount(price, delta)
        rho = None if amount.delta else pure_rho(amount.epsilon)
    return Entry(
        seq=0,
        kind=CHARGE,
        dataset=proper_name(dataset, "the dataset"),
        time="",
        adjacency=adjacency,
        unit=scope.unit,
        columns=scope.columns,
        **Loss(amount, rho).texts(),
    )


def _is_json(text: object) -> bool:
    try:
        return isinstance(text, str) and bool(text.encode()) and json.loads(text) is not None
    except (ValueError, RecursionError):  # no JSON, or no Unicode, or too deep for anybody who reads it
        return False
