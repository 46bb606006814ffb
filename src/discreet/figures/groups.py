"""Shares within groups, or of several columns: one panel for each, with what a reader may believe in every row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from discreet.arithmetic.arrays import Floats
from discreet.arithmetic.texts import visible_text
from discreet.figures.inference import paint_intervals
from discreet.inference import NoiseAware
from discreet.inference.groups import EmptyGroup, Within
from discreet.posteriors import Dirichlet

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TALLEST = 40.0
"""Inches: what a picture of many groups may not exceed."""


@dataclass(frozen=True, slots=True)
class PanelNumbers:
    """What one panel shows, in percent; low, high and mean only where a reader's belief is known."""

    name: str
    categories: tuple[str, ...]
    plug_mean: Floats
    plug_low: Floats
    plug_high: Floats
    mean: Floats | None
    low: Floats | None
    high: Floats | None


def numbers(
    name: str,
    categories: Sequence[str],
    posterior: Dirichlet,
    belief: NoiseAware | Within | EmptyGroup | None,
    *,
    level: float = 0.95,
) -> PanelNumbers:
    """One panel: the released posterior, and the noise-aware one if that is known.

    >>> shown = numbers("women", ["yes", "no"], Dirichlet([31, 11]), None)
    >>> [round(float(x), 1) for x in shown.plug_mean], shown.low
    ([73.8, 26.2], None)
    """
    low, high = posterior.interval(level)
    plug = (100 * posterior.mean, 100 * low, 100 * high)
    names = visible_text(name), tuple(map(visible_text, categories))
    if belief is None:
        return PanelNumbers(*names, *plug, None, None, None)
    low, high = belief.interval(level)
    return PanelNumbers(*names, *plug, 100 * belief.mean, 100 * low, 100 * high)


def paint(shown: Sequence[PanelNumbers], *, title: str) -> Figure:
    """The figure, made without matplotlib's global state: panels above each other, with one scale of percent."""
    from matplotlib.figure import Figure

    rows = [len(panel.categories) for panel in shown]
    height = min(1.6 + sum(0.5 + 0.42 * count for count in rows), TALLEST)
    figure = Figure(figsize=(7.6, height), layout="constrained")
    panels = figure.subplots(len(shown), 1, sharex=True, squeeze=False, height_ratios=[count + 0.6 for count in rows])
    for axes, panel in zip(panels[:, 0], shown, strict=True):
        aware = None
        if panel.mean is not None and panel.low is not None and panel.high is not None:
            aware = (panel.mean, panel.low, panel.high)
        paint_intervals(axes, panel.categories, (panel.plug_mean, panel.plug_low, panel.plug_high), aware)
        axes.set_title(panel.name, loc="left", fontsize=10, parse_math=False)
        axes.spines[["top", "right"]].set_visible(False)
    panels[-1, 0].set_xlabel("share (%), mean and 95 % interval")
    figure.suptitle(title, fontsize=11, parse_math=False)
    figure.legend(*panels[0, 0].get_legend_handles_labels(), loc="outside lower center", ncols=2, frameon=False)
    return figure
