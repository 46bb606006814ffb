"""The mean error of balanced data against the number of records, as Figures 4, 5(a) and 5(b) of seed 001 show it.

Each point is an exact sum over all candidates, with the average of a thousand runs beside it. As printed: the seeds'
distance, ε = 0.8 and their program's γ (the values that Figure 4 plots are met so, and only so; its caption says
ε = 1). Put right: the Hellinger distance, ε = 1, their γ as their text has it, and the geometric mechanism beside.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from discreet.figures.plans import balanced
from discreet.mechanisms import ExponentialSmooth, Geometric, Laplace, LaplaceImproved
from discreet.posteriors.distances import hellinger_floats
from discreet.posteriors.space import PosteriorSpace
from discreet_papers.figures.error_laws import RUNS, ErrorLaw, Runs, geometric_law
from discreet_papers.figures.streams import ExponentialStream, LaplaceStream, Stream
from discreet_papers.figures.style import PRINTED, RIGHT, STYLE, dress, figure_of, legend_below, plain_logs
from discreet_papers.published import LegacySensitivity, legacy_floats, legacy_gamma, legacy_power
from discreet_papers.table import Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DELTA = "1e-8"
EPSILON = {PRINTED: "0.8", RIGHT: "1"}
SEEDS = ("M_H", "laplace", "laplace-improved")


@dataclass(frozen=True, slots=True)
class Point:
    """One mechanism at one n: the exact mean distance and the runs beside it."""

    reading: str
    mechanism: str
    n: int
    mean: float
    runs: Runs


def growth_settings(k: int, sizes: Sequence[int]) -> dict[str, str]:
    """What the points are made from."""
    return {
        "prior": ", ".join(["1"] * k),
        "data": "balanced",
        "n": ", ".join(map(str, sizes)),
        "epsilon": f"{EPSILON[PRINTED]} as printed, {EPSILON[RIGHT]} put right",
        "delta": DELTA,
        "M_H": "exponential-smooth, s = ε/2",
        "runs": str(RUNS),
        "distance": "sqrt(1 - BC^(1/ln(n+k))) as printed, Hellinger put right",
    }


def growth(k: int, sizes: Sequence[int]) -> list[Point]:
    """All points, as printed and put right."""
    found = []
    for n in sizes:
        space = PosteriorSpace(prior=[1] * k, n=n)
        found += [as_printed(space, name) for name in SEEDS]
        found += [put_right(space, name) for name in (*SEEDS, "geometric")]
    return found


def as_printed(space: PosteriorSpace, name: str) -> Point:
    """A mechanism of the seeds, as their program runs and measures it."""
    counts, power, epsilon = balanced(space), legacy_power(space), EPSILON[PRINTED]
    if name == "M_H":
        stream = legacy_smooth_stream(space, epsilon)
        return Point(PRINTED, name, space.n, stream.mean, Runs.of(stream.draw_distances(RUNS), stream))
    made = _laplace(name).as_published(space, epsilon=epsilon)
    summed = LaplaceStream(made.law(counts), power=power)
    drawn = legacy_floats(space, counts, made.simulate(counts, RUNS))
    return Point(PRINTED, name, space.n, summed.mean, Runs.of(drawn, summed))


def put_right(space: PosteriorSpace, name: str, epsilon: str = EPSILON[RIGHT]) -> Point:
    """The same mechanism by the text of the seeds, measured in Hellinger distance; or geometric."""
    counts = balanced(space)
    law: ErrorLaw | Stream
    if name == "geometric":
        ours = Geometric(space, epsilon=epsilon)
        law, outputs = geometric_law(ours, counts), ours.way_back(ours.simulate(counts, RUNS))
    elif name == "M_H":
        theirs = ExponentialSmooth.as_published(space, epsilon=epsilon)
        law, outputs = smooth_stream(theirs), theirs.simulate(counts, RUNS)
    else:
        additive = _laplace(name).as_published(space, epsilon=epsilon)
        law, outputs = LaplaceStream(additive.law(counts)), additive.simulate(counts, RUNS)
    return Point(RIGHT, name, space.n, law.mean, Runs.of(hellinger_floats(space.prior, counts, outputs), law))


def legacy_smooth_stream(space: PosteriorSpace, epsilon: str) -> ExponentialStream:
    """M_H on balanced data as the seeds' program has it: their distance, n for |R| in γ, s = ε/2."""
    counts = balanced(space)
    smooth = LegacySensitivity(space, [counts]).smooth(legacy_gamma(space.n, epsilon, DELTA))
    return ExponentialStream(space, counts, rate=float(epsilon) / 2 / float(smooth[0]), power=legacy_power(space))


def smooth_stream(mechanism: ExponentialSmooth) -> ExponentialStream:
    """M_H on balanced data, summed."""
    counts = balanced(mechanism.space)
    rate = float(mechanism.scale) * float(mechanism.inverse_sensitivity(mechanism.space.counts(counts)))
    return ExponentialStream(mechanism.space, counts, rate=rate)


def _laplace(name: str) -> type[Laplace] | type[LaplaceImproved]:
    return Laplace if name == "laplace" else LaplaceImproved


def growth_table(points: Sequence[Point]) -> Table:
    """One row a point."""
    return Table(
        ("reading", "mechanism", "n", "exact mean", f"mean of {RUNS} runs", "allowed gap at 1e-9"),
        tuple((p.reading, p.mechanism, p.n, p.mean, p.runs.mean, p.runs.allowed) for p in points),
    )


def agreement(points: Sequence[Point]) -> str:
    """Whether the runs agree with the exact means, in a sentence."""
    good = sum(point.runs.agrees_with(point.mean) for point in points)
    widest = max(abs(point.runs.mean - point.mean) / point.runs.allowed for point in points)
    return (
        f"{good} of {len(points)} averages of {RUNS} runs lie as near to the exact means as they must with a "
        f"false-alarm rate of 1e-9; the farthest is {widest:.2f} of the allowed gap away."
    )


def mean_at(points: Sequence[Point], reading: str, mechanism: str, n: int) -> float:
    """The exact mean of one point."""
    (found,) = [p.mean for p in points if (p.reading, p.mechanism, p.n) == (reading, mechanism, n)]
    return found


def paint_growth(points: Sequence[Point], title: str) -> Figure:
    """Two panels: curves for the exact means, crosses for the averages of runs."""
    figure, ((first, second),) = figure_of(1, 2, title)
    for axes, reading in ((first, PRINTED), (second, RIGHT)):
        for name in STYLE:
            mine = [p for p in points if (p.reading, p.mechanism) == (reading, name)]
            if not mine:
                continue
            n, style = [p.n for p in mine], STYLE[name]
            axes.plot(n, [p.mean for p in mine], label=f"{name}, exact", **{**style, "marker": None})
            drawn = {"marker": style["marker"], "linestyle": "none", "markerfacecolor": "none"}
            axes.plot(n, [p.runs.mean for p in mine], label=f"{name}, {RUNS} runs", color=style["color"], **drawn)
        plain_logs(axes, "x", "y")
        distance = "seeds' distance" if reading == PRINTED else "Hellinger distance"
        dress(axes, f"{reading}: ε = {EPSILON[reading]}", "number of records n", f"mean {distance} to the truth")
    legend_below(figure, second, first)
    return figure


def growth_sentences(shown: list[Point]) -> list[str]:
    """How the mechanisms compare at the largest n."""
    n = max(point.n for point in shown)
    lines = []
    for reading in (PRINTED, RIGHT):
        names = list(dict.fromkeys(point.mechanism for point in shown if point.reading == reading))
        values = ", ".join(f"{name} {mean_at(shown, reading, name, n):.4f}" for name in names)
        lines.append(f"{reading.capitalize()}, n = {n}: {values}.")
    return [*lines, agreement(shown)]
