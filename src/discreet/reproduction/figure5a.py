"""Figure 5(a) of seed 001: the mean error against n for three categories."""

from __future__ import annotations

from typing import TYPE_CHECKING

from discreet.reproduction.growth import (
    Point,
    agreement,
    growth,
    growth_settings,
    growth_table,
    mean_at,
    paint_growth,
)
from discreet.reproduction.painting import PRINTED, RIGHT
from discreet.reproduction.table import Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SIZES = (30, 60, 100, 150, 200, 300, 450, 600, 900, 1200, 1800)
QUICK = (30, 100, 300, 600)


def settings(quick: bool) -> dict[str, str]:
    """What the figure is made from. The seeds print neither n nor values here; ε is taken as in Figure 4."""
    return growth_settings(3, QUICK if quick else SIZES)


def numbers(quick: bool) -> list[Point]:
    """The exact means and the runs."""
    return growth(3, QUICK if quick else SIZES)


def table(shown: list[Point]) -> Table:
    """One row a point."""
    return growth_table(shown)


def sentences(shown: list[Point]) -> list[str]:
    """How the mechanisms compare at the largest n."""
    n = max(point.n for point in shown)
    lines = []
    for reading in (PRINTED, RIGHT):
        names = list(dict.fromkeys(point.mechanism for point in shown if point.reading == reading))
        values = ", ".join(f"{name} {mean_at(shown, reading, name, n):.4f}" for name in names)
        lines.append(f"{reading.capitalize()}, n = {n}: {values}.")
    return [*lines, agreement(shown)]


def paint(shown: list[Point]) -> Figure:
    """Two panels."""
    return paint_growth(shown, "Mean error against the number of records, prior DL(1,1,1), balanced data")
