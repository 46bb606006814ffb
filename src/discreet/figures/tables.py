"""Tables of several columns: a forest of shares for each margin of one column, a heat map of a margin of two."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from discreet.arithmetic.texts import visible_text
from discreet.errors import InvalidInput
from discreet.figures.style import BLUE, one_panel, stacked_panels
from discreet.inference import Belief

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST = 40
"""Rows and columns of a heat map whose numbers are still read."""


def plot_margins(margins: Sequence[Belief], *, level: float = 0.95, title: str = "") -> Figure:
    """One margin of two columns as a heat map; all others as forests, a panel for each."""
    if len(margins) == 1 and len(margins[0].axes) == 2:
        figure = plot_table(margins[0], level=level)
    else:
        figure = plot_forests(margins, level=level)
    if title:
        figure.suptitle(visible_text(title), fontsize=11, parse_math=False)
    return figure


def plot_forests(margins: Sequence[Belief], *, level: float = 0.95) -> Figure:
    """The mean and the interval of every share, a panel for each margin."""
    sizes = [len(margin.cells) for margin in margins]
    figure, panels = stacked_panels(1.4 + sum(0.6 + 0.3 * size for size in sizes), [size + 0.8 for size in sizes])
    for axes, margin in zip(panels, margins, strict=True):
        rows, (low, high) = np.arange(len(margin.cells)), margin.interval(level)
        axes.hlines(rows, 100 * low, 100 * high, color=BLUE, linewidth=3)
        axes.plot(100 * margin.mean, rows, "o", color=BLUE)
        axes.set_yticks(rows, [visible_text(", ".join(key)) for key in margin.cells], parse_math=False)
        axes.set_ylim(len(rows) - 0.4, -0.6)
        axes.set_xlim(left=0)
        axes.set_title(visible_text(_title(margin)), loc="left", fontsize=10, parse_math=False)
    panels[-1].set_xlabel(f"share (%), mean and {100 * level:g} % interval, {margins[0].noise}", parse_math=False)
    return figure


def plot_table(table: Belief, *, level: float = 0.95) -> Figure:
    """A heat map of two columns: the share of each cell, and below it its interval."""
    if len(table.axes) != 2:
        raise InvalidInput("a heat map is of two columns", hint="ask for a margin of two")
    (first, rows), (second, columns) = table.axes.items()
    if max(len(rows), len(columns)) > MOST:
        raise InvalidInput(f"a heat map has at most {MOST} rows and columns", hint="ask for a smaller margin")
    shape = len(rows), len(columns)
    mean, low, high = (np.full(shape, np.nan) for _ in range(3))
    for (one, other), values in zip(table.cells, np.stack([table.mean, *table.interval(level)], axis=1), strict=True):
        at = rows.index(one), columns.index(other)
        mean[at], low[at], high[at] = 100 * values
    width, height = max(2.6 + 1.1 * len(columns), 6.0), 1.8 + 0.55 * len(rows)
    figure, axes = one_panel(width, height, visible_text(_title(table)))
    image = axes.imshow(mean, cmap="Blues", vmin=0.0, aspect="auto")
    axes.set_facecolor("#DDDDDD")  # cells that cannot occur
    for at in zip(*np.nonzero(np.isfinite(mean)), strict=True):
        dark = mean[at] > 0.6 * np.nanmax(mean)
        text, colour = f"{mean[at]:.1f}\n{low[at]:.1f} – {high[at]:.1f}", "white" if dark else "black"
        axes.text(float(at[1]), float(at[0]), text, ha="center", va="center", fontsize=9, color=colour)
    # A label is broken at its blanks, so that it is no wider than its column.
    lines = ["\n".join(textwrap.wrap(visible_text(label), 14, break_long_words=False)) for label in columns]
    axes.set_xticks(range(len(columns)), lines, parse_math=False)
    axes.set_yticks(range(len(rows)), [visible_text(label) for label in rows], parse_math=False)
    axes.set_xlabel(visible_text(second), parse_math=False)
    axes.set_ylabel(visible_text(first), parse_math=False)
    axes.spines[:].set_visible(False)
    figure.colorbar(image, ax=axes, label="share (%)")
    figure.supxlabel(f"share in %, below it its {100 * level:g} % interval, {table.noise}", fontsize=9)
    return figure


def _title(margin: Belief) -> str:
    return " | ".join([" by ".join(margin.axes), *margin.conditions])
