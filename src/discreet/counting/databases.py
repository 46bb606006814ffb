"""Counting in databases through Ibis: the database judges its rows, and only k numbers travel.

A source that is named by its address is opened for reading only where the database can, and on PostgreSQL in one
snapshot, so that n, the check of strays and the counts speak of the same rows. An Ibis expression is counted on its own
connection, as it is.
"""

# ruff: noqa: S608 - the statement that is wrapped is Ibis' own

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import ibis

from discreet.counting.column_names import find_columns
from discreet.counting.comparisons import ANY_DECIMAL, Match, match_columns
from discreet.counting.database_columns import (
    OTHER_IDS,
    UNKNOWN,
    as_text,
    fetch_rows,
    identity,
    read_column,
    require_digits,
    require_floats,
    type_of,
    with_codes,
    with_places,
)
from discreet.counting.declaration import Declaration
from discreet.counting.inspection import MAX_STRAY_CHARS, MAX_STRAYS
from discreet.counting.sources import DatabasePlace, find_database
from discreet.counting.table import InspectableTable, Oddities, attempt, unreadable_error, useless_id_error
from discreet.errors import SourceError

SNAPSHOT = (
    "SET standard_conforming_strings = on",
    "SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY",
    "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
)
"""Ibis' own transactions become savepoints within this one."""

TABLES = """
SELECT n.nspname, c.relname, pg_catalog.pg_table_is_visible(c.oid)
FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND %s::text IN (c.relname, n.nspname || '.' || c.relname)
"""

TYPE_NAMES = """
SELECT t.oid, CASE WHEN t.typtype = 'e' THEN 'enum' ELSE t.typname END
FROM pg_catalog.pg_type t WHERE t.oid = ANY(%s)
"""

POSTGRES_TYPES = {
    **dict.fromkeys(("text", "varchar", "bpchar", "name", "citext", "enum"), "VARCHAR"),
    **dict.fromkeys(("date", "timestamp", "timestamptz", "uuid"), OTHER_IDS),
    "bool": "BOOLEAN",
    "int2": "SMALLINT",
    "int4": "INTEGER",
    "int8": "BIGINT",
    "float4": "FLOAT",
    "float8": "DOUBLE",
    "numeric": ANY_DECIMAL,
    "bytea": "BLOB",
}
"""PostgreSQL's types, as `comparisons` calls them; a domain is its base type. Money, JSON and the like are not here."""

SQLITE = ("query_only = ON", "temp_store = MEMORY")
"""SQLite would sort ids in files of the temporary directory."""


@dataclass(frozen=True, slots=True)
class DatabaseTable(InspectableTable):
    """An opened source, for one declaration: the `Table` of Ibis."""

    name: str
    declaration: Declaration
    matches: tuple[Match, ...]
    rows: Any
    """A table expression with columns c0 and with groups c1, t0 and t1 for the texts of the values, and `person` if
    there are ids: of the rows that the filters select."""
    connection: Any

    def count_places(self) -> list[tuple[int, int]]:
        """The code of each place, and how many records are there."""
        codes = with_codes(self.rows, self.declaration, self.matches, self.connection.name)
        if self.declaration.id_column is not None:
            codes = codes.group_by("person").aggregate(code=codes.code.min())
        answer = self.fetch(codes.group_by("code").aggregate(often=codes.count()))
        return [(int(code), int(often)) for code, often in answer]

    def count_oddities(self) -> Oddities:
        """How many rows there are, and how many of them are odd: for the curator's eyes."""
        rows = self.rows
        odd = {"missing": rows.c0.isnull(), "empty": rows.t0 == ""}
        if self.declaration.id_column is not None:
            odd["nameless"] = rows.person.isnull()
        counted = {what: rows.count(where=condition) for what, condition in odd.items()}
        [answer] = self.fetch(rows.aggregate(total=rows.count(), **counted))
        return Oddities(*answer)

    def count_stray_values(self, *, groups: bool) -> list[tuple[str, int]]:
        """The most frequent values outside the categories, or the groups: for the curator's eyes."""
        rows = with_places(self.rows, self.matches[int(groups)], "place", self.connection.name)
        value, text = (rows.c1, rows.t1) if groups else (rows.c0, rows.t0)
        outside = rows.filter(rows.place.isnull(), value.notnull(), text != "")
        values = outside.group_by(stray=text.left(MAX_STRAY_CHARS)).aggregate(often=outside.count())
        answer = self.fetch(values.order_by(ibis.desc("often"), "stray").limit(MAX_STRAYS))
        return [(str(stray), int(often)) for stray, often in answer]

    def fetch(self, answer: Any) -> list[tuple[Any, ...]]:
        """The rows of an answer; whatever the database says when it fails is dropped, because it may quote rows."""
        return attempt(lambda: fetch_rows(self.connection, answer), unreadable_error(self.name))


@contextmanager
def open_database(source: object, declaration: Declaration) -> Iterator[DatabaseTable]:
    """Open a table by its address, or an Ibis expression."""
    if not isinstance(source, str | Path):
        error = SourceError(f"a {type(source).__name__} is not a table", hint="give a table expression of Ibis")
        if not isinstance(source, ibis.expr.types.Table):
            raise error
        yield _open_table("the ibis table", attempt(source.get_backend, error), source, declaration)
        return
    place = find_database(source)
    with _connect(place) as connection:
        table = attempt(lambda: _find_table(connection, place), _unknown_table(place))
        yield _open_table(place.name, connection, table, declaration)


def describe_database(source: str) -> dict[str, str]:
    """The columns of a table or view with their types, by the schema: no row is read."""
    place = find_database(source)
    with _connect(place) as connection:
        table = attempt(lambda: _find_table(connection, place), _unknown_table(place))
        return {name: str(dtype) for name, dtype in table.schema().items()}


@contextmanager
def _connect(place: DatabasePlace) -> Iterator[Any]:
    schemes = {backend.name for backend in ibis.util.backend_entry_points()} | {"postgresql"}
    if place.scheme not in schemes:  # Ibis would fetch a page of the web
        raise SourceError(
            f"{place.scheme}:// is no kind of source here",
            hint="give a file or glob, duckdb://file.db/table, a database that Ibis knows, or spark://host:7077/table",
        )
    if place.scheme == "sqlite" and not Path(place.url.removeprefix("sqlite://")).is_file():
        raise SourceError("there is no such SQLite file", hint="check the name")  # it would be made, and be empty
    error = SourceError(
        f"the database of {place.name} cannot be reached",
        hint="check the address, the user and the password, and that what Ibis needs for its kind is installed",
    )
    connection = attempt(lambda: ibis.connect(place.url), error)
    try:
        if connection.name == "postgres":
            for statement in SNAPSHOT:
                attempt(partial(connection.con.execute, statement), error)
        elif connection.name == "sqlite":
            for pragma in SQLITE:
                attempt(partial(connection.raw_sql, f"PRAGMA {pragma}"), error)
        yield connection
    finally:
        with suppress(Exception):  # what it says of a connection that is gone helps nobody
            connection.disconnect()


def _find_table(connection: Any, place: DatabasePlace) -> Any:
    """The one table or view of this name: on PostgreSQL `table` as the search path finds it, or `schema.table`."""
    if connection.name == "postgres":
        tables = connection.con.execute(TABLES, (place.table,)).fetchall()
        if len(tables) > 1:
            tables = [row for row in tables if row[2] and row[1] == place.table]
        [(schema, table, _)] = tables
        return connection.table(table, database=(connection.current_catalog, schema))
    if place.table not in connection.list_tables():
        raise _unknown_table(place)
    return connection.table(place.table)


def _open_table(name: str, connection: Any, table: Any, declaration: Declaration) -> DatabaseTable:
    find_columns(table.columns, declaration.columns, name)
    require_digits(connection, name)
    chosen = table.select(**{f"c{i}": table[column] for i, column in enumerate(declaration.columns)})
    kinds = attempt(lambda: _kinds(connection, chosen), unreadable_error(name))
    matches = match_columns(declaration, kinds)
    for match in matches:
        require_floats(connection, match, name)
    backend = connection.name
    read = {f"c{i}": read_column(chosen[f"c{i}"], kinds[i], backend) for i in range(len(matches))}
    read |= {f"t{i}": as_text(chosen[f"c{i}"]) for i in range(len(matches))}
    if declaration.id_column is not None:
        person = identity(chosen[f"c{len(matches)}"], kinds[-1], backend)
        if person is None:
            raise useless_id_error(declaration)
        read["person"] = person
    rows, places = chosen.select(**read), len(matches) - len(declaration.filters)
    for match in matches[places:]:
        placed = with_places(rows, match, "place", backend)
        rows = placed.filter(placed.place.notnull()).drop("place")
    return DatabaseTable(name, declaration, matches[:places], rows, connection)


def _kinds(connection: Any, chosen: Any) -> list[str]:
    """The types of the columns. Ibis takes some of PostgreSQL's for others, so that one is asked itself."""
    dtypes = chosen.schema().types
    kinds = [type_of(dtype) for dtype in dtypes]
    if connection.name == "postgres":
        described = connection.con.execute(f"SELECT * FROM ({connection.compile(chosen)}) AS t LIMIT 0").description
        numbers = [column.type_code for column in described]
        names = dict(connection.con.execute(TYPE_NAMES, (numbers,)).fetchall())
        types = [POSTGRES_TYPES.get(names.get(number, ""), UNKNOWN) for number in numbers]
        # What Ibis knows and nobody can count, like JSON, it gives out as text.
        usable = [kind != UNKNOWN or t.is_unknown() or t.is_decimal() for kind, t in zip(kinds, dtypes, strict=True)]
        return [kind if right else UNKNOWN for kind, right in zip(types, usable, strict=True)]
    if connection.name == "sqlite":  # its decimals are floats, whatever they are called
        return [UNKNOWN if kind.startswith("DECIMAL") else kind for kind in kinds]
    return kinds


def _unknown_table(place: DatabasePlace) -> SourceError:
    return SourceError(f"{place.name} names no one table", hint="write it like schema.table, and check the spelling")
