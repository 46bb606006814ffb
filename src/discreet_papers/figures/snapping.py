"""A snapping mechanism, verified or released: the loss of every output, and how likely an output makes each value."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from discreet.arithmetic.numbers import ball, precision
from discreet.figures.style import BLUE, VERMILION, dress, figure_of
from discreet.mechanisms.snapping.number import Snapping
from discreet.mechanisms.snapping.proof import Verdict
from discreet_papers.table import Figure

POINTS = 241
SPAN = 8
"""Values within this many scales of the output are shown."""


@dataclass(frozen=True, slots=True)
class OutputLosses:
    """For each output: ln P(output|value)/P(output|neighbour), and by how much its size exceeds the ideal loss."""

    names: tuple[str, str]
    outputs: tuple[float, ...]
    losses: tuple[float, ...]
    excesses: tuple[float, ...]
    ideal: float
    slack: float


def numbers(found: Verdict) -> OutputLosses:
    """The exact loss of each listed output, as a float.

    >>> shown = numbers(Snapping(epsilon=1, bound=20).verify(0, 1))
    >>> abs(max(shown.losses) - 1) < 1e-12, abs(min(shown.losses) + 1) < 1e-12
    (True, True)
    """
    one, other = found.laws
    outputs, losses, excesses = [], [], []
    with precision(128):
        ideal = ball(found.ideal)
        for (output, p), (_, q) in zip(one.items(), other.items(), strict=True):
            if p.mantissa and q.mantissa:
                loss = ball(p.over(q)).log()
                outputs.append(output)
                losses.append(float(loss.mid()))
                excesses.append(float((abs(loss) - ideal).mid()))
    return OutputLosses(
        names=(f"{float(found.value):g}", f"{float(found.neighbour):g}"),
        outputs=tuple(outputs),
        losses=tuple(losses),
        excesses=tuple(excesses),
        ideal=float(found.ideal),
        slack=float(found.bound - found.ideal),
    )


def paint(shown: OutputLosses) -> Figure:
    """The losses, and the hair by which they differ from the ideal."""
    title = f"Snapping, value {shown.names[0]} against {shown.names[1]}: exact loss"
    figure, ((top,), (bottom,)) = figure_of(2, 1, title, width=7.0, height=2.7)
    top.plot(shown.outputs, shown.losses, "o", markersize=3, color=BLUE)
    for sign in (1, -1):
        top.axhline(sign * shown.ideal, color=VERMILION, linewidth=1, label="ideal loss" if sign > 0 else None)
    dress(top, "", "output", "log-ratio of probabilities (nats)")
    near = [(y, excess) for y, excess in zip(shown.outputs, shown.excesses, strict=True) if excess > -shown.slack]
    bottom.plot([y for y, _ in near], [excess for _, excess in near], "o", markersize=3, color=BLUE)
    bottom.axhline(0.0, color=VERMILION, linewidth=1)
    bottom.axhline(shown.slack, color=VERMILION, linewidth=1, linestyle="--", label="Mironov's bound")
    bottom.set_ylim(-0.6 * shown.slack, 1.3 * shown.slack)
    dress(bottom, "", "output", "size of the loss, less the ideal")
    top.legend(frameon=False, loc="center right")
    bottom.legend(frameon=False, loc="lower right")
    return figure


@dataclass(frozen=True, slots=True)
class Likelihood:
    """How probable the released output is from each value: all that a reader may conclude."""

    output: float
    values: tuple[float, ...]
    probabilities: tuple[float, ...]
    title: str


def likelihood(snapping: Snapping, output: float) -> Likelihood:
    """P(output | value) for values around the output, within the bound. It looks at the output alone.

    >>> shown = likelihood(Snapping(epsilon=1, bound=20), 4.0)
    >>> shown.values[max(range(len(shown.values)), key=lambda i: shown.probabilities[i])]
    4.0
    """
    span = SPAN * Fraction(snapping.scale) * snapping.sensitivity
    low = max(Fraction(output) - span, -snapping.bound)
    high = min(Fraction(output) + span, snapping.bound)
    values = [low + (high - low) * Fraction(i, POINTS - 1) for i in range(POINTS)]
    return Likelihood(
        output=output,
        values=tuple(float(value) for value in values),
        probabilities=tuple(float(snapping.probability(value, output).fraction()) for value in values),
        title=f"Snapping released {output:g}, ε = {snapping.epsilon}",
    )


def paint_likelihood(shown: Likelihood) -> Figure:
    """The curve over the values, with the output marked."""
    figure, ((axes,),) = figure_of(1, 1, shown.title, width=7.0, height=3.4)
    axes.plot(shown.values, shown.probabilities, color=BLUE, linewidth=2)
    axes.axvline(shown.output, color=VERMILION, linestyle="--", label=f"output {shown.output:g}")
    axes.set_ylim(bottom=0)
    dress(axes, "", "value", "probability of this output from the value")
    axes.legend(frameon=False)
    return figure
