"""Medians of interleaved repeats: contenders take turns, so that a busy moment of the machine meets all of them."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping

from bench.rows import Effort


def race(contenders: Mapping[str, Callable[[], object]], effort: Effort) -> dict[str, float]:
    """The median seconds of each contender's calls, after one call of each that does not count."""
    samples: dict[str, list[float]] = {name: [] for name in contenders}
    for call in contenders.values():
        call()
    running = dict(contenders)
    while running:
        for name, call in list(running.items()):
            start = time.perf_counter()
            call()
            samples[name].append(time.perf_counter() - start)
            if _enough(samples[name], effort):
                del running[name]
    return {name: statistics.median(seconds) for name, seconds in samples.items()}


def _enough(seconds: list[float], effort: Effort) -> bool:
    return len(seconds) >= effort.most or (len(seconds) >= effort.least and sum(seconds) >= effort.seconds)
