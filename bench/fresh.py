"""Measurements in fresh processes: nothing is warm there, and memory is theirs alone."""

from __future__ import annotations

import json
import os
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


def compiled_environment() -> dict[str, str]:
    """This process's variables, but for the one that keeps modules from being compiled, as an installation does."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


def run(arguments: Sequence[str]) -> str:
    """What a command prints; it must succeed."""
    environment = compiled_environment()
    done = subprocess.run(arguments, cwd=ROOT, env=environment, check=True, capture_output=True, text=True)  # noqa: S603
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
    return [_median(one) for one in in_turns([probe_command(case) for case in cases], effort)]


def probe_beside_peers(case: Case, peers: int, effort: Effort) -> tuple[Probe, dict[str, float]]:
    """A mechanism in fresh processes, in turns with the first releases of the first peers on peaked scores."""
    n = str(case[1])
    commands = [[sys.executable, "-m", "bench.peer_probe", n, str(index)] for index in range(peers)]
    ours, *theirs = in_turns([probe_command(case), *commands], effort)
    return _median(ours), {one[0]["name"]: statistics.median(turn["first"] for turn in one) for one in theirs}


def probe_command(case: Case) -> list[str]:
    """What measures a mechanism in a process of its own."""
    mechanism, n, k = case
    return [sys.executable, "-m", "bench.probe", mechanism, str(n), str(k)]


def in_turns(commands: Sequence[Sequence[str]], effort: Effort) -> list[list[dict[str, Any]]]:
    """What each command printed as JSON in each of its turns."""
    found: list[list[dict[str, Any]]] = [[] for _ in commands]
    for _ in range(effort.processes):
        for one, command in zip(found, commands, strict=True):
            one.append(json.loads(run(command)))
    return found


def _median(found: list[dict[str, Any]]) -> Probe:
    numbers = ("imports", "first", "again", "bits", "memory")
    middle = {key: statistics.median(one[key] for one in found) for key in numbers}
    return Probe(**middle, imported=tuple(found[0]["imported"]))
