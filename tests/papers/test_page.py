"""docs/reproduction.md: its Python runs as shown, and the command lists what the page says."""

from __future__ import annotations

import doctest
import re

import pytest

from tests.cli.command import discreet
from tests.contracts.source import ROOT

PAGE = ROOT / "docs" / "reproduction.md"


def test_the_python_of_the_page_runs_as_shown() -> None:
    done = doctest.testfile(str(PAGE), module_relative=False, encoding="utf-8")
    assert done.attempted > 8
    assert done.failed == 0


def test_the_list_of_the_page_is_what_the_command_prints(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    ((command, shown),) = re.findall(r"```console\n\$ discreet (.*)\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    printed = [line.split() for line in discreet(*command.split()).out.splitlines()]
    for line in shown.splitlines():
        assert line.split() in printed, line
