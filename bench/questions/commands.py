"""Whole commands beside what nobody can do without: importing NumPy and SciPy, and counting the rows."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import duckdb

from bench.fresh import race_processes
from bench.rows import Answer, Effort, Row, question

IMPORTS = "import numpy, scipy.special"
COUNTED = (
    "import duckdb; duckdb.sql('SELECT v, count(*) FROM read_csv(\"{}\", all_varchar=true) GROUP BY v').fetchall()"
)
ROWS = 10**6


@question("commands")
def ask(effort: Effort) -> Answer:
    """A plan and a release as whole processes.

    Beside each stands a process that imports NumPy and `scipy.special`; beside the release also one in which DuckDB
    counts the same 10⁶ rows of five categories. The commands are quiet.
    """
    with tempfile.TemporaryDirectory() as folder:
        table = Path(folder) / "rows.csv"
        with duckdb.connect() as connection:
            query = "COPY (SELECT 'c' || (hash(i) % 5) AS v FROM range($rows) t(i)) TO $path (HEADER)"
            connection.execute(query, {"rows": ROWS, "path": str(table)})
        release = f"release {table} --column v --categories c0,c1,c2,c3,c4 --epsilon 1 --no-ledger --quiet"
        commands = {
            "imports": [sys.executable, "-c", IMPORTS],
            "count": [sys.executable, "-c", COUNTED.format(table)],
            "plan": _discreet("plan --prior 1,1 --n 1000 --epsilon 1"),
            "plan of ten": _discreet("plan --prior uniform:10 --n 100000 --epsilon 1"),
            "release": _discreet(release),
        }
        medians = race_processes(commands, effort)
    both = medians["count"] + medians["imports"]
    return Answer(
        [
            Row("plan, n = 1,000", medians["plan"], medians["imports"], IMPORTS, at_most=3),
            Row("plan, n = 100,000, k = 10", medians["plan of ten"], medians["imports"], IMPORTS, at_most=6),
            Row(
                f"release of {ROWS:,} rows, k = 5", medians["release"], both, "DuckDB's count, and imports", at_most=1.5
            ),
        ]
    )


def _discreet(line: str) -> list[str]:
    return [sys.executable, "-m", "discreet", *line.split()]
