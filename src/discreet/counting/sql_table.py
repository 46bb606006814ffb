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

from discreet.counting.base import Declaration
from discreet.counting.comparisons import FLOATS, TEXTS, Match
from discreet.counting.inspection import EXAMPLES, LONGEST
from discreet.counting.table import InspectableTable, Oddities


@dataclass(frozen=True, slots=True)
class SqlTable(InspectableTable):
    """An opened source of which queries are asked. They read `records`: c0, c1 with groups, and `person` with ids."""

    declaration: Declaration
    matches: tuple[Match, ...]
    """Of c0, and with groups of c1."""

    @abstractmethod
    def listed(self, match: Match) -> str:
        """A query for the values `w` that a column is compared with, and the `place` of each."""

    @abstractmethod
    def text(self, match: Match) -> str:
        """The expression for a value's text, for the curator's eyes."""

    @abstractmethod
    def fetch(self, query: str, *matches: Match) -> list[tuple[Any, ...]]:
        """The answer to a query in which these are listed; whatever the engine says when it fails is dropped."""

    def count_places(self) -> list[tuple[int, int]]:
        """The code of each place, and how many records are there."""
        codes = self.codes("records")
        if self.declaration.id_column is not None:
            codes = f"(SELECT min(code) AS code FROM {codes} GROUP BY person)"
        found = self.fetch(f"SELECT code, count(*) FROM {codes} GROUP BY code", *self.matches)
        return [(code, often) for code, often in found]

    def codes(self, rows: str) -> str:
        """A query for the `code` of each row, beside its columns."""
        groups, answers = self.declaration.shape
        code = f"coalesce(l0.place, {answers - 1})"
        if len(self.matches) > 1:
            code += f" + coalesce(l1.place, {groups - 1}) * {answers}"
        lists = [f"LEFT JOIN {self.listed(match)} l{i} ON r.c{i} = l{i}.w" for i, match in enumerate(self.matches)]
        hint = "/*+ BROADCAST(l0, l1) */" if len(lists) > 1 else "/*+ BROADCAST(l0) */"  # to DuckDB, a comment
        return f"(SELECT {hint} {code} AS code, r.* FROM {rows} r {' '.join(lists)})"

    def count_oddities(self) -> Oddities:
        """How many rows there are, and how many of them are odd: for the curator's eyes."""
        odd = [_missing(self.matches[0]), f"{self.text(self.matches[0])} = ''"]
        if self.declaration.id_column is not None:
            odd.append("person IS NULL")
        counted = ", ".join(f"count(*) FILTER (WHERE {condition})" for condition in odd)
        [found] = self.fetch(f"SELECT count(*), {counted} FROM records")
        return Oddities(*found)

    def count_stray_values(self, *, groups: bool) -> list[tuple[str, int]]:
        """The most frequent values outside the categories, or the groups: for the curator's eyes."""
        match = self.matches[int(groups)]
        text = self.text(match)
        strays = (
            f"(SELECT left({text}, {LONGEST}) AS stray FROM records LEFT JOIN {self.listed(match)} l "
            f"ON {match.column} = l.w WHERE l.place IS NULL AND NOT ({_missing(match)}) AND {text} <> '')"
        )
        most = f"GROUP BY stray ORDER BY often DESC, stray LIMIT {EXAMPLES}"
        found = self.fetch(f"SELECT stray, count(*) AS often FROM {strays} {most}", match)
        return [(stray, often) for stray, often in found]


def identity(sql_type: str, column: str) -> str:
    """The SQL expression that is equal for rows of one person, and NULL without an id; a text is read as its bytes."""
    if TEXTS.fullmatch(sql_type) or sql_type == "BLOB":
        return f"nullif({column}, CAST('' AS BINARY))"
    return f"CASE WHEN isnan({column}) THEN NULL ELSE {column} END" if sql_type in FLOATS else column


def _missing(match: Match) -> str:
    """The SQL condition under which a row has no value at all."""
    absent = f"{match.column} IS NULL"
    return f"{absent} OR isnan({match.column})" if match.type in FLOATS else absent
