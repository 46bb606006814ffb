"""The columns of a source with the types that its header or schema declares: public, known before any row is read."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from pyarrow.parquet import read_schema

from discreet.counting.column_names import delimiter_guess
from discreet.counting.csv_records import malformed_error, read_header
from discreet.counting.duck_access import describe_table
from discreet.counting.sources import CsvFormat, DuckFile, MemoryFile, Named, engine_for, find_source
from discreet.counting.streams import ipc_schema, open_by_arrow
from discreet.counting.table import attempt, unreadable_error
from discreet.errors import SourceError, require_packages


class Column(NamedTuple):
    """A column, as it is declared."""

    name: str
    type: str


class ColumnList(NamedTuple):
    """All columns of a source, and a hint where its header looks as if it was separated otherwise than declared."""

    columns: list[Column]
    hint: str


def list_columns(source: Named, form: CsvFormat) -> ColumnList:
    """The columns of files and databases. In CSV every column is a text; of what Spark reads none are listed.

    >>> list_columns(MemoryFile("votes.csv", b"id;vote\\n1;yes\\n"), CsvFormat(delimiter=";")).columns
    [Column(name='id', type='text'), Column(name='vote', type='text')]
    >>> list_columns(MemoryFile("votes.csv", b"id;vote\\n1;yes\\n"), CsvFormat()).hint
    "its header seems to be separated by semicolons: say `delimiter` ';'"
    """
    engine = engine_for(source)
    if engine == "spark":
        return ColumnList([], "")
    if engine == "ibis":
        require_packages("counting in databases", "ibis", "ibis", error=SourceError)
        from discreet.counting.databases import describe_database  # imported when it is needed: Ibis is slow

        return _column_list(describe_database(str(source)))
    place = find_source(source)
    if isinstance(place, DuckFile):
        return _column_list(attempt(lambda: describe_table(place), unreadable_error(place.name)))
    first = place.paths[0]
    if place.kind == "csv":
        form = form.for_source(source)
        names, _ = attempt(lambda: read_header(first, form), malformed_error(place.name))
        hint = delimiter_guess(names[0]) if form.header and len(names) == 1 else ""
        return ColumnList([Column(name, "text") for name in names], hint)
    schema = attempt(lambda: _arrow_columns(first, place.kind), unreadable_error(place.name))
    return ColumnList(schema, "")


def _column_list(types: Mapping[str, str]) -> ColumnList:
    return ColumnList([Column(name, kind) for name, kind in types.items()], "")


def _arrow_columns(path: Path | MemoryFile, kind: str) -> list[Column]:
    with open_by_arrow(path) as file:
        fields = read_schema(file) if kind == "parquet" else ipc_schema(path, file)
    return [Column(field.name, str(field.type)) for field in fields]
