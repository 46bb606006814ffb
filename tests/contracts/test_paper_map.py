"""docs/paper-map.md: every row leads to a documented name, a test, and claims that exist.

That names and tests exist is checked for all pages alike, by test_documented_names.py.
"""

import re
from typing import NamedTuple

from discreet_papers.claims import CLAIMS
from discreet_papers.pages import PAPERS
from tests.contracts.source import ROOT, resolve

TEXT = (ROOT / "docs" / "paper-map.md").read_text(encoding="utf-8")


class Row(NamedTuple):
    paper: str
    item: str
    name: str
    test: str
    claims: str


ROWS = [
    Row(*(cell.strip() for cell in line.strip().strip("|").split("|")))
    for line in TEXT.splitlines()
    if re.match(r"\| \d{3}", line)
]


def test_a_row_has_a_documented_name_and_a_test_and_speaks_of_a_paper() -> None:
    for row in ROWS:
        assert resolve(row.name.strip("`")).__doc__, row
        assert re.fullmatch(r"`tests/[\w/]+\.py::test_\w+`", row.test), row
        assert set(re.findall(r"\b00\d\b", row.paper)) <= set(PAPERS), row


def test_every_claim_has_its_place_on_the_map() -> None:
    placed = [claim for row in ROWS for claim in re.findall(r"`([^`]+)`", row.claims)]
    assert sorted(placed) == sorted(CLAIMS)


def test_every_paper_is_named_by_its_title() -> None:
    for number, title in PAPERS.items():
        assert f"aper {number}, *{title}*" in TEXT
