"""Rates of events by group: what a reader may believe, beside the released Gammas at face value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from discreet.arithmetic.texts import visible_text
from discreet.figures.image import choose_fonts
from discreet.figures.inference import paint_intervals
from discreet.figures.style import TALLEST, one_panel
from discreet.inference import Rates
from discreet.inference.statement import Intervals, stated_each
from discreet.receipts.rate_terms import at_face_value

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True, slots=True)
class RateNumbers:
    """What the picture shows."""

    groups: tuple[str, ...]
    plug_in: Intervals
    belief: Intervals


def numbers(rates: Rates, *, level: float = 0.95) -> RateNumbers:
    """The means and intervals of all groups, in the unit of the rates."""
    plug_in = [at_face_value(rate, rates.posteriors[group]) for group, rate in rates.by_group.items()]
    names = tuple(map(visible_text, rates.labels))
    return RateNumbers(names, stated_each(plug_in, level), stated_each(rates.by_group.values(), level))


def paint(values: RateNumbers, *, title: str, unit: str) -> Figure:
    """The figure, made without matplotlib's global state: a row for each group, from zero on."""
    figure, axes = one_panel(7.6, min(2.0 + 0.42 * len(values.groups), TALLEST), title)
    paint_intervals(axes, values.groups, values.plug_in, values.belief)
    axes.set_xlim(left=0)
    axes.set_xlabel(f"records {unit}, mean and 95 % interval")
    figure.legend(loc="outside lower center", ncols=2, frameon=False)
    choose_fonts(figure)
    return figure
