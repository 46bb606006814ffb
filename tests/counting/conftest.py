"""What all tests of counting share: a database of PostgreSQL, and tables that any engine counts in."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

import ibis
import psycopg
import pyarrow as pa
import pytest
from psycopg import sql

from tests.counting.tables import TEXT, Columns, as_duckdb, as_parquet, as_sqlite
from tests.support.postgres import Server

Hold = Callable[[str, Columns], Any]

KINDS = {
    "string": ("text", "TEXT COLLATE NOCASE"),
    "int64": ("int8", "INTEGER"),
    "double": ("float8", "REAL"),
    "bool": ("boolean", ""),
    "date32[day]": ("date", ""),
    "binary": ("bytea", "BLOB"),
}
"""Types of Arrow, as PostgreSQL and SQLite call them."""

SPARK = pytest.param("spark", marks=pytest.mark.xdist_group("spark"))
ENGINES = ["sqlite", "ibis", "ibis on duckdb", "ibis by digests", "postgres", "postgres by join", SPARK]
"""Forms that other engines than DuckDB count in. Databases compare few categories one by one, and join many."""


class Base:
    """A database of PostgreSQL, and the address of its tables."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.connection = psycopg.connect(url, autocommit=True, prepare_threshold=None)  # the types of a table change

    def source(self, table: str = "t") -> str:
        head, question, rest = self.url.partition("?")
        return f"{head}/{quote(table, safe='')}{question}{rest}"

    def table(self, columns: Mapping[str, tuple[str, Sequence[Any]]], name: str = "t") -> str:
        """A new table with columns of these types and values."""
        definitions = [
            sql.SQL("{} {}").format(sql.Identifier(column), sql.SQL(kind)) for column, (kind, _) in columns.items()
        ]
        named = sql.Identifier(name)
        self.connection.execute(sql.SQL("DROP TABLE IF EXISTS {}").format(named))
        self.connection.execute(sql.SQL("CREATE TABLE {} ({})").format(named, sql.SQL(", ").join(definitions)))
        places = sql.SQL(", ").join([sql.Placeholder()] * len(columns))
        rows = list(zip(*(values for _, values in columns.values()), strict=True))
        with self.connection.cursor() as cursor:
            doubled = sql.Identifier(name.replace("%", "%%"))  # or it would be taken for a placeholder
            cursor.executemany(sql.SQL("INSERT INTO {} VALUES ({})").format(doubled, places), rows)
        return self.source(name)


@pytest.fixture(scope="module")
def base(postgres: Server) -> Iterator[Base]:
    made = Base(postgres.new_database())
    with made.connection:
        yield made


@pytest.fixture
def hold(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Hold:
    """Hold a table in a form, for an engine to count in."""

    def held(form: str, columns: Columns) -> Any:
        kinds = {name: KINDS.get(str(pa.array(values).type), ("", "")) for name, values in columns.items()}
        if form == "spark":
            request.getfixturevalue("spark")
            return f"spark:///{as_parquet(tmp_path, columns)}"
        monkeypatch.setattr("discreet.counting.database_columns.SMALL", 0 if form == "postgres by join" else 1000)
        if form.startswith("postgres"):
            table = {name: (kinds[name][0], values) for name, values in columns.items()}
            base: Base = request.getfixturevalue("base")
            return base.table(table)
        if form == "sqlite":
            return as_sqlite(tmp_path, {name: (kinds[name][1], values) for name, values in columns.items()})
        if form == "ibis on duckdb":
            as_duckdb(tmp_path, columns)
            return ibis.duckdb.connect(tmp_path / "file.db").table("the table")
        if form == "ibis by digests":
            monkeypatch.setattr("discreet.counting.database_columns.RECIPES", {})
        return ibis.memtable(pa.table(columns)) if form.startswith("ibis") else TEXT[form](tmp_path, columns)

    return held
