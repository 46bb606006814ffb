"""Figure 5 of seed 001: boxes of the error for data (50, 50) under balanced priors."""

from __future__ import annotations

from typing import TYPE_CHECKING

from discreet.mechanisms import ExponentialSmooth, Geometric, Laplace, LaplaceImproved
from discreet.posteriors.distances import hellinger_floats
from discreet.posteriors.space import PosteriorSpace
from discreet_papers.figures.boxes import LEGEND, Box, box_agreement, box_table, paint_boxes
from discreet_papers.figures.error_laws import RUNS, ErrorLaw, geometric_law
from discreet_papers.figures.growth import DELTA, EPSILON, legacy_smooth_stream, smooth_stream
from discreet_papers.figures.streams import LaplaceStream
from discreet_papers.figures.style import PRINTED, RIGHT, dress, figure_of, legend_below
from discreet_papers.published import legacy_floats, legacy_power
from discreet_papers.table import Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DATA = (50, 50)
PRIORS = (1, 5, 20, 50, 100, 200)
QUICK = (1, 20, 100)


def settings(quick: bool) -> dict[str, str]:
    """What the figure is made from. The seeds do not print which priors; ε is taken as in Figure 4."""
    return {
        "data": str(DATA),
        "priors": ", ".join(f"beta({a},{a})" for a in (QUICK if quick else PRIORS)),
        "epsilon": f"{EPSILON[PRINTED]} as printed, {EPSILON[RIGHT]} put right",
        "delta": DELTA,
        "M_H": "exponential-smooth, s = ε/2",
        "runs": str(RUNS),
        "distance": "sqrt(1 - BC^(1/ln(n+Σα))) as printed, Hellinger put right",
    }


def numbers(quick: bool) -> list[Box]:
    """The exact laws and the runs."""
    found = []
    for a in QUICK if quick else PRIORS:
        space = PosteriorSpace(prior=[a, a], n=sum(DATA))
        found += [*_as_printed(space, str(a)), *_put_right(space, str(a))]
    return found


def _as_printed(space: PosteriorSpace, place: str) -> list[Box]:
    stream = legacy_smooth_stream(space, EPSILON[PRINTED])
    found = [Box.of(PRINTED, place, "M_H", ErrorLaw.of_stream(stream), stream.draw_distances(RUNS))]
    for family in (Laplace, LaplaceImproved):
        made = family.as_published(space, epsilon=EPSILON[PRINTED])
        law = ErrorLaw.of_stream(LaplaceStream(made.law(DATA), power=legacy_power(space)))
        found.append(Box.of(PRINTED, place, made.name, law, legacy_floats(space, DATA, made.simulate(DATA, RUNS))))
    return found


def _put_right(space: PosteriorSpace, place: str) -> list[Box]:
    theirs = ExponentialSmooth.as_published(space, epsilon=EPSILON[RIGHT])
    ours = Geometric(space, epsilon=EPSILON[RIGHT])
    laws = {
        "M_H": (ErrorLaw.of_stream(smooth_stream(theirs)), theirs.simulate(DATA, RUNS)),
        "geometric": (geometric_law(ours, DATA), ours.way_back(ours.simulate(DATA, RUNS))),
    }
    for family in (Laplace, LaplaceImproved):
        made = family.as_published(space, epsilon=EPSILON[RIGHT])
        laws[made.name] = ErrorLaw.of_stream(LaplaceStream(made.law(DATA))), made.simulate(DATA, RUNS)
    order = ("M_H", "laplace", "laplace-improved", "geometric")
    return [
        Box.of(RIGHT, place, name, laws[name][0], hellinger_floats(space.prior, DATA, laws[name][1])) for name in order
    ]


def table(shown: list[Box]) -> Table:
    """One row a box."""
    return box_table(shown)


def sentences(shown: list[Box]) -> list[str]:
    """The means under the weakest and the strongest prior."""
    lines = []
    places = list(dict.fromkeys(box.place for box in shown))
    for reading in (PRINTED, RIGHT):
        for place in (places[0], places[-1]):
            means = ", ".join(
                f"{box.mechanism} {box.mean:.4f}" for box in shown if (box.panel, box.place) == (reading, place)
            )
            lines.append(f"{reading.capitalize()}, beta({place},{place}), mean error: {means}.")
    return [*lines, box_agreement(shown)]


def paint(shown: list[Box]) -> Figure:
    """Two panels."""
    figure, ((first, second),) = figure_of(1, 2, f"Error for data (50, 50) under balanced priors ({LEGEND})", width=6.5)
    for axes, reading in ((first, PRINTED), (second, RIGHT)):
        paint_boxes(axes, [box for box in shown if box.panel == reading])
        axes.set_ylim(bottom=0)
        distance = "seeds' distance" if reading == PRINTED else "Hellinger distance"
        dress(axes, f"{reading}: ε = {EPSILON[reading]}", "a of the prior beta(a, a)", f"{distance} to the truth")
    legend_below(figure, second)
    return figure
