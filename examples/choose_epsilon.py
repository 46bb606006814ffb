"""How much privacy does a wanted precision cost? The least ε at which a reader's 95 % interval is narrow enough.

No data is needed: for every ε the interval of a balanced output, the widest, is computed before anything is released.
"""

from __future__ import annotations

import discreet as dc

RECORDS, TARGET_WIDTH = 1000, 0.08


def width(epsilon: float) -> float:
    """The width of the noise-aware interval of a balanced output."""
    mechanism = dc.Geometric(dc.PosteriorSpace(prior=[1, 1], n=RECORDS), epsilon=epsilon)
    low, high = dc.noise_aware(mechanism, (RECORDS // 2, RECORDS // 2)).interval(0.95)
    return float(high[0] - low[0])


def least_epsilon(target: float) -> float:
    """Bisection: more ε, less noise, a narrower interval. Rounded up to three digits."""
    low, high = 0.001, 10.0
    if width(high) > target:
        raise SystemExit("so narrow an interval needs more records, not more epsilon")
    while high / low > 1.002:
        middle = round((low * high) ** 0.5, 6)
        low, high = (low, middle) if width(middle) <= target else (middle, high)
    return round(high + 0.0005, 3)


def main() -> None:
    """Print the price of the wanted width, and what less and more would buy."""
    chosen = least_epsilon(TARGET_WIDTH)
    for epsilon in (chosen / 4, chosen, 4 * chosen):
        print(f"ε = {epsilon:.4f}: an interval {100 * width(epsilon):.2f} points wide")
    print(f"to be at most {100 * TARGET_WIDTH:g} points wide on {RECORDS} records, spend ε = {chosen:.3f}")


if __name__ == "__main__":
    main()
