"""A name says what it holds: no variable, argument or function is called by what was done to get it."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tests.contracts.source import place, trees

PARTICIPLES = {"asked", "believed", "found", "made", "own", "said", "shown", "told", "wanted"}
PUBLIC = {
    ("discreet/bridges/frames.py", "shown"),
    ("discreet/inference/posterior.py", "own"),
    ("discreet/inference/share.py", "own"),
    ("discreet_papers/records.py", "found"),
}
"""Arguments that callers may name, a field, and a key of a JSON document."""


def bound_names(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """The names that the code gives to values, arguments and functions, each with its line."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.lineno, node.id
        elif isinstance(node, ast.arg):
            yield node.lineno, node.arg
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node.lineno, node.name


def participles(tree: ast.AST) -> list[tuple[int, str]]:
    return [(line, name) for line, name in bound_names(tree) if name.strip("_") in PARTICIPLES]


def test_no_name_of_the_packages_is_a_participle() -> None:
    places = [
        f"{place(path)}:{line} {name}"
        for path, tree in trees().items()
        for line, name in participles(tree)
        if (place(path), name) not in PUBLIC
    ]
    assert not places, "\n".join(places)


def test_every_kind_of_name_is_looked_at() -> None:
    planted = """
def _shown(own, *, told=1):
    found, _ = own
    for asked in found:
        said = [made for made in asked]
"""
    assert sorted(name for _, name in participles(ast.parse(planted))) == [
        "_shown",
        "asked",
        "found",
        "made",
        "own",
        "said",
        "told",
    ]
