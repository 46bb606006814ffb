"""Cards for notebooks: a title, sentences, bars and facts as one piece of HTML that loads and runs nothing.

Colours are readable on a light and on a dark page. Every text goes through `_safe`, whoever wrote it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from html import escape
from itertools import islice
from typing import NamedTuple

from discreet.arithmetic.texts import visible_text
from discreet.arithmetic.words import EXPONENT_CAP, factor_upper

MAX_BARS = 12
"""More rows are counted and not drawn."""

NOISE_KEY = "Means and 95 % intervals. Blue: privacy noise included. Dashed: the released parameters at face value."
AWARE_KEY = "Means and 95 % intervals, privacy noise included."

_WITH, _WITHOUT, _QUIET = "#3a8fc4", "#d55e00", "rgba(128,128,128,.25)"
_CARD = f"border:1px solid {_QUIET};border-radius:6px;padding:10px 14px;max-width:46em;line-height:1.5"
_BADGE = f"background:{_WITHOUT};color:#000;border-radius:4px;padding:1px 7px;margin-left:10px;font-size:85%"
_CELL = "padding:1px 14px 1px 0;text-align:left;vertical-align:top;background:none;border:0"
_TRACK = f"position:relative;width:16em;height:16px;background:{_QUIET};border-radius:2px"
_NOTE = "opacity:.75;font-size:90%"

_CHANGES = {"replace-answer": "Replacing the answer of one record", "add-remove": "Adding or removing one record"}

Ends = tuple[float, float, float]
"""Low, middle and high."""


class Bar(NamedTuple):
    """One row: a label, an interval with the privacy noise in it and one without, and the numbers as a text."""

    label: object
    text: str
    aware: Ends | None
    plain: Ends | None = None


def share_bar(label: object, aware: Ends | None, plain: Ends | None = None) -> Bar:
    """The bar of a share.

    >>> share_bar("yes", (0.5, 0.55, 0.625)).text
    '55.0 % (50.0 to 62.5)'
    """
    low, mean, high = (100 * end for end in aware or plain or (math.nan,) * 3)
    return Bar(label, f"{mean:.1f} % ({low:.1f} to {high:.1f})", aware, plain)


def promise(epsilon: float, adjacency: str = "", delta: float = 0.0) -> str:
    """What ε and δ promise, in a sentence; the factor is rounded up.

    >>> promise(0.5)
    'Replacing one record changes the probability of any output by a factor of at most 1.65.'
    >>> promise(0.5, delta=1e-6)
    'Replacing one record changes the probability of any set of outputs by a factor of at most 1.65, and 1e-06 more.'
    """
    if not epsilon <= EXPONENT_CAP:
        return "It protects nobody: any output may become any number of times as probable."
    changing = _CHANGES.get(adjacency, "Replacing one record")
    what, more = ("any set of outputs", f", and {delta:g} more") if delta else ("any output", "")
    return f"{changing} changes the probability of {what} by a factor of at most {factor_upper(epsilon)}{more}."


def card(
    title: object,
    *sentences: object,
    badge: str = "",
    bars: Iterable[Bar] = (),
    key: str = "",
    facts: Mapping[str, object] | None = None,
    end: float = 0.0,
) -> str:
    """A card. The bars have one axis, from 0 or the least value to the largest or `end`; `key` says what they show.

    >>> "&lt;b&gt;" in card("<b>", "a sentence", facts={"n": 5})
    True
    """
    mark = f'<span style="{_BADGE}">{_safe(badge)}</span>' if badge else ""
    parts = [f"<div><b>{_safe(title)}</b>{mark}</div>", *(f"<div>{_safe(line)}</div>" for line in sentences)]
    rows = iter(bars)
    drawn = list(islice(rows, MAX_BARS))
    if drawn:
        parts += [_chart(drawn, end), f'<div style="{_NOTE}">{_safe(key)}</div>']
    if hidden := sum(1 for _ in rows):
        parts.append(f"<div>… and {hidden:,} more</div>")
    if facts:
        parts.append(_table((f"{_cell(name)}{_cell(value)}" for name, value in facts.items())))
    return f'<div style="{_CARD}">{"".join(parts)}</div>'


def _chart(bars: list[Bar], end: float) -> str:
    numbers = [value for bar in bars for ends in (bar.aware, bar.plain) for value in ends or () if math.isfinite(value)]
    start, stop = min([0.0, *numbers]), max([end, *(1.04 * number for number in numbers)])
    return _table(
        f'{_cell(bar.label)}<td style="{_CELL}">{_track(bar, start, (stop - start) or 1.0)}</td>{_cell(bar.text)}'
        for bar in bars
    )


def _track(bar: Bar, start: float, length: float) -> str:
    """The noise-aware interval above, thick, with its mean; the one without noise below, thin and dashed."""

    def at(value: float) -> float:
        return min(100.0, max(0.0, 100 * (value - start) / length))  # 0 for what is no number, too

    pieces = [f'<div style="position:absolute;left:{at(0):.2f}%;top:0;height:16px;width:1px;background:#888"></div>']
    for ends, style, tick in (
        (bar.aware, f"top:3px;height:6px;background:{_WITH}", f"top:0;height:12px;background:{_WITH}"),
        (bar.plain, f"top:12px;border-top:2px dashed {_WITHOUT}", f"top:10px;height:6px;background:{_WITHOUT}"),
    ):
        if ends is not None:
            low, middle, high = map(at, ends)
            pieces.append(f'<div style="position:absolute;left:{low:.2f}%;width:{high - low:.2f}%;{style}"></div>')
            pieces.append(f'<div style="position:absolute;left:calc({middle:.2f}% - 1px);width:3px;{tick}"></div>')
    return f'<div style="{_TRACK}">{"".join(pieces)}</div>'


def _table(rows: Iterable[str]) -> str:
    body = "".join(f'<tr style="background:none">{row}</tr>' for row in rows)
    return f'<table style="border-collapse:collapse;margin:6px 0;color:inherit;font-size:inherit">{body}</table>'


def _cell(text: object) -> str:
    return f'<td style="{_CELL}">{_safe(text)}</td>'


def _safe(text: object) -> str:
    return escape(visible_text(text))
