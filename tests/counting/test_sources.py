"""The text of a SOURCE says one thing or is refused, and a password is said nowhere."""

from pathlib import Path

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from discreet.counting import Declaration, count_records
from discreet.counting.sources import engine_for, find_database, find_spark, public_name
from discreet.errors import InvalidInput, SourceError
from tests.counting.tables import Columns, as_arrow_file, as_parquet

pytestmark = pytest.mark.every

DECLARATION = Declaration("v", ["a", "b"], other="rest")


@pytest.mark.parametrize(
    ("source", "says"),
    [
        ("nothing.csv", "there is no file nothing.csv"),
        ("*.parquet", "there is no file *.parquet"),
        ("folder", "folder is a directory"),
        ("people.zip", "people.zip is compressed"),
        ("people.xlsx", "people.xlsx is a spreadsheet"),
        ("", "there is no file"),
        ("a\0b.csv", "zero byte"),
        ("x" * 5000 + ".csv", "there is no file"),
        ("notes.doc", "not of one kind"),
        ("*", "not of one kind"),
        ("s3://bucket/people.parquet", "s3:// is no kind of source"),
        ("https://example.org/people.csv", "https:// is no kind of source"),
        ("clinic.duckdb", "clinic.duckdb is a database"),
        ("duckdb://", "names no table"),
        ("duckdb://people.db", "names no table"),
        ("duckdb://nothing.db/t", "there is no file nothing.db"),
    ],
)
def test_a_source_that_names_nothing_is_refused(
    source: str, says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    for name in ("notes.doc", "other.csv", "people.zip", "people.xlsx", "clinic.duckdb"):
        (tmp_path / name).write_text("v\na\n")
    with pytest.raises(SourceError) as refused:
        count_records(source, DECLARATION)
    assert says in refused.value.message


def test_a_file_that_may_not_be_read_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "people.csv"
    path.write_text("v\na\n")
    monkeypatch.setattr("os.access", lambda *_: False)  # root may read everything
    with pytest.raises(SourceError, match="no permission to read"):
        count_records(path, DECLARATION)


@pytest.mark.parametrize("source", [None, 7, b"people.csv", ["people.csv"], {"v": ["a"]}, object(), pd.Series(["a"])])
def test_what_is_no_table_is_refused(source: object) -> None:
    with pytest.raises(SourceError):
        count_records(source, DECLARATION)


@pytest.mark.few(1)
@pytest.mark.parametrize("column", ["V", "v ", "w.v", '"v"', "*", "1", "rowid", "column0", "c0", "filename"])
def test_a_column_that_is_not_there_is_refused(column: str, tmp_path: Path) -> None:
    table = pa.table({"v": ["a"], "w": ["b"]})
    pq.write_table(table, tmp_path / "t.parquet")
    (tmp_path / "t.csv").write_text("v,w\na,b\n")
    with duckdb.connect(tmp_path / "t.db") as connection:
        connection.execute("CREATE TABLE t AS SELECT 'a' AS v, 'b' AS w")
    places = [str(tmp_path / "t.parquet"), str(tmp_path / "t.csv"), f"duckdb://{tmp_path / 't.db'}/t"]
    for source in [*places, table, table.to_pandas(), pl.DataFrame(table)]:
        for declaration in (Declaration(column, ["a", "b"]), Declaration("v", ["a", "b"], id_column=column)):
            with pytest.raises(SourceError, match="has no column"):
                count_records(source, declaration)


@pytest.mark.parametrize("table", ["T", "u", "main.u", "x", '"t"', "sqlite_master", "duckdb_settings()"])
def test_a_table_that_is_not_there_is_refused(table: str, tmp_path: Path) -> None:
    with duckdb.connect(tmp_path / "t.db") as connection:
        connection.execute("CREATE TABLE t AS SELECT 'a' AS v; CREATE SCHEMA x; CREATE SCHEMA y")
        connection.execute("CREATE TABLE x.w AS SELECT 'a' AS v; CREATE TABLE y.w AS SELECT 'b' AS v")
    with pytest.raises(SourceError, match="has no one table"):
        count_records(f"duckdb://{tmp_path / 't.db'}/{table}", DECLARATION)
    with pytest.raises(SourceError, match="has no one table"):
        count_records(f"duckdb://{tmp_path / 't.db'}/w", DECLARATION)
    assert list(count_records(f"duckdb://{tmp_path / 't.db'}/y.w", DECLARATION).counts) == [0, 1, 0]


def test_a_misspelt_table_is_told_the_likely_one_and_a_database_how_to_name_one(tmp_path: Path) -> None:
    with duckdb.connect(tmp_path / "t.duckdb") as connection:
        connection.execute("CREATE TABLE visits AS SELECT 'a' AS v; CREATE SCHEMA x; CREATE TABLE x.people (v TEXT)")
    for table, hint in (
        ("vists", "did you mean 'visits'?"),
        ("x.peple", "did you mean 'x.people'?"),
        ("q", "write it"),
    ):
        with pytest.raises(SourceError, match="has no one table") as refused:
            count_records(f"duckdb://{tmp_path / 't.duckdb'}/{table}", DECLARATION)
        assert refused.value.hint.startswith(hint)
    with pytest.raises(SourceError, match="is a database") as refused:
        count_records(str(tmp_path / "t.duckdb"), DECLARATION)
    assert refused.value.hint.endswith(f"like duckdb://{tmp_path / 't.duckdb'}/table")


def test_two_columns_of_the_same_name_are_refused(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("v,v\na,b\n")
    table = pa.table([["a"], ["b"]], names=["v", "v"])
    for source in (str(tmp_path / "t.csv"), table, pd.DataFrame([["a", "b"]], columns=["v", "v"])):
        with pytest.raises(SourceError, match="has two columns"):
            count_records(source, DECLARATION)


def test_columns_that_differ_only_in_case_are_told_apart_or_refused(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("V,v\nb,a\n")
    table = pa.table([["b"], ["a"]], names=["V", "v"])
    for source in (str(tmp_path / "t.csv"), table, table.to_pandas(), pl.DataFrame(table)):
        assert list(count_records(source, DECLARATION).counts) == [1, 0, 0]
    pq.write_table(table, tmp_path / "t.parquet")
    with pytest.raises(SourceError):
        count_records(str(tmp_path / "t.parquet"), DECLARATION)
    with pytest.raises(SourceError, match="two columns like"):
        count_records(str(tmp_path / "t.parquet"), Declaration("V", ["a", "b"]))


def test_files_whose_columns_differ_are_not_read_as_one(tmp_path: Path) -> None:
    (tmp_path / "0.csv").write_text("v,w\na,b\n")
    (tmp_path / "1.csv").write_text("w,v\na,b\n")
    tables: list[Columns] = [{"v": [1, 2]}, {"v": [1.5, 2.5]}]
    for i, columns in enumerate(tables):
        as_parquet(tmp_path, columns, f"{i}.parquet")
        as_arrow_file(tmp_path, columns, f"{i}.arrow")
    for kind in ("csv", "parquet", "arrow"):
        with pytest.raises(SourceError, match="have different"):
            count_records(str(tmp_path / f"*.{kind}"), Declaration("v", ["1", "2"], other="rest"))


def test_a_glob_is_read_in_all_its_parts(tmp_path: Path) -> None:
    for i in range(5):
        as_parquet(tmp_path, {"v": ["a"] * i + ["b"]}, f"{i}.parquet")
    assert list(count_records(str(tmp_path / "[0-3].parquet"), DECLARATION).counts) == [6, 4, 0]


def test_a_file_whose_name_looks_like_a_pattern_is_that_file(tmp_path: Path) -> None:
    as_parquet(tmp_path, {"v": ["a"]}, "x1.parquet")
    as_parquet(tmp_path, {"v": ["b", "b"]}, "x[1].parquet")
    assert list(count_records(str(tmp_path / "x[1].parquet"), DECLARATION).counts) == [0, 2, 0]
    assert list(count_records(tmp_path / "x1.parquet", DECLARATION).counts) == [1, 0, 0]


def test_a_partition_in_the_path_is_no_column(tmp_path: Path) -> None:
    folder = tmp_path / "v=b"
    folder.mkdir()
    as_parquet(folder, {"v": ["a"]})
    assert list(count_records(str(tmp_path / "*" / "*.parquet"), DECLARATION).counts) == [1, 0, 0]


@pytest.mark.parametrize(
    ("source", "package", "extra"),
    [
        ("t.csv", "pyarrow", "workflow"),
        ("t.parquet", "duckdb", "workflow"),
        ("sqlite://t.db/t", "ibis", "ibis"),
        ("spark:///t.parquet", "pyspark", "spark"),
    ],
)
def test_a_package_that_an_engine_needs_is_named(
    source: str, package: str, extra: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("t.csv", "t.parquet"):
        (tmp_path / name).write_text("v\na\n")
    monkeypatch.setattr("discreet.errors.find_spec", lambda name: None if name == package else name)
    with pytest.raises(SourceError, match=rf"needs {package}; pip install '\.\[{extra}\]'"):
        count_records(source, DECLARATION)


@pytest.mark.parametrize(
    ("source", "master", "kind", "what"),
    [
        ("spark://h:7077/votes", "spark://h:7077", "table", "votes"),
        ("spark://h:7077/cat.s.votes", "spark://h:7077", "table", "cat.s.votes"),
        ("spark://h1:7077,h2:7077/votes.parquet", "spark://h1:7077,h2:7077", "parquet", "votes.parquet"),
        ("spark://h:7077//data/votes.parquet/", "spark://h:7077", "parquet", "/data/votes.parquet/"),
        ("spark://h:7077/hdfs://n/votes.orc", "spark://h:7077", "orc", "hdfs://n/votes.orc"),
        ("spark:///`votes`.`parquet`", None, "table", "`votes`.`parquet`"),
        ("spark:///s3a://b/x/*.PARQUET", None, "parquet", "s3a://b/x/*.PARQUET"),
        ("spark+local[*]://votes", "local[*]", "table", "votes"),
        ("spark+yarn://d/v.pq", "yarn", "parquet", "d/v.pq"),
        ("spark+local-cluster[2,1,1024]:///v.parquet", "local-cluster[2,1,1024]", "parquet", "/v.parquet"),
        ("votes.parquet", None, "parquet", "votes.parquet"),
    ],
)
def test_a_spark_source_says_one_thing(source: str, master: str | None, kind: str, what: str) -> None:
    place = find_spark(source)
    assert (place.name, place.master, place.kind, place.what) == (source, master, kind, what)


@pytest.mark.parametrize(
    ("source", "name", "url", "table"),
    [
        ("postgres://h/b/t", "postgres://h/b/t", "postgres://h/b", "t"),
        ("postgres://u:p@h:5/b/s.t?x=1", "postgres://u@h:5/b/s.t", "postgres://u:p@h:5/b?x=1", "s.t"),
        ("postgresql:///b/t?host=%2Frun", "postgresql:///b/t", "postgresql:///b?host=%2Frun", "t"),
        ("postgres://:p@/b/t", "postgres://@/b/t", "postgres://:p@/b", "t"),
        ("postgres://h/b/a%2Fb%22", "postgres://h/b/a%2Fb%22", "postgres://h/b", 'a/b"'),
        ("sqlite:///srv/p.db/t", "sqlite:///srv/p.db/t", "sqlite:///srv/p.db", "t"),
        ("sqlite://p.db/t", "sqlite://p.db/t", "sqlite://p.db", "t"),
    ],
)
def test_a_database_source_says_one_thing(source: str, name: str, url: str, table: str) -> None:
    place = find_database(source)
    assert (place.name, place.url, place.table) == (name, url, table)


@pytest.mark.parametrize(
    "source",
    [
        *["spark://", "spark://h:7077", "spark://h:7077/", "spark:///v.csv", "spark:///d/v", "spark:///a\0b", "v.csv"],
        *["postgres://", "postgres://h", "postgres://h/", "postgres://h:x/b/t", "x://a\n/b/t", "b/t"],
    ],
)
def test_a_source_that_says_nothing_is_refused(source: str) -> None:
    with pytest.raises(SourceError) as refused:
        find_spark(source) if source.startswith(("spark", "v")) else find_database(source)
    assert refused.value.__cause__ is None


def test_a_password_is_no_part_of_what_is_shown() -> None:
    for text in ("postgres://u:hush@h/b/t", "postgres://h/b/t?password=hush", "mysql://u:hush@h/b/t#hush"):
        assert "hush" not in public_name(text)
    assert public_name(pd.DataFrame()) == "a pandas table"
    assert public_name(Path("p.csv")) == "p.csv"


@pytest.mark.parametrize(
    "source",
    [
        "postgres://me:1/hush@host/base/votes",
        "postgres://me:/hush@host/base/votes",
        "postgres://me:p@x/hush@host/base/votes",
        "postgres://me:1/hush?@host/base/votes",
        "postgres://me:1#hush@host/base/votes",
        "spark://h:7077/s3a://me:hush@bucket/votes.parquet",
        "spark://h:7077/s3a://me:hu/sh@bucket/votes.parquet",
    ],
)
def test_a_password_that_was_not_quoted_is_not_taken_for_a_path_and_shown(source: str) -> None:
    with pytest.raises(SourceError) as refused:
        find_spark(source) if source.startswith("spark") else find_database(source)
    assert "hu" not in str(refused.value)


def test_an_at_sign_that_is_no_password_s_stays() -> None:
    assert find_database("sqlite:///data/me@work/people.db/votes").table == "votes"
    assert find_database("postgres://me@host/base/votes?user=me@work").name == "postgres://me@host/base/votes"
    assert find_spark("spark://h:7077/hdfs://name:9000/me@work/v.parquet").what == "hdfs://name:9000/me@work/v.parquet"


def test_the_engine_follows_from_the_source_and_a_contradiction_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert engine_for(Path("p.csv")) == engine_for("duckdb://f.db/t") == engine_for(pd.DataFrame()) == "duckdb"
    assert engine_for("p.parquet", "spark") == "spark"
    assert engine_for("mysql://h/b/t") == engine_for("postgres://h/b/t", "ibis") == "ibis"
    for source, asked in (
        ("postgres://h/b/t", "spark"),
        ("spark:///t", "duckdb"),
        ("p.csv", "ibis"),
        ("duckdb://f.db/t", "spark"),
        (pd.DataFrame(), "spark"),
    ):
        with pytest.raises(InvalidInput, match="does not read this source"):
            engine_for(source, asked)
    odd = tmp_path / "odd:" / "x.csv"
    odd.parent.mkdir()
    odd.write_text("v\na\n")
    assert engine_for("odd://x.csv") == "duckdb", "a file of that name is that file"
