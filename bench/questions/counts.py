"""What the counting rule costs on top of the engine."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path

import duckdb

from bench.rows import QUICK, Answer, Effort, Row, question
from bench.timing import race
from discreet.counting import Declaration, count_records

CATEGORIES = tuple(f"category {i}" for i in range(7))
REGIONS = tuple(f"region {i}" for i in range(5))
BARE = "SELECT v, count(*) FROM read_parquet($path) GROUP BY v"
SELECTED = f"SELECT v, count(*) FROM read_parquet($path) WHERE region IN {REGIONS} GROUP BY v"  # noqa: S608
BARE_IDS = "SELECT v, count(*) FROM (SELECT min(v) AS v FROM read_parquet($path) GROUP BY who) GROUP BY v"


@question("counting")
def ask(effort: Effort) -> Answer:
    """Counting a column of a Parquet file.

    Seven categories in 5·10⁷ rows, opened and counted anew each time: by the rule, with the engine locked down and the
    types checked, and by a bare GROUP BY. Then the same with a filter by five of twelve regions, against the bare query
    with it; and with an id column, in a tenth of the rows, ten to a person. A short run has 10⁶ rows, too few for the
    target: opening takes as long as counting.
    """
    short = effort == QUICK
    rows = 10**6 if short else 5 * 10**7
    plain = Declaration("v", CATEGORIES, other="rest")
    filtered = Declaration("v", CATEGORIES, other="rest", filters={"region": REGIONS})
    people = Declaration("v", CATEGORIES, other="rest", id_column="who")
    with tempfile.TemporaryDirectory() as folder:
        large, small = Path(folder) / "large.parquet", Path(folder) / "small.parquet"
        write_rows(large, rows)
        write_rows(small, rows // 10)
        many = effort if short else replace(effort, least=31)  # they differ by a few hundredths
        medians = race({"bare": lambda: _query(large, BARE), "rule": lambda: count_records(large, plain)}, many)
        selecting = {"bare filter": lambda: _query(large, SELECTED), "filter": lambda: count_records(large, filtered)}
        medians |= race(selecting, many)
        per_person = {"bare ids": lambda: _query(small, BARE_IDS), "ids": lambda: count_records(small, people)}
        medians |= race(per_person, Effort.exactly(3))
    bare, target = "a bare DuckDB query", None if short else 1.1
    return Answer(
        [
            Row(f"count {rows:,} rows", medians["rule"], medians["bare"], bare, at_most=target, grows=True),
            Row(
                f"count 5 regions of {rows:,} rows",
                medians["filter"],
                medians["bare filter"],
                bare,
                at_most=target,
                grows=True,
            ),
            Row(f"count the people of {rows // 10:,} rows", medians["ids"], medians["bare ids"], bare, grows=True),
        ]
    )


def write_rows(path: Path, rows: int) -> None:
    """Rows of seven categories and twelve regions, ten to a person."""
    with duckdb.connect() as connection:
        connection.execute(
            "COPY (SELECT 'category ' || (hash(i) % 7) AS v, (hash(i * 13) % $people)::BIGINT AS who, "
            "'region ' || (hash(i * 7) % 12) AS region FROM range($rows) t(i)) TO $path (FORMAT parquet)",
            {"rows": rows, "people": rows // 10, "path": str(path)},
        )


def _query(path: Path, query: str) -> None:
    with duckdb.connect() as connection:
        connection.execute(query, {"path": str(path)}).fetchall()
