"""A release on a standalone cluster that loses all its workers, then its driver, and is then left in peace.

A program of its own, because a session of Spark belongs to its process: `python -m tests.support.spark_kills FOLDER`
prints what it found. The cluster is started by the lines of docs/cluster.md.
"""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout, suppress
from io import StringIO
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import discreet.requests.run as workflow
from discreet.cli.app import run as command
from discreet.counting import spark_sessions
from discreet.errors import SourceError
from discreet.ledger import Ledger
from tests.contracts.source import ROOT
from tests.support.postgres import free_port
from tests.support.spark import executors
from tests.support.tables import at

PAGE = ROOT / "docs" / "cluster.md"
EPSILON = 2000
PATIENCE = 120


def lines(port: int) -> list[str]:
    """The lines of the page that start a cluster, on another port: the master's, and a worker's."""
    [block] = re.findall(r"```sh\n(home=.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    home, *commands = block.replace("7077", str(port)).replace("python ", f"{sys.executable} ").strip().splitlines()
    return [f"{home}; exec {command.removesuffix(' &')}" for command in commands]


def run(folder: Path) -> dict[str, Any]:
    """Kill, repeat, and say what was told and charged."""
    pq.write_table(pa.table({"v": ["a"] * 60 + ["b"] * 40}), folder / "votes.parquet")
    ledger = Ledger.create(folder / "l.db", dataset="d", epsilon=10 * EPSILON)
    port = free_port()
    source = f"spark://127.0.0.1:{port}/{folder}/votes.parquet"
    report: dict[str, Any] = {"source": source}
    master, worker = lines(port)
    spark_sessions.PATIENCE_ALONE = 1.0
    with _process(master), _process(worker) as first:
        _until(lambda: _listens(port))

        def kill_the_workers() -> None:
            for process in (first.pid, *executors(first.pid)):
                os.kill(process, signal.SIGKILL)

        report["workers"] = _check_refusal(source, ledger, first.pid, kill_the_workers)
        with _process(worker) as second:
            report["driver"] = _check_refusal(source, ledger, second.pid, _kill_the_driver)
            vars(workflow)["reached"] = lambda step: None
            report["output"] = _repeat_release(source, folder / "l.db")
    report["spent"] = str(ledger.spent("d").epsilon)
    report["charges"] = sum(entry.kind == "charge" for entry in ledger.history("d"))
    ledger.verify()
    return report


def _repeat_release(source: str, ledger: Path) -> Any:
    """The output of the same request, made by the command."""
    table = [source, "--column", "v", "--categories", "a", "--other", "b", "--epsilon", str(EPSILON)]
    budget = ["--ledger", str(ledger), "--dataset", "d", "--request-id", "r", "--yes", "--json"]
    with redirect_stdout(StringIO()) as printed:
        assert command(["release", *table, *budget]) == 0
    return json.loads(printed.getvalue())["output"]


def _kill_the_driver() -> None:
    from pyspark import SparkContext

    assert SparkContext._gateway is not None
    os.kill(SparkContext._gateway.proc.pid, signal.SIGKILL)


def _check_refusal(source: str, ledger: Ledger, worker: int, kill: Callable[[], None]) -> str:
    """What is said of a release that is killed in the middle of its count."""
    killed: list[bool] = []

    def begin() -> None:
        _signal(executors(worker), signal.SIGSTOP)  # a task can begin and cannot end
        threading.Thread(target=in_the_middle, daemon=True).start()

    def in_the_middle() -> None:
        _until(_is_at_work)
        stopped = executors(worker)
        kill()
        killed.append(True)
        _signal(stopped, signal.SIGCONT)

    vars(workflow)["reached"] = at("opened", begin)
    with pytest.raises(SourceError) as refused:
        _release(source, ledger)
    assert killed, "the count failed of itself"
    assert refused.value.__context__ is None
    assert ledger.find("r") is None, "nothing is charged for what was never counted"
    return str(refused.value)


def _is_at_work() -> bool:
    from pyspark import SparkContext

    assert SparkContext._active_spark_context is not None
    tracker = SparkContext._active_spark_context.statusTracker()
    stages = [tracker.getStageInfo(stage) for stage in tracker.getActiveStageIds()]
    return any(stage.numActiveTasks for stage in stages if stage is not None)


def _signal(processes: list[int], sign: signal.Signals) -> None:
    for process in processes:
        with suppress(ProcessLookupError):
            os.kill(process, sign)


def _release(source: str, ledger: Ledger) -> Any:
    return workflow.release(
        source, column="v", categories=["a"], other="b", epsilon=EPSILON, ledger=ledger, dataset="d", request_id="r"
    )


@contextmanager
def _process(line: str) -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen(["bash", "-c", line], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def _listens(port: int) -> bool:
    with socket.socket() as trial:
        return trial.connect_ex(("127.0.0.1", port)) == 0


def _until(true: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < end, "the cluster did not start"
        time.sleep(0.1)


if __name__ == "__main__":
    print(json.dumps(run(Path(sys.argv[1]))))
