"""Whom a request protects, and which columns: losses add up only over the same neighbours."""

from __future__ import annotations

import json
from dataclasses import dataclass

from discreet.ledger.entries import ROW, Entry, checked_name


@dataclass(frozen=True, slots=True)
class Scope:
    """The unit and the columns of a request, or of all requests to a budget.

    A column that neighbours may change (`protected`: what is counted) cannot also be one that they share (`public`:
    what groups are formed by, where membership is public).

    >>> Scope("patient", frozenset({"vote"})).conflict(Scope("patient", public=frozenset({"vote", "arm"})))
    'vote'
    """

    id_column: str | None = None
    protected: frozenset[str] = frozenset()
    public: frozenset[str] = frozenset()

    @property
    def unit(self) -> str:
        """As a ledger keeps it: a row, or everything with the same value in the id column.

        >>> Scope().unit, Scope("patient").unit
        ('row', 'id:patient')
        """
        return ROW if self.id_column is None else f"id:{checked_name(self.id_column, 'the id column')}"

    @property
    def columns(self) -> str | None:
        """As a charge keeps them; None if there are none."""
        told = {"protected": sorted(self.protected), "public": sorted(self.public)}
        return json.dumps(told, separators=(",", ":")) if any(told.values()) else None

    def plus(self, other: Scope) -> Scope:
        """The columns of both."""
        return Scope(self.id_column, self.protected | other.protected, self.public | other.public)

    def conflict(self, other: Scope) -> str | None:
        """A column that is public in one and protected in the other."""
        return min((self.protected & other.public) | (self.public & other.protected), default=None)


def columns_of(charge: Entry) -> Scope:
    """The columns of a charge as it was kept; none where it does not say."""
    told = json.loads(charge.columns or "{}")
    return Scope(None, frozenset(told.get("protected", ())), frozenset(told.get("public", ())))
