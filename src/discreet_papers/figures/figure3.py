"""Figure 3 of paper 001: how likely a release is by its distance from the truth, for two to four categories."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np

from discreet.arithmetic.arrays import Floats
from discreet.figures.plans import balanced
from discreet.figures.style import STYLE, dress, figure_of, legend_below
from discreet.posteriors.space import PosteriorSpace
from discreet_papers.figures.readings import DISTANCE, NAMES, READINGS, common_settings, stream
from discreet_papers.registry import Figure, Table

EPSILON = "1"
N = 100
BINS = 50
CATEGORIES = (2, 3, 4)
NEAR = 0.2


@dataclass(frozen=True, slots=True)
class Law:
    """One panel's curve: the probabilities of the bins."""

    reading: str
    k: int
    mechanism: str
    chance: Floats


def settings(quick: bool) -> dict[str, str]:
    """What the figure is made from; the papers do not print n."""
    return {
        "prior": "ones",
        "k": ", ".join(map(str, CATEGORIES)),
        "n": str(N),
        "data": "balanced",
        **common_settings(EPSILON, bins=f"{BINS} from 0 to 1"),
    }


def numbers(quick: bool) -> list[Law]:
    """Sums over all candidates; the last bin is closed."""
    laws = []
    for k, reading, name in itertools.product(CATEGORIES, READINGS, NAMES):
        space, total = PosteriorSpace(prior=[1] * k, n=N), np.zeros(BINS)
        for distance, weight in stream(reading, name, space, balanced(space), EPSILON).parts():
            total += np.histogram(distance, bins=BINS, range=(0, 1), weights=weight)[0]
        laws.append(Law(reading, k, name, total / total.sum()))
    return laws


def table(result: list[Law]) -> Table:
    return Table(
        ("from distance", "to distance", *(f"{law.mechanism}, k = {law.k}, {law.reading}" for law in result)),
        tuple((i / BINS, (i + 1) / BINS, *(float(law.chance[i]) for law in result)) for i in range(BINS)),
    )


def sentences(result: list[Law]) -> list[str]:
    lines = []
    for reading in READINGS:
        parts = []
        for k in CATEGORIES:
            chances = ", ".join(
                f"{law.mechanism} {law.chance[: round(NEAR * BINS)].sum():.3f}"
                for law in result
                if (law.reading, law.k) == (reading, k)
            )
            parts.append(f"k = {k}: {chances}")
        lines.append(f"{reading.capitalize()}, probability of a distance below {NEAR:g}: {'; '.join(parts)}.")
    return lines


def paint(result: list[Law]) -> Figure:
    """A row for each reading, a column for each k."""
    title = f"Exact probability of a release by its distance from the truth; balanced data, n = {N}, ε = {EPSILON}"
    figure, panels = figure_of(2, 3, title, width=4.6, height=3.4)
    for law in result:
        axes = panels[READINGS.index(law.reading)][law.k - 2]
        bins = np.flatnonzero(law.chance)
        axes.plot((bins + 0.5) / BINS, law.chance[bins], label=law.mechanism, markersize=3, **STYLE[law.mechanism])
    for reading, row in zip(READINGS, panels, strict=True):
        for k, axes in zip(CATEGORIES, row, strict=True):
            axes.set_yscale("log")
            axes.set_ylim(1e-6, 1.2)
            axes.set_xlim(0, 1)
            across, up = f"{DISTANCE[reading]} from the truth", f"probability per {1 / BINS:g} of distance"
            dress(axes, f"{reading}, k = {k}", across, up)
    legend_below(figure, panels[1][0])
    return figure
