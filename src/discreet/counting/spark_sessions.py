"""A session of Spark for the text of a SOURCE: started for it, and closed after it.

What Spark prints and logs may quote rows, so the driver's output is dropped. What it shuffles and spills has ids and
counts: it is encrypted with a key that only the processes of the session know. The driver's temporary files are in a
directory of their own, which is removed with the session, and nobody else may read what the driver writes anywhere.
A session that already runs in this process is used if it is on the same master, and left running.

Spark itself waits for ever for workers that do not come back. Once there were some, a minute without any ends the
wait; before the first, it is the cluster's queue, and the wait is its user's to end.
"""

from __future__ import annotations

import logging
import os
import shutil
import signal
import subprocess
import threading
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import count
from tempfile import TemporaryDirectory
from typing import Any

from pyspark import SparkConf, SparkContext
from pyspark.java_gateway import launch_gateway
from pyspark.sql import SparkSession

from discreet.counting.engines import Progress, watch
from discreet.counting.sources import SparkPlace
from discreet.counting.table import attempt
from discreet.errors import SourceError

SETTINGS = {
    "spark.app.name": "discreet",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.log.level": "OFF",
    "spark.eventLog.enabled": "false",
    "spark.io.encryption.enabled": "true",
    "spark.sql.files.ignoreCorruptFiles": "false",
    "spark.sql.files.ignoreMissingFiles": "false",
    "spark.sql.sources.partitionColumnTypeInference.enabled": "false",
    "spark.sql.runSQLOnFiles": "false",
}
"""Nothing is guessed, and nothing that cannot be read is left out in silence. Memory and the like are Spark's own
configuration: spark-defaults.conf, or PYSPARK_SUBMIT_ARGS."""

UMASK = 0o077
"""What the driver and the executors that it starts write is for their user alone."""

STOPPING = 30
"""Seconds that a session may take to stop before its process is killed."""

PATIENCE_ALONE = 60.0
"""Seconds without any worker until a count gives up."""

_numbers = count()


@contextmanager
def session_for(place: SparkPlace) -> Iterator[Any]:
    """The session that reads this source."""
    context = SparkContext._active_spark_context
    if context is not None:
        if place.master not in (None, context.master):
            raise SourceError(
                f"a Spark session on {context.master} is running here", hint="stop it, or give a DataFrame of it"
            )
        yield SparkSession(context)
        return
    if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        raise SourceError("Spark needs Java", hint="install Java 17 or newer, or set JAVA_HOME")
    handler = signal.getsignal(signal.SIGINT)
    with _private_directory() as private:
        gateway = attempt(lambda: _gateway(place, private), _unreachable(place))
        logging.root.addFilter(_is_not_of_the_bridge)
        try:
            yield attempt(lambda: _session(gateway), _unreachable(place))
        finally:
            _close(gateway)
            logging.root.removeFilter(_is_not_of_the_bridge)
            if threading.current_thread() is threading.main_thread():
                signal.signal(signal.SIGINT, handler)  # Spark's own would ask a context that is gone


def _private_directory() -> TemporaryDirectory[str]:
    """A directory that only this user may enter."""
    return TemporaryDirectory(prefix="discreet-spark-", ignore_cleanup_errors=True)


def _gateway(place: SparkPlace, private: str) -> Any:
    """Start the driver, whose output goes nowhere and whose temporary files are in a directory of their own."""
    conf = SparkConf(loadDefaults=False).setAll(list(SETTINGS.items()))
    if place.master is not None:
        conf.setMaster(place.master)
    silent = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "umask": UMASK}
    # A spark.local.dir that is configured is kept: it may be the one disk that is large enough.
    before = os.environ.get("JAVA_TOOL_OPTIONS")
    os.environ["JAVA_TOOL_OPTIONS"] = f'{before or ""} "-Djava.io.tmpdir={private}"'
    try:
        return launch_gateway(conf, popen_kwargs=silent)
    finally:
        if before is None:
            del os.environ["JAVA_TOOL_OPTIONS"]
        else:
            os.environ["JAVA_TOOL_OPTIONS"] = before


def _session(gateway: Any) -> Any:
    with warnings.catch_warnings(action="ignore"):  # of versions of pandas, which is not used here
        return SparkSession(SparkContext(gateway=gateway))


def _close(gateway: Any) -> None:
    """Stop the session and end the driver, also one that was killed or does not answer."""
    with suppress(Exception), warnings.catch_warnings(action="ignore"):  # of drivers that were killed
        if SparkContext._active_spark_context is not None:
            SparkSession(SparkContext._active_spark_context).stop()
    with suppress(Exception):
        gateway.shutdown()
    process = getattr(gateway, "proc", None)
    if process is not None:
        process.stdin.close()  # the driver ends with it
        try:
            process.wait(STOPPING)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
    # What a later session would take for a driver that still runs.
    SparkContext._active_spark_context = None
    SparkContext._gateway = SparkContext._jvm = None
    SparkSession._instantiatedSession = None


def _is_not_of_the_bridge(record: logging.LogRecord) -> bool:
    """The bridge to the driver logs a traceback when the driver dies; what is to be said of that, we say."""
    return "py4j" not in record.pathname


def _unreachable(place: SparkPlace) -> SourceError:
    where = place.master or "the configured master"
    return SourceError(f"no Spark session starts on {where}", hint="check that the cluster runs and is of this version")


def collect(answer: Any, progress: Progress | None) -> list[tuple[Any, ...]]:
    """The rows of a small answer."""
    context = answer.sparkSession.sparkContext
    group = f"discreet {next(_numbers)}"

    def work() -> list[tuple[Any, ...]]:
        context.setJobGroup(group, "counting", interruptOnCancel=True)
        return [tuple(row) for row in answer.collect()]

    master = str(context.master)
    is_local = master.startswith("local") and not master.startswith("local-cluster")
    last_seen: float | None = None

    def look() -> None:
        """Tell the progress; raise if all workers are gone for too long."""
        nonlocal last_seen
        try:
            workers = 1 if is_local else int(context._jsc.sc().getExecutorMemoryStatus().size()) - 1  # and the driver
            share = _share_of_tasks(context.statusTracker(), group)
        except Exception:  # noqa: BLE001 - the engine is going or gone, and the work itself will say so
            return
        if workers:
            last_seen = time.monotonic()
        elif last_seen is not None and time.monotonic() - last_seen > PATIENCE_ALONE:
            raise SourceError("all workers of the cluster are gone", hint="bring one back")
        if progress is not None and share is not None:
            progress(share)

    return watch(work, look, stop=lambda: context.cancelJobGroup(group))


def _share_of_tasks(tracker: Any, group: str) -> float | None:
    jobs = [tracker.getJobInfo(job) for job in tracker.getJobIdsForGroup(group)]
    stages = [tracker.getStageInfo(stage) for job in jobs if job is not None for stage in job.stageIds]
    tasks = [(stage.numCompletedTasks, stage.numTasks) for stage in stages if stage is not None]
    total = sum(size for _, size in tasks)
    return sum(completed for completed, _ in tasks) / total if total else None
