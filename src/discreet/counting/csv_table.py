"""Counting CSV files without ids: every value is judged by itself, batch by batch, and no engine is needed."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

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
        values = [{text.encode(): code for code, text in enumerate(each.texts)} for each in self.declaration.compared]
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


def _codes(column: pa.DictionaryArray, values: dict[bytes, int]) -> NDArray[np.int64]:
    """The place of each value in a list, its length for none.

    Each value of a block is looked up once. Arrow's own look-up would load half as much again as all of Arrow does.
    """
    codes = np.array([values.get(text, len(values)) for text in column.dictionary.to_pylist()], dtype=np.int64)
    return codes[np.frombuffer(column.indices.buffers()[1], dtype=np.int32)[: len(column)]]


def open_csv(files: Files, declaration: Declaration, form: CsvFormat) -> CsvTable:
    """Open CSV files with the same header."""
    failure = partial(malformed_error, files.name)
    return CsvTable(declaration, attempt(lambda: from_csv(files, declaration, form, encoded=True), failure()), failure)
