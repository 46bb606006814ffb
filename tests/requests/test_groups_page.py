"""docs/groups.md: its Python and its commands run, and print what the page says."""

from __future__ import annotations

import doctest

import pytest

from discreet import Geometric, PosteriorSpace
from discreet.inference.statement import quick_groups
from tests.contracts.source import ROOT
from tests.support.pages import assert_prints, commands_of

PAGE = ROOT / "docs" / "groups.md"
COMMANDS = commands_of(PAGE)


def test_the_python_of_the_page_runs_as_shown() -> None:
    done = doctest.testfile(str(PAGE), module_relative=False, encoding="utf-8")
    assert done.attempted > 8
    assert done.failed == 0


@pytest.mark.parametrize(("command", "shown"), COMMANDS, ids=["public groups", "several columns"])
def test_a_command_of_the_page_prints_what_it_shows(
    command: str, shown: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert_prints(command, shown)


def test_intervals_within_groups_have_their_noise_as_far_as_the_page_says() -> None:
    cells = PosteriorSpace(prior=[1] * 6, n=10**6)
    assert quick_groups(Geometric(cells, epsilon="0.13"), 3)
    assert not quick_groups(Geometric(cells, epsilon="0.12"), 3)
