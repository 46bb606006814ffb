"""Work that an engine does in a thread of its own: looked at while it runs, and stopped by Ctrl-C."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import wait as wait_for
from typing import TypeVar

T = TypeVar("T")

Progress = Callable[[float], None]
"""Told now and then how much of a pass over the rows is done, from 0 to 1."""

PATIENCE = 0.1
"""Seconds between looks at the work of an engine, and at most until Ctrl-C is heard."""


def watch(work: Callable[[], T], look: Callable[[], None], stop: Callable[[], None]) -> T:
    """The result of work in a thread of its own: this one looks at it now and then, hears Ctrl-C, and stops it."""
    with ThreadPoolExecutor(max_workers=1) as thread:
        task = thread.submit(work)
        try:
            while not wait_for([task], timeout=PATIENCE).done:
                look()
        except BaseException:
            stop()
            raise
    return task.result()
