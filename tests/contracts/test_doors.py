"""Dangerous things have one door each, or none."""

import ast

import pytest

from tests.contracts.source import PACKAGE, imports, names, place, trees

DOORS = {
    "os.urandom": {"discreet/samplers/bits.py"},
    "os.getrandom": {"discreet/samplers/bits.py"},
    "secrets": {"discreet/samplers/bits.py"},
    "random": set(),
    "numpy.random": set(),
    "sqlite3": {"discreet/ledger/"},
    "sqlalchemy": set(),
    "psycopg": {"discreet/ledger/"},
    "duckdb": {"discreet/counting/"},
    "ibis": {"discreet/counting/"},
    "pyspark": {"discreet/counting/"},
    "pickle": set(),
    "dill": set(),
    "joblib": set(),
    "marshal": set(),
    "shelve": set(),
    "yaml": set(),
    "eval": set(),
    "exec": set(),
    "compile": set(),
    "__import__": set(),
}
"""What may be used where: in a file, or in a folder. Nowhere at all for what is an empty set."""

ALIASES = {"np.random": "numpy.random"}


def used(tree: ast.AST) -> set[str]:
    """Everything imported or named, with the packages it lies in."""
    whole = {ALIASES.get(name, name) for name in (*imports(tree), *names(tree))}
    return whole | {name.rsplit(".", cut)[0] for name in whole for cut in range(1, name.count(".") + 1)}


def test_dangerous_things_are_used_only_behind_their_door() -> None:
    reached = {(place(path), thing) for path, tree in trees().items() for thing in used(tree) & set(DOORS)}
    assert [(path, thing) for path, thing in sorted(reached) if not path.startswith(tuple(DOORS[thing]))] == []


@pytest.mark.parametrize(
    "code",
    [
        "import random",
        "from random import Random",
        "import numpy as np\nnp.random.default_rng()",
        "from numpy import random",
        "from numpy.random import default_rng",
        "def f():\n    from os import urandom",
        "import os\nos.urandom(8)",
        "import secrets",
        "eval('1')",
        "import yaml\nyaml.load('')",
        "import pickle as p",
    ],
)
def test_the_scan_sees_what_it_looks_for(code: str) -> None:
    assert used(ast.parse(code)) & set(DOORS)


def test_the_door_to_randomness_is_open() -> None:
    assert used(trees()[PACKAGE / "samplers" / "bits.py"]) & {"os.urandom", "secrets"}
