"""Counting CSV files without ids: every value is judged by itself, batch by batch, and no engine is needed."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from discreet.counting.base import Declaration, Place, attempt
from discreet.counting.csv_records import malformed
from discreet.counting.sources import CsvFormat, Files
from discreet.counting.streams import Stream, from_csv
from discreet.counting.table import Table
from discreet.errors import SourceError


@dataclass(frozen=True, slots=True)
class CsvTable(Table):
    """An opened source, for one declaration: the `Table` of CSV files in which a record is a row."""

    declaration: Declaration
    stream: Stream
    failure: Callable[[], SourceError]

    def places(self) -> dict[Place, int]:
        """How many records are in each place."""
        return attempt(self._places, self.failure())

    def _places(self) -> dict[Place, int]:
        grouping = self.declaration.grouping
        judged = [self.declaration.categories] + ([] if grouping is None else [grouping.categories])
        wanted = [_in_bytes(names) for names in judged]
        sizes = [len(names) + 1 for names in judged]  # what is outside comes last
        counted = np.zeros(math.prod(sizes), dtype=np.int64)
        for batch in self.stream.reader():
            found = [pc.index_in(batch.column(i), value_set=own) for i, own in enumerate(wanted)]
            whole = tuple(_codes(code, len(own)) for code, own in zip(found, wanted, strict=True))
            counted += np.bincount(np.ravel_multi_index(whole, sizes), minlength=counted.size)
        return {_place(int(cell), sizes): int(counted[cell]) for cell in np.flatnonzero(counted)}


def _codes(found: pa.Array, outside: int) -> NDArray[np.int32]:
    """The numbers of an array from its buffers, with another for null: Arrow would load pandas to hand them over."""
    valid, data = found.buffers()
    codes = np.frombuffer(data, dtype=np.int32)[found.offset : found.offset + len(found)]
    if valid is None:
        return codes
    bits = np.unpackbits(np.frombuffer(valid, dtype=np.uint8), bitorder="little")
    return np.where(bits[found.offset : found.offset + len(found)], codes, np.int32(outside))


def _in_bytes(names: Sequence[str]) -> pa.Array:
    """The UTF-8 of names, from its bytes: `pa.array` would load pandas to see whether they are one of its columns."""
    texts = [name.encode() for name in names]
    ends = np.cumsum([0, *map(len, texts)], dtype=np.int32)
    return pa.Array.from_buffers(
        pa.binary(), len(texts), [None, pa.py_buffer(ends.tobytes()), pa.py_buffer(b"".join(texts))]
    )


def _place(cell: int, sizes: list[int]) -> Place:
    inside = [at if at < size - 1 else None for at, size in zip(np.unravel_index(cell, sizes), sizes, strict=True)]
    places = [None if at is None else int(at) for at in inside]
    return places[0] if len(places) == 1 else (places[1], places[0])


def open_csv(files: Files, declaration: Declaration, form: CsvFormat) -> CsvTable:
    """Open CSV files with the same header."""
    failure = partial(malformed, files.name)
    return CsvTable(declaration, attempt(lambda: from_csv(files, declaration, form), failure()), failure)
