"""The mean error of balanced data against the number of records, as Figures 4, 5(a) and 5(b) of paper 001 show it.

Each point is an exact sum over all candidates, with the average of a thousand runs beside it. As printed: the papers'
distance, ε = 0.8 and their program's γ (the values that Figure 4 plots are met so, and only so; its caption says
ε = 1). Put right: the Hellinger distance, ε = 1, their γ as their text has it, and the geometric mechanism beside.
The papers print neither n nor values for Figures 5(a) and 5(b).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from discreet.figures.plans import balanced
from discreet.figures.style import STYLE, plain_logs
from discreet.posteriors.space import PosteriorSpace
from discreet_papers.figures import readings
from discreet_papers.figures.error_laws import RUNS, Runs
from discreet_papers.figures.readings import DISTANCE, EPSILON, MECHANISMS, PRINTED, READINGS, RIGHT
from discreet_papers.registry import Axes, Figure, Table

STEP, LAST = 10, 600


@dataclass(frozen=True, slots=True)
class Point:
    """One mechanism at one n: the exact mean distance and the runs beside it."""

    reading: str
    mechanism: str
    n: int
    mean: float
    runs: Runs


@dataclass(frozen=True, slots=True)
class GrowthNumbers:
    """The points, and for Figure 4 the n (in steps of ten) from which M_H is at least as good as the baseline."""

    points: list[Point]
    overtakes: dict[str, int]

    def mean(self, reading: str, mechanism: str, n: int) -> float:
        """The exact mean of one point."""
        (mean,) = [p.mean for p in self.points if (p.reading, p.mechanism, p.n) == (reading, mechanism, n)]
        return mean


@dataclass(frozen=True, slots=True)
class Growth:
    """The figure for k categories; `quoted` are the n of its sentences, and `crossings` the (reading, ε) to compare."""

    k: int
    sizes: tuple[int, ...]
    quick: tuple[int, ...]
    quoted: tuple[int, ...] = ()
    crossings: tuple[tuple[str, str], ...] = ()

    def settings(self, quick: bool) -> dict[str, str]:
        return {
            "prior": ", ".join(["1"] * self.k),
            "data": "balanced",
            "n": ", ".join(map(str, self.quick if quick else self.sizes)),
            **readings.common_settings(runs=str(RUNS)),
        }

    def numbers(self, quick: bool) -> GrowthNumbers:
        """The exact means and the runs, and where M_H overtakes the baseline."""
        points = []
        for n in self.quick if quick else self.sizes:
            space = PosteriorSpace(prior=[1] * self.k, n=n)
            points += [point(reading, space, name) for reading, names in MECHANISMS.items() for name in names]
        places = {f"{reading}, ε = {epsilon}": crossing(reading, epsilon) for reading, epsilon in self.crossings}
        return GrowthNumbers(points, places)

    def table(self, result: GrowthNumbers) -> Table:
        return Table(
            ("reading", "mechanism", "n", "exact mean", f"mean of {RUNS} runs", "allowed gap at 1e-9"),
            tuple((p.reading, p.mechanism, p.n, p.mean, p.runs.mean, p.runs.allowed) for p in result.points),
        )

    def sentences(self, result: GrowthNumbers) -> list[str]:
        """What was printed, what is right, and where the curves cross."""
        last = max(point.n for point in result.points)
        quoted, lines = self.quoted or (last,), []
        for reading in READINGS:
            names = dict.fromkeys(point.mechanism for point in result.points if point.reading == reading)
            values = (f"{name} {' / '.join(f'{result.mean(reading, name, n):.4f}' for n in quoted)}" for name in names)
            head = f"{reading.capitalize()}, ε = {EPSILON[reading]}, n = {' / '.join(map(str, quoted))}"
            lines.append(f"{head}: {'; '.join(values)}.")
        if result.overtakes:
            crossed = "; ".join(f"n = {n} ({what})" for what, n in result.overtakes.items())
            lines.append(f"M_H overtakes the baseline from {crossed}.")
        pairs = {n: [result.mean(RIGHT, name, n) for name in ("M_H", "laplace-improved")] for n in (quoted[-1], last)}
        texts = " and ".join(f"{smooth / improved:.3f} at n = {n:,}" for n, (smooth, improved) in pairs.items())
        lines.append(f"Put right, the mean error of M_H is {texts} times that of improved Laplace.")
        good = sum(p.runs.agrees_with(p.mean) for p in result.points)
        widest = max(abs(p.runs.mean - p.mean) / p.runs.allowed for p in result.points)
        lines.append(
            f"{good} of {len(result.points)} averages of {RUNS} runs lie as near to the exact means as they must with "
            f"a false-alarm rate of 1e-9; the farthest is {widest:.2f} of the allowed gap away."
        )
        return lines

    def paint(self, result: GrowthNumbers) -> Figure:
        """Two panels: curves for the exact means, hollow marks for the averages of runs."""

        def panel(axes: Axes, reading: str) -> tuple[str, str, str]:
            for name, style in STYLE.items():
                points = [p for p in result.points if (p.reading, p.mechanism) == (reading, name)]
                if not points:
                    continue
                n = [p.n for p in points]
                axes.plot(n, [p.mean for p in points], label=f"{name}, exact", **{**style, "marker": None})
                marks = {**style, "linestyle": "none", "markerfacecolor": "none"}
                axes.plot(n, [p.runs.mean for p in points], label=f"{name}, {RUNS} runs", **marks)
            plain_logs(axes, "x", "y")
            up = f"mean {DISTANCE[reading]} to the truth"
            return f"{reading}: ε = {EPSILON[reading]}", "number of records n", up

        prior = readings.prior_name([1] * self.k)
        title = f"Mean error against the number of records, prior {prior}, balanced data"
        return readings.paint_readings(title, panel)


def point(reading: str, space: PosteriorSpace, name: str) -> Point:
    """One mechanism on balanced data, by the distance and the ε of the reading."""
    law, distances = readings.law_and_runs(reading, name, space, balanced(space))
    return Point(reading, name, space.n, law.mean, Runs.of(distances, law))


def gap(reading: str, epsilon: str, n: int) -> float:
    """M_H's mean error minus the baseline's for two categories, exactly."""
    space = PosteriorSpace(prior=[1, 1], n=n)
    laws = (readings.stream(reading, name, space, balanced(space), epsilon) for name in ("M_H", "laplace"))
    smooth, baseline = (law.mean for law in laws)
    return smooth - baseline


@cache
def crossing(reading: str, epsilon: str) -> int:
    """The least n, in steps of ten, from which on to `LAST` M_H's mean error is at most the baseline's."""
    least = LAST
    for n in range(LAST, 0, -STEP):
        if gap(reading, epsilon, n) > 0:
            break
        least = n
    return least


FIGURE_4 = Growth(
    2,
    sizes=(50, 100, 150, 200, 250, 300, 400, 500, 700, 1000, 2000, 3000, 5000, 7000, 10_000, 15_000),
    quick=(50, 100, 250, 500, 1000, 5000, 15_000),
    quoted=(100, 250, 500, 5000),
    crossings=((PRINTED, "0.8"), (RIGHT, "0.8"), (RIGHT, "1")),
)
"""`quoted` are the n where the values that the papers plot can be read off, and one that is large."""

FIGURE_5A = Growth(3, sizes=(30, 60, 100, 150, 200, 300, 450, 600, 900, 1200, 1800), quick=(30, 100, 300, 600))
FIGURE_5B = Growth(4, sizes=(20, 40, 60, 100, 150, 200, 300, 400, 500, 600, 800), quick=(20, 60, 100, 200))
