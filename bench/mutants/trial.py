"""A trial: some tests on one mutant, in a forked process, until one fails, takes too long, or the time is over."""

from __future__ import annotations

import os
import resource
import shutil
import signal
import time
from collections.abc import Callable, Generator, Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from enum import IntEnum
from itertools import zip_longest
from pathlib import Path
from typing import Any, NoReturn

import pytest
from hypothesis import Phase, settings

from bench.mutants.times import cpu_seconds

OPTIONS = ["-q", "-n0", "--dist=no", "-p", "no:cacheprovider", "--no-header", "--assert=plain", "--color=no"]
LONGER, LEAST_SECONDS, WALL_SECONDS = 5, 5.0, 300
"""A test takes too long after five times its CPU and five seconds more, or after five minutes of any kind."""


class End(IntEnum):
    """How a process ended that ran the tests."""

    SURVIVED = 0
    KILLED = 1
    NO_TEST = 2
    NOT_IN_MEMORY = 3


@dataclass(frozen=True)
class Trial:
    """One mutant, and the tests to run on it."""

    path: str
    """The file, from the root of the repository; empty for the code as it is."""
    text: str
    new_text: str
    tests: tuple[str, ...]
    """A test, or a file of tests."""
    times: dict[str, float]
    """CPU that tests take on the code as it is, where known."""
    seconds: float
    """CPU that all tests may take; then the mutant survived."""
    ran_early: bool
    """Whether the line may have run while tests were collected: a survivor in memory is tried in a file too."""


@dataclass(frozen=True)
class Outcome:
    """Who killed a mutant, or nobody, and the CPU that the tests took."""

    end: End
    killer: str = ""
    seconds: float = 0.0
    in_file: bool = False

    def after(self, earlier: Outcome) -> Outcome:
        """Both, where the mutant survived earlier tests."""
        end = self.end if self.killer else min(self.end, earlier.end)
        return replace(self, end=end, seconds=self.seconds + earlier.seconds)


@dataclass(frozen=True)
class Place:
    """The files of a worker: a copy of the repository, and what the tests write."""

    tree: Path

    @property
    def note(self) -> Path:
        """Holds the test that runs."""
        return self.tree.with_suffix(".note")

    @property
    def log(self) -> Path:
        """Holds what pytest prints."""
        return self.tree.with_suffix(".log")

    @property
    def shared(self) -> Path:
        """Temporary files of all trials: where the PostgreSQL server of the tests is found."""
        return self.tree.with_suffix(".tmp")

    @property
    def temporary(self) -> Path:
        """Temporary files of one trial."""
        return self.shared / "trial"


class Watch:
    """A plugin: a failure ends the process at once, without a report or a search for a smaller example."""

    def __init__(self, note: Path) -> None:
        self.note = note

    @pytest.hookimpl(tryfirst=True)
    def pytest_configure(self) -> None:
        """After tests/conftest.py chose how many examples there are, and before any test is read."""
        settings.register_profile("mutants", settings.get_profile("few"), phases=[Phase.explicit, Phase.generate])
        settings.load_profile("mutants")

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """A file of tests could not be read."""
        if report.failed:
            self.note.write_text(report.nodeid, "utf-8")
            os._exit(End.KILLED)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo[None]) -> None:
        """A test was prepared, ran, or was cleaned up."""
        expected = (pytest.skip.Exception, pytest.xfail.Exception)
        if call.excinfo and not call.excinfo.errisinstance(expected) and not item.get_closest_marker("xfail"):
            os.write(1, call.excinfo.exconly().encode())
            os._exit(End.KILLED)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """What was expected to fail and did not."""
        if report.failed:
            os._exit(End.KILLED)

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: pytest.FixtureDef[object]) -> Generator[None, Any, Any]:
        """The PostgreSQL server is that of earlier trials, which may have been killed."""
        value = yield
        if fixturedef.argname == "postgres":
            empty_server(value.url("postgres"))
        return value


def empty_server(url: str) -> None:
    """Drop what tests made: databases and roles, whose numbers begin where those that come with a server end."""
    import psycopg

    with psycopg.connect(url, autocommit=True) as connection:
        databases = "SELECT datname FROM pg_database WHERE oid >= 16384"
        roles = "SELECT rolname FROM pg_roles WHERE oid >= 16384"
        for (name,) in connection.execute(databases).fetchall():
            connection.execute(f'DROP DATABASE "{name}" WITH (FORCE)'.encode())
        for (name,) in connection.execute(roles).fetchall():
            connection.execute(f'DROP ROLE "{name}"'.encode())


def select(items: Iterable[pytest.Item], tests: Iterable[str]) -> list[pytest.Item]:
    """The tests that are asked for, in this order; of a file, or with parameters, all. Others are left out."""
    named: dict[str, list[pytest.Item]] = {}
    for item in items:
        for name in {item.nodeid, item.nodeid.partition("[")[0], item.nodeid.partition("::")[0]}:
            named.setdefault(name, []).append(item)
    return list(dict.fromkeys(item for test in tests for item in named.get(test, ())))


def run_tests(items: list[pytest.Item], trial: Trial, note: Path) -> End:
    """Run them until one fails. One that takes too long ends the process by a signal that nobody catches."""
    for item, following in zip_longest(items, items[1:]):
        if cpu_seconds() > trial.seconds:
            break
        note.write_text(item.nodeid, "utf-8")
        signal.setitimer(signal.ITIMER_PROF, LEAST_SECONDS + LONGER * trial.times.get(item.nodeid, 1.0))
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        signal.setitimer(signal.ITIMER_PROF, 0)
    return End.SURVIVED if items else End.NO_TEST


def in_child(place: Place, action: Callable[[], End]) -> Outcome:
    """Fork, let the child act within limits, and end all processes that it started."""
    shutil.rmtree(place.temporary, ignore_errors=True)
    place.note.write_text("import", "utf-8")
    pid = os.fork()
    if not pid:
        _act(place, action)
    while not (ended := os.wait4(pid, os.WNOHANG))[0]:
        if time.time() - place.note.stat().st_mtime > WALL_SECONDS:
            os.kill(pid, signal.SIGPROF)
        time.sleep(0.005)
    with suppress(ProcessLookupError):
        os.killpg(pid, signal.SIGKILL)
    _, status, usage = ended
    seconds = usage.ru_utime + usage.ru_stime
    if os.WIFEXITED(status) and os.WEXITSTATUS(status) != End.KILLED:
        return Outcome(End(os.WEXITSTATUS(status)), "", seconds)
    manner = "" if os.WIFEXITED(status) else " (too long)" if os.WTERMSIG(status) == signal.SIGPROF else " (crash)"
    return Outcome(End.KILLED, place.note.read_text("utf-8") + manner, seconds)


def _act(place: Place, action: Callable[[], End]) -> NoReturn:
    """In the child."""
    end = End.KILLED
    try:
        os.setsid()
        silence(place.log)
        resource.setrlimit(resource.RLIMIT_DATA, (4 << 30, 4 << 30))
        os.environ["PYTEST_XDIST_WORKER"] = "gw0"  # so that the server is sought beside the files of this trial
        end = action()
    finally:
        os._exit(end)


def silence(log: Path) -> None:
    """Let a process print into a file, and read nothing."""
    output = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    for stream in (0, 1, 2):
        os.dup2(output if stream else os.open(os.devnull, os.O_RDONLY), stream)
