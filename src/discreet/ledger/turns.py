"""Writers of a file take turns by a lock that no other part of their program can lose.

SQLite's own lock belongs to the process, as POSIX wants it, and goes when any thread closes any handle of the file: one
that copied the ledger, say. Whoever was about to commit would then write over a charge that was answered elsewhere in
the meantime. So writers also lock the directory, by `flock`, which belongs to the handle. Where a system has no such
lock there still is SQLite's. Held to its word by `tests/attacks/test_a_copied_ledger_loses_no_charge.py`.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from time import monotonic, sleep

if sys.platform != "win32":
    import fcntl

PAUSE = 0.002
"""Seconds between two looks at a lock that another has."""


class Busy(Exception):
    """Another writer did not end."""


@contextmanager
def alone(directory: Path, patience: float) -> Iterator[None]:
    """Be the only writer in a directory; `Busy` if another does not end within these seconds."""
    with ExitStack() as stack:
        if sys.platform != "win32":  # whose locks belong to the handle anyway
            try:
                _lock(stack, directory, monotonic() + patience)
            except OSError as failure:  # no lock of this kind here, or an alarm of the caller's own
                if failure.errno is None or isinstance(failure, TimeoutError):
                    raise
        yield


if sys.platform != "win32":

    def _lock(stack: ExitStack, directory: Path, end: float) -> None:
        handle = os.open(directory, os.O_RDONLY)
        stack.callback(os.close, handle)
        while True:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if monotonic() > end:
                    raise Busy from None
                sleep(PAUSE)
            else:
                # A child that is forked meanwhile has the handle too, and would keep the lock after it is closed here.
                stack.callback(fcntl.flock, handle, fcntl.LOCK_UN)
                return
