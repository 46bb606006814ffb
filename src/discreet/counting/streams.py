"""Arrow, Feather and CSV files, and tables in memory, as streams of Arrow batches with the declared columns only.

CSV is taken apart by Arrow and not by DuckDB, whose reader drops blanks in front of a quoted field and delimiters at
the end of a line, even when told to be strict. Arrow is lenient with quotes: `csv_records` lets only records through.

A text is handed on as its bytes: one that is not UTF-8 is a value like any other, and stops nothing. What comes from a
file is validated in full, because offsets that point elsewhere would be followed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyarrow import csv as arrow_csv

from discreet.arithmetic.numbers import exact
from discreet.counting.column_names import find_column, find_columns
from discreet.counting.comparisons import TEXT
from discreet.counting.csv_records import read_blocks, read_header
from discreet.counting.declaration import Declaration, Filter, is_boolean
from discreet.counting.rule import Judge, is_missing
from discreet.counting.sources import CsvFormat, Files, MemoryFile
from discreet.errors import InvalidInput, SourceError


@dataclass(frozen=True, slots=True)
class Stream:
    """Batches of rows that can be read more than once, with columns c0, c1, … in the declaration's order."""

    schema: Any
    batches: Callable[[], Iterator[Any]]

    def reader(self) -> Any:
        """A fresh reader, with texts as their bytes: DuckDB takes a used one for an empty table."""
        schema = pa.schema([(field.name, _byte_type(field.type)) for field in self.schema])
        return pa.RecordBatchReader.from_batches(schema, self._validated_batches(schema))

    def sql_types(self, types: list[str]) -> list[str]:
        """The types of the columns as SQL knows them, with those that are handed over as bytes called so."""
        texts = [_byte_type(field.type) != field.type for field in self.schema]
        return [TEXT if text else kind for text, kind in zip(texts, types, strict=True)]

    def _validated_batches(self, schema: Any) -> Iterator[Any]:
        for batch in self.batches():
            columns = [column.view(field.type) for column, field in zip(batch.columns, schema, strict=True)]
            viewed = pa.record_batch(columns, schema=schema)
            viewed.validate(full=True)
            yield viewed


def _byte_type(kind: Any) -> Any:
    """The type of a text's bytes; of anything else, its own.

    >>> import pyarrow as pa
    >>> _byte_type(pa.dictionary(pa.int8(), pa.string())), _byte_type(pa.int8())
    (DictionaryType(dictionary<values=binary, indices=int8, ordered=0>), DataType(int8))
    """
    if pa.types.is_dictionary(kind):
        return pa.dictionary(kind.index_type, _byte_type(kind.value_type), kind.ordered)
    byte_types = {pa.string(): pa.binary(), pa.large_string(): pa.large_binary(), pa.string_view(): pa.binary_view()}
    return byte_types.get(kind, kind)


def from_csv(files: Files, declaration: Declaration, form: CsvFormat, *, encoded: bool = False) -> Stream:
    """CSV files with the same header, every column text; or, encoded, places in a list of the texts of each block."""
    headers = [read_header(path, form) for path in files.paths]
    names = headers[0][0]
    if any(header != names for header, _ in headers):
        raise SourceError(f"the files of {files.name} have different columns", hint="read them one by one")
    at = find_columns(names, declaration.columns, files.name, is_header=form.header)
    kind = pa.dictionary(pa.int32(), pa.string()) if encoded else pa.string()
    schema = pa.schema([(f"c{i}", kind) for i in range(len(at))])

    def batches() -> Iterator[Any]:
        for path, (_, skipped) in zip(files.paths, headers, strict=True):
            for block in read_blocks(path, form):
                if records := block[skipped:]:
                    yield from _parse_records(records, len(names), at, form, _byte_type(kind))
                skipped = 0

    return Stream(schema, batches)


def _parse_records(records: memoryview, width: int, at: list[int], form: CsvFormat, kind: Any) -> Iterator[Any]:
    """The declared columns of a block of records. Arrow refuses a record with another number of fields."""
    names = [f"c{i}" for i in range(width)]
    chosen = [names[i] for i in at]
    table = arrow_csv.read_csv(
        pa.BufferReader(pa.py_buffer(records)),
        read_options=arrow_csv.ReadOptions(column_names=names, block_size=len(records), use_threads=False),
        parse_options=arrow_csv.ParseOptions(
            delimiter=form.separator, newlines_in_values=True, ignore_empty_lines=width > 1
        ),
        convert_options=arrow_csv.ConvertOptions(
            column_types=dict.fromkeys(chosen, kind),
            include_columns=chosen,
            null_values=[],
            strings_can_be_null=False,
        ),
    )
    yield from table.to_batches()


def from_arrow_files(files: Files, declaration: Declaration) -> Stream:
    """Arrow IPC files (Feather is their other name) and streams, read batch by batch."""
    schemas, places = [], []
    for path in files.paths:
        with open_by_arrow(path) as file:
            fields = ipc_schema(path, file)
        places.append(find_columns(fields.names, declaration.columns, path.name))
        schemas.append(pa.schema([(f"c{c}", fields.field(i).type) for c, i in enumerate(places[-1])]))
    if any(schema != schemas[0] for schema in schemas):
        raise SourceError(f"the files of {files.name} have different columns", hint="read them one by one")

    def batches() -> Iterator[Any]:
        for path, at in zip(files.paths, places, strict=True):
            order = [sorted(at).index(i) for i in at]  # what is included keeps the file's order
            with open_by_arrow(path) as file:
                reader = _ipc_opener(path)(file, options=pa.ipc.IpcReadOptions(included_fields=at))
                size = getattr(reader, "num_record_batches", None)  # of a file; a stream is read to its end
                for batch in reader if size is None else map(reader.get_batch, range(size)):
                    yield pa.record_batch([batch.column(i) for i in order], schema=schemas[0])

    return Stream(schemas[0], batches)


def open_by_arrow(path: Path | MemoryFile) -> Any:
    """The file as Arrow reads it, without a copy."""
    return pa.BufferReader(path.content) if isinstance(path, MemoryFile) else pa.memory_map(str(path))


def ipc_schema(path: Path | MemoryFile, file: Any) -> Any:
    """The schema of an Arrow file or stream."""
    return _ipc_opener(path)(file).schema


def _ipc_opener(path: Path | MemoryFile) -> Any:
    with path.open("rb") as file:
        return pa.ipc.open_file if file.read(6) == b"ARROW1" else pa.ipc.open_stream


def from_memory(table: Any, declaration: Declaration) -> Stream:
    """A pandas, Polars or Arrow table."""
    package = type(table).__module__.partition(".")[0]
    name = f"the {package} table"
    if package == "pandas" and type(table).__name__ == "DataFrame":
        arrays = [_pandas_column(table, column, declaration, name) for column in declaration.columns]
    elif package == "polars" and type(table).__name__ in {"DataFrame", "LazyFrame"}:
        find_columns(table.collect_schema().names(), declaration.columns, name)
        arrays = table.lazy().select(list(declaration.columns)).collect().to_arrow().columns
    elif isinstance(table, pa.Table | pa.RecordBatch):
        arrays = [table.column(at) for at in find_columns(table.schema.names, declaration.columns, name)]
    else:
        raise SourceError(
            f"a {type(table).__name__} is not a table",
            hint="give a file's name, or a pandas, Polars or Arrow table",
        )
    # A column of nothing has no type, which not every engine takes for a text.
    arrays = [array.cast(pa.string()) if pa.types.is_null(array.type) else array for array in arrays]
    chosen = pa.table(arrays, names=[f"c{i}" for i in range(len(arrays))])
    return Stream(chosen.schema, lambda: iter(chosen.to_batches()))


def _pandas_column(table: Any, column: str, declaration: Declaration, name: str) -> Any:
    series = table.iloc[:, find_column(list(table.columns), column, name)]
    dtype = getattr(series.dtype, "categories", series).dtype
    if str(dtype) != "object" and getattr(dtype, "storage", None) != "python":
        return pa.array(series, from_pandas=True)
    # Objects have no type in common that could be relied on: one record more could change what Arrow takes them for.
    # Texts of Python may have halves of characters, which Arrow does not take.
    values = iter(series.astype(object))
    if column == declaration.id_column:
        return pa.array(map(_identity, values), type=pa.binary())
    declared = next(each for each in declaration.compared if each.column == column)
    judge = Judge(declared)
    texts = (_category_bytes(value, judge.place(value), declared) for value in values)
    return pa.array(texts, type=pa.binary()).view("string")


def _category_bytes(value: object, place: int | None, declaration: Declaration | Filter) -> bytes | None:
    """The text of a value's category; of one outside its own, or if it has none bytes that no category has."""
    if is_missing(value):
        return None
    if place is None:
        return value.encode("utf-8", "surrogatepass") if isinstance(value, str) else b"\xff"
    return declaration.categories[place].encode()


def _identity(value: object) -> bytes | None:
    """Bytes that are equal for equal ids; None for a missing one. The number 1 and the text "1" are two people.

    >>> [_identity(value) for value in ("1", 1, 1.0, "", None, float("nan"))]
    [b't1', b'n1', b'n1', None, None, None]
    """
    if is_missing(value):
        return None
    if isinstance(value, str):
        return b"t" + value.encode("utf-8", "surrogatepass")
    if is_boolean(value):
        return b"b" + str(value).encode()
    try:
        return b"n" + str(exact(value, "an id")).encode()
    except InvalidInput:
        return f"o{type(value).__qualname__} {value!s}".encode("utf-8", "surrogatepass")
