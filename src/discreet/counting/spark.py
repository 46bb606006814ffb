"""Counting on Spark, for what outgrows one machine: the workers judge the rows, and only k numbers travel.

Spark repeats a task that died with its worker, and takes each task's answer once: a worker that is killed changes no
count. `tests/counting/test_spark_kills.py` kills them. If the whole cluster goes, the count stops in constant words.
"""

# ruff: noqa: S608 - statements are put together from fixed texts; values are bound

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pyspark.sql.classic.dataframe import DataFrame

from discreet.counting.column_names import find_columns
from discreet.counting.comparisons import TEXTS, Match, match_columns
from discreet.counting.declaration import Declaration
from discreet.counting.engines import Progress
from discreet.counting.sources import SparkPlace, find_spark
from discreet.counting.spark_sessions import collect, session_for
from discreet.counting.sql_table import SqlTable, read_columns
from discreet.counting.table import attempt, unreadable_error, useless_id_error
from discreet.errors import SourceError

TYPES = {
    "boolean": "BOOLEAN",
    "void": '"NULL"',
    "tinyint": "TINYINT",
    "smallint": "SMALLINT",
    "int": "INTEGER",
    "bigint": "BIGINT",
    "float": "FLOAT",
    "double": "DOUBLE",
}
"""Spark's types, as `comparisons` calls them."""

OTHER_IDS = {"date": "DATE", "timestamp": "TIMESTAMP", "timestamp_ntz": "TIMESTAMP", "binary": "BLOB"}
"""Types that can tell people apart, and cannot be counted."""

TEXT = re.compile(r"string( collate \w+)?|(var)?char\(\d+\)", re.IGNORECASE)

IDS = re.compile("|".join([*TYPES.values(), *OTHER_IDS.values(), "VARCHAR", r"DECIMAL.*"]))

PADDED = "__CHAR_VARCHAR_TYPE_STRING"
"""Where Spark notes that a text is a char(n), which it pads with blanks when it is read."""


@dataclass(frozen=True, slots=True)
class SparkTable(SqlTable):
    """An opened source, for one declaration: the `Table` of Spark."""

    name: str
    rows: Any
    """A data frame with the columns of `read_columns`."""
    progress: Progress | None

    def value_list(self, match: Match) -> str:
        """A query for the values `w` that a column is compared with, and the `place` of each: digits, turned back."""
        value = "unhex(digits)" if match.type == "BLOB" else f"CAST(digits AS {match.type})"
        if match.type == "FLOAT":  # written as the double it is equal to, digit for digit
            value = "CAST(CAST(digits AS DOUBLE) AS FLOAT)"
        pairs = f"inline(from_json(:{match.column}, 'array<struct<digits: string, place: int>>'))"
        return f"(SELECT {value} AS w, place FROM (SELECT {pairs}))"

    def fetch(self, query: str) -> list[tuple[Any, ...]]:
        """The answer to a query of `records`; whatever the engine says when it fails is dropped."""
        return attempt(lambda: self._fetch(query), unreadable_error(self.name))

    def _fetch(self, query: str) -> list[tuple[Any, ...]]:
        query = f"WITH records AS ({self.selection('{rows}')}) {query}"
        bound = {match.column: _digits(match) for match in self.matches}
        return collect(self.rows.sparkSession.sql(query, args=bound, rows=self.rows), self.progress)


def _digits(match: Match) -> str:
    """What a column is compared with, as one text that holds nothing but digits."""
    digits = [value.hex() if isinstance(value, bytes) else str(value) for value in match.values]
    return json.dumps([{"digits": text, "place": place} for text, place in zip(digits, match.places, strict=True)])


@contextmanager
def open_spark(source: object, declaration: Declaration, *, progress: Progress | None = None) -> Iterator[SparkTable]:
    """Open a data frame, or what the text of a SOURCE names on its cluster."""
    if not isinstance(source, str | Path):
        yield _open_frame("the pyspark table", source, declaration, progress)
        return
    place = find_spark(source)
    with session_for(place) as session:
        frame = attempt(lambda: _frame(session, place), unreadable_error(place.name))
        yield _open_frame(place.name, frame, declaration, progress)


def _frame(session: Any, place: SparkPlace) -> Any:
    if place.kind == "table":
        return session.table(place.what)
    # Of files with different types Spark would cast one to the other's; merged schemas must agree.
    return session.read.format(place.kind).option("mergeSchema", "true").load(place.what)


def _open_frame(name: str, frame: Any, declaration: Declaration, progress: Progress | None) -> SparkTable:
    """Choose the declared columns by their place, so that no name is ever part of an expression."""
    if not isinstance(frame, DataFrame):
        raise SourceError(f"a {type(frame).__name__} is not a table", hint="give a DataFrame of a classic session")
    fields = attempt(lambda: list(frame.schema.fields), unreadable_error(name))
    at = find_columns([field.name for field in fields], declaration.columns, name)
    types = [_type_of(fields[i]) for i in at]
    matches = match_columns(declaration, types)
    if declaration.id_column is not None and not IDS.fullmatch(types[-1]):
        raise useless_id_error(declaration)
    columns = read_columns(declaration, types, [_read(fields[i], f"f{i}") for i in at])
    rows = frame.toDF(*(f"f{i}" for i in range(len(fields)))).selectExpr(*columns)
    return SparkTable(declaration, matches, name, rows, progress)


def _type_of(field: Any) -> str:
    """The type of a field of a schema, as `comparisons` calls it; what it does not know, as Spark calls it."""
    kind = str(field.dataType.simpleString())
    if TEXT.fullmatch(kind):
        return "VARCHAR"
    return TYPES.get(kind) or OTHER_IDS.get(kind) or kind.upper()


def _read(field: Any, column: str) -> tuple[str, str]:
    """What is compared of a column, and its text: a text as its bytes, and a char(n) without the blanks that pad it."""
    kind, text = _type_of(field), f"CAST({column} AS STRING)"
    declared = field.metadata.get(PADDED) or field.dataType.simpleString()
    if str(declared).lower().startswith("char"):
        text = f"rtrim({text})"
    return (f"CAST({text} AS BINARY)" if TEXTS.fullmatch(kind) else column), text
