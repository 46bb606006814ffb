"""A Dirichlet law in a process of its own: `python -m bench.dirichlet_probe 10 1000000` prints JSON.

Exponential-reciprocal, prior of ones, balanced counts, ε = 1. After the imports: the first release, the preparation of
the sampler, further draws from the prepared law, how many proposals each took, and the most memory that the process
has held, imports and all.
"""

from __future__ import annotations

import json
import statistics
import sys
import time
from functools import partial

from bench.probe import balanced, peak_bytes

DRAWS = 200
SECONDS = 3.0


def measure(k: int, n: int) -> dict[str, float]:
    """Everything about one space."""
    import numpy as np  # noqa: F401  (its import is not ours to time)

    from discreet import ExponentialReciprocal, PosteriorSpace
    from discreet.samplers.bits import SYSTEM, draw_bernoulli

    counts = balanced(n, k)
    start = time.perf_counter()
    ExponentialReciprocal(PosteriorSpace(prior=[1] * k, n=n), epsilon=1).release(counts)
    first = time.perf_counter() - start
    law = ExponentialReciprocal(PosteriorSpace(prior=[1] * k, n=n), epsilon=1).law(counts)
    start = time.perf_counter()
    sampler = law._simplex_rejection()
    preparation = time.perf_counter() - start
    taken: list[float] = []
    tries = 0
    while len(taken) < DRAWS and sum(taken) < SECONDS:
        start = time.perf_counter()
        while True:
            tries += 1
            proposal = sampler.propose(SYSTEM)
            if proposal is not None and draw_bernoulli(SYSTEM, partial(sampler.chance, proposal)):
                break
        taken.append(time.perf_counter() - start)
    return {
        "first": first,
        "preparation": preparation,
        "draw": statistics.median(taken),
        "tries": tries / len(taken),
        "memory": float(peak_bytes()),
    }


if __name__ == "__main__":
    print(json.dumps(measure(int(sys.argv[1]), int(sys.argv[2]))))
