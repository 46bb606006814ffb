"""No count, id or answer goes to a file, not even for a moment: what a release writes is its ledger and its receipt."""

import json
import os
import re
import signal
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.support.programs import run_program
from tests.support.writing import CANARY

pytestmark = pytest.mark.skipif(os.name != "posix", reason="it takes a Unix to forbid a process to write")


class Ended(NamedTuple):
    """How a watched release ended, what it said, and where it was."""

    code: int
    out: str
    err: str
    place: Path

    @property
    def opened(self) -> set[str]:
        """The files that it opened to write to; one that is made beside a file to take its place is that file."""
        assert (self.code, self.err) == (0, "")
        paths = {Path(name) for name in json.loads(self.out)} - {Path(os.devnull)}
        return {re.sub(r"^\.(.+)\.\d+\.part$", r"\1", str(path.relative_to(self.place))) for path in paths}


@pytest.fixture(scope="module")
def watched(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Ended]:
    """Releases in processes of their own, by what they do and the fault in them."""
    folder = tmp_path_factory.mktemp("watched")
    told = run_program("tests.support.writing", folder)
    return {what: Ended._make((*ended, folder / str(i))) for i, (what, ended) in enumerate(told.items())}


def test_counting_on_any_local_engine_writes_not_one_byte(watched: dict[str, Ended]) -> None:
    done = watched["write_nothing: none"]
    assert (done.code, done.err) == (0, "")


@pytest.mark.parametrize("fault", ["counts in the temporary directory", "DuckDB may spill", "SQLite may spill"])
def test_a_release_that_writes_a_byte_dies_of_it(fault: str, watched: dict[str, Ended]) -> None:
    assert watched[f"write_nothing: {fault}"].code == -signal.SIGXFSZ


@pytest.mark.parametrize(("fault", "limit"), [("none", 0), ("core files are left", 1 << 20)])
def test_a_process_that_counts_and_those_it_starts_leave_no_core_file(
    fault: str, limit: int, watched: dict[str, Ended]
) -> None:
    done = watched[f"leave_no_core: {fault}"]
    assert (done.out, done.err) == (f"{limit} {limit}\n", "")


def test_a_release_opens_the_ledger_and_what_is_asked_for_and_no_other_file(watched: dict[str, Ended]) -> None:
    done = watched["write_what_is_asked: none"]
    assert done.opened == {"l.db", "r.json"}
    left = [path for path in done.place.rglob("*") if path.is_file()]
    assert {path.name for path in left} == {"l.db", "r.json", "v.csv"}
    for path in left:
        assert path.name == "v.csv" or str(CANARY).encode() not in path.read_bytes()


def test_a_file_with_the_counts_is_seen(watched: dict[str, Ended]) -> None:
    done = watched["write_what_is_asked: counts in the temporary directory"]
    assert any("temporary/" in name for name in done.opened)
