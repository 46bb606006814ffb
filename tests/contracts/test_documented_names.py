"""Whatever a page or a docstring names exists: dotted names, files of the tests, commands and their options."""

import ast
import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import typer

import discreet as dc
from discreet.cli.app import app
from tests.contracts.source import ROOT, SRC, resolve, trees

PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
PATH = re.compile(r"\b(?:tests|src|bench|examples|docs)/[\w/.-]*\w(?:::\w+)?")
DOTTED = re.compile(r"(?<![\w/.-])(?:discreet|discreet_papers|dc)(?:\.[A-Za-z_]\w*)+")
FENCED = re.compile(r"^```\w*\n(.*?)^```", re.MULTILINE | re.DOTALL)
COMMAND = re.compile(r"^(?:\$ )?discreet +(\S[^#|\n]*)", re.MULTILINE)
SPOKEN = re.compile(r"(?:`|Example: )discreet +([a-z-][^`#|\n]*)")
OTHERS = {"discreet.entries", "discreet.mark", "discreet.html"}
"""Two tables of the ledger's database, and a file that leads the browser."""


@cache
def texts() -> dict[Path, str]:
    """The pages as they are, and of the library all docstrings and other texts."""
    pages = {path: path.read_text(encoding="utf-8") for path in PAGES}
    for path, tree in trees().items():
        strings = [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)]
        pages[path] = "\n".join(text for text in strings if isinstance(text, str))
    return pages


def unknown_names(text: str) -> list[str]:
    return [name for name in DOTTED.findall(text) if not is_known(name)]


@cache
def is_known(name: str) -> bool:
    """Whether it leads to something. What follows a public value, as in `dc.release(…).output`, is not looked up."""
    name = re.sub(r"^dc\b", dc.__name__, name)
    if name in OTHERS:
        return True
    try:
        resolve(name)
    except (AttributeError, ModuleNotFoundError):
        return False
    return True


def unknown_paths(text: str) -> list[str]:
    return [path for path in PATH.findall(text) if not is_there(path)]


@cache
def is_there(path: str) -> bool:
    name, _, test = path.partition("::")
    file = next((place / name for place in (ROOT, ROOT / "docs") if (place / name).exists()), None)
    return file is not None and (not test or f"def {test}(" in file.read_text(encoding="utf-8"))


def commands(text: str) -> list[str]:
    """What follows the word discreet in blocks of code, and in the middle of a text."""
    whole = text.replace("\\\n", " ")
    return [*COMMAND.findall("\n".join(FENCED.findall(whole))), *SPOKEN.findall(FENCED.sub("", whole))]


def unknown_options(text: str) -> list[str]:
    """The commands that are not there, and the options that theirs does not have."""
    found = []
    for line in commands(text):
        command: Any = typer.main.get_command(app)
        words = line.split()
        while words and words[0] in getattr(command, "commands", {}):
            command = command.commands[words.pop(0)]
        if hasattr(command, "commands") and words and re.fullmatch(r"[a-z]+", words[0]):
            found.append(f"discreet {words[0]}")
        known = {word for parameter in command.params for word in (*parameter.opts, *parameter.secondary_opts)}
        asked = {match[0] for word in words if (match := re.match(r"--[a-z][a-z-]*", word))}
        found += [f"discreet {line}: {option}" for option in sorted(asked - known - {"--help"})]
    return found


@pytest.mark.parametrize("look", [unknown_names, unknown_paths, unknown_options])
def test_whatever_a_text_names_is_there(look: Any) -> None:
    assert {str(path.relative_to(ROOT)): found for path, text in texts().items() if (found := look(text))} == {}


def test_names_that_are_not_there_are_found() -> None:
    assert unknown_names("see `discreet.no_such_name` and `dc.Geometric.releese`") != []
    assert unknown_paths("as tests/nowhere/test_nothing.py shows") == ["tests/nowhere/test_nothing.py"]
    assert unknown_paths("tests/contracts/test_documented_names.py::test_nothing") != []
    assert unknown_options("`discreet relaese`") == ["discreet relaese"]
    assert unknown_options("```\ndiscreet plan --n 9 \\\n    --epsilonn 1\n```") != []
    assert unknown_options("```\ndiscreet plan --n 9 \\\n    --epsilon 1\n```") == []


def test_enough_is_looked_up() -> None:
    whole = "\n".join(texts().values())
    assert len(set(DOTTED.findall(whole))) > 50
    assert len(set(PATH.findall(whole))) > 50
    assert len(set(commands(whole))) > 50
    assert any(path.is_relative_to(SRC) for path in texts())
