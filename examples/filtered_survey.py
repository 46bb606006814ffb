"""A filtered survey: how the weak partisans among the respondents voted, where being one of them is private, too.

A filter makes the number of records a secret: how many people it selects would tell something of each. So the release
is under add-remove, which publishes no n, and the reader learns from the receipt how many there may be.
"""

from __future__ import annotations

import discreet as dc
from discreet.data import ANES96, VOTES

WEAK = ["weak Democrat", "weak Republican"]


def main() -> None:
    """Release the votes of the selected respondents, then read the receipt."""
    request = {"column": "vote", "categories": VOTES, "filters": {"party": WEAK}, "epsilon": 1, "ledger": None}
    try:
        dc.release(ANES96, **request)  # type: ignore[arg-type]
    except dc.InvalidInput as refusal:
        print(f"with a public n: {refusal.message}")
    receipt = dc.release(ANES96, **request, adjacency="add-remove")  # type: ignore[arg-type]

    # From here on only the receipt is used: it holds no n.
    for vote in VOTES:
        share = receipt.belief[vote]
        low, high = share.interval()
        print(f"{vote:8s} {100 * share.mean:5.1f} %, 95 % between {100 * low:4.1f} and {100 * high:4.1f}")
    low, high = receipt.belief.total.interval()
    print(f"respondents selected: 95 % between {low:.0f} and {high:.0f}")
    print(receipt.document["question"])


if __name__ == "__main__":
    main()
