"""A planted fault: a ledger that looks whether a charge fits, and then spends it, with nobody kept out in between."""

from __future__ import annotations

from datetime import UTC, datetime

from discreet.ledger import Charge, Ledger
from discreet.ledger.charges import charge_of
from discreet.ledger.entries import CHARGE, Entry, amount_texts, asked_amount
from discreet.ledger.rules import asked_rho, spent_with
from discreet.ledger.store import Rows


class UnlockedLedger(Ledger):
    """Check, then spend: two transactions where there must be one."""

    def charge(
        self,
        dataset: str,
        epsilon: object,
        delta: object = 0,
        *,
        request_id: str,
        digest: str,
        adjacency: str = "replace-one",
        rho: object = None,
    ) -> Charge:
        """Spend what fitted a moment ago."""
        amount = asked_amount(epsilon, delta)
        self.afford(dataset, epsilon, delta, adjacency=adjacency, rho=rho)

        def decide(rows: Rows) -> Charge:
            price = asked_rho(rho, amount)
            spent = spent_with(rows.last_charge(dataset)).plus(amount, price)
            written = rows.append(
                Entry(
                    seq=0,
                    kind=CHARGE,
                    dataset=dataset,
                    time=datetime.now(UTC).isoformat(timespec="seconds"),
                    adjacency=adjacency,
                    request_id=request_id,
                    digest=digest,
                    rho=str(price),
                    spent_rho=str(spent.rho),
                    **amount_texts(amount),
                    **amount_texts(spent.amount, ("spent_epsilon", "spent_delta")),
                )
            )
            return charge_of(written, None, is_new=True)

        return self._store.write(decide)
