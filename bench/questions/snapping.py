"""Snapping: the exact distribution and loss of sixty parameter sets, in units of the logarithm they are made of."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable

import discreet as dc
from bench.rows import Answer, Effort, Row, amount, lines_of_table, question, times
from bench.snapping_sets import parameter_sets
from bench.timing import race
from discreet.arithmetic.binary64 import minus_log, unit

REPEATS = 3
LOGARITHMS = 1000


def thousand_logarithms() -> None:
    """The yardstick: a thousand calls of the correctly rounded logarithm."""
    for i in range(LOGARITHMS):
        minus_log(unit(-1 - i * 7_777_777_777_777))


def seconds(work: Callable[[], object]) -> float:
    """The median of a few calls."""
    taken = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        work()
        taken.append(time.perf_counter() - start)
    return statistics.median(taken)


@question("snapping")
def ask(effort: Effort) -> Answer:
    """Verifying a snapping mechanism, beside 1000 calls of the correctly rounded logarithm.

    Each of the sixty parameter sets of the tests is verified once for a pair of adjacent values: both exact binary64
    distributions, the exact loss both ways, and that all masses sum to exactly one. Where a bound has more than 8192
    outputs, those nearest to the values are listed and the rest is enclosed, which the last column says.
    """
    sets = parameter_sets()
    body, ratios = [], []
    for chosen in sets:
        snapping = chosen.snapping
        found = snapping.verify(chosen.value, chosen.neighbour)
        assert found.mass_is_one
        assert found.loss is not None
        assert found.loss.upper <= found.bound
        taken = seconds(lambda: snapping.verify(chosen.value, chosen.neighbour))  # noqa: B023 - called at once
        yardstick = seconds(thousand_logarithms)
        ratios.append(taken / yardstick)
        body.append(
            [
                chosen.epsilon,
                str(chosen.bound),
                chosen.kind,
                f"{found.exact_epsilon:.12g}",
                f"{float(found.ideal):.12g}",
                f"{found.excess:.2e}",
                f"{float(found.bound - found.ideal):.2e}",
                amount(taken, "s"),
                times(taken / yardstick),
                "yes" if found.complete else "no",
            ]
        )
    head = [
        "ε",
        "bound",
        "value",
        "loss ≤",
        "ideal",
        "listed less ideal",
        "Mironov less ideal",
        "time",
        "1000 LN",
        "all listed",
    ]
    snapping = dc.Snapping(epsilon=1, bound=100)
    timed = race({"logarithms": thousand_logarithms, "release": lambda: snapping.release(0.3)}, effort)
    rows = [
        Row(
            "verify a pair, median of 60 sets",
            statistics.median(ratios) * timed["logarithms"],
            timed["logarithms"],
            "1000 LN",
            grows=True,
        ),
        Row(
            "verify a pair, slowest of 60 sets",
            max(ratios) * timed["logarithms"],
            timed["logarithms"],
            "1000 LN",
            grows=True,
        ),
        Row("snapping release, ε = 1, B = 100", timed["release"]),
    ]
    return Answer(rows, lines_of_table(head, body))
