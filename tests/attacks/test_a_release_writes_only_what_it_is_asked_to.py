"""No count, id or answer goes to a file, not even for a moment: what a release writes is its ledger and its receipt."""

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.contracts.source import ROOT
from tests.support.writing import CANARY

pytestmark = pytest.mark.skipif(os.name != "posix", reason="it takes a Unix to forbid a process to write")


def watched(what: str, folder: Path, fault: str) -> subprocess.CompletedProcess[str]:
    """A release in a process of its own, whose temporary directory is its own, too."""
    temporary = folder / "temporary"
    temporary.mkdir()
    places = {"TMPDIR": str(temporary), "SQLITE_TMPDIR": str(temporary)}
    return subprocess.run(
        [sys.executable, "-m", "tests.support.writing", what, str(folder), fault],
        cwd=ROOT, capture_output=True, text=True,
        env={**os.environ, **places, "PYTHONDONTWRITEBYTECODE": "1"}, check=False,
    )  # fmt: skip


def test_counting_on_any_local_engine_writes_not_one_byte(tmp_path: Path) -> None:
    done = watched("nothing", tmp_path, "none")
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("fault", ["counts in the temporary directory", "DuckDB may spill", "SQLite may spill"])
def test_a_release_that_writes_a_byte_dies_of_it(fault: str, tmp_path: Path) -> None:
    assert watched("nothing", tmp_path, fault).returncode == -signal.SIGXFSZ


@pytest.mark.parametrize(("fault", "limit"), [("none", 0), ("core files are left", 1 << 20)])
def test_a_process_that_counts_and_those_it_starts_leave_no_core_file(fault: str, limit: int, tmp_path: Path) -> None:
    done = watched("core", tmp_path, fault)
    assert (done.stdout, done.stderr) == (f"{limit} {limit}\n", "")


def opened(folder: Path, fault: str) -> set[str]:
    """The files that a release opens to write to; one that is made beside a file to take its place is that file."""
    done = watched("asked", folder, fault)
    assert (done.returncode, done.stderr) == (0, "")
    paths = {Path(name) for name in json.loads(done.stdout)} - {Path(os.devnull)}
    return {re.sub(r"^\.(.+)\.\d+\.part$", r"\1", str(path.relative_to(folder))) for path in paths}


def test_a_release_opens_the_ledger_and_what_is_asked_for_and_no_other_file(tmp_path: Path) -> None:
    assert opened(tmp_path, "none") == {"l.db", "r.json"}
    left = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert {path.name for path in left} == {"l.db", "r.json", "v.csv"}
    for path in left:
        assert path.name == "v.csv" or str(CANARY).encode() not in path.read_bytes()


def test_a_file_with_the_counts_is_seen(tmp_path: Path) -> None:
    assert any("temporary/" in name for name in opened(tmp_path, "counts in the temporary directory"))
