"""What notebooks show: one line of text, and a card that says the promise and loads and runs nothing."""

import re
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import Any
from xml.etree import ElementTree

import pandas as pd
import pytest

import discreet as dc
from discreet.arithmetic.cards import MAX_BARS, Bar, card, share_bar
from discreet.arithmetic.texts import visible_text
from discreet.receipts import read_receipt
from tests.attacks.test_foreign_text_steers_nothing import INVISIBLE, VISIBLE, WRITTEN

FACTOR = "by a factor of at most"


@cache
def shown() -> dict[str, Any]:
    """One of each."""
    space = dc.PosteriorSpace(prior=[1, 1, 1], n=60)
    mechanism = dc.Geometric(space, epsilon="1/2")
    released = mechanism.release([30, 20, 10])
    belief = released.belief(["<a>", "b", "c"])
    ledger = dc.Ledger.create(Path(mkdtemp()) / "budgets.db", dataset="anes", epsilon="3/2")
    ledger.charge("anes", "1/2", request_id="one", digest="x")
    loud = dc.ExponentialLocal.as_published(dc.PosteriorSpace([1, 1], 20), epsilon=1)
    rows = pd.DataFrame({"v": ["a", "b", "z"]})
    return {
        "released": released,
        "released without a guarantee": loud.release([10, 10], accept_no_guarantee=True),
        "belief": belief,
        "noise-aware": released.noise_aware(),
        "share": belief["b"],
        "difference": dc.compare(belief["b"], belief["c"]).difference,
        "audit": dc.audit(mechanism),
        "plan": dc.plan(dc.PosteriorSpace([1, 1], 20), epsilon=1),
        "accuracy": dc.accuracy(mechanism),
        "accuracy of counts": dc.accuracy(mechanism, [30, 20, 10]),
        "ledger": ledger,
        "receipt": dc.release(rows, column="v", categories=["a", "b", "z"], epsilon="1/2", ledger=None),
        "bundle": dc.release_columns(rows, [dc.Question("v", ["a", "b", "z"])], epsilon="1/2", ledger=None),
        "check": dc.check(rows, column="v", categories=["a", "b"]),
    }


KINDS = (
    "released", "released without a guarantee", "belief", "noise-aware", "share", "difference", "audit", "plan",
    "accuracy", "accuracy of counts", "ledger", "receipt", "bundle", "check",
)  # fmt: skip
HIDDEN = {"released without a guarantee", "accuracy of counts", "check"}


def texts(html: str) -> str:
    return " ".join(ElementTree.fromstring(html).itertext())  # noqa: S314 - our own text


@pytest.mark.parametrize("kind", KINDS)
def test_a_card_is_well_formed_loads_nothing_and_marks_what_is_not_publishable(kind: str) -> None:
    html = shown()[kind]._repr_html_()
    root = ElementTree.fromstring(html)  # noqa: S314 - our own text
    assert {element.tag for element in root.iter()} <= {"div", "span", "b", "table", "tr", "td"}
    assert {name for element in root.iter() for name in element.attrib} == {"style"}
    assert "url(" not in html
    assert ("not publishable" in texts(html)) == (kind in HIDDEN)
    assert "\n" not in repr(shown()[kind])
    assert len(repr(shown()[kind])) < 200


@pytest.mark.parametrize("kind", ["released", "audit", "receipt", "bundle", "plan"])
def test_a_card_says_the_promise(kind: str) -> None:
    factor = "2.72" if kind == "plan" else "1.65"
    promise = f"Replacing one record changes the probability of any output {FACTOR} {factor}."
    assert promise in texts(shown()[kind]._repr_html_())


def test_a_ledger_shows_what_is_spent_and_what_is_left() -> None:
    html = shown()["ledger"]._repr_html_()
    assert "ε = 0.5 spent, 1 left of 1.5" in texts(html)
    assert "left:0.00%;width:33.33%" in html


def test_a_release_has_bars_with_and_without_the_noise() -> None:
    released = shown()["released"]
    html, (low, high) = released._repr_html_(), released.noise_aware().interval()
    assert html.count("dashed") == 3
    for mean, one, other in zip(released.noise_aware().mean, low, high, strict=True):
        assert f"{100 * mean:.1f} % ({100 * one:.1f} to {100 * other:.1f})" in texts(html)


@pytest.mark.parametrize("text", [*INVISIBLE.values(), *VISIBLE.values()], ids=[*INVISIBLE, *VISIBLE])
def test_foreign_text_in_a_card_is_shown_and_never_obeyed(text: str) -> None:
    html = card(text, text, badge=text, bars=[share_bar(text, (0.1, 0.2, 0.3))], key=text, facts={text: text})
    root = ElementTree.fromstring(html)  # noqa: S314 - our own text
    assert {element.tag for element in root.iter()} <= {"div", "span", "b", "table", "tr", "td"}
    assert texts(html).count(visible_text(text)) >= 7


def test_bars_stay_on_their_track_and_long_lists_are_cut() -> None:
    ends = (float("-inf"), -2.0, float("inf")), (float("nan"),) * 3, (-1.0, 0.0, 5.0)
    html = card("", bars=[Bar(i, "", ends[i % 3]) for i in range(MAX_BARS + 5)])
    for start, width in re.findall(r"left:([\d.-]+)%;width:([\d.-]+)%", html):
        assert 0 <= float(start) <= float(start) + float(width) <= 100.01
    assert "… and 5 more" in texts(html)
    assert html.count("<tr") == MAX_BARS


@pytest.mark.parametrize("path", sorted(WRITTEN.glob("*.json")), ids=lambda path: path.stem)
def test_every_receipt_that_was_ever_written_has_a_card(path: Path) -> None:
    html = read_receipt(path)._repr_html_()
    assert FACTOR in texts(html)
    assert "dashed" in html
