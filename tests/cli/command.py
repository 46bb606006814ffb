"""Run the command as a user would: in this process, or installed in one of its own."""

import io
import json
import os
import shlex
import subprocess
import sys
from contextlib import chdir, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from discreet.cli.app import run

SCRIPT = Path(sys.executable).with_name("discreet")
WIDE = "120"
"""Columns, so that no table is broken where a test looks for a line of it."""


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
    """The answer of `discreet` to these arguments, without the second that a process of its own would take."""
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in range(2))
    with pytest.MonkeyPatch.context() as patch, chdir(cwd or "."), redirect_stdout(out), redirect_stderr(err):
        patch.setattr(sys, "stdin", io.StringIO(stdin))
        for name, value in ({"COLUMNS": os.environ.get("COLUMNS", WIDE)} | environment).items():
            patch.setenv(name, value)
        code = run(arguments)
    return Answer(code, *(_written(stream) for stream in (out, err)))


def typed(line: str, *more: str, **rest: Any) -> Answer:
    """The answer to a line as it is typed, and to further words."""
    return discreet(*shlex.split(line), *more, **rest)


def told(line: str, *more: str, **rest: Any) -> dict[str, Any]:
    """What programs are told by a line that is obeyed without a word on stderr."""
    answer = typed(line, *more, "--json", **rest)
    assert (answer.code, answer.err) == (0, ""), answer
    return answer.document


def _written(stream: io.TextIOWrapper) -> str:
    stream.flush()
    stream.seek(0)
    return stream.read()


def installed_discreet(*arguments: str, **environment: str) -> Answer:
    """The same of the installed command, for what depends on the process."""
    done = subprocess.run(
        [str(SCRIPT), *arguments],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        encoding="utf-8",
        env={**os.environ, "PYTHONUTF8": "1", "COLUMNS": WIDE, **environment},
        check=False,
    )
    return Answer(done.returncode, done.stdout, done.stderr)


def assert_refused(answer: Answer, code: int = 2) -> None:
    """One clear line on stderr that says how to mend it, and nothing else."""
    assert answer.code == code, answer
    assert answer.out == ""
    assert answer.err.startswith("error: "), answer
    assert answer.err.count("\n") == 1, answer
    assert "; " in answer.err, "a refusal says how to mend it"
    assert "Traceback" not in answer.err


def assert_painted(*pictures: Path) -> None:
    """They are there, and of the kind that they are called."""
    beginnings = {".png": b"\x89PNG", ".svg": b"<?xml", ".pdf": b"%PDF"}
    for picture in pictures:
        assert picture.read_bytes().startswith(beginnings[picture.suffix])
