"""How figures look: Okabe and Ito's colours, one line style and marker per mechanism, plain axes."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

BLUE, ORANGE, GREEN, VERMILION = "#0072B2", "#E69F00", "#009E73", "#D55E00"
SKY, PURPLE, BLACK, GREY = "#56B4E9", "#CC79A7", "#000000", "#777777"

TALLEST = 40.0
"""Inches: what a picture of many rows may not exceed."""

TITLE_SIGNS = 11
"""Characters of a title that fit in an inch."""

STYLE: dict[str, dict[str, Any]] = {  # dashes and markers for those who print in grey
    "M_H": {"color": BLUE, "marker": "o", "linestyle": "-"},
    "exponential-global": {"color": PURPLE, "marker": "D", "linestyle": ":"},
    "exponential-local": {"color": SKY, "marker": "v", "linestyle": "--"},
    "exponential-smooth": {"color": BLUE, "marker": "o", "linestyle": "-"},
    "exponential-reciprocal": {"color": BLACK, "marker": "P", "linestyle": "-."},
    "laplace": {"color": ORANGE, "marker": "s", "linestyle": "--"},
    "laplace-improved": {"color": VERMILION, "marker": "^", "linestyle": "-."},
    "geometric": {"color": GREEN, "marker": "X", "linestyle": ":"},
    "optimal": {"color": BLACK, "marker": "*", "linestyle": (0, (1, 1))},
}


def figure_of(rows: int, columns: int, title: str, *, width: float = 5.2, height: float = 4.0) -> tuple[Figure, Any]:
    """An empty figure of panels, without matplotlib's global state, and its axes as an array of rows and columns."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width * columns, height * rows + 0.6), layout="constrained")
    figure.suptitle(title, fontsize=12)
    return figure, figure.subplots(rows, columns, squeeze=False)


def one_panel(width: float, height: float, title: str) -> tuple[Figure, Axes]:
    """An empty figure of one panel without a frame, made without matplotlib's global state; the title is plain text."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    axes = figure.add_subplot()
    lines = textwrap.wrap(title, int(TITLE_SIGNS * width), replace_whitespace=False)
    axes.set_title("\n".join(lines), loc="left", fontsize=11, parse_math=False)
    axes.spines[["top", "right"]].set_visible(False)
    return figure, axes


def stacked_panels(height: float, ratios: Sequence[float], *, sharex: bool = False) -> tuple[Figure, Sequence[Axes]]:
    """An empty figure of panels above each other without frames, made without matplotlib's global state."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7.6, min(height, TALLEST)), layout="constrained")
    panels = figure.subplots(len(ratios), 1, sharex=sharex, squeeze=False, height_ratios=ratios)[:, 0].tolist()
    for axes in panels:
        axes.spines[["top", "right"]].set_visible(False)
    return figure, panels


def two_panels(title: str, *, width: float = 5.2) -> tuple[Figure, Sequence[Axes]]:
    """An empty figure of two panels beside each other: as printed and put right, or two settings."""
    figure, (panels,) = figure_of(1, 2, title, width=width)
    return figure, panels


def dress(axes: Axes, title: str, across: str, up: str) -> None:
    """Titles and labels, a light grid, no frame."""
    axes.set_title(title, loc="left", fontsize=10)
    axes.set_xlabel(across)
    axes.set_ylabel(up)
    axes.grid(True, which="major", color="#E5E5E5", linewidth=0.8)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)


def plain_logs(axes: Axes, *which: Literal["x", "y"]) -> None:
    """Logarithmic axes whose ticks are plain numbers. To be called when everything is painted."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    for name in which:
        axis = axes.xaxis if name == "x" else axes.yaxis
        (axes.set_xscale if name == "x" else axes.set_yscale)("log")
        low, high = axes.get_xlim() if name == "x" else axes.get_ylim()
        axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0) if high < 300 * low else (1.0,), numticks=12))
        axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.10g}"))
        axis.set_minor_formatter(NullFormatter())


def legend_below(figure: Figure, *axes: Axes) -> None:
    """One legend for all panels: each label once, in the order of its first panel."""
    by_label: dict[str, Any] = {}
    for panel in axes:
        for handle, label in zip(*panel.get_legend_handles_labels(), strict=True):
            by_label.setdefault(label, handle)
    columns = min(len(by_label), max(3, int(figure.get_figwidth() // 2.2)))
    labels, handles = by_label.keys(), by_label.values()
    figure.legend(handles, labels, loc="outside lower center", ncols=columns, frameon=False, fontsize=9)


def paint_box(axes: Axes, at: float, box: tuple[float, ...], colour: str, *, width: float, filled: bool) -> None:
    """A box from its five quantiles: filled for an exact law, an outline for runs."""
    low, first, median, third, high = box
    stats = {"whislo": low, "q1": first, "med": median, "q3": third, "whishi": high, "fliers": []}
    line = {"color": colour, "linewidth": 1.4}
    axes.bxp(
        [stats],
        positions=[at],
        widths=width,
        manage_ticks=False,
        patch_artist=True,
        boxprops={"facecolor": colour if filled else "none", "edgecolor": colour, "linewidth": 1.4, "alpha": 0.75},
        medianprops={"color": BLACK, "linewidth": 1.6},
        whiskerprops=line,
        capprops=line,
    )
