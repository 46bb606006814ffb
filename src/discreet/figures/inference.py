"""What a reader may believe beside the released posterior at face value: two curves, or two intervals per category.

Each is labelled with what it leaves in or out, in different colours and line styles, so that nobody confuses them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from discreet.arithmetic.arrays import Floats
from discreet.arithmetic.texts import visible_text
from discreet.figures.posterior import POINTS, fill_interval, label_density
from discreet.figures.style import BLACK, BLUE, TALLEST, VERMILION, one_panel
from discreet.inference import NoiseAware
from discreet.inference.statement import Intervals, stated_by
from discreet.posteriors import Dirichlet

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

AWARE = "what a reader may believe\n(privacy noise included)"
PLUG_IN = "released posterior at face value\n(privacy noise not included)"

TRUTH = "public data: true shares"

_EDGE = 1e-4


@dataclass(frozen=True, slots=True)
class Densities:
    """Of the first category's share, per percentage point: with the noise included, and at face value."""

    grid: Floats
    belief: Floats
    plug_in: Floats


@dataclass(frozen=True, slots=True)
class BeliefNumbers:
    """What the figure shows, in percent; the curves only for two categories."""

    categories: tuple[str, ...]
    level: float
    belief: Intervals
    plug_in: Intervals
    densities: Densities | None


def numbers(
    belief: NoiseAware, posterior: Dirichlet, categories: Sequence[str], *, level: float = 0.95
) -> BeliefNumbers:
    """Both posteriors in percent, and for two categories the first one's densities."""
    names = tuple(map(visible_text, categories))
    densities = _densities(belief, posterior) if belief.k == 2 else None
    aware, plug_in = (stated_by(law, level).times(100) for law in (belief, posterior))
    return BeliefNumbers(names, level, aware, plug_in, densities)


def _densities(belief: NoiseAware, posterior: Dirichlet) -> Densities | None:
    """Where floats can tell them."""
    from scipy import stats

    share, alone = belief.marginal(0), stats.beta(*posterior.alpha)
    ends = [*share.quantile([_EDGE, 1 - _EDGE]), alone.ppf(_EDGE), alone.isf(_EDGE)]
    points = np.linspace(min(ends), max(ends), POINTS)
    heights = share.pdf(points) / 100, alone.pdf(points) / 100
    return Densities(100 * points, *heights) if np.isfinite(heights).all() else None


def paint(values: BeliefNumbers, *, title: str, truth: Sequence[float] | None = None) -> Figure:
    """The figure, made without matplotlib's global state; with the true shares, in percent, of data that is public."""
    interval, curves = f"{100 * values.level:g} % interval", values.densities
    if curves is not None:
        figure, axes = one_panel(8.0, 4.0, title)
        axes.plot(curves.grid, curves.belief, color=BLUE, linewidth=2, label=AWARE)
        ends = values.belief.low[0], values.belief.high[0]
        fill_interval(axes, curves.grid, curves.belief, ends, f"its {interval}")
        axes.plot(curves.grid, curves.plug_in, color=VERMILION, linewidth=1.5, linestyle="--", label=PLUG_IN)
        label_density(axes, values.categories[0])
        if truth is not None:
            axes.axvline(truth[0], color=BLACK, linestyle=":", label=TRUTH)
    else:
        figure, axes = one_panel(8.0, min(1.8 + 0.5 * len(values.categories), TALLEST), title)
        paint_intervals(axes, values.categories, values.plug_in, values.belief)
        axes.set_xlabel(f"share (%), mean and {interval}")
        if truth is not None:
            axes.plot(truth, range(len(truth)), "D", color=BLACK, markerfacecolor="none", markersize=7, label=TRUTH)
    figure.legend(loc="outside lower center", ncols=3, frameon=False)
    return figure


def paint_intervals(axes: Axes, categories: Sequence[str], plug_in: Intervals, belief: Intervals | None) -> None:
    """The intervals of each category: at face value, and above it with the noise included if that is known."""
    rows = np.arange(len(categories))
    if belief is not None:
        axes.hlines(rows - 0.14, belief.low, belief.high, color=BLUE, linewidth=3, label=AWARE)
        axes.plot(belief.mean, rows - 0.14, "o", color=BLUE)
    below = rows + (0.2 if belief is not None else 0.0)
    axes.hlines(below, plug_in.low, plug_in.high, color=VERMILION, linestyle="--", label=PLUG_IN)
    axes.plot(plug_in.mean, below, "x", color=VERMILION)
    axes.set_yticks(rows, categories, parse_math=False)
    axes.set_ylim(len(rows) - 0.4, -0.6)
