"""An A/B test on two private releases: did the new page sell more, and how sure may a reader be?

The groups are of different people, so each release spends its own ε and nobody is charged twice.
"""

import discreet as dc

VISITORS, SOLD = 2000, {"old": 212, "new": 251}


def main() -> None:
    """Release both groups, then compare them as a reader would."""
    mechanism = dc.Geometric(dc.PosteriorSpace(prior=dc.Beta(1, 1), n=VISITORS), epsilon="1/10")
    old, new = (mechanism.release([sold, VISITORS - sold]) for sold in SOLD.values())

    # From here on only what was published is used.
    both = dc.compare(*(page.belief(["sold", "not sold"])["sold"] for page in (new, old)))
    low, high = both.difference.interval(0.95)
    print(
        f"new minus old: {100 * both.difference.mean:+.2f} points, 95 % between {100 * low:+.2f} and {100 * high:+.2f}"
    )
    print(f"P(the new page sells more) = {both.probability_greater:.4f}, privacy noise included")
    low, high = new.posterior.interval(0.95)
    print(f"share of buyers on the new page: {both.first}")
    print(f"the same at face value, too narrow: {low[0]:.4f} to {high[0]:.4f}")


if __name__ == "__main__":
    main()
