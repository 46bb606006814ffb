"""Measurements in fresh processes: nothing is warm there, and memory is theirs alone."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from bench.rows import Effort
from bench.timing import race

ROOT = Path(__file__).parent.parent

Case = tuple[str, int, int]
"""A mechanism's name, n and k."""


def run(arguments: Sequence[str]) -> str:
    """What a command prints; it must succeed."""
    done = subprocess.run(arguments, cwd=ROOT, check=True, capture_output=True, text=True)  # noqa: S603
    return done.stdout


def race_processes(commands: Mapping[str, Sequence[str]], effort: Effort) -> dict[str, float]:
    """The median seconds from start to end of each command's process."""
    turns = Effort(seconds=0.0, least=effort.processes, most=effort.processes)
    return race({name: partial(run, command) for name, command in commands.items()}, turns)


@dataclass(frozen=True, slots=True)
class Probe:
    """What `bench.probe` reports of one mechanism, in medians over processes."""

    imports: float
    first: float
    again: float
    bits: float
    memory: float
    imported: tuple[str, ...]


def probe(cases: Sequence[Case], effort: Effort) -> list[Probe]:
    """Releases of mechanisms on balanced counts, every one in a fresh process, the cases in turns."""
    found: list[list[dict[str, Any]]] = [[] for _ in cases]
    for _ in range(effort.processes):
        for one, (mechanism, n, k) in zip(found, cases, strict=True):
            one.append(json.loads(run([sys.executable, "-m", "bench.probe", mechanism, str(n), str(k)])))
    return [_median(one) for one in found]


def probe_peers(n: int, count: int, effort: Effort) -> dict[str, float]:
    """The median first release of each of the first `count` peers, peaked, every one in a fresh process."""
    found: dict[str, list[float]] = {}
    for _ in range(effort.processes):
        for index in range(count):
            one = json.loads(run([sys.executable, "-m", "bench.peer_probe", str(n), str(index)]))
            found.setdefault(one["name"], []).append(one["first"])
    return {name: statistics.median(taken) for name, taken in found.items()}


def _median(found: list[dict[str, Any]]) -> Probe:
    numbers = ("imports", "first", "again", "bits", "memory")
    middle = {key: statistics.median(one[key] for one in found) for key in numbers}
    return Probe(**middle, imported=tuple(found[0]["imported"]))
