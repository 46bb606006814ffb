"""The density of one quantity with its interval: a share, a difference, a total, or a ratio on a logarithmic axis."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from discreet.arithmetic.texts import visible_text
from discreet.arithmetic.words import exact_text
from discreet.figures.image import choose_fonts
from discreet.figures.posterior import POINTS, fill_interval
from discreet.figures.style import BLUE, GREY, one_panel, plain_logs
from discreet.inference.differences import Contrast
from discreet.inference.event_rates import Rate
from discreet.inference.quantities import Quantity
from discreet.inference.share import Share
from discreet.inference.totals import Total

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_EDGE = 1e-3


def plot_quantity(quantity: Quantity, *, level: float = 0.95) -> Figure:
    """The figure, made without matplotlib's global state. Ratios have a logarithmic axis, shares one in percent."""
    unit, across, is_ratio = _axis(quantity)
    first, last = quantity.quantile([_EDGE, 1 - _EDGE]).tolist()
    points = np.geomspace(first, last, POINTS) if is_ratio else np.linspace(first, last, POINTS)
    if isinstance(quantity, Total):
        points = np.unique(points.round())
    density = quantity.pdf(points) * (points if is_ratio else 1 / unit)
    low, high = quantity.interval(level)
    figure, axes = one_panel(8.0, 3.6, f"{visible_text(quantity.name)}, privacy noise included")
    axes.plot(unit * points, density, color=BLUE, linewidth=2)
    fill_interval(axes, unit * points, density, (unit * low, unit * high), f"{100 * level:g} % interval")
    nothing = 1.0 if is_ratio else 0.0
    if first < nothing < last:
        axes.axvline(unit * nothing, color=GREY, linewidth=1)
    axes.set_ylim(bottom=0)
    axes.set_xlabel(across)
    axes.set_ylabel("probability" if isinstance(quantity, Total) else "density")
    if is_ratio:
        plain_logs(axes, "x")
    figure.legend(loc="outside lower center", frameon=False)
    choose_fonts(figure)
    return figure


def _axis(quantity: Quantity) -> tuple[int, str, bool]:
    """What a value is multiplied by, the name of the unit, and whether the axis is logarithmic."""
    if isinstance(quantity, Total):
        return 1, "records", False
    if isinstance(quantity, Rate):
        return 1, f"rate per {exact_text(quantity.per)}", False
    if isinstance(quantity, Contrast) and quantity.scale.per is not None:
        return 1, f"difference of rates per {exact_text(quantity.scale.per)}", False
    if not isinstance(quantity, Share):  # whose name is a label, and may be any
        for beginning, across in (("ratio", "ratio"), ("odds ratio", "odds ratio")):
            if quantity.name.startswith(beginning):
                return 1, across, True
        for beginning, across in (("log ", "logarithm of the ratio"), ("mean score", "score")):
            if quantity.name.startswith(beginning):
                return 1, across, False
    return 100, "percentage points", False
