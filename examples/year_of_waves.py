"""A year of waves: a panel is asked every month, and the price of all twelve releases is known before the first.

A schedule fixes how many releases there will be and how large each may be. What they cost together is then known
exactly, and less than the sum of their ε. Nothing else is released from these people: a thirteenth wave is refused.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import pandas as pd

import discreet as dc

MONTHS = 12
ANSWERS = ["satisfied", "undecided", "not satisfied"]


def wave(month: int) -> pd.DataFrame:
    """What 400 members of the panel answer in a month: fewer and fewer are undecided."""
    counts = (150 + 4 * month, 120 - 6 * month, 130 + 2 * month)
    return pd.DataFrame({"answer": [a for a, m in zip(ANSWERS, counts, strict=True) for _ in range(m)]})


def main() -> None:
    """Open the schedule, release twelve waves, and see that there is no thirteenth."""
    place = Path(tempfile.mkdtemp()) / "panel.ledger"
    ledger = dc.Ledger.create(
        place, dataset="panel", composition="exact", schedule="12 x 0.25", delta="1e-6", categories_at_least=3
    )
    price = ledger.account("panel").budget
    print(f"twelve releases of 0.25 cost ε = {float(price.epsilon)}, δ = {float(price.delta):g}, where their sum is 3")

    request = {"column": "answer", "categories": ANSWERS, "epsilon": "0.25", "ledger": ledger, "dataset": "panel"}
    for month in range(1, MONTHS + 1):
        receipt = dc.release(wave(month), **request, request_id=f"2030-{month:02}")  # type: ignore[arg-type]
        share = receipt.belief["satisfied"]
        low, high = share.interval()
        print(
            f"2030-{month:02}: satisfied {100 * share.mean:4.1f} %, 95 % between {100 * low:4.1f} and {100 * high:4.1f}"
        )
    [slot] = ledger.account("panel").slots
    print(f"{slot.used} of {slot.times} slots are taken, and {ledger.verify().rows} rows verify")
    try:
        dc.release(wave(13), **request, request_id="2031-01")  # type: ignore[arg-type]
    except dc.BudgetExceeded as refusal:
        print(f"a thirteenth: {refusal.message}")


if __name__ == "__main__":
    main()
