"""docs/paper-map.md: every row leads to a name that exists, a test that exists, and claims that exist."""

import ast
import re
from functools import cache
from typing import NamedTuple

import pytest

from discreet_papers.claims import CLAIMS
from discreet_papers.pages import PAPERS
from tests.contracts.source import ROOT, resolve


class Row(NamedTuple):
    paper: str
    item: str
    name: str
    test: str
    claims: tuple[str, ...]


def rows() -> list[Row]:
    text = (ROOT / "docs" / "paper-map.md").read_text(encoding="utf-8")
    found = []
    for line in text.splitlines():
        if re.match(r"\| \d{3}", line):
            paper, item, name, test, claims = (cell.strip() for cell in line.strip().strip("|").split("|"))
            found.append(Row(paper, item, name.strip("`"), test.strip("`"), tuple(re.findall(r"`([^`]+)`", claims))))
    return found


@cache
def known_tests(path: str) -> set[str]:
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")}


@pytest.mark.parametrize("row", rows(), ids=lambda row: f"{row.paper}: {row.item}")
def test_a_row_of_the_paper_map_resolves(row: Row) -> None:
    assert resolve(row.name).__doc__
    path, _, name = row.test.partition("::")
    assert name in known_tests(path)
    assert set(row.claims) <= set(CLAIMS)
    assert set(re.findall(r"\b00\d\b", row.paper)) <= set(PAPERS)


def test_every_claim_has_its_place_on_the_map() -> None:
    placed = [claim for row in rows() for claim in row.claims]
    assert sorted(placed) == sorted(CLAIMS)


def test_every_paper_is_named_by_its_title() -> None:
    text = (ROOT / "docs" / "paper-map.md").read_text(encoding="utf-8")
    for number, title in PAPERS.items():
        assert f"aper {number}, *{title}*" in text


@pytest.mark.parametrize(
    "name", ["discreet.nowhere", "discreet.sensitivity.exact.no_such_sensitivity", "nothing.at.all"]
)
def test_a_name_that_is_not_there_does_not_resolve(name: str) -> None:
    with pytest.raises((AttributeError, ModuleNotFoundError)):
        resolve(name)


def test_a_test_that_is_not_there_is_not_found() -> None:
    assert "test_that_nobody_wrote" not in known_tests("tests/sensitivity/test_exact.py")
    assert rows()
