"""The public surface: sorted, lazy, complete, and not shadowed by a module."""

from __future__ import annotations

import ast
import inspect

import pytest

import discreet as dc
from tests.contracts.source import PACKAGE, PAPERS, PROJECT, room, run_python, trees

COMMANDS = {"cli"}
"""Its modules are named like the commands, and nothing imports them by that name from the package."""


def names_for_type_checkers() -> set[str]:
    """What the package imports under TYPE_CHECKING."""
    body = trees()[PACKAGE / "__init__.py"].body
    (guard,) = [node for node in body if isinstance(node, ast.If) and isinstance(node.test, ast.Name)]
    return {alias.name for node in guard.body if isinstance(node, ast.ImportFrom) for alias in node.names}


def test_the_public_names_are_sorted_and_the_ones_that_type_checkers_see() -> None:
    assert dc.__all__ == sorted(dc.__all__)
    assert set(dc.__all__) == names_for_type_checkers()


def test_every_public_name_resolves_and_is_documented() -> None:
    for name in dc.__all__:
        assert name in dir(dc)
        value = getattr(dc, name)
        home, _, own = value.__name__.rpartition(".")  # a module has its home in its name
        assert own == name
        assert (home or value.__module__).startswith(("discreet.", "discreet_papers.")), name
        assert value.__doc__, name


def test_a_name_that_does_not_exist_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no_such_name"):
        dc.no_such_name  # type: ignore[attr-defined]  # noqa: B018


def test_no_module_is_named_like_a_public_function() -> None:
    modules = {name for path in trees() if room(path) not in COMMANDS for name in (path.stem, path.parent.name)}
    assert not modules & {name for name in dc.__all__ if not inspect.ismodule(getattr(dc, name))}


def test_importing_the_package_loads_nothing_heavy() -> None:
    program = (
        "import sys, discreet; dir(discreet); discreet.InvalidInput; "
        "print([m for m in ('numpy', 'scipy', 'flint', 'matplotlib', 'rich', 'typer') if m in sys.modules])"
    )
    assert run_python("-c", program) == "[]\n"


def test_the_package_is_typed_and_tells_its_version_once() -> None:
    assert (PACKAGE / "py.typed").is_file()
    assert (PAPERS / "py.typed").is_file()
    assert PROJECT["version"] == dc.__version__
