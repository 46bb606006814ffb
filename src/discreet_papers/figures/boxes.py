"""The errors of one data set as boxes: the exact law filled, a thousand runs as an outline beside it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from discreet.arithmetic.arrays import Floats
from discreet.figures.style import STYLE, dress, legend_below, paint_box, two_panels
from discreet_papers.figures.error_laws import BOX, RUNS, ErrorLaw, Runs
from discreet_papers.registry import Axes, Figure, Table

WIDTH = 0.34
LEGEND = "filled: exact law; outline: 1000 runs; boxes 25 to 75 %, whiskers 5 to 95 %"
"""What the boxes are, for titles."""


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
    def of(cls, panel: str, place: str, mechanism: str, law: ErrorLaw, distances: Floats) -> Box:
        """From the exact law and the distances of the runs."""
        return cls(panel, place, mechanism, law.mean, law.box(), Runs.of(distances, law))


def box_table(boxes: Sequence[Box]) -> Table:
    """One row for each box: means first, then quantiles."""
    head = ("panel", "place", "mechanism", "exact mean", f"mean of {RUNS} runs", "allowed gap at 1e-9")
    return Table(
        (*head, *(f"{what} {100 * p:g} %" for what in ("exact", "runs") for p in BOX)),
        tuple(
            (b.panel, b.place, b.mechanism, b.mean, b.runs.mean, b.runs.allowed, *b.exact, *b.runs.box) for b in boxes
        ),
    )


def box_means(boxes: Sequence[Box], form: str) -> list[str]:
    """The means of each panel and place, `form` with both of them; then whether the runs agree with the means."""
    means: dict[str, list[str]] = {}
    for box in boxes:
        head = form.format(panel=box.panel, place=box.place)
        means.setdefault(head, []).append(f"{box.mechanism} {box.mean:.4g}")
    good = sum(box.runs.agrees_with(box.mean) for box in boxes)
    agreement = f"{good} of {len(boxes)} averages of {RUNS} runs agree with the exact means (false-alarm rate 1e-9)."
    return [*(f"{head}: {', '.join(parts)}." for head, parts in means.items()), agreement]


def box_figure(
    boxes: Sequence[Box], title: str, labels: Mapping[str, tuple[str, str, str]], top: float | None = None
) -> Figure:
    """A panel for each name in `labels`, which are its title and the labels of its axes; `top` is where it ends."""
    figure, panels = two_panels(f"{title} ({LEGEND})", width=6.4)
    for axes, (panel, label) in zip(panels, labels.items(), strict=True):
        _paint_boxes(axes, [box for box in boxes if box.panel == panel])
        axes.set_ylim(0, top)
        dress(axes, *label)
    legend_below(figure, *panels[::-1])
    return figure


def _paint_boxes(axes: Axes, boxes: Sequence[Box]) -> None:
    """The boxes of one panel, grouped by their place; inside a place in the order of the mechanisms."""
    places = list(dict.fromkeys(box.place for box in boxes))
    names = list(dict.fromkeys(box.mechanism for box in boxes))
    step = len(names) + 0.8
    for box in boxes:
        at = places.index(box.place) * step + names.index(box.mechanism)
        for side, quantiles in ((-0.5, box.exact), (0.5, box.runs.box)):
            colour, place = STYLE[box.mechanism]["color"], at + side * WIDTH
            paint_box(axes, place, quantiles, colour, width=WIDTH * 0.9, filled=side < 0)
    for name in names:
        axes.plot([], [], label=name, color=STYLE[name]["color"], marker="s", markersize=8, linestyle="none")
    axes.set_xticks([i * step + (len(names) - 1) / 2 for i in range(len(places))], places)
    axes.set_xlim(-1, len(places) * step - 0.8)
