"""Counting on Spark, for what outgrows one machine: the workers judge the rows, and only k numbers travel.

Spark repeats a task that died with its worker, and takes each task's answer once: a worker that is killed changes no
count. `tests/counting/test_spark_kills.py` kills them. If the whole cluster goes, the count stops in constant words.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pyspark.sql import functions as f
from pyspark.sql.classic.dataframe import DataFrame

from discreet.counting.addresses import SparkPlace, find_spark
from discreet.counting.base import Declaration, Place, Progress, attempt, missing_column, unreadable
from discreet.counting.category_codes import OUTSIDE, Match
from discreet.counting.cross_sql import Crossing, match_columns
from discreet.counting.inspection import EXAMPLES, LONGEST
from discreet.counting.spark_columns import coded, identity, matched, missing, read_column, type_of
from discreet.counting.spark_sessions import session_for
from discreet.counting.spark_watch import collect
from discreet.counting.table import InspectableTable, Oddities
from discreet.errors import InvalidInput, SourceError


@dataclass(frozen=True, slots=True)
class SparkTable(InspectableTable):
    """An opened source, for one declaration: the `Table` of Spark."""

    name: str
    declaration: Declaration
    match: Match | Crossing
    rows: Any
    """A data frame with columns c0, c1, … in the declaration's order, and `person` if there are ids."""
    progress: Progress | None

    def places(self) -> dict[Place, int]:
        """How many records are in each place."""
        codes = coded(self.rows, self.match)
        if self.declaration.id_column is not None:
            first = f.min(f.coalesce(f.col("code"), f.lit(int(OUTSIDE))))
            codes = codes.groupBy("person").agg(first.alias("code"))
        found = self.fetch(codes.groupBy("code").agg(f.count(f.lit(1))))
        return {self.match.place(code): int(often) for code, often in found}

    def count_oddities(self) -> Oddities:
        """How many rows there are, and how many of them are odd: for the curator's eyes."""
        answers = self.match.answers if isinstance(self.match, Crossing) else self.match
        odd = [missing("c0", answers), f.col("c0").cast("string") == ""]
        if self.declaration.id_column is not None:
            odd.append(f.col("person").isNull())
        [found] = self.fetch(self.rows.agg(f.count(f.lit(1)), *(f.count(f.when(each, 1)) for each in odd)))
        return Oddities(*found)

    def count_stray_values(self, *, groups: bool) -> list[tuple[str, int]]:
        """The most frequent values outside the categories, or the groups: for the curator's eyes."""
        match, column = self.match, "c1" if groups else "c0"
        if isinstance(match, Crossing):
            match = match.groups if groups else match.answers
        text = f.col(column).cast("string")
        outside = matched(self.rows, match, column, "code").where(
            f.col("code").isNull() & ~missing(column, match) & (text != "")
        )
        values = outside.groupBy(f.substring(text, 1, LONGEST).alias("stray")).agg(f.count(f.lit(1)).alias("often"))
        found = self.fetch(values.orderBy(f.col("often").desc(), "stray").limit(EXAMPLES))
        return [(str(stray), int(often)) for stray, often in found]

    def fetch(self, answer: Any) -> list[tuple[Any, ...]]:
        """The rows of an answer; whatever the engine says when it fails is dropped."""
        return attempt(lambda: collect(answer, self.progress), unreadable(self.name))


@contextmanager
def open_spark(source: object, declaration: Declaration, *, progress: Progress | None = None) -> Iterator[SparkTable]:
    """Open a data frame, or what the text of a SOURCE names on its cluster."""
    if not isinstance(source, str | Path):
        yield _opened("the pyspark table", source, declaration, progress)
        return
    place = find_spark(source)
    with session_for(place) as session:
        frame = attempt(lambda: _frame(session, place), unreadable(place.name))
        yield _opened(place.name, frame, declaration, progress)


def _frame(session: Any, place: SparkPlace) -> Any:
    if place.kind == "table":
        return session.table(place.what)
    # Of files with different types Spark would cast one to the other's; merged schemas must agree.
    return session.read.format(place.kind).option("mergeSchema", "true").load(place.what)


def _opened(name: str, frame: Any, declaration: Declaration, progress: Progress | None) -> SparkTable:
    """Choose the declared columns by their place, so that no name is ever part of an expression."""
    if not isinstance(frame, DataFrame):
        raise SourceError(f"a {type(frame).__name__} is no table here", hint="give a DataFrame of a classic session")
    fields = attempt(lambda: list(frame.schema.fields), unreadable(name))
    at = [_only([field.name for field in fields], column, name) for column in declaration.columns]
    chosen = [fields[i] for i in at]
    match = match_columns(declaration, [type_of(field) for field in chosen])
    numbered = frame.toDF(*(f"f{i}" for i in range(len(fields))))
    columns = [read_column(field, f"f{i}") for field, i in zip(chosen, at, strict=True)]
    named = [column.alias(f"c{i}") for i, column in enumerate(columns)]
    if declaration.id_column is not None:
        person = identity(chosen[-1], columns[-1])
        if person is None:
            raise InvalidInput(
                f"column {declaration.id_column!r} cannot tell people apart", hint="make a text column of it first"
            )
        named[-1] = person.alias("person")
    return SparkTable(name, declaration, match, numbered.select(*named), progress)


def _only(names: list[str], column: str, shown: str) -> int:
    if names.count(column) > 1:
        raise SourceError(f"{shown} has two columns {column!r}", hint="rename one of them")
    if column not in names:
        raise missing_column(column, shown)
    return names.index(column)
