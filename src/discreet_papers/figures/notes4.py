"""Figure 4 of seed 003: the same mechanisms at 150 records, measured by Hellinger distance and by L1.

The caption carries the γ of 120 records over to 150.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from discreet.posteriors.space import PosteriorSpace
from discreet.utility.metrics import MetricName
from discreet_papers.figures.boxes import LEGEND, Box, box_agreement, box_table, paint_boxes
from discreet_papers.figures.error_laws import RUNS
from discreet_papers.figures.notes import SCALE, Notes
from discreet_papers.figures.notes3 import DELTA, EPSILON, PRIOR, impossible_sensitivity
from discreet_papers.figures.style import dress, figure_of, legend_below
from discreet_papers.published import legacy_gamma
from discreet_papers.table import Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

N, CARRIED = 150, 120
METRICS: tuple[MetricName, MetricName] = ("hellinger", "l1")
LABEL = {"hellinger": "Hellinger distance to the truth", "l1": "L1 distance of the parameters (records)"}


def settings(quick: bool) -> dict[str, str]:
    """What the figure is made from."""
    return {
        "prior": "7, 4, 5",
        "data": "balanced",
        "n": str(N),
        "epsilon": EPSILON,
        "delta": DELTA,
        "gamma": f"that of n = {CARRIED}, with n for |R|, as printed; that of n = {N}, with C(n+2, 2), put right",
        "laplace": f"noise of scale {SCALE}, rounded down",
        "runs": str(RUNS),
    }


def numbers(quick: bool) -> list[Box]:
    """The exact laws and the runs, by both distances."""
    space = PosteriorSpace(prior=PRIOR, n=N)
    found = []
    for metric in METRICS:
        notes = Notes(space, EPSILON, metric)
        gamma = legacy_gamma(CARRIED, EPSILON, DELTA)
        found += notes.as_printed(metric, everywhere=impossible_sensitivity(), gamma=gamma)
        found += notes.put_right(metric, delta=DELTA)
    return found


def table(shown: list[Box]) -> Table:
    """One row a box."""
    return box_table(shown)


def sentences(shown: list[Box]) -> list[str]:
    """The means."""
    lines = [
        f"The printed γ of {legacy_gamma(CARRIED, EPSILON, DELTA):.13f} is that of n = {CARRIED}; at n = {N} the same "
        f"formula gives {legacy_gamma(N, EPSILON, DELTA):.13f}."
    ]
    for panel, place in dict.fromkeys((box.panel, box.place) for box in shown):
        means = ", ".join(f"{b.mechanism} {b.mean:.4g}" for b in shown if (b.panel, b.place) == (panel, place))
        lines.append(f"By {panel}, {place}, mean: {means}.")
    return [*lines, box_agreement(shown)]


def paint(shown: list[Box]) -> Figure:
    """A panel for each distance."""
    figure, ((first, second),) = figure_of(1, 2, f"Error with prior DL(7,4,5), n = {N} ({LEGEND})", width=6.2)
    for axes, metric in zip((first, second), METRICS, strict=True):
        paint_boxes(axes, [box for box in shown if box.panel == metric])
        axes.set_ylim(bottom=0)
        dress(axes, f"ε = δ = {EPSILON}", "settings", LABEL[metric])
    legend_below(figure, first)
    return figure
