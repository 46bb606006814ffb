"""The picture of growth: six panels, time, bits and memory against n and against k."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.fresh import Probe

# Okabe and Ito's colours, told apart by colour-blind readers too; markers say it once more.
STYLES = {
    "exponential-reciprocal": ("#0072B2", "o", "-"),
    "exponential-global": ("#E69F00", "s", "-"),
    "geometric": ("#009E73", "^", "-"),
    "laplace-improved": ("#CC79A7", "D", "-"),
    "geometric, the draw alone": ("#009E73", "v", ":"),
    "fastest peer, peaked": ("#555555", "x", "--"),
    "OpenDP discrete Laplace": ("#555555", "x", "--"),
}


@dataclass(frozen=True, slots=True)
class Line:
    """What was found for a mechanism at each place of an axis."""

    name: str
    at: Sequence[int]
    found: Sequence[Probe]


@dataclass(frozen=True, slots=True)
class Timed:
    """Seconds by place, for what has only a time."""

    name: str
    seconds: Mapping[int, float]


def paint(
    path: Path,
    *,
    by_n: Sequence[Line],
    by_k: Sequence[Line],
    timed_by_n: Sequence[Timed],
    timed_by_k: Sequence[Timed],
) -> None:
    """Draw the six panels into a file."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, panels = plt.subplots(2, 3, figsize=(13, 7.4), layout="constrained")
    _row(panels[0], by_n, timed_by_n)
    _row(panels[1], by_k, timed_by_k)
    for panel in panels[0]:
        panel.set(xlabel="records n (k = 2 categories)")
    for panel in panels[1]:
        panel.set(xlabel="categories k (n = 10⁶ records)")
    # Bits and memory hardly grow: an axis from zero says so, where a logarithmic one would show ripples.
    for panel in [*panels[0, 1:], panels[1, 2]]:
        panel.set(yscale="linear")
        panel.set(ylim=(0, 1.15 * panel.get_ylim()[1]))
    figure.suptitle("One private release, ε = 1, balanced counts: medians over fresh processes")
    figure.savefig(path, format="png", dpi=110)
    plt.close(figure)


def _row(panels: Any, lines: Sequence[Line], timed: Sequence[Timed]) -> None:
    time, bits, memory = panels
    for line in lines:
        _plot(time, line.name, line.at, [1e3 * one.again for one in line.found])
        _plot(bits, line.name, line.at, [one.bits for one in line.found])
        _plot(memory, line.name, line.at, [one.memory / 1e6 for one in line.found])
    for other in timed:
        _plot(time, other.name, list(other.seconds), [1e3 * seconds for seconds in other.seconds.values()])
    time.set(ylabel="time of a release, ms")
    bits.set(ylabel="random bits of a draw")
    memory.set(ylabel="memory of the first release, MB")
    for panel in panels:
        panel.set(xscale="log", yscale="log")
        panel.grid(visible=True, which="major", alpha=0.25)
        panel.spines[["top", "right"]].set_visible(False)
    time.margins(y=0.25)
    time.legend(fontsize=8, frameon=False, loc="upper left")


def _plot(panel: Any, name: str, at: Sequence[int], values: Sequence[float]) -> None:
    colour, marker, dashes = STYLES[name]
    panel.plot(at, values, color=colour, marker=marker, linestyle=dashes, label=name)
