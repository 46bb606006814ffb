"""The pages of docs/: their Python and their commands run, and print what the page shows.

Pages that are run as a whole, in order, are in tests/pages.
"""

import doctest
import re

import pytest

from discreet import Geometric, PosteriorSpace
from discreet.data import PARTIES
from discreet.inference.statement import quick
from tests.cli.command import discreet
from tests.contracts.source import ROOT
from tests.pages.run import EXECUTED

DOCS = ROOT / "docs"
PAGES = {page.name: page.read_text(encoding="utf-8") for page in sorted(DOCS.glob("*.md")) if page.name not in EXECUTED}
PYTHON = [name for name, text in PAGES.items() if ">>> " in text]
WIDTHS = {"snapping.md": "120"}
SLOW = ("accuracy.md", "gaussian.md", "reproduction.md", "scale.md")
LONG = (
    "plan --groups new=200,old=206 --group-public --target-width 0.2 --of difference",
    "plan --n 500 --prior 1,1 --releases 40 --epsilon 1 --delta 1e-6",
    "plan --prior 1,1 --n 50 --epsilon 1 --compare",
    "snap attack",
)
"""They take longer."""

COMMANDS = [
    pytest.param(name, *part, id=part[0], marks=[pytest.mark.soak] * (part[0] in LONG))
    for name, text in PAGES.items()
    for block in re.findall(r"```console\n(.*?)```", text, flags=re.DOTALL)
    for part in re.findall(r"\$ discreet (.*)\n((?:[^$].*\n)*)", block)
]
"""Each with the page it is on, and what the page shows below it."""


@pytest.mark.parametrize("name", [pytest.param(name, marks=[pytest.mark.soak] * (name in SLOW)) for name in PYTHON])
def test_the_python_of_a_page_runs_as_shown(name: str) -> None:
    done = doctest.testfile(str(DOCS / name), module_relative=False, encoding="utf-8", optionflags=doctest.ELLIPSIS)
    assert done.attempted > 5
    assert done.failed == 0


@pytest.mark.parametrize(("page", "command", "shown"), COMMANDS)
def test_a_command_of_a_page_prints_what_it_shows(page: str, command: str, shown: str) -> None:
    """Every line that is shown, whatever the blanks; `...` stands for anything."""
    answer = discreet(*command.split(), COLUMNS=WIDTHS.get(page, "80"))
    assert answer.code == 0, answer
    printed = [" ".join(line.split()) for line in answer.out.splitlines()]
    for line in shown.splitlines():
        pattern = re.escape(" ".join(line.split())).replace(re.escape("..."), ".*")
        assert any(re.fullmatch(pattern, there) for there in printed), line


def test_enough_is_run() -> None:
    assert {"accuracy.md", "composition.md", "groups.md", "scale.md", "snapping.md"} <= set(PYTHON)
    assert len(COMMANDS) >= 10
    assert all(any(command in text for text in PAGES.values()) for command in LONG)


def test_the_groups_that_a_page_releases_are_those_of_the_table() -> None:
    assert f'--by party --groups "{",".join(PARTIES)}"' in PAGES["groups.md"]


def test_intervals_within_groups_have_their_noise_as_far_as_the_page_says() -> None:
    cells = PosteriorSpace(prior=[1] * 6, n=10**6)
    assert quick(Geometric(cells, epsilon="0.13"), 3)
    assert not quick(Geometric(cells, epsilon="0.12"), 3)
