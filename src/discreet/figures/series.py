"""A series of waves: the share of each with its interval, with and without the privacy noise, as bands."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from discreet.arithmetic.texts import visible_text
from discreet.figures.image import choose_fonts
from discreet.figures.inference import AWARE, PLUG_IN
from discreet.figures.style import BLUE, VERMILION, one_panel
from discreet.inference.series import Waves
from discreet.inference.statement import stated_each

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_LONG = 7
"""Longer names of waves are written at a slant."""


def plot_waves(series: Waves, *, level: float = 0.95) -> Figure:
    """The figure, made without matplotlib's global state: one place on the axis for each wave."""
    names = [visible_text(name) for name in series.names]
    label = visible_text(next(iter(series.shares.values())).name)
    figure, axes = one_panel(max(6.4, 0.7 * len(names) + 2.0), 4.2, f"{label}: a series of {len(names)} waves")
    places = np.arange(len(names))
    mean, low, high = stated_each(series.shares.values(), level).times(100)
    axes.fill_between(places, low, high, color=BLUE, alpha=0.22)
    axes.plot(places, mean, color=BLUE, linewidth=2, marker="o", markersize=4, label=AWARE)
    if len(series.plug_in) == len(names):
        plain, bottom, top = stated_each(series.plug_in.values(), level).times(100)
        axes.plot(places, plain, color=VERMILION, linewidth=1.4, linestyle="--", label=PLUG_IN)
        for end in (bottom, top):
            axes.plot(places, end, color=VERMILION, linewidth=0.9, linestyle=":")
    slant = any(len(name) > _LONG for name in names) and len(names) > 4
    axes.set_xticks(places, names, rotation=30 if slant else 0, ha="right" if slant else "center", parse_math=False)
    axes.set_ylabel(f"share (%), mean and {100 * level:g} % interval")
    axes.grid(True, axis="y", color="#E5E5E5", linewidth=0.8)
    axes.set_axisbelow(True)
    figure.legend(loc="outside lower center", ncols=2, frameon=False)
    choose_fonts(figure)
    return figure
