"""A release on Spark that waits at its counts, so that others can look for what it wrote: a program of its own.

`python -m tests.support.spark_files SOURCE FAULT` says `counted` and waits for a line. With the fault `as Spark does
it` the files are written as Spark writes them if nobody says otherwise.
"""

import sys
import tempfile
from contextlib import nullcontext
from pathlib import Path

import discreet.requests.run as run
from discreet.counting import spark_sessions
from tests.support.tables import at

EPSILON = 1


def wait() -> None:
    print("counted", flush=True)
    sys.stdin.readline()


def plant(fault: str) -> None:
    """Take away what keeps the files private."""
    if fault == "as Spark does it":
        spark_sessions.UMASK = 0o022
        spark_sessions.SETTINGS["spark.io.encryption.enabled"] = "false"
        shared = Path(tempfile.mkdtemp())
        shared.chmod(0o755)
        vars(spark_sessions)["_private_directory"] = lambda: nullcontext(str(shared))


if __name__ == "__main__":
    source, fault = sys.argv[1:]
    plant(fault)
    vars(run)["reached"] = at("counted", wait)
    run.release(source, column="v", categories=["a"], other="rest", id_column="who", epsilon=EPSILON, ledger=None)
