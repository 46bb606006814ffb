"""What the engine may reach: the files of one source, and nothing else.

No other file, no network, no extension, no setting, no disk to spill rows to. Names of tables and columns are looked
up in the schema and quoted.
"""

# ruff: noqa: S608 - statements are put together from fixed texts and quoted names of the schema; values are bound

from __future__ import annotations

import glob
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import duckdb
import pyarrow as pa
from pyarrow.parquet import ParquetFile, read_schema

from discreet.arithmetic.texts import likely_name, visible_text
from discreet.counting.column_names import find_columns
from discreet.counting.declaration import Declaration
from discreet.counting.sources import CsvFormat, DuckFile, Files
from discreet.counting.streams import Stream, from_arrow_files, from_csv, from_memory, open_by_arrow
from discreet.errors import SourceError

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

CLOSED = {
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "allow_community_extensions": "false",
    "temp_directory": "",
}

PARQUET = "read_parquet($files, hive_partitioning = false, union_by_name = false, filename = false)"

MEMORY = 256
"""Mebibytes for each thread. Only telling people apart by their ids may take more."""

UNITS = {"KiB": 1 / 1024, "MiB": 1, "GiB": 1024, "TiB": 1024**2}


def connect(
    place: Files | DuckFile | None, declaration: Declaration | None, *, watched: bool = False
) -> DuckDBPyConnection:
    """An engine that reaches the source's files and nothing else; it keeps its progress if that is watched."""
    if isinstance(place, DuckFile):
        connection = duckdb.connect(place.path, read_only=True, config=dict(CLOSED))
    else:
        connection = duckdb.connect(":memory:", config=dict(CLOSED))
        # What a join keeps in memory are the categories and never the rows, which may come from where none are counted.
        connection.execute("SET disabled_optimizers = 'build_side_probe_side'")
    if isinstance(place, Files) and place.kind == "parquet" and not place.in_memory:
        connection.execute("SET parquet_metadata_cache = true")  # the schema is looked at before the rows are read
        # DuckDB takes every name for a pattern, and asks for leave both for the pattern and for what it finds.
        connection.execute("SET allowed_paths = $paths", {"paths": [*map(str, place.paths), *_patterns(place)]})
    connection.execute("SET enable_external_access = false")
    if declaration is None or declaration.id_column is None:
        connection.execute("SET memory_limit = $limit", {"limit": f"{_memory_limit(connection)}MiB"})
    connection.execute("SET python_enable_replacements = false")
    if watched:
        connection.execute("SET enable_progress_bar = true")
        connection.execute("SET enable_progress_bar_print = false")
    connection.execute("SET lock_configuration = true")
    return connection


def _memory_limit(connection: DuckDBPyConnection) -> int:
    """Mebibytes enough to scan with all threads, and no more than the engine would take anyway."""
    query = "SELECT current_setting('memory_limit'), current_setting('threads')"
    [(limit, threads)] = connection.execute(query).fetchall()
    number, unit = str(limit).split()
    return min(int(float(number) * UNITS.get(unit, 0)) or MEMORY, max(2, int(threads)) * MEMORY)


@dataclass(frozen=True, slots=True)
class RowSource:
    """How the rows are read: what has the declared columns as c0, c1, …, and their types."""

    rows: str
    types: list[str]
    bound: dict[str, Any]
    stream: Stream | None = None
    """What is read as `rows`, and the engine need not open itself."""


def read_source(
    connection: DuckDBPyConnection, source: Files | DuckFile | object, declaration: Declaration, form: CsvFormat
) -> RowSource:
    """The way to read files of one kind, a table of a DuckDB file, or a table in memory."""
    if isinstance(source, DuckFile):
        table, columns = _find_table(connection, source)
        find_columns(list(columns), declaration.columns, source.name)
        rows = _select_columns(table, declaration)
        return RowSource(rows, list(_describe(connection, rows).values()), {})
    if not isinstance(source, Files):
        return _read_stream(connection, from_memory(source, declaration))
    if source.kind == "parquet" and source.in_memory:
        return _read_stream(connection, _parquet_stream(source, declaration))
    if source.kind == "parquet":
        types = _parquet_types(connection, source, declaration)
        return RowSource(_select_columns(PARQUET, declaration), types, {"files": _patterns(source)})
    if source.kind == "csv":
        return _read_stream(connection, from_csv(source, declaration, form))
    return _read_stream(connection, from_arrow_files(source, declaration))


def _read_stream(connection: DuckDBPyConnection, stream: Stream) -> RowSource:
    connection.register("rows", stream.reader())
    return RowSource("rows", stream.sql_types(list(_describe(connection, "rows").values())), {}, stream)


def _describe(connection: DuckDBPyConnection, rows: str, bound: dict[str, Any] | None = None) -> dict[str, str]:
    """The columns of a table with their types."""
    described = connection.execute(f"DESCRIBE SELECT * FROM {rows}", bound).fetchall()
    return {name: kind for name, kind, *_ in described}


def describe_table(place: DuckFile) -> dict[str, str]:
    """The columns of a table or view with their types, by the schema: no row is read."""
    with closing(connect(place, None)) as connection:
        return _find_table(connection, place)[1]


def _find_table(connection: DuckDBPyConnection, place: DuckFile) -> tuple[str, dict[str, str]]:
    """The quoted name of a table or view that exists and is the only one so called, and the types of its columns."""
    query = (
        "SELECT schema_name, table_name FROM duckdb_tables() WHERE NOT internal "
        "UNION ALL SELECT schema_name, view_name FROM duckdb_views() WHERE NOT internal"
    )
    names = connection.execute(query).fetchall()
    tables = [(schema, table) for schema, table in names if place.table in (table, f"{schema}.{table}")]
    if len(tables) > 1:
        tables = [(schema, table) for schema, table in tables if schema == "main" and table == place.table]
    if len(tables) != 1:
        likely = likely_name(
            place.table, [table if schema == "main" else f"{schema}.{table}" for schema, table in names]
        )
        hint = "write it like schema.table" if likely is None else f"did you mean {visible_text(repr(likely))}?"
        raise SourceError(f"{place.path.name} has no one table {place.table!r}", hint=hint)
    table = f"{_quote(tables[0][0])}.{_quote(tables[0][1])}"
    return table, _describe(connection, table)


def _parquet_types(connection: DuckDBPyConnection, files: Files, declaration: Declaration) -> list[str]:
    """The types of the columns, one for all files: DuckDB would cast the second file's 1.5 to the first one's 2."""
    types = set()
    for path, pattern in zip(files.paths, _patterns(files), strict=True):
        names = read_schema(path).names
        find_columns(names, declaration.columns, files.name)
        for column in declaration.columns:
            if [name.lower() for name in names].count(column.lower()) > 1:  # DuckDB would call one of them v_1
                raise SourceError(f"{files.name} has two columns like {column!r}", hint="rename one of them")
        described = _describe(connection, PARQUET, {"files": [pattern]})
        types.add(tuple(described[column] for column in declaration.columns))
    if len(types) != 1:
        raise SourceError(f"the files of {files.name} have different types", hint="read them one by one")
    return list(types.pop())


def read_by_arrow(files: Files, declaration: Declaration, types: list[str]) -> RowSource:
    """The same of Parquet files as Arrow reads them: slower than DuckDB, which stops at a text that is not UTF-8."""
    stream = _parquet_stream(files, declaration)
    return RowSource("rows", stream.sql_types(types), {}, stream)


def _parquet_stream(files: Files, declaration: Declaration) -> Stream:
    with open_by_arrow(files.paths[0]) as file:
        fields = read_schema(file)
    find_columns(fields.names, declaration.columns, files.name)
    schema = pa.schema([(f"c{i}", fields.field(column).type) for i, column in enumerate(declaration.columns)])

    def batches() -> Iterator[Any]:
        for path in files.paths:
            with open_by_arrow(path) as file, ParquetFile(file) as parquet:
                for batch in parquet.iter_batches(columns=list(declaration.columns)):
                    yield pa.record_batch([batch.column(column) for column in declaration.columns], schema=schema)

    return Stream(schema, batches)


def _select_columns(table: str, declaration: Declaration) -> str:
    columns = ", ".join(f"{_quote(column)} AS c{i}" for i, column in enumerate(declaration.columns))
    return f"(SELECT {columns} FROM {table})"


def _patterns(files: Files) -> list[str]:
    return [glob.escape(str(path)) for path in files.paths]


def _quote(identifier: str) -> str:
    return '"' + identifier.replace('"', '""') + '"'
