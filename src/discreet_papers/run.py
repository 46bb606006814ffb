"""Making many figures, two at a time, and checking the claims: whatever an interrupted run has finished is kept.

Each figure is made in a process of its own that puts it in place itself, so a kill loses at most what was under way.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from contextlib import contextmanager
from pathlib import Path

from discreet.errors import InvalidInput
from discreet_papers.records import CLAIM_FOLDER, Checked, Made, check, make, recall, recall_check
from discreet_papers.registry import Entry, chosen

STALE = 60.0
"""Seconds after which a half-written file belongs to nobody: writing one takes a fraction of a second."""

Tell = Callable[[str, float | None, int, int], None]
"""What is told as work is done: a name, its seconds (None if an earlier run did it), how much is done of how much."""


def reproduce(
    entries: Sequence[Entry], claims: Sequence[str], out: Path, *, quick: bool, jobs: int, tell: Tell
) -> tuple[list[Made], list[Checked]]:
    """Make what is not there yet; the answer is all of it, in the order that was asked for."""
    prepare(out)
    figures = {entry.id: recall(entry, out, quick=quick) for entry in entries}
    checks = {name: recall_check(name, out) for name in claims}
    long = {entry.id: entry.long for entry in entries}
    total = len(figures) + len(checks)
    done = 0
    for name, known in (*figures.items(), *checks.items()):
        if known is not None:
            done += 1
            tell(name, None, done, total)
    missing = sorted((name for name, known in figures.items() if known is None), key=lambda name: -long[name])
    tasks: list[tuple[str, Callable[..., Made | Checked], tuple[object, ...]]] = [
        *((name, _make, (name, out, quick)) for name in missing),
        *((name, check, (name, out)) for name, known in checks.items() if known is None),
    ]
    for name, result in _results(tasks, jobs):
        done += 1
        if isinstance(result, Made):
            figures[name] = result
        else:
            checks[name] = result
        tell(name, result.seconds, done, total)
    return [made for made in figures.values() if made], [checked for checked in checks.values() if checked]


def prepare(out: Path) -> None:
    """The directory, and no leftovers of a run that was killed."""
    try:
        out.mkdir(parents=True, exist_ok=True)
        for part in (*out.glob(".*.part"), *(out / CLAIM_FOLDER).glob(".*.part")):
            if time.time() - part.stat().st_mtime > STALE:
                part.unlink(missing_ok=True)
    except OSError:
        raise InvalidInput(f"{out} cannot be made a directory", hint="choose another with --out") from None


def _make(name: str, out: Path, quick: bool) -> Made:
    return make(chosen([name])[0], out, quick=quick)


def _results(
    tasks: Sequence[tuple[str, Callable[..., Made | Checked], tuple[object, ...]]], jobs: int
) -> Iterator[tuple[str, Made | Checked]]:
    """Each task's result as it is ready; here and one by one if there is nothing to share out."""
    if jobs < 2 or len(tasks) < 2:
        for name, call, arguments in tasks:
            yield name, call(*arguments)
        return
    with _pool(min(jobs, len(tasks))) as pool:
        open_: dict[Future[Made | Checked], str] = {pool.submit(call, *args): name for name, call, args in tasks}
        while open_:
            for future in wait(open_, return_when=FIRST_COMPLETED).done:
                yield open_.pop(future), future.result()


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
