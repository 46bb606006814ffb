"""Column, table, file and category names from a hostile corpus do no harm: they are looked up, quoted or bound."""

from pathlib import Path

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from discreet.counting import CsvFormat, Declaration, open_source
from discreet.counting.duck import open_duck
from discreet.counting.duck_access import connect
from discreet.counting.sources import Files
from discreet.errors import DiscreetError, SourceError

HOSTILE = [
    "'",
    '"',
    "\\",
    ";",
    "'; DROP TABLE rows; --",
    '"; DROP TABLE rows; --',
    "\") FROM rows; ATTACH 'evil.db'; --",
    "x') UNION ALL SELECT * FROM read_csv('canary.csv'); --",
    "read_csv('canary.csv')",
    "COPY (SELECT 1) TO 'evil.csv'",
    "$wanted",
    "?",
    "{column}",
    "*",
    "[a]",
    "select",
    "c0",
    "code",
    "rows.c0",
    "information_schema.tables",
    "é",
    "名前",
    "=HYPERLINK(1)",
    "trail ",
    "x" * 900,
]


@pytest.mark.few(2)
@pytest.mark.parametrize("name", HOSTILE, ids=lambda name: name[:12])
def test_a_hostile_column_is_that_column_and_a_hostile_category_that_category(name: str, tmp_path: Path) -> None:
    rows = {"rest": ["z", "z", "z"], name: [name, "plain", "stray"], f"{name}'id": ["1", "2", "2"]}
    arrow = pa.table(rows)
    pq.write_table(arrow, tmp_path / "t.parquet")
    pl.DataFrame(arrow).write_csv(tmp_path / "t.csv")
    with duckdb.connect(tmp_path / "t.db") as connection:
        connection.register("given", arrow)
        connection.execute("CREATE TABLE t AS SELECT * FROM given")
    before = sorted(tmp_path.iterdir())
    for source in (tmp_path / "t.parquet", tmp_path / "t.csv", f"duckdb://{tmp_path}/t.db/t"):
        with open_source(source, Declaration(name, [name, "plain"], id_column=f"{name}'id")) as table:
            tally = table.count_records()
            assert (tally.n, tally.has_strays, list(tally.counts)) == (2, False, [1, 1])
        with open_source(source, Declaration("rest", ["z", "y"], filters={name: [name, "plain'"]})) as table:
            assert list(table.count_records().counts) == [1, 0]
    for memory in (arrow, pd.DataFrame(rows)):
        with open_source(memory, Declaration(name, [name, "plain"], other=f"not {name}")) as table:
            assert list(table.count_records().counts) == [1, 1, 1]
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.few(5)
@pytest.mark.parametrize("name", [name for name in HOSTILE if "/" not in name], ids=lambda name: name[:12])
def test_a_hostile_table_or_file_is_that_one_or_is_refused(name: str, tmp_path: Path) -> None:
    """Never another table or file, and nothing appears or goes."""
    (tmp_path / "canary.csv").write_text("v\ncanary\n")
    for other in "012abc":
        pq.write_table(pa.table({"v": ["b", "b"]}), tmp_path / f"{other}.parquet")
    with duckdb.connect(tmp_path / "t.db") as connection:
        quoted = name.replace('"', '""')
        connection.execute(f"CREATE TABLE \"{quoted}\" AS SELECT 'a' AS v; CREATE TABLE other AS SELECT 'b' AS v")
    sources = [f"duckdb://{tmp_path}/t.db/{name}"]
    if len(name) < 200:
        sources += [str(tmp_path / f"{name}.parquet"), str(tmp_path / f"{name}.csv")]
        pq.write_table(pa.table({"v": ["a"]}), sources[1])
        Path(sources[2]).write_text("v\na\n")
    before = sorted(tmp_path.iterdir())
    for source in sources:
        with open_source(source, Declaration("v", ["a", "b"])) as table:
            assert list(table.count_records().counts) == [1, 0]
    assert sorted(tmp_path.iterdir()) == before


def test_a_view_in_the_file_reaches_no_other_file(tmp_path: Path) -> None:
    (tmp_path / "canary.csv").write_text("v\na\n")
    with duckdb.connect(tmp_path / "t.db") as connection:
        connection.execute(f"CREATE VIEW leak AS SELECT * FROM read_csv('{tmp_path}/canary.csv')")  # noqa: S608
        connection.execute(f"CREATE VIEW listing AS SELECT file AS v FROM glob('{tmp_path}/*')")  # noqa: S608
    for view in ("leak", "listing"):
        with pytest.raises(SourceError) as refused, open_source(f"duckdb://{tmp_path}/t.db/{view}", WORDS) as table:
            table.count_records()
        assert refused.value.__cause__ is refused.value.__context__ is None


WORDS = Declaration("v", ["a", "b"], other="rest")

FORBIDDEN = [
    "SELECT * FROM read_csv('{0}/other.csv')",
    "SELECT * FROM read_parquet('{0}/other.parquet')",
    "SELECT * FROM read_text('{0}/other.csv')",
    "SELECT * FROM '{0}/other.csv'",
    "SELECT * FROM glob('{0}/*')",
    "COPY (SELECT 1) TO '{0}/evil.csv'",
    "COPY (SELECT 1) TO '{0}/mine.parquet'",
    "ATTACH '{0}/evil.db' AS evil",
    "EXPORT DATABASE '{0}/evil'",
    "INSTALL httpfs",
    "LOAD httpfs",
    "LOAD '{0}/evil.duckdb_extension'",
    "SET enable_external_access = true",
    "SET allowed_directories = ['/']",
    "SET allowed_paths = ['{0}/other.csv']",
    "SET temp_directory = '{0}'",
    "SET lock_configuration = false",
    "RESET lock_configuration",
    "PRAGMA enable_profiling",
    "SELECT * FROM WORDS_IN_PYTHON",
    "CREATE SECRET (TYPE S3)",
]


@pytest.mark.parametrize("kind", ["memory", "parquet", "duckdb"])
def test_even_sql_of_the_attackers_own_reaches_nothing_but_the_source(kind: str, tmp_path: Path) -> None:
    """The second wall: the engine is locked down, whatever it is asked."""
    (tmp_path / "other.csv").write_text("v\ncanary\n")
    for name in ("mine", "other"):
        pq.write_table(pa.table({"v": ["a"]}), tmp_path / f"{name}.parquet")
    with duckdb.connect(tmp_path / "t.db") as connection:
        connection.execute("CREATE TABLE t AS SELECT 'a' AS v")
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    WORDS_IN_PYTHON = pa.table({"v": ["canary"]})  # noqa: F841 - what a replacement scan would find
    sources = {"parquet": tmp_path / "mine.parquet", "duckdb": f"duckdb://{tmp_path}/t.db/t"}
    with open_duck(sources.get(kind, pa.table({"v": ["a"]})), WORDS, form=CsvFormat()) as table:
        for statement in FORBIDDEN:
            with pytest.raises(duckdb.Error):
                table.connection.execute(statement.format(tmp_path))
            assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before, statement
        assert list(table.count_records().counts) == [1, 0, 0]


def test_the_locked_engine_would_have_been_open_without_the_lock(tmp_path: Path) -> None:
    """The test above can say no: the same statements reach files from an engine that nobody locked."""
    (tmp_path / "other.csv").write_text("v\ncanary\n")
    with duckdb.connect() as connection:
        assert connection.execute(FORBIDDEN[0].format(tmp_path)).fetchall() == [("canary",)]
    locked = connect(Files("x", "csv", ()), WORDS)
    with pytest.raises(duckdb.Error):
        locked.execute(FORBIDDEN[0].format(tmp_path))
    locked.close()


def test_no_refusal_of_a_hostile_name_spans_lines(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("v\na\n")
    for name in HOSTILE:
        with pytest.raises(DiscreetError) as refused, open_source(tmp_path / "t.csv", Declaration(name, ["a", "b"])):
            pass
        assert "\n" not in str(refused.value)
