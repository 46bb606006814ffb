"""The way through the page, from a dropped file to a printed result, with the keyboard alone."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from discreet.ledger import Ledger
from tests.support.browser import Served, Watched

SEEN = """() => {
    const one = document.activeElement;
    return [one.id, one.name ?? "", one.textContent.trim().slice(0, 60), one.getAttribute("href") ?? ""];
}"""
DROP = """([name, text]) => {
    const transfer = new DataTransfer();
    transfer.items.add(new File([text], name, { type: "text/csv" }));
    const zone = document.querySelector("#data .drop");
    for (const kind of ["dragover", "drop"]) {
        zone.dispatchEvent(new DragEvent(kind, { dataTransfer: transfer, bubbles: true, cancelable: true }));
    }
}"""

TRIAL = "arm;outcome\n" + "".join(
    f"{row}\n" * often
    for row, often in {
        "new;cured": 130,
        "new;not cured": 70,
        "old;cured": 90,
        "old;not cured": 110,
        "old;Cured": 2,
        "new;nto cured": 1,
    }.items()
)
"""A trial that its curator wrote with semicolons and typing errors."""


def prepare(folder: Path) -> None:
    """A ledger with a budget for the trial."""
    Ledger.create(folder / "budgets.db", dataset="trial", epsilon=3)


class Keyboard:
    """A curator without a mouse."""

    def __init__(self, tab: Watched) -> None:
        self.page = tab.page

    def reach(self, *, field: str = "", text: str = "", href: str = "") -> None:
        """Press Tab until the focus is there."""
        passed = []
        for _ in range(120):
            self.page.keyboard.press("Tab")
            focus = self.page.evaluate(SEEN)
            if (field and focus[0] == field) or (text and focus[2] == text) or (href and focus[3] == href):
                return
            passed.append(focus)
        raise AssertionError(f"the keyboard does not reach {field or text or href}: {passed}")

    def fill(self, field: str, text: str) -> None:
        """Go to a field and type; a line break is Enter."""
        self.reach(field=field)
        self.page.keyboard.press("ControlOrMeta+a")
        self.page.keyboard.type(text)

    def choose(self, field: str, first_letters: str) -> None:
        """Go to a list and choose by typing."""
        self.reach(field=field)
        self.page.keyboard.type(first_letters)

    def press(self, text: str = "", href: str = "") -> None:
        """Go to a button or a link and press Enter."""
        self.reach(text=text, href=href)
        self.page.keyboard.press("Enter")


def walk(tab: Watched, served: Served, look: Callable[[str], None]) -> list[Path]:
    """Drop, declare, check, price, release, read, compare, save. `look` is called at each step."""
    tab.open(served)
    keys = Keyboard(tab)
    _drop(keys)
    look("data")
    _declare(keys)
    look("question")
    _plan(keys)
    look("price")
    keys.press(href="#release")
    tab.page.wait_for_selector("#release:not([hidden])")
    keys.press("What will it cost?")
    tab.page.wait_for_selector("#release .spend")
    look("release")
    keys.press("Charge ε = 1.5 and release")
    tab.page.wait_for_selector("#release .released")
    receipt = tab.saved(lambda: keys.press("Save the receipt"))
    keys.press("Read it")
    tab.page.wait_for_selector("#read article svg")
    keys.press("Compare")
    tab.page.wait_for_selector("#read .compare .picture")
    look("read")
    tab.page.focus("#compare-title + form button")
    texts = ("PNG", "SVG", "CSV", "Comparison as JSON")
    return [receipt, *(tab.saved(lambda text=text: keys.press(text)) for text in texts)]  # type: ignore[misc]


def _drop(keys: Keyboard) -> None:
    """Drop the file; its header tells that it has semicolons."""
    page = keys.page
    page.evaluate(DROP, ["trial.csv", TRIAL])
    page.wait_for_selector("#data .error")
    assert "separated by semicolons" in page.inner_text("#data .error")
    assert page.evaluate("() => document.activeElement.id") == "data-delimiter", "the error leads to its field"
    page.keyboard.type(";")
    keys.reach(field="data-encoding")
    page.wait_for_function("() => document.querySelectorAll('#data tbody tr').length === 2")


def _declare(keys: Keyboard) -> None:
    """Declare what is known of the table, and look whether it fits."""
    page = keys.page
    keys.press(href="#question")
    page.wait_for_selector("#question:not([hidden])")
    keys.choose("question-column", "outcome")
    keys.fill("question-categories", "cured\nnot cured")
    keys.fill("question-other", "unclear")
    keys.choose("question-by", "arm")
    keys.fill("question-groups", "new\nold")
    keys.press("Check the data")
    page.wait_for_selector("#question .secret")
    warning = page.inner_text("#question .secret")
    assert "not publishable" in warning
    assert "Cured" in warning


def _plan(keys: Keyboard) -> None:
    """Move ε until the interval pleases."""
    page = keys.page
    page.focus("#question-id")
    keys.press(href="#price")
    page.wait_for_selector("#price .lead")
    keys.reach(field="price-epsilon-slider")
    before = page.inner_text("#price .lead")
    page.keyboard.press("ArrowRight")
    page.wait_for_function("(before) => document.querySelector('#price .lead').innerText !== before", arg=before)
    assert page.input_value("#price-epsilon") == "1.5"
    keys.fill("price-n", "403")
    page.wait_for_function("() => document.querySelector('#price .lead').innerText.includes('without privacy')")
