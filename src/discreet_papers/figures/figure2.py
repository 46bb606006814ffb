"""Figure 2 of paper 001, Figure 1 of paper 003: how much the score of a candidate changes between neighbours.

By the triangle inequality |H(c,r) - H(c',r)| ≤ H(c,c'), and r = BI(c) reaches it. So does r = BI(c'), where c' is the
neighbour that is farthest: the peak has two points.
"""

from __future__ import annotations

import itertools
from typing import TypeAlias

import numpy as np

from discreet.figures.style import BLUE, ORANGE
from discreet.posteriors.space import PosteriorSpace
from discreet_papers.figures.readings import DISTANCE, DISTANCE_SETTING, READINGS, distances, paint_readings
from discreet_papers.registry import Axes, Figure, Table

SPACE = PosteriorSpace(prior=[1, 1], n=100)
DATA = {(50, 50): (BLUE, "-"), (20, 80): (ORANGE, "--")}
"""The data sets, with the colours and dashes that show them."""

Curves: TypeAlias = dict[tuple[str, tuple[int, ...]], list[float]]
"""The largest change over neighbours for every candidate, by reading and data set."""


def settings(quick: bool) -> dict[str, str]:
    """What the figure is made from. The papers print neither the prior nor the data."""
    data = " and ".join(map(str, DATA))
    return {"prior": "1, 1", "n": str(SPACE.n), "data": data, "distance": DISTANCE_SETTING}


def numbers(quick: bool) -> Curves:
    """Every candidate, both neighbours."""
    rows = SPACE.candidates().array()
    curves: Curves = {}
    for data, reading in itertools.product(DATA, READINGS):
        here = distances(reading, SPACE, data, rows)
        changes = [np.abs(here - distances(reading, SPACE, other, rows)) for other in SPACE.neighbours(data)]
        curves[reading, data] = np.maximum.reduce(changes).tolist()
    return curves


def table(result: Curves) -> Table:
    columns = {f"{reading}, c = {data}": curve for (reading, data), curve in result.items()}
    return Table.of_curves("first count of r", columns)


def peaks(curve: list[float]) -> list[int]:
    """Where the largest value lies, up to the rounding of floats."""
    return [r for r, value in enumerate(curve) if value >= max(curve) - 1e-12]


def sentences(result: Curves) -> list[str]:
    lines = []
    for (reading, data), curve in result.items():
        places = " and ".join(f"({r}, {SPACE.n - r})" for r in peaks(curve))
        lines.append(f"{reading.capitalize()}, c = {data}: the largest change is {max(curve):.6f}, at r = {places}.")
    return [*lines, "The other points of a peak are the neighbours that are farthest from c."]


def paint(result: Curves) -> Figure:
    def panel(axes: Axes, reading: str) -> tuple[str, str, str]:
        for data, (colour, dash) in DATA.items():
            curve = result[reading, data]
            axes.plot(range(SPACE.n + 1), curve, color=colour, linestyle=dash, label=f"c = {data}")
            axes.plot(data[0], curve[data[0]], "o", color=colour, label=f"r = c = {data}")
        axes.set_ylim(bottom=0)
        return reading, "records in the first category of r", f"|H(c,r) - H(c',r)| ({DISTANCE[reading]})"

    title = "Largest change of the score between neighbours, for every candidate r; prior beta(1,1), n = 100"
    return paint_readings(title, panel)
