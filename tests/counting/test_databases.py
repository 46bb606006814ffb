"""What is the databases' own about the rule: their types, collations, names, snapshots, and failures."""

import math
import sqlite3
import uuid
from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import psycopg
import pyarrow as pa
import pytest
from psycopg import sql

import discreet as dc
from discreet.counting import Declaration, count_records, database_columns, inspect_source, open_source, public_name
from discreet.errors import InvalidInput, SourceError, TooLarge
from discreet.ledger import Ledger
from tests.counting.conftest import Base
from tests.counting.tables import as_sqlite, assert_silent, counted
from tests.counting.test_same_counts import ANSWERS, CATEGORIES, NUMBER_CATEGORIES, NUMBERS, ROWS, expected
from tests.support.postgres import serving

STORABLE = [row for row in ROWS if row is None or "\0" not in row]
"""PostgreSQL's texts have no zero bytes."""

NASTY = Declaration("v", CATEGORIES, other="rest")
BY_THE_RULE = (len(STORABLE), *expected(STORABLE, NASTY))
REST = Declaration("v", ["a", "b"], other="rest")


@pytest.fixture(scope="module")
def folding() -> Iterator[Base]:
    """A server with ICU and citext, which the one for all tests may lack."""
    places = sorted(Path("/usr/lib/postgresql").glob("*/bin/postgres"), reverse=True)
    if not places:
        pytest.skip("no PostgreSQL with ICU and citext: apt-get install postgresql")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tests.support.postgres.binaries", lambda: places[0].parent)
        with serving() as server:
            base = Base(server.new_database())
            with base.connection as connection:
                icu = "provider = icu, locale = 'und-u-ks-level1', deterministic = false"
                connection.execute(f"CREATE EXTENSION citext; CREATE COLLATION folded ({icu})")
                yield base


@pytest.mark.parametrize("kind", ["varchar", "varchar(10000)", 'text COLLATE "C"'])
def test_texts_of_any_type_are_counted_by_the_rule(kind: str, base: Base) -> None:
    assert counted(base.table({"v": (kind, STORABLE)}), NASTY) == BY_THE_RULE


@pytest.mark.parametrize("kind", ["text COLLATE folded", "citext"])
def test_what_a_collation_folds_the_rule_keeps_apart(folding: Base, kind: str) -> None:
    assert counted(folding.table({"v": (kind, STORABLE)}), NASTY) == BY_THE_RULE
    [found] = folding.connection.execute("SELECT count(*) FROM t WHERE v = 'a'").fetchone() or [0]
    assert found > ROWS.count("a"), "the database itself would have folded them"
    people = Declaration("v", ["a", "b"], id_column="who")
    source = folding.table({"v": ("text", ["a", "b"]), "who": (kind, ["x", "X"])})
    assert counted(source, people) == (2, 1, 1)


def test_floats_of_sqlite_tell_people_apart_and_are_counted_as_on_duckdb(tmp_path: Path) -> None:
    who = [1.5, 1.5, 0.1, 0.1 + 2**-56, 0.0, -0.0, math.nan, None, math.inf, 1e300]
    source = as_sqlite(tmp_path, {"v": ("TEXT", ANSWERS), "who": ("REAL", who), "f": ("FLOAT", who)})
    plain = pa.table({"v": ANSWERS, "who": who, "f": who})
    for declaration in (
        Declaration("v", ["b", "a"], other="rest", id_column="who"),
        Declaration("v", ["b", "a"], other="rest", id_column="f"),
        Declaration("who", ["1.5", "0.1", "0"], other="rest", id_column="f"),
        Declaration("v", ["b", "a"], other="rest", by="who", groups=["0", "1.5"], other_group="elsewhere"),
    ):
        assert counted(source, declaration) == counted(plain, declaration)
        inspection, same = (inspect_source(place, declaration) for place in (source, plain))
        printed: dict[str, Any] = {"strays": (), "stray_groups": ()}  # SQLite's floats have fewer digits
        assert replace(inspection, **printed) == replace(same, **printed)


def test_a_database_that_gets_our_texts_wrong_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = as_sqlite(tmp_path, {"v": ("TEXT", ["a", "b"])})
    declaration = Declaration("v", ["a", "b"])
    assert counted(source, declaration) == (2, 1, 1)
    capitals: dict[str, Any] = {"sqlite": lambda text: text.upper()}
    for recipes in ({}, capitals):  # SQLite has no digests
        monkeypatch.setattr(database_columns, "RECIPES", recipes)
        with pytest.raises(SourceError, match="cannot compare texts exactly"):
            counted(source, declaration)


WIDTHS = {
    "whole": ["int2", "int4", "int8", "numeric", "numeric(5)", "float4", "float8"],
    "wide": ["int8", "numeric", "numeric(30,2)"],
    "floats": ["float8"],
    "decimals": ["numeric", "numeric(10,2)", "float8"],
}


@pytest.mark.parametrize("small", [0, 64], ids=["by join", "one by one"])
@pytest.mark.parametrize("kind", NUMBERS)
def test_numbers_are_compared_as_numbers(kind: str, small: int, base: Base, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("discreet.counting.database_columns.SMALL", small)
    values = NUMBERS[kind]
    declaration = Declaration("v", NUMBER_CATEGORIES[kind], other="rest")
    for width in WIDTHS[kind]:
        source = base.table({"v": (width, values)})
        assert counted(source, declaration) == (len(values), *expected(values, declaration)), width


def test_odd_numbers_mean_what_they_are(base: Base) -> None:
    long = "1234567890123456789012345678901234567890.12345678901234567891"
    near = "12345678901234567890123456789012345679e2"
    values = [Decimal("NaN"), Decimal(long), Decimal(near), Decimal("1e300"), Decimal("Infinity"), Decimal("0.1000")]
    source = base.table({"v": ("numeric", values)})
    assert counted(source, Declaration("v", [long, "1e300", "1/10", "1/3"], other="rest")) == (6, 1, 1, 1, 0, 3)
    singles = base.table({"v": ("float4", [0.1, 1 / 3, 16777217.0, math.nan, -math.inf, 0.1])})
    assert counted(singles, Declaration("v", ["0.1", "0.33333334", "16777216"], other="rest")) == (6, 2, 1, 1, 2)


def test_postgres_types_are_read_as_the_rule_says(base: Base) -> None:
    base.connection.execute("CREATE SCHEMA IF NOT EXISTS apart")
    base.connection.execute("DROP TYPE IF EXISTS apart.mood CASCADE; CREATE TYPE apart.mood AS ENUM ('a', 'b', 'A')")
    base.connection.execute("DROP DOMAIN IF EXISTS word CASCADE; CREATE DOMAIN word AS varchar(5)")
    kinds = {"char(5)": (2, 1, 0), "word": (1, 1, 1), "apart.mood": (1, 1, 1), "name": (1, 1, 1)}
    for kind, wanted in kinds.items():
        values = ["a", "b", "A" if kind == "apart.mood" else "a "]
        source = base.table({"v": (kind, values)})
        assert counted(source, REST) == (3, *wanted), kind
    truths = base.table({"v": ("boolean", [True, False, None, True])})
    assert counted(truths, Declaration("v", ["true", "false", "True", "1"], other="rest")) == (4, 2, 1, 0, 0, 1)


@pytest.mark.every
@pytest.mark.parametrize(
    "kind", ["money", "json", "xml", "date", "bytea", "int4[]", '"char"', "bit(3)", "interval", "uuid"]
)
def test_other_types_are_refused(kind: str, base: Base) -> None:
    source = base.table({"v": (kind, []), "w": ("text", [])})
    with pytest.raises(InvalidInput, match="neither text nor numbers"):
        counted(source, Declaration("v", ["1", "2"], other="rest"))
    if kind in {"money", "json", "xml", "int4[]", "interval"}:
        with pytest.raises(InvalidInput, match="cannot tell people apart"):
            counted(source, Declaration("w", ["1", "2"], id_column="v"))


def test_ids_of_postgres_own_types_tell_people_apart(base: Base) -> None:
    declaration = Declaration("v", ["b", "a"], other="rest", id_column="who")
    texts = ["1", "1 ", "2", "2", "3", "", None, "4", "é", "e\u0301"]
    numbers = [Decimal(number) for number in ("1", "1.00", "2", "2", "NaN", "NaN", "3", "3", "4", "4")]
    ids: dict[str, tuple[list[Any], str]] = {
        "char(3)": (texts, "11223__456"),
        "numeric": (numbers, "1122__3344"),
        "uuid": ([None if i == 3 else uuid.UUID(int=i // 2) for i in range(10)], "112_334455"),
    }
    for kind, (who, people) in ids.items():
        source = base.table({"v": ("text", ANSWERS), "who": (kind, who)})
        assert counted(source, declaration) == counted(pa.table({"v": ANSWERS, "who": list(people)}), declaration), kind


HOSTILE = ['"', "'", '"; DROP TABLE t; --', "a.b", "%s", "%(x)s", "{}", "\\", "select", "c0", "É", "x" * 60]


@pytest.mark.every
@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_name_is_that_column_that_table_and_that_category(name: str, base: Base) -> None:
    other = f"{name[:55]}'id"
    columns: dict[str, tuple[str, list[Any]]] = {
        "rest": ("text", ["z", "z", "z"]),
        name: ("text", [name, "plain", "stray"]),
        other: ("text", ["1", "2", "2"]),
    }
    with base.connection.transaction(force_rollback=False):
        source = base.table(columns, name)
    declaration = Declaration(name, [name, "plain"], other="rest", id_column=other)
    assert counted(source, declaration) == (2, 1, 1, 0)
    base.connection.execute(sql.SQL("DROP TABLE {}").format(sql.Identifier(name)))


def test_a_table_is_found_by_its_schema_or_on_the_path_or_not_at_all(base: Base) -> None:
    base.connection.execute('CREATE SCHEMA IF NOT EXISTS "my.schema"; CREATE SCHEMA IF NOT EXISTS s')
    base.connection.execute('DROP TABLE IF EXISTS "my.schema".u, s.u; DROP VIEW IF EXISTS s.w')
    base.connection.execute("CREATE TABLE \"my.schema\".u AS SELECT 'a'::text AS v")
    base.connection.execute("CREATE TABLE s.u AS SELECT 'b'::text AS v; CREATE VIEW s.w AS SELECT * FROM s.u")
    declaration = Declaration("v", ["a", "b"])
    assert counted(base.source("my.schema.u"), declaration) == (1, 1, 0)
    for name in ("s.u", "s.w", "w"):
        assert counted(base.source(name), declaration) == (1, 0, 1)
    for name in ("u", "U", "nothing", "s.u; DROP TABLE s.u"):
        with pytest.raises(SourceError, match="names no one table"):
            counted(base.source(name), declaration)
    with pytest.raises(SourceError, match="no column 'V'"):
        counted(base.source("s.u"), Declaration("V", ["a", "b"]))


def test_one_snapshot_is_counted_whoever_writes_meanwhile_and_nothing_is_written(base: Base) -> None:
    source = base.table({"v": ("text", ["a", "b"])})
    with open_source(source, Declaration("v", ["a", "b"])) as table:
        assert table.count_records().n == 2
        base.connection.execute("INSERT INTO t VALUES ('a'), ('stray')")
        assert list(table.count_records().counts) == [1, 1]
        with pytest.raises(psycopg.errors.ReadOnlySqlTransaction):
            table.connection.con.execute("DELETE FROM t")  # type: ignore[attr-defined]
    assert count_records(source, Declaration("v", ["a", "b"])).has_strays


def test_a_database_that_fails_says_nothing_of_the_rows_and_nothing_of_the_password(base: Base) -> None:
    base.connection.execute(
        "CREATE OR REPLACE VIEW broken AS SELECT v::int::text AS v FROM (VALUES ('the secret')) AS t(v)"
    )
    for source in (base.source("broken"), base.source("broken").replace("pass%20word", "wrong")):
        assert_silent(source, Declaration("v", ["1", "2"], other="rest"), "secret", "pass%20word", "pass word", "wrong")


def test_a_release_from_postgres_is_charged_once_and_knows_no_password(base: Base, tmp_path: Path) -> None:
    source = base.table({"v": ("text", ["a"] * 60 + ["b"] * 40)})
    ledger = Ledger.create(tmp_path / "l.db", dataset="d", epsilon=2000)
    arguments: dict[str, Any] = {"column": "v", "categories": ["a", "b"], "epsilon": 2000, "dataset": "d"}
    receipt = dc.release(source, ledger=ledger, request_id="r", **arguments)
    assert receipt.output == (60, 40)  # at this ε the noise is zero but with a probability below e^-900
    passwordless = source.replace(":pass%20word%2F%40%3A%25%C3%A9@", "@")
    assert passwordless != source
    assert public_name(source) == public_name(passwordless)
    assert dc.release(source, ledger=ledger, request_id="r", **arguments).document == receipt.document
    assert ledger.spent("d").epsilon == 2000


def test_sqlite_is_opened_for_reading_and_never_made(tmp_path: Path) -> None:
    source = as_sqlite(
        tmp_path, {"v": ("TEXT", ["a", "b", "b"]), "x": ("REAL", [0.1, 0.2, None]), "d": ("DECIMAL(5,2)", [1, 2, 3])}
    )
    assert counted(source, Declaration("x", ["0.1", "0.2", "0.30000000000000004"], other="rest")) == (3, 1, 1, 0, 1)
    with open_source(source, Declaration("v", ["a", "b"])) as table, pytest.raises(sqlite3.OperationalError):
        table.connection.raw_sql("DELETE FROM t")  # type: ignore[attr-defined]
    with pytest.raises(InvalidInput, match="neither text nor numbers"):
        counted(source, Declaration("d", ["1", "2"], other="rest"))
    with pytest.raises(SourceError, match="no such SQLite file"):
        counted(f"sqlite://{tmp_path}/nothing.db/t", Declaration("v", ["a", "b"]))
    assert not (tmp_path / "nothing.db").exists()
    with pytest.raises(SourceError, match="names no one table"):
        counted(f"sqlite://{tmp_path}/people.db/nothing", Declaration("v", ["a", "b"]))
    with pytest.raises(TooLarge, match="64 categories"):
        counted(source, Declaration("v", [f"c{i}" for i in range(65)], other="rest"))
