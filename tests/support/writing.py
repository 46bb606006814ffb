"""Releases that are watched for what they write: a program of its own, because what it takes away does not come back.

`python -m tests.support.writing FOLDER` forks for each of `CASES`, and prints how each ended and what it said.
`nothing` counts in every local form of a table, in a process that dies of the first byte it writes to a file. `asked`
is a release by the command, and prints which files Python opened to write to. `core` prints how large a core file it
may leave once it has counted, and how large one that it starts.
"""

import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pyarrow as pa

import discreet.cli.release_outputs
import discreet.mechanisms.law
from discreet import counting
from discreet.cli.app import run as command
from discreet.counting import databases, duck_access, table
from discreet.ledger import Ledger
from discreet.posteriors.space import Counts
from discreet.requests import run
from tests.counting.tables import as_arrow_file, as_csv, as_duckdb, as_parquet, as_sqlite
from tests.support.tables import write_votes

CANARY = 31337
VOTES = {"a": CANARY, "b": 9973}
RELEASED = (20_655, 20_655)
"""What every law emits here, so that the canary is never released by chance."""

MANY = 300_000


def plant(fault: str, folder: Path) -> None:
    """The faults, by name."""
    if fault == "counts in the temporary directory":

        def careless(counts: list[int]) -> Counts:
            with tempfile.NamedTemporaryFile("w", dir=folder) as file:
                file.write(json.dumps(counts))
            return Counts(counts)

        vars(table)["Counts"] = careless
    elif fault == "DuckDB may spill":
        duck_access.CLOSED["temp_directory"] = str(folder / "spilled")
    elif fault == "SQLite may spill":
        databases.SQLITE = ("temp_store = FILE", "cache_size = 10")
    elif fault == "core files are left":
        vars(counting)["_forbid_core_files"] = lambda: None
    else:
        assert fault == "none"


def write_nothing(folder: Path, fault: str) -> None:
    """Count in every form, of which DuckDB and SQLite would like to keep some on disk."""
    columns: dict[str, Any] = {"v": ["a", "b"] * 50, "who": [str(i) for i in range(100)]}
    people = [f"a value that nobody else has, {i}" for i in range(MANY)]
    many = pa.table({"v": people, "who": people})
    forms = (as_csv, as_parquet, as_arrow_file, as_duckdb)
    sources: list[Any] = [form(folder, columns) for form in forms]
    sqlite = as_sqlite(folder, {"v": ("TEXT", ["a", "b"] * (MANY // 2)), "who": ("TEXT", people)})
    duck_access.MEMORY = 16
    plant(fault, folder)
    signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    for source in (*sources, pa.table(columns)):
        for person in (None, "who"):
            release(source, person)
    release(many, None)
    release(sqlite, None)
    release(sqlite, "who")


def release(source: Any, person: str | None) -> None:
    request: dict[str, Any] = {"categories": ["a"], "other": "rest", "epsilon": 1, "ledger": None}
    run.release(source, column="v", id_column=person, **request)


def write_what_is_asked(folder: Path, fault: str) -> None:
    """A release with a ledger and a receipt."""
    os.chdir(folder)
    write_votes(folder / "v.csv", [vote for vote, often in VOTES.items() for _ in range(often)])
    Ledger.create(folder / "l.db", dataset="d", epsilon=1)
    opened: set[str] = set()

    def watch(event: str, arguments: tuple[Any, ...]) -> None:
        if event == "open" and isinstance(arguments[0], str) and arguments[2] & (os.O_WRONLY | os.O_RDWR):
            opened.add(os.path.realpath(arguments[0]))
        elif event in {"sqlite3.connect", "os.mkdir"}:
            opened.add(os.path.realpath(urlsplit(arguments[0]).path))

    vars(discreet.mechanisms.law)["Law"].draw = lambda _: RELEASED
    plant(fault, folder / "temporary")
    sys.addaudithook(watch)
    options = ["--column", "vote", "--categories", "a,b", "--epsilon", "1/2", "--ledger", "l.db", "--dataset", "d"]
    printed = os.dup(1)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    assert command(["release", "v.csv", *options, "--yes", "--out", "r.json"]) == 0
    sys.stdout.flush()
    os.dup2(printed, 1)
    print(json.dumps(sorted(opened)))


def leave_no_core(folder: Path, fault: str) -> None:
    """A count in a process that may leave core files."""
    resource.setrlimit(resource.RLIMIT_CORE, (1 << 20, 1 << 20))
    plant(fault, folder)
    release(pa.table({"v": ["a", "b"]}), None)
    limit, _ = resource.getrlimit(resource.RLIMIT_CORE)
    ask = "import resource; print(resource.getrlimit(resource.RLIMIT_CORE)[0])"
    child = subprocess.run([sys.executable, "-c", ask], capture_output=True, text=True, check=True)
    print(limit, child.stdout.strip())


CASES: dict[Callable[[Path, str], None], tuple[str, ...]] = {
    write_nothing: ("none", "counts in the temporary directory", "DuckDB may spill", "SQLite may spill"),
    write_what_is_asked: ("none", "counts in the temporary directory"),
    leave_no_core: ("none", "core files are left"),
}


def watched(program: Callable[[Path, str], None], folder: Path, fault: str) -> tuple[int, str, str]:
    """How a child ended, and what it said: its temporary directory is its own, too."""
    temporary = folder / "temporary"
    temporary.mkdir(parents=True)
    out, err = os.pipe(), os.pipe()
    child = os.fork()
    if child == 0:
        os.environ |= {"TMPDIR": str(temporary), "SQLITE_TMPDIR": str(temporary)}
        sys.dont_write_bytecode = True
        for number, (_, write) in enumerate((out, err), 1):
            os.dup2(write, number)
        try:
            program(folder, fault)
            status = 0
        except BaseException:  # noqa: BLE001 - the parent is told of whatever it was
            traceback.print_exc()
            status = 1
        sys.stdout.flush()
        os._exit(status)
    outputs = []
    for read, write in (out, err):
        os.close(write)
        with os.fdopen(read) as pipe:
            outputs.append(pipe.read())
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), outputs[0], outputs[1]


if __name__ == "__main__":
    place = Path(sys.argv[1])
    cases = [(program, fault) for program, faults in CASES.items() for fault in faults]
    ended = {f"{one.__name__}: {fault}": watched(one, place / str(i), fault) for i, (one, fault) in enumerate(cases)}
    print(json.dumps(ended))
