"""The ledger's side of a request: opened before the data is touched, asked whether it can pay, and charged."""

from __future__ import annotations

from pathlib import Path

from discreet.errors import InvalidInput
from discreet.ledger import Charge, Ledger
from discreet.ledger.charges import OTHER
from discreet.receipts import Bundle, Receipt, read_sealed
from discreet.requests.prepare import Plan
from discreet.samplers.bits import SYSTEM


def opened(ledger: Ledger | str | Path | None, dataset: str | None, request_id: str | None) -> Ledger | None:
    """The ledger that pays, or None if nobody keeps a budget; a dataset that it does not know is refused."""
    if ledger is None:
        if dataset is not None:
            raise InvalidInput("a dataset was named without a ledger", hint="name the ledger that budgets it")
        if request_id is not None:
            raise InvalidInput("a request id needs a ledger", hint="without one, every request is drawn anew")
        return None
    if dataset is None:
        raise InvalidInput("the ledger needs the name of a dataset", hint="say which budget to charge")

    book = ledger if isinstance(ledger, Ledger) else Ledger(ledger)
    book.remaining(dataset)
    return book


def affordable(
    book: Ledger | None, dataset: str | None, prepared: Plan, request_id: str | None
) -> Receipt | Bundle | None:
    """The receipt of a request that was sealed before. A new one that the budget cannot bear is refused unasked.

    `Ledger.charge` decides again, alone with the book; here it spares a question, and a look at the data.
    """
    if book is None or dataset is None:
        return None
    found = None if request_id is None else book.find(request_id)
    if found is None:
        book.afford(dataset, prepared.price, scope=prepared.scope)
        return None
    if found.digest != prepared.digest:
        raise InvalidInput(f"request {request_id!r} was made with other parameters", hint=OTHER)
    return None if found.outcome is None else read_sealed(found.outcome)


def charged(book: Ledger | None, dataset: str | None, prepared: Plan, request_id: str | None) -> Charge | None:
    """Spend it, durably: the charge, or the one that this request made before."""
    if book is None or dataset is None:
        return None
    return book.charge(
        dataset,
        prepared.price,
        request_id=f"{SYSTEM.draw_bits(128):032x}" if request_id is None else request_id,
        digest=prepared.digest,
        scope=prepared.scope,
    )
