"""A planted fault: a ledger that looks whether a charge fits, and then spends it, with nobody kept out in between."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from discreet.ledger import Charge, Ledger, Scope
from discreet.ledger.book import _charge_entry, charge_of
from discreet.ledger.schedules import TakenSlot, need_of_epsilon, write_taken_slots


class UnlockedLedger(Ledger):
    """Check, then spend: two transactions where there must be one."""

    def charge(self, dataset: str, price: Any, delta: Any = 0, **told: Any) -> Charge:
        """Spend what fitted a moment ago."""
        self.afford(dataset, price, delta)
        entry = _charge_entry(dataset, price, delta, "replace-one", Scope())
        with self._store.transaction(dataset) as state:
            if state.budgets[dataset].schedule is not None:
                slot = TakenSlot(0, need_of_epsilon(entry.amount.epsilon))
                entry = entry._replace(composition=write_taken_slots([slot]))
            spent = state.budgets[dataset].spent.plus(entry.loss._replace(rho=None))
            time = datetime.now(UTC).isoformat(timespec="seconds")
            written = state.append(entry._replace(seq=0, time=time, rho=None, **spent.texts("spent_"), **told))
        return charge_of(written, None, is_new=True)
