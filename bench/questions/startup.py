"""What it costs to start."""

from __future__ import annotations

import sys
from pathlib import Path

from bench.fresh import race_processes
from bench.rows import Answer, Effort, Row, amount, lines_of_table, question

IMPORTS = ("numpy", "discreet", "opendp.prelude", "diffprivlib")


@question("startup")
def ask(effort: Effort) -> Answer:
    """What it costs to start.

    Whole processes from their start to their end, the interpreter among it.
    """
    command = Path(sys.executable).with_name("discreet")
    commands = {"python -c pass": [sys.executable, "-c", "pass"]}
    commands |= {f"import {name}": [sys.executable, "-c", f"import {name}"] for name in IMPORTS}
    commands["discreet --help"] = [str(command), "--help"]
    medians = race_processes(commands, effort)
    numpy = medians["import numpy"]
    rows = [
        Row("import discreet", medians["import discreet"], numpy, "import numpy", at_most=1),
        Row("discreet --help", medians["discreet --help"], numpy, "import numpy", at_most=4),
    ]
    body = [[name, amount(seconds, "s")] for name, seconds in medians.items()]
    return Answer(rows, lines_of_table(["a whole process", "median"], body))
