"""Figure 2 of seed 003: boxes of the error with prior beta(7,4), for 500 and 300 records."""

from __future__ import annotations

from typing import TYPE_CHECKING

from discreet.posteriors.space import PosteriorSpace
from discreet.sensitivity.exact import global_sensitivity
from discreet_papers.figures.boxes import LEGEND, Box, box_agreement, box_table, paint_boxes
from discreet_papers.figures.error_laws import RUNS
from discreet_papers.figures.notes import SCALE, Notes
from discreet_papers.figures.style import dress, figure_of, legend_below
from discreet_papers.published import legacy_gamma
from discreet_papers.table import Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PRIOR = (7, 4)
SIZES = (500, 300)
EPSILON = DELTA = "0.5"


def settings(quick: bool) -> dict[str, str]:
    """What the figure is made from. The seeds do not print δ here; it is taken equal to ε, as in their Figure 3."""
    return {
        "prior": "7, 4",
        "data": "balanced",
        "n": ", ".join(map(str, SIZES)),
        "epsilon": EPSILON,
        "delta": DELTA,
        "gamma": "n for |R| as printed, n + 1 put right",
        "laplace": f"noise of scale {SCALE}, rounded down",
        "runs": str(RUNS),
    }


def numbers(quick: bool) -> list[Box]:
    """The exact laws and the runs. Two categories have no impossible posterior: the global sensitivity is right."""
    found = []
    for n in SIZES:
        space = PosteriorSpace(prior=PRIOR, n=n)
        notes, panel = Notes(space, EPSILON), f"n = {n}"
        gamma = legacy_gamma(n, EPSILON, DELTA)
        found += notes.as_printed(panel, everywhere=global_sensitivity(space), gamma=gamma)
        found += notes.put_right(panel, delta=DELTA)
    return found


def table(shown: list[Box]) -> Table:
    """One row a box."""
    return box_table(shown)


def sentences(shown: list[Box]) -> list[str]:
    """The means."""
    lines = []
    for panel, place in dict.fromkeys((box.panel, box.place) for box in shown):
        means = ", ".join(f"{b.mechanism} {b.mean:.4f}" for b in shown if (b.panel, b.place) == (panel, place))
        lines.append(f"{panel}, {place}, mean Hellinger distance: {means}.")
    return [*lines, box_agreement(shown)]


def paint(shown: list[Box]) -> Figure:
    """A panel for each n."""
    figure, ((first, second),) = figure_of(1, 2, f"Error with prior beta(7,4), ε = {EPSILON} ({LEGEND})", width=6.2)
    for axes, n in zip((first, second), SIZES, strict=True):
        paint_boxes(axes, [box for box in shown if box.panel == f"n = {n}"])
        axes.set_ylim(0, 1.03)
        dress(axes, f"n = {n}", "settings", "Hellinger distance to the truth")
    legend_below(figure, first)
    return figure
