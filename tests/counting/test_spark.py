"""On Spark the rule is the same: the table of nasty values, numbers, people, groups, and what is refused."""

import datetime as dt
import traceback
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from discreet.counting import Declaration, inspect_source
from discreet.errors import InvalidInput, SourceError
from tests.counting.tables import LOOKS, assert_counted_alike, counted
from tests.counting.test_same_counts import BYTES, CATEGORIES, NUMBER_CATEGORIES, NUMBERS, ROWS, WHO, expected, shuffle
from tests.support.spark import MASTER

pytestmark = pytest.mark.xdist_group("spark")


def written(folder: Path, columns: dict[str, Any], name: str = "t.parquet") -> str:
    """A table that Spark reads, by its text."""
    pq.write_table(pa.table(columns), folder / name)
    return f"spark+{MASTER}://{folder}/{name}"


@pytest.mark.few(1)
@pytest.mark.usefixtures("spark", "_way")
def test_nasty_texts_are_counted_by_the_rule(tmp_path: Path) -> None:
    rows = list(ROWS)
    shuffle(rows, "spark")
    source = written(tmp_path, {"filler": ["x"] * len(rows), "v": rows})
    declaration = Declaration("v", CATEGORIES, other="rest")
    assert counted(source, declaration) == (len(rows), *expected(rows, declaration))


@pytest.mark.usefixtures("spark")
def test_a_text_that_is_not_utf_8_is_a_value_like_any_other(tmp_path: Path) -> None:
    source = written(tmp_path, {"v": pa.array(BYTES).view(pa.string()), "who": pa.array(WHO).view(pa.string())})
    assert counted(source, Declaration("v", ["a", "b"], other="rest")) == (8, 2, 1, 5)
    assert counted(source, Declaration("v", ["a", "b"], other="rest", id_column="who")) == (7, 2, 1, 4)


@pytest.mark.few(1)
@pytest.mark.usefixtures("spark", "_way")
def test_numbers_are_compared_as_numbers(tmp_path: Path) -> None:
    for kind, values in NUMBERS.items():
        declaration = Declaration("v", NUMBER_CATEGORIES[kind], other="rest")
        source = written(tmp_path, {"v": values}, f"{kind}.parquet")
        assert counted(source, declaration) == (len(values), *expected(values, declaration)), kind


@pytest.mark.few(2)
@pytest.mark.usefixtures("spark")
@pytest.mark.parametrize("kind", [pa.decimal128(38, 10), pa.int8(), pa.float32(), pa.bool_(), pa.null()], ids=str)
def test_every_width_holds_what_it_can(kind: pa.DataType, tmp_path: Path) -> None:
    values = [None] * 5 if kind == pa.null() else [1, 0, 1, None, 1]
    source = written(tmp_path, {"v": pa.array(values).cast(kind)})
    names = ["true", "false"] if kind == pa.bool_() else ["1", "0"]
    declaration = Declaration("v", [*names, "-1", "300", "1e200", "0.1"], other="rest")
    assert counted(source, declaration) == ((5, 0, 0, 0, 0, 0, 0, 5) if kind == pa.null() else (5, 3, 1, 0, 0, 0, 0, 1))


@pytest.mark.usefixtures("spark")
def test_a_single_precision_float_means_what_is_printed_for_it(tmp_path: Path) -> None:
    singles = written(tmp_path, {"v": pa.array([0.1, 1 / 3, 16777217.0, 0.1], pa.float32())}, "f.parquet")
    assert counted(singles, Declaration("v", ["0.1", "0.33333334", "16777216"])) == (4, 2, 1, 1)


def test_collations_do_not_fold_what_the_rule_keeps_apart(spark: Any) -> None:
    texts = spark.sql("SELECT * FROM VALUES ('a'), ('A'), ('a '), (CAST(NULL AS STRING)), ('') AS t(v)")
    frame = texts.selectExpr("v", "v COLLATE UTF8_LCASE AS folded", "v COLLATE UNICODE_CI_AI AS ignored")
    assert frame.where("folded = 'A'").count() == 2, "the collation would have folded them"
    for column in frame.columns:
        assert counted(frame, Declaration(column, ["a", "A"], other="rest")) == (5, 1, 1, 3), column


def test_a_table_is_named_and_its_char_is_read_without_padding(spark: Any, tmp_path: Path) -> None:
    spark.sql(f"CREATE TABLE boxes (v CHAR(5), w VARCHAR(5), x STRING) USING parquet LOCATION '{tmp_path}/boxes'")
    spark.sql("INSERT INTO boxes VALUES ('a', 'a', 'a    '), ('b', 'b ', 'b'), ('a ', 'a ', 'a')")
    source = f"spark+{MASTER}://default.boxes"
    wanted = {"v": (3, 2, 1, 0), "w": (3, 1, 0, 2), "x": (3, 1, 1, 1)}
    for column, counts in wanted.items():
        assert counted(source, Declaration(column, ["a", "b"], other="rest")) == counts, column
    spark.sql("DROP TABLE boxes")


PEOPLE: dict[str, list[Any]] = {
    "v": ["a", "b", "b", "", None, "a", "b", "c", "c", "a"],
    "g": ["x", "x", "y", "y", "z", None, "x", "", "y", "y"],
    "text": ["1", "1", "2", "2", "3", "", None, "4", "é", "e\u0301"],
    "whole": [7, 7, 8, 8, None, None, 9, 9, 10, 10],
    "float": [0.0, -0.0, 1.5, 1.5, float("nan"), None, 2.0, 2.0, 3.0, float("inf")],
    "date": [dt.date(2020, 1, 1 + i // 2) if i < 8 else None for i in range(10)],
    "bytes": [b"x", b"x", b"X", b"", None, b"y", b"y", b"z", b"z", b"z"],
}


@pytest.mark.few(2)
@pytest.mark.usefixtures("spark")
@pytest.mark.parametrize("person", ["float", "whole", "date", "bytes", None, "text"])
def test_people_and_groups_are_the_same_as_on_duckdb(person: str | None, tmp_path: Path) -> None:
    source, plain = written(tmp_path, PEOPLE), str(tmp_path / "t.parquet")
    assert_counted_alike(source, plain, [person], groups=person in (None, "text"))


@pytest.mark.usefixtures("spark")
def test_what_a_curator_sees_is_the_same_as_on_duckdb(tmp_path: Path) -> None:
    columns = {
        "v": ["a", "b", "", None, "B", "B", "ß"],
        "x": [1.0, 2.0, float("nan"), None, 3.5, 3.5, 7.0],
        "who": ["1", "2", "", None, "3", "3", "3"],
    }
    source = written(tmp_path, columns)
    for declaration in LOOKS:
        assert inspect_source(source, declaration) == inspect_source(str(tmp_path / "t.parquet"), declaration)


@pytest.mark.few(2)
@pytest.mark.usefixtures("spark")
@pytest.mark.parametrize("name", ["``; DROP TABLE t; --", "a.b", "*", "${x}'\"", "c0", "f1"])
def test_a_hostile_column_is_that_column_and_a_hostile_category_that_category(name: str, tmp_path: Path) -> None:
    source = written(tmp_path, {"rest": ["z", "z", "z"], name: [name, "plain", "stray"], f"{name}'id": ["1", "2", "2"]})
    declaration = Declaration(name, [name, "plain"], other="rest", id_column=f"{name}'id")
    assert counted(source, declaration) == (2, 1, 1, 0)


def test_what_cannot_be_counted_is_refused_before_a_row_is_read(spark: Any, tmp_path: Path) -> None:
    odd = ("current_date() AS day", "array(id) AS list", "map(1, 2) AS map")
    frame = spark.range(3).selectExpr("id", *odd, "'x' AS v")
    for column in ("day", "list", "map"):
        with pytest.raises(InvalidInput, match="neither text nor numbers"):
            counted(frame, Declaration(column, ["a", "b"]))
    for column in ("list", "map"):
        with pytest.raises(InvalidInput, match="cannot tell people apart"):
            counted(frame, Declaration("v", ["a", "b"], id_column=column))
    with pytest.raises(SourceError, match="no column 'V'"):
        counted(frame, Declaration("V", ["a", "b"]))
    with pytest.raises(SourceError, match="two columns 'v'"):
        counted(frame.selectExpr("v", "v"), Declaration("v", ["a", "b"]))
    with pytest.raises(SourceError, match="running here"):
        counted("spark://elsewhere:7077/votes", Declaration("v", ["a", "b"]))
    with pytest.raises(SourceError, match="cannot be read"):
        counted(f"spark+{MASTER}://no_such_table", Declaration("v", ["a", "b"]))
    written(tmp_path, {"v": ["a"]})
    with pytest.raises(SourceError, match="no kind that Spark can be trusted to read"):
        counted(f"spark+{MASTER}://parquet.`{tmp_path}`", Declaration("v", ["a", "b"]))


@pytest.mark.usefixtures("spark")
def test_files_of_different_types_are_refused_and_columns_are_found_by_name(tmp_path: Path) -> None:
    written(tmp_path, {"v": ["a", "b"], "w": [1, 2]}, "0.parquet")
    written(tmp_path, {"w": [1, 2], "v": ["a", "a"]}, "1.parquet")
    declaration = Declaration("v", ["a", "b"])
    assert counted(f"spark+{MASTER}://{tmp_path}/*.parquet", declaration) == (4, 3, 1)
    for i, values in enumerate(([1.5], [1])):
        pq.write_table(pa.table({"v": values}), tmp_path / f"{i}.parquet")
    with pytest.raises(SourceError, match="cannot be read"):
        counted(f"spark+{MASTER}://{tmp_path}/*.parquet", Declaration("v", ["1", "2"]))


def test_an_engine_that_fails_says_nothing_of_the_rows(spark: Any, tmp_path: Path) -> None:
    frame = spark.sql("SELECT CAST(v AS INT) AS v FROM VALUES ('1'), ('the secret') AS t(v)")
    path = tmp_path / "broken.parquet"
    written(tmp_path, {"v": ["a secret"] * 1000}, path.name)
    whole = path.read_bytes()
    path.write_bytes(whole[:20] + bytes(40) + whole[60:])
    for source, categories in ((frame, ["1", "2"]), (f"spark+{MASTER}://{path}", ["a secret", "b"])):
        with pytest.raises(SourceError) as refused:
            counted(source, Declaration("v", categories, other="rest"))
        told = "".join(traceback.format_exception(refused.value))
        assert "secret" not in told.replace(str(categories), "")
        assert refused.value.__context__ is None
