"""The figures of `discreet snap`: the loss of every output, how likely an output makes each value, and the attack.

The attack shows the pores of a float Laplace, double by double, and the grid of the snapping mechanism, which has none.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from discreet.arithmetic.numbers import ball, exact_datum, precision
from discreet.arithmetic.texts import visible_text
from discreet.figures.style import BLUE, VERMILION, dress, figure_of
from discreet.mechanisms.snapping.law import law_between
from discreet.mechanisms.snapping.number import Snapping
from discreet.mechanisms.snapping.proof import Verdict
from discreet_papers.registry import Axes, Figure
from discreet_papers.verification.attack import FloatLaplace

POINTS = 241
SPAN = 8
"""Values within this many scales of the output are plotted."""


@dataclass(frozen=True, slots=True)
class OutputLosses:
    """For each output: ln P(output|value)/P(output|neighbour), and by how much its size exceeds the ideal loss."""

    names: tuple[str, str]
    outputs: tuple[float, ...]
    losses: tuple[float, ...]
    excesses: tuple[float, ...]
    ideal: float
    slack: float


def numbers(verdict: Verdict) -> OutputLosses:
    """The exact loss of each listed output, as a float."""
    one, other = verdict.laws
    pairs = zip(one.items(), other.masses, strict=True)
    possible = {output: p.over(q) for (output, p), q in pairs if p.mantissa and q.mantissa}
    with precision(128):
        losses = [ball(ratio).log() for ratio in possible.values()]
        excesses = [abs(loss) - ball(verdict.ideal) for loss in losses]
    return OutputLosses(
        names=(f"{float(verdict.value):g}", f"{float(verdict.neighbour):g}"),
        outputs=tuple(possible),
        losses=tuple(float(loss.mid()) for loss in losses),
        excesses=tuple(float(excess.mid()) for excess in excesses),
        ideal=float(verdict.ideal),
        slack=float(verdict.bound - verdict.ideal),
    )


def paint(result: OutputLosses) -> Figure:
    """The losses, and the hair by which they differ from the ideal."""
    title = f"Snapping, value {result.names[0]} against {result.names[1]}: exact loss"
    figure, ((top,), (bottom,)) = figure_of(2, 1, title, width=7.0, height=2.7)
    top.plot(result.outputs, result.losses, "o", markersize=3, color=BLUE)
    for sign in (1, -1):
        top.axhline(sign * result.ideal, color=VERMILION, linewidth=1, label="ideal loss" if sign > 0 else None)
    dress(top, "", "output", "log-ratio of probabilities (nats)")
    near = [pair for pair in zip(result.outputs, result.excesses, strict=True) if pair[1] > -result.slack]
    bottom.plot(*zip(*near, strict=True), "o", markersize=3, color=BLUE)
    bottom.axhline(0.0, color=VERMILION, linewidth=1)
    bottom.axhline(result.slack, color=VERMILION, linewidth=1, linestyle="--", label="Mironov's bound")
    bottom.set_ylim(-0.6 * result.slack, 1.3 * result.slack)
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
    """P(output | value) for values around the output, within the bound. It looks at the output alone."""
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


def paint_likelihood(result: Likelihood) -> Figure:
    """The curve over the values, with the output marked."""
    figure, ((axes,),) = figure_of(1, 1, result.title, width=7.0, height=3.4)
    axes.plot(result.values, result.probabilities, color=BLUE, linewidth=2)
    axes.axvline(result.output, color=VERMILION, linestyle="--", label=f"output {result.output:g}")
    axes.set_ylim(bottom=0)
    dress(axes, "", "value", "probability of this output from the value")
    axes.legend(frameon=False)
    return figure


LIGHT_GREY = "#999999"
SHOWN = 12
"""How many snapped outputs are plotted on either side of the values."""


@dataclass(frozen=True, slots=True)
class PoreNumbers:
    """What the figure shows: which doubles each value can give, and the probabilities of the snapped outputs."""

    names: tuple[str, str]
    doubles: tuple[float, ...]
    possible: tuple[tuple[bool, ...], ...]
    outputs: tuple[float, ...]
    masses: tuple[tuple[float, ...], ...]
    epsilon: float


def pore_numbers(
    laplace: FloatLaplace, snapping: Snapping, value: object, neighbour: object, *, count: int = 40
) -> PoreNumbers:
    """`count` doubles in a row between the two values, decided exactly, and the snapped outputs around them."""
    both = [exact_datum(value, "value"), exact_datum(neighbour, "neighbour")]
    double = float((7 * both[0] + 3 * both[1]) / 10)
    doubles = []
    for _ in range(count):
        doubles.append(double)
        double = math.nextafter(double, math.inf)
    centre = math.floor(snapping.scaled(both[0]) / Fraction(snapping.lattice))
    first, last = max(centre - SHOWN, -snapping.last), min(centre + SHOWN, snapping.last)
    laws = [law_between(snapping, snapping.scaled(x), first, last) for x in both]
    return PoreNumbers(
        names=(visible_text(value), visible_text(neighbour)),
        doubles=tuple(doubles),
        possible=tuple(tuple(laplace.probability(x, y).mantissa > 0 for y in doubles) for x in both),
        outputs=tuple(snapping.output(index) for index in range(first, last + 1)),
        masses=tuple(tuple(float(mass.fraction()) for mass in law.masses) for law in laws),
        epsilon=float(snapping.epsilon),
    )


def paint_pores(result: PoreNumbers) -> Figure:
    """The pores above, the grid below."""
    figure, ((top,), (bottom,)) = figure_of(2, 1, "A float Laplace and snapping", width=8.0, height=2.7)
    _paint_support(top, result)
    _paint_grid(bottom, result)
    return figure


def _paint_support(axes: Axes, result: PoreNumbers) -> None:
    for row, (mine, other) in enumerate((result.possible, result.possible[::-1])):
        for position, (can, also) in enumerate(zip(mine, other, strict=True)):
            colour = (LIGHT_GREY if also else VERMILION) if can else "none"
            axes.plot(position, 1 - row, "s", color=colour, markeredgecolor=colour if can else "#dddddd", markersize=6)
    axes.plot([], [], "s", color=VERMILION, label="possible for this value alone: it is given away")
    axes.plot([], [], "s", color=LIGHT_GREY, label="possible for both")
    axes.set_ylim(-0.6, 2.3)
    axes.set_yticks([1, 0], [f"value {name}" for name in result.names], parse_math=False)
    across = f"{len(result.doubles)} doubles in a row, from {result.doubles[0]!r}"
    dress(axes, f"Float Laplace, ε = {result.epsilon:g}: its support has pores", across, "")
    axes.legend(frameon=False, loc="upper left", ncols=2)


def _paint_grid(axes: Axes, result: PoreNumbers) -> None:
    width = (result.outputs[1] - result.outputs[0]) / 2 * 0.9
    for shift, name, masses, colour in zip((-0.5, 0.5), result.names, result.masses, (BLUE, VERMILION), strict=True):
        places = [output + shift * width for output in result.outputs]
        axes.bar(places, masses, width=width, color=colour, label=f"value {name}")
    axes.set_yscale("log")
    dress(axes, "Snapping: every output is possible for both", "output", "exact probability")
    axes.legend(frameon=False)
