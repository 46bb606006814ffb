"""How much something does, which is the same on a busy machine: the functions it calls, and the bytes it holds."""

import sys
import tracemalloc
from collections.abc import Callable
from typing import NamedTuple


class Work(NamedTuple):
    """How many functions were called, in Python and in C, and how many bytes were held at most."""

    calls: int
    peak: int


def work_of(act: Callable[[], object]) -> Work:
    """What it takes to do this."""
    calls = 0

    def note(_frame: object, event: str, _about: object) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    before = sys.getprofile()
    tracemalloc.start()
    sys.setprofile(note)
    try:
        act()
    finally:
        sys.setprofile(before)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    return Work(calls, peak)
