"""What the counting rule costs on top of Spark."""

from __future__ import annotations

import shutil
import tempfile
from functools import partial
from pathlib import Path
from typing import Any

from bench.questions.counts import CATEGORIES, write_rows
from bench.rows import QUICK, Answer, Effort, Row, question
from bench.timing import race
from discreet.counting import Declaration, open_source
from discreet.counting.sources import find_spark
from discreet.counting.spark_sessions import session_for

MASTER = "local[2]"


@question("spark")
def ask(effort: Effort) -> Answer:
    """Counting a column of a Parquet file on Spark.

    Seven categories in 5·10⁷ rows, read by one session of Spark on both cores of one machine: by the rule, opened and
    counted anew each time, and by Spark's own GROUP BY on the same file. A short run has 10⁶ rows, too few for the
    target.
    """
    if shutil.which("java") is None:
        return Answer([], ["Not measured here: Spark needs Java."])
    short = effort == QUICK
    rows = 10**6 if short else 5 * 10**7
    declaration = Declaration("v", CATEGORIES, other="rest")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "large.parquet"
        write_rows(path, rows)
        place = find_spark(f"spark+{MASTER}://{path}")
        with session_for(place) as session:
            calls = {"bare": partial(_bare, session, path), "rule": partial(_rule, place.name, declaration)}
            medians = race(calls, Effort.exactly(3 if short else 11))
    target = None if short else 1.1
    return Answer(
        [Row(f"count {rows:,} rows on Spark", medians["rule"], medians["bare"], "Spark's own GROUP BY", at_most=target)]
    )


def _bare(session: Any, path: Path) -> None:
    session.read.parquet(str(path)).groupBy("v").count().collect()


def _rule(source: str, declaration: Declaration) -> None:
    with open_source(source, declaration) as table:
        table.count_records()
