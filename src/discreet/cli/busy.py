"""A sign of life for whoever waits at a terminal for more than a second."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console

PATIENCE = 1.0
"""Seconds before the bar appears: quick commands stay quiet."""


@contextmanager
def busy(doing: str) -> Iterator[Callable[[int, int], None]]:
    """Show a moving bar on stderr once the work has taken longer than `PATIENCE`; nothing when nobody watches.

    What it yields may be told how much of how much is done.
    """
    if not sys.stderr.isatty():
        yield lambda done, total: None
        return
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    bar = Progress(*columns, console=Console(stderr=True), transient=True)
    task = bar.add_task(doing, total=None)
    timer = threading.Timer(PATIENCE, bar.start)
    timer.daemon = True
    timer.start()
    try:
        yield lambda done, total: bar.update(task, completed=done, total=total)
    finally:
        timer.cancel()
        timer.join()
        bar.stop()
