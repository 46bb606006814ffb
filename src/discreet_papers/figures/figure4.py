"""Figure 4 of seed 001: the mean error against n for two categories, and where M_H overtakes the baseline."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from discreet.figures.plans import balanced
from discreet.mechanisms import ExponentialSmooth, Laplace
from discreet.posteriors.space import PosteriorSpace
from discreet_papers.figures.growth import (
    EPSILON,
    Point,
    agreement,
    growth,
    growth_settings,
    growth_table,
    legacy_smooth_stream,
    mean_at,
    paint_growth,
    smooth_stream,
)
from discreet_papers.figures.streams import LaplaceStream
from discreet_papers.figures.style import PRINTED, RIGHT
from discreet_papers.published import legacy_power
from discreet_papers.table import Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SIZES = (50, 100, 150, 200, 250, 300, 400, 500, 700, 1000, 2000, 3000, 5000, 7000, 10_000, 15_000)
QUICK = (50, 100, 250, 500, 1000, 5000, 15_000)
SHOWN = (100, 250, 500)
"""Where the values that the seeds plot can be read off."""

STEP = 10
LAST = 600


@dataclass(frozen=True, slots=True)
class GrowthNumbers:
    """The points, and the n (in steps of ten) from which M_H is at least as good as the baseline."""

    points: list[Point]
    overtakes: dict[str, int]


def settings(quick: bool) -> dict[str, str]:
    """What the figure is made from."""
    return growth_settings(2, QUICK if quick else SIZES)


def numbers(quick: bool) -> GrowthNumbers:
    """The exact means and the runs."""
    return GrowthNumbers(
        growth(2, QUICK if quick else SIZES),
        {
            f"{PRINTED}, ε = 0.8": overtaking(lambda space: legacy_gap(space, "0.8")),
            f"{RIGHT}, ε = 0.8": overtaking(lambda space: right_gap(space, "0.8")),
            f"{RIGHT}, ε = 1": overtaking(lambda space: right_gap(space, "1")),
        },
    )


def overtaking(gap: Callable[[PosteriorSpace], float]) -> int:
    """The least n, in steps of ten, from which on to `LAST` M_H's mean error is at most the baseline's."""
    found = LAST
    for n in range(LAST, 0, -STEP):
        if gap(PosteriorSpace(prior=[1, 1], n=n)) > 0:
            break
        found = n
    return found


def legacy_gap(space: PosteriorSpace, epsilon: str) -> float:
    """M_H's mean error minus the baseline's, as printed."""
    baseline = Laplace.as_published(space, epsilon=epsilon).law(balanced(space))
    return legacy_smooth_stream(space, epsilon).mean - LaplaceStream(baseline, power=legacy_power(space)).mean


def right_gap(space: PosteriorSpace, epsilon: str) -> float:
    """The same put right."""
    baseline = Laplace.as_published(space, epsilon=epsilon).law(balanced(space))
    return smooth_stream(ExponentialSmooth.as_published(space, epsilon=epsilon)).mean - LaplaceStream(baseline).mean


def table(shown: GrowthNumbers) -> Table:
    """One row a point."""
    return growth_table(shown.points)


def sentences(shown: GrowthNumbers) -> list[str]:
    """What was printed, what is right, and where the curves cross."""
    lines = []
    for reading in (PRINTED, RIGHT):
        values = "; ".join(
            f"{name} {' / '.join(f'{mean_at(shown.points, reading, name, n):.4f}' for n in SHOWN)}"
            for name in ("M_H", "laplace-improved", "laplace")
        )
        lines.append(f"{reading.capitalize()}, ε = {EPSILON[reading]}, n = {' / '.join(map(str, SHOWN))}: {values}.")
    crossed = "; ".join(f"n = {n} ({what})" for what, n in shown.overtakes.items())
    ratios = " and ".join(f"{_ratio(shown, n):.3f} at n = {n:,}" for n in (5000, max(p.n for p in shown.points)))
    lines.append(f"M_H overtakes the baseline from {crossed}.")
    lines.append(f"Put right, the mean error of M_H is {ratios} times that of improved Laplace.")
    return [*lines, agreement(shown.points)]


def _ratio(shown: GrowthNumbers, n: int) -> float:
    return mean_at(shown.points, RIGHT, "M_H", n) / mean_at(shown.points, RIGHT, "laplace-improved", n)


def paint(shown: GrowthNumbers) -> Figure:
    """Two panels."""
    return paint_growth(shown.points, "Mean error against the number of records, prior beta(1,1), balanced data")
