"""A survey with groups: how 944 respondents voted, by party identification, at the price of one release.

The cross table is released as a whole, because a person's group is as private as the answer. The reader learns the
shares within each group, and how large the groups are, each with an interval that has the noise in it.
"""

from __future__ import annotations

import discreet as dc
from discreet.data import ANES96, PARTIES, VOTES
from discreet.receipts import group_beliefs


def main() -> None:
    """Release the table, then read the receipt."""
    receipt = dc.release(ANES96, column="vote", categories=VOTES, by="party", groups=PARTIES, epsilon=1, ledger=None)

    # From here on only the receipt is used.
    shares = receipt.document["group_shares"]
    for group, belief in group_beliefs(receipt).items():
        low, high = belief.interval(0.95)
        print(
            f"{group:20s} {VOTES[0]} {100 * belief.mean[0]:5.1f} %, 95 % between {100 * low[0]:4.1f} and "
            f"{100 * high[0]:5.1f}; {100 * shares[group]['mean']:4.1f} % of all"
        )
    print(f"spent once, for all groups together: ε = {receipt.document['epsilon_exact']}")

    # Two columns in one request: one charge, stated before it is spent, and receipts that are sealed together.
    questions = [dc.Question("vote", VOTES, epsilon="1/4"), dc.Question("party", PARTIES, epsilon="1/2")]
    bundle = dc.release_columns(ANES96, questions, ledger=None)
    print(f"columns {' and '.join(bundle.columns)} together: ε = {bundle.document['epsilon_exact']}")


if __name__ == "__main__":
    main()
