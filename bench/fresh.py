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
    return subprocess.run(arguments, cwd=ROOT, env=environment, check=True, capture_output=True, text=True).stdout  # noqa: S603


def race_processes(commands: Mapping[str, Sequence[str]], effort: Effort) -> dict[str, float]:
    """The median seconds from start to end of each command's process."""
    calls = {name: partial(run, command) for name, command in commands.items()}
    return race(calls, Effort.exactly(effort.processes))


@dataclass(frozen=True, slots=True)
class Probe:
    """What `bench.probe` reports of one mechanism, in medians over processes."""

    imports: float
    first: float
    again: float
    bits: float
    memory: float
    imported: tuple[str, ...]


def run_probes(cases: Sequence[Case], effort: Effort) -> list[Probe]:
    """Releases of mechanisms on balanced counts, every one in a fresh process, the cases in turns."""
    return [_probe_of(rounds) for rounds in in_turns([probe_command(case) for case in cases], effort)]


def probe_beside_peers(case: Case, peers: int, effort: Effort) -> tuple[Probe, dict[str, float]]:
    """A mechanism in fresh processes, in turns with the first releases of the first peers on peaked scores."""
    n = str(case[1])
    commands = [[sys.executable, "-m", "bench.peer_probe", n, str(index)] for index in range(peers)]
    ours, *theirs = in_turns([probe_command(case), *commands], effort)
    firsts = {rounds[0]["name"]: statistics.median(turn["first"] for turn in rounds) for rounds in theirs}
    return _probe_of(ours), firsts


def probe_command(case: Case) -> list[str]:
    """What measures a mechanism in a process of its own."""
    mechanism, n, k = case
    return [sys.executable, "-m", "bench.probe", mechanism, str(n), str(k)]


def in_turns(commands: Sequence[Sequence[str]], effort: Effort) -> list[list[dict[str, Any]]]:
    """What each command printed as JSON in each of its turns."""
    rounds: list[list[dict[str, Any]]] = [[] for _ in commands]
    for _ in range(effort.processes):
        for answers, command in zip(rounds, commands, strict=True):
            answers.append(json.loads(run(command)))
    return rounds


def program_medians(program: str, arguments: Sequence[str], effort: Effort) -> dict[str, float]:
    """The medians of the numbers that a Python program prints as JSON, in fresh processes."""
    [rounds] = in_turns([[sys.executable, "-c", program, *arguments]], effort)
    return medians(rounds)


def medians(rounds: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    """The median of each number over all rounds."""
    return {name: statistics.median(numbers[name] for numbers in rounds) for name in rounds[0]}


def _probe_of(rounds: list[dict[str, Any]]) -> Probe:
    numbers = [{name: value for name, value in answer.items() if name != "imported"} for answer in rounds]
    return Probe(**medians(numbers), imported=tuple(rounds[0]["imported"]))
