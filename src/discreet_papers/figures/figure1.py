"""Figure 1 of paper 001: global, local and smooth sensitivity along all data sets of 100 records."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from discreet import PosteriorSpace, global_sensitivity, local_sensitivity, published_gamma, smooth_sensitivity
from discreet.figures.style import BLUE, ORANGE, PURPLE
from discreet_papers.figures.readings import DELTA, DISTANCE, DISTANCE_SETTING, PRINTED, RIGHT, paint_readings
from discreet_papers.legacy import LegacySensitivity, legacy_gamma
from discreet_papers.registry import Axes, Figure, Table

SPACE = PosteriorSpace(prior=[1, 1], n=100)
EPSILON = "1"
STYLE: dict[str, dict[str, Any]] = {
    "global": {"color": PURPLE, "linestyle": ":"},
    "smooth": {"color": ORANGE, "linestyle": "--"},
    "local": {"color": BLUE, "linestyle": "-"},
}


@dataclass(frozen=True, slots=True)
class SensitivityNumbers:
    """Curves over the first count, by reading and kind."""

    curves: dict[str, dict[str, list[float]]]
    gamma: dict[str, float]


def settings(quick: bool) -> dict[str, str]:
    """What the figure is made from: it is quick in any case."""
    return {
        "prior": "1, 1",
        "n": str(SPACE.n),
        "epsilon": EPSILON,
        "delta": DELTA,
        "smooth": "exponentially smooth, with the papers' γ: n for |R| as printed, n + 1 put right",
        "distance": DISTANCE_SETTING,
    }


def numbers(quick: bool) -> SensitivityNumbers:
    """Exact values for every data set."""
    data = [tuple(row) for row in SPACE.candidates().array().tolist()]
    theirs = LegacySensitivity(SPACE, data)
    gamma = {PRINTED: legacy_gamma(SPACE.n, EPSILON, DELTA), RIGHT: published_gamma(SPACE, EPSILON, DELTA)}
    printed = {
        "global": [theirs.everywhere] * len(data),
        "smooth": theirs.smooth(gamma[PRINTED]).tolist(),
        "local": theirs.local.tolist(),
    }
    right = {
        "global": [global_sensitivity(SPACE)] * len(data),
        "smooth": [smooth_sensitivity(SPACE, c, gamma[RIGHT]) for c in data],
        "local": [local_sensitivity(SPACE, c) for c in data],
    }
    return SensitivityNumbers({PRINTED: printed, RIGHT: right}, gamma)


def table(result: SensitivityNumbers) -> Table:
    columns = {
        f"{kind}, {reading}": curve for reading, curves in result.curves.items() for kind, curve in curves.items()
    }
    return Table.of_curves("first count", columns)


def sentences(result: SensitivityNumbers) -> list[str]:
    return [
        f"{reading.capitalize()}: the local sensitivity is {curves['local'][0]:.5f} at the edge and "
        f"{curves['local'][SPACE.n // 2]:.5f} at the centre, where the smooth one is "
        f"{curves['smooth'][SPACE.n // 2]:.5f} (γ = {result.gamma[reading]:.6f})."
        for reading, curves in result.curves.items()
    ]


def paint(result: SensitivityNumbers) -> Figure:
    """Two panels on one scale: the difference between them is the slip."""

    def panel(axes: Axes, reading: str) -> tuple[str, str, str]:
        for kind, values in result.curves[reading].items():
            axes.plot(range(SPACE.n + 1), values, label=kind, linewidth=2, **STYLE[kind])
        axes.set_ylim(0, 0.36)
        return reading, "records in the first category", f"sensitivity ({DISTANCE[reading]})"

    return paint_readings("Sensitivity of the score along the data, prior beta(1,1), n = 100", panel)
