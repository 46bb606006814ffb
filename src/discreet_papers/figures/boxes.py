"""The errors of one data set as boxes: the exact law filled, a thousand runs as an outline beside it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from discreet_papers.figures.error_laws import BOX, RUNS, ErrorLaw, Runs
from discreet_papers.figures.style import STYLE, paint_box
from discreet_papers.table import Table

if TYPE_CHECKING:
    from matplotlib.axes import Axes

WIDTH = 0.34


@dataclass(frozen=True, slots=True)
class Box:
    """The error of a mechanism in one panel, at one place of its axis."""

    panel: str
    place: str
    mechanism: str
    mean: float
    exact: tuple[float, ...]
    runs: Runs

    @classmethod
    def of(cls, panel: str, place: str, mechanism: str, law: ErrorLaw, drawn: NDArray[np.float64]) -> Box:
        """From the exact law and the distances of the runs."""
        return cls(panel, place, mechanism, law.mean, law.box(), Runs.of(drawn, law))


def box_table(boxes: Sequence[Box]) -> Table:
    """One row a box: means first, then quantiles."""
    shares = [f"{100 * p:g} %" for p in BOX]
    head = ("panel", "place", "mechanism", "exact mean", f"mean of {RUNS} runs", "allowed gap at 1e-9")
    return Table(
        (*head, *(f"exact {share}" for share in shares), *(f"runs {share}" for share in shares)),
        tuple(
            (b.panel, b.place, b.mechanism, b.mean, b.runs.mean, b.runs.allowed, *b.exact, *b.runs.box) for b in boxes
        ),
    )


def box_agreement(boxes: Sequence[Box]) -> str:
    """Whether the runs agree with the exact means, in a sentence."""
    good = sum(box.runs.agrees_with(box.mean) for box in boxes)
    return f"{good} of {len(boxes)} averages of {RUNS} runs agree with the exact means (false-alarm rate 1e-9)."


def paint_boxes(axes: Axes, boxes: Sequence[Box]) -> None:
    """The boxes of one panel, grouped by their place; inside a place in the order of the mechanisms."""
    places = list(dict.fromkeys(box.place for box in boxes))
    names = list(dict.fromkeys(box.mechanism for box in boxes))
    step = len(names) + 0.8
    for box in boxes:
        at = places.index(box.place) * step + names.index(box.mechanism)
        colour = STYLE[box.mechanism]["color"]
        paint_box(axes, at - WIDTH / 2, box.exact, colour, width=WIDTH * 0.9, filled=True)
        paint_box(axes, at + WIDTH / 2, box.runs.box, colour, width=WIDTH * 0.9, filled=False)
    for name in names:
        axes.plot([], [], label=name, color=STYLE[name]["color"], marker="s", markersize=8, linestyle="none")
    axes.set_xticks([i * step + (len(names) - 1) / 2 for i in range(len(places))], places)
    axes.set_xlim(-1, len(places) * step - 0.8)


LEGEND = "filled: exact law; outline: 1000 runs; boxes 25 to 75 %, whiskers 5 to 95 %"
"""What the boxes are, for titles."""
