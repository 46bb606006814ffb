"""The inputs that are kept: for each parser a file of JSON texts, one a line, whose letters are the bytes.

What was written by hand stands first, then what a fuzzer found that reached something new, and findings that were
mended. `python -m tests.fuzz.run PARSER --keep` adds the second kind.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from pathlib import Path

HERE = Path(__file__).resolve().parent
TESTS = HERE.parent
MAX_BYTES, MOST = 4096, 24
"""Of what a run reached, so much is kept, from the shortest to the longest."""

PARSERS = ("numbers", "options", "tables", "addresses", "receipts", "ledgers", "noisy", "page")


def kept(parser: str) -> list[bytes]:
    """The inputs of a parser."""
    file = HERE / "corpus" / f"{parser}.jsonl"
    lines = file.read_text(encoding="ascii").splitlines() if file.exists() else []
    return [json.loads(line).encode("latin-1") for line in lines]


def first(parser: str) -> list[bytes]:
    """What a fuzzer begins with: also the receipts and ledgers of earlier versions, which are kept elsewhere."""
    return kept(parser) + list(WRITTEN.get(parser, list)())


def _receipts() -> Iterator[bytes]:
    yield from (path.read_bytes() for path in sorted((TESTS / "receipts" / "written").glob("*.json")))


def _ledgers() -> Iterator[bytes]:
    for version in sorted((TESTS / "ledger").glob("version?.sql")):
        with closing(sqlite3.connect(":memory:")) as connection:
            connection.executescript(version.read_text(encoding="utf-8"))
            yield connection.serialize()


WRITTEN: dict[str, Callable[[], Iterable[bytes]]] = {"receipts": _receipts, "ledgers": _ledgers}


def keep(parser: str, inputs: list[bytes]) -> int:
    """Add some of the inputs that are not there yet; how many."""
    known = set(first(parser))
    new = sorted((data for data in set(inputs) - known if len(data) <= MAX_BYTES), key=lambda data: (len(data), data))
    new = new[:: max(1, len(new) // MOST)]
    with (HERE / "corpus" / f"{parser}.jsonl").open("a", encoding="ascii") as file:
        file.writelines(json.dumps(data.decode("latin-1")) + "\n" for data in new)
    return len(new)
