"""Pictures as SVG, for a file that is read without script: intervals on an axis, as the page draws them."""

from __future__ import annotations

import math
from collections.abc import Callable
from html import escape

from discreet.arithmetic.texts import visible_text
from discreet.web.pictures import Line, Picture

Place = Callable[[float], float]
"""From a value to where it is drawn."""

WIDTH, LEFT, RIGHT, ROW, TOP, BELOW = 640, 170, 16, 30, 8, 40
MAX_LABEL_CHARS = 22


def safe(text: object) -> str:
    """A text as part of markup, whoever wrote it."""
    return escape(visible_text(text))


def interval_chart(picture: Picture) -> str:
    """Intervals on an axis, as the page draws them."""
    place, ticks, zero = _axis(picture)
    bottom = TOP + ROW * len(picture.lines)
    marks = [
        f'<line class="grid" x1="{place(value):.1f}" x2="{place(value):.1f}" y1="{TOP}" y2="{bottom}"/>'
        f'<text class="tick" x="{place(value):.1f}" y="{bottom + 15}" text-anchor="middle">{text}</text>'
        for value, text in ticks
    ]
    if zero is not None:
        marks.append(f'<line class="zero" x1="{place(zero):.1f}" x2="{place(zero):.1f}" y1="{TOP}" y2="{bottom}"/>')
    marks.append(
        f'<text class="tick" x="{WIDTH / 2}" y="{bottom + 34}" text-anchor="middle">{safe(picture.axis)}</text>'
    )
    rows = "".join(_line(line, TOP + ROW * (i + 0.5), place) for i, line in enumerate(picture.lines))
    label = safe(f"{picture.title}. {picture.to_json()['text']}")
    box = f"0 0 {WIDTH} {bottom + BELOW}"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{box}" role="img" aria-label="{label}">'
        f"{''.join(marks)}{rows}</svg>"
    )


def _line(line: Line, y: float, place: Place) -> str:
    name = visible_text(line.name)
    short = name if len(name) <= MAX_LABEL_CHARS else f"{name[: MAX_LABEL_CHARS - 1]}…"
    marks = [f'<text x="{LEFT - 10}" y="{y + 4:.1f}" text-anchor="end">{escape(short)}</text>']
    for ends, kind, up in ((line.aware, "aware", -3), (line.plain, "plain", 6)):
        if ends is not None:
            low, high = place(ends[0]), place(ends[2])
            marks.append(f'<line class="{kind}" x1="{low:.1f}" x2="{high:.1f}" y1="{y + up:.1f}" y2="{y + up:.1f}"/>')
    if line.aware is not None:
        marks.append(f'<circle class="dot" cx="{place(line.aware[1]):.1f}" cy="{y - 3:.1f}" r="5"/>')
    return "".join(marks)


def _axis(picture: Picture) -> tuple[Place, list[tuple[float, str]], float | None]:
    """Where a value lies, the ticks, and the value that says no difference."""
    values = [end for line in picture.lines for ends in (line.aware, line.plain) if ends is not None for end in ends]
    if picture.scale == "ratio":
        logs = [math.log10(value) for value in values if value > 0]
        low, high = min([0.0, *logs]) - 0.05, max([0.0, *logs]) + 0.05
        steps = [digit * 10.0**power for power in range(-9, 10) for digit in (1, 2, 5)]
        inside = [value for value in steps if low <= math.log10(value) <= high]
        every = math.ceil(len(inside) / 8)
        ticks = [(value, f"{value:g}") for i, value in enumerate(inside) if (i - inside.index(1.0)) % every == 0]
        return _place_on(low, high, math.log10), ticks, 1.0
    if picture.scale == "amount":
        low, high = (0.9 * min(values) if min(values) > 0.5 * max(values) else 0.0), 1.04 * max(values)
        return _place_on(low, high, float), [(value, f"{value:,g}") for value in _round_numbers(low, high)], None
    low, high = picture.ends or (min([0.0, *values]), max([0.0, *values]))
    edge = 0.0 if picture.ends or picture.scale == "share" else 0.04 * (high - low)
    low, high = 100 * (low - edge), 100 * (high + edge)
    unit = " %" if picture.scale == "share" else ""
    ticks = [(value / 100, f"{value:g}{unit}") for value in _round_numbers(low, high)]
    return _place_on(low / 100, high / 100, float), ticks, None if picture.scale == "share" else 0.0


def _round_numbers(low: float, high: float) -> list[float]:
    """About seven round numbers between these.

    >>> _round_numbers(0, 52)
    [0.0, 10.0, 20.0, 30.0, 40.0, 50.0]
    """
    rough = (high - low) / 7
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(digit * power for digit in (1, 2, 5, 10) if digit * power >= rough * 0.999)
    return [i * step for i in range(math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9) + 1)]


def _place_on(low: float, high: float, scale: Callable[[float], float]) -> Place:
    def place(value: float) -> float:
        at = (scale(value) - low) / (high - low) if value > 0 or scale is float else 0.0
        return LEFT + min(1.0, max(0.0, at)) * (WIDTH - LEFT - RIGHT)

    return place
