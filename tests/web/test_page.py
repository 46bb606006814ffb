"""The page in a real browser: it shows what the library says, and a release is paid once."""

import json
from collections.abc import Iterator
from contextlib import suppress
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import discreet as dc
from discreet.ledger import Ledger
from discreet.requests.run import release_counts
from tests.support.browser import Served, Watched, serving

pytestmark = pytest.mark.xdist_group("browser")

DATA = {"source": "votes.csv"}
QUESTION = {"column": "vote", "categories": "yes\nno"}


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
    tab.page.click(f"#{part} form button:not([type=button])")
    tab.page.wait_for_selector(f"#{part} {answer}")


def reload(tab: Watched) -> None:
    tab.page.reload()
    tab.page.wait_for_selector("body[data-ready]")


def price(tab: Watched, served: Served, epsilon: str, answer: str = ".spend") -> None:
    """Ask what a release of the votes would cost, by the address of the table."""
    tab.open(served)
    tab.turn("data")
    fill(tab, "data", **DATA)
    tab.turn("question")
    fill(tab, "question", **QUESTION)
    tab.turn("price")
    fill(tab, "price", epsilon=epsilon)
    tab.turn("release")
    tab.page.click("#release form button")
    tab.page.wait_for_selector(f"#release {answer}")


def read(tab: Watched, receipt: Path) -> list[str]:
    """The categories that the page shows of a receipt."""
    tab.turn("read")
    tab.page.set_input_files("#read [name=receipts]", receipt)
    tab.page.wait_for_selector("#read table")
    return [row[0] for row in cells(tab, "read")]


def test_a_comparison_of_mechanisms_shows_the_librarys_numbers(served: Served, tab: Watched) -> None:
    tab.open(served)
    tab.turn("price")
    fill(tab, "price", prior="1, 1, 1", n="8", epsilon="1/2")
    tab.page.click("#compare-mechanisms")
    tab.page.wait_for_selector("#price .mechanisms table")
    expected = dc.plan(dc.PosteriorSpace(prior=[1, 1, 1], n=8), epsilon="1/2", compare=True)
    rows = tab.page.locator("#price .mechanisms tbody tr").all()
    shown = {
        (name, setting): rest
        for name, settings, *rest in (row.locator("th, td").all_inner_texts() for row in rows)
        for setting in settings.split(" = ")
    }
    assert set(shown) == {(row["name"], row["setting"]) for row in expected.mechanisms}
    for row in expected.mechanisms:
        loss, *errors = shown[row["name"], row["setting"]]
        exact = row["exact_epsilon"]
        assert loss == "–" if exact is None else exact * (1 - 1e-9) <= float(loss.removeprefix("≤ ")) <= exact * 1.002
        keys = ("mean_error", "worst_mean_error", "error_95", "shift_points", "interval_width")
        for key, text in zip(keys, errors, strict=True):
            assert text == "–" if row[key] is None else float(text) == pytest.approx(row[key], rel=6e-3)
    assert f"Use {expected.recommended} ({expected.setting})." == tab.page.inner_text("#price .mechanisms .lead")
    assert tab.page.locator("#price .mechanisms svg circle.best").count() == 1
    assert "Hellinger distance" in str(tab.page.text_content("#price .mechanisms svg .axis"))
    assert tab.wrongs == []


def test_the_slider_shows_the_latest_answer_and_the_least_epsilon_is_the_librarys(served: Served, tab: Watched) -> None:
    tab.open(served)
    tab.turn("price")
    tab.page.wait_for_selector("#price .lead")
    for stop in (3, 9, 14, 20):
        tab.page.fill("#price-epsilon-slider", str(stop))
    expected = dc.plan(dc.PosteriorSpace(prior=[1, 1], n=1000), epsilon=7).sentences()
    says = "(text) => document.querySelector('#price .answer').innerText.includes(text)"
    for sentence in expected:
        if "least that any mechanism could have" not in sentence:  # a bound that a slider does not wait for
            tab.page.wait_for_function(says, arg=sentence)
    assert tab.page.input_value("#price-epsilon") == "7"
    fill(tab, "price", n="60", target_points="25")
    tab.page.click("#least")
    least = dc.plan(dc.PosteriorSpace(prior=[1, 1], n=60), target_width="0.25").epsilon
    tab.page.wait_for_function("() => document.querySelector('#price-epsilon').value !== '7'")
    assert Fraction(tab.page.input_value("#price-epsilon")) == least
    assert tab.wrongs == []


def test_a_plan_can_be_stopped(served: Served, tab: Watched) -> None:
    tab.open(served)
    tab.turn("price")
    fill(tab, "price", prior=",".join("1" * 12), n="100000")
    tab.page.click("#compare-mechanisms")
    with tab.page.expect_event("requestfailed"):
        tab.page.click("#price .stop")
    assert tab.page.inner_text("#price .status") == "stopped"
    assert tab.page.is_hidden("#price .stop")


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
    ask(tab, served, "audit", "dl", mechanism="geometric", n="50")
    assert "postprocess" in tab.page.inner_text("#audit dl")


def test_a_release_shows_its_price_first_and_is_paid_once(served: Served, folder: Path, tab: Watched) -> None:
    ledger = Ledger(folder / "budgets.db")
    before = ledger.spent("anes").epsilon
    price(tab, served, "0.5")
    assert "ε = 0.5 of what anes may spend" in tab.page.inner_text("#release .lead")
    assert "Expected Hellinger distance" in tab.page.inner_text("#release .price dl")
    assert ledger.spent("anes").epsilon == before, "a price is free"
    tab.page.dblclick("#release .spend")
    tab.page.wait_for_selector("#release .released")
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
    tab.page.click("#budgets [aria-label^='Read the receipt']")
    tab.page.wait_for_selector("#read:not([hidden]) article")
    assert tab.wrongs == []


def test_a_release_that_was_reloaded_away_is_offered_again_and_paid_once(
    served: Served, folder: Path, tab: Watched
) -> None:
    ledger = Ledger(folder / "budgets.db")
    before = ledger.spent("anes").epsilon
    price(tab, served, "0.01")
    held: list[Any] = []
    tab.page.route("**/api/release", lambda route: held.append(route))  # asked for, and never answered
    with tab.page.expect_request("**/api/release"):
        tab.page.click("#release .spend")
    assert tab.page.is_disabled("#release form button"), "another price would take its answer's place"
    tab.page.unroute("**/api/release")
    reload(tab)
    with suppress(Exception):  # the browser has ended it; its task here would be told of in the log of another test
        held[0].abort()
    tab.turn("release")
    for _ in range(2):  # what was shown but not saved is offered as well
        tab.page.click("#release .spend")
        tab.page.wait_for_selector("#release .released")
        assert ledger.spent("anes").epsilon == before + Fraction(1, 100)
        reload(tab)
        tab.turn("release")
    tab.page.click("#release .spend")
    with tab.page.expect_download():
        tab.page.click("#release .save")
    reload(tab)
    assert tab.page.locator("#release .spend").count() == 0
    assert ledger.spent("anes").epsilon == before + Fraction(1, 100)


def test_an_unfinished_request_is_finished_for_free(served: Served, folder: Path, tab: Watched) -> None:
    ledger = Ledger(folder / "budgets.db")
    asked = {"source": "votes.csv", "column": "vote", "categories": ["yes", "no"], "epsilon": "0.03", "dataset": "anes"}
    status, priced = served.ask("price", {**asked, "mechanism": "geometric", "prior": "1,1"})
    assert status == 200
    ledger.charge("anes", "0.03", request_id=priced["request_id"], digest=priced["digest"])
    before = ledger.spent("anes").epsilon
    price(tab, served, "0.03", ".status:has-text('charged for this question before')")
    tab.turn("budgets")
    tab.page.click("#budgets .unfinished button")
    tab.page.wait_for_selector("#data:not([hidden])")
    tab.turn("release")
    tab.page.click("#release form button")
    tab.page.wait_for_selector("#release .spend")
    assert tab.page.inner_text("#release .spend") == "Finish it for free"
    tab.page.click("#release .spend")
    tab.page.wait_for_selector("#release .released")
    assert ledger.spent("anes").epsilon == before
    found = ledger.find(priced["request_id"])
    assert found is not None
    assert found.outcome is not None


def test_categories_that_are_numbers_keep_the_order_of_the_prior(served: Served, tab: Watched, tmp_path: Path) -> None:
    receipt = release_counts([30, 20, 10], categories=["10", "x", "2"], epsilon=1)
    (tmp_path / "r.json").write_text(receipt.to_json(), encoding="utf-8")
    tab.open(served)
    assert read(tab, tmp_path / "r.json") == ["10", "x", "2"]


def test_three_receipts_are_a_series_of_waves(served: Served, tab: Watched, tmp_path: Path) -> None:
    files = []
    for i, yes in enumerate((30, 40, 50)):
        receipt = release_counts([yes, 60], categories=["yes", "no"], epsilon=2)
        files.append(tmp_path / f"wave-{i}.json")
        files[-1].write_text(receipt.to_json(), encoding="utf-8")
    tab.open(served)
    tab.turn("read")
    tab.page.set_input_files("#read [name=receipts]", files)
    tab.page.wait_for_selector("#read .compare")
    tab.page.click("#read .compare form button")
    tab.page.wait_for_selector("#read .compare .picture")
    shown = tab.page.locator("#read .compare tbody th").all_inner_texts()
    assert shown == ["wave-0", "wave-1", "wave-2", "wave-0 to wave-1", "wave-1 to wave-2"]
    assert tab.wrongs == []


def test_a_refusal_stands_beside_its_field_and_spends_nothing(served: Served, folder: Path, tab: Watched) -> None:
    ledger = Ledger(folder / "budgets.db")
    head = ledger.head()
    price(tab, served, "50", ".status:has-text('does not fit')")
    assert "ask for less" in tab.page.inner_text("#release .status")
    with tab.page.expect_response("**/api/forecast"):
        tab.turn("price")
    assert "does not fit" in tab.page.inner_text(".field:has(#price-epsilon) .error")
    fill(tab, "price", epsilon="0.5")
    assert tab.page.locator(".error").count() == 0
    tab.turn("question")
    fill(tab, "question", column="votes")
    tab.page.click("#question form button:not([type=button])")
    tab.page.wait_for_selector(".field:has(#question-column) .error")
    assert "did you mean 'vote'" in tab.page.inner_text(".field:has(#question-column) .error")
    assert tab.page.evaluate("() => document.activeElement.id") == "question-column"
    assert ledger.head() == head
    assert tab.page.locator("#release .spend").count() == 0


def test_a_schedule_is_opened_at_a_price_and_its_slots_are_drawn(tab: Watched, tmp_path: Path) -> None:
    ledger = Ledger.create(tmp_path / "budgets.db", dataset="anes", epsilon=2)
    with serving("--ledger", "budgets.db", "--allow-release", folder=tmp_path) as served:
        tab.open(served)
        tab.turn("budgets")
        assert tab.page.is_hidden("#create-schedule")
        tab.page.select_option("#create-composition", "exact")
        assert tab.page.is_hidden("#create-epsilon")
        fill(tab, "create", dataset="year", delta="1e-6", schedule="12 x -1", categories_at_least="3")
        tab.page.click("#create .buttons button")
        tab.page.wait_for_selector(".field:has(#create-schedule) .error")
        fill(tab, "create", schedule="12 x 0.25, 1 x 1")
        tab.page.click("#price-schedule")
        tab.page.wait_for_selector(
            "#schedule-price:has-text('costs ε = 3.74894, δ = 0.000001, where the ε add up to 4')"
        )
        assert [account.dataset for account in ledger.accounts()] == ["anes"], "nothing is opened yet"
        tab.page.click("#create .buttons button")
        tab.page.wait_for_selector("#budgets .lead:has-text('ε = 3.74894')")
        tab.page.wait_for_selector("#budgets .slots")
        assert tab.page.is_visible("#create-epsilon"), "the form is as it was"
        ledger.charge("year", "0.1", request_id="r", digest="x")
        tab.page.click("#look button")
        tab.page.wait_for_selector("#budgets .slots:has-text('1 of 12')")
        drawn = tab.page.locator("#budgets .slots li").all_inner_texts()
        assert drawn == ["■" + 11 * "□" + " 1 of 12 slots of ε = 0.25 taken", "□ 0 of 1 slots of ε = 1 taken"]
        assert tab.page.locator("#budgets meter").count() == 1, "a budget without slots has its gauge"
        assert [wrong for wrong in tab.wrongs if "400" not in wrong] == [], "only the refusal is one"


def test_a_file_that_is_no_receipt_is_refused(served: Served, folder: Path, tab: Watched) -> None:
    tab.open(served)
    tab.turn("read")
    tab.page.set_input_files("#read [name=receipts]", folder / "votes.csv")
    status = tab.page.locator("#read > .state .status").filter(has_text="this is no receipt")
    status.wait_for()
    assert "a JSON file that discreet release wrote" in status.inner_text()
    assert tab.page.inner_text("#read > .answer") == ""


def test_the_token_leaves_the_address_and_a_reload_keeps_it(served: Served, tab: Watched) -> None:
    tab.open(served)
    assert served.token not in tab.page.url
    reload(tab)
    assert "on this machine alone" in tab.page.inner_text("#about")
    tab.page.goto(served.origin.replace(served.origin.partition("//")[2].partition(":")[0], "127.0.0.1"))
    tab.page.wait_for_selector("body[data-ready]")
    assert "open the address that discreet serve printed" in tab.page.inner_text("#about")


def test_a_page_without_a_ledger_shows_neither_budgets_nor_a_release(tab: Watched, tmp_path: Path) -> None:
    with serving(folder=tmp_path) as plain:
        tab.open(plain)
        assert tab.page.locator("nav a:visible").all_inner_texts() == ["Price", "Read", "Audit"]
        tab.page.goto(f"{plain.origin}/#release")
        assert tab.page.is_hidden("#release")


def test_errors_of_any_smallness_have_an_axis_that_can_be_read(served: Served, tab: Watched) -> None:
    tab.open(served)
    tab.turn("price")
    fill(tab, "price", n="4", epsilon="700")
    tab.page.click("#compare-mechanisms")
    tab.page.wait_for_selector("#price .mechanisms table")
    assert 2 <= tab.page.locator("#price .mechanisms svg .grid").count() <= 10
