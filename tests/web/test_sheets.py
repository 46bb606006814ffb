"""`discreet receipt page`: one file that is read without network and without script, and prints on one page."""

import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from playwright.sync_api import Browser, Page

from discreet.receipts import Receipt, read_receipt
from discreet.requests.run import release
from discreet.web.sheets import receipt_page
from tests.cli.command import assert_refused, typed
from tests.support.browser import Watched, printed_pages
from tests.web.node import AXE
from tests.web.test_accessibility import RUN

pytestmark = pytest.mark.xdist_group("browser")

MARKUP = "<img src=x onerror=alert(1)><script>alert(2)</script>"


@pytest.fixture(scope="module")
def grouped() -> Receipt:
    table = pd.DataFrame({"outcome": ["cured", MARKUP, "cured"] * 40, "arm": ["new", "old"] * 60})
    asked: dict[str, Any] = {
        "column": "outcome",
        "categories": ["cured", MARKUP],
        "by": "arm",
        "groups": ["new", "old"],
    }
    return release(table, **asked, epsilon=2, ledger=None, title=f"A trial {MARKUP}")


@pytest.fixture(scope="module")
def page(grouped: Receipt, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sheet")
    (folder / "r.json").write_text(grouped.to_json(), encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("discreet.web.sheets.LEVELS", ("0.5", "0.95", "0.99"))
        answer = typed(f"receipt page {folder / 'r.json'} --out {folder / 'r.html'}")
    assert (answer.code, answer.err) == (0, "")
    return folder / "r.html"


@pytest.fixture
def few_pictures(monkeypatch: pytest.MonkeyPatch) -> None:
    """One of each comparison, where a page would have one for each of five levels and three measures."""
    monkeypatch.setattr("discreet.web.sheets.LEVELS", ("0.95",))
    monkeypatch.setattr("discreet.web.sheets.MEASURES", ("difference",))


def test_its_numbers_are_the_receipts(page: Path, grouped: Receipt) -> None:
    text = page.read_text(encoding="utf-8")
    shown = re.search(r'<div data-level="0.95">(.*?)<div data-level="0.99" hidden>', text, re.DOTALL)
    assert shown is not None
    for rows in grouped.document["belief"].values():
        for row in rows.values():
            low, high = row["interval"]
            assert f"<td>{100 * row['mean']:.1f} %</td>" in shown[1]
            assert f"<td>{100 * low:.1f} to {100 * high:.1f} %</td>" in shown[1]


class Attributes(HTMLParser):
    """All tags, and all attributes that could load or run something."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.risky: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.risky |= {name for name, _ in attrs if name.startswith("on") or name in {"src", "href", "style", "srcset"}}


def test_it_loads_nothing_and_its_policy_lets_nothing_else_run(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    found = Attributes(text)
    assert found.risky == {"href"}, "the link that saves the receipt"
    assert re.findall('href="([a-z:/]+);', text) == ["data:application/json"]
    assert not {"img", "link", "iframe", "object", "base", "form"} & found.tags
    assert text.count("<script>") == text.count("<style>") == 1
    assert "default-src 'none'" in text
    assert not re.search(r"@import|url\(", text)


def test_a_receipt_that_does_not_hold_gets_no_page(grouped: Receipt, tmp_path: Path) -> None:
    lie = grouped.document | {"epsilon_exact": "1"}
    (tmp_path / "r.json").write_text(json.dumps(lie), encoding="utf-8")
    answer = typed(f"receipt page {tmp_path / 'r.json'} --out {tmp_path / 'r.html'}")
    assert answer.code in {2, 4}
    assert not (tmp_path / "r.html").exists()
    assert_refused(typed(f"receipt page {tmp_path / 'r.json'} --out {tmp_path / 'r.json'}"))


@pytest.mark.usefixtures("few_pictures")
@pytest.mark.parametrize(
    "name", ["public-groups", "three-categories", pytest.param("columns-of-groups", marks=pytest.mark.soak)]
)
def test_every_kind_of_receipt_gets_a_page(name: str, tmp_path: Path) -> None:
    written = Path(__file__).parents[1] / "receipts" / "written" / f"{name}.json"
    answer = typed(f"receipt page {written} --out {tmp_path / 'r.html'}")
    assert (answer.code, answer.err) == (0, "")
    for category in read_receipt(written).document.get("categories", []):
        assert f'<th scope="row">{category}</th>' in (tmp_path / "r.html").read_text(encoding="utf-8")


@pytest.mark.usefixtures("few_pictures")
def test_it_says_how_many_comparisons_are_left_out(page: Path) -> None:
    assert "are not on this page" not in page.read_text(encoding="utf-8")
    groups, answers = [str(i) for i in range(4)], ["a", "b", "c"]
    rows = pd.DataFrame({"arm": groups * 30, "answer": (answers * 40)[:120]})
    receipt = release(rows, column="answer", categories=answers, by="arm", groups=groups, epsilon=4, ledger=None)
    text = receipt_page(receipt)
    assert "6 more comparisons of a category between two groups are not on this page" in text
    compared = set(re.findall(r'data-of="answer: (.), difference"', text))
    assert compared == {"a", "b"}, "6 pairs of two categories have room"


def test_it_is_read_without_network_with_and_without_script_and_prints_on_one_page(
    page: Path, browser: Browser
) -> None:
    asked: list[str] = []
    for script in (False, True):
        context = browser.new_context(viewport={"width": 360, "height": 700}, offline=True, java_script_enabled=script)
        tab = context.new_page()
        tab.on("request", lambda request: asked.append(request.url))
        tab.on("console", lambda message: asked.append(message.text))
        tab.goto(page.as_uri())
        assert tab.locator("svg:visible").count() == 4, "two groups, their shares compared, and their difference"
        assert tab.locator(".choose:visible").count() == (2 if script else 0)
        if script:
            choose_and_print(tab)
            if AXE.exists():
                tab.evaluate(AXE.read_text(encoding="utf-8"))
                assert tab.evaluate(RUN) == []
        context.close()
    assert set(asked) == {page.as_uri()}


@pytest.mark.soak
def test_so_it_is_in_firefox(page: Path, firefox_tab: Watched) -> None:
    asked: list[str] = []
    firefox_tab.page.on("request", lambda request: asked.append(request.url))
    firefox_tab.page.set_viewport_size({"width": 360, "height": 700})
    firefox_tab.page.goto(page.as_uri())
    assert firefox_tab.page.locator("svg:visible").count() == 4
    choose_and_print(firefox_tab.page)
    assert firefox_tab.wrongs == []
    assert set(asked) <= {page.as_uri()}


def choose_and_print(tab: Page) -> None:
    """Choose another level and another comparison, and print them on one page."""
    assert tab.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
    wide = tab.inner_text("main [data-level='0.95']")
    tab.select_option("[name=level]", "0.5")
    assert tab.inner_text("main [data-level='0.5']") != wide
    tab.select_option("[name=of]", index=2)
    assert "odds ratio" in tab.inner_text("main").lower()
    assert printed_pages(tab) == 1
