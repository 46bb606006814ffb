"""A planted fault: a ledger that looks whether a charge fits, and then spends it, with nobody kept out in between."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from discreet.ledger import Charge, Ledger, Scope
from discreet.ledger.book import _asked, charge_of
from discreet.ledger.schedules import Taken, need_of_epsilon, write_taken


class UnlockedLedger(Ledger):
    """Check, then spend: two transactions where there must be one."""

    def charge(self, dataset: str, price: Any, delta: Any = 0, **told: Any) -> Charge:
        """Spend what fitted a moment ago."""
        self.afford(dataset, price, delta)
        asked = _asked(dataset, price, delta, "replace-one", Scope())
        with self._store.writing(dataset) as state:
            if state.budgets[dataset].schedule is not None:
                asked = asked._replace(composition=write_taken([Taken(0, need_of_epsilon(asked.amount.epsilon))]))
            spent = state.budgets[dataset].spent.plus(asked.loss._replace(rho=None))
            time = datetime.now(UTC).isoformat(timespec="seconds")
            written = state.append(asked._replace(seq=0, time=time, rho=None, **spent.texts("spent_"), **told))
        return charge_of(written, None, is_new=True)
