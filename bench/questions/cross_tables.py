"""Cross tables: what the release of ten thousand cells, its receipt and all its one- and two-way margins take."""

from __future__ import annotations

import json
import statistics
import sys

from bench.fresh import run
from bench.rows import Answer, Effort, Row, amount, lines_of_table, question

SECONDS, MEGABYTES = 10, 500

PROGRAM = """
import json, resource, time
from itertools import combinations
import numpy as np, pandas as pd
import discreet as dc
rng, n = np.random.default_rng(1), 10**6
columns = {name: [f"{name}{i}" for i in range(10)] for name in "abcd"}
codes = {name: rng.choice(10, n, p=rng.dirichlet([1] * 10)) for name in columns}
table = pd.DataFrame({name: pd.Categorical.from_codes(codes[name], labels) for name, labels in columns.items()})
start = time.perf_counter()
receipt = dc.release(table, cross=columns, epsilon=1, ledger=None)
text = receipt.to_json()
released = time.perf_counter()
for size in (1, 2):
    for names in combinations(columns, size):
        receipt.belief.margin(*names).interval()
done = time.perf_counter()
memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
told = {"release": released - start, "margins": done - released, "memory": memory}
print(json.dumps({**told, "error": receipt.belief.posterior.error}))
"""


@question("cross-tables")
def ask(effort: Effort) -> Answer:
    """Cross tables: ten thousand cells, a million records, ε = 1.

    Four columns of ten categories, crossed: the release with its receipt, and then the intervals of all one- and
    two-way margins, 640 shares, in a fresh process each time. Memory is the most that it had, the table included.
    """
    rounds = [json.loads(run([sys.executable, "-c", PROGRAM])) for _ in range(effort.processes)]
    found = {key: statistics.median(each[key] for each in rounds) for key in rounds[0]}
    both = found["release"] + found["margins"]
    rows = [
        Row("release, receipt and all 1- and 2-way margins of 10⁴ cells, n = 10⁶", both, at_most=SECONDS),
        Row("the same: most memory", found["memory"], at_most=MEGABYTES, unit="MB"),
    ]
    body = [
        ["release and receipt", amount(found["release"], "s")],
        ["640 shares of margins with intervals", amount(found["margins"], "s")],
        ["most memory", f"{found['memory']:.0f} MB"],
        ["stated error of any probability", f"{found['error']:.0e}"],
    ]
    return Answer(rows, lines_of_table(["cross table of 10⁴ cells", "median"], body))
