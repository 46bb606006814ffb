"""The first release by tight in a fresh process: the system over partitions is solved and certified in it."""

from __future__ import annotations

from bench.fresh import program_medians
from bench.rows import Answer, Effort, Row, amount, lines_of_table, question

CASES = ((3, 8, "1"), (3, 30, "1"), (3, 60, "1"), (3, 84, "1"), (4, 39, "1"), (10, 10, "2"), (10, 20, "2"))
TARGETS = {(3, 60): 3.0, (10, 10): 3.0}
PROGRAM = """
import json, sys, time
import discreet as dc
from discreet.privacy_loss import certificate_by_theorem
k, n, epsilon = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
start = time.perf_counter()
mechanism = dc.TightConstraints(dc.PosteriorSpace([1] * k, n), epsilon=epsilon)
solved = time.perf_counter() - start
mechanism.release([n] + [0] * (k - 1)), certificate_by_theorem(mechanism)
first = time.perf_counter() - start
mechanism.release([n] + [0] * (k - 1))
again = time.perf_counter() - start - first
size = len(mechanism.weights.distances.partitions)
print(json.dumps({"partitions": size, "solved": solved, "first": first, "again": again}))
"""


@question("tight")
def ask(effort: Effort) -> Answer:
    """A release by tight.

    From the mechanism to its first draw and certificate, in a fresh process after the imports, and one draw more. What
    grows is the number of partitions: the distances between them are counted, and a system of that size is solved
    twice, in floats and in whole numbers. The draw itself looks at one row of it.
    """
    rows, body = [], []
    for k, n, epsilon in CASES:
        medians = program_medians(PROGRAM, [str(k), str(n), epsilon], effort)
        seconds = [amount(medians[name], "s") for name in ("solved", "first", "again")]
        body.append([f"{k}", f"{n}", epsilon, f"{medians['partitions']:.0f}", *seconds])
        name = f"tight, first release and certificate, k = {k}, n = {n}"
        rows.append(Row(name, medians["first"], at_most=TARGETS.get((k, n))))
    head = ["k", "n", "ε", "partitions", "solved and certified", "first release", "a further one"]
    return Answer(rows, lines_of_table(head, body))
