"""Figure 2 of seed 001, Figure 1 of seed 003: how much the score of a candidate changes between neighbours.

By the triangle inequality |H(c,r) - H(c',r)| ≤ H(c,c'), and r = BI(c) reaches it. So does r = BI(c'), where c' is the
neighbour that is farthest: the peak has two points.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from discreet.posteriors.distances import hellinger_floats
from discreet.posteriors.space import PosteriorSpace
from discreet_papers.figures.style import BLUE, ORANGE, PRINTED, RIGHT, dress, figure_of, legend_below
from discreet_papers.published import legacy_floats
from discreet_papers.table import Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SPACE = PosteriorSpace(prior=[1, 1], n=100)
DATA = ((50, 50), (20, 80))
COLOUR = {(50, 50): BLUE, (20, 80): ORANGE}
DASH = {(50, 50): "-", (20, 80): "--"}


@dataclass(frozen=True, slots=True)
class PeakNumbers:
    """The largest change over neighbours for every candidate, by reading and data set."""

    curves: dict[tuple[str, tuple[int, ...]], list[float]]


def settings(quick: bool) -> dict[str, str]:
    """What the figure is made from. The seeds print neither the prior nor the data."""
    return {
        "prior": "1, 1",
        "n": str(SPACE.n),
        "data": " and ".join(map(str, DATA)),
        "distance": "sqrt(1 - BC^(1/ln(n+2))) as printed, Hellinger put right",
    }


def numbers(quick: bool) -> PeakNumbers:
    """Every candidate, both neighbours."""
    rows = SPACE.candidates().array()
    curves: dict[tuple[str, tuple[int, ...]], list[float]] = {}
    for data in DATA:
        near = (data, *map(tuple, SPACE.neighbours(data)))
        right = {c: hellinger_floats(SPACE.prior, c, rows) for c in near}
        printed = {c: legacy_floats(SPACE, c, rows) for c in near}
        for reading, score in ((PRINTED, printed), (RIGHT, right)):
            changes = [np.abs(score[data] - score[other]) for other in score if other != data]
            curves[reading, data] = np.maximum.reduce(changes).tolist()
    return PeakNumbers(curves)


def table(shown: PeakNumbers) -> Table:
    """One row a candidate."""
    keys = list(shown.curves)
    return Table(
        ("first count of r", *(f"{reading}, c = {data}" for reading, data in keys)),
        tuple((r, *(shown.curves[key][r] for key in keys)) for r in range(SPACE.n + 1)),
    )


def peaks(curve: list[float]) -> list[int]:
    """Where the largest value lies, up to the rounding of floats."""
    return [r for r, value in enumerate(curve) if value >= max(curve) - 1e-12]


def sentences(shown: PeakNumbers) -> list[str]:
    """Where the peaks are."""
    lines = []
    for (reading, data), curve in shown.curves.items():
        places = " and ".join(f"({r}, {SPACE.n - r})" for r in peaks(curve))
        lines.append(f"{reading.capitalize()}, c = {data}: the largest change is {max(curve):.6f}, at r = {places}.")
    return [*lines, "The other points of a peak are the neighbours that are farthest from c."]


def paint(shown: PeakNumbers) -> Figure:
    """Two panels, the data marked."""
    figure, ((first, second),) = figure_of(
        1, 2, "Largest change of the score between neighbours, for every candidate r; prior beta(1,1), n = 100"
    )
    for axes, reading in ((first, PRINTED), (second, RIGHT)):
        for data in DATA:
            curve = shown.curves[reading, data]
            axes.plot(range(SPACE.n + 1), curve, color=COLOUR[data], linestyle=DASH[data], label=f"c = {data}")
            axes.plot(data[0], curve[data[0]], "o", color=COLOUR[data], label=f"r = c = {data}")
        axes.set_ylim(bottom=0)
        distance = "seeds' distance" if reading == PRINTED else "Hellinger distance"
        dress(axes, reading, "records in the first category of r", f"|H(c,r) - H(c',r)| ({distance})")
    legend_below(figure, first)
    return figure
