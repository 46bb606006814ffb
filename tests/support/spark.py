"""A real Spark for the tests: one process, and where workers are killed a driver and two workers' executors.

It takes seconds to start, so all tests that use it are of one group, which one worker of pytest runs.
"""

import logging
import shutil
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

LOCAL, CLUSTER = "local[2]", "local-cluster[2,1,1024]"

QUICK = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -XX:+UnlockDiagnosticVMOptions -XX:-BytecodeVerificationRemote"
"""Tests are over before a better compiler has paid for itself, and the classes are verified well enough elsewhere."""

ARGUMENTS = (
    f"--conf 'spark.driver.extraJavaOptions={QUICK}' --conf 'spark.executor.extraJavaOptions={QUICK}' "
    "--conf spark.sql.shuffle.partitions=2 --conf spark.driver.memory=1g pyspark-shell"
)


def missing() -> str | None:
    """Why Spark cannot run here, if it cannot."""
    if shutil.which("java") is None:
        return "no Java: apt-get install openjdk-17-jre-headless"
    return None if find_spec("pyspark") else "no pyspark: pip install -e '.[spark]'"


def environment(folder: Path) -> dict[str, str]:
    """What Spark is told: a home that is pyspark's own, but for what it writes there."""
    package = find_spec("pyspark")
    assert package is not None
    assert package.submodule_search_locations is not None
    home = folder / "home"
    home.mkdir()
    for part in ("bin", "jars", "python", "sbin"):
        inside = Path(package.submodule_search_locations[0]) / part
        if inside.exists():
            (home / part).symlink_to(inside)
    arguments = f"--conf spark.sql.warehouse.dir={folder}/warehouse {ARGUMENTS}"
    options = {"PYSPARK_SUBMIT_ARGS": arguments, "SPARK_DAEMON_JAVA_OPTS": QUICK, "SPARK_DAEMON_MEMORY": "256m"}
    return {"SPARK_HOME": str(home), "SPARK_LOCAL_IP": "127.0.0.1", **options}


def executors(parent: int) -> list[int]:
    """The processes that run tasks and were started by this one: a worker, or a driver that plays all of them."""
    processes = []
    for place in Path("/proc").glob("[0-9]*"):
        try:
            command = (place / "cmdline").read_bytes()
            started_by = int((place / "stat").read_text().rpartition(")")[2].split()[1])
        except OSError:  # gone meanwhile
            continue
        if b"CoarseGrainedExecutorBackend" in command and started_by == parent:
            processes.append(int(place.name))
    return sorted(processes)


@pytest.fixture(scope="session")
def spark(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """One session for all tests, on a cluster of this machine if a worker is to be killed."""
    if reason := missing():
        pytest.skip(reason)
    from discreet.counting.sources import find_spark
    from discreet.counting.spark_sessions import session_for

    # What it holds of the driver is given back whenever it is collected, and told of in the log of another test.
    logging.getLogger("py4j").setLevel(logging.WARNING)
    with pytest.MonkeyPatch.context() as patch:
        for name, value in environment(tmp_path_factory.mktemp("spark")).items():
            patch.setenv(name, value)
        kills = any("test_spark_kills" in item.nodeid for item in request.session.items)
        opened = session_for(find_spark(f"spark+{CLUSTER if kills else LOCAL}://any.parquet"))
        session = opened.__enter__()
    try:
        yield session
    finally:
        opened.__exit__(None, None, None)
