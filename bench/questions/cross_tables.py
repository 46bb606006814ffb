"""Cross tables: what a release of ten thousand cells with its margins takes, and to verify the receipt of a million."""

from __future__ import annotations

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.fresh import program_medians, run
from bench.rows import Answer, Effort, Row, amount, lines_of_table, question, times

SECONDS, MEGABYTES = 10, 500
RECEIPT_BYTES = 20e6

TABLE = """
import json, resource, sys, time
from itertools import combinations
import numpy as np, pandas as pd
import discreet as dc
rng, n = np.random.default_rng(1), 10**6
columns = {name: [f"{name}{i}" for i in range(10)] for name in sys.argv[1]}
codes = {name: rng.choice(10, n, p=rng.dirichlet([1] * 10)) for name in columns}
table = pd.DataFrame({name: pd.Categorical.from_codes(codes[name], labels) for name, labels in columns.items()})
"""
"""A table of a million records, with a column of ten categories for each letter of the first argument."""

RELEASE = """
start = time.perf_counter()
receipt = dc.release(table, cross=columns, epsilon=1, ledger=None)
text = receipt.to_json()
released = time.perf_counter()
for size in (1, 2):
    for names in combinations(columns, size):
        receipt.belief.margin(*names).interval()
margins = time.perf_counter() - released
memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
error = receipt.belief.posterior.error
print(json.dumps({"release": released - start, "margins": margins, "memory": memory, "error": error}))
"""

WRITE = """
with open(sys.argv[2], "w", encoding="utf-8") as file:
    file.write(dc.release(table, cross=columns, epsilon=1, ledger=None).to_json())
"""

VERIFY = """
import json, sys, time
from pathlib import Path
import discreet as dc
text = Path(sys.argv[1]).read_text(encoding="utf-8")
start = time.process_time()
json.loads(text)
parsed, wall = time.process_time(), time.perf_counter()
dc.Receipt.from_json(text).verify()
cpu = time.process_time() - parsed
wall = time.perf_counter() - wall
print(json.dumps({"parse": parsed - start, "cpu": cpu, "wall": wall, "bytes": len(text.encode())}))
"""


@question("cross-tables")
def ask(effort: Effort) -> Answer:
    """Cross tables: ten thousand cells, a million records, ε = 1.

    Four columns of ten categories, crossed: the release with its receipt, and then the intervals of all one- and
    two-way margins, 640 shares, in a fresh process each time. Memory is the most that it had, the table included. Then
    the receipt of a million cells, read and verified in fresh processes, beside parsing its JSON.
    """
    medians = program_medians(TABLE + RELEASE, ["abcd"], effort)
    both = medians["release"] + medians["margins"]
    rows = [
        Row("release, receipt and all 1- and 2-way margins of 10⁴ cells, n = 10⁶", both, at_most=SECONDS),
        Row("the same: most memory", medians["memory"], at_most=MEGABYTES, unit="MB"),
    ]
    body = [
        ["release and receipt", amount(medians["release"], "s")],
        ["640 shares of margins with intervals", amount(medians["margins"], "s")],
        ["most memory", f"{medians['memory']:.0f} MB"],
        ["stated error of any probability", f"{medians['error']:.0e}"],
    ]
    with TemporaryDirectory() as place:
        receipt = str(Path(place) / "million.json")
        run([sys.executable, "-c", TABLE + WRITE, "abcdef", receipt])
        million = program_medians(VERIFY, [receipt], effort)
    rows += [
        Row("receipt of 10⁶ cells", million["bytes"], at_most=RECEIPT_BYTES, unit="B"),
        Row("to read and verify it", million["wall"], at_most=SECONDS),
    ]
    body += [
        ["10⁶ cells: to read and verify the receipt, time of one processor", amount(million["cpu"], "s")],
        ["the same over parsing its JSON", times(million["cpu"] / million["parse"])],
    ]
    return Answer(rows, lines_of_table(["cross table of 10⁴ cells", "median"], body))
