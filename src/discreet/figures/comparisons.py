"""Groups compared: the share of each, and how much they differ, with and without the privacy noise."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from discreet.arithmetic.texts import visible_text
from discreet.figures.inference import AWARE, PLUG_IN, paint_intervals
from discreet.figures.posterior import POINTS, fill_interval
from discreet.figures.style import BLUE, GREY, VERMILION, plain_logs, stacked_panels
from discreet.inference import Comparison, Rate, Share, compare_all
from discreet.inference.comparisons import Measure
from discreet.inference.quantities import Quantity
from discreet.inference.statement import stated_each

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_EDGE, _ACROSS = 1e-3, 1e6


def plot_comparisons(
    shares: Mapping[str, Share | Rate],
    plug_in: Mapping[str, Share | Rate],
    measure: Measure,
    *,
    of: str,
    level: float = 0.95,
    pairs: Mapping[tuple[str, str], Comparison] | None = None,
    per: str | None = None,
) -> Figure:
    """The groups above; below, of two groups the density of the measure, of more the interval of each pair.

    Rates are told `per` so much of exposure, and shares in percent.
    """
    aware, alone = pairs or compare_all(shares), compare_all(plug_in, different_people=True)
    percent = 100 if per is None else 1
    two, is_ratio, scale = len(aware) == 1, measure != "difference", percent if measure == "difference" else 1
    rows = 7 if two else len(aware)
    figure, (above, below) = stacked_panels(2.2 + 0.42 * (len(shares) + rows), [len(shares) + 0.6, rows + 0.6])
    forests = (stated_each(group.values(), level).times(percent) for group in (plug_in, shares))
    paint_intervals(above, list(map(visible_text, shares)), *forests)
    what = f"share of {visible_text(of)} (%)" if per is None else f"records {per}"
    above.set_xlabel(f"{what}, mean and {100 * level:g} % interval", parse_math=False)
    measures = [[pair.measure(measure) for pair in each.values()] for each in (alone, aware)]
    if is_ratio:
        below.set_xscale("log")
    if two:
        _densities(below, measures[1][0], measures[0][0], level, None if is_ratio else scale)
    else:
        names = [visible_text(f"{one} – {other}") for one, other in aware]
        paint_intervals(below, names, *(stated_each(each, level).times(scale) for each in measures))
    first, second = next(iter(aware)) if two else ("first", "second")
    unit = "(logarithmic)" if is_ratio else "(percentage points)" if per is None else f"({per})"
    below.set_xlabel(visible_text(f"{measure.replace('-', ' ')} of {first} and {second} {unit}"), parse_math=False)
    below.axvline(float(is_ratio), color=GREY, linewidth=1)
    if is_ratio:
        plain_logs(below, "x")
    figure.legend(*above.get_legend_handles_labels(), loc="outside lower center", ncols=2, frameon=False)
    return figure


def _densities(axes: Axes, aware: Quantity, plug_in: Quantity, level: float, linear: float | None) -> None:
    """Both densities, of a ratio, which has no linear scale, per unit of its logarithm; the interval has the noise."""
    is_ratio, scale = linear is None, linear or 1.0
    ends = np.concatenate([each.quantile([_EDGE, 1 - _EDGE]) for each in (aware, plug_in)])
    across = np.geomspace if is_ratio else np.linspace
    points = across(
        max(float(ends.min()), float(ends.max()) / _ACROSS) if is_ratio else float(ends.min()),
        float(ends.max()),
        POINTS,
    )
    heights = [each.pdf(points) * (points if is_ratio else 1 / scale) for each in (aware, plug_in)]
    low, high = aware.interval(level)
    axes.plot(scale * points, heights[0], color=BLUE, linewidth=2, label=AWARE)
    fill_interval(axes, scale * points, heights[0], (scale * low, scale * high))
    axes.plot(scale * points, heights[1], color=VERMILION, linewidth=1.5, linestyle="--", label=PLUG_IN)
    axes.set_ylim(bottom=0)
    axes.set_ylabel("density")
