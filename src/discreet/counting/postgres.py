"""What is PostgreSQL's own about counting: one snapshot for reading only, its tables, and its types."""

# ruff: noqa: S608 - the statement that is wrapped is Ibis' own

from __future__ import annotations

from typing import Any

from discreet.counting.database_columns import ANY_DECIMAL, OTHER_IDS, UNKNOWN

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

KINDS = """
SELECT t.oid, CASE WHEN t.typtype = 'e' THEN 'enum' ELSE t.typname END
FROM pg_catalog.pg_type t WHERE t.oid = ANY(%s)
"""

TYPES = {
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


def begin_snapshot(connection: Any) -> None:
    """See the database as it is now until the connection is closed, and write nothing."""
    for statement in SNAPSHOT:
        connection.con.execute(statement)


def find_table(connection: Any, name: str) -> Any:
    """The one table or view of this name: `table` as the search path finds it, or `schema.table`."""
    found = connection.con.execute(TABLES, (name,)).fetchall()
    if len(found) > 1:
        found = [row for row in found if row[2] and row[1] == name]
    [(schema, table, _)] = found
    return connection.table(table, database=(connection.current_catalog, schema))


def types_of(connection: Any, table: Any) -> list[str]:
    """The types of a table expression's columns, by the word of the server."""
    described = connection.con.execute(f"SELECT * FROM ({connection.compile(table)}) AS t LIMIT 0").description
    numbers = [column.type_code for column in described]
    names = dict(connection.con.execute(KINDS, (numbers,)).fetchall())
    return [TYPES.get(names.get(number, ""), UNKNOWN) for number in numbers]
