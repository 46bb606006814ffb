"""A released posterior: the density of a Beta, or the mean and interval of each category of a Dirichlet."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from discreet.arithmetic.arrays import Floats
from discreet.arithmetic.texts import visible_text
from discreet.figures.style import BLUE, VERMILION, one_panel
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
    mean: Floats
    low: Floats
    high: Floats
    grid: Floats | None
    density: Floats | None


def numbers(posterior: Dirichlet, categories: Sequence[str], *, level: float = 0.95) -> PosteriorNumbers:
    """The shares in percent, and for two categories the first one's density per percentage point.

    >>> shown = numbers(Dirichlet([49, 43]), ["cured", "not cured"])
    >>> [round(float(x), 1) for x in shown.mean]
    [53.3, 46.7]
    """
    low, high = posterior.interval(level)
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
    return PosteriorNumbers(names, level, 100 * posterior.mean, 100 * low, 100 * high, grid, density)


def paint(shown: PosteriorNumbers, *, title: str) -> Figure:
    """The figure, made without matplotlib's global state, so that threads and notebooks are left alone."""
    rows = 1 if shown.grid is not None else len(shown.categories)
    figure, axes = one_panel(7.0, 4.0 if rows == 1 else min(1.6 + 0.45 * rows, 40.0), title)
    if shown.grid is not None and shown.density is not None:
        _paint_density(axes, shown, shown.grid, shown.density)
    else:
        _paint_intervals(axes, shown)
    figure.legend(loc="outside lower center", ncols=2, frameon=False)
    return figure


def _paint_density(axes: Axes, shown: PosteriorNumbers, grid: Floats, density: Floats) -> None:
    inside = (grid >= shown.low[0]) & (grid <= shown.high[0])
    axes.plot(grid, density, color=BLUE, linewidth=2)
    axes.fill_between(grid, density, where=inside.tolist(), color=BLUE, alpha=0.25, label=_interval_label(shown))
    axes.axvline(float(shown.mean[0]), color=VERMILION, linestyle="--", label=f"mean {shown.mean[0]:.1f} %")
    axes.set_ylim(bottom=0)
    axes.set_xlabel(f"share of “{shown.categories[0]}” (%)", parse_math=False)
    axes.set_ylabel("density (per percentage point)")


def _paint_intervals(axes: Axes, shown: PosteriorNumbers) -> None:
    rows = range(len(shown.categories))
    axes.hlines(rows, shown.low, shown.high, color=BLUE, linewidth=3, label=_interval_label(shown))
    axes.plot(shown.mean, rows, "o", color=VERMILION, label="mean")
    axes.set_yticks(rows, shown.categories, parse_math=False)
    axes.invert_yaxis()
    axes.set_xlabel("share (%)")


def _interval_label(shown: PosteriorNumbers) -> str:
    return f"{100 * shown.level:g} % interval,\nprivacy noise not included"
