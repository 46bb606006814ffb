"""Counting with DuckDB: one locked-down engine for files and for tables in memory.

Categories travel as bound values, and only counts come back. Whatever the engine says when it fails is dropped, because
it may quote rows.
"""

# ruff: noqa: S608 - statements are put together from fixed texts and quoted names of the schema; values are bound

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from discreet.counting.comparisons import TEXT, TEXTS, Match, match_columns
from discreet.counting.csv_records import malformed_error
from discreet.counting.declaration import Declaration
from discreet.counting.duck_access import RowSource, connect, read_by_arrow, read_source
from discreet.counting.engines import Progress, watch
from discreet.counting.sources import CsvFormat, Files, Named, find_source
from discreet.counting.sql_table import SqlTable, read_columns
from discreet.counting.table import attempt, unreadable_error
from discreet.errors import SourceError

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


@dataclass(frozen=True, slots=True)
class DuckTable(SqlTable):
    """An opened source, for one declaration: the `Table` of DuckDB."""

    source: RowSource
    fallback: Callable[[list[str]], RowSource] | None
    """How they are read where that stops at a text that is not UTF-8."""
    connection: DuckDBPyConnection
    progress: Progress | None
    failure: Callable[[], SourceError]

    def count_places(self) -> list[tuple[int, int]]:
        """The code of each place, and how many records are there.

        Counting values is as fast as the engine can be, where they are few. Where they are many it takes memory for
        all of them, so that rows are looked up one by one.
        """
        try:
            if self.declaration.id_column is None:
                return [(code, often) for code, often in self._fetch(self.value_query())]
        except Exception:  # noqa: BLE001, S110 - most likely out of memory, and if not, it fails again
            pass
        return [(code, often) for code, often in self.fetch(self.row_query())]

    def value_list(self, match: Match) -> str:
        """A query for the values `w` that a column is compared with, and the `place` of each."""
        values = f"unnest($wanted_{match.column}::{match.type}[]) AS w"
        return f"(SELECT {values}, unnest($places_{match.column}::BIGINT[]) AS place)"

    def fetch(self, query: str) -> list[tuple[Any, ...]]:
        """The answer to a query of `records`; whatever the engine says when it fails is dropped."""
        return attempt(lambda: self._fetch(query), self.failure())

    def _fetch(self, query: str) -> list[tuple[Any, ...]]:
        try:
            return self._read(self.source, query)
        except Exception as error:
            if self.fallback is None or "not valid UTF8" not in str(error):
                raise
        return self._read(self.fallback(self.source.types), query)

    def _read(self, source: RowSource, query: str) -> list[tuple[Any, ...]]:
        if source.stream is not None:
            self.connection.register("rows", source.stream.reader())
        columns = read_columns(
            self.declaration, source.types, [_read(kind, f"c{i}") for i, kind in enumerate(source.types)]
        )
        read = f"(SELECT {', '.join(columns)} FROM {source.rows})"
        query = f"WITH records AS NOT MATERIALIZED ({self.selection(read)}) {query}"
        bound = dict(source.bound)
        for match in (match for match in self.matches if f"$wanted_{match.column}" in query):
            bound |= {f"wanted_{match.column}": list(match.values), f"places_{match.column}": list(match.places)}
        return watch(
            lambda: self.connection.execute(query, bound).fetchall(),
            look=self._show_progress,
            stop=self.connection.interrupt,
        )

    def _show_progress(self) -> None:
        percent = self.connection.query_progress() if self.progress else -1.0
        if self.progress and percent >= 0:  # DuckDB says -1 while it does not know
            self.progress(min(percent / 100, 1.0))


@contextmanager
def open_duck(
    source: object, declaration: Declaration, *, form: CsvFormat, progress: Progress | None = None
) -> Iterator[DuckTable]:
    """Open a source with DuckDB and lock everything else away."""
    place = find_source(source) if isinstance(source, Named) else None
    name = f"the {type(source).__module__.partition('.')[0]} table" if place is None else place.name
    files = place if isinstance(place, Files) else None
    failure = partial(malformed_error if files and files.kind == "csv" else unreadable_error, name)
    with closing(attempt(lambda: connect(place, declaration, watched=progress is not None), failure())) as connection:
        rows = attempt(lambda: read_source(connection, place or source, declaration, form), failure())
        yield DuckTable(
            declaration=declaration,
            matches=match_columns(declaration, rows.types),
            source=rows,
            fallback=partial(read_by_arrow, files, declaration) if files and files.kind == "parquet" else None,
            connection=connection,
            progress=progress,
            failure=failure,
        )


def _read(kind: str, column: str) -> tuple[str, str]:
    """What is compared of a column, and its text: a text as its bytes, in which no collation takes A for a."""
    text = f"CAST({column} AS VARCHAR)"
    if kind == TEXT:
        return column, f"coalesce(TRY(decode({column})), {text})"
    return (f"encode({text})" if TEXTS.fullmatch(kind) else column), text
