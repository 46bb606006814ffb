"""Rates of events by group: what a reader may believe, beside the released Gammas at face value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from discreet.arithmetic.texts import visible_text
from discreet.figures.groups import TALLEST
from discreet.figures.image import choose_fonts
from discreet.figures.inference import paint_intervals
from discreet.figures.posterior import Shares
from discreet.figures.style import one_panel
from discreet.inference import Rates
from discreet.receipts.rate_terms import at_face_value

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True, slots=True)
class RateNumbers:
    """What the picture shows."""

    groups: tuple[str, ...]
    plug_in: Shares
    belief: Shares


def numbers(rates: Rates, *, level: float = 0.95) -> RateNumbers:
    """The means and intervals of all groups, in the unit of the rates."""
    plain = [at_face_value(rate, rates.posteriors[group]) for group, rate in rates.by_group.items()]
    low, high = np.array([rate.interval(level) for rate in plain]).T
    alone = Shares(np.array([rate.mean for rate in plain]), low, high)
    return RateNumbers(tuple(map(visible_text, rates.labels)), alone, Shares(rates.mean, *rates.interval(level)))


def paint(shown: RateNumbers, *, title: str, unit: str) -> Figure:
    """The figure, made without matplotlib's global state: a row for each group, from zero on."""
    figure, axes = one_panel(7.6, min(2.0 + 0.42 * len(shown.groups), TALLEST), title)
    paint_intervals(axes, shown.groups, shown.plug_in, shown.belief)
    axes.set_xlim(left=0)
    axes.set_xlabel(f"records {unit}, mean and 95 % interval")
    figure.legend(loc="outside lower center", ncols=2, frameon=False)
    choose_fonts(figure)
    return figure
