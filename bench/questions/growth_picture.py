"""The picture of growth: six panels, time, bits and memory against n and against k."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from bench.fresh import Probe
from discreet.figures.image import render
from discreet.figures.style import GREEN, GREY, STYLE, dress, figure_of

STYLES: dict[str, dict[str, Any]] = {
    **STYLE,
    "geometric, the draw alone": {"color": GREEN, "marker": "v", "linestyle": ":"},
    "fastest peer, peaked": {"color": GREY, "marker": "x", "linestyle": "--"},
    "OpenDP discrete Laplace": {"color": GREY, "marker": "x", "linestyle": "--"},
}

Probes: TypeAlias = Mapping[str, Mapping[int, Probe]]
"""By mechanism and place on the axis."""

Seconds: TypeAlias = Mapping[str, Mapping[int, float]]
"""The same for what has only a time."""


def paint(path: Path, *, by_n: Probes, by_k: Probes, seconds_by_n: Seconds, seconds_by_k: Seconds) -> None:
    """Draw the six panels into a file."""
    title = "One private release, ε = 1, balanced counts: medians over fresh processes"
    figure, panels = figure_of(2, 3, title, width=4.3, height=3.4)
    _paint_row(panels[0], "records n (k = 2 categories)", by_n, seconds_by_n)
    _paint_row(panels[1], "categories k (n = 10⁶ records)", by_k, seconds_by_k)
    # Bits and memory hardly grow: an axis from zero says so, where a logarithmic one would show ripples.
    for panel in [*panels[0, 1:], panels[1, 2]]:
        panel.set(yscale="linear")
        panel.set(ylim=(0, 1.15 * panel.get_ylim()[1]))
    path.write_bytes(render(figure, "png"))


def _paint_row(panels: Sequence[Any], across: str, probes: Probes, seconds: Seconds) -> None:
    time, bits, memory = panels
    for name, by_place in probes.items():
        _plot(time, name, {place: 1e3 * probe.again for place, probe in by_place.items()})
        _plot(bits, name, {place: probe.bits for place, probe in by_place.items()})
        _plot(memory, name, {place: probe.memory / 1e6 for place, probe in by_place.items()})
    for name, by_place in seconds.items():
        _plot(time, name, {place: 1e3 * value for place, value in by_place.items()})
    labels = ("time of a release, ms", "random bits of a draw", "memory of the first release, MB")
    for panel, up in zip(panels, labels, strict=True):
        panel.set(xscale="log", yscale="log")
        dress(panel, "", across, up)
    time.margins(y=0.25)
    time.legend(fontsize=8, frameon=False, loc="upper left")


def _plot(panel: Any, name: str, values: Mapping[int, float]) -> None:
    panel.plot(list(values), list(values.values()), label=name, **STYLES[name])
