"""A trial: did the new arm do better among the patients observed, and by how much?

Arm and outcome are both private, so their table is one release. The reader has the receipt and nothing else.
"""

import pandas as pd

import discreet as dc
from discreet.receipts import labelled

ARMS, OUTCOMES = ["new", "old"], ["responder", "non-responder", "not observed"]
PATIENTS = {("new", 0): 104, ("new", 1): 71, ("new", 2): 25, ("old", 0): 81, ("old", 1): 96, ("old", 2): 29}


def main() -> None:
    """Release the table, then compare the arms."""
    rows = [(arm, OUTCOMES[i]) for (arm, i), patients in PATIENTS.items() for _ in range(patients)]
    table = pd.DataFrame(rows, columns=["arm", "outcome"])
    receipt = dc.release(table, column="outcome", categories=OUTCOMES, by="arm", groups=ARMS, epsilon=1, ledger=None)

    belief = labelled(receipt).among(["responder", "non-responder"])
    both = dc.compare(*(belief.group(arm)["responder"] for arm in ARMS))
    print("difference of the response rates, 95 % interval: {:.3f} to {:.3f}".format(*both.difference.interval()))
    print("odds ratio, 95 % interval: {:.2f} to {:.2f}".format(*both.odds_ratio.interval()))
    print(f"P(the new arm does better) = {both.probability_greater:.4f}, privacy noise included")


if __name__ == "__main__":
    main()
