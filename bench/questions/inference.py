"""What a reader may believe: how its price grows with the number of records, and what it leaves out."""

from __future__ import annotations

import discreet as dc
from bench.rows import Answer, Effort, Row, amount, lines_of_table, question
from bench.timing import race

FEW, MANY = 10**4, 10**9
TARGET = 5
CATEGORIES, RECORDS = 10, 10**6
FINEST = 1e-3


def interval_end(n: int) -> float:
    """The low end of a noise-aware interval of two categories, from the output alone."""
    mechanism = dc.Geometric(dc.PosteriorSpace(prior=[1, 1], n=n), epsilon=1)
    return float(dc.noise_aware(mechanism, (n // 3, n - n // 3)).interval(0.95)[0][0])


def ten_categories() -> dc.NoiseAware:
    """Ten categories of a million records, by convolution."""
    mechanism = dc.Geometric(dc.PosteriorSpace(prior=[1] * CATEGORIES, n=RECORDS), epsilon=1)
    belief = dc.noise_aware(mechanism, [RECORDS // CATEGORIES] * CATEGORIES)
    belief.interval(0.95)
    return belief


@question("inference")
def ask(effort: Effort) -> Answer:
    """What a reader may believe, and how its price grows.

    Geometric, prior of ones, ε = 1: the noise-aware posterior and all its 95 % intervals, from an output. The error of
    ten categories is the stated bound on any mean, in standard deviations.
    """
    calls = {"few": lambda: interval_end(FEW), "many": lambda: interval_end(MANY), "ten": ten_categories}
    medians = race(calls, effort)
    belief = ten_categories()
    error = belief.error / float(belief.sd.min())
    rows = [
        Row("noise-aware interval, n = 10⁹ against n = 10⁴", medians["many"], medians["few"], "ours at n = 10⁴",
            at_most=TARGET),
        Row("noise-aware intervals, k = 10, n = 10⁶", medians["ten"], note=f"means within {error:.0e} sd"),
    ]  # fmt: skip
    body = [
        ["k = 2, n = 10⁴", amount(medians["few"], "s"), ""],
        ["k = 2, n = 10⁹", amount(medians["many"], "s"), ""],
        ["k = 10, n = 10⁶", amount(medians["ten"], "s"), f"{error:.1e} of a standard deviation (at most {FINEST:g})"],
    ]
    return Answer(rows, lines_of_table(["noise-aware posterior", "median", "bound on means"], body))
