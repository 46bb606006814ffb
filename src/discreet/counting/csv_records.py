"""What a CSV file is: a sequence of records by RFC 4180, and nothing that is nearly one.

A record ends with LF or CRLF. A field in double quotes holds anything, a quote as two of them; a field without holds no
quote, no delimiter, no CR and no LF. Every record has as many fields as the first, and at most `BLOCK` bytes. Bytes
within a field are its value, whether they are UTF-8 or not. A byte order mark is skipped, and so is a blank line in a
file of several columns.

A file that is anything else is refused, in every pass over it, the first of which comes before any charge. Replacing a
record by a record changes no other. Whatever lines stand in the place of a record, the others are read as before or the
file is refused: their quotes come in pairs, so a quote that is left open stays open to the end of the file.
"""

from __future__ import annotations

import mmap
import re
from collections.abc import Generator
from contextlib import closing
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from discreet.counting.inspection import NOT_PUBLISHABLE
from discreet.counting.sources import CsvFormat, Files
from discreet.errors import SourceError

BLOCK = 1 << 24
"""Bytes that are read at a time, and that a record may have."""

MARK = b"\xef\xbb\xbf"
"""A byte order mark."""

LOOK = "check that it is whole and well-formed; discreet check says where it is not"

QUOTE, LF, CR = b'"\n\r'

Places = NDArray[np.intp]


class NotRecordsError(ValueError):
    """The bytes are no records. It is never shown."""


def malformed(source: str) -> SourceError:
    """What is said of a CSV file that cannot be read, whatever is wrong with it."""
    return SourceError(f"{source} cannot be read as a table", hint=LOOK)


def read_blocks(path: Path, form: CsvFormat) -> Generator[memoryview, None, None]:
    """The file in blocks of whole records. How many fields they have is not looked at."""
    rest, read = b"", b"?"
    with path.open("rb") as file:
        if file.read(len(MARK)) != MARK:
            file.seek(0)
        while read:
            read = file.read(BLOCK)
            data = rest + read
            quotes = _quotes(data)
            if _first_end(data, quotes) > BLOCK:
                raise NotRecordsError
            end = _last_end(data, quotes) if read else len(data)
            if end:
                _require_records(data, end, quotes[: np.searchsorted(quotes, end)], form)
                yield memoryview(data)[:end]
            rest = data[end:]


def read_header(path: Path, form: CsvFormat) -> tuple[list[str], int]:
    """The names of the columns, and how many bytes of the first block they take.

    Without a header the columns are column0, column1, …, as many as the first line that is not blank has.
    """
    with closing(read_blocks(path, form)) as blocks:
        block = bytes(next(blocks, b""))
    if form.header:
        size = _first_end(block, _quotes(block))
        names = [_unquoted(field).decode("utf-8", "surrogateescape") for field in _fields(block, 0, form)]
        if names == [""]:
            raise NotRecordsError
        return names, size
    blank = re.compile(rb"[\r\n]*").match(block)
    return [f"column{i}" for i in range(len(_fields(block, blank.end() if blank else 0, form)))], 0


def name_malformed_line(files: Files, form: CsvFormat) -> None:
    """Refuse the file by the first line that is no record: for the curator's eyes, because it tells of the data."""
    for path in files.paths:
        line = 1
        if path.stat().st_size:
            with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
                line = _malformed_line(data, form)
        if line:
            raise SourceError(
                f"line {line} of {path.name} does not begin a record with as many fields as the first",
                hint=f"look at its delimiters, quotes and end; {NOT_PUBLISHABLE}",
            ) from None


def _quotes(data: bytes) -> Places:
    """Where the quotes are."""
    if b'"' not in data:
        return np.empty(0, dtype=np.intp)
    return np.flatnonzero(np.frombuffer(data, np.uint8) == QUOTE)


def _first_end(data: bytes, quotes: Places) -> int:
    """Where the first record ends: after the first LF outside of quotes, or with the data."""
    at = data.find(b"\n")
    while at >= 0 and (before := int(np.searchsorted(quotes, at))) % 2:
        at = data.find(b"\n", quotes[before]) if before < len(quotes) else -1
    return at + 1 if at >= 0 else len(data)


def _last_end(data: bytes, quotes: Places) -> int:
    """Where the last whole record ends: after the last LF outside of quotes, 0 without any."""
    at = data.rfind(b"\n")
    while at >= 0 and (before := int(np.searchsorted(quotes, at))) % 2:
        at = data.rfind(b"\n", 0, quotes[before - 1])
    return at + 1


def _require_records(data: bytes, end: int, quotes: Places, form: CsvFormat) -> None:
    """Quotes only around a field or in pairs within one, and a CR outside of them only before LF."""
    if len(quotes) % 2:
        raise NotRecordsError
    held = np.frombuffer(data, np.uint8)[:end]
    if len(quotes):
        opening = quotes[2::2] if quotes[0] == 0 else quotes[::2]
        ending = quotes[1:-1:2] if quotes[-1] == end - 1 else quotes[1::2]
        delimiter = ord(form.delimiter)
        for beside in (held.take(opening - 1), held.take(ending + 1)):
            if not ((beside == delimiter) | (beside == QUOTE) | (beside == LF) | (beside == CR)).all():
                raise NotRecordsError
    if b"\r" in data:
        bare = np.flatnonzero((held == CR) & (np.append(held[1:], 0) != LF))
        if (np.searchsorted(quotes, bare) % 2 == 0).any():
            raise NotRecordsError


def _field(form: CsvFormat) -> bytes:
    """The pattern of a field."""
    return rb'(?:"(?:[^"]|"")*+"|[^"\r\n%b]*+)' % re.escape(form.delimiter.encode())


def _fields(data: bytes | mmap.mmap, at: int, form: CsvFormat) -> list[bytes]:
    """The fields of the record that begins there, as they are written."""
    pattern, fields = re.compile(_field(form)), []
    while match := pattern.match(data, at):
        fields.append(match[0])
        at = match.end() + 1
        if data[match.end() : at] != form.delimiter.encode():
            break
    return fields


def _unquoted(field: bytes) -> bytes:
    return field[1:-1].replace(b'""', b'"') if field.startswith(b'"') else field


def _malformed_line(data: mmap.mmap, form: CsvFormat) -> int:
    """The line on which the first thing begins that is no record like the first, 0 without any."""
    start = len(MARK) if data[: len(MARK)] == MARK else 0
    blank = re.compile(rb"(?:\r?\n)*+").match(data, start)
    first = blank.end() if blank and not form.header else start
    others = len(_fields(data, first, form)) - 1
    delimited = rb"(?:%b%b){%d}" % (re.escape(form.delimiter.encode()), _field(form), others)
    record = rb"(?!\Z)%b%b(?:\r?\n|\Z)" % (_field(form), delimited)
    whole = re.compile(rb"(?:%b%b)*+" % (record, rb"|\r?\n" if others else b""))
    well_formed = whole.match(data, start)
    at = well_formed.end() if well_formed else start
    if at == len(data):
        long = (each.start() for each in re.compile(record).finditer(data, start) if len(each[0]) > BLOCK)
        at = next(long, -1)
    return 1 + sum(1 for _ in re.compile(rb"\n").finditer(data, 0, at)) if at >= 0 else 0
