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
        found = race({"bare": lambda: _bare(large), "rule": lambda: count_records(large, plain)}, many)
        selecting = {"bare filter": lambda: _bare_filter(large), "filter": lambda: count_records(large, filtered)}
        found |= race(selecting, many)
        few = Effort(seconds=0.0, least=3, most=3)
        found |= race({"bare ids": lambda: _bare_ids(small), "ids": lambda: count_records(small, people)}, few)
    bare, target = "a bare DuckDB query", None if short else 1.1
    return Answer(
        [
            Row(f"count {rows:,} rows", found["rule"], found["bare"], bare, at_most=target, grows=True),
            Row(
                f"count 5 regions of {rows:,} rows",
                found["filter"],
                found["bare filter"],
                bare,
                at_most=target,
                grows=True,
            ),
            Row(f"count the people of {rows // 10:,} rows", found["ids"], found["bare ids"], bare, grows=True),
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


def _bare(path: Path) -> None:
    with duckdb.connect() as connection:
        connection.execute("SELECT v, count(*) FROM read_parquet($path) GROUP BY v", {"path": str(path)}).fetchall()


def _bare_filter(path: Path) -> None:
    with duckdb.connect() as connection:
        query = "SELECT v, count(*) FROM read_parquet($path) WHERE region IN ($a, $b, $c, $d, $e) GROUP BY v"
        connection.execute(query, {"path": str(path), **dict(zip("abcde", REGIONS, strict=True))}).fetchall()


def _bare_ids(path: Path) -> None:
    with duckdb.connect() as connection:
        query = "SELECT v, count(*) FROM (SELECT min(v) AS v FROM read_parquet($path) GROUP BY who) GROUP BY v"
        connection.execute(query, {"path": str(path)}).fetchall()
