"""The command as a black box: a table goes in as a CSV file, and out comes all that is printed, by name."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from bench.black_box import Draws, Finding, Outcome, attack
from discreet.ledger import Ledger
from discreet.testing import HashedBits
from tests.cli.command import Answer, discreet

Rows = tuple[str, ...]
"""The answers of a table, in their order."""

Command = Callable[..., Answer]

N = 5
DATE = re.compile(r"\d{4}-\d\d-\d\d(T[0-9:.]+[+]00:00)?")
"""When a release took place is public, and has nothing to do with the table."""


@dataclass(frozen=True)
class Request:
    """What is asked of the command, and what it promises."""

    options: str = ""
    epsilon: str = "1"
    delta: str = "0"
    categories: str = "a,b"
    paid: bool = False
    draws: Draws = field(default_factory=Draws)

    @property
    def private_n(self) -> bool:
        """Whether one record more or less is a neighbour."""
        return "add-remove" in self.options

    def words(self, source: str) -> list[str]:
        """The command line."""
        pays = "--ledger l.db --dataset d --yes" if self.paid else "--no-ledger"
        delta = f"--delta {self.delta}" if self.delta != "0" else ""
        line = f"--column vote --categories {self.categories} --epsilon {self.epsilon} {delta} {self.options} {pays}"
        return ["release", source, *line.split(), "--json"]

    def pairs(self) -> list[tuple[Rows, Rows]]:
        """Neighbours at the ends of what is possible and in the middle, by public facts alone."""
        first, *_, last = self.categories.split(",")
        if self.private_n:
            return [((), (first,)), ((first,) * N, (first,) * (N + 1))]
        middle = (first,) * (N // 2 + 1) + (last,) * (N // 2)
        return [((first,) * N, (*(first,) * (N - 1), last)), (middle, (last, *middle[1:]))]


def run_command(request: Request, place: Path, command: Command = discreet) -> Callable[[Rows, int], list[Outcome]]:
    """The program that is tested: one file, and for each draw one command, with a fresh copy of a ledger if it pays."""
    if request.paid and not (place / "whole.db").exists():
        adjacency = "add-remove" if request.private_n else "replace-one"
        Ledger.create(place / "whole.db", dataset="d", epsilon=1000, adjacency=adjacency)

    def run(rows: Rows, times: int) -> list[Outcome]:
        (place / "votes.csv").write_text("\n".join(["vote", *rows, ""]), encoding="utf-8")
        return [once() for _ in range(times)]

    def once() -> Outcome:
        if request.paid:
            shutil.copy(place / "whole.db", place / "l.db")
        return outcome(command(*request.words("votes.csv")))

    return run


def outcome(answer: Answer) -> Outcome:
    """All that is printed, by name: numbers as numbers, and texts without the time."""
    try:
        printed = json.loads(answer.out)
    except ValueError:
        printed = {"stdout": answer.out}
    return {"exit code": answer.code, "stderr": answer.err, **dict(_leaves("", printed))}


def _leaves(name: str, value: Any) -> Iterator[tuple[str, str | float]]:
    if isinstance(value, dict | list) and value:
        for key, part in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _leaves(f"{name} {key}".strip(), part)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield name, value
    else:
        yield name, DATE.sub("DATE", str(value))


def search(request: Request, place: Path) -> Finding:
    """What a black-box tester finds on the command as it is in this process."""
    program = run_command(request, place)
    promised = {"epsilon": float(request.epsilon), "delta": float(request.delta)}
    return attack(program, request.pairs(), **promised, draws=request.draws)


def fix_bits(patch: pytest.MonkeyPatch, name: str) -> None:
    """Below the command, where it asks the operating system: the same bytes in every run of a test."""
    bits = HashedBits(name)
    patch.setattr(os, "urandom", lambda size: bits.draw_bits(8 * size).to_bytes(size, "big"))
