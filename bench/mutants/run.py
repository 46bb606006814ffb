"""One mutant at a time in a copy of the repository, in a process that is forked from a warm one."""

from __future__ import annotations

import importlib
import math
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import NoReturn

import pytest

from bench.mutants.find import Change, Mutant
from bench.mutants.places import ROOT
from bench.mutants.reach import Reach

TEST_SECONDS, WALL_SECONDS = 20, 400
"""CPU and time that a test may take."""


class Watch:
    """A plugin: says which test runs, which one failed, and lets none run for ever."""

    def __init__(self, note: Path, seconds: float) -> None:
        self.note, self.seconds, self.failed = note, seconds, ""

    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        """A test begins: its CPU is limited. Nobody catches the signal, so that it ends the process."""
        if self.spent():
            item.session.shouldstop = "the mutant had its time"
        self.note.write_text(item.nodeid, "utf-8")
        signal.setitimer(signal.ITIMER_PROF, TEST_SECONDS)

    def spent(self) -> bool:
        """Whether the mutant had its CPU, in its own process and in those that it started."""
        return sum(os.times()[:4]) > self.seconds

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """A test failed, while it was prepared, ran, or was cleaned up."""
        if report.failed:
            self.failed = self.failed or report.nodeid

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """A file of tests could not be read."""
        if report.failed:
            self.failed = self.failed or report.nodeid


SURVIVED, KILLED, UNASKED = 0, 1, 2
OPTIONS = ["-x", "-q", "-n0", "--dist=no", "-p", "no:cacheprovider", "--no-header", "--tb=line", "--color=no"]


def _child(tree: Path, path: Path | None, batches: Sequence[list[str]], note: Path, seconds: float) -> int:
    """In a forked process: read the changed file, and run tests until one fails, each batch in a process of its own."""
    os.setsid()
    output = os.open(note.with_suffix(".txt"), os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    for stream in (0, 1, 2):
        os.dup2(output if stream else os.open(os.devnull, os.O_RDONLY), stream)
    resource.setrlimit(resource.RLIMIT_DATA, (4 << 30, 4 << 30))
    os.chdir(tree)
    sys.path[:] = [str(tree / "src"), str(tree), *(one for one in sys.path if Path(one).resolve() != ROOT)]
    os.environ["PYTHONPATH"] = str(tree / "src")
    note.write_text("import", "utf-8")
    signal.setitimer(signal.ITIMER_PROF, TEST_SECONDS)
    if path:
        try:
            _import(path)
        except BaseException:  # noqa: BLE001  (whatever it is, the mutant is found)
            return KILLED
    signal.setitimer(signal.ITIMER_PROF, 0)
    ends = []
    for batch in batches:
        left = seconds - sum(os.times()[:4])
        if left <= 0:
            break
        pid = os.fork()
        if not pid:
            _exit_with(lambda batch=batch, left=left: _run_batch(tree, batch, Watch(note, left)))
        status = os.waitpid(pid, 0)[1]
        if not os.WIFEXITED(status):
            os.kill(os.getpid(), signal.SIGKILL)  # as the child: it took too long
        ends.append(os.WEXITSTATUS(status))
        if ends[-1] == KILLED:
            return KILLED
    return SURVIVED if SURVIVED in ends else UNASKED


def _import(path: Path) -> None:
    importlib.import_module(".".join(path.relative_to("src").with_suffix("").parts).removesuffix(".__init__"))


def _run_batch(tree: Path, batch: list[str], watch: Watch) -> int:
    for name in dict.fromkeys(test.partition("::")[0] for test in batch):
        if name.startswith("src/"):  # else pytest would make a second module of it
            with suppress(Exception):
                _import(Path(name))
    code = pytest.main([*OPTIONS, *batch], plugins=[watch])
    if code == pytest.ExitCode.USAGE_ERROR:  # tests that are no longer called so
        present = sorted({name for test in batch if (tree / (name := test.partition("::")[0])).exists()})
        code = pytest.main([*OPTIONS, *present], plugins=[watch]) if present else code
    if watch.failed:
        watch.note.write_text(watch.failed, "utf-8")
        return KILLED
    return SURVIVED if code in (pytest.ExitCode.OK, pytest.ExitCode.INTERRUPTED) else UNASKED


def _exit_with(action: Callable[[], int]) -> NoReturn:
    """Leave a forked process, whatever happens."""
    code = UNASKED
    try:
        code = action()
    finally:
        os._exit(code)


class Worker:
    """A copy of the repository in which one mutant at a time lives."""

    def __init__(self, tree: Path) -> None:
        self.tree, self.note, self.pid, self.clock = tree, tree.with_suffix(".note"), 0, 1
        for name in _git("ls-files", "-co", "--exclude-standard"):
            if (ROOT / name).is_file():
                (tree / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / name, tree / name)

    def start(self, change: Change | None, batches: Sequence[list[str]], seconds: float = math.inf) -> None:
        """Write the mutant and fork. Each text has a time of its own, so that no stale bytecode is read."""
        self.change, self.begun = change, time.time()
        if change:
            path = self.tree / change.mutant.path
            path.write_text(change.code, "utf-8")
            self.clock += 1
            os.utime(path, (self.clock, self.clock))
        self.pid = os.fork()
        if not self.pid:
            path = change.mutant.path if change else None
            _exit_with(lambda: _child(self.tree, path, batches, self.note, seconds))

    def _noted(self) -> float:
        """When the last test began."""
        return self.note.stat().st_mtime if self.note.exists() else 0.0

    def ended(self) -> str | None:
        """Who killed it, or "" for nobody, or None while that is not known."""
        pid, status = os.waitpid(self.pid, os.WNOHANG)
        if not pid and time.time() - max(self.begun, self._noted()) < WALL_SECONDS:
            return None
        with suppress(ProcessLookupError):
            os.killpg(self.pid, signal.SIGKILL)
        if not pid:
            os.waitpid(self.pid, 0)
        self.pid = 0
        if self.change:
            shutil.copy2(ROOT / self.change.mutant.path, self.tree / self.change.mutant.path)
        if pid and os.WIFEXITED(status) and os.WEXITSTATUS(status) != KILLED:
            if os.WEXITSTATUS(status) == UNASKED:
                name = self.change.mutant.id if self.change else "the code as it is"
                print(f"  no test was run on {name}:\n{self.note.with_suffix('.txt').read_text()[-800:]}", flush=True)
            return ""
        killer = self.note.read_text("utf-8")
        return killer if pid and os.WIFEXITED(status) else f"{killer} (too long)"


def _git(*arguments: str) -> list[str]:
    return subprocess.run(  # noqa: S603
        ["git", "-C", str(ROOT), *arguments],  # noqa: S607
        check=True,
        capture_output=True,
        text=True,
    ).stdout.splitlines()


def run(changes: Sequence[Change], record: dict[str, Mutant], jobs: int, seconds: float) -> Iterator[Mutant]:
    """Try each mutant. At the end all tests that killed one must pass on the code as it is."""
    reach, killers = Reach(), set[str]()
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        workers = [Worker(Path(folder) / str(i)) for i in range(jobs)]
        waiting = list(reversed(changes))
        while waiting or any(worker.pid for worker in workers):
            for worker in workers:
                if worker.pid and (killer := worker.ended()) is not None:
                    killers.add(killer)
                    yield replace(worker.change.described(), killed_by=killer)
                if not worker.pid and waiting:
                    change = waiting.pop()
                    before = record.get(change.mutant.id)
                    batches = reach.batches(change, before.killed_by.partition(" (")[0] if before else "")
                    worker.start(change, list(batches), seconds)
            time.sleep(0.05)
        names = {killer.partition(" (")[0] for killer in killers} - {"", "import"}
        if names:
            workers[0].start(None, [sorted(names)])
            while (failed := workers[0].ended()) is None:
                time.sleep(0.05)
            if failed:
                sys.exit(f"{failed} fails without any mutant: what it killed is not known to be found")


def warm() -> None:
    """Load what every test needs, but nothing of ours."""
    for name in ("flint", "numpy", "scipy.optimize", "scipy.special", "scipy.stats", "duckdb", "psycopg", "mpmath"):
        importlib.import_module(name)
    for name in ("typer", "rich.console", "sqlite3", "gmpy2", "dp_accounting", "unittest.mock"):
        importlib.import_module(name)
