"""Figure 5 of paper 001: boxes of the error for data (50, 50) under balanced priors.

The papers do not print which priors; ε is taken as in Figure 4.
"""

from __future__ import annotations

from discreet.posteriors.space import PosteriorSpace
from discreet_papers.figures.boxes import Box, box_figure, box_means
from discreet_papers.figures.boxes import box_table as table
from discreet_papers.figures.error_laws import RUNS
from discreet_papers.figures.readings import DISTANCE, EPSILON, MECHANISMS, READINGS, common_settings, law_and_runs
from discreet_papers.registry import Figure

__all__ = ["numbers", "paint", "sentences", "settings", "table"]

DATA = (50, 50)
PRIORS = (1, 5, 20, 50, 100, 200)
QUICK = (1, 20, 100)


def settings(quick: bool) -> dict[str, str]:
    return {
        "data": str(DATA),
        "priors": ", ".join(f"beta({a},{a})" for a in (QUICK if quick else PRIORS)),
        **common_settings(runs=str(RUNS)),
    }


def numbers(quick: bool) -> list[Box]:
    """The exact laws and the runs."""
    boxes = []
    for a in QUICK if quick else PRIORS:
        space = PosteriorSpace(prior=[a, a], n=sum(DATA))
        for reading, names in MECHANISMS.items():
            for name in names:
                boxes.append(Box.of(reading, str(a), name, *law_and_runs(reading, name, space, DATA)))
    return boxes


def sentences(result: list[Box]) -> list[str]:
    return box_means(result, "Mean error {panel}, prior beta({place},{place})")


def paint(result: list[Box]) -> Figure:
    across = "a of the prior beta(a, a)"
    labels = {
        reading: (f"{reading}: ε = {EPSILON[reading]}", across, f"{DISTANCE[reading]} to the truth")
        for reading in READINGS
    }
    return box_figure(result, "Error for data (50, 50) under balanced priors", labels)
