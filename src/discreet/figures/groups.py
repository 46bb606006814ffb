"""Shares within groups, or of several columns: one panel for each, with what a reader may believe in every row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from discreet.figures.inference import AWARE, PLUG_IN
from discreet.figures.posterior import BLUE, ORANGE
from discreet.posteriors import Dirichlet
from discreet.texts import visible_text

if TYPE_CHECKING:
    import numpy as np
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from discreet.inference import NoiseAware
    from discreet.inference.groups import Untold, Within

    Floats = NDArray[np.float64]

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
    belief: NoiseAware | Within | Untold | None,
    *,
    level: float = 0.95,
) -> PanelNumbers:
    """One panel: the released posterior, and what may be believed if that is known.

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
        _paint_panel(axes, panel)
    panels[-1, 0].set_xlabel("share (%), mean and 95 % interval")
    figure.suptitle(title, fontsize=11, parse_math=False)
    figure.legend(*panels[0, 0].get_legend_handles_labels(), loc="outside lower center", ncols=2, frameon=False)
    return figure


def _paint_panel(axes: Axes, panel: PanelNumbers) -> None:
    import numpy as np

    rows = np.arange(len(panel.categories))
    aware = panel.low is not None and panel.high is not None and panel.mean is not None
    if aware:
        axes.hlines(rows - 0.14, panel.low, panel.high, color=BLUE, linewidth=3, label=AWARE)  # type: ignore[arg-type]
        axes.plot(panel.mean, rows - 0.14, "o", color=BLUE)  # type: ignore[arg-type]
    below = rows + (0.2 if aware else 0.0)
    axes.hlines(below, panel.plug_low, panel.plug_high, color=ORANGE, linestyle="--", label=PLUG_IN)
    axes.plot(panel.plug_mean, below, "x", color=ORANGE)
    axes.set_yticks(rows, panel.categories, parse_math=False)
    axes.set_ylim(len(rows) - 0.4, -0.6)
    axes.set_title(panel.name, loc="left", fontsize=10, parse_math=False)
    axes.spines[["top", "right"]].set_visible(False)
