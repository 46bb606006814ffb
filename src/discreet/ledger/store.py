"""What a ledger asks of where it is kept: rows that can only grow, and transactions that are durable when they end."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Protocol

from discreet.ledger.accounts import Page, Replay


class Store(Protocol):
    """One ledger. `name` can be shown: no password is in it."""

    name: str

    def read(self, dataset: str | None = None, request_id: str | None = None) -> Replay:
        """A consistent view: of all rows, or at least of those that concern the dataset and the request."""

    def writing(self, dataset: str | None = None, request_id: str | None = None) -> AbstractContextManager[Page]:
        """Read and append as the only writer; durable when the context ends, undone if it fails."""

    def is_damaged(self) -> bool:
        """Whether the database's guards are not as they were made."""
