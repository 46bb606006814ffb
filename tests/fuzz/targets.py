"""Every parser as a fuzzer sees it: bytes go in, and what comes out is an answer, or a refusal in one clear line.

Anything else is a finding: another exception, a refusal without a hint, a command that says more than one visible line,
work that takes more than ten seconds, and memory beyond what `tests/fuzz/replay.py` allows. Where the command has a
face for what is read, the command is asked.
"""

from __future__ import annotations

import asyncio
import io
import os
import tempfile
import time
from collections.abc import Callable, Iterator, MutableMapping
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from functools import cache, partial
from pathlib import Path
from typing import Any
from zlib import crc32

import discreet.counting.sources as sources
import discreet.ledger.file as ledger_file
import discreet.web.site as web_site
from discreet.arithmetic.numbers import exact, exact_datum, exact_share, whole
from discreet.arithmetic.texts import is_visible
from discreet.cli import app as command_line
from discreet.cli import failures
from discreet.cli.audit import _gamma as read_gamma
from discreet.cli.inputs import read_counts
from discreet.counting import CsvFormat, Declaration, MemoryFile, inspect_source, open_source
from discreet.counting.column_list import list_columns
from discreet.errors import DiscreetError, SourceError
from discreet.inference.noise import parse_noise
from discreet.ledger import Ledger
from discreet.ledger.places import open_store
from discreet.ledger.postgres_link import read_address
from discreet.ledger.schedules import Schedule
from discreet.posteriors import as_prior
from discreet.posteriors.gamma import as_gamma
from discreet.posteriors.space import PosteriorSpace
from discreet.receipts import work
from discreet.requests.texts import read_axes, read_exposure, read_filters, read_labels, read_names
from discreet.web.answers import PageApi
from tests.fuzz.corpus import PARSERS

LEAVES_AFTER = 2.0
"""Seconds that whoever asks the page waits for an answer."""

LONGEST = 1 << 16
"""Bytes of an input: no size is refused by a parser below it."""

os.environ["DISCREET_QUIET"] = "1"  # what takes longer than a second says so, and it may

CODES = {0, 2, 3, 4, 5}
"""Exit codes of a command that understood what is wrong."""


def numbers(data: bytes) -> None:
    """Numbers, and lists and words that are made of them: priors, counts, schedules, noises, exposures."""
    text = data.decode(errors="surrogateescape")
    if text == "-":  # counts are then on standard input
        return
    readers: list[Callable[[str], object]] = [
        partial(exact, name="x", above=0), partial(whole, name="n"), partial(exact_share, name="level"),
        partial(exact_datum, name="value"), as_prior, as_gamma, read_counts, parse_noise,
        lambda text: read_exposure([text]),
        partial(Schedule.read, categories=2),
        partial(read_gamma, space=PosteriorSpace([1, 1], 9)),
    ]  # fmt: skip
    for reader in readers:
        _refused_at_most(partial(reader, text))


def options(data: bytes) -> None:
    """Lists of names, filters, labels, axes, delimiters and encodings, as they are typed."""
    text = data.decode(errors="surrogateescape")
    readers: list[Callable[[str], object]] = [
        partial(read_names, what="categories"), lambda text: read_filters([text]), lambda text: read_axes([text]),
        partial(read_labels, option="--given"), lambda text: CsvFormat(delimiter=text),
        lambda text: CsvFormat(encoding=text), lambda text: Declaration(text, [text, "b"], other=text),
        lambda text: Declaration("v", read_names(text, "categories"), filters=read_filters([text])),
    ]  # fmt: skip
    for reader in readers:
        _refused_at_most(partial(reader, text))


def tables(data: bytes) -> None:
    """CSV files. The first bytes say how they are written, the rest is the file."""
    delimiters, encodings = (None, ";", "tab", "|", " ", "a"), ("utf-8", "latin-1", "cp1252", "utf-16", "gb18030")
    first, second, third = (*data[:3], 0, 0, 0)[:3]
    form = CsvFormat(delimiters[first % len(delimiters)], bool(second & 1), encodings[(second >> 1) % len(encodings)])
    source = MemoryFile("t.csv", data[3:])
    people = "id" if third & 1 else None
    declared = Declaration("v", ["a", "b"], other="rest" if third & 2 else None, id_column=people)
    _refused_at_most(lambda: list_columns(source, form))
    _refused_at_most(lambda: inspect_source(source, declared, form=form))

    def count() -> None:
        with open_source(source, declared, form=form) as table:
            table.count_records()

    _refused_at_most(count)


def addresses(data: bytes) -> None:
    """What names a source or a ledger. Nothing is opened but files below an empty directory."""
    text = data.decode(errors="surrogateescape")
    readers: list[Callable[[str], object]] = [
        sources.public_name, sources.find_spark, sources.find_database, sources.engine_for, read_address,
        lambda text: None if text.startswith(("postgres://", "postgresql://")) else open_store(text),
        lambda text: None if text.startswith(("/", "~", "..", "duckdb:///")) else sources.find_source(text),
    ]  # fmt: skip
    with _in_empty_directory():
        for reader in readers:
            _refused_at_most(partial(reader, text))


def receipts(data: bytes) -> None:
    """Receipts and bundles, by a command that reads one. The bound on their work is a thirtieth of the usual."""
    with _in_empty_directory(), _patched(work, "MAX_STEPS", 1_000_000):
        Path("r.json").write_bytes(data)
        _command(
            *_one_of(data, "receipt show r.json", "receipt verify r.json", "infer r.json", "infer r.json --ordinal",
                     "receipt export r.json --format registry", "receipt export r.json --format jsonld",
                     "receipt export r.json --format methods", "receipt page r.json --out r.html")
        )  # fmt: skip


def ledgers(data: bytes) -> None:
    """Ledgers in a file, of this version and of those before, and what is exported of them."""
    with _in_empty_directory():
        Path("l.db").write_bytes(data)
        _refused_at_most(lambda: Ledger("l.db").verify())
        _command(
            *_one_of(data, "ledger verify l.db", "ledger show l.db", "ledger history l.db", "ledger export l.db",
                     "ledger export l.db --format csv", "ledger show l.db --json")
        )  # fmt: skip


def noisy(data: bytes) -> None:
    """Somebody else's tables: a line that describes the noise, and a CSV file."""
    noise, _, table = data.decode(errors="surrogateescape").partition("\n")
    with _in_empty_directory():
        Path("t.csv").write_text(table, encoding="utf-8", errors="surrogateescape")
        _command("infer", "--noisy", "t.csv", "--noise", noise)


def page(data: bytes) -> None:
    """Requests to the page: a method and a path, headers, and after a blank line the body."""
    head, _, body = data.partition(b"\n\n")
    first, *lines = head.split(b"\n")
    method, _, path = first.partition(b" ")
    known = _known_page()
    headers = [(name.strip().lower(), value.strip()) for name, _, value in (line.partition(b":") for line in lines)]
    headers = [(name, known.words.get(value, value)) for name, value in headers]
    scope = {
        "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": method.decode("latin-1"),
        "path": path.decode("latin-1"), "raw_path": path, "root_path": "", "scheme": "http", "query_string": b"",
        "headers": headers, "client": ("127.0.0.1", 1), "server": ("127.0.0.1", 80),
    }  # fmt: skip
    known.ask(scope, body)


READERS = (numbers, options, tables, addresses, receipts, ledgers, noisy, page)
TARGETS: dict[str, Callable[[bytes], None]] = dict(zip(PARSERS, READERS, strict=True))


def _refused_at_most(read: Callable[[], object]) -> None:
    """It is read, or refused with a hint; any other exception goes on. Faces show a refusal in one visible line."""
    try:
        read()
    except DiscreetError as refusal:
        said, hint = refusal.message, refusal.hint
    else:
        return
    assert said, "it says what is wrong"
    assert hint, "and how to mend it"
    assert len(said) < 2000 + LONGEST, "a refusal without end"


def _one_of(data: bytes, *commands: str) -> list[str]:
    """The words of a command that the bytes choose: a command takes longer to start than to read."""
    return commands[crc32(data) % len(commands)].split()


def _command(*words: str) -> None:
    """The command answers, or fails in one line that can be seen, with the code of what is wrong."""
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err), _patched(command_line, "report", _report):
        code = command_line.run([*words])
    assert code in CODES, (words, code, err.getvalue())
    line = err.getvalue().removesuffix("\n")
    assert bool(line) == bool(code), (words, code, line)
    assert is_visible(line), (words, line)


def _report(failure: Exception, **told: Any) -> int:
    """What is no refusal of ours is a finding, and goes on."""
    if not isinstance(failure, DiscreetError) and type(failure).__module__.partition(".")[0] not in ("typer", "click"):
        raise failure
    return REPORT(failure, **told)


REPORT = failures.report


class KnownPage:
    """The page's application, asked without a socket by somebody who waits two seconds and then leaves."""

    def __init__(self) -> None:
        self.place = Path(tempfile.mkdtemp(prefix="discreet-fuzz-"))
        os.chdir(self.place)
        (self.place / "votes.csv").write_text("vote,sex,id\n" + "yes,f,1\nno,m,2\nno,f,3\n" * 9, encoding="utf-8")
        vars(ledger_file)["_sync"] = lambda _handle: None
        Ledger.create(self.place / "l.db", dataset="d", epsilon=10**6)
        self.whole = (self.place / "l.db").read_bytes()
        vars(sources)["_default_engine"] = _local(sources._default_engine)
        vars(web_site)["_failure_response"] = _failed(web_site._failure_response)
        api = PageApi(ledger=str(self.place / "l.db"), may_release=True)
        self.words = {b"TOKEN": b"t" * 64, b"HOST": b"127.0.0.1:80"}
        self.app = web_site.site(api, token="t" * 64, name="p.localhost", port=80)
        self.loop = asyncio.new_event_loop()

    def ask(self, scope: dict[str, Any], body: bytes) -> None:
        """One request; what fails in an unexpected way is raised here."""
        if (self.place / "l.db").stat().st_size > 1 << 18:
            (self.place / "l.db").write_bytes(self.whole)
        left, sent, parts = time.monotonic() + LEAVES_AFTER, [], iter([body])

        async def receive() -> dict[str, Any]:
            for part in parts:
                return {"type": "http.request", "body": part, "more_body": False}
            if time.monotonic() < left:
                await asyncio.sleep(3600)
            return {"type": "http.disconnect"}

        async def send(message: MutableMapping[str, Any]) -> None:
            sent.append(message)

        self.loop.run_until_complete(self.app(scope, receive, send))
        assert sent[0]["status"] in {200, 400, 403, 404, 405, 409, 413, 415, 421, 422, 499, 503}, sent[0]


@cache
def _known_page() -> KnownPage:
    return KnownPage()


def _local(fitting: Callable[[object], str]) -> Callable[[object], str]:
    """No fuzzer connects to a database or starts a cluster."""

    def local(source: object) -> str:
        if (engine := fitting(source)) != "duckdb":
            raise SourceError("the source is elsewhere", hint="name a file")
        return engine

    return local


def _failed(right: Callable[[Exception], Any]) -> Callable[[Exception], Any]:
    def failed(failure: Exception) -> Any:
        if not isinstance(failure, DiscreetError):
            raise failure
        return right(failure)

    return failed


@contextmanager
def _in_empty_directory() -> Iterator[None]:
    with tempfile.TemporaryDirectory() as place:
        os.chdir(place)
        try:
            yield
        finally:
            os.chdir("/")


@contextmanager
def _patched(module: Any, name: str, value: object) -> Iterator[None]:
    before = getattr(module, name)
    setattr(module, name, value)
    try:
        yield
    finally:
        setattr(module, name, before)
