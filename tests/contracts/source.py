"""What the contract tests read: the repository's files, and the syntax trees of the library."""

import ast
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SRC = ROOT / "src"
PACKAGE = SRC / "discreet"
PAPERS = SRC / "discreet_papers"


PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


@cache
def known_files(*which: str) -> set[str]:
    """The files that git knows of, and that are there."""
    listing = ["git", "ls-files", "-z", "--cached", *which]
    try:
        known = subprocess.run(listing, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\0")
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("not a git checkout")
    return {name for name in known if name and (ROOT / name).is_file()}


def run_python(*words: object) -> str:
    """What Python prints, without a warning."""
    command = [sys.executable, "-X", "utf8", "-W", "error", *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=True).stdout


@cache
def trees() -> dict[Path, ast.Module]:
    """Every module of both packages, parsed."""
    return {path: ast.parse(path.read_text(encoding="utf-8")) for path in sorted(SRC.rglob("*.py"))}


def room(path: Path) -> str:
    """The room that a module belongs to: its file, or its folder, directly under the package. The papers are one."""
    package, part, *_ = path.relative_to(SRC).parts
    return part.removesuffix(".py") if package == PACKAGE.name else package


def place(path: Path) -> str:
    """Where a module is, below src."""
    return path.relative_to(SRC).as_posix()


def imports(tree: ast.AST) -> Iterator[str]:
    """The dotted name of everything imported, wherever in the file: `from a import b` is `a.b`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from (f"{'.' * node.level}{node.module or ''}.{alias.name}" for alias in node.names)


def names(tree: ast.AST) -> Iterator[str]:
    """Every dotted name that the code reads, like `os.urandom`, and every bare one."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            yield f"{node.value.id}.{node.attr}"
        elif isinstance(node, ast.Name):
            yield node.id


def resolve(dotted: str) -> object:
    """The module, or what is inside it: the longest part that imports, then its attributes."""
    parts = dotted.split(".")
    for cut in range(len(parts), 0, -1):
        try:
            found: object = import_module(".".join(parts[:cut]))
        except ModuleNotFoundError:
            continue
        for part in parts[cut:]:
            found = getattr(found, part)
        return found
    raise ModuleNotFoundError(dotted)
