"""The columns of a source with the types that its header or schema declares: public, known before any row is read."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from pyarrow.parquet import read_schema

from discreet.counting.base import attempt, unreadable
from discreet.counting.column_names import delimiter_guess
from discreet.counting.csv_records import malformed, read_header
from discreet.counting.sources import CsvFormat, Files, MemoryFile, Named, engine_for, find_source
from discreet.counting.streams import ipc_schema, opened_by_arrow
from discreet.errors import InvalidInput


class Column(NamedTuple):
    """A column, as it is declared."""

    name: str
    type: str


class ColumnList(NamedTuple):
    """All columns of a source, and a hint where its header looks as if it was separated otherwise than declared."""

    columns: list[Column]
    hint: str


def list_columns(source: Named, form: CsvFormat) -> ColumnList:
    """The columns of files. In CSV every column is a text.

    >>> list_columns(MemoryFile("votes.csv", b"id;vote\\n1;yes\\n"), CsvFormat(delimiter=";")).columns
    [Column(name='id', type='text'), Column(name='vote', type='text')]
    >>> list_columns(MemoryFile("votes.csv", b"id;vote\\n1;yes\\n"), CsvFormat()).hint
    "its header seems to be separated by semicolons: say `delimiter` ';'"
    """
    place = find_source(source) if engine_for(source) == "duckdb" else None
    if not isinstance(place, Files):
        raise InvalidInput(
            "the columns of a database are not listed here", hint="type the name of the column", parameter="source"
        )
    first = place.paths[0]
    if place.kind == "csv":
        form = form.named(source)
        names, _ = attempt(lambda: read_header(first, form), malformed(place.name))
        hint = delimiter_guess(names[0]) if form.header and len(names) == 1 else ""
        return ColumnList([Column(name, "text") for name in names], hint)
    schema = attempt(lambda: _schema(first, place.kind), unreadable(place.name))
    return ColumnList(schema, "")


def _schema(path: Path | MemoryFile, kind: str) -> list[Column]:
    with opened_by_arrow(path) as opened:
        fields = read_schema(opened) if kind == "parquet" else ipc_schema(path, opened)
    return [Column(field.name, str(field.type)) for field in fields]
