"""A released posterior: the density of a Beta, or the mean and interval of each category of a Dirichlet."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from discreet.arithmetic.arrays import Floats
from discreet.arithmetic.texts import visible_text
from discreet.figures.style import BLUE, TALLEST, VERMILION, one_panel
from discreet.inference.statement import Intervals, stated_by
from discreet.posteriors import Dirichlet

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

POINTS = 512
EDGE = 1e-5
"""The curve runs between these two tail quantiles: a Beta below 1 is infinite at its ends."""


@dataclass(frozen=True, slots=True)
class PosteriorNumbers:
    """What the figure shows, in percent; `grid` and `density` only for two categories, if floats can tell them."""

    categories: tuple[str, ...]
    level: float
    shares: Intervals
    grid: Floats | None
    density: Floats | None


def numbers(posterior: Dirichlet, categories: Sequence[str], *, level: float = 0.95) -> PosteriorNumbers:
    """The shares in percent, and for two categories the first one's density per percentage point.

    >>> figure = numbers(Dirichlet([49, 43]), ["cured", "not cured"])
    >>> [round(float(x), 1) for x in figure.shares.mean]
    [53.3, 46.7]
    """
    grid = density = None
    if posterior.k == 2:
        from scipy import stats

        share = stats.beta(*posterior.alpha)
        with np.errstate(invalid="ignore"):  # SciPy 1.13 warns where no float is left
            shares = np.linspace(share.ppf(EDGE), share.isf(EDGE), POINTS)
            height = share.pdf(shares) / 100
        if np.isfinite(height).all():
            grid, density = 100 * shares, height
    names = tuple(map(visible_text, categories))
    return PosteriorNumbers(names, level, stated_by(posterior, level).times(100), grid, density)


def paint(values: PosteriorNumbers, *, title: str) -> Figure:
    """The figure, made without matplotlib's global state, so that threads and notebooks are left alone."""
    mean, low, high = values.shares
    label = f"{100 * values.level:g} % interval,\nprivacy noise not included"
    if values.grid is not None and values.density is not None:
        figure, axes = one_panel(7.0, 4.0, title)
        axes.plot(values.grid, values.density, color=BLUE, linewidth=2)
        fill_interval(axes, values.grid, values.density, (low[0], high[0]), label)
        axes.axvline(float(mean[0]), color=VERMILION, linestyle="--", label=f"mean {mean[0]:.1f} %")
        label_density(axes, values.categories[0])
    else:
        rows = range(len(values.categories))
        figure, axes = one_panel(7.0, min(1.6 + 0.45 * len(rows), TALLEST), title)
        axes.hlines(rows, low, high, color=BLUE, linewidth=3, label=label)
        axes.plot(mean, rows, "o", color=VERMILION, label="mean")
        axes.set_yticks(rows, values.categories, parse_math=False)
        axes.invert_yaxis()
        axes.set_xlabel("share (%)")
    figure.legend(loc="outside lower center", ncols=2, frameon=False)
    return figure


def fill_interval(
    axes: Axes, grid: Floats, density: Floats, interval: tuple[float, float], label: str | None = None
) -> None:
    """The area under a density, within an interval."""
    inside = (grid >= interval[0]) & (grid <= interval[1])
    axes.fill_between(grid, density, where=inside.tolist(), color=BLUE, alpha=0.25, label=label)


def label_density(axes: Axes, category: str) -> None:
    """The axes of a density of the first category's share."""
    axes.set_ylim(bottom=0)
    axes.set_xlabel(f"share of “{category}” (%)", parse_math=False)
    axes.set_ylabel("density (per percentage point)")
