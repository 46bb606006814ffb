"""Budgets: what may be spent, what was, what is unfinished, and whether the book is sound."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

import discreet as dc
from discreet.arithmetic.numbers import exact, whole
from discreet.arithmetic.words import exact_text
from discreet.errors import InvalidInput
from discreet.ledger import Account, Amount
from discreet.ledger.budgets import ADJACENCIES, COMPOSITIONS, EXACT, cost_words
from discreet.ledger.schedules import Schedule
from discreet.web.fields import Fields, about
from discreet.web.pictures import Table

if TYPE_CHECKING:
    from discreet.web.answers import PageApi

RECENT = 50
"""Rows of the ledger's history that are shown."""

MEANINGS = {
    "basic": "The ε of all releases add up. Simple, and exact for a few releases.",
    "zcdp": "Losses add up as ρ, and are turned into an ε at a δ. Cheaper for many small releases; it needs a δ.",
    "exact": "A schedule fixes all releases beforehand. What they cost together is worked out when it is opened.",
    "replace-one": "One record is replaced by another. The number of records is public.",
    "add-remove": "One record is added or removed. The number of records is protected too.",
    "replace-answer": "One answer is replaced by another. Who is in which group is public.",
}
"""What the choices mean."""


def choices() -> dict[str, list[tuple[str, str]]]:
    """The compositions and adjacencies that a budget may have, explained."""
    return {
        "composition": [(name, MEANINGS.get(name, "")) for name in COMPOSITIONS],
        "adjacency": [(name, MEANINGS.get(name, "")) for name in ADJACENCIES],
    }


def budgets(api: PageApi, fields: Fields) -> dict[str, Any]:
    """`discreet ledger show` and the newest of `discreet ledger history`."""
    fields.all_read()
    book = dc.Ledger(api.require_ledger())
    entries, accounts = book.history(), book.accounts()
    newest, budgeted = list(reversed(entries[-RECENT:])), {each.dataset: each.adjacency for each in accounts}
    headings = ["Row", "Time (UTC)", "Kind", "Dataset", "Amount", "Request", "Hash"]
    rows = [
        [
            str(entry.seq),
            entry.time.replace("T", " ").replace("+00:00", ""),
            entry.kind,
            entry.dataset,
            "" if entry.epsilon is None else _text(entry.amount) + cost_words(entry, budgeted.get(entry.dataset)),
            entry.request_id or "",
            entry.hash[:12],
        ]
        for entry in newest
    ]
    sealed = {entry.request_id for entry in entries if entry.kind == "seal"}
    return {
        "ledger": book.name,
        "datasets": [account.to_json() for account in accounts],
        "history": [entry._asdict() | {"outcome": None} for entry in newest],
        "head": book.head(),
        "shown": {
            "accounts": _account_table(accounts).to_json(),
            "left": [_share_left(account) for account in accounts],
            "slots": [[(str(slot), slot.squares()) for slot in account.slots] for account in accounts],
            "history": Table("Newest rows", headings, rows).to_json(),
            "sealed": [entry.request_id in sealed and entry.kind == "charge" for entry in newest],
            "unfinished": [
                {"dataset": account.dataset, "request_id": request}
                for account in accounts
                for request in account.unfinished
            ],
        },
    }


def price_schedule(fields: Fields) -> dict[str, Any]:
    """What all releases of a schedule cost together, before it is opened: no ledger is asked."""
    text, delta = fields.text("schedule"), exact(fields.maybe("delta") or "0", "delta", minimum=0)
    schedule = _read_schedule(text, _read_least(fields))
    fields.all_read()
    with about("delta"):
        price = Amount(schedule.price(delta), delta)
    total = sum((times * epsilon for times, epsilon in schedule.slots), Fraction(0))
    return {"sentence": f"All of it costs {_text(price)}, where the ε add up to {exact_text(total)}."}


def _read_least(fields: Fields) -> int:
    return whole(fields.maybe("categories_at_least") or "2", "categories_at_least", minimum=2)


def _read_schedule(text: str, categories: int) -> Schedule:
    with about("schedule"):  # an ε in it, too
        Schedule.read(text, 2)
    return Schedule.read(text, categories)


def create_budget(api: PageApi, fields: Fields) -> dict[str, Any]:
    """`discreet ledger create`: a budget is set once. The price of a schedule is worked out."""
    api.require_release()
    budget: dict[str, Any] = {
        "dataset": fields.text("dataset"),
        "epsilon": fields.maybe("epsilon"),
        "delta": fields.maybe("delta") or "0",
        "composition": fields.maybe("composition") or "basic",
        "schedule": fields.maybe("schedule"),
        "categories_at_least": _read_least(fields),
        "adjacency": fields.maybe("adjacency") or "replace-one",
        "id_column": fields.maybe("id_column"),
    }
    fields.all_read()
    if budget["composition"] == EXACT and budget["schedule"]:
        _read_schedule(budget["schedule"], budget["categories_at_least"])
    book = dc.Ledger.create(api.require_ledger(), **budget)
    amount = _text(book.account(budget["dataset"]).budget)
    sentence = f"{budget['dataset']} has a budget: it may spend {amount} in all."
    return {"dataset": budget["dataset"], "head": book.head(), "sentence": sentence}


def sealed_outcome(api: PageApi, fields: Fields) -> dict[str, Any]:
    """What was sealed for a request: public, and free."""
    request_id = fields.text("request_id")
    fields.all_read()
    charge = dc.Ledger(api.require_ledger()).find(request_id)
    if charge is None or charge.outcome is None:
        raise InvalidInput("nothing is sealed for this request", hint="finish it first", parameter="request_id")
    return {"text": charge.outcome}


def verify_ledger(api: PageApi, fields: Fields) -> dict[str, Any]:
    """`discreet ledger verify`."""
    head = fields.maybe("head")
    fields.all_read()
    verified = dc.Ledger(api.require_ledger()).verify(head)
    confirmation = "" if head is None else " The head that you gave is among them."
    return {
        "rows": verified.rows,
        "head": verified.head,
        "sentence": f"All {verified.rows:,} rows are sound.{confirmation}",
    }


def export_ledger(api: PageApi, fields: Fields) -> dict[str, Any]:
    """`discreet ledger export`."""
    kind = fields.text("kind")
    fields.all_read()
    return {"text": dc.Ledger(api.require_ledger()).export(kind), "name": f"budgets.{kind}"}


def _account_table(accounts: list[Account]) -> Table:
    rows = [
        [
            account.dataset,
            _text(account.budget),
            _text(account.spent),
            _text(account.remaining) + " at once" * bool(account.slots),
            account.composition,
            account.adjacency,
            account.unit or "",
            str(account.charges),
            str(account.charges - account.sealed),
        ]
        for account in accounts
    ]
    headings = ["Dataset", "Budget", "Spent", "Left", "Composition", "Neighbours", "Protects", "Charges", "Unfinished"]
    return Table("Budgets", headings, rows)


def _share_left(account: Account) -> float:
    """How much is left, for a picture only: the numbers beside it are exact."""
    return min(1.0, float(account.remaining.epsilon / account.budget.epsilon))


def _text(amount: Amount) -> str:
    return f"ε = {exact_text(amount.epsilon)}" + (f", δ = {exact_text(amount.delta)}" if amount.delta else "")
