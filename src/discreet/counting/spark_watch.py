"""Waiting for Spark: telling how far it is, hearing Ctrl-C, and giving up on a cluster that is gone.

Spark itself waits for ever for workers that do not come back. Once there were some, a minute without any ends the
wait; before the first, it is the cluster's queue, and the wait is its user's to end.
"""

from __future__ import annotations

import time
from itertools import count
from typing import Any

from discreet.counting.base import Progress, watch
from discreet.errors import SourceError

ALONE = 60.0
"""Seconds without any worker until a count gives up."""

_numbers = count()


def collect(answer: Any, progress: Progress | None) -> list[tuple[Any, ...]]:
    """The rows of a small answer."""
    context = answer.sparkSession.sparkContext
    group = f"discreet {next(_numbers)}"

    def work() -> list[tuple[Any, ...]]:
        context.setJobGroup(group, "counting", interruptOnCancel=True)
        return [tuple(row) for row in answer.collect()]

    return watch(work, look=_Watch(context, group, progress).look, stop=lambda: context.cancelJobGroup(group))


class _Watch:
    """What is seen of a job from outside."""

    def __init__(self, context: Any, group: str, progress: Progress | None) -> None:
        self._context, self._group, self._progress = context, group, progress
        master = str(context.master)
        self._has_workers = not master.startswith("local") or master.startswith("local-cluster")
        self._seen: float | None = None

    def look(self) -> None:
        """Tell the progress; raise if all workers are gone for too long."""
        try:
            workers, done = self._workers(), self._done()
        except Exception:  # noqa: BLE001 - the engine is going or gone, and the work itself will say so
            return
        if workers:
            self._seen = time.monotonic()
        elif self._seen is not None and time.monotonic() - self._seen > ALONE:
            raise SourceError("all workers of the cluster are gone", hint="bring one back")
        if self._progress is not None and done is not None:
            self._progress(done)

    def _workers(self) -> int:
        """How many there are; the driver counts itself."""
        if not self._has_workers:
            return 1
        return int(self._context._jsc.sc().getExecutorMemoryStatus().size()) - 1

    def _done(self) -> float | None:
        tracker = self._context.statusTracker()
        jobs = [tracker.getJobInfo(job) for job in tracker.getJobIdsForGroup(self._group)]
        stages = [tracker.getStageInfo(stage) for job in jobs if job is not None for stage in job.stageIds]
        tasks = [(stage.numCompletedTasks, stage.numTasks) for stage in stages if stage is not None]
        total = sum(size for _, size in tasks)
        return sum(done for done, _ in tasks) / total if total else None
