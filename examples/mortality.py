"""Mortality by region: rates per 100,000 inhabitants from a list of deaths, whose number is private.

Every row is a death, and the inhabitants of each region are public. One release with ε = 1 has all regions. The table
is generated and describes nobody.
"""

from __future__ import annotations

import discreet as dc
from discreet.data import DEATHS, POPULATION


def main() -> None:
    """Release the deaths of people of 65 and over, then read the receipt."""
    receipt = dc.release(
        DEATHS,
        column="region",
        categories=list(POPULATION),
        exposure=POPULATION,
        per=100_000,
        filters={"age": ["65 and over"]},
        adjacency="add-remove",
        epsilon=1,
        ledger=None,
    )

    # From here on only the receipt is used.
    rates = receipt.rates
    for region in rates.labels:
        low, high = rates[region].interval()
        print(f"{region:6s} {rates[region].mean:5.1f} deaths per 100,000, 95 % between {low:4.1f} and {high:4.1f}")
    pair = dc.compare(rates["west"], rates["south"])
    low, high = pair.ratio.interval()
    print(
        f"west over south: ratio {pair.ratio.median:.2f}, 95 % between {low:.2f} and {high:.2f}, privacy noise included"
    )
    print(f"P(the rate is higher in the west) = {pair.probability_greater:.4f}")


if __name__ == "__main__":
    main()
