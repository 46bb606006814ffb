"""Which tests to run on a mutant: those that reached its line, as a run under coverage saw them."""

from __future__ import annotations

import csv
import math
import re
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path

import coverage

from bench.mutants.find import Change, Mutant
from bench.mutants.places import BESIDE, BUILD, PACKAGE, ROOMS, ROOT
from bench.mutants.times import TIMES
from bench.mutants.trial import Trial

MOST_TESTS = 120
"""How many tests are run on a mutant."""


class Reach:
    """Which tests reached a line, and how long they took; or the tests that are asked for, whatever they reach."""

    def __init__(self, only: Sequence[str] = ()) -> None:
        self.only = list(only)
        self.known = (BUILD / "coverage").exists()
        self.seconds: dict[str, float] = {}
        self._tests: dict[str, list[str]] = {}
        if self.known:
            self.data = coverage.CoverageData(str(BUILD / "coverage"))
            self.data.read()
            for path in BUILD.glob(TIMES):
                with path.open(encoding="utf-8", newline="") as file:
                    self.seconds |= {_ungrouped(test): float(seconds) for test, seconds in csv.reader(file)}
            for test in self.seconds:
                self._tests.setdefault(test.partition("::")[0], []).append(test)

    @cache  # noqa: B019  (there is one)
    def _lines(self, path: Path) -> dict[int, list[str]]:
        return self.data.contexts_by_lineno(str(ROOT / path)) if self.known else {}

    @cache  # noqa: B019
    def _is_newer(self, name: str) -> bool:
        """Whether a file of tests was written since it was recorded what they reach."""
        path = ROOT / name
        return path.exists() and path.stat().st_mtime > (BUILD / "coverage").stat().st_mtime

    def tests(self, change: Change, seconds: float, *, lived: bool = False) -> list[str]:
        """The tests that reach a mutant, about the fastest first; without any, those that mirror its file.

        Files of tests that are newer come after them, but first for a mutant that lived: what may kill it is new.

        What runs at import, as a constant, is reached by all tests of its file's functions. What a fixture or a cache
        of the tests holds is attributed to one test and read by others of its file: these come last.
        """
        if self.only:
            return self.only
        mirror = _mirror(change.mutant)
        reached = _tests_of(self._contexts(change))
        if not reached:
            reached = _tests_of(test for contexts in self._lines(change.mutant.path).values() for test in contexts)
        files = dict.fromkeys(test.partition("::")[0] for test in reached) if reached else mirror
        near = {test for file in files for test in self._tests.get(file, ())} - reached
        if not reached and not near:
            return mirror
        tests = self._in_order(reached, mirror) + self._in_order(near, mirror)
        few = [test for test in tests if self.seconds.get(test, 1.0) < seconds / 2][:MOST_TESTS]
        newer = [file for file in dict.fromkeys([*mirror, *files]) if self._is_newer(file)]
        return [*newer, *few] if lived else [*few, *newer]

    def trial(self, change: Change, killers: Sequence[str], seconds: float, *, lived: bool = False) -> Trial:
        """First the tests that killed such mutants before."""
        tests = tuple(dict.fromkeys([*([] if self.only else killers), *self.tests(change, seconds, lived=lived)]))
        each = [one for test in tests for one in self._tests.get(test, [test])]
        times = {test: self.seconds[test] for test in each if test in self.seconds}
        contexts = self._contexts(change)
        ran_early = "" in contexts or not contexts
        path = change.mutant.path.as_posix()
        return Trial(path, change.text, change.new_text(), tests, times, seconds, ran_early)

    def _contexts(self, change: Change) -> list[str]:
        lines = self._lines(change.mutant.path)
        return lines.get(change.line) or lines.get(change.statement, [])

    def _in_order(self, tests: set[str], mirror: Sequence[str]) -> list[str]:
        """By time, doubling; tests of one file together. The tests of this file, of this room, and the first two
        instances of a test with many parameters may take longer than others."""
        instances: Counter[str] = Counter()
        ranks = {}
        for test in sorted(tests, key=lambda test: (self.seconds.get(test, 1.0), test)):
            file, function = test.partition("::")[0], test.partition("[")[0]
            handicap = (file != mirror[0]) + (file not in mirror) + 2 * (instances[function] > 1)
            instances[function] += 1
            ranks[test] = (handicap + math.ceil(math.log2(max(self.seconds.get(test, 1.0), 0.01))), file)
        return sorted(ranks, key=ranks.__getitem__)


def _tests_of(contexts: Iterable[str]) -> set[str]:
    return {_ungrouped(context.rpartition("|")[0]) for context in contexts} - {""}


def _ungrouped(test: str) -> str:
    return re.sub(r"@[\w -]+$", "", test)


def _mirror(mutant: Mutant) -> list[str]:
    """The tests of the file, its examples, and the tests of its room."""
    room, name = mutant.path.parent.relative_to(PACKAGE), mutant.path.stem
    named = sorted((ROOT / "tests").glob(f"**/test_{name}.py"), key=lambda test: (test.parent.name != room.name, test))
    others = sorted(set((ROOT / "tests" / room).glob("test_*.py")) - set(named), key=lambda test: name not in test.stem)
    same, rest = ([test.relative_to(ROOT).as_posix() for test in tests] for tests in (named, others))
    return [*same, mutant.path.as_posix(), *rest]


def record_reach() -> None:
    """Run the tests under coverage, once, and keep which test reached which line of the rooms, and its time."""
    shutil.rmtree(BUILD, ignore_errors=True)
    BUILD.mkdir(parents=True)
    files = "".join(f"\n    {ROOT / PACKAGE / room}/*" for room in ROOMS)
    (BUILD / "rc").write_text(f"[run]\ninclude ={files}\nparallel = true\ndata_file = {BUILD / 'coverage'}\n")
    traced = ["--cov", f"--cov-config={BUILD / 'rc'}", "--cov-context=test", "--cov-report=", "-pbench.mutants.times"]
    tests = [f"tests/{name}" for name in (*ROOMS, *BESIDE)]
    command = [sys.executable, "-m", "pytest", "-q", "-pno:cacheprovider", *traced, *tests, str(PACKAGE)]
    code = subprocess.run(command, cwd=ROOT, check=False).returncode  # noqa: S603
    if code:
        shutil.rmtree(BUILD)
        sys.exit("the tests fail without any mutant")
