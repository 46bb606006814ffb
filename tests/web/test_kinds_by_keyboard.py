"""Several columns, a cross table and rates from the table to what is read, by the keyboard alone, on a narrow page."""

from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import pytest

from discreet.ledger import Ledger
from tests.support.browser import Served, Watched, serving
from tests.support.journey import Keyboard
from tests.web.node import AXE
from tests.web.test_accessibility import RUN
from tests.web.test_way import CUT

pytestmark = pytest.mark.xdist_group("browser")

ROWS = ["yes,f,north"] * 30 + ["no,f,south"] * 20 + ["no,m,south"] * 25 + ["no,m,north"] * 25


def columns(keys: Keyboard) -> None:
    keys.choose("question-column", "vote")
    keys.fill("question-categories", "yes\nno")
    keys.press("Add a column")
    keys.page.keyboard.type("sex")  # the new column has the focus
    keys.fill("question-more-0-categories", "f\nm")


def crossed(keys: Keyboard) -> None:
    keys.choose("question-kind", "one cross")
    columns(keys)
    keys.fill("question-impossible", "vote=yes, sex=m")


def rates(keys: Keyboard) -> None:
    keys.choose("question-kind", "rates")
    keys.choose("question-column", "region")
    keys.fill("question-categories", "north\nsouth")
    keys.fill("question-exposure", "north=120000\nsouth=88000")
    keys.fill("question-per", "100000")


def look(tab: Watched) -> None:
    """Nothing is cut, and axe finds nothing."""
    assert tab.page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
    assert tab.page.evaluate(CUT) == []
    if AXE.exists():
        if not tab.page.evaluate("() => 'axe' in window"):
            tab.page.evaluate(AXE.read_text(encoding="utf-8"))
        assert tab.page.evaluate(RUN) == []


def ask(tab: Watched, served: Served, declare: Callable[[Keyboard], None]) -> Keyboard:
    """From the table to its price."""
    keys, page = Keyboard(tab), tab.page
    tab.open(served)
    keys.fill("data-source", "votes.csv")
    keys.press("List its columns")
    page.wait_for_selector("#data tbody tr")
    keys.press(href="#question")
    declare(keys)
    keys.press("Check the data")
    page.wait_for_selector("#question .secret")
    assert "does not fit" not in page.inner_text("#question .secret")
    look(tab)
    page.focus("#question-id")
    keys.press(href="#price")
    page.wait_for_selector("#price .lead")
    look(tab)
    if declare is crossed:
        keys.press("Which one, and why?")
        page.wait_for_selector("#price .mechanisms table")
        assert "one cross table" in page.inner_text("#price .mechanisms .lead")
        look(tab)
    keys.press(href="#release")
    keys.press("What will it cost?")
    page.wait_for_selector("#release .spend")
    look(tab)
    return keys


@pytest.mark.soak
@pytest.mark.parametrize(
    ("declare", "dataset", "priced", "seen"),
    [
        (crossed, "public", "sex = m, vote = yes", "vote × sex"),
        (columns, "public", "Privacy loss of sex", "sex"),
        (rates, "events", "Exposure of north", "per 100,000"),
    ],
)
def test_a_table_is_declared_priced_released_and_read(
    declare: Callable[[Keyboard], None], dataset: str, priced: str, seen: str, tab: Watched, tmp_path: Path
) -> None:
    adjacency = "add-remove" if dataset == "events" else "replace-one"
    ledger = Ledger.create(tmp_path / "budgets.db", dataset=dataset, epsilon=2, adjacency=adjacency)
    (tmp_path / "votes.csv").write_text("\n".join(["vote,sex,region", *ROWS]) + "\n", encoding="utf-8")
    tab.page.set_viewport_size({"width": 360, "height": 800})
    with serving("--ledger", "budgets.db", "--allow-release", folder=tmp_path) as served:
        keys = ask(tab, served, declare)
        assert priced in tab.page.inner_text("#release .price")
        keys.press("Charge ε = 1 and release")
        tab.page.wait_for_selector("#release .released")
        keys.press("Read it")
        tab.page.wait_for_selector("#read article figure, #read article table")
        assert seen in tab.page.inner_text("#read article")
        look(tab)
    assert ledger.spent(dataset).epsilon == Fraction(1)
    assert tab.wrongs == []
