"""A mechanism and its kernel say what a reader needs to know: hardly anybody asks which mechanism it is."""

from __future__ import annotations

import ast

import discreet.mechanisms as rooms
from discreet.mechanisms.exponential import Exponential
from tests.contracts.source import PACKAGE, place, room, trees

MOST = 10
CLASSES = {*(family.__name__ for family in rooms.FAMILIES), Exponential.__name__, "FAMILIES"}
OPTIONS = {"postprocessing", "way", "weighting", "gamma", "scale", "rounding"}


def _is_name_of_family(node: ast.AST, *, begun: bool = False) -> bool:
    text = node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""
    return any(name.startswith(text) if begun and text else name == text for name in rooms.BY_NAME)


def switches(tree: ast.AST) -> int:
    """How often the code asks which family a mechanism is of: by its type, its name, or an option that few have."""
    found = 0
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            called = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
            if called in ("isinstance", "issubclass"):
                found += any(isinstance(part, ast.Name) and part.id in CLASSES for part in ast.walk(node.args[1]))
            elif called == "startswith":
                found += any(_is_name_of_family(argument, begun=True) for argument in node.args)
            elif called == "getattr":
                found += isinstance(node.args[1], ast.Constant) and node.args[1].value in OPTIONS
        elif isinstance(node, ast.Compare):
            parts = [part for side in node.comparators for part in (side, *getattr(side, "elts", ()))]
            by_type = any(isinstance(part, ast.Name) and part.id in CLASSES for part in parts)
            found += by_type or any(map(_is_name_of_family, parts))
    return found


def test_readers_of_mechanisms_hardly_ask_which_one_it_is() -> None:
    counted = {
        place(path): switches(tree)
        for path, tree in trees().items()
        if PACKAGE in path.parents and room(path) not in ("mechanisms", "kernels")
    }
    assert sum(counted.values()) <= MOST, {path: number for path, number in counted.items() if number}


def test_every_kind_of_switch_is_counted() -> None:
    planted = """
if isinstance(mechanism, Geometric | Laplace) or issubclass(family, Exponential) or type(mechanism) in FAMILIES:
    pass
if name == "snapping" or name.startswith("exponential") or getattr(mechanism, "way", "") == "free":
    pass
"""
    assert switches(ast.parse(planted)) == 6
    assert switches(ast.parse("if metric.name == 'hellinger' or isinstance(law, CandidateLaw): pass")) == 0
