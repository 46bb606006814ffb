"""C: the power fails. Whatever the disk then holds, every charge that was answered is in the ledger, which goes on.

A real ledger is charged under strace. From what it asked of the kernel follows all that a disk may hold when the plug
is pulled at any moment: what was synced, and any part of what was not.
"""

import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path

import pytest

from discreet.errors import LedgerError
from discreet.ledger import Ledger
from tests.contracts.source import ROOT
from tests.support import power_loss
from tests.support.postgres import Server, binaries, running, serving
from tests.support.soak import POWER_FAILURES

pytestmark = pytest.mark.skipif(power_loss.STRACE is None, reason=power_loss.NO_STRACE)

PARTS = 5
"""They run beside each other."""

few_or_all = pytest.mark.parametrize("requests", [6, pytest.param(60, marks=pytest.mark.soak)])


def losses(ledger: Ledger, answers: Sequence[str]) -> Iterator[str]:
    """What a ledger that was found after the failure has lost; it must be sound, and serve the next charge."""
    ledger.verify()
    found = {charge.request_id: charge.outcome for charge in ledger.charges("d")}
    for answer in answers:
        done, _, request = answer.partition(":")
        if (done == "charged" and request not in found) or (done == "sealed" and found.get(request) is None):
            yield answer
    assert ledger.charge("d", 1, request_id="after", digest="x").is_new
    assert ledger.spent("d").epsilon == Fraction(len(found) + 1)


def charged(place: str, requests: int, *options: str, within: Sequence[str] = ()) -> str:
    command = [*within, sys.executable, "-m", "tests.ledger.power", place, str(requests), *options]
    return subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout


def file_failures(folder: Path, requests: int, *options: str) -> tuple[int, list[str]]:
    """How many states a file may be found in, and what was lost in them."""
    file, trace, lost = folder / "l.db", folder / "trace", list[str]()
    charged(str(file), requests, *options, within=power_loss.command(trace))
    found = list(power_loss.states(power_loss.read(trace), file))
    for state in found:
        if state.content is None:
            lost += state.answers
            continue
        file.write_bytes(state.content)
        try:
            lost += losses(Ledger(file), state.answers)
        except LedgerError:
            lost += ["the ledger"]
    return len(found), lost


@few_or_all
def test_a_file_keeps_every_answered_charge_whatever_the_disk_kept_of_the_rest(tmp_path: Path, requests: int) -> None:
    tried, lost = file_failures(tmp_path, requests)
    assert tried >= 10 * requests
    assert not lost


def test_a_file_that_is_not_synced_loses_charges(tmp_path: Path) -> None:
    assert file_failures(tmp_path, 2, "--unsynced")[1]


SETTINGS = {
    "autovacuum": "off",
    "bgwriter_lru_maxpages": "0",
    "checkpoint_timeout": "1h",
    "max_wal_size": "10GB",
    "wal_recycle": "off",
}
"""Nothing but the write-ahead log is synced meanwhile, so the rest of the disk may be as it was before."""


def children(pid: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def server_failures(folder: Path, requests: int, failures: int, *options: str) -> list[str]:
    """What is lost of a ledger on a server whose power fails so often, between its first charge and its last."""
    trace, chance = folder / "trace", random.Random(requests)  # noqa: S311 - it chooses when the power fails
    with serving(**SETTINGS) as server:
        url = server.url("postgres")
        Ledger.create(url, dataset="d", epsilon=10**6)
        server.run("CHECKPOINT")
        pids = [server.pid, *children(server.pid)]
        before = folder / "before"
        with recording(trace, pids):
            copy(server.folder, before)
            answers = power_loss.answers(charged(url, requests, *options))
    calls, lost = power_loss.read(trace), list[str]()
    for _ in range(failures):
        moment = chance.uniform(answers[0].time, answers[-1].time)
        found = power_loss.log_writes(calls, moment, chance)
        with restored(before, {path.removeprefix(server.folder): own for path, own in found.items()}) as place:
            given = [answer.text for answer in answers if answer.time <= moment]
            lost += losses(Ledger(place.url("postgres")), given)
    return lost


@contextmanager
def recording(trace: Path, pids: Sequence[int]) -> Iterator[None]:
    """Record what processes do, from when all of them are watched."""
    with subprocess.Popen(power_loss.command(trace, pids=pids)) as recorder:
        try:
            while not all(is_traced(pid) for pid in pids):
                time.sleep(0.01)
            yield
        finally:
            recorder.terminate()


def is_traced(pid: int) -> bool:
    """Whether a process is watched, or has ended."""
    status = Path(f"/proc/{pid}/status")
    return not status.exists() or "TracerPid:\t0\n" not in status.read_text()


def copy(folder: object, to: object) -> None:
    """All files with their owners, but for the mark of a server that runs."""
    subprocess.run(["cp", "-a", f"{folder}/.", str(to)], check=True)
    Path(str(to), "data", "postmaster.pid").unlink(missing_ok=True)


@contextmanager
def restored(before: Path, writes: dict[str, list[tuple[int, bytes]]]) -> Iterator[Server]:
    """A server that starts on the disk of before, with these writes to its log."""
    with tempfile.TemporaryDirectory(prefix="discreet-pg-") as name:
        copy(before, name)
        owner = before.joinpath("data").stat()
        for path, parts in writes.items():
            handle = os.open(name + path, os.O_RDWR | os.O_CREAT, 0o600)
            os.fchown(handle, owner.st_uid, owner.st_gid)
            for place, data in parts:
                os.pwrite(handle, data, place)
            os.close(handle)
        with running(Path(name), SETTINGS | {"recovery_init_sync_method": "syncfs"}, signal.SIGQUIT) as server:
            yield server


needs_server = pytest.mark.skipif(
    binaries() is None or os.geteuid() != 0, reason="needs a PostgreSQL server, and root to record what it does"
)


@needs_server
@pytest.mark.parametrize(
    ("requests", "failures"),
    [
        (20, 4),
        *(
            pytest.param(20 + i, POWER_FAILURES // PARTS, marks=(pytest.mark.soak, pytest.mark.long))
            for i in range(1, PARTS + 1)
        ),
    ],
)
def test_a_server_keeps_every_answered_charge(tmp_path: Path, requests: int, failures: int) -> None:
    """Each part has a server, a record of its charges and moments of its own."""
    assert not server_failures(tmp_path, requests, failures)


@pytest.mark.soak
@needs_server
def test_a_server_that_answers_before_it_syncs_loses_charges(tmp_path: Path) -> None:
    assert server_failures(tmp_path, 20, 3, "--unsynced")
