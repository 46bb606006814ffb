"""Snapping: the exact distribution and loss of sixty parameter sets, in units of the logarithm they are made of."""

from __future__ import annotations

import statistics
from functools import partial

import discreet as dc
from bench.rows import Answer, Effort, Row, amount, lines_of_table, question, times
from bench.snapping_sets import parameter_sets
from bench.timing import race
from discreet.arithmetic.binary64 import minus_log, unit

LOGARITHMS = 1000


def thousand_logarithms() -> None:
    """The yardstick: a thousand calls of the correctly rounded logarithm."""
    for i in range(LOGARITHMS):
        minus_log(unit(-1 - i * 7_777_777_777_777))


@question("snapping")
def ask(effort: Effort) -> Answer:
    """Verifying a snapping mechanism, beside 1000 calls of the correctly rounded logarithm.

    Each of the sixty parameter sets of the tests is verified once for a pair of adjacent values: both exact binary64
    distributions, the exact loss both ways, and that all masses sum to exactly one. Where a bound has more than 8192
    outputs, those nearest to the values are listed and the rest is enclosed, which the last column says.
    """
    sets = parameter_sets()
    body, ratios = [], []
    for parameters in sets:
        verify = partial(parameters.snapping.verify, parameters.value, parameters.neighbour)
        verdict = verify()
        assert verdict.mass_is_one
        assert verdict.loss is not None
        assert verdict.loss.upper <= verdict.bound
        medians = race({"verify": verify, "logarithms": thousand_logarithms}, Effort.exactly(3))
        ratios.append(medians["verify"] / medians["logarithms"])
        body.append(
            [
                parameters.epsilon,
                str(parameters.bound),
                parameters.kind,
                f"{verdict.exact_epsilon:.12g}",
                f"{float(verdict.ideal):.12g}",
                f"{verdict.excess:.2e}",
                f"{float(verdict.bound - verdict.ideal):.2e}",
                amount(medians["verify"], "s"),
                times(ratios[-1]),
                "yes" if verdict.complete else "no",
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
    unit_seconds = timed["logarithms"]
    rows = [
        Row(f"verify a pair, {name} of 60 sets", ratio * unit_seconds, unit_seconds, "1000 LN", grows=True)
        for name, ratio in (("median", statistics.median(ratios)), ("slowest", max(ratios)))
    ]
    rows.append(Row("snapping release, ε = 1, B = 100", timed["release"]))
    return Answer(rows, lines_of_table(head, body))
