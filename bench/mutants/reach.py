"""Which tests to run on a mutant: those that reached its line, as a run under coverage saw them."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import islice
from pathlib import Path

import coverage

from bench.mutants.find import Change, Mutant
from bench.mutants.places import BESIDE, BUILD, PACKAGE, ROOMS, ROOT

MOST_TESTS = 120
"""How many of the tests that reach a line are run."""


class Reach:
    """Which tests reached a line, and how long they took."""

    def __init__(self) -> None:
        self.known = (BUILD / "coverage").exists()
        self.seconds: dict[str, float] = {}
        if self.known:
            self.data = coverage.CoverageData(str(BUILD / "coverage"))
            self.data.read()
            for case in ET.parse(BUILD / "junit.xml").iter("testcase"):  # noqa: S314
                name = f"{case.get('classname', '').replace('.', '/')}.py::{case.get('name')}"
                self.seconds[_ungrouped(name)] = float(case.get("time", 0))

    @cache  # noqa: B019  (there is one)
    def _lines(self, path: Path) -> dict[int, list[str]]:
        return self.data.contexts_by_lineno(str(ROOT / path))

    @cache  # noqa: B019
    def _is_newer(self, name: str) -> bool:
        """Whether a file of tests was written since it was recorded what they reach."""
        return (ROOT / name).stat().st_mtime > (BUILD / "coverage").stat().st_mtime

    def _time(self, test: str) -> float:
        return self.seconds.get(test, 1.0)

    def batches(self, change: Change, killer: str) -> Iterator[list[str]]:
        """Tests to run, in growing batches: who killed it before, the mirror of the file, then by their time."""
        if killer and killer != "import":
            yield [killer]
        mirror = _mirror(change.mutant)
        reached = self._lines(change.mutant.path).get(change.line, ()) if self.known else ()
        names = sorted({_ungrouped(test.partition("|")[0]) for test in reached} - {""}, key=self._time)
        instances: Counter[str] = Counter()
        order = {}
        for name in names:  # of a test with many parameters, the two fastest come before all others
            function = name.partition("[")[0]
            file = name.partition("::")[0]
            order[name] = (file != mirror[0], file not in mirror, instances[function] > 1, self._time(name))
            instances[function] += 1
        tests = sorted(names, key=order.__getitem__)
        near = dict.fromkeys([*mirror, *(test.partition("::")[0] for test in tests)])
        files = {name: [name] for name in near if self.known and self._is_newer(name)}
        # A line without tests runs at import, or in processes that the tests start.
        for test in tests[:MOST_TESTS] or mirror:
            files.setdefault(test.partition("::")[0], []).append(test)
        left, size = iter(files.values()), 1
        while batch := list(islice(left, size)):
            yield [test for group in batch for test in group]
            size *= 2


def _ungrouped(test: str) -> str:
    return re.sub(r"@[\w-]+$", "", test)


def _mirror(mutant: Mutant) -> list[str]:
    """The tests of the file, its examples, and the tests of its room."""
    room, name = mutant.path.parent.relative_to(PACKAGE), mutant.path.stem
    named = sorted((ROOT / "tests").glob(f"**/test_{name}.py"), key=lambda test: (test.parent.name != room.name, test))
    others = sorted(set((ROOT / "tests" / room).glob("test_*.py")) - set(named), key=lambda test: name not in test.stem)
    same, rest = ([test.relative_to(ROOT).as_posix() for test in tests] for tests in (named, others))
    return [*same, mutant.path.as_posix(), *rest]


def record_reach() -> None:
    """Run the tests under coverage, once, and keep which test reached which line."""
    shutil.rmtree(BUILD, ignore_errors=True)
    BUILD.mkdir(parents=True)
    (BUILD / "rc").write_text(f"[run]\nsource_pkgs = discreet\nparallel = true\ndata_file = {BUILD / 'coverage'}\n")
    traced = ["--cov=discreet", f"--cov-config={BUILD / 'rc'}", "--cov-context=test", "--cov-report="]
    timed = f"--junitxml={BUILD / 'junit.xml'}"
    tests = [f"tests/{name}" for name in (*ROOMS, *BESIDE)]
    command = [sys.executable, "-m", "pytest", "-q", *traced, timed, *tests, str(PACKAGE)]
    code = subprocess.run(command, cwd=ROOT, check=False).returncode  # noqa: S603
    if code:
        shutil.rmtree(BUILD)
        sys.exit("the tests fail without any mutant")
