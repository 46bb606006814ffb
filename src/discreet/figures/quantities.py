"""The density of one quantity with its interval: a share, a difference, or a ratio on a logarithmic axis."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from discreet.arithmetic.texts import visible_text
from discreet.figures.image import choose_fonts
from discreet.figures.posterior import POINTS
from discreet.figures.style import BLUE, GREY, one_panel, plain_logs
from discreet.inference.quantities import Quantity

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_EDGE = 1e-3


def plot_quantity(quantity: Quantity, *, level: float = 0.95) -> Figure:
    """The figure, made without matplotlib's global state. Ratios have a logarithmic axis, shares one in percent."""
    is_ratio = "ratio" in quantity.name and not quantity.name.startswith("log")
    unit = 1 if "ratio" in quantity.name else 100
    first, last = quantity.quantile([_EDGE, 1 - _EDGE]).tolist()
    points = np.geomspace(first, last, POINTS) if is_ratio else np.linspace(first, last, POINTS)
    density = quantity.pdf(points) * (points if is_ratio else 1 / unit)
    low, high = quantity.interval(level)
    figure, axes = one_panel(8.0, 3.6, f"{visible_text(quantity.name)}, privacy noise included")
    axes.plot(unit * points, density, color=BLUE, linewidth=2)
    inside = (points >= low) & (points <= high)
    axes.fill_between(
        unit * points, density, where=inside.tolist(), color=BLUE, alpha=0.25, label=f"{100 * level:g} % interval"
    )
    nothing = 1.0 if is_ratio else 0.0
    if first < nothing < last:
        axes.axvline(unit * nothing, color=GREY, linewidth=1)
    axes.set_ylim(bottom=0)
    axes.set_xlabel("ratio" if unit == 1 else "percentage points")
    axes.set_ylabel("density")
    if is_ratio:
        plain_logs(axes, "x")
    figure.legend(loc="outside lower center", frameon=False)
    choose_fonts(figure)
    return figure
