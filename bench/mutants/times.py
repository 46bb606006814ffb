"""A plugin of pytest, `-p bench.mutants.times`: records the CPU that each test takes by itself.

What functions remember is forgotten before each test. So a test reaches every line that its result rests on, as it does
on a mutant, where it runs alone.
"""

from __future__ import annotations

import csv
import os
from collections.abc import Iterator

import pytest

from bench.mutants.live import Live
from bench.mutants.places import BUILD

TIMES = "times-*.csv"
_live: list[Live] = []


def cpu_seconds() -> float:
    """What this process took, and those that it started and that have ended."""
    return sum(os.times()[:4])


def pytest_collection_finish() -> None:
    """All tests are there, so all modules are."""
    _live[:] = [Live()]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """A test, from its preparation to its end."""
    _live[0].clear_caches()
    start = cpu_seconds()
    result = yield
    with (BUILD / TIMES.replace("*", str(os.getpid()))).open("a", encoding="utf-8", newline="") as file:
        csv.writer(file).writerow([item.nodeid, f"{cpu_seconds() - start:.3f}"])
    return result
