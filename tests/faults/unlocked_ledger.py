"""A planted fault: a ledger that looks whether a charge fits, and then spends it, with nobody kept out in between."""

from __future__ import annotations

from datetime import UTC, datetime
from fractions import Fraction

from discreet.errors import BudgetExceeded
from discreet.ledger import Charge, Ledger
from discreet.ledger.charges import charge_of
from discreet.ledger.entries import CHARGE, Amount, Entry, amount_texts, asked_amount


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
    ) -> Charge:
        """Spend what fitted a moment ago."""
        amount = asked_amount(epsilon, delta)
        if not amount.within(self.remaining(dataset)):
            raise BudgetExceeded("does not fit")
        with self._store.writing() as rows:
            last = rows.last_charge(dataset)
            spent = amount.plus(Amount(Fraction(0), Fraction(0)) if last is None else last.spent)
            written = rows.append(
                Entry(
                    seq=0,
                    kind=CHARGE,
                    dataset=dataset,
                    time=datetime.now(UTC).isoformat(timespec="seconds"),
                    adjacency=adjacency,
                    request_id=request_id,
                    digest=digest,
                    **amount_texts(amount),
                    **amount_texts(spent, ("spent_epsilon", "spent_delta")),
                )
            )
        return charge_of(written, None, is_new=True)
