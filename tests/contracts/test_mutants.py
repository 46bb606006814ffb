"""The record of the mutants: each was killed by a test that exists, or has a reason to live; nine of ten are killed.

And the runner: planted mutants are killed, in memory as in a file.
"""

import csv
import os
import subprocess
import sys
from collections import Counter
from functools import cache
from json import loads
from pathlib import Path

import pytest

from bench.mutants.places import REASONS, RECORD
from tests.contracts.source import ROOT

ROOMS = (
    "arithmetic",
    "samplers",
    "sensitivity",
    "mechanisms",
    "kernels",
    "privacy_loss",
    "ledger",
    "requests",
    "receipts",
)


def read(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def key(row: dict[str, str], *names: str) -> tuple[str, ...]:
    """As in the table of reasons, where texts that are left out are empty."""
    return tuple(row[name] if name in names else "" for name in ("file", "function", "before", "after"))


@cache
def mutants() -> list[dict[str, str]]:
    """Each with its reason: of its change, or of any change of its line, or of its function."""
    reasons = {key(row, "file", "function", "before", "after"): row["reason"] for row in read(REASONS)}
    kinds = (("file", "function", "before", "after"), ("file", "function", "before"), ("file", "function"))
    rows = read(RECORD)
    for row in rows:
        keys = [key(row, *names) for names in kinds]
        row["reason"] = "" if row["killed_by"] else next((reasons[one] for one in keys if one in reasons), "")
    return rows


@pytest.mark.parametrize("room", ROOMS)
def test_nine_of_ten_mutants_are_killed_in(room: str) -> None:
    """Of all that there are, what is equivalent among them."""
    killed = Counter(bool(mutant["killed_by"]) for mutant in mutants() if mutant["room"] == room)
    assert killed.total() >= 500
    assert killed[True] >= 0.9 * killed.total()


def test_a_mutant_that_lives_has_a_reason_and_is_on_the_page() -> None:
    page = (ROOT / "docs" / "mutants.md").read_text("utf-8")
    for mutant in mutants():
        assert bool(mutant["killed_by"]) != mutant["reason"].startswith(("Equivalent: ", "Harmless: ")), mutant
        assert not mutant["reason"] or f"| {mutant['reason']} |" in page, mutant


def test_every_reason_is_that_of_a_survivor() -> None:
    assert {row["reason"] for row in read(REASONS)} == {mutant["reason"] for mutant in mutants()} - {""}


def test_the_tests_that_kill_exist() -> None:
    files = {mutant["killed_by"].partition("::")[0].partition(" (")[0] for mutant in mutants()} - {"", "import"}
    assert [name for name in files if not (ROOT / name).exists()] == []


@pytest.mark.soak
@pytest.mark.long
def test_planted_mutants_are_killed_in_memory_as_in_a_file_and_an_equivalent_one_survives() -> None:
    program = [sys.executable, str(Path(__file__).with_name("planted_mutants.py"))]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "src")])}
    ended = subprocess.run(program, capture_output=True, text=True, check=False, env=environment)
    assert ended.returncode == 0, ended.stderr
    in_memory, in_files = loads(ended.stdout)
    killers = {name: killer for name, (killer, _) in in_memory.items()}
    assert killers == {name: killer for name, (killer, _) in in_files.items()}
    assert killers == {
        "equivalent": "",
        "plain function": "test_all",
        "cached function": "test_following",
        "context manager": "test_opened",
        "default argument": "test_opened",
        "cached property": "test_square",
        "property": "test_square",
        "class method": "test_square",
        "only a doctest": "discreet.planted.Square.grown",
        "nested function": "test_difference",
        "constant": "test_constants",
        "table": "test_constants",
        "only in another process": "test_elsewhere",
        "endless loop": "test_last (too long)",
        "no syntax": "import",
    }
    tried_in_files = {name for name, (_, in_file) in in_memory.items() if in_file}
    assert tried_in_files == {"default argument", "constant", "table"}
