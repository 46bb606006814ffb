"""Figure 6 of paper 001: the exact privacy loss against n, over all data sets, neighbours and outputs.

As printed the scan runs in the papers' distance, which is a metric too, so the same pruned scan finds its extreme.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from discreet import ExponentialGlobal, ExponentialLocal, ExponentialReciprocal, ExponentialSmooth, Mechanism, audit
from discreet.figures.style import GREY, STYLE, plain_logs
from discreet.posteriors.space import PosteriorSpace
from discreet.privacy_loss.certificates import WorstCase
from discreet.privacy_loss.scan import Scan
from discreet.sensitivity.exact import published_gamma
from discreet_papers.figures.readings import DISTANCE, DISTANCE_SETTING, PRINTED, READINGS, RIGHT, paint_readings
from discreet_papers.legacy import LegacyLine, LegacySensitivity
from discreet_papers.registry import Axes, Figure, Table

EPSILON, DELTA = "1", "0.0005"
SIZES = (30, 100, 300, 1000, 3000, 10_000, 20_000, 50_000)
QUICK = (30, 100, 300, 1000, 3000)
SHOWN = (1000, 10_000, 50_000)
NAMES = ("M_H", "exponential-local", "exponential-smooth", "exponential-global")


class Loss(NamedTuple):
    """An exact loss, and the first counts of the data, the neighbour and the output where it is reached."""

    reading: str
    mechanism: str
    n: int
    epsilon: float
    data: int
    neighbour: int
    output: int

    @classmethod
    def of(cls, reading: str, mechanism: str, n: int, epsilon: float, worst: WorstCase) -> Loss:
        return cls(reading, mechanism, n, epsilon, worst.counts[0], worst.neighbour[0], worst.output[0])


def settings(quick: bool) -> dict[str, str]:
    return {
        "prior": "1, 1",
        "n": ", ".join(map(str, QUICK if quick else SIZES)),
        "scale": "1/2, which is ε = 1 as the papers count it",
        "M_H": "exponential-reciprocal, γ = 1",
        "delta": f"{DELTA}, for the γ of exponential-smooth",
        "distance": DISTANCE_SETTING,
    }


def numbers(quick: bool) -> list[Loss]:
    """Scans of all neighbours and outputs; those put right are certified by enclosures."""
    losses = []
    for n in QUICK if quick else SIZES:
        space = PosteriorSpace(prior=[1, 1], n=n)
        losses += [Loss.of(PRINTED, name, n, worst.loss, worst) for name, worst in legacy_losses(space).items()]
        losses += right_losses(space)
    return losses


def legacy_losses(space: PosteriorSpace) -> dict[str, WorstCase]:
    """The exact losses of M_H and of local sensitivity under the papers' distance."""
    scan = Scan(space, table=LegacyLine(space))
    theirs = LegacySensitivity(space, scan.rows)
    half = float(EPSILON) / 2
    sensitivities = {"M_H": theirs.reciprocal(1.0), "exponential-local": theirs.local}
    return {name: scan.worst(half / sensitivity) for name, sensitivity in sensitivities.items()}


def right_losses(space: PosteriorSpace, names: Sequence[str] = NAMES) -> list[Loss]:
    """Certified losses of the kinds of sensitivity at the papers' scale, rounded up."""
    gamma = published_gamma(space, EPSILON, DELTA)
    mechanisms: dict[str, Mechanism] = {
        "M_H": ExponentialReciprocal.as_published(space, epsilon=EPSILON),
        "exponential-local": ExponentialLocal.as_published(space, epsilon=EPSILON),
        "exponential-smooth": ExponentialSmooth.as_published(space, epsilon=EPSILON, gamma=gamma),
        "exponential-global": ExponentialGlobal.as_published(space, epsilon=EPSILON),
    }
    losses = []
    for name in names:
        result = audit(mechanisms[name])
        assert result.worst is not None
        losses.append(Loss.of(RIGHT, name, space.n, float(result.epsilon), result.worst))
    return losses


def table(result: list[Loss]) -> Table:
    columns = ("reading", "mechanism", "n", "exact loss", "worst data", "its neighbour", "the output")
    return Table(columns, tuple(result))


def sentences(result: list[Loss]) -> list[str]:
    """The values that can be read off the papers' figure, and the right ones."""
    lines = []
    sizes = [n for n in SHOWN if any(loss.n == n for loss in result)]
    for reading in READINGS:
        parts = []
        for name, curve in _curves(result, reading).items():
            values = {loss.n: loss.epsilon for loss in curve}
            parts.append(f"{name} {' / '.join(f'{values[n]:.4f}' for n in sizes)}")
        lines.append(f"{reading.capitalize()}, n = {' / '.join(f'{n:,}' for n in sizes)}: {'; '.join(parts)}.")
    return lines


def _curves(result: list[Loss], reading: str) -> dict[str, list[Loss]]:
    curves: dict[str, list[Loss]] = {}
    for loss in result:
        if loss.reading == reading:
            curves.setdefault(loss.mechanism, []).append(loss)
    return curves


def paint(result: list[Loss]) -> Figure:
    """Two panels, with the ε that the papers claim as a bound."""

    def panel(axes: Axes, reading: str) -> tuple[str, str, str]:
        for name, curve in _curves(result, reading).items():
            style = STYLE["exponential-reciprocal" if name == "M_H" else name]
            label = "M_H (reciprocal, γ = 1)" if name == "M_H" else name
            axes.plot([loss.n for loss in curve], [loss.epsilon for loss in curve], label=label, markersize=5, **style)
        axes.axhline(1.0, color=GREY, linewidth=1, label="ε = 1")
        axes.set_ylim(0, 2.3 if reading == PRINTED else 1.2)
        plain_logs(axes, "x")
        return f"{reading}: {DISTANCE[reading]}", "number of records n", "exact privacy loss ε (nats)"

    return paint_readings("Exact privacy loss against n, prior beta(1,1), s = 1/2", panel)
