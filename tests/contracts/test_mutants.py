"""The record of the mutants: each was killed by a test that exists, or has a reason to live; nine of ten are killed."""

import csv
from collections import Counter
from functools import cache

import pytest

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


@cache
def mutants() -> list[dict[str, str]]:
    with (ROOT / "bench" / "mutants" / "record.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize("room", ROOMS)
def test_nine_of_ten_mutants_are_killed_in(room: str) -> None:
    """Of those that could be: what is equivalent gives the same results, perhaps at another speed."""
    killed = Counter(
        bool(mutant["killed_by"])
        for mutant in mutants()
        if mutant["room"] == room and not mutant["reason"].startswith("Equivalent: ")
    )
    assert killed.total() >= 30
    assert killed[True] >= 0.9 * killed.total()


def test_a_mutant_that_lives_has_a_reason_and_is_on_the_page() -> None:
    page = (ROOT / "docs" / "mutants.md").read_text("utf-8")
    for mutant in mutants():
        assert bool(mutant["killed_by"]) != mutant["reason"].startswith(("Equivalent: ", "Harmless: ")), mutant
        assert not mutant["reason"] or f"| {mutant['reason']} |" in page, mutant


def test_the_tests_that_kill_exist() -> None:
    files = {mutant["killed_by"].partition("::")[0] for mutant in mutants()} - {"", "import"}
    assert [name for name in files if not (ROOT / name.removesuffix(" (too long)")).exists()] == []
