"""Pages that are run: their commands and Python in order, in one empty directory, with the same bits each time.

A reader's release draws anew. What these pages show was drawn from fixed bits, so that the tests can hold every line of
them to a run, and `python -m tests.pages.write` can write what the run printed.
"""

from __future__ import annotations

import contextlib
import doctest
import io
import os
import re
import shlex
import shutil
import sys
import textwrap
import traceback
from collections.abc import Iterator
from contextlib import chdir, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from datetime import datetime, tzinfo
from pathlib import Path
from typing import Any, Self
from unittest.mock import patch

from discreet.arithmetic import words
from discreet.cli.app import run
from discreet.data import ANES96
from discreet.testing import HashedBits

DOCS = Path(__file__).parents[2] / "docs"
BLOCK = re.compile(r"^```(console|pycon|python)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
COMMAND = re.compile(r"^\$ ((?:.*\\\n)*.+)\n((?:(?!\$ ).*\n)*)", re.MULTILINE)
EXECUTED = [path.name for path in sorted(DOCS.glob("*.md")) if "<!-- executed -->" in path.read_text("utf-8")]
"""The pages that say that they are run."""

FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
HEAD = re.compile("head: [0-9a-f]{64}")
WIDTH = 88
BOX = (" ", "│", "┃", "┏", "┡", "└", "├")
CHECKER = doctest.OutputChecker()


class FixedTime(datetime):
    """A clock that stands still, so that dates and the ledger's head are the same each time."""

    @classmethod
    def now(cls, tz: tzinfo | None = None) -> Self:
        """Noon of one day."""
        return cls(2026, 6, 1, 12, tzinfo=tz)


@dataclass(frozen=True)
class Step:
    """One command or statement, what the page shows below it, and what the run printed."""

    source: str
    shown: str
    printed: str

    @property
    def as_shown(self) -> bool:
        """Whether the page shows what was printed; `...` stands for anything."""
        return CHECKER.check_output(self.shown, self.printed, FLAGS)


@dataclass(frozen=True)
class Run:
    """A page after its run: the steps, and the text with what they printed."""

    name: str
    steps: list[Step]
    text: str

    def require_as_shown(self) -> None:
        """Fail with the first step that printed something else."""
        for step in self.steps:
            if not step.as_shown:
                raise AssertionError(f"{self.name}: {step.source}\nshows\n{step.shown}\nprints\n{step.printed}")


def run_page(name: str, place: Path) -> Run:
    """Run all blocks of a page of docs/ in this directory."""
    return run_text(name, (DOCS / name).read_text(encoding="utf-8"), place)


def run_text(name: str, text: str, place: Path) -> Run:
    """Run all blocks of this text. It finds the survey that comes with the package."""
    shutil.copy(ANES96, place / "survey.csv")
    steps: list[Step] = []
    names: dict[str, Any] = {}

    def ran(block: re.Match[str]) -> str:
        kind, body = block[1], block[2]
        if kind == "console":
            parts = list(_commands(body))
        elif kind == "pycon":
            parts = list(_statements(body, names))
        else:
            _execute(body, "exec", {"__name__": "__main__"})
            return block[0]
        steps.extend(step for _, step in parts)
        return f"```{kind}\n{''.join(map(_written, parts))}```"

    with _fixed(name), chdir(place):
        return Run(name, steps, BLOCK.sub(ran, text))


@contextlib.contextmanager
def _fixed(name: str) -> Iterator[None]:
    """Bits from the name of the page instead of the system's, one time of day, and a terminal of 100 columns."""
    bits = HashedBits(name)
    with (
        patch.object(os, "urandom", lambda size: bits.draw_bits(8 * size).to_bytes(size, "big")),
        patch.object(words, "datetime", FixedTime),
        patch.dict(os.environ, {"COLUMNS": "100", "DISCREET_QUIET": "1"}),
    ):
        yield


def _commands(block: str) -> Iterator[tuple[str, Step]]:
    for match in COMMAND.finditer(block):
        line = match[1].replace("\\\n", " ")
        program, *words = shlex.split(line)
        if program != "discreet":
            raise ValueError(f"not a command of ours: {line}")
        out = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
        with redirect_stdout(out), redirect_stderr(out), patch.object(sys, "stdin", io.StringIO("")):
            run(words)
        out.flush()
        rows = out.buffer.getvalue().decode("utf-8").splitlines()
        yield f"$ {match[1]}\n", Step(line, match[2], "".join(f"{row.rstrip()}\n" for row in rows))


def _statements(block: str, names: dict[str, Any]) -> Iterator[tuple[str, Step]]:
    for example in doctest.DocTestParser().get_examples(block):
        first, *rest = example.source.splitlines()
        source = "".join(f"{line}\n" for line in (f">>> {first}", *(f"... {line}".rstrip() for line in rest)))
        yield source, Step(example.source, example.want, _execute(example.source, "single", names))


def _execute(source: str, mode: str, names: dict[str, Any]) -> str:
    out = io.StringIO()
    with redirect_stdout(out):
        try:
            exec(compile(source, "page", mode, dont_inherit=True), names)  # noqa: S102 - our own pages
        except Exception as error:
            if mode == "exec":
                raise
            out.write("Traceback (most recent call last):\n  ...\n")
            out.write(traceback.format_exception_only(error)[-1])
    return out.getvalue()


def _written(part: tuple[str, Step]) -> str:
    """What is to be shown: as before where that is right, so that `...` stays."""
    source, step = part
    return source + (step.shown if step.shown and step.as_shown else "".join(map(_wrapped, step.printed.splitlines())))


def _wrapped(line: str) -> str:
    """A sentence that is too long for a page is broken; where steps are compared, any blank is like any other.

    The head of a ledger changes with every field that a receipt gets, and says nothing to a reader of the page.
    """
    line = HEAD.sub("head: ...", line)
    if len(line) <= WIDTH or line.startswith(BOX):
        return f"{line}\n"
    return textwrap.fill(line, WIDTH).replace("\n% ", " %\n") + "\n"  # a line that begins with % looks like a prompt
