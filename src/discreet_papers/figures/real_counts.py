"""The counts of real data that the authors of paper 001 used, and larger ones made from them, under every mechanism.

As printed: their three mechanisms in their distance. Put right: every mechanism in Hellinger distance with ε = 1 as its
guarantee, M_H also at the papers' own scale, and the limit of all mechanisms: the linear programme where it is small
enough, and for two categories the geometric mechanism with Bayesian post-processing, equal to it to five decimals.
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

from discreet import DiscreetError, accuracy
from discreet.figures.style import STYLE, dress, figure_of, legend_below, plain_logs
from discreet.mechanisms import ExponentialSmooth, Geometric, Laplace, LaplaceImproved, Mechanism, Optimal
from discreet.mechanisms.exponential import KINDS, Exponential
from discreet.posteriors.space import Counts, PosteriorSpace
from discreet_papers.figures import readings
from discreet_papers.figures.error_laws import geometric_law
from discreet_papers.figures.readings import DISTANCE, NAMES, PRINTED, READINGS, RIGHT
from discreet_papers.figures.streams import LaplaceStream
from discreet_papers.registry import Axes, Figure, Table

EPSILON = "1"
DATA: dict[str, tuple[int, ...]] = {
    "bike": (231, 500),
    "cryotherapy": (42, 48),
    "immunotherapy": (19, 71),
    "badges": (84, 210),
    "bike, three": (463, 247, 21),
    "cryotherapy, three": (54, 9, 27),
    "immunotherapy, three": (47, 22, 21),
}
FACTORS, QUICK = (1, 10, 100), (1,)

CELLS = 50_000_000
"""Exponential mechanisms on more candidates than these are drawn from instead of summed."""

LABEL = {"M_H": "M_H at s = ε/2", "limit": "the limit"}
LOOK = {
    **STYLE,
    "M_H": {"color": "#0072B2", "marker": ">"},
    "limit": {"color": "#000000", "marker": "|", "markersize": 14, "markeredgewidth": 2},
}


MeanError: TypeAlias = tuple[float, float, str]
"""A mean error, its own error (0 for sums), and the method."""


class Error(NamedTuple):
    """The mean error of one mechanism on one data set; `within` is 0 for sums and the error of an average of draws."""

    reading: str
    data: str
    counts: tuple[int, ...]
    mechanism: str
    mean: float
    within: float
    method: str


def settings(quick: bool) -> dict[str, str]:
    return {
        "data": "; ".join(f"{name} {counts}" for name, counts in DATA.items()),
        "times": ", ".join(map(str, QUICK if quick else FACTORS)),
        "prior": "ones",
        **readings.common_settings(EPSILON),
    }


def numbers(quick: bool) -> list[Error]:
    """All mechanisms on all data sets."""
    errors = []
    for name, counts in DATA.items():
        for factor in QUICK if quick else FACTORS:
            larger = tuple(factor * count for count in counts)
            label = name if factor == 1 else f"{name} ×{factor}"
            errors += [*_as_printed(label, larger), *_put_right(label, larger)]
    return errors


def _as_printed(label: str, counts: tuple[int, ...]) -> list[Error]:
    space = PosteriorSpace(prior=[1] * len(counts), n=sum(counts))
    names = [name for name in NAMES if name != "M_H" or space.size <= CELLS]
    means = {name: readings.stream(PRINTED, name, space, counts, EPSILON).mean for name in names}
    return [Error(PRINTED, label, counts, name, mean, 0.0, "sum") for name, mean in means.items()]


def _put_right(label: str, counts: tuple[int, ...]) -> list[Error]:
    space = PosteriorSpace(prior=[1] * len(counts), n=sum(counts))
    mechanisms: dict[str, Mechanism] = {family.name: family(space, epsilon=EPSILON) for family in KINDS}
    mechanisms["M_H"] = ExponentialSmooth.as_published(space, epsilon=EPSILON)
    mechanisms |= {family.name: family(space, epsilon=EPSILON) for family in (Laplace, LaplaceImproved, Geometric)}
    measured = {name: _measure(mechanism, space.counts(counts)) for name, mechanism in mechanisms.items()}
    limit = _limit(space, counts)
    if limit is not None:
        measured["limit"] = limit
    return [Error(RIGHT, label, counts, name, *row) for name, row in measured.items()]


def _measure(mechanism: Mechanism, counts: Counts) -> MeanError:
    """The exact mean by a sum where that is short, and by the library's own way otherwise."""
    if isinstance(mechanism, Geometric):
        return geometric_law(mechanism, counts).mean, 0.0, "sum"
    if isinstance(mechanism, Exponential) and mechanism.space.size <= CELLS:
        return readings.exponential_stream(mechanism, counts).mean, 0.0, "sum"
    if isinstance(mechanism, Laplace | LaplaceImproved):
        return LaplaceStream(mechanism, counts).mean, 0.0, "sum"
    error = accuracy(mechanism, counts)
    return error.mean, error.error, error.method


def _limit(space: PosteriorSpace, counts: tuple[int, ...]) -> MeanError | None:
    """The error of the best kernel on average, or of what equals it; unknown for many candidates of k ≥ 3."""
    try:
        return accuracy(Optimal(space, epsilon=EPSILON), counts).mean, 0.0, "linear programme"
    except DiscreetError:
        if space.k > 2:
            return None
        best = Geometric(space, epsilon=EPSILON, postprocess="bayes")
        return geometric_law(best, counts).mean, 0.0, "geometric, bayes"


def table(result: list[Error]) -> Table:
    columns = ("reading", "data", "counts", "mechanism", "mean error", "within", "method")
    return Table(columns, tuple((e.reading, e.data, " ".join(map(str, e.counts)), *e[3:]) for e in result))


def sentences(result: list[Error]) -> list[str]:
    """How far each mechanism is from geometric, and geometric from the limit."""
    right = {(e.data, e.mechanism): e.mean for e in result if e.reading == RIGHT}
    ratios: dict[str, list[float]] = {}
    for (data, name), mean in right.items():
        ratios.setdefault(name, []).append(mean / right[data, "geometric"])
    spans = "; ".join(
        f"{name} {min(values):.2f} to {max(values):.2f}" for name, values in ratios.items() if name != "geometric"
    )
    sets = len({data for data, _ in right})
    lines = [
        f"Put right, mean errors as multiples of geometric's over all {sets} data sets: {spans}.",
        "The limit is the best on average under the prior: on one data set a mechanism may be above or below it.",
    ]
    drawn = dict.fromkeys(error.data for error in result if error.within > 0)
    if drawn:
        lines.append(
            f"Too many candidates to sum: {', '.join(drawn)}. Put right, the exponential mechanisms there are averages "
            "of exact draws, with their error in the CSV; as printed, M_H is left out."
        )
    return lines


def paint(result: list[Error]) -> Figure:
    """A row for two and for three categories, a column for each reading."""
    title = f"Mean error on real counts and multiples of them, ε = {EPSILON}"
    figure, panels = figure_of(2, 2, title, width=6.6, height=4.2)
    for row, k in zip(panels, (2, 3), strict=True):
        for axes, reading in zip(row, READINGS, strict=True):
            _paint_rows(axes, [error for error in result if error.reading == reading and len(error.counts) == k])
            title = f"{reading}, {'two' if k == 2 else 'three'} categories"
            dress(axes, title, f"mean {DISTANCE[reading]} to the truth", "data set")
    legend_below(figure, panels[0][1], panels[0][0])
    return figure


def _paint_rows(axes: Axes, errors: list[Error]) -> None:
    places = list(dict.fromkeys(error.data for error in errors))
    for name in dict.fromkeys(error.mechanism for error in errors):
        mine = [error for error in errors if error.mechanism == name]
        style = {"markersize": 6, **LOOK[name], "linestyle": "none"}
        if name not in ("limit", "geometric"):
            style["markerfacecolor"] = "none"
        axes.plot([e.mean for e in mine], [places.index(e.data) for e in mine], label=LABEL.get(name, name), **style)
    axes.set_yticks(range(len(places)), places)
    axes.invert_yaxis()
    plain_logs(axes, "x")
