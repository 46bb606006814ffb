"""Counting CSV files without ids: every value is judged by itself, batch by batch, and no engine is needed."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyarrow.compute import SetLookupOptions, call_function

from discreet.counting.csv_records import malformed_error
from discreet.counting.declaration import Declaration, strides_of
from discreet.counting.sources import CsvFormat, Files
from discreet.counting.streams import Stream, from_csv
from discreet.counting.table import Table, attempt
from discreet.errors import SourceError


@dataclass(frozen=True, slots=True)
class CsvTable(Table):
    """An opened source, for one declaration: the `Table` of CSV files in which a record is a row."""

    declaration: Declaration
    stream: Stream
    failure: Callable[[], SourceError]

    def count_places(self) -> Iterable[tuple[int, int]]:
        """The code of each place, and how many records are there."""
        return enumerate(attempt(self._places, self.failure()))

    def _places(self) -> list[int]:
        strides = strides_of(self.declaration)
        values = [_byte_array(each.texts) for each in self.declaration.compared]
        filters = range(len(values) - len(self.declaration.filters), len(values))
        sizes = np.zeros(math.prod(self.declaration.shape), dtype=np.int64)
        for batch in self.stream.reader():
            codes = np.zeros(batch.num_rows, dtype=np.int64)
            for i, stride in enumerate(strides):
                codes += stride * _codes(batch.column(i), values[i])
            if filters:
                codes = codes[np.all([_codes(batch.column(i), values[i]) < len(values[i]) for i in filters], axis=0)]
            sizes += np.bincount(codes, minlength=sizes.size)
        return sizes.tolist()


def _codes(column: pa.Array, values: pa.Array) -> NDArray[np.int64]:
    """The place of each value in a list, its length for none: from buffers, as Arrow would load pandas to tell."""
    indices = call_function("index_in", [column], SetLookupOptions(value_set=values))
    valid, data = indices.buffers()
    codes = np.frombuffer(data, dtype=np.int32)[: len(indices)].astype(np.int64)
    if valid is not None:
        bits = np.unpackbits(np.frombuffer(valid, dtype=np.uint8), count=len(indices), bitorder="little")
        codes[bits == 0] = len(values)
    return codes


def _byte_array(names: Sequence[str]) -> pa.Array:
    """The UTF-8 of names, from its bytes: `pa.array` would load pandas to see whether they are one of its columns."""
    texts = [name.encode() for name in names]
    ends = np.cumsum([0, *map(len, texts)], dtype=np.int32)
    return pa.Array.from_buffers(
        pa.binary(), len(texts), [None, pa.py_buffer(ends.tobytes()), pa.py_buffer(b"".join(texts))]
    )


def open_csv(files: Files, declaration: Declaration, form: CsvFormat) -> CsvTable:
    """Open CSV files with the same header."""
    failure = partial(malformed_error, files.name)
    return CsvTable(declaration, attempt(lambda: from_csv(files, declaration, form), failure()), failure)
