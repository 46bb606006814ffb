"""Figure 1 of paper 001: global, local and smooth sensitivity along all data sets of 100 records."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from discreet import PosteriorSpace, global_sensitivity, local_sensitivity, published_gamma, smooth_sensitivity
from discreet.figures.style import BLUE, ORANGE, PURPLE, dress, legend_below, two_panels
from discreet_papers.figures.readings import DELTA, DISTANCE, DISTANCE_SETTING, PRINTED, READINGS, RIGHT
from discreet_papers.published import LegacySensitivity, legacy_gamma
from discreet_papers.table import Figure, Table

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
    theirs, gamma = LegacySensitivity(SPACE, data), legacy_gamma(SPACE.n, EPSILON, DELTA)
    rate = published_gamma(SPACE, EPSILON, DELTA)
    return SensitivityNumbers(
        {
            PRINTED: {
                "global": [theirs.everywhere] * len(data),
                "smooth": theirs.smooth(gamma).tolist(),
                "local": theirs.local.tolist(),
            },
            RIGHT: {
                "global": [global_sensitivity(SPACE)] * len(data),
                "smooth": [smooth_sensitivity(SPACE, c, rate) for c in data],
                "local": [local_sensitivity(SPACE, c) for c in data],
            },
        },
        {PRINTED: gamma, RIGHT: rate},
    )


def table(shown: SensitivityNumbers) -> Table:
    columns = [(reading, kind) for reading, curves in shown.curves.items() for kind in curves]
    return Table(
        ("first count", *(f"{kind}, {reading}" for reading, kind in columns)),
        tuple((c, *(shown.curves[reading][kind][c] for reading, kind in columns)) for c in range(SPACE.n + 1)),
    )


def sentences(shown: SensitivityNumbers) -> list[str]:
    return [
        f"{reading.capitalize()}: the local sensitivity is {curves['local'][0]:.5f} at the edge and "
        f"{curves['local'][SPACE.n // 2]:.5f} at the centre, where the smooth one is "
        f"{curves['smooth'][SPACE.n // 2]:.5f} (γ = {shown.gamma[reading]:.6f})."
        for reading, curves in shown.curves.items()
    ]


def paint(shown: SensitivityNumbers) -> Figure:
    """Two panels on one scale: the difference between them is the slip."""
    figure, panels = two_panels("Sensitivity of the score along the data, prior beta(1,1), n = 100")
    for axes, reading in zip(panels, READINGS, strict=True):
        for kind, values in shown.curves[reading].items():
            axes.plot(range(SPACE.n + 1), values, label=kind, linewidth=2, **STYLE[kind])
        axes.set_ylim(0, 0.36)
        dress(axes, reading, "records in the first category", f"sensitivity ({DISTANCE[reading]})")
    legend_below(figure, panels[0])
    return figure
