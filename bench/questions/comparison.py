"""How long a comparison of groups takes, and how that grows with the noise and the number of groups."""

from __future__ import annotations

import discreet as dc
from bench.rows import Answer, Effort, Row, amount, lines_of_table, question
from bench.timing import race
from discreet.inference import compare_all

RECORDS, ANSWERS = 10**6, 3
MAX_SECONDS = {"1": 1.0, "0.1": 5.0}
"""By ε, for two groups."""

MANY, MANY_SECONDS = 10, 20.0


def compare_groups(groups: int, epsilon: str) -> float:
    """All pairs of groups of a joint table, each with its interval; the largest stated error."""
    cells = groups * ANSWERS
    mechanism = dc.Geometric(dc.PosteriorSpace(prior=[1] * cells, n=RECORDS), epsilon=epsilon)
    output = [RECORDS // cells + 37 * i for i in range(cells - 1)]
    posterior = dc.noise_aware(mechanism, [*output, RECORDS - sum(output)])
    labels = [f"g{i}" for i in range(groups)]
    belief = dc.Belief.of(posterior, {"group": labels, "answer": ["a", "b", "c"]})
    pairs = compare_all({label: belief.group(label)["a"] for label in labels}).values()
    for both in pairs:
        both.difference.interval(0.95)
    return max(both.difference.error for both in pairs)


@question("comparing")
def ask(effort: Effort) -> Answer:
    """Groups of a joint table compared, and how its price grows.

    Geometric, prior of ones, n = 10⁶, three answers: from the output to the 95 % interval of every difference.
    """
    medians = race({epsilon: lambda e=epsilon: compare_groups(2, e) for epsilon in MAX_SECONDS}, effort)  # type: ignore[misc]
    medians |= race({"all": lambda: compare_groups(MANY, "1")}, Effort.exactly(1))
    rows = []
    for epsilon, most in MAX_SECONDS.items():
        error = f"error {compare_groups(2, epsilon):.0e}"
        rows.append(Row(f"two groups compared, ε = {epsilon}", medians[epsilon], at_most=most, note=error))
    pairs = MANY * (MANY - 1) // 2
    rows.append(Row(f"all {pairs} pairs of {MANY} groups, ε = 1", medians["all"], at_most=MANY_SECONDS))
    body = [[row.name, amount(row.ours, "s"), row.note] for row in rows]
    return Answer(rows, lines_of_table(["comparison", "median", "stated"], body))
