"""Counting in SQL, as DuckDB and Spark both read it: a row's places, and from them the code of its cell.

Codes keep the order of the cells, and what is outside comes last: last among its group's answers, and after all groups.
The least code of a person's rows is then the cell that the counting rule says. No category ever becomes part of a
statement: all travel as bound values.
"""

# ruff: noqa: S608 - statements are put together from fixed texts; values are bound

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any

from discreet.counting.comparisons import FLOATS, TEXTS, Match
from discreet.counting.declaration import Declaration, strides_of
from discreet.counting.inspection import MAX_STRAY_CHARS, MAX_STRAYS
from discreet.counting.table import InspectableTable, Oddities


@dataclass(frozen=True, slots=True)
class SqlTable(InspectableTable):
    """An opened source of which queries are asked. They read `records`, whose columns are those of `read_columns`."""

    declaration: Declaration
    matches: tuple[Match, ...]
    """How each column of `Declaration.compared` is compared."""

    @property
    def place_matches(self) -> tuple[Match, ...]:
        """Those that tell the place of a row; the rest are filters."""
        return self.matches[: len(self.matches) - len(self.declaration.filters)]

    def selection(self, rows: str) -> str:
        """A query for the rows that the filters select. Nothing else ever sees the others."""
        filters = self.matches[len(self.place_matches) :]
        conditions = " AND ".join(f"{match.column} IN (SELECT w FROM {self.value_list(match)})" for match in filters)
        return f"SELECT * FROM {rows} WHERE {conditions}" if conditions else f"SELECT * FROM {rows}"

    @abstractmethod
    def value_list(self, match: Match) -> str:
        """A query for the values `w` that a column is compared with, and the `place` of each."""

    @abstractmethod
    def fetch(self, query: str) -> list[tuple[Any, ...]]:
        """The answer to a query of `records`; whatever the engine says when it fails is dropped."""

    def count_places(self) -> list[tuple[int, int]]:
        """The code of each place, and how many records are there."""
        query = self.value_query() if self.declaration.id_column is None else self.row_query()
        return [(code, often) for code, often in self.fetch(query)]

    def value_query(self) -> str:
        """A query for the places of rows: each distinct value is counted first, and then looked up once."""
        columns = ", ".join(match.column for match in self.place_matches)
        values = f"(SELECT {columns}, count(*) AS often FROM records GROUP BY {columns})"
        return f"SELECT code, sum(often) FROM {self.code_query(values)} GROUP BY code"

    def row_query(self) -> str:
        """A query for the places of people, or of rows one by one."""
        codes = self.code_query("records")
        if self.declaration.id_column is not None:
            codes = f"(SELECT min(code) AS code FROM {codes} GROUP BY person)"
        return f"SELECT code, count(*) FROM {codes} GROUP BY code"

    def code_query(self, rows: str) -> str:
        """A query for the `code` of each row, beside its columns."""
        parts = []
        for i, stride in enumerate(strides_of(self.declaration)):
            each = self.declaration.compared[i]
            outside = str(len(each.texts))
            if each.missing is not None:  # an empty text is listed as one of the texts
                outside = f"CASE WHEN r.c{i} IS NULL THEN {len(each.texts) - 1} ELSE {outside} END"
            parts.append(f"coalesce(l{i}.place, {outside}) * {stride}")
        code = " + ".join(parts)
        lists = [self.value_list(match) for match in self.place_matches]
        joins = " ".join(f"LEFT JOIN {values} l{i} ON r.c{i} = l{i}.w" for i, values in enumerate(lists))
        hint = f"/*+ BROADCAST({', '.join(f'l{i}' for i in range(len(lists)))}) */"  # to DuckDB, a comment
        return f"(SELECT {hint} {code} AS code, r.* FROM {rows} r {joins})"

    def count_oddities(self) -> Oddities:
        """How many rows there are, and how many of them are odd: for the curator's eyes."""
        odd = ["c0 IS NULL", "t0 = ''", *(["person IS NULL"] if self.declaration.id_column is not None else [])]
        counted = ", ".join(f"count(*) FILTER (WHERE {condition})" for condition in odd)
        [answer] = self.fetch(f"SELECT count(*), {counted} FROM records")
        return Oddities(*answer)

    def count_stray_values(self, *, groups: bool) -> list[tuple[str, int]]:
        """The most frequent values outside the categories, or the groups: for the curator's eyes."""
        at = int(groups)
        values = self.value_list(self.matches[at])
        strays = (
            f"(SELECT left(t{at}, {MAX_STRAY_CHARS}) AS stray FROM records LEFT JOIN {values} l ON c{at} = l.w "
            f"WHERE l.place IS NULL AND c{at} IS NOT NULL AND t{at} <> '')"
        )
        most = f"GROUP BY stray ORDER BY often DESC, stray LIMIT {MAX_STRAYS}"
        answer = self.fetch(f"SELECT stray, count(*) AS often FROM {strays} {most}")
        return [(stray, often) for stray, often in answer]


def read_columns(declaration: Declaration, types: list[str], read: list[tuple[str, str]]) -> list[str]:
    """The columns of `records`, from what is compared of each declared column and its text.

    They are c0 and t0, with groups c1 and t1, and with ids `person`: equal for rows of one person, NULL without an id.
    NaN is no value, as NULL is none.
    """
    columns = []
    for i, (kind, (value, text)) in enumerate(zip(types, read, strict=True)):
        not_nan = f"CASE WHEN NOT isnan({value}) THEN {value} END" if kind in FLOATS else value
        if declaration.columns[i] != declaration.id_column:
            columns += [f"{not_nan} AS c{i}", f"{text} AS t{i}"]
        elif TEXTS.fullmatch(kind) or kind == "BLOB":
            columns.append(f"nullif({not_nan}, CAST('' AS BINARY)) AS person")
        else:
            columns.append(f"{not_nan} AS person")
    return columns
