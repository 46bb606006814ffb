"""docs/snapping.md: its Python and its commands run, and print what the page says."""

from __future__ import annotations

import doctest
import re

import pytest

from tests.cli.command import discreet_here
from tests.contracts.source import ROOT

PAGE = ROOT / "docs" / "snapping.md"
COMMANDS = re.findall(r"```console\n\$ discreet (.*)\n((?:.*\n)*?)```", PAGE.read_text(encoding="utf-8"))


def test_the_python_of_the_page_runs_as_shown() -> None:
    done = doctest.testfile(str(PAGE), module_relative=False, optionflags=doctest.ELLIPSIS)
    assert done.attempted > 10
    assert done.failed == 0


@pytest.mark.parametrize(("command", "shown"), COMMANDS, ids=[command for command, _ in COMMANDS])
def test_a_command_of_the_page_prints_what_it_shows(
    command: str, shown: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    answer = discreet_here(capsys, *command.split())
    assert answer.code == 0, answer
    printed = [line.rstrip() for line in answer.out.splitlines()]
    for line in shown.splitlines():
        pattern = re.escape(line.rstrip()).replace(re.escape("..."), ".*")
        assert any(re.fullmatch(pattern, there) for there in printed), line


def test_the_page_has_commands() -> None:
    assert len(COMMANDS) >= 3
