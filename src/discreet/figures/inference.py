"""What a reader may believe beside the released posterior at face value: two curves, or two intervals per category.

Each is labelled with what it leaves in or out, in different colours and line styles, so that nobody confuses them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from discreet.arithmetic.arrays import Floats
from discreet.arithmetic.texts import visible_text
from discreet.figures.posterior import POINTS
from discreet.figures.style import BLUE, VERMILION, one_panel
from discreet.inference import NoiseAware
from discreet.posteriors import Dirichlet

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Triple: TypeAlias = tuple[Floats, Floats, Floats]

AWARE = "what a reader may believe\n(privacy noise included)"
PLUG_IN = "released posterior at face value\n(privacy noise not included)"

_EDGE = 1e-4


@dataclass(frozen=True, slots=True)
class BeliefNumbers:
    """What the figure shows, in percent; the curves only for two categories."""

    categories: tuple[str, ...]
    level: float
    mean: Floats
    low: Floats
    high: Floats
    plug_low: Floats
    plug_high: Floats
    plug_mean: Floats
    grid: Floats | None
    density: Floats | None
    plug_density: Floats | None


def numbers(
    belief: NoiseAware, posterior: Dirichlet, categories: Sequence[str], *, level: float = 0.95
) -> BeliefNumbers:
    """Both posteriors in percent, and for two categories the first one's densities per percentage point."""
    low, high = belief.interval(level)
    plug_low, plug_high = posterior.interval(level)
    grid = density = plug = None
    if belief.k == 2:
        from scipy import stats

        share, alone = belief.marginal(0), stats.beta(*posterior.alpha)
        ends = [*share.quantile([_EDGE, 1 - _EDGE]), alone.ppf(_EDGE), alone.isf(_EDGE)]
        points = np.linspace(min(ends), max(ends), POINTS)
        heights = share.pdf(points) / 100, alone.pdf(points) / 100
        if np.isfinite(heights).all():
            grid, (density, plug) = 100 * points, heights
    return BeliefNumbers(
        categories=tuple(map(visible_text, categories)),
        level=level,
        mean=100 * belief.mean,
        low=100 * low,
        high=100 * high,
        plug_low=100 * plug_low,
        plug_high=100 * plug_high,
        plug_mean=100 * posterior.mean,
        grid=grid,
        density=density,
        plug_density=plug,
    )


def paint(shown: BeliefNumbers, *, title: str) -> Figure:
    """The figure, made without matplotlib's global state."""
    rows = 1 if shown.grid is not None else len(shown.categories)
    figure, axes = one_panel(8.0, 4.0 if rows == 1 else min(1.8 + 0.5 * rows, 40.0), title)
    if shown.grid is not None and shown.density is not None and shown.plug_density is not None:
        _paint_densities(axes, shown, shown.grid, shown.density, shown.plug_density)
    else:
        plug, aware = (shown.plug_mean, shown.plug_low, shown.plug_high), (shown.mean, shown.low, shown.high)
        paint_intervals(axes, shown.categories, plug, aware)
        axes.set_xlabel(f"share (%), mean and {100 * shown.level:g} % interval")
    figure.legend(loc="outside lower center", ncols=3, frameon=False)
    return figure


def _paint_densities(axes: Axes, shown: BeliefNumbers, grid: Floats, density: Floats, plug: Floats) -> None:
    inside = (grid >= shown.low[0]) & (grid <= shown.high[0])
    axes.plot(grid, density, color=BLUE, linewidth=2, label=AWARE)
    label = f"its {100 * shown.level:g} % interval"
    axes.fill_between(grid, density, where=inside.tolist(), color=BLUE, alpha=0.25, label=label)
    axes.plot(grid, plug, color=VERMILION, linewidth=1.5, linestyle="--", label=PLUG_IN)
    axes.set_ylim(bottom=0)
    axes.set_xlabel(f"share of “{shown.categories[0]}” (%)", parse_math=False)
    axes.set_ylabel("density (per percentage point)")


def paint_intervals(axes: Axes, categories: Sequence[str], plug: Triple, aware: Triple | None) -> None:
    """The mean, low and high of each category: at face value, and above it with the noise included if that is known."""
    rows = np.arange(len(categories))
    if aware is not None:
        axes.hlines(rows - 0.14, aware[1], aware[2], color=BLUE, linewidth=3, label=AWARE)
        axes.plot(aware[0], rows - 0.14, "o", color=BLUE)
    below = rows + (0.2 if aware is not None else 0.0)
    axes.hlines(below, plug[1], plug[2], color=VERMILION, linestyle="--", label=PLUG_IN)
    axes.plot(plug[0], below, "x", color=VERMILION)
    axes.set_yticks(rows, categories, parse_math=False)
    axes.set_ylim(len(rows) - 0.4, -0.6)
