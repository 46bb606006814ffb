"""Budgets, charges and seals; the only door to the ledger's database."""

from __future__ import annotations

from importlib.util import find_spec

from discreet.errors import LedgerError

if find_spec("sqlalchemy") is None:  # pragma: no cover
    raise LedgerError("a ledger needs SQLAlchemy", hint="pip install 'discreet[workflow]'")

from discreet.ledger.accounts import Account
from discreet.ledger.book import Ledger
from discreet.ledger.charges import Charge, Verified
from discreet.ledger.entries import Amount, Entry

__all__ = ["Account", "Amount", "Charge", "Entry", "Ledger", "Verified"]
