"""Counting with DuckDB: one locked-down engine for files and for tables in memory.

The engine is opened for the files of one source, and then may reach nothing else: no other file, no network, no
extension, no setting, no disk to spill rows to. Column names are looked up in the schema and quoted; categories travel
as bound values. Whatever the engine says when it fails is dropped, because it may quote rows.
"""

# ruff: noqa: S608 - statements are put together from fixed texts and quoted names of the schema; values are bound

from __future__ import annotations

import glob
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import wait as wait_for
from contextlib import closing, contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from discreet.counting.base import Declaration, Progress, attempt, missing_column, unreadable
from discreet.counting.matching import OUTSIDE, Match, identity, match_column
from discreet.counting.sources import CsvFormat, DuckFile, Files, find_source
from discreet.counting.streams import Stream, from_arrow_files, from_csv, from_memory
from discreet.errors import SourceError
from discreet.space import Counts

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

NEEDS = ("duckdb", "pyarrow")

CLOSED = {
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "allow_community_extensions": "false",
    "temp_directory": "",
}

PATIENCE = 0.1
"""Seconds between looks at the progress of a query, and at most until Ctrl-C is heard."""


@dataclass(frozen=True, slots=True)
class DuckTable:
    """An opened source, for one declaration: the `Table` of DuckDB."""

    name: str
    declaration: Declaration
    match: Match
    identity: str | None
    rows: str
    bound: dict[str, Any]
    stream: Stream | None
    connection: DuckDBPyConnection
    progress: Progress | None

    def count_rows(self) -> int:
        """n: the number of rows, or of distinct ids."""
        counted = "count(*)" if self.identity is None else f"count(DISTINCT {self.identity})"
        nameless = "0" if self.identity is None else f"count(*) FILTER ({self.identity} IS NULL)"
        [(found, without_id)] = self.fetch(f"SELECT {counted}, {nameless} FROM {self.rows}", wanted=False)
        return int(found) + (1 if without_id else 0)

    def count_strays(self) -> bool:
        """Whether any record is outside the categories."""
        return None in self._places()

    def count_categories(self) -> Counts:
        """The counts in the order of `Declaration.labels`: one pass, from which only they come back."""
        return self.declaration.tally(self._places())

    def codes(self) -> str:
        """A query for the `code` of each record: an index in what is matched from 1, NULL or OUTSIDE otherwise."""
        codes = self.match.codes(self.rows)
        if self.identity is None:
            return codes
        return f"(SELECT min(coalesce(code, {OUTSIDE})) AS code FROM {codes} GROUP BY {self.identity})"

    def fetch(self, query: str, *, wanted: bool = True) -> list[tuple[Any, ...]]:
        """The rows of a query's answer; `wanted` says whether what is matched is bound in it."""
        # Said and not searched for: a column may be called $wanted.
        bound = {**self.bound, "wanted": list(self.match.wanted)} if wanted else self.bound
        return attempt(lambda: self._fetch(query, bound), unreadable(self.name))

    def _places(self) -> dict[int | None, int]:
        found: dict[int | None, int] = {}
        for code, rows in self.fetch(f"SELECT code, count(*) FROM {self.codes()} GROUP BY code"):
            inside = code is not None and code <= len(self.match.places)
            found[self.match.places[code - 1] if inside else None] = int(rows)
        return found

    def _fetch(self, query: str, bound: dict[str, Any]) -> list[tuple[Any, ...]]:
        if self.stream is not None:
            self.connection.register("rows", self.stream.reader())
        with ThreadPoolExecutor(max_workers=1) as thread:
            # In a thread of its own, so that this one hears Ctrl-C while the engine works.
            answer = thread.submit(lambda: self.connection.execute(query, bound).fetchall())
            try:
                while not wait_for([answer], timeout=PATIENCE).done:
                    self._tell()
            except BaseException:
                self.connection.interrupt()
                raise
        return answer.result()

    def _tell(self) -> None:
        done = self.connection.query_progress() if self.progress else -1.0
        if self.progress and done >= 0:  # DuckDB says -1 while it does not know
            self.progress(min(done / 100, 1.0))


@contextmanager
def open_duck(
    source: object, declaration: Declaration, *, form: CsvFormat, progress: Progress | None = None
) -> Iterator[DuckTable]:
    """Open a source with DuckDB and lock everything else away."""
    for package in NEEDS:
        if find_spec(package) is None:
            raise SourceError(f"reading tables needs {package}", mend="pip install 'discreet[workflow]'")
    place = find_source(source) if isinstance(source, str | Path) else None
    name = f"the {type(source).__module__.partition('.')[0]} table" if place is None else place.name
    error = unreadable(name)
    stream = attempt(lambda: _stream(source, place, declaration, form), error)
    with closing(attempt(lambda: _connect(place), error)) as connection:
        rows, bound = attempt(lambda: _rows(connection, place, declaration), error)
        types = attempt(lambda: _types(connection, rows, bound, stream), error)
        yield DuckTable(
            name=name,
            declaration=declaration,
            match=match_column(declaration, types[0]),
            identity=identity(types[1]) if declaration.id_column else None,
            rows=rows,
            bound=bound,
            stream=stream,
            connection=connection,
            progress=progress,
        )


def _stream(source: object, place: Files | DuckFile | None, declaration: Declaration, form: CsvFormat) -> Stream | None:
    """What DuckDB is handed in batches, and need not open itself."""
    if place is None:
        return from_memory(source, declaration)
    if isinstance(place, Files) and place.kind == "csv":
        return from_csv(place, declaration, form)
    if isinstance(place, Files) and place.kind == "arrow":
        return from_arrow_files(place, declaration)
    return None


def _connect(place: Files | DuckFile | None) -> DuckDBPyConnection:
    """An engine that reaches the source's files and nothing else."""
    import duckdb

    if isinstance(place, DuckFile):
        connection = duckdb.connect(place.path, read_only=True, config=dict(CLOSED))
    else:
        connection = duckdb.connect(":memory:", config=dict(CLOSED))
    if isinstance(place, Files) and place.kind == "parquet":
        # DuckDB takes every name for a pattern, and asks for leave both for the pattern and for what it finds.
        connection.execute("SET allowed_paths = $paths", {"paths": [*map(str, place.paths), *_patterns(place)]})
    connection.execute("SET enable_external_access = false")
    connection.execute("SET python_enable_replacements = false")
    connection.execute("SET enable_progress_bar = true")
    connection.execute("SET enable_progress_bar_print = false")
    connection.execute("SET lock_configuration = true")
    return connection


def _rows(
    connection: DuckDBPyConnection, place: Files | DuckFile | None, declaration: Declaration
) -> tuple[str, dict[str, Any]]:
    """A query for the declared columns as c0 and c1, and what is bound in it."""
    if isinstance(place, DuckFile):
        return _chosen(_find_table(connection, place, declaration), declaration), {}
    if isinstance(place, Files) and place.kind == "parquet":
        _check_parquet(connection, place, declaration)
        return _chosen(_parquet("files"), declaration), {"files": _patterns(place)}
    return "rows", {}


def _find_table(connection: DuckDBPyConnection, place: DuckFile, declaration: Declaration) -> str:
    """The quoted name of a table or view that exists, has the columns, and is the only one so called."""
    query = (
        "SELECT schema_name, table_name FROM duckdb_tables() WHERE NOT internal "
        "UNION ALL SELECT schema_name, view_name FROM duckdb_views() WHERE NOT internal"
    )
    known = connection.execute(query).fetchall()
    found = [(schema, table) for schema, table in known if place.table in (table, f"{schema}.{table}")]
    if len(found) > 1:
        found = [(schema, table) for schema, table in found if schema == "main" and table == place.table]
    if len(found) != 1:
        raise SourceError(f"{place.path.name} has no one table {place.table!r}", mend="write it like schema.table")
    table = f"{_quoted(found[0][0])}.{_quoted(found[0][1])}"
    columns = {name for name, *_ in connection.execute(f"DESCRIBE SELECT * FROM {table}").fetchall()}
    for column in declaration.columns:
        if column not in columns:
            raise missing_column(column, place.name)
    return table


def _check_parquet(connection: DuckDBPyConnection, files: Files, declaration: Declaration) -> None:
    """Each file must have the columns, of one type: DuckDB would cast the second file's 1.5 to the first one's 2."""
    from pyarrow.parquet import read_schema

    types = set()
    for path, pattern in zip(files.paths, _patterns(files), strict=True):
        names = [name.lower() for name in read_schema(path).names]
        query = f"DESCRIBE SELECT * FROM {_parquet('files')}"
        described = {name: kind for name, kind, *_ in connection.execute(query, {"files": [pattern]}).fetchall()}
        for column in declaration.columns:
            if column not in described:
                raise missing_column(column, files.name)
            if names.count(column.lower()) > 1:  # which DuckDB renames, perhaps to the name that was asked for
                raise SourceError(f"{files.name} has two columns like {column!r}", mend="rename one of them")
        types.add(tuple(described[column] for column in declaration.columns))
    if len(types) != 1:
        raise SourceError(f"the files of {files.name} have different types", mend="read them one by one")


def _types(connection: DuckDBPyConnection, rows: str, bound: dict[str, Any], stream: Stream | None) -> list[str]:
    if stream is not None:
        connection.register("rows", stream.reader())
    return [kind for _, kind, *_ in connection.execute(f"DESCRIBE SELECT * FROM {rows}", bound).fetchall()]


def _chosen(table: str, declaration: Declaration) -> str:
    columns = ", ".join(f"{_quoted(column)} AS c{i}" for i, column in enumerate(declaration.columns))
    return f"(SELECT {columns} FROM {table})"


def _parquet(name: str) -> str:
    return f"read_parquet(${name}, hive_partitioning = false, union_by_name = false, filename = false)"


def _patterns(files: Files) -> list[str]:
    return [glob.escape(str(path)) for path in files.paths]


def _quoted(identifier: str) -> str:
    return '"' + identifier.replace('"', '""') + '"'
