"""A survey with seven categories: party identification of 944 respondents, released once with ε = 1.

The reader asks what is believed of each category, whether one exceeds another, and how ten more people would answer.
"""

from __future__ import annotations

import discreet as dc
from discreet.data import ANES96, PARTIES
from discreet.receipts import cell_belief


def main() -> None:
    """Release the table, then read the receipt."""
    receipt = dc.release(ANES96, column="party", categories=PARTIES, epsilon=1, ledger=None)

    # From here on only the receipt is used.
    belief = cell_belief(receipt)
    low, high = belief.interval(0.95)
    for name, mean, a, b in zip(PARTIES, belief.mean, low, high, strict=True):
        print(f"{name:20s} {100 * mean:5.1f} %   95 % between {100 * a:4.1f} and {100 * b:4.1f}")
    strong = PARTIES.index("strong Democrat"), PARTIES.index("strong Republican")
    print(f"P(strong Democrats outnumber strong Republicans) = {belief.probability(*strong):.3f}")
    none = belief.posterior_predictive(10, PARTIES.index("independent"))[0]
    print(f"P(none of ten more people is independent) = {none:.3f}")
    print(f"every probability is exact up to {belief.error:.0e}")


if __name__ == "__main__":
    main()
