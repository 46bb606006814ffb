"""What a SOURCE names: files of one kind, or a table in a DuckDB file. Nothing is opened here."""

from __future__ import annotations

import glob
from dataclasses import dataclass
from pathlib import Path

from discreet.counting.addresses import refuse_misspelt
from discreet.errors import InvalidInput, SourceError

KINDS = {
    ".csv": "csv",
    ".tsv": "csv",
    ".txt": "csv",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".arrow": "arrow",
    ".feather": "arrow",
    ".ipc": "arrow",
}
"""Endings of names, and how such files are read. A .tsv, too, has the delimiter that is declared."""

DUCKDB = "duckdb://"


@dataclass(frozen=True, slots=True)
class Files:
    """Files of one kind, sorted by name."""

    name: str
    kind: str
    paths: tuple[Path, ...]


@dataclass(frozen=True, slots=True)
class DuckFile:
    """A table or view in a DuckDB file."""

    name: str
    path: Path
    table: str


@dataclass(frozen=True, slots=True)
class CsvFormat:
    """How a CSV file is written: declared, never guessed.

    >>> CsvFormat(delimiter=";")
    CsvFormat(delimiter=';', header=True)
    """

    delimiter: str = ","
    header: bool = True

    def __post_init__(self) -> None:
        if len(self.delimiter) != 1 or not self.delimiter.isascii() or self.delimiter in '"\r\n\0':
            raise InvalidInput("a delimiter is one ASCII character", hint="give one like , or ; or a tab")


def find_source(source: str | Path) -> Files | DuckFile:
    """Read the text of a SOURCE; the files it names must exist.

    A name that is a file is that file, whatever characters it has; otherwise `*`, `?`, `[…]` and `**` are a pattern.
    `duckdb://people.db/vote` is the table `vote` in `people.db`: the table is what follows the last slash.
    """
    text = str(source)
    if "\0" in text:
        raise SourceError("a file name cannot contain a zero byte", hint="check the name")
    if isinstance(source, str) and text.startswith(DUCKDB):
        return _duck_file(text)
    if isinstance(source, str) and "://" in text and not Path(text).exists():
        raise SourceError(
            f"{text.partition('://')[0]}:// is no kind of source here",
            hint="give a CSV, Parquet or Arrow file or glob, or duckdb://file.db/table",
        )
    named = [text] if _is_file(Path(text)) else sorted(glob.glob(text, recursive=True))  # noqa: PTH207 - may be absolute
    paths = tuple(Path(path) for path in named if _is_file(Path(path)))
    if not paths:
        refuse_misspelt(text)
        raise SourceError(f"there is no file {text}", hint="check the name")
    kinds = {KINDS.get(path.suffix.lower()) for path in paths}
    kind = kinds.pop()
    if kind is None or kinds:
        raise SourceError(
            f"{text} is not of one kind that can be read", hint=f"use names that end in {', '.join(sorted(KINDS))}"
        )
    return Files(name=text, kind=kind, paths=tuple(path.resolve() for path in paths))


def _duck_file(text: str) -> DuckFile:
    file, _, table = text.removeprefix(DUCKDB).rpartition("/")
    if not file or not table:
        raise SourceError(f"{text} names no table", hint="write it like duckdb://people.db/vote")
    if not _is_file(Path(file)):
        raise SourceError(f"there is no file {file}", hint="check the name")
    return DuckFile(name=text, path=Path(file).resolve(), table=table)


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):  # a name that no file can have
        return False
