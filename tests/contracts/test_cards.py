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
from discreet.arithmetic.cards import MAX_BARS, Bar, card, promise, share_bar
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


def lengths(html: str) -> list[tuple[float, float]]:
    """Where each bar begins and ends, in hundredths of the track."""
    ends = re.findall(r"left:([\d.-]+)%;width:([\d.-]+)%", html)
    return [(float(low), float(low) + float(width)) for low, width in ends]


def test_bars_have_one_axis_with_a_mark_at_zero() -> None:
    html = card("", bars=[Bar("", "", (-1.0, 1.0, 4.0)), Bar("", "", None, (0.0, 2.0, 3.0))])
    (low, high), (zero, plain) = lengths(html)
    assert [low, high] == pytest.approx([0, 97], abs=2)
    unit = (high - low) / 5
    assert [zero, plain] == pytest.approx([low + unit, low + 4 * unit], abs=0.03)
    marks = re.findall(r"left:([\d.]+)%;top:0;height:16px;width:1px", html)
    assert list(map(float, marks)) == pytest.approx([zero] * 2, abs=0.03)


@pytest.mark.parametrize("ends", [(2.0, 3.0, 4.0), (0.1, 0.15, 0.2)])
def test_the_axis_begins_at_zero_and_ends_beside_the_largest_value(ends: tuple[float, float, float]) -> None:
    ((low, high),) = lengths(card("", bars=[Bar("", "", ends)]))
    assert 95 < high < 100
    assert low == pytest.approx(high / 2, abs=0.02)


def test_infinite_ends_are_at_the_ends_of_the_track_and_what_is_no_number_has_no_length() -> None:
    infinite, unknown = float("inf"), float("nan")
    html = card("", bars=[Bar("", "", (-infinite, 1.0, infinite)), Bar("", "", (unknown,) * 3)])
    assert lengths(html) == [(0, 100), (0, 0)]


def test_values_that_are_all_zero_have_a_bar_of_no_length() -> None:
    assert lengths(card("", bars=[Bar("", "", (0.0, 0.0, 0.0))])) == [(0, 0)]


def test_a_share_is_drawn_and_said_with_the_noise_if_that_is_known() -> None:
    aware, plain = (0.5, 0.55, 0.625), (0.4, 0.5, 0.6)
    both, one, none = share_bar("x", aware, plain), share_bar("x", None, plain), share_bar("x", None)
    assert both.text == "55.0 % (50.0 to 62.5)"
    assert one.text == "50.0 % (40.0 to 60.0)"
    assert not re.search(r"\d", none.text)
    (low, high), (start, end) = lengths(card("", bars=[both]))
    assert (high - low) / (end - start) == pytest.approx(0.125 / 0.2, abs=0.002)
    assert len(lengths(card("", bars=[one]))) == 1
    assert lengths(card("", bars=[none])) == []


@pytest.mark.parametrize("badge", ["", "not publishable"])
def test_a_card_has_a_badge_only_if_it_is_given_one_and_every_style_has_values(badge: str) -> None:
    root = ElementTree.fromstring(card("t", badge=badge, bars=[share_bar("x", (0.1, 0.2, 0.3))], facts={"n": 5}))  # noqa: S314 - our own text
    assert [span.text for span in root.iter("span")] == [badge] * bool(badge)
    styles = [element.attrib["style"] for element in root.iter() if "style" in element.attrib]
    assert len(styles) > 9
    for style in styles:
        assert all(re.fullmatch(r"[a-z-]+:[^:;]+", part) for part in style.split(";")), style


@pytest.mark.parametrize("kind", ["released", "belief", "noise-aware", "share", "receipt", "bundle"])
def test_a_card_says_what_its_bars_show(kind: str) -> None:
    html = shown()[kind]._repr_html_()
    assert "privacy noise included" in texts(html)
    assert ("at face value" in texts(html)) == ("dashed" in html)


def test_a_promise_that_no_float_can_hold_is_not_said_to_be_one() -> None:
    assert promise(700.0).endswith("by a factor of at most 1.02E+304.")
    for epsilon in (700.5, 1e9, float("inf"), float("nan")):
        assert promise(epsilon).startswith("It protects nobody")


@pytest.mark.parametrize("path", sorted(WRITTEN.glob("*.json")), ids=lambda path: path.stem)
def test_every_receipt_that_was_ever_written_has_a_card(path: Path) -> None:
    html = read_receipt(path)._repr_html_()
    assert FACTOR in texts(html)
    assert "dashed" in html
