"""Killing workers in the middle of a count leaves the count right, or the release stopped with nothing lost."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import discreet as dc
from discreet.ledger import Ledger
from tests.contracts.source import ROOT
from tests.support.soak import LOAD_SECONDS
from tests.support.spark import environment, executors, missing

pytestmark = pytest.mark.xdist_group("spark")

CERTAIN = 2000
"""An ε so large that the noise is zero but with a probability below e^-900: the release tells the counts."""


@pytest.mark.soak
@pytest.mark.parametrize("seconds", [0, LOAD_SECONDS // 10])
def test_a_killed_worker_changes_no_count_and_no_charge(
    seconds: int, spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One release after the other, and in each a worker dies."""
    ledger = Ledger.create(tmp_path / "l.db", dataset="d", epsilon=10**6 * CERTAIN)
    requests, end = 0, time.monotonic() + seconds
    while not requests or time.monotonic() < end:
        requests += 1
        release_while_a_worker_dies(spark, ledger, f"r{requests}", monkeypatch)
    assert ledger.spent("d").epsilon == CERTAIN * requests
    charged = [entry.request_id for entry in ledger.history("d") if entry.kind == "charge"]
    assert charged == [f"r{i + 1}" for i in range(requests)]
    ledger.verify()


def release_while_a_worker_dies(spark: Any, ledger: Ledger, request: str, monkeypatch: pytest.MonkeyPatch) -> None:
    frame = spark.range(0, 600, 1, 6).selectExpr("CASE id % 3 WHEN 0 THEN 'a' WHEN 1 THEN 'b' ELSE 'c' END AS v")
    driver = spark.sparkContext._gateway.proc.pid
    killed: list[int] = []

    def kill_one_that_is_at_work() -> None:
        tracker, end = spark.sparkContext.statusTracker(), time.monotonic() + 600  # a busy machine
        while not killed and time.monotonic() < end:
            stages = [tracker.getStageInfo(stage) for stage in tracker.getActiveStageIds()]
            # The other worker has done all the rest, and the one task that is left is the victim's.
            if any(stage.numActiveTasks == 1 == stage.numTasks - stage.numCompletedTasks for stage in stages if stage):
                os.kill(victim, signal.SIGKILL)
                killed.append(victim)
            time.sleep(0.01)

    def begin(step: str) -> None:
        if step == "opened":
            os.kill(victim, signal.SIGSTOP)  # its task can begin and cannot end
            killer.start()

    registered, end = spark.sparkContext._jsc.sc(), time.monotonic() + 300
    while len(executors(driver)) < 2 or registered.getExecutorMemoryStatus().size() < 3:  # the driver is among them
        assert time.monotonic() < end, "the worker that was killed before does not come back"
        time.sleep(0.1)
    assert frame.count() == 600  # both are up
    victim = executors(driver)[0]
    killer = threading.Thread(target=kill_one_that_is_at_work, daemon=True)
    monkeypatch.setattr("discreet.requests.run.reached", begin)
    receipt = dc.release(
        frame, column="v", categories=["a", "b", "c"], epsilon=CERTAIN, ledger=ledger, dataset="d", request_id=request,
        again=True,
    )  # fmt: skip
    killer.join()
    assert killed == [victim]
    assert victim not in executors(driver)
    assert receipt.output == (200, 200, 200)


@pytest.mark.soak
def test_a_cluster_that_goes_stops_the_release_and_the_request_can_be_repeated(tmp_path: Path) -> None:
    if reason := missing():
        pytest.skip(reason)
    conf, events = tmp_path / "conf", tmp_path / "events"
    conf.mkdir()
    events.mkdir()
    configured = f"spark.eventLog.enabled true\nspark.eventLog.dir {events.as_uri()}\n"
    (conf / "spark-defaults.conf").write_text(configured)
    process = subprocess.run(
        [sys.executable, "-m", "tests.support.spark_kills", str(tmp_path)], cwd=ROOT, capture_output=True, text=True,
        env={**os.environ, **environment(tmp_path), "SPARK_CONF_DIR": str(conf)}, check=False,
    )  # fmt: skip
    assert process.returncode == 0, process.stderr
    assert not list(events.iterdir()), "a log of events would keep how many rows and cells there were"
    assert process.stderr == "", "whatever Spark says goes nowhere"
    answer = json.loads(process.stdout)
    assert answer["workers"] == "all workers of the cluster are gone; bring one back"
    source = answer["source"]
    assert answer["driver"] == (
        f"{source} cannot be read as a table; check that it is whole, well-formed, and what its name says"
    )
    assert answer["output"] == [60, 40]
    assert Fraction(answer["spent"]) == CERTAIN
    assert answer["charges"] == 1
