"""One peer's first release in a process of its own: `python -m bench.peer_probe 15000 0` prints its name and seconds.

The number picks one of `bench.peers.selections`; imports and the building of OpenDP's measurement are not timed.
"""

from __future__ import annotations

import json
import sys
import time

from bench.questions.release import rivals


def main(n: int, index: int) -> None:
    """Time the first call, and nothing before it."""
    name, call = list(rivals(n, "peaked").items())[index]
    start = time.perf_counter()
    call()
    print(json.dumps({"name": name, "first": time.perf_counter() - start}))


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
