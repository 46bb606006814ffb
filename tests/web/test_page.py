"""The page in a real browser: it shows what the library says, and a release is paid once."""

import json
import re
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import pytest

import discreet as dc
from discreet.ledger import Ledger
from discreet.requests.run import release_counts
from tests.support.browser import Served, Watched, serving

pytestmark = pytest.mark.xdist_group("browser")

VOTES = {"source": "votes.csv", "column": "vote", "categories": "yes\nno"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A ledger and a table."""
    made = tmp_path_factory.mktemp("page")
    Ledger.create(made / "budgets.db", dataset="anes", epsilon=2)
    rows = ["yes,f"] * 40 + ["no,f"] * 20 + ["yes,m"] * 15 + ["no,m"] * 25
    (made / "votes.csv").write_text("vote,sex\n" + "\n".join(rows) + "\n", encoding="utf-8")
    return made


@pytest.fixture(scope="module")
def served(folder: Path) -> Iterator[Served]:
    with serving("--ledger", "budgets.db", "--allow-release", folder=folder) as running:
        yield running


def cells(tab: Watched, part: str) -> list[list[str]]:
    """The texts of the first table of a part."""
    rows = tab.page.locator(f"#{part} table").first.locator("tbody tr").all()
    return [row.locator("th, td").all_inner_texts() for row in rows]


def fill(tab: Watched, part: str, **texts: str) -> None:
    for name, text in texts.items():
        put = tab.page.select_option if name == "mechanism" else tab.page.fill
        put(f"#{part} [name={name}]", text)


def ask(tab: Watched, served: Served, part: str, answer: str, **texts: str) -> None:
    """Open the page, fill in one of its parts, ask, and wait for the answer."""
    tab.open(served)
    tab.turn(part)
    fill(tab, part, **texts)
    tab.page.click(f"#{part} form button")
    tab.page.wait_for_selector(f"#{part} {answer}")


def reload(tab: Watched) -> None:
    tab.page.reload()
    tab.page.wait_for_selector("body[data-ready]")


def price(tab: Watched, served: Served, epsilon: str) -> None:
    """Ask what a release of the votes would cost."""
    ask(tab, served, "release", ".spend", **VOTES, epsilon=epsilon)


def read(tab: Watched, receipt: Path) -> list[str]:
    """The categories that the page shows of a receipt."""
    tab.turn("receipt")
    tab.page.set_input_files("#receipt [name=file]", receipt)
    tab.page.click("#receipt form button")
    tab.page.wait_for_selector("#receipt table")
    return [row[0] for row in cells(tab, "receipt")]


def test_a_plan_shows_the_librarys_numbers(served: Served, tab: Watched) -> None:
    tab.open(served)
    fill(tab, "plan", prior="1, 1, 1", n="8", epsilon="1/2")
    tab.page.check("#plan [name=compare]")
    tab.page.press("#plan [name=epsilon]", "Enter")
    tab.page.wait_for_selector("#plan table")
    expected = dc.plan(dc.PosteriorSpace(prior=[1, 1, 1], n=8), epsilon="1/2", compare=True)
    shown = {(name, setting): rest for name, settings, *rest in cells(tab, "plan") for setting in settings.split(" = ")}
    assert set(shown) == {(row["name"], row["setting"]) for row in expected.mechanisms}
    for row in expected.mechanisms:
        loss, *errors = shown[row["name"], row["setting"]]
        exact = row["exact_epsilon"]
        assert loss == "–" if exact is None else exact * (1 - 1e-9) <= float(loss.removeprefix("≤ ")) <= exact * 1.002
        keys = ("mean_error", "worst_mean_error", "error_95", "shift_points", "interval_width")
        for key, text in zip(keys, errors, strict=True):
            assert text == "–" if row[key] is None else float(text) == pytest.approx(row[key], rel=1e-3)
    assert expected.sentences()[0] == tab.page.inner_text("#plan .lead")
    assert f"Use {expected.recommended}" in tab.page.inner_text("#plan .answer")
    assert tab.page.locator("#plan svg circle.best").count() == 1
    assert "Hellinger distance" in str(tab.page.text_content("#plan svg .axis"))
    assert tab.wrongs == []


def test_the_least_epsilon_for_an_error_is_the_librarys(served: Served, tab: Watched) -> None:
    tab.open(served)
    tab.page.check("#plan [value=error]")
    assert tab.page.is_hidden("#plan [name=epsilon]")
    fill(tab, "plan", n="20", target_error="0.3")
    tab.page.click("#plan button")
    tab.page.wait_for_selector("#plan table")
    least = dc.plan(dc.PosteriorSpace(prior=[1, 1], n=20), target_error="0.3", confidence="0.95").epsilon
    shown = float(re.findall(r"ε = ([0-9.]+)", tab.page.inner_text("#plan caption"))[0])
    assert least <= Fraction(shown) * (1 + Fraction(1, 10**9))
    assert shown <= float(least) * 1.002


def test_an_audit_shows_the_exact_loss_and_where_it_is_worst(served: Served, tab: Watched) -> None:
    ask(tab, served, "audit", "dl", mechanism="exponential-reciprocal", n="50")
    expected = dc.audit(dc.ExponentialReciprocal(dc.PosteriorSpace(prior=[1, 1], n=50), epsilon=1))
    names, values = (tab.page.locator(f"#audit {tag}").all_inner_texts() for tag in ("dt", "dd"))
    told = dict(zip(names, values, strict=True))
    assert float(told["Exact loss ε"]) == pytest.approx(float(expected.epsilon), rel=1e-3)
    assert float(told["Exact loss ε"]) >= float(expected.epsilon) * (1 - 1e-11)
    assert expected.worst is not None
    assert told["Worst counts"] == ", ".join(map(str, expected.worst.counts))
    assert told["Certificate"] == expected.certificate.digest


def test_a_mechanism_that_keeps_no_epsilon_is_called_so(served: Served, tab: Watched) -> None:
    ask(tab, served, "audit", ".lead", mechanism="exponential-local", n="4", epsilon="8")
    private = dc.audit(dc.ExponentialLocal(dc.PosteriorSpace(prior=[1, 1], n=4), epsilon=8)).private
    assert ("does not keep" in tab.page.inner_text("#audit .lead")) == (not private)


def test_a_release_shows_its_price_first_and_is_paid_once(served: Served, folder: Path, tab: Watched) -> None:
    ledger = Ledger(folder / "budgets.db")
    before = ledger.spent("anes").epsilon
    price(tab, served, "0.5")
    assert "ε = 0.5 of what anes may spend" in tab.page.inner_text("#release .lead")
    assert "Expected error" in tab.page.inner_text("#release dl")
    assert ledger.spent("anes").epsilon == before, "a price is free"
    tab.page.dblclick("#release .spend")
    tab.page.wait_for_selector("#release .released table")
    assert tab.page.evaluate("() => document.activeElement.className") == "released", "the keyboard goes on from there"
    assert ledger.spent("anes").epsilon == before + Fraction(1, 2)
    with tab.page.expect_download() as download:
        tab.page.click("#release .save")
    receipt = Path(download.value.path()).read_text(encoding="utf-8").strip()
    charge = ledger.find(json.loads(receipt)["request_id"])
    assert charge is not None
    assert charge.outcome == receipt
    (folder / "r.json").write_text(receipt, encoding="utf-8")
    assert read(tab, folder / "r.json") == ["yes", "no"]
    tab.turn("budgets")
    tab.page.wait_for_selector("#budgets table")
    assert f"ε = {float(2 - before) - 0.5:g}" in cells(tab, "budgets")[0]
    assert tab.wrongs == []


def test_a_release_that_was_reloaded_away_is_offered_again_and_paid_once(
    served: Served, folder: Path, tab: Watched
) -> None:
    ledger = Ledger(folder / "budgets.db")
    before = ledger.spent("anes").epsilon
    price(tab, served, "0.01")
    tab.page.route("**/api/release", lambda route: None)  # asked for, and never answered
    with tab.page.expect_request("**/api/release"):
        tab.page.click("#release .spend")
    assert tab.page.is_disabled("#release form button"), "another price would take its answer's place"
    tab.page.unroute("**/api/release")
    reload(tab)
    tab.turn("release")
    for _ in range(2):  # what was shown but not saved is offered as well
        tab.page.click("#release .spend")
        tab.page.wait_for_selector("#release .released table")
        assert ledger.spent("anes").epsilon == before + Fraction(1, 100)
        reload(tab)
        tab.turn("release")
    tab.page.click("#release .spend")
    with tab.page.expect_download():
        tab.page.click("#release .save")
    reload(tab)
    assert tab.page.locator("#release .spend").count() == 0
    assert ledger.spent("anes").epsilon == before + Fraction(1, 100)


def test_categories_that_are_numbers_keep_the_order_of_the_prior(served: Served, tab: Watched, tmp_path: Path) -> None:
    receipt = release_counts([30, 20, 10], categories=["10", "x", "2"], epsilon=1)
    (tmp_path / "r.json").write_text(receipt.to_json(), encoding="utf-8")
    tab.open(served)
    assert read(tab, tmp_path / "r.json") == ["10", "x", "2"]


def test_groups_are_released_and_read(served: Served, tab: Watched) -> None:
    tab.open(served)
    tab.turn("release")
    fill(tab, "release", **VOTES, epsilon="0.25")
    tab.page.click("#release summary")
    fill(tab, "release", by="sex", groups="f\nm")
    tab.page.click("#release form button")
    tab.page.click("#release .spend")
    tab.page.wait_for_selector("#release .released table")
    assert tab.page.locator("#release h3").all_inner_texts() == ["sex = f", "sex = m"]


def test_a_refusal_says_how_to_mend_it_and_spends_nothing(served: Served, folder: Path, tab: Watched) -> None:
    ledger = Ledger(folder / "budgets.db")
    head = ledger.head()
    tab.open(served)
    tab.turn("release")
    fill(tab, "release", **VOTES, epsilon="50")
    tab.page.click("#release form button")
    status = tab.page.locator("#release > .status")
    status.filter(has_text="does not fit").wait_for()
    assert "ask for less" in status.inner_text()
    fill(tab, "release", epsilon="0.5", column="vite")
    tab.page.click("#release form button")
    status.filter(has_text="vite").wait_for()
    assert ledger.head() == head
    assert tab.page.locator("#release .spend").count() == 0


def test_a_file_that_is_no_receipt_is_refused(served: Served, folder: Path, tab: Watched) -> None:
    tab.open(served)
    tab.turn("receipt")
    tab.page.set_input_files("#receipt [name=file]", folder / "votes.csv")
    tab.page.click("#receipt button")
    status = tab.page.locator("#receipt .status").filter(has_text="this is no receipt")
    status.wait_for()
    assert "a JSON file that discreet release wrote" in status.inner_text()
    assert tab.page.inner_text("#receipt .answer") == ""


def test_the_token_leaves_the_address_and_a_reload_keeps_it(served: Served, tab: Watched) -> None:
    tab.open(served)
    assert served.token not in tab.page.url
    reload(tab)
    assert "on this machine alone" in tab.page.inner_text("#about")


def test_without_the_token_the_page_says_where_to_get_it(served: Served, tab: Watched) -> None:
    tab.page.goto(served.address.partition("#")[0])
    tab.page.wait_for_selector("body[data-ready]")
    assert "open the address that discreet serve printed" in tab.page.inner_text("#about")


def test_a_page_without_a_ledger_shows_neither_budgets_nor_a_release(tab: Watched, tmp_path: Path) -> None:
    with serving(folder=tmp_path) as plain:
        tab.open(plain)
        assert tab.page.locator("nav a:visible").all_inner_texts() == ["Plan", "Audit", "Read a receipt"]
        tab.page.goto(f"{plain.address.partition('#')[0]}#release")
        assert tab.page.is_hidden("#release")


def test_every_field_has_a_name_that_is_read_aloud_and_every_table_a_caption(served: Served, tab: Watched) -> None:
    tab.open(served)
    nameless = tab.page.evaluate(
        "() => [...document.querySelectorAll('input, select, textarea')]"
        ".filter((field) => !field.labels[0]?.textContent.trim()).map((field) => field.name)"
    )
    assert nameless == []
    ask(tab, served, "plan", "table caption", n="20")
    assert tab.page.get_attribute("#plan svg", "aria-label")


def test_a_narrow_window_does_not_scroll_sideways(served: Served, tab: Watched) -> None:
    tab.page.set_viewport_size({"width": 360, "height": 700})
    ask(tab, served, "plan", "table", n="20")
    assert tab.page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
    tab.turn("budgets")
    tab.page.wait_for_selector("#budgets dd")
    widths = tab.page.eval_on_selector_all("#budgets dd", "(found) => found.map((each) => each.clientWidth)")
    assert min(widths) > 120, "a hash is not written one letter below the other"


def test_errors_of_any_smallness_have_an_axis_that_can_be_read(served: Served, tab: Watched) -> None:
    ask(tab, served, "plan", "table", n="10", epsilon="700")
    assert 2 <= tab.page.locator("#plan svg .grid").count() <= 10
