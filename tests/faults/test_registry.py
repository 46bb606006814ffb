"""The list of planted faults is whole, and each of the tests that it names is there."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path
from types import ModuleType

import pytest

from tests.faults.registry import FAULTS, MODULES, faults_in

TESTS = Path(__file__).resolve().parents[1]

FEWEST = 61
"""Nine that had survived, and 52 that were caught before."""

CALLED = {
    "losses.OneWeightLaw": "OneWeight",
    "sampling.bound_too_low": "bound_three_per_cent_too_low",
    "sampling.coin_off": "coin_five_per_cent_too_low",
    "sampling.rate_off": "rate_of_geometric_off",
    "formulas.digest_without": "digest_without_loss",
    "formulas.facts_without": "facts_without_n",
    "formulas.rounded_to_nearest": "epsilon_of_receipts",
}
"""Faults that are listed under another name, or are several."""


@cache
def named_in(file: str) -> set[str]:
    """The tests of all files of this name."""
    found: set[str] = set()
    for path in TESTS.rglob(file):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        found |= {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
    return found


def test_every_fault_has_a_sentence_and_a_test_that_is_there() -> None:
    for name, (what, test) in FAULTS.items():
        assert what[0].isupper() or what[0] in "ΓδλΛρ", name
        assert what.endswith("."), name
        file, _, function = test.partition("::")
        assert function in named_in(file), name


def test_there_are_as_many_as_there_were_and_no_two_say_the_same() -> None:
    assert len({what for what, _ in FAULTS.values()}) == len(FAULTS) >= FEWEST


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)
def test_every_fault_of_a_module_is_listed(module: ModuleType) -> None:
    name = module.__name__.rsplit(".", 1)[1]
    assert {CALLED.get(f"{name}.{fault}", fault) for fault in faults_in(module)} <= set(FAULTS)
