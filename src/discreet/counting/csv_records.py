"""What a CSV file is: a sequence of records by RFC 4180, and nothing that is nearly one.

A record ends with LF or CRLF. A field in double quotes holds anything, a quote as two of them; a field without holds no
quote, no delimiter, no CR and no LF. Every record has as many fields as the first, and at most `BLOCK` bytes. Bytes
within a field are its value, whether they are UTF-8 or not. A byte order mark is skipped, and so is a blank line in a
file of several columns. A file in another encoding is read as the UTF-8 of its text: all of it must be text in that
encoding, and UTF-16 and UTF-32 begin with their byte order mark.

A file that is anything else is refused, in every pass over it, the first of which comes before any charge. Replacing a
record by a record changes no other. Whatever lines stand in the place of a record, the others are read as before or the
file is refused: their quotes come in pairs, so a quote that is left open stays open to the end of the file.
"""

from __future__ import annotations

import mmap
import re
from codecs import BOM_UTF16_BE, BOM_UTF16_LE, BOM_UTF32_BE, BOM_UTF32_LE, getincrementaldecoder
from collections.abc import Generator, Iterator
from contextlib import closing
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from discreet.counting.inspection import NOT_PUBLISHABLE
from discreet.counting.sources import CsvFormat, Files, MemoryFile
from discreet.errors import SourceError

BLOCK = 1 << 24
"""Bytes that are read at a time, and that a record may have."""

MAX_GROWTH = 3
"""How much longer a text may be in UTF-8 than in another encoding."""

MARK = b"\xef\xbb\xbf"
"""A byte order mark."""

PACKAGES = {b"PK\x03\x04": "a zip archive, or a spreadsheet", b"\x1f\x8b": "compressed by gzip"}
"""How files begin that are no text."""

MALFORMED_HINT = "check that it is whole and well-formed; discreet check says where it is not"

QUOTE, LF, CR = b'"\n\r'

Positions = NDArray[np.intp]


class NotRecordsError(ValueError):
    """The bytes are no records. It is never shown."""


def malformed_error(source: str) -> SourceError:
    """What is said of a CSV file that cannot be read, whatever is wrong with it."""
    return SourceError(f"{source} cannot be read as a table", hint=MALFORMED_HINT)


def read_blocks(path: Path | MemoryFile, form: CsvFormat) -> Generator[memoryview, None, None]:
    """The file in blocks of whole records. How many fields they have is not looked at."""
    rest = b""
    for chunk in _read_utf8(path, form):
        data = rest + chunk
        quotes = _find_quotes(data)
        if _first_end(data, quotes) > BLOCK:
            raise NotRecordsError
        end = _last_end(data, quotes) if chunk else len(data)
        if end:
            _require_records(data, end, quotes[: np.searchsorted(quotes, end)], form)
            yield memoryview(data)[:end]
        rest = data[end:]


def _read_utf8(path: Path | MemoryFile, form: CsvFormat) -> Iterator[bytes]:
    """The text of the file as UTF-8 without a byte order mark, at most a block at a time, and nothing at its end."""
    with path.open("rb") as file:
        if form.encoding == "utf-8":
            if file.read(len(MARK)) != MARK:
                file.seek(0)
            while chunk := file.read(BLOCK):
                yield chunk
        else:
            _require_mark(file.read(4), form)
            file.seek(0)
            decoder = getincrementaldecoder(form.encoding)()
            while chunk := file.read(BLOCK // MAX_GROWTH or 1):
                if text := decoder.decode(chunk):
                    yield text.encode()
            decoder.decode(b"", final=True)
    yield b""


def _require_mark(start: bytes, form: CsvFormat) -> None:
    """In UTF-16 and UTF-32, what is not marked as such may have its lines, and so its header, anywhere."""
    marks = {"utf-16": (BOM_UTF16_LE, BOM_UTF16_BE), "utf-32": (BOM_UTF32_LE, BOM_UTF32_BE)}.get(form.encoding)
    if marks is not None and not start.startswith(marks):
        raise NotRecordsError


def read_header(path: Path | MemoryFile, form: CsvFormat) -> tuple[list[str], int]:
    """The names of the columns, and how many bytes of the first block they take.

    Without a header the columns are column0, column1, …, as many as the first line that is not blank has. Only a
    header, which is public, is looked at to say what else the file may be.
    """
    if form.header:
        _require_text(path, form)
    with closing(read_blocks(path, form)) as blocks:
        block = bytes(next(blocks, b""))
    if form.header:
        size = _first_end(block, _find_quotes(block))
        try:
            names = [_unquote(field).decode() for field in _split_record(block, 0, form)]
        except UnicodeDecodeError:
            names = []
        if not names:
            raise SourceError(
                f"the header of {path.name} is not UTF-8", hint="say which `encoding` it has: cp1252, latin-1, …"
            )
        if names == [""]:
            raise NotRecordsError
        return names, size
    blank = re.compile(rb"[\r\n]*").match(block)
    return [f"column{i}" for i in range(len(_split_record(block, blank.end() if blank else 0, form)))], 0


def _require_text(path: Path | MemoryFile, form: CsvFormat) -> None:
    """Refuse what is no text by how it begins, which is where its header would be."""
    with path.open("rb") as file:
        start = file.read(4)
    if not start:
        raise SourceError(f"{path.name} is empty", hint="give a file that begins with the names of its columns")
    for magic, what in PACKAGES.items():
        if start.startswith(magic):
            raise SourceError(f"{path.name} is {what}, and no text", hint="unpack it, or save it as CSV")
    if form.encoding == "utf-8" and start.startswith((BOM_UTF16_LE, BOM_UTF16_BE)):
        raise SourceError(f"{path.name} is in UTF-16", hint="say `encoding` utf-16")


def name_malformed_line(files: Files, form: CsvFormat) -> None:
    """Refuse the file by the first line that is no record: for the curator's eyes, because it tells of the data."""
    for path in files.paths:
        line, what = 1, "does not begin a record with as many fields as the first"
        if form.encoding != "utf-8":
            line, what = _find_malformed_text(path.read_bytes(), form, what)
        elif isinstance(path, MemoryFile):
            line = _find_malformed_line(path.content, form) if path.content else 1
        elif path.stat().st_size:
            with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
                line = _find_malformed_line(data, form)
        if line:
            raise SourceError(
                f"line {line} of {path.name} {what}",
                hint=f"look at its delimiters, quotes and end; {NOT_PUBLISHABLE}",
            ) from None


def _find_quotes(data: bytes) -> Positions:
    """Where the quotes are."""
    if b'"' not in data:
        return np.empty(0, dtype=np.intp)
    return np.flatnonzero(np.frombuffer(data, np.uint8) == QUOTE)


def _first_end(data: bytes, quotes: Positions) -> int:
    """Where the first record ends: after the first LF outside of quotes, or with the data."""
    at = data.find(b"\n")
    while at >= 0 and (before := int(np.searchsorted(quotes, at))) % 2:
        at = data.find(b"\n", quotes[before]) if before < len(quotes) else -1
    return at + 1 if at >= 0 else len(data)


def _last_end(data: bytes, quotes: Positions) -> int:
    """Where the last whole record ends: after the last LF outside of quotes, 0 without any."""
    at = data.rfind(b"\n")
    while at >= 0 and (before := int(np.searchsorted(quotes, at))) % 2:
        at = data.rfind(b"\n", 0, quotes[before - 1])
    return at + 1


def _require_records(data: bytes, end: int, quotes: Positions, form: CsvFormat) -> None:
    """Quotes only around a field or in pairs within one, and a CR outside of them only before LF."""
    if len(quotes) % 2:
        raise NotRecordsError
    content = np.frombuffer(data, np.uint8)[:end]
    if len(quotes):
        opening = quotes[2::2] if quotes[0] == 0 else quotes[::2]
        ending = quotes[1:-1:2] if quotes[-1] == end - 1 else quotes[1::2]
        delimiter = ord(form.separator)
        for neighbours in (content.take(opening - 1), content.take(ending + 1)):
            if not np.isin(neighbours, (delimiter, QUOTE, LF, CR)).all():
                raise NotRecordsError
    if b"\r" in data:
        bare = np.flatnonzero((content == CR) & (np.append(content[1:], 0) != LF))
        if (np.searchsorted(quotes, bare) % 2 == 0).any():
            raise NotRecordsError


def _field_pattern(form: CsvFormat) -> bytes:
    """The pattern of a field."""
    return rb'(?:"(?:[^"]|"")*+"|[^"\r\n%b]*+)' % re.escape(form.separator.encode())


def _split_record(data: bytes | mmap.mmap, at: int, form: CsvFormat) -> list[bytes]:
    """The fields of the record that begins there, as they are written."""
    pattern, fields = re.compile(_field_pattern(form)), []
    while match := pattern.match(data, at):
        fields.append(match[0])
        at = match.end() + 1
        if data[match.end() : at] != form.separator.encode():
            break
    return fields


def _unquote(field: bytes) -> bytes:
    return field[1:-1].replace(b'""', b'"') if field.startswith(b'"') else field


def _find_malformed_text(data: bytes, form: CsvFormat, what: str) -> tuple[int, str]:
    """The same of a file in another encoding, held in memory: the line, and what is wrong with it."""
    try:
        _require_mark(data[:4], form)
        text = data.decode(form.encoding).encode()
        return (_find_malformed_line(text, form) if text else 1), what
    except UnicodeDecodeError as error:
        before = data[: error.start].decode(form.encoding, "replace")
        return 1 + before.count("\n"), f"is not text in {form.encoding}"
    except NotRecordsError:
        return 1, f"does not begin with the byte order mark of {form.encoding}"


def _find_malformed_line(data: bytes | mmap.mmap, form: CsvFormat) -> int:
    """The line on which the first thing begins that is no record like the first, 0 without any."""
    start = len(MARK) if data[: len(MARK)] == MARK else 0
    blank = re.compile(rb"(?:\r?\n)*+").match(data, start)
    first = blank.end() if blank and not form.header else start
    others = len(_split_record(data, first, form)) - 1
    delimited = rb"(?:%b%b){%d}" % (re.escape(form.separator.encode()), _field_pattern(form), others)
    record = rb"(?!\Z)%b%b(?:\r?\n|\Z)" % (_field_pattern(form), delimited)
    whole = re.compile(rb"(?:%b%b)*+" % (record, rb"|\r?\n" if others else b""))
    well_formed = whole.match(data, start)
    at = well_formed.end() if well_formed else start
    if at == len(data):
        long = (each.start() for each in re.compile(record).finditer(data, start) if len(each[0]) > BLOCK)
        at = next(long, -1)
    return 1 + sum(1 for _ in re.compile(rb"\n").finditer(data, 0, at)) if at >= 0 else 0
