"""A planted fault: a ledger that looks whether a charge fits, and then spends it, with nobody kept out in between."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from discreet.ledger import Charge, Ledger
from discreet.ledger.book import _asked
from discreet.ledger.charges import charge_of
from discreet.ledger.entries import amount_text
from discreet.ledger.scopes import Scope


class UnlockedLedger(Ledger):
    """Check, then spend: two transactions where there must be one."""

    def charge(self, dataset: str, price: object, delta: object = 0, **told: Any) -> Charge:
        """Spend what fitted a moment ago."""
        self.afford(dataset, price, delta)
        asked = _asked(dataset, price, delta, "replace-one", Scope())
        with self._store.writing(dataset) as page:
            spent = page.state.spent[dataset].plus(asked.amount, None)
            written = page.append(
                asked._replace(
                    time=datetime.now(UTC).isoformat(timespec="seconds"),
                    rho=None,
                    spent_epsilon=amount_text(spent.amount.epsilon),
                    spent_delta=amount_text(spent.amount.delta),
                    **told,
                )
            )
        return charge_of(written, None, is_new=True)
