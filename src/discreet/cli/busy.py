"""A sign of life for whoever waits for more than a second: a bar on a terminal, and otherwise one line on stderr."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

from rich.console import Console

from discreet.cli import QUIET


class Tell(Protocol):
    """Told how much of how much is done, and what."""

    def __call__(self, done: int, total: int, what: str = "") -> None: ...


PATIENCE = 1.0
"""Seconds before the bar appears: quick commands stay quiet."""


@contextmanager
def busy(doing: str) -> Iterator[Tell]:
    """Show that something is done once it has taken longer than `PATIENCE`, unless quiet was asked for.

    What it yields may be told how much of how much is done, and what.
    """
    if os.environ.get(QUIET):
        yield lambda done, total, what="": None
        return
    if not sys.stderr.isatty():
        timer = threading.Timer(PATIENCE, lambda: print(f"{doing} …", file=sys.stderr, flush=True))
        timer.daemon = True
        timer.start()
        try:
            yield lambda done, total, what="": None
        finally:
            timer.cancel()
            timer.join()
        return
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    bar = Progress(*columns, console=Console(stderr=True), transient=True)
    task = bar.add_task(doing, total=None)
    timer = threading.Timer(PATIENCE, bar.start)
    timer.daemon = True
    timer.start()
    try:
        yield lambda done, total, what="": bar.update(
            task, completed=done, total=total, description=f"{doing} {what}".rstrip()
        )
    finally:
        timer.cancel()
        timer.join()
        bar.stop()
