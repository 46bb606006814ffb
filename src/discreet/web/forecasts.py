"""What a reader will see at an ε, before any data is touched: quick enough to follow a slider."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import discreet as dc
from discreet.arithmetic.numbers import exact, whole
from discreet.arithmetic.words import epsilon_meaning, epsilon_warning, exact_text, factor_upper, points, width_words
from discreet.mechanisms import Geometric
from discreet.mechanisms.base import asked_epsilon
from discreet.posteriors.space import PosteriorSpace
from discreet.utility.plan_table import HEADINGS, merged_rows
from discreet.utility.targets import Interval
from discreet.utility.widths import quick_width
from discreet.web.fields import Fields
from discreet.web.pictures import Line, Picture, Table, percent_range

EPSILONS = [f"{digit}e{power}" for power in (-2, -1, 0) for digit in ("1", "1.5", "2", "3", "4", "5", "7")] + ["10"]
SIZES = [str(digit * 10**power) for power in range(1, 8) for digit in (1, 2, 5)]
"""Where the sliders stop."""

PEOPLE, ONES = 20, 12
"""An example of neighbours: of so many people so many say yes, or one fewer."""

SHOWN = 9
"""So many outputs on either side are drawn."""


def stops() -> dict[str, list[str]]:
    """The places of both sliders, as people write them."""
    return {"epsilon": [exact_text(Fraction(one)) for one in EPSILONS], "n": SIZES}


def forecast(fields: Fields) -> dict[str, Any]:
    """How wide an interval will be with and without privacy, and what this ε means."""
    space, groups = _space(fields), _groups(fields)
    epsilon = asked_epsilon(fields.text("epsilon"))
    fields.all_read()
    interval = Interval(**groups)
    if interval.groups is None:
        width = quick_width(Geometric(space, epsilon=epsilon)).value
    else:
        width = interval.width(space, epsilon).value
    without = interval.width_without_privacy(space)
    whose = " of the difference" if interval.of == "difference" else " within a group" if interval.groups else ""
    centre = 0.0 if interval.of == "difference" else float(space.prior.parameters[0] / space.prior.total)
    lines = [Line(f"ε = {exact_text(epsilon)}", _around(centre, width)), Line("no privacy", _around(centre, without))]
    low, high = (-1.0, 1.0) if centre == 0 else (0.0, 1.0)
    reach = max(2.5 * without, 0.6 * width)
    picture = Picture(
        "The interval that a reader will see",
        "difference of two shares" if interval.of == "difference" else "share of one category",
        "points" if interval.of == "difference" else "share",
        lines,
        Table(
            "Expected width of a 95 % interval",
            ["", "Width, percentage points", "Where it would lie"],
            [
                [line.name, points(line.aware[2] - line.aware[0]), percent_range(line.aware[::2])]
                for line in lines
                if line.aware
            ],
        ),
        ends=(max(low, centre - reach), min(high, centre + reach)),
        text="Line: a 95 % interval. Dot: its centre.",
        notes=[
            "Centred where the prior expects it. A release is centred where its data is, and has this width on average."
        ],
    )
    return {
        "epsilon": exact_text(epsilon),
        "lead": f"{width_words(width, without, whose=whose)}.",
        "width": width,
        "without": without,
        "sentences": [epsilon_meaning(epsilon), *epsilon_warning(epsilon)],
        "picture": picture.to_json(),
        "neighbours": _neighbours(epsilon),
    }


def plan(fields: Fields) -> dict[str, Any]:
    """`discreet plan`, and its rows as the command prints them: rounded, and the same numbers on one line."""
    space = _space(fields)
    names = ("epsilon", "target_error", "confidence", "target_width")
    asked: dict[str, Any] = {name: fields.maybe(name) for name in names}
    if (wanted := fields.maybe("target_points")) is not None:
        asked["target_width"] = exact(wanted, "target_points", above=0) / 100
    groups = _groups(fields)
    worst_case, compare = fields.flag("worst_case"), fields.flag("compare")
    fields.all_read()
    if groups:
        asked |= {"groups": groups["groups"], "group_public": groups["group_public"], "of": groups["of"]}
    found = dc.plan(space, **asked, worst_case=worst_case, compare=compare)
    merged = [
        (name, settings, cells) for name, lines in merged_rows(found.mechanisms).items() for settings, cells in lines
    ]
    rows = {(row.name, row.setting): row for row in found.mechanisms}
    headings = ["Mechanism", "Setting", *(text.replace("\n", " ") for text in HEADINGS.values())]
    table = Table(
        f"Mechanisms at ε = {exact_text(found.epsilon)}, n = {space.n:,}",
        headings,
        [[name, " = ".join(settings), *cells] for name, settings, cells in merged],
    )
    errors = [
        {
            "name": name,
            "setting": " = ".join(settings),
            "mean": rows[name, settings[0]].mean_error,
            "high": rows[name, settings[0]].error_95,
            "worst": rows[name, settings[0]].worst_mean_error,
            "best": name == found.recommended and found.setting in settings,
        }
        for name, settings, _ in merged
    ]
    shown = {"table": table.to_json(), "errors": errors, "epsilon_text": exact_text(found.epsilon)}
    return found.to_json() | {"shown": shown}


def _space(fields: Fields) -> PosteriorSpace:
    return PosteriorSpace(prior=fields.text("prior"), n=fields.text("n"))


def _groups(fields: Fields) -> dict[str, Any]:
    """Groups of the same size, as a guess: who is in which is not known, or not yet."""
    names, public, of = fields.names("groups"), fields.flag("group_public"), fields.maybe("of") or "share"
    if not names:
        return {}
    n = whole(fields.text("n"), "n", minimum=len(names))
    sizes = {name: n // len(names) + (i < n % len(names)) for i, name in enumerate(names)}
    return {"groups": sizes, "group_public": public, "of": of}


def _around(centre: float, width: float) -> tuple[float, float, float]:
    low, high = (-1.0, 1.0) if centre == 0 else (0.0, 1.0)
    start = min(max(centre - width / 2, low), high - width)
    return start, centre, start + width


def _neighbours(epsilon: Fraction) -> dict[str, Any]:
    """Two data sets that differ in one person, and how probable each output is for both, from the exact law."""
    mechanism = Geometric(PosteriorSpace(prior=[1, 1], n=PEOPLE), epsilon=epsilon)
    one, other = ([yes, PEOPLE - yes] for yes in (ONES, ONES - 1))
    outputs = range(ONES - SHOWN - 1, ONES + SHOWN + 1)
    laws = [
        [math.exp(float(law.log_probability((z, PEOPLE - z)))) for z in outputs]
        for law in (mechanism.law(one), mechanism.law(other))
    ]
    factor = factor_upper(float(epsilon)) if epsilon < 700 else "any number"
    rows = [[str(z), *(f"{law[i]:.4f}" for law in laws)] for i, z in enumerate(outputs)]
    return {
        "people": PEOPLE,
        "yes": [ONES, ONES - 1],
        "outputs": list(outputs),
        "laws": laws,
        "title": f"{PEOPLE} people, of whom {ONES} say yes, or {ONES - 1}: one answer differs",
        "text": (
            "Bars: how probable each released count of yes is for the one data set and for the other. "
            f"No bar is more than {factor} times as high as the one beside it."
        ),
        "table": Table(
            "Probability of each output", ["Released count", f"{ONES} yes", f"{ONES - 1} yes"], rows
        ).to_json(),
    }
