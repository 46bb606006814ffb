"""Pages of docs/ whose commands are run by the tests, and print what the page says."""

from __future__ import annotations

import re
from pathlib import Path

from tests.cli.command import discreet


def commands_of(page: Path) -> list[tuple[str, str]]:
    """The commands in the page's `console` blocks, each with what the page shows below it."""
    blocks = re.findall(r"```console\n(.*?)```", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    return [part for block in blocks for part in re.findall(r"\$ discreet (.*)\n((?:[^$].*\n)*)", block)]


def assert_prints(command: str, shown: str) -> None:
    """The command succeeds and prints every line that is shown, whatever the blanks; `...` stands for anything."""
    answer = discreet(*command.split())
    assert answer.code == 0, answer
    printed = [" ".join(line.split()) for line in answer.out.splitlines()]
    for line in shown.splitlines():
        pattern = re.escape(" ".join(line.split())).replace(re.escape("..."), ".*")
        assert any(re.fullmatch(pattern, there) for there in printed), line
