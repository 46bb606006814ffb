"""Shares within groups, or of several columns: one panel for each, with what a reader may believe in every row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from discreet.arithmetic.texts import visible_text
from discreet.figures.inference import paint_intervals
from discreet.figures.style import stacked_panels
from discreet.inference import NoiseAware
from discreet.inference.groups import EmptyGroup, Within
from discreet.inference.statement import Intervals, stated_by
from discreet.posteriors import Dirichlet

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True, slots=True)
class PanelNumbers:
    """What one panel shows; `belief` only where a reader's belief is known."""

    name: str
    categories: tuple[str, ...]
    plug_in: Intervals
    belief: Intervals | None


def numbers(
    name: str,
    categories: Sequence[str],
    posterior: Dirichlet,
    belief: NoiseAware | Within | EmptyGroup | None,
    *,
    level: float = 0.95,
) -> PanelNumbers:
    """One panel: the released posterior, and the noise-aware one if that is known.

    >>> panel = numbers("women", ["yes", "no"], Dirichlet([31, 11]), None)
    >>> [round(float(x), 1) for x in panel.plug_in.mean], panel.belief
    ([73.8, 26.2], None)
    """
    aware = None if belief is None else stated_by(belief, level).times(100)
    plug_in = stated_by(posterior, level).times(100)
    return PanelNumbers(visible_text(name), tuple(map(visible_text, categories)), plug_in, aware)


def paint(values: Sequence[PanelNumbers], *, title: str) -> Figure:
    """The figure, made without matplotlib's global state: panels above each other, with one scale of percent."""
    rows = [len(panel.categories) for panel in values]
    height = 1.6 + sum(0.5 + 0.42 * count for count in rows)
    figure, panels = stacked_panels(height, [count + 0.6 for count in rows], sharex=True)
    for axes, panel in zip(panels, values, strict=True):
        paint_intervals(axes, panel.categories, panel.plug_in, panel.belief)
        axes.set_title(panel.name, loc="left", fontsize=10, parse_math=False)
    panels[-1].set_xlabel("share (%), mean and 95 % interval")
    figure.suptitle(title, fontsize=11, parse_math=False)
    figure.legend(*panels[0].get_legend_handles_labels(), loc="outside lower center", ncols=2, frameon=False)
    return figure
