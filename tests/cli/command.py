"""Run the installed command as a user would, in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from discreet.cli.app import run

SCRIPT = Path(sys.executable).with_name("discreet")


@dataclass(frozen=True)
class Answer:
    """What came back."""

    code: int
    out: str
    err: str

    @property
    def document(self) -> dict[str, Any]:
        """Standard output, read as strict JSON."""

        def refuse(constant: str) -> None:
            raise AssertionError(f"{constant} is not JSON")

        document: dict[str, Any] = json.loads(self.out, parse_constant=refuse)
        return document


def discreet(*arguments: str, stdin: str = "", cwd: Path | None = None, **environment: str) -> Answer:
    """The answer of `discreet` to these arguments."""
    done = subprocess.run(
        [str(SCRIPT), *arguments],
        input=stdin,
        capture_output=True,
        text=True,
        encoding="utf-8",
        cwd=cwd,
        env={**os.environ, "PYTHONUTF8": "1", "COLUMNS": "120", **environment},
        timeout=120,
        check=False,
    )
    return Answer(done.returncode, done.stdout, done.stderr)


def discreet_here(capture: pytest.CaptureFixture[str], *arguments: str) -> Answer:
    """The same in this process: for long lists, where a process each would take a minute."""
    code = run(arguments)
    shown = capture.readouterr()
    return Answer(code, shown.out, shown.err)


def assert_refused(answer: Answer, code: int = 2) -> None:
    """One clear line on stderr that says how to mend it, and nothing else."""
    assert answer.code == code, answer
    assert answer.out == ""
    assert answer.err.startswith("error: "), answer
    assert answer.err.count("\n") == 1, answer
    assert "; " in answer.err, "a refusal says how to mend it"
    assert "Traceback" not in answer.err
