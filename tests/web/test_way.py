"""From a file with semicolons and typing errors to a compared, saved and printed result, with the keyboard alone."""

import json
from fractions import Fraction
from pathlib import Path

import pytest

from discreet.ledger import Ledger
from discreet.receipts import read_receipt, verify_any
from tests.support.browser import Watched, printed_pages, serving
from tests.support.journey import prepare, walk

pytestmark = pytest.mark.xdist_group("browser")

CUT = """() => [...document.querySelectorAll("main *, header *")].filter((one) => one.checkVisibility()
    && (one.tagName === "THEAD" ? one.offsetWidth > 1 // its words stand before each cell
        : !one.closest("figure, .skip, thead, caption") && one.getBoundingClientRect().right > innerWidth + 1))
    .map((one) => `${one.tagName} ${one.className} ${one.textContent.slice(0, 40)}`)"""


@pytest.mark.parametrize("width", [1000, pytest.param(360, marks=pytest.mark.soak)])
def test_a_trial_goes_from_drop_to_a_compared_saved_printed_result(width: int, tab: Watched, tmp_path: Path) -> None:
    go_all_the_way(tab, width, tmp_path)


@pytest.mark.soak
@pytest.mark.parametrize("width", [360, 1000])
def test_so_it_does_in_firefox(width: int, firefox_tab: Watched, tmp_path: Path) -> None:
    go_all_the_way(firefox_tab, width, tmp_path)


def go_all_the_way(tab: Watched, width: int, tmp_path: Path) -> None:
    prepare(tmp_path)
    tab.page.set_viewport_size({"width": width, "height": 800})
    seen: list[str] = []

    def look(step: str) -> None:
        seen.append(step)
        assert tab.page.url.endswith(f"#{step}") or step == "data", "each step has its address"
        assert tab.page.evaluate("() => document.documentElement.scrollWidth <= innerWidth"), step
        if width < 500:
            assert tab.page.evaluate(CUT) == [], step

    with serving("--ledger", "budgets.db", "--allow-release", folder=tmp_path) as served:
        receipt, png, svg, csv, document = walk(tab, served, look)
        assert seen == ["data", "question", "price", "release", "read"]
        assert png.read_bytes().startswith(b"\x89PNG")
        assert "new" in svg.read_text(encoding="utf-8")
        assert csv.read_text(encoding="utf-8").startswith("Group,Mean,95 % interval\nnew,")
        found = json.loads(document.read_text(encoding="utf-8"))
        assert (found["measure"], found["groups"]) == ("difference", ["new", "old"])
        verify_any(read_receipt(receipt))
        assert Ledger(tmp_path / "budgets.db").spent("trial").epsilon == Fraction(3, 2)
        assert printed_pages(tab.page) == 1, "one clean sheet"
    assert tab.wrongs == []
