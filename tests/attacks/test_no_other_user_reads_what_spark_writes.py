"""While Spark counts, and after, killed or not: no other user of the machine reads an id, an answer or a count."""

import json
import os
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.contracts.source import ROOT
from tests.support.spark import environment, missing

pytestmark = pytest.mark.xdist_group("spark")

LOOK = """
import json, os, pwd, stat, sys, time

place, marker = sys.argv[1], sys.argv[2].encode()
user = pwd.getpwnam("nobody")
os.setgroups([]), os.setgid(user.pw_gid), os.setuid(user.pw_uid)
os.set_blocking(0, False)
readable, marked, walks, go_on = set(), set(), 0, True
while go_on:
    go_on = sys.stdin.buffer.read(1) is None  # the last walk begins when the pipe is closed
    for folder, _, names in os.walk(place):
        for name in names:
            path = os.path.join(folder, name)
            try:
                if stat.S_ISREG(os.lstat(path).st_mode):
                    with open(path, "rb") as file:
                        readable.add(path)
                        if marker in file.read():
                            marked.add(path)
            except OSError:
                pass
    walks += 1
    time.sleep(0.05)
print(json.dumps({"readable": sorted(readable), "marked": sorted(marked), "walks": walks}))
"""
"""As nobody: walk through a directory again and again, and say which files could be read, and which have the marker."""


@contextmanager
def nobody_looking(place: Path, marker: str) -> Iterator[dict[str, Any]]:
    """What nobody saw is there when the block is left."""
    seen: dict[str, Any] = {}
    command = [sys.executable, "-I", "-S", "-c", LOOK, str(place), marker]
    looking = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    try:
        yield seen
    finally:
        told, _ = looking.communicate()
    seen.update(json.loads(told))


@contextmanager
def release(place: Path, folder: Path, marker: str, master: str, fault: str) -> Iterator[subprocess.Popen[str]]:
    """A release that waits at its counts, with all that it may write in a directory that anybody may enter."""
    people = [f"{marker}{secrets.token_hex(8)}" for _ in range(1000)]
    pq.write_table(pa.table({"v": ["a", "b"] * 500, "who": people}), folder / "t.parquet")
    told = {**environment(place), "TMPDIR": str(place), "JAVA_TOOL_OPTIONS": f"-Djava.io.tmpdir={place}"}
    command = [sys.executable, "-m", "tests.support.spark_files", f"spark+{master}://{folder}/t.parquet", fault]
    process = subprocess.Popen(
        command, cwd=ROOT, env={**os.environ, **told}, start_new_session=True, text=True,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "counted\n", process.communicate()[1]
        yield process
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


@pytest.fixture
def place() -> Iterator[Path]:
    """A directory for temporary files like the system's: anybody may enter it and write to it."""
    if os.name != "posix" or os.geteuid() != 0:
        pytest.skip("only root can become nobody: run this test as root")
    if reason := missing():
        pytest.skip(reason)
    place = Path(tempfile.mkdtemp(prefix="discreet-"))
    place.chmod(0o1777)
    yield place
    shutil.rmtree(place, ignore_errors=True)


def files_with(place: Path, marker: str) -> list[Path]:
    """The files in which root finds the marker."""
    left = [path for path in place.rglob("*") if path.is_file() and not path.is_symlink()]
    return [path for path in left if marker.encode() in path.read_bytes()]


def shuffled(place: Path) -> list[Path]:
    return list(place.rglob("shuffle_*.data"))


@pytest.mark.soak
def test_nobody_reads_a_file_of_a_release_that_ends(place: Path, tmp_path: Path) -> None:
    marker = secrets.token_hex(8)
    control = place / "control"
    control.write_text(marker)
    with nobody_looking(place, marker) as seen:
        with release(place, tmp_path, marker, "local[2]", "none") as process:
            assert shuffled(place), "there is something to be read"
            assert process.communicate("go on\n")[1] == ""
        assert process.returncode == 0
    assert seen["walks"] > 2
    assert seen["readable"] == seen["marked"] == [str(control)]
    assert sorted(path.name for path in place.iterdir()) == ["control", "home"], "nothing is left"


def test_nobody_reads_a_file_of_a_release_that_is_killed_and_root_finds_no_word_in_it(
    place: Path, tmp_path: Path
) -> None:
    marker = secrets.token_hex(8)
    with nobody_looking(place, marker) as seen, release(place, tmp_path, marker, "local-cluster[1,1,1024]", "none"):
        pass
    assert seen["walks"] > 2
    assert seen["readable"] == []
    assert shuffled(place), "the kill left them"
    assert files_with(place, marker) == []


@pytest.mark.soak
def test_files_that_spark_writes_by_itself_are_found_by_nobody_and_by_root(place: Path, tmp_path: Path) -> None:
    marker = secrets.token_hex(8)
    with nobody_looking(place, marker) as seen, release(place, tmp_path, marker, "local[2]", "as Spark does it"):
        pass
    assert any("shuffle" in path for path in seen["marked"])
    assert any("shuffle" in path.name for path in files_with(place, marker))
