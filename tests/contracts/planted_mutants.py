"""A program: plants mutants in a small package, tries each in memory and in a file, and prints who killed it.

It is a program because the runner forks, and because the package is called discreet, as the one that is tested is.
"""

import json
import sys
import tempfile
from pathlib import Path

from bench.mutants import trial as trials
from bench.mutants.run import Worker
from bench.mutants.trial import Trial

MODULE = '''
"""Functions of every kind."""

import itertools
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache, cached_property

LIMIT = 3


def positive(x: int) -> int:
    return x if x > 0 else 0


@cache
def following(x: int) -> int:
    return x + 1


@contextmanager
def opened(x: int = 7) -> Iterator[int]:
    yield x * 10


class Square:
    def __init__(self, side: int) -> None:
        self.side = side

    @cached_property
    def area(self) -> int:
        return self.side * self.side

    @property
    def outline(self) -> int:
        return 4 * self.side

    @classmethod
    def unit(cls) -> "Square":
        return cls(0 + 1)

    def grown(self, by: int) -> int:
        """
        >>> Square(2).grown(3)
        5
        """
        return self.side + by


def difference(x: int) -> int:
    def subtract(y: int) -> int:
        return x - y

    return subtract(1)


def early() -> int:
    return 5 + 0


TABLE = early()


def elsewhere() -> int:
    return 6 + 0


def last(n: int) -> int:
    for i in itertools.count():
        if i == n:
            break
    return i
'''

TESTS = """
import subprocess
import sys

import pytest
from discreet import planted

SIDE = planted.following(1)


def test_all():
    assert [planted.positive(x) for x in (-1, 0, 2)] == [0, 0, 2]


def test_following():
    assert planted.following(1) == 2


def test_opened():
    with planted.opened() as x:
        assert x == 70


def test_square():
    square = planted.Square(3)
    assert square.area == 9
    assert square.outline == 12
    assert square.unit().side == 1


def test_difference():
    assert planted.difference(3) == 2


def test_constants():
    assert planted.LIMIT == 3
    assert planted.TABLE == 5


def test_elsewhere():
    program = "from discreet import planted; raise SystemExit(planted.elsewhere())"
    assert subprocess.run([sys.executable, "-c", program]).returncode == 6


def test_last():
    assert planted.last(3) == 3
"""

CHANGES = {
    "equivalent": ("x if x > 0", "x if x >= 0"),
    "plain function": ("x if x > 0", "x if x > 2"),
    "cached function": ("x + 1", "x + 2"),
    "context manager": ("x * 10", "x + 10"),
    "default argument": ("x: int = 7", "x: int = 8"),
    "cached property": ("self.side * self.side", "self.side + self.side"),
    "property": ("4 * self.side", "5 * self.side"),
    "class method": ("0 + 1", "0 - 1"),
    "only a doctest": ("self.side + by", "self.side - by"),
    "nested function": ("x - y", "x + y"),
    "constant": ("LIMIT = 3", "LIMIT = 4"),
    "table": ("5 + 0", "5 + 1"),
    "only in another process": ("6 + 0", "6 + 1"),
    "endless loop": ("i == n", "i == -1"),
    "no syntax": ("LIMIT = 3", "LIMIT = = 3"),
}

FILES = {
    "pyproject.toml": '[tool.pytest.ini_options]\naddopts = ["--doctest-modules", "--import-mode=importlib"]\n',
    "tests/conftest.py": 'from hypothesis import settings\n\nsettings.register_profile("few", max_examples=3)\n',
    "tests/test_planted.py": TESTS,
    "src/discreet/__init__.py": "",
    "src/discreet/planted.py": MODULE,
}


def outcomes(folder: Path, *, in_memory: bool) -> dict[str, list[object]]:
    """Who kills each mutant, and whether it was tried in a file."""
    tree = folder / ("memory" if in_memory else "file")
    for name, text in FILES.items():
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        (tree / name).write_text(text, "utf-8")
    path = "src/discreet/planted.py"
    tests = ("tests/test_planted.py", path)
    worker = Worker(tree, list(tests), in_memory=in_memory)
    ends: dict[str, list[object]] = {}
    for name, (old, new) in CHANGES.items():
        assert MODULE.count(old) == 1, old
        times = {"tests/test_planted.py::test_last": 0.1}
        trial = Trial(path, MODULE, MODULE.replace(old, new), tests, times, 60, ran_early=name == "table")
        outcome = worker.try_mutant(trial)
        ends[name] = [outcome.killer.rpartition("::")[2], outcome.in_file]
    return ends


if __name__ == "__main__":
    trials.LEAST_SECONDS = 0.5
    with tempfile.TemporaryDirectory() as place:
        json.dump([outcomes(Path(place), in_memory=in_memory) for in_memory in (True, False)], sys.stdout)
