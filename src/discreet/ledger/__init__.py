"""Budgets, charges and seals; the only door to the ledger's database."""

from __future__ import annotations

from importlib.util import find_spec

from discreet.errors import LedgerError

if find_spec("fcntl") is None:  # pragma: no cover
    raise LedgerError("a ledger needs a system with flock", hint="use Linux, macOS or WSL")

from discreet.ledger.book import Charge, Ledger, Verified
from discreet.ledger.budgets import Account
from discreet.ledger.entries import Amount, Entry, Scope

__all__ = ["Account", "Amount", "Charge", "Entry", "Ledger", "Scope", "Verified"]
