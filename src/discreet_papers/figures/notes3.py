"""Figure 3 of seed 003: boxes of the error with prior DL(7,4,5), for 100 and 120 records, and its printed numbers.

Its global sensitivity, 0.239992747797, is the distance from DL(7,4,5) to DL(8,3,5): a record is taken from a category
that holds none, and no data leads there. Its γ are those of its program, with n where its text has n + 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from discreet.mechanisms import ExponentialSmooth
from discreet.posteriors import Dirichlet
from discreet.posteriors.distances import hellinger
from discreet.posteriors.space import PosteriorSpace
from discreet.sensitivity.exact import global_sensitivity, published_gamma
from discreet.sensitivity.vectorised import Steps
from discreet_papers.figures.boxes import LEGEND, Box, box_agreement, box_table, paint_boxes
from discreet_papers.figures.error_laws import RUNS
from discreet_papers.figures.notes import SCALE, Notes
from discreet_papers.figures.style import dress, figure_of, legend_below
from discreet_papers.published import legacy_gamma
from discreet_papers.table import Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PRIOR = (7, 4, 5)
SIZES = (100, 120)
EPSILON = DELTA = "0.8"

CLAIMED = {100: (0.08, 0.005, 0.09, 0.005), 120: (0.0945, 0.00005, 0.096, 0.0005)}
"""By n: the local and the smooth sensitivity that are printed, each with half a unit of its last digit."""


@dataclass(frozen=True, slots=True)
class NotesNumbers:
    """The boxes, and by n the sensitivities that were used and how many data sets have the printed ones."""

    boxes: list[Box]
    used: dict[int, dict[str, float]]
    data_with_both: dict[int, int]


def settings(quick: bool) -> dict[str, str]:
    """What the figure is made from."""
    return {
        "prior": "7, 4, 5",
        "data": "balanced",
        "n": ", ".join(map(str, SIZES)),
        "epsilon": EPSILON,
        "delta": DELTA,
        "global sensitivity": "H(DL(7,4,5), DL(8,3,5)) as printed, the largest between neighbours put right",
        "gamma": "n for |R| as printed, C(n+2, 2) put right",
        "laplace": f"noise of scale {SCALE}, rounded down",
        "runs": str(RUNS),
    }


def impossible_sensitivity() -> float:
    """What the seeds take for the global sensitivity.

    >>> round(impossible_sensitivity(), 12)
    0.239992747797
    """
    return hellinger(Dirichlet([7, 4, 5]), Dirichlet([8, 3, 5]))


def numbers(quick: bool) -> NotesNumbers:
    """The exact laws and the runs, and a look at all data sets."""
    boxes, used, both = [], {}, {}
    for n in SIZES:
        space = PosteriorSpace(prior=PRIOR, n=n)
        notes, gamma = Notes(space, EPSILON), legacy_gamma(n, EPSILON, DELTA)
        boxes += notes.as_printed(f"n = {n}", everywhere=impossible_sensitivity(), gamma=gamma)
        boxes += notes.put_right(f"n = {n}", delta=DELTA)
        used[n] = notes.sensitivities(impossible_sensitivity(), gamma)
        both[n] = _data_with_both(space, gamma)
    return NotesNumbers(boxes, used, both)


def _data_with_both(space: PosteriorSpace, gamma: float) -> int:
    """How many data sets have the printed local and smooth sensitivity, to the printed digits."""
    import numpy as np

    steps = Steps(space, space.candidates().array())
    local, smooth = 1 / steps.local, 1 / steps.inverse(ExponentialSmooth, gamma)
    at, within, there, around = CLAIMED[space.n]
    return int(np.count_nonzero((np.abs(local - at) <= within) & (np.abs(smooth - there) <= around)))


def table(shown: NotesNumbers) -> Table:
    """One row a box."""
    return box_table(shown.boxes)


def sentences(shown: NotesNumbers) -> list[str]:
    """The printed numbers explained, and the means."""
    space = PosteriorSpace(prior=PRIOR, n=SIZES[0])
    lines = [
        f"The printed global sensitivity is H(DL(7,4,5), DL(8,3,5)) = {impossible_sensitivity():.12f}, the distance to "
        f"a posterior that no data has; the largest between neighbours is {global_sensitivity(space):.12f}."
    ]
    for n in SIZES:
        right = published_gamma(PosteriorSpace(prior=PRIOR, n=n), EPSILON, DELTA)
        beta = published_gamma(PosteriorSpace(prior=[1, 1], n=n), EPSILON, DELTA)
        local, smooth = shown.used[n]["exponential-local"], shown.used[n]["exponential-smooth"]
        lines.append(
            f"n = {n}: the printed γ is {legacy_gamma(n, EPSILON, DELTA):.13f}, with 2n in the logarithm; the text's "
            f"2(n+1) gives {beta:.10f}, and the true number of candidates {right:.10f}. Balanced data has a local "
            f"sensitivity of {local:.4f} and a smooth one of {smooth:.4f}; the "
            f"printed {CLAIMED[n][0]:g} and {CLAIMED[n][2]:g} belong to {shown.data_with_both[n]} of all data sets."
        )
    for panel, place in dict.fromkeys((box.panel, box.place) for box in shown.boxes):
        means = ", ".join(f"{b.mechanism} {b.mean:.4f}" for b in shown.boxes if (b.panel, b.place) == (panel, place))
        lines.append(f"{panel}, {place}, mean Hellinger distance: {means}.")
    return [*lines, box_agreement(shown.boxes)]


def paint(shown: NotesNumbers) -> Figure:
    """A panel for each n."""
    figure, ((first, second),) = figure_of(1, 2, f"Error with prior DL(7,4,5), ε = δ = {EPSILON} ({LEGEND})", width=6.2)
    for axes, n in zip((first, second), SIZES, strict=True):
        paint_boxes(axes, [box for box in shown.boxes if box.panel == f"n = {n}"])
        axes.set_ylim(0, 1.03)
        dress(axes, f"n = {n}", "settings", "Hellinger distance to the truth")
    legend_below(figure, first)
    return figure
