"""What the text of a SOURCE names: files of one kind, a table of a database, or what Spark reads.

    votes/*.parquet                                 files of one kind: CSV, Parquet or Arrow
    duckdb://people.db/votes                        a table or view of a DuckDB file
    spark://host:7077/schema.table                  a standalone cluster, and a table of its catalog
    spark://host:7077//data/votes.parquet           the same cluster, and a path: it has a slash or an ending
    spark+local-cluster[2,1,1024]://votes.parquet   any other master, written as Spark writes it
    spark:///s3a://bucket/votes.parquet             whatever master Spark's own configuration names
    postgres://me@host/base/schema.table            a table or view of PostgreSQL
    sqlite://people.db/votes                        any other database, by the name that Ibis knows it by

Nothing is opened here. A password is never shown, stored or made part of a digest.
"""

from __future__ import annotations

import codecs
import glob
import io
import os
import re
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import unquote, urlsplit

from discreet.arithmetic.texts import require_name
from discreet.errors import InvalidInput, SourceError

ENGINES = ("duckdb", "ibis", "spark")

ENDINGS = {".parquet": "parquet", ".pq": "parquet", ".orc": "orc"}
"""How Spark reads a path. Its readers of CSV and JSON guess, trim and mend, which the counting rule forbids."""

SPARK = re.compile(r"spark(?:\+(?P<other>[A-Za-z][\w.\[\],*-]*))?://(?P<rest>.*)", re.DOTALL)

PASSWORD = re.compile(r"://[^/@:]*:(?!\d+/)[^@]*@")
"""A name and a password in an address, and no port."""

MISSPELT_ADDRESS = re.compile(r"^\s*[a-z]+(?:\+\w+)?:[/\\]*[^/\\]*@|^[^/\\]*:[^/\\]*@", re.IGNORECASE)
"""What was meant for an address, with too few slashes or other ones."""

KINDS = {
    ".csv": "csv",
    ".tsv": "csv",
    ".tab": "csv",
    ".txt": "csv",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".arrow": "arrow",
    ".feather": "arrow",
    ".ipc": "arrow",
}
"""Endings of names, and how such files are read."""

TABS = {".tsv", ".tab"}
"""Endings of names of files whose delimiter is a tab, if none is declared; that of all others is a comma."""

PACKAGES = {
    **dict.fromkeys((".zip", ".gz", ".tgz", ".bz2", ".xz", ".7z", ".zst"), "compressed"),
    **dict.fromkeys((".xlsx", ".xls", ".ods"), "a spreadsheet"),
}
"""Endings of names of files that hold tables, and are not read."""

DATABASES = {".duckdb", ".ddb", ".db"}
"""Endings of names of files with several tables, one of which is to be named."""

ENCODINGS = re.compile(
    r"utf-(8|16|32)|ascii|(cp125|iso8859-)\d+|cp(437|8[56]\d|874|932|949|950)|koi8-\w|mac-\w+|gb\w+|big5\w*|euc_\w+|shift_jis"
)
"""Codecs in which no record can hide the end of its line, so that the others are read as before; Python's names."""

DUCKDB = "duckdb://"

_is_file = os.path.isfile
"""Whether there is a file of this name, and no error for a name that no file can have, as `Path` has one."""


@dataclass(frozen=True, slots=True, repr=False)
class MemoryFile:
    """A file that was handed over as its bytes, and is on no disk: what a browser sends. It is read as `Path` is.

    >>> MemoryFile("votes.csv", b"vote\\nyes\\n")
    <MemoryFile votes.csv>
    """

    name: str
    content: bytes

    def __post_init__(self) -> None:
        require_name(self.name, "the file")
        if {"/", "\\"} & set(self.name):
            raise InvalidInput("the name of a file has no slashes", hint="leave its folders out", parameter="file")

    def __repr__(self) -> str:
        return f"<MemoryFile {self.name}>"

    @property
    def suffix(self) -> str:
        """How its name ends."""
        return Path(self.name).suffix

    def open(self, _mode: str = "rb") -> io.BytesIO:
        """Its bytes, from the first."""
        return io.BytesIO(self.content)

    def read_bytes(self) -> bytes:
        """All of them."""
        return self.content


Named = str | Path | MemoryFile
"""A source that its name tells all about."""


@dataclass(frozen=True, slots=True)
class Files:
    """Files of one kind, sorted by name."""

    name: str
    kind: str
    paths: tuple[Path | MemoryFile, ...]

    @property
    def in_memory(self) -> bool:
        """Whether they are on no disk."""
        return isinstance(self.paths[0], MemoryFile)


@dataclass(frozen=True, slots=True)
class DuckFile:
    """A table or view in a DuckDB file."""

    name: str
    path: Path
    table: str


@dataclass(frozen=True, slots=True)
class CsvFormat:
    """How a CSV file is written: declared, never guessed.

    >>> CsvFormat(delimiter=";", encoding="latin-1")
    CsvFormat(delimiter=';', header=True, encoding='iso8859-1')
    """

    delimiter: str | None = None
    """One character; `tab` is one, too. None is a tab for names in .tsv and .tab, and a comma for all others."""
    header: bool = True
    encoding: str = "utf-8"
    """By any name that Python knows it by. In UTF-8 bytes that are no text are values like any other."""

    def __post_init__(self) -> None:
        delimiter = "\t" if self.delimiter in ("tab", "\\t") else self.delimiter
        if delimiter is not None and (len(delimiter) != 1 or not delimiter.isascii() or delimiter in '"\r\n\0'):
            raise InvalidInput("a delimiter is one ASCII character", hint="give one like , or ; or tab")
        try:
            encoding = codecs.lookup(self.encoding).name.removesuffix("-sig")
        except (LookupError, TypeError, ValueError):
            encoding = ""
        if not ENCODINGS.fullmatch(encoding):
            raise InvalidInput(
                "there is no such encoding of files here", hint="use utf-8, latin-1, cp1252, utf-16, gb18030, …"
            )
        object.__setattr__(self, "delimiter", delimiter)
        object.__setattr__(self, "encoding", encoding)

    @property
    def separator(self) -> str:
        """The delimiter, a comma if none was declared."""
        return self.delimiter or ","

    def for_source(self, source: object) -> CsvFormat:
        """The format of files of this name: its ending says the delimiter, if none was declared."""
        tabs = isinstance(source, Named) and _suffix(source) in TABS
        return replace(self, delimiter="\t" if tabs and self.delimiter is None else self.separator)

    def to_json(self) -> dict[str, object]:
        """What a request is bound to, as it always was; an encoding is part of it where it is not UTF-8."""
        facts: dict[str, object] = {"delimiter": self.separator, "header": self.header}
        return facts if self.encoding == "utf-8" else {**facts, "encoding": self.encoding}


@dataclass(frozen=True, slots=True)
class SparkPlace:
    """A path or a table that Spark reads; without a master, where Spark's configuration says."""

    name: str
    master: str | None
    kind: str
    what: str


@dataclass(frozen=True, slots=True)
class DatabasePlace:
    """A table of a database that Ibis connects to by `url`; `name` is what may be shown of it."""

    name: str
    scheme: str
    url: str
    table: str


def engine_for(source: object, engine: str | None = None) -> str:
    """The engine that counts in a source; where the caller names one, it must be able to.

    >>> engine_for("people.csv"), engine_for("postgres://host/base/votes"), engine_for("spark:///votes")
    ('duckdb', 'ibis', 'spark')
    >>> engine_for("postgres://host/base/votes", "duckdb")
    Traceback (most recent call last):
    discreet.errors.InvalidInput: the engine 'duckdb' does not read this source; leave `engine` out, or use ibis
    """
    if engine is not None and engine not in ENGINES:
        raise InvalidInput(f"there is no engine {engine!r}", hint=f"use {' or '.join(ENGINES)}")
    default = _default_engine(source)
    is_files = default == "duckdb" and isinstance(source, str | Path) and not str(source).startswith(DUCKDB)
    if engine in (None, default) or (engine == "spark" and is_files):
        return engine or default
    raise InvalidInput(f"the engine {engine!r} does not read this source", hint=f"leave `engine` out, or use {default}")


def _default_engine(source: object) -> str:
    if isinstance(source, str):
        scheme, colon, _ = source.partition("://")
        if not colon or scheme == "duckdb" or os.path.exists(source):  # noqa: PTH110 - see `_is_file`
            return "duckdb"
        return "spark" if SPARK.fullmatch(source) else "ibis"
    package = type(source).__module__.partition(".")[0]
    return {"pyspark": "spark", "ibis": "ibis"}.get(package, "duckdb")


def public_name(source: object) -> str:
    """What may be said of a source, and what a request is bound to: a password is no part of it.

    >>> public_name("postgres://me:secret@host/base/votes?password=secret")
    'postgres://me@host/base/votes'
    """
    if isinstance(source, MemoryFile):
        return source.name
    if not isinstance(source, str | Path):
        return f"a {type(source).__module__.partition('.')[0]} table"
    return find_database(source).name if _default_engine(source) == "ibis" else str(source)


def refuse_misspelt_address(text: str) -> None:
    """Of what is neither a file nor an address nothing is repeated that may be a password.

    >>> refuse_misspelt_address("data/me@home.csv")
    >>> refuse_misspelt_address("postgres:/me:secret@host/base/votes")
    Traceback (most recent call last):
    discreet.errors.SourceError: there is no such file, and an address is written otherwise; like postgres://me@host/...
    """
    if MISSPELT_ADDRESS.search(text):
        raise SourceError(
            "there is no such file, and an address is written otherwise", hint="like postgres://me@host/base/table"
        )


def find_spark(source: str | Path) -> SparkPlace:
    """Read the text of a SOURCE for Spark. A path has a slash or an ending; anything else is a table.

    >>> find_spark("spark://host:7077/votes")
    SparkPlace(name='spark://host:7077/votes', master='spark://host:7077', kind='table', what='votes')
    >>> find_spark("spark+local[2]://votes.parquet")
    SparkPlace(name='spark+local[2]://votes.parquet', master='local[2]', kind='parquet', what='votes.parquet')
    """
    text = str(source)
    address = SPARK.fullmatch(text) if isinstance(source, str) else None
    if address is None:
        refuse_misspelt_address(text)
        master, what = None, text
    elif address["other"] is not None:
        master, what = address["other"], address["rest"]
    else:
        host, _, what = address["rest"].partition("/")
        master = f"spark://{host}" if host else None
    if not what or "\0" in what:
        raise SourceError(f"{text!r} names no table and no path", hint="write it like spark://host:7077/votes")
    if PASSWORD.search(what):
        raise SourceError("the path holds a password, which would be shown", hint="leave it to Spark's configuration")
    ending = ENDINGS.get(Path(what.rstrip("/")).suffix.lower())
    if ending is None and (address is None or "/" in what or Path(what).suffix.lower() in {".csv", ".json"}):
        raise SourceError(
            f"{text} is of no kind that Spark can be trusted to read", hint=f"use names in {', '.join(ENDINGS)}"
        )
    return SparkPlace(text, master, ending or "table", what)


def find_database(source: str | Path) -> DatabasePlace:
    """Read the text of a SOURCE for Ibis: the table is what follows the last slash, percent-decoded.

    >>> place = find_database("postgres://me:secret@host/base/my%20schema.votes?sslmode=require")
    >>> place.name, place.url, place.table
    ('postgres://me@host/base/my%20schema.votes', 'postgres://me:secret@host/base?sslmode=require', 'my schema.votes')
    """
    text = str(source)
    error = SourceError("the source names no table of a database", hint="write it like postgres://me@host/base/table")
    if "://" not in text or any(not letter.isprintable() for letter in text):
        raise error
    try:
        parts = urlsplit(text)
        host = parts.hostname or ""
        port = f":{parts.port}" if parts.port else ""
    except ValueError:  # a port or host that is none
        raise error from None
    before, slash, last = parts.path.rpartition("/")
    if parts.netloc and "@" in parts.path + ("" if "@" in parts.netloc else parts.query):
        # A password with a slash or a question mark of its own would be taken for a path, and be shown.
        raise SourceError("the address of the database has an @ out of place", hint="percent-encode the password")
    if not slash or not last or not (host or before or parts.query):
        raise error
    user = "" if parts.username is None else f"{parts.username}@"
    authority = parts.netloc if parts.password is None else f"{user}{host}{port}"
    name = f"{parts.scheme}://{authority}{parts.path}"
    url = f"{parts.scheme}://{parts.netloc}{before}{'?' if parts.query else ''}{parts.query}"
    return DatabasePlace(name, parts.scheme, url, unquote(last))


def find_source(source: Named) -> Files | DuckFile:
    """Read the text of a SOURCE; the files it names must exist.

    A name that is a file is that file, whatever characters it has; otherwise `*`, `?`, `[…]` and `**` are a pattern.
    `duckdb://people.db/vote` is the table `vote` in `people.db`: the table is what follows the last slash.
    """
    if isinstance(source, MemoryFile):
        return Files(name=source.name, kind=_kind(source.name, {source.suffix.lower()}), paths=(source,))
    text = str(source)
    if "\0" in text:
        raise SourceError("a file name cannot contain a zero byte", hint="check the name")
    if isinstance(source, str) and text.startswith(DUCKDB):
        return _find_duck_file(text)
    names = [text] if _is_file(text) else sorted(glob.glob(text, recursive=True))  # noqa: PTH207 - may be absolute
    paths = tuple(Path(name) for name in names if _is_file(name))
    if not paths:
        refuse_misspelt_address(text)
        if os.path.isdir(text):  # noqa: PTH112 - see `_is_file`
            raise SourceError(f"{text} is a directory", hint=f"name its files, like {Path(text) / '*.csv'}")
        raise SourceError(f"there is no file {text}", hint="check the name")
    if not all(os.access(path, os.R_OK) for path in paths):
        raise SourceError(f"there is no permission to read {text}", hint="ask its owner, or be another user")
    kind = _kind(text, {path.suffix.lower() for path in paths})
    return Files(name=text, kind=kind, paths=tuple(path.resolve() for path in paths))


def _suffix(source: Named) -> str:
    return (Path(source) if isinstance(source, str) else source).suffix.lower()


def _kind(name: str, endings: set[str]) -> str:
    """The one kind of files with these endings."""
    if package := PACKAGES.get(Path(name).suffix.lower()):
        raise SourceError(f"{name} is {package}", hint="unpack it, or save it as CSV")
    if endings <= DATABASES:
        raise SourceError(f"{name} is a database", hint=f"name a table of it, like {DUCKDB}{name}/table")
    kinds = {KINDS.get(ending) for ending in endings}
    kind = kinds.pop()
    if kind is None or kinds:
        raise SourceError(
            f"{name} is not of one kind that can be read: CSV, Parquet or Arrow",
            hint=f"use names that end in {', '.join(sorted(KINDS))}",
        )
    return kind


def _find_duck_file(text: str) -> DuckFile:
    file, _, table = text.removeprefix(DUCKDB).rpartition("/")
    if not file or not table:
        raise SourceError(f"{text} names no table", hint="write it like duckdb://people.db/vote")
    if not _is_file(file):
        raise SourceError(f"there is no file {file}", hint="check the name")
    return DuckFile(name=text, path=Path(file).resolve(), table=table)
