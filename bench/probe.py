"""One mechanism in a process of its own: `python -m bench.probe exponential-reciprocal 1000 2` prints JSON.

The imports come first and are timed apart; numpy is among them, because every peer imports it too. Then come the first
release, further ones, the bits that draws read, and how far the process's memory rose above what it was after the
imports. Modules that a release imports all the same are listed, since they would hide in its time.
"""

from __future__ import annotations

import json
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

DRAWS = 25
SECONDS = 0.5


def peak_bytes() -> int:
    """The most memory that this process has held.

    Linux tells it for this program alone; `ru_maxrss` would start from what the parent held.
    """
    status = Path("/proc/self/status")
    if status.exists():
        line = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM:"))
        return 1024 * int(line.split()[1])
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def balanced(n: int, k: int) -> list[int]:
    """Counts as equal as can be: where the smooth sensitivities are small and laws are peaked."""
    return [n // k + (i < n % k) for i in range(k)]


def measure(name: str, n: int, k: int) -> dict[str, object]:
    """Everything about one mechanism on one space."""
    start = time.perf_counter()
    import numpy as np

    import discreet as dc
    from discreet.mechanisms import BY_NAME

    family: Callable[..., dc.Mechanism] = BY_NAME[name]
    space_of, prior_of = dc.PosteriorSpace, dc.Dirichlet
    imports = time.perf_counter() - start
    counts, ones = balanced(n, k), [1] * k
    modules, memory = set(sys.modules), peak_bytes()

    def release() -> float:
        begun = time.perf_counter()
        family(space_of(prior=prior_of(ones), n=n), epsilon=1).release(counts)
        return time.perf_counter() - begun

    first = release()
    risen = peak_bytes() - memory
    imported = sorted(module for module in set(sys.modules) - modules)
    taken = [release()]
    while len(taken) < DRAWS and sum(taken) < SECONDS:
        taken.append(release())

    from discreet.testing import CountedBits, draw_with

    law, bits = family(space_of(prior=prior_of(ones), n=n), epsilon=1).law(counts), CountedBits()
    used = []
    for _ in range(len(taken)):
        before = bits.used
        draw_with(law, bits)
        used.append(bits.used - before)
    return {
        "imports": imports,
        "first": first,
        "again": statistics.median(taken),
        "bits": float(np.mean(used)),
        "memory": risen,
        "imported": imported,
    }


if __name__ == "__main__":
    print(json.dumps(measure(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))))
