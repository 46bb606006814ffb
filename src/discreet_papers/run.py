"""Making many figures, two at a time, and checking the claims: whatever an interrupted run has finished is kept.

Each figure is made in a process of its own that puts it in place itself, so a kill loses at most what was under way.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from discreet.errors import InvalidInput
from discreet_papers.records import (
    CLAIM_FOLDER,
    ClaimRecord,
    FigureRecord,
    check_claim,
    make_figure,
    recall_claim,
    recall_figure,
)
from discreet_papers.registry import Entry

STALE = 60.0
"""Seconds after which a half-written file belongs to nobody: writing one takes a fraction of a second."""

Progress = Callable[[str, float | None, int, int], None]
"""Called with a name, its seconds (None if an earlier run made it), how many are finished and how many there are."""

Record = FigureRecord | ClaimRecord
Task = Callable[[], Record]


def reproduce(
    entries: Sequence[Entry], claims: Sequence[str], out: Path, *, quick: bool, jobs: int, progress: Progress
) -> tuple[list[FigureRecord], list[ClaimRecord]]:
    """Make what is not there yet; the answer is all of it, in the order that was asked for."""
    prepare(out)
    records: dict[str, Record | None] = {entry.id: recall_figure(entry, out, quick=quick) for entry in entries}
    records |= {name: recall_claim(name, out) for name in claims}
    tasks: dict[str, Task] = {
        entry.id: partial(make_figure, entry, out, quick=quick) for entry in sorted(entries, key=lambda e: -e.long)
    }
    tasks |= {name: partial(check_claim, name, out) for name in claims}
    present = [name for name, record in records.items() if record is not None]
    for finished, name in enumerate(present, 1):
        progress(name, None, finished, len(records))
    missing = {name: task for name, task in tasks.items() if records[name] is None}
    for finished, (name, record) in enumerate(_results(missing, jobs), len(present) + 1):
        records[name] = record
        progress(name, record.seconds, finished, len(records))
    figures = [record for record in records.values() if isinstance(record, FigureRecord)]
    return figures, [record for record in records.values() if isinstance(record, ClaimRecord)]


def prepare(out: Path) -> None:
    """The directory, and no leftovers of a run that was killed."""
    try:
        out.mkdir(parents=True, exist_ok=True)
        for part in (*out.glob(".*.part"), *(out / CLAIM_FOLDER).glob(".*.part")):
            if time.time() - part.stat().st_mtime > STALE:
                part.unlink(missing_ok=True)
    except OSError:
        raise InvalidInput(f"{out} cannot be made a directory", hint="choose another with --out") from None


def _results(tasks: Mapping[str, Task], jobs: int) -> Iterator[tuple[str, Record]]:
    """Each task's result as it is ready; here and one by one if there is nothing to share out."""
    if jobs < 2 or len(tasks) < 2:
        yield from ((name, task()) for name, task in tasks.items())
        return
    with _pool(min(jobs, len(tasks))) as pool:
        names = {pool.submit(task): name for name, task in tasks.items()}
        yield from ((names[future], future.result()) for future in as_completed(names))


@contextmanager
def _pool(jobs: int) -> Iterator[ProcessPoolExecutor]:
    """Fresh processes that end with this one, however it ends."""
    before = set(multiprocessing.active_children())
    pool = ProcessPoolExecutor(jobs, mp_context=multiprocessing.get_context("spawn"), initializer=_follow_parent)
    try:
        yield pool
        pool.shutdown()
    except BaseException:  # an interrupt too: what is under way is not waited for
        pool.shutdown(wait=False, cancel_futures=True)
        for child in set(multiprocessing.active_children()) - before:
            child.terminate()
        raise


def _follow_parent() -> None:
    """Leave interrupts to the parent, and leave with it: a killed parent can tell nobody to stop."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()
    if parent is not None:

        def follow() -> None:
            parent.join()
            os._exit(1)

        threading.Thread(target=follow, daemon=True).start()
