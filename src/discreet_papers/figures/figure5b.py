"""Figure 5(b) of seed 001: the mean error against n for four categories."""

from __future__ import annotations

from typing import TYPE_CHECKING

from discreet_papers.figures.growth import (
    Point,
    growth,
    growth_settings,
    paint_growth,
)
from discreet_papers.figures.growth import growth_sentences as sentences
from discreet_papers.figures.growth import growth_table as table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["numbers", "paint", "sentences", "settings", "table"]

SIZES = (20, 40, 60, 100, 150, 200, 300, 400, 500, 600, 800)
QUICK = (20, 60, 100, 200)


def settings(quick: bool) -> dict[str, str]:
    """What the figure is made from. The seeds print neither n nor values here; ε is taken as in Figure 4."""
    return growth_settings(4, QUICK if quick else SIZES)


def numbers(quick: bool) -> list[Point]:
    """The exact means and the runs."""
    return growth(4, QUICK if quick else SIZES)


def paint(shown: list[Point]) -> Figure:
    """Two panels."""
    return paint_growth(shown, "Mean error against the number of records, prior DL(1,1,1,1), balanced data")
