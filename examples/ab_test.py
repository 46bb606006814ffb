"""An A/B test on two private releases: did the new page sell more, and how sure may a reader be?

Two groups of different people, so each release spends its own ε and nobody is charged twice. The reader sees only the
two releases. Taken at face value they are overconfident; the noise-aware answer is the right one.
"""

from __future__ import annotations

import discreet as dc

SOLD_OLD, SOLD_NEW, VISITORS = 212, 251, 2000
EPSILON = "1/10"


def main() -> None:
    """Release both groups, then reason as a reader would."""
    space = dc.PosteriorSpace(prior=dc.Beta(1, 1), n=VISITORS)
    mechanism = dc.Geometric(space, epsilon=EPSILON)
    old = mechanism.release([SOLD_OLD, VISITORS - SOLD_OLD])
    new = mechanism.release([SOLD_NEW, VISITORS - SOLD_NEW])

    # From here on only what was published is used.
    difference = new.noise_aware().difference(old.noise_aware())
    low, high = difference.interval(0.95)
    print(f"new minus old: {100 * difference.mean:+.2f} points, 95 % between {100 * low:+.2f} and {100 * high:+.2f}")
    print(f"P(the new page sells more) = {difference.probability:.4f}, privacy noise included")
    low, high = new.noise_aware().interval(0.95)
    plug_low, plug_high = new.posterior.interval(0.95)
    print(f"share of buyers on the new page: {low[0]:.4f} to {high[0]:.4f}")
    print(f"the same at face value, too narrow: {plug_low[0]:.4f} to {plug_high[0]:.4f}")


if __name__ == "__main__":
    main()
