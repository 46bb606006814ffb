"""Counting with DuckDB: one locked-down engine for files and for tables in memory.

Categories travel as bound values, and only counts come back. Whatever the engine says when it fails is dropped, because
it may quote rows.
"""

# ruff: noqa: S608 - statements are put together from fixed texts and quoted names of the schema; values are bound

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import wait as wait_for
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from discreet.counting.base import Declaration, Place, Progress, attempt, unreadable
from discreet.counting.category_codes import OUTSIDE, TEXT, Match, identity, read_column
from discreet.counting.cross_sql import Crossing, match_columns
from discreet.counting.csv_records import malformed
from discreet.counting.duck_access import connect, rows_of, types_of
from discreet.counting.inspection import EXAMPLES, LONGEST
from discreet.counting.parquet_files import from_parquet
from discreet.counting.sources import CsvFormat, DuckFile, Files
from discreet.counting.streams import Stream, from_arrow_files, from_csv, from_memory
from discreet.counting.table import InspectableTable, Oddities
from discreet.errors import SourceError

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

PATIENCE = 0.1
"""Seconds between looks at the progress of a query, and at most until Ctrl-C is heard."""


@dataclass(frozen=True, slots=True)
class Reading:
    """A way to read the rows: a query for the declared columns, what is bound in it, and what it reads as `rows`."""

    query: str
    bound: dict[str, Any]
    stream: Stream | None


@dataclass(frozen=True, slots=True)
class DuckTable(InspectableTable):
    """An opened source, for one declaration: the `Table` of DuckDB."""

    declaration: Declaration
    match: Match | Crossing
    identity: str | None
    reading: Reading
    spare: Callable[[], Reading] | None
    """The way that is taken where the first one stops at a text that is not UTF-8."""
    connection: DuckDBPyConnection
    progress: Progress | None
    failure: Callable[[], SourceError]

    def places(self) -> dict[Place, int]:
        """How many records are in each place."""
        return {self.match.place(code): int(often) for code, often in self._tallies()}

    def count_oddities(self) -> Oddities:
        """How many rows there are, and how many of them are odd: for the curator's eyes."""
        answers = self.match.answers if isinstance(self.match, Crossing) else self.match
        without_id = "NULL" if self.identity is None else f"count(*) FILTER ({self.identity} IS NULL)"
        [found] = self.fetch(
            f"SELECT count(*), count(*) FILTER ({answers.missing}), count(*) FILTER (CAST(c0 AS VARCHAR) = ''), "
            f"{without_id} FROM records",
            None,
        )
        return Oddities(*found)

    def count_stray_values(self, *, groups: bool) -> list[tuple[str, int]]:
        """The most frequent values outside the categories, or the groups: for the curator's eyes."""
        match, column = self.match, "c1" if groups else "c0"
        if isinstance(match, Crossing):
            match = match.groups if groups else match.answers
        text = f"CAST({column} AS VARCHAR)"
        if match.type == "BLOB":
            text = f"coalesce(TRY(decode({column})), {text})"
        found = self.fetch(
            f"SELECT left({text}, {LONGEST}) AS stray, count(*) AS often FROM {match.codes('records')} "
            f"WHERE code IS NULL AND NOT ({match.missing}) AND {text} <> '' "
            f"GROUP BY stray ORDER BY often DESC, stray LIMIT {EXAMPLES}",
            match,
        )
        return [(str(stray), int(often)) for stray, often in found]

    def fetch(self, query: str, match: Match | Crossing | None) -> list[tuple[Any, ...]]:
        """The answer to a query of `records`, in which what `match` compares with is bound."""
        return attempt(lambda: self._fetch(query, match), self.failure())

    def _tallies(self) -> list[tuple[Any, ...]]:
        codes = self.match.codes("records")
        if self.identity is not None:
            people = f"(SELECT min(coalesce(code, {OUTSIDE})) AS code FROM {codes} GROUP BY {self.identity})"
            return self.fetch(f"SELECT code, count(*) FROM {people} GROUP BY code", self.match)
        try:
            return self._fetch(f"SELECT code, often FROM {self.match.tallies('records')}", self.match)
        except Exception:  # noqa: BLE001, S110 - most likely too many values for its memory, and if not, it fails again
            pass
        return self.fetch(f"SELECT code, count(*) FROM {codes} GROUP BY code", self.match)

    def _fetch(self, query: str, match: Match | Crossing | None) -> list[tuple[Any, ...]]:
        try:
            return self._read(self.reading, query, match)
        except Exception as error:
            if self.spare is None or "not valid UTF8" not in str(error):
                raise
        return self._read(self.spare(), query, match)

    def _read(self, reading: Reading, query: str, match: Match | Crossing | None) -> list[tuple[Any, ...]]:
        if reading.stream is not None:
            self.connection.register("rows", reading.stream.reader())
        query = f"WITH records AS NOT MATERIALIZED ({reading.query}) {query}"
        bound = {**reading.bound, **(match.bound if match else {})}
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
    source: object,
    place: Files | DuckFile | None,
    declaration: Declaration,
    *,
    form: CsvFormat,
    progress: Progress | None = None,
) -> Iterator[DuckTable]:
    """Open a source with DuckDB and lock everything else away; without a place it is a table in memory."""
    name = f"the {type(source).__module__.partition('.')[0]} table" if place is None else place.name
    files = place if isinstance(place, Files) else None
    failure = partial(malformed if files and files.kind == "csv" else unreadable, name)
    stream = attempt(lambda: _stream(source, place, declaration, form), failure())
    with closing(attempt(lambda: connect(place, declaration, watched=progress is not None), failure())) as connection:
        rows, bound = attempt(lambda: rows_of(connection, place, declaration), failure())
        types = attempt(lambda: types_of(connection, place, declaration, rows, stream), failure())
        yield DuckTable(
            declaration=declaration,
            match=match_columns(declaration, types),
            identity=identity(types[-1], f"c{len(types) - 1}") if declaration.id_column else None,
            reading=Reading(_columns(types, rows), bound, stream),
            spare=partial(_by_arrow, files, declaration, types) if files and files.kind == "parquet" else None,
            connection=connection,
            progress=progress,
            failure=failure,
        )


def _columns(types: list[str], rows: str) -> str:
    """A query for the columns as they are compared."""
    columns = [f"{read_column(kind, f'c{i}')} AS c{i}" for i, kind in enumerate(types)]
    return f"SELECT {', '.join(columns)} FROM {rows}"


def _by_arrow(files: Files, declaration: Declaration, types: list[str]) -> Reading:
    stream = from_parquet(files, declaration)
    handed = [TEXT if text else kind for kind, text in zip(types, stream.texts, strict=True)]
    return Reading(_columns(handed, "rows"), {}, stream)


def _stream(source: object, place: Files | DuckFile | None, declaration: Declaration, form: CsvFormat) -> Stream | None:
    """What DuckDB is handed in batches, and need not open itself."""
    if place is None:
        return from_memory(source, declaration)
    if isinstance(place, Files) and place.kind == "csv":
        return from_csv(place, declaration, form)
    if isinstance(place, Files) and place.kind == "arrow":
        return from_arrow_files(place, declaration)
    return None
