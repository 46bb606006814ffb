"""What is Spark's own about the rule: collations, padded texts, names, and what is refused."""

from pathlib import Path
from typing import Any

import pytest

from discreet.counting import Declaration
from discreet.errors import InvalidInput, SourceError
from tests.counting.tables import Columns, as_parquet, assert_silent, counted

pytestmark = pytest.mark.xdist_group("spark")


def on_spark(folder: Path, columns: Columns) -> str:
    """A table that Spark reads, by its text."""
    return f"spark:///{as_parquet(folder, columns)}"


def test_collations_do_not_fold_what_the_rule_keeps_apart(spark: Any) -> None:
    texts = spark.sql("SELECT * FROM VALUES ('a'), ('A'), ('a '), (CAST(NULL AS STRING)), ('') AS t(v)")
    frame = texts.selectExpr("v", "v COLLATE UTF8_LCASE AS folded", "v COLLATE UNICODE_CI_AI AS ignored")
    assert frame.where("folded = 'A'").count() == 2, "the collation would have folded them"
    for column in frame.columns:
        assert counted(frame, Declaration(column, ["a", "A"], other="rest")) == (5, 1, 1, 3), column


def test_a_table_is_named_and_its_char_is_read_without_padding(spark: Any, tmp_path: Path) -> None:
    spark.sql(f"CREATE TABLE boxes (v CHAR(5), w VARCHAR(5), x STRING) USING parquet LOCATION '{tmp_path}/boxes'")
    spark.sql("INSERT INTO boxes VALUES ('a', 'a', 'a    '), ('b', 'b ', 'b'), ('a ', 'a ', 'a')")
    source = "spark:///default.boxes"
    expected = {"v": (3, 2, 1, 0), "w": (3, 1, 0, 2), "x": (3, 1, 1, 1)}
    for column, counts in expected.items():
        assert counted(source, Declaration(column, ["a", "b"], other="rest")) == counts, column
    spark.sql("DROP TABLE boxes")


@pytest.mark.few(2)
@pytest.mark.usefixtures("spark")
@pytest.mark.parametrize("name", ["``; DROP TABLE t; --", "a.b", "*", "${x}'\"", "c0", "f1"])
def test_a_hostile_column_is_that_column_and_a_hostile_category_that_category(name: str, tmp_path: Path) -> None:
    source = on_spark(
        tmp_path, {"rest": ["z", "z", "z"], name: [name, "plain", "stray"], f"{name}'id": ["1", "2", "2"]}
    )
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
        counted("spark:///no_such_table", Declaration("v", ["a", "b"]))
    as_parquet(tmp_path, {"v": ["a"]})
    with pytest.raises(SourceError, match="no kind that Spark can be trusted to read"):
        counted(f"spark:///parquet.`{tmp_path}`", Declaration("v", ["a", "b"]))


@pytest.mark.usefixtures("spark")
def test_files_of_different_types_are_refused_and_columns_are_found_by_name(tmp_path: Path) -> None:
    tables: list[Columns] = [
        {"v": ["a", "b"], "w": [1, 2]},
        {"w": [1, 2], "v": ["a", "a"]},
        {"v": [1.5, 2.5]},
        {"v": [1, 2]},
    ]
    for i, columns in enumerate(tables):
        as_parquet(tmp_path, columns, f"{i}.parquet")
    assert counted(f"spark:///{tmp_path}/[01].parquet", Declaration("v", ["a", "b"])) == (4, 3, 1)
    with pytest.raises(SourceError, match="cannot be read"):
        counted(f"spark:///{tmp_path}/[23].parquet", Declaration("v", ["1", "2"]))


def test_an_engine_that_fails_says_nothing_of_the_rows(spark: Any, tmp_path: Path) -> None:
    frame = spark.sql("SELECT CAST(v AS INT) AS v FROM VALUES ('1'), ('the secret') AS t(v)")
    assert_silent(frame, Declaration("v", ["1", "2"], other="rest"), "secret")
    source, path = on_spark(tmp_path, {"v": ["a secret"] * 1000}), tmp_path / "table.parquet"
    whole = path.read_bytes()
    path.write_bytes(whole[:20] + bytes(40) + whole[60:])
    assert_silent(source, Declaration("v", ["a", "b"], other="rest"), "secret")
