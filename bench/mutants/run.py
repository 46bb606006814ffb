"""Workers that try mutants: each has a copy of the repository, and a process that has read all tests."""

from __future__ import annotations

import importlib
import os
import re
import shutil
import subprocess
import tempfile
import traceback
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import count
from math import inf
from multiprocessing import Pipe
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import TypeVar

from bench.mutants.find import Change, Mutant
from bench.mutants.places import ROOT
from bench.mutants.reach import Reach
from bench.mutants.trial import End, Outcome, Place, Trial
from bench.mutants.ways import serve_in_memory, try_in_file

SIMILAR = 4
"""How many tests that killed other mutants of a function are tried first."""

Thing = TypeVar("Thing")

_open: list[Connection] = []


class UnreliableTests(Exception):
    """They fail without any mutant, so what they killed is not known to be found."""

    def __init__(self, tests: list[str]) -> None:
        super().__init__(tests)
        self.tests = tests


def spawn(serve: Callable[[Connection], None]) -> Connection:
    """Fork a process that serves until its link is closed."""
    link, far = Pipe()
    if not os.fork():
        try:
            for other in (*_open, link):  # else nobody would see that they are closed
                other.close()
            _open.clear()
            serve(far)
        except BaseException:  # noqa: BLE001  (it must not go on as its parent)
            traceback.print_exc()
        finally:
            os._exit(0)
    far.close()
    _open.append(link)
    return link


class Worker:
    """Tries one mutant after another: in memory if possible, and else, or if that is not conclusive, in a file."""

    def __init__(self, tree: Path, files: list[str], *, in_memory: bool = True) -> None:
        self.place = Place(tree)
        self.place.shared.mkdir()
        self.clock = count(1)
        present = [name for name in files if (tree / name).exists()]
        self.memory = spawn(partial(serve_in_memory, self.place, present)) if in_memory else None
        if self.memory:
            self.memory.recv()  # it has read all files: no mutant may be written before

    def try_mutant(self, trial: Trial) -> Outcome:
        """Write the file, for processes that tests start, and run the tests."""
        path = self.place.tree / trial.path
        if trial.path:
            path.write_text(trial.new_text, "utf-8")
            time = next(self.clock)
            os.utime(path, (time, time))  # each text has a time of its own, so that no stale bytecode is read
        outcome = self._in_memory(trial)
        if outcome.end is End.NOT_IN_MEMORY or (not outcome.killer and trial.ran_early):
            outcome = replace(try_in_file(trial, self.place).after(outcome), in_file=True)
        if trial.path:
            path.write_text(trial.text, "utf-8")
        return outcome

    def _in_memory(self, trial: Trial) -> Outcome:
        if not self.memory:
            return Outcome(End.NOT_IN_MEMORY)
        self.memory.send(trial)
        outcome: Outcome = self.memory.recv()
        return outcome


def _work(tree: Path, files: list[str], in_memory: bool, link: Connection) -> None:
    """In a process of its own: answer trials until there are no more."""
    for name in _git("ls-files", "-co", "--exclude-standard"):
        if (ROOT / name).is_file():
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, tree / name)
    worker = Worker(tree, files, in_memory=in_memory)
    with suppress(EOFError):
        while True:
            link.send(worker.try_mutant(link.recv()))


def _git(*arguments: str) -> list[str]:
    return subprocess.run(  # noqa: S603
        ["git", "-C", str(ROOT), *arguments],  # noqa: S607
        check=True,
        capture_output=True,
        text=True,
    ).stdout.splitlines()


def run(
    changes: Sequence[Change],
    record: dict[str, Mutant],
    reach: Reach,
    jobs: int,
    seconds: float,
    *,
    in_memory: bool = True,
) -> Iterator[tuple[Mutant, Outcome]]:
    """Try each mutant. At the end each test that killed one must pass, alone, on the code as it is."""
    killers: defaultdict[tuple[str, str], dict[str, None]] = defaultdict(dict)
    rooms = {change.mutant.room for change in changes}
    for mutant in (mutant for mutant in record.values() if mutant.room in rooms):
        killers[mutant.file, mutant.function][killing_test(mutant.killed_by)] = None

    def trial(change: Change) -> Trial:
        own = record.get(change.mutant.id)
        similar = [*killers[change.mutant.file, change.mutant.function]][-1 : -1 - SIMILAR : -1]
        first = [killing_test(own.killed_by), *similar] if own else similar
        lived = own is not None and not own.killed_by
        return reach.trial(change, [test for test in first if test], seconds, lived=lived)

    tests = {test for change in changes for test in reach.tests(change, seconds)}
    tests |= {test for names in killers.values() for test in names if not reach.only}
    files = sorted({test.partition("::")[0] for test in tests} - {""})
    killed_by = set()
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        trees = [Path(folder, str(i)) for i in range(min(jobs, len(changes)))]
        links = [spawn(partial(_work, tree, files, in_memory)) for tree in trees]
        for change, outcome in _distribute(links, changes, trial):
            mutant = replace(change.described(), killed_by=outcome.killer)
            if outcome.killer:
                killed_by.add(killing_test(outcome.killer))
                killers[mutant.file, mutant.function].pop(killing_test(outcome.killer), None)
                killers[mutant.file, mutant.function][killing_test(outcome.killer)] = None
            if outcome.end is End.NO_TEST:
                print(f"  no test was run on {mutant.id}", flush=True)
            yield mutant, outcome

        def alone(test: str) -> Trial:
            times = {test: reach.seconds.get(test, 1.0)}
            return Trial("", "", "", (test,), times, inf, ran_early=False)

        ends = _distribute(links, sorted(killed_by - {""}), alone)
        failing = [test for test, outcome in ends if outcome.killer]
        for link in links:
            link.close()
        if failing:
            raise UnreliableTests(failing)


def killing_test(killer: str) -> str:
    """The test that killed a mutant; no test if it could not be imported."""
    return "" if killer == "import" else re.sub(r" \((too long|crash)\)$", "", killer)


def _distribute(
    links: list[Connection], things: Iterable[Thing], trial: Callable[[Thing], Trial]
) -> Iterator[tuple[Thing, Outcome]]:
    """Each to a worker that has nothing to do."""
    left: Iterator[Thing] = iter(things)
    busy: dict[Connection, Thing] = {}
    for link in links:
        if thing := next(left, None):
            busy[link] = thing
            link.send(trial(thing))
    while busy:
        ready = wait(list(busy))
        for link in [link for link in busy if link in ready]:
            outcome, thing = link.recv(), busy.pop(link)
            if following := next(left, None):
                busy[link] = following
                link.send(trial(following))
            yield thing, outcome


def warm() -> None:
    """Load what every test needs, but nothing of ours."""
    for name in ("flint", "numpy", "scipy.optimize", "scipy.special", "scipy.stats", "duckdb", "psycopg", "mpmath"):
        importlib.import_module(name)
    for name in ("typer", "rich.console", "sqlite3", "gmpy2", "dp_accounting", "unittest.mock"):
        importlib.import_module(name)
