"""A room imports only from rooms above it in the list of docs/architecture.md, and the list is the tree."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

from tests.contracts.source import PACKAGE, PAPERS, ROOT, SRC, imports, place, room, trees

FACES = {"cli", "web", "discreet_papers"}
"""Only a face and the papers see the library as its users do; a room that did would reach every room below it."""

QUESTIONS = {
    "discreet/mechanisms/base.py": {"inference", "kernels", "receipts"},
    "discreet/inference/beliefs.py": {"bridges", "figures"},
    "discreet/inference/posterior.py": {"bridges"},
    "discreet/inference/quantities.py": {"bridges", "figures"},
    "discreet/inference/series.py": {"figures"},
    "discreet/receipts/receipt.py": {"figures"},
    "discreet/utility/targets.py": {"inference"},
}
"""Methods that hand a question to a room below: imported when they are called, and never to build a law."""

REGISTERS = {"discreet/__init__.py", "discreet/cli/app.py"}
"""The only files of the library that know of the papers: the public names, and the list of commands."""


@cache
def listed_rooms() -> list[str]:
    """The rooms in the order of the tree in docs/architecture.md."""
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    tree = text.partition("```\nsrc/discreet/\n")[2].partition("```")[0]
    return re.findall(r"^(?:    |src/)(\w+)(?:\.py|/) ", tree, flags=re.MULTILINE)


def imported_rooms(path: Path) -> set[str]:
    found = set()
    for name in imports(trees()[path]):
        assert not name.startswith("."), "a relative import hides which room is meant"
        package, *rest = name.split(".")
        if package == "discreet":
            is_room = bool(rest) and ((PACKAGE / rest[0]).is_dir() or (PACKAGE / f"{rest[0]}.py").is_file())
            found.add(rest[0] if is_room else "__init__")
        elif package == PAPERS.name:
            found.add(package)
    return found


def test_the_list_of_rooms_is_the_tree_of_files() -> None:
    assert sorted(listed_rooms()) == sorted({room(path) for path in trees()})
    assert listed_rooms()[-1] == PAPERS.name


def allowed_rooms(path: Path) -> set[str]:
    own, order = room(path), listed_rooms()
    above = {name for name in order[: order.index(own)] if name != "__init__"}
    asked = QUESTIONS.get(place(path), set())
    faced = {"__init__"} if own in FACES else set()
    return above | {own} | asked | faced | ({PAPERS.name} if place(path) in REGISTERS else set())


def test_a_room_imports_only_from_rooms_above_it() -> None:
    # the public names come from everywhere; lazily, as test_exports checks
    inner = [path for path in trees() if room(path) != "__init__"]
    assert {place(path): below for path in inner if (below := imported_rooms(path) - allowed_rooms(path))} == {}


def imported_at_once(path: Path) -> set[str]:
    """The rooms that a module needs to be imported itself: not those of its functions or for type checkers."""
    body: list[ast.stmt] = [node for node in trees()[path].body if isinstance(node, ast.Import | ast.ImportFrom)]
    return {name.split(".")[1] for name in imports(ast.Module(body, [])) if name.startswith("discreet.")}


@pytest.mark.parametrize("path", QUESTIONS)
def test_a_question_to_a_room_below_is_asked_only_when_it_comes_up(path: str) -> None:
    assert not imported_at_once(SRC / path) & QUESTIONS[path]


@pytest.mark.parametrize("path", sorted((ROOT / "tests" / "oracles").glob("[!t]*.py")), ids=lambda path: path.name)
def test_an_oracle_shares_no_code_with_the_library(path: Path) -> None:
    found = list(imports(ast.parse(path.read_text(encoding="utf-8"))))
    assert not [name for name in found if name.split(".")[0] in {PACKAGE.name, PAPERS.name}]
