"""What a parser makes of given bytes, in a process that may not take long or much: `python -m tests.fuzz.replay`.

It reads a JSON object from standard input, for each parser a list of texts whose letters are the bytes, and prints how
many it read. A finding ends it.
"""

from __future__ import annotations

import ctypes
import json
import resource
import signal
import sys
from pathlib import Path
from types import FrameType

from tests.fuzz.planted import PLANTED
from tests.fuzz.targets import TARGETS

HANG_SECONDS = 10
"""Of CPU: a busy machine is no fault."""

MEMORY_MB = 1024
M_ARENA_MAX = -8
"""What glibc's `mallopt` calls the number of pools."""


class Hang(Exception):
    """An input took more than its time."""


def replay(parser: str, inputs: list[bytes], hang_seconds: float) -> int:
    """Read all of them; the first that is neither read nor refused raises."""
    read = {**TARGETS, **PLANTED}[parser]
    signal.signal(signal.SIGPROF, _stop)
    for data in inputs:
        signal.setitimer(signal.ITIMER_PROF, hang_seconds)
        try:
            read(data)
        except BaseException:
            print(f"{parser} fails on {data[:200]!r}", file=sys.stderr)
            raise
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
    return len(inputs)


def _stop(_signal: int, _frame: FrameType | None) -> None:
    raise Hang


def limit_memory() -> None:
    """A gigabyte beyond what the libraries have mapped: a greedy parser fails where it asks, and not much later.

    Threads share two pools of memory: each of their own would reserve addresses that nobody uses.
    """
    ctypes.CDLL(None).mallopt(M_ARENA_MAX, 2)
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    most = pages * resource.getpagesize() + (MEMORY_MB << 20)
    resource.setrlimit(resource.RLIMIT_AS, (most, most))


if __name__ == "__main__":
    limit_memory()
    seconds = float(sys.argv[1]) if sys.argv[1:] else HANG_SECONDS
    asked = {parser: [text.encode("latin-1") for text in texts] for parser, texts in json.load(sys.stdin).items()}
    print(json.dumps({parser: replay(parser, inputs, seconds) for parser, inputs in asked.items()}))
