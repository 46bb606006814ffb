"""Counting with DuckDB: one locked-down engine for files and for tables in memory.

Categories travel as bound values, and only counts come back. Whatever the engine says when it fails is dropped, because
it may quote rows.
"""

# ruff: noqa: S608 - statements are put together from fixed texts and quoted names of the schema; values are bound

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import wait as wait_for
from contextlib import closing, contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from discreet.counting.base import Declaration, Place, Progress, attempt, unreadable
from discreet.counting.category_codes import OUTSIDE, Match, identity
from discreet.counting.cross_sql import Crossing, match_columns
from discreet.counting.duck_access import connect, rows_of, types_of
from discreet.counting.inspection import EXAMPLES, LONGEST, Oddities
from discreet.counting.sources import CsvFormat, DuckFile, Files, find_source
from discreet.counting.streams import Stream, from_arrow_files, from_csv, from_memory
from discreet.counting.tally import Tallying
from discreet.errors import SourceError

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

NEEDS = ("duckdb", "pyarrow")

PATIENCE = 0.1
"""Seconds between looks at the progress of a query, and at most until Ctrl-C is heard."""


@dataclass(frozen=True, slots=True)
class DuckTable(Tallying):
    """An opened source, for one declaration: the `Table` of DuckDB."""

    name: str
    declaration: Declaration
    match: Match | Crossing
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
        [(found, without_id)] = self.fetch(f"SELECT {counted}, {nameless} FROM {self.rows}", None)
        return int(found) + (1 if without_id else 0)

    def places(self) -> dict[Place, int]:
        """How many records are in each place."""
        return {self.match.place(code): int(often) for code, often in self._tallies()}

    def count_oddities(self) -> Oddities:
        """How many rows there are, and how many of them are odd: for the curator's eyes."""
        answers = self.match.answers if isinstance(self.match, Crossing) else self.match
        without_id = "NULL" if self.identity is None else f"count(*) FILTER ({self.identity} IS NULL)"
        [found] = self.fetch(
            f"SELECT count(*), count(*) FILTER ({answers.missing}), count(*) FILTER (CAST(c0 AS VARCHAR) = ''), "
            f"{without_id} FROM {self.rows}",
            None,
        )
        return Oddities(*found)

    def count_stray_values(self, *, groups: bool) -> list[tuple[str, int]]:
        """The most frequent values outside the categories, or the groups: for the curator's eyes."""
        match, column = self.match, "c1" if groups else "c0"
        if isinstance(match, Crossing):
            match = match.groups if groups else match.answers
        text = f"CAST({column} AS VARCHAR)"
        found = self.fetch(
            f"SELECT left({text}, {LONGEST}) AS stray, count(*) AS often FROM {match.codes(self.rows)} "
            f"WHERE code IS NULL AND NOT ({match.missing}) AND {text} <> '' "
            f"GROUP BY stray ORDER BY often DESC, stray LIMIT {EXAMPLES}",
            match,
        )
        return [(str(stray), int(often)) for stray, often in found]

    def fetch(self, query: str, match: Match | Crossing | None) -> list[tuple[Any, ...]]:
        """The rows of a query's answer; what `match` compares with is bound in it."""
        # Said and not searched for: a column may be called $wanted.
        return attempt(lambda: self._fetch(query, self._bound(match)), unreadable(self.name))

    def _tallies(self) -> list[tuple[Any, ...]]:
        codes = self.match.codes(self.rows)
        if self.identity is not None:
            people = f"(SELECT min(coalesce(code, {OUTSIDE})) AS code FROM {codes} GROUP BY {self.identity})"
            return self.fetch(f"SELECT code, count(*) FROM {people} GROUP BY code", self.match)
        try:
            return self._fetch(f"SELECT code, often FROM {self.match.tallies(self.rows)}", self._bound(self.match))
        except Exception:  # noqa: BLE001, S110 - most likely too many values for its memory, and if not, it fails again
            pass
        return self.fetch(f"SELECT code, count(*) FROM {codes} GROUP BY code", self.match)

    def _bound(self, match: Match | Crossing | None) -> dict[str, Any]:
        return self.bound if match is None else {**self.bound, **match.bound}

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
            raise SourceError(f"reading tables needs {package}", hint="pip install 'discreet[workflow]'")
    place = find_source(source) if isinstance(source, str | Path) else None
    name = f"the {type(source).__module__.partition('.')[0]} table" if place is None else place.name
    error = unreadable(name)
    stream = attempt(lambda: _stream(source, place, declaration, form), error)
    with closing(attempt(lambda: connect(place, declaration, watched=progress is not None), error)) as connection:
        rows, bound = attempt(lambda: rows_of(connection, place, declaration), error)
        types = attempt(lambda: types_of(connection, place, declaration, rows, stream), error)
        yield DuckTable(
            name=name,
            declaration=declaration,
            match=match_columns(declaration, types),
            identity=identity(types[-1], f"c{len(types) - 1}") if declaration.id_column else None,
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
