"""The page's slider of ε: from a move to the answer, over HTTP, beside a question that asks nothing."""

from __future__ import annotations

import json
import signal
import statistics
import subprocess
import sys
import time
from http.client import HTTPConnection

from bench.rows import Answer, Effort, Row, question

K, N, MOVES = 5, 10_000, 200
LONGEST = 0.15
"""Seconds within which a picture seems to follow the hand."""


@question("sliding")
def ask(effort: Effort) -> Answer:
    """The page's server answers what an interval will be like at an ε, for 200 different ones.

    k = 5 and n = 10,000. Both questions take turns on one connection that stays open; the empty one has the same guard,
    thread and JSON around it. Nothing is asked twice, so no answer is remembered.
    """
    command = [sys.executable, "-m", "discreet", "serve", "--no-browser"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:  # noqa: S603 - our own command
        assert server.stdout is not None
        address = server.stdout.readline().split()[-1]
        port, token = int(address.rpartition(":")[2].partition("/")[0]), address.partition("#token=")[2]
        connection = HTTPConnection("127.0.0.1", port)
        headers = {"content-type": "application/json", "x-discreet-token": token}

        def seconds(what: str, fields: dict[str, str]) -> float:
            start = time.perf_counter()
            connection.request("POST", f"/api/{what}", json.dumps(fields), headers)
            assert connection.getresponse().read().startswith(b"{")
            return time.perf_counter() - start

        def move(i: int) -> float:
            return seconds("forecast", {"prior": ",".join("1" * K), "n": str(N), "epsilon": f"{0.1 + 0.011 * i:.3f}"})

        move(-1)
        pairs = [(move(i), seconds("forget", {})) for i in range(min(MOVES, effort.most))]
        connection.close()
        server.send_signal(signal.SIGINT)
    ours, empty = (statistics.median(taken) for taken in zip(*pairs, strict=True))
    return Answer(
        [
            Row(f"a move of the slider, k = {K}, n = {N:,}", ours, at_most=LONGEST),
            Row(f"the same, median of {len(pairs)} moves", ours, empty, "an empty question", grows=True),
        ]
    )
