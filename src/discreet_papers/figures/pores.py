"""The pores of a float Laplace, double by double, and the grid of the snapping mechanism, which has none."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from discreet.arithmetic.numbers import exact_datum
from discreet.arithmetic.texts import visible_text
from discreet.figures.style import BLUE, VERMILION, dress, figure_of
from discreet.mechanisms.snapping.law import law_between
from discreet.mechanisms.snapping.number import Snapping
from discreet_papers.table import Axes, Figure
from discreet_papers.verification.attack import FloatLaplace

GREY = "#999999"
SHOWN = 12
"""How many snapped outputs are shown on either side of the values."""


@dataclass(frozen=True, slots=True)
class PoreNumbers:
    """What the figure shows: which doubles each value can give, and the probabilities of the snapped outputs."""

    names: tuple[str, str]
    doubles: tuple[float, ...]
    possible: tuple[tuple[bool, ...], tuple[bool, ...]]
    outputs: tuple[float, ...]
    masses: tuple[tuple[float, ...], tuple[float, ...]]
    epsilon: float


def numbers(
    laplace: FloatLaplace, snapping: Snapping, value: object, neighbour: object, *, count: int = 40
) -> PoreNumbers:
    """`count` doubles in a row between the two values, decided exactly, and the snapped outputs around them.

    >>> shown = numbers(FloatLaplace(epsilon=1), Snapping(epsilon=1, bound=100), 0, 1, count=12)
    >>> any(a != b for a, b in zip(*shown.possible, strict=True)), all(all(masses) for masses in shown.masses)
    (True, True)
    """
    both = [exact_datum(value, "value"), exact_datum(neighbour, "neighbour")]
    double = float((7 * both[0] + 3 * both[1]) / 10)
    doubles = []
    for _ in range(count):
        doubles.append(double)
        double = math.nextafter(double, math.inf)
    possible = [tuple(laplace.probability(x, y).mantissa > 0 for y in doubles) for x in both]
    centre = math.floor(snapping.scaled(both[0]) / Fraction(snapping.lattice))
    first, last = max(centre - SHOWN, -snapping.last), min(centre + SHOWN, snapping.last)
    laws = [law_between(snapping, snapping.scaled(x), first, last) for x in both]
    masses = [tuple(float(mass.fraction()) for mass in law.masses) for law in laws]
    return PoreNumbers(
        names=(visible_text(value), visible_text(neighbour)),
        doubles=tuple(doubles),
        possible=(possible[0], possible[1]),
        outputs=tuple(snapping.output(index) for index in range(first, last + 1)),
        masses=(masses[0], masses[1]),
        epsilon=float(snapping.epsilon),
    )


def paint(shown: PoreNumbers) -> Figure:
    """The pores above, the grid below."""
    figure, ((top,), (bottom,)) = figure_of(2, 1, "A float Laplace and snapping", width=8.0, height=2.7)
    _paint_pores(top, shown)
    _paint_grid(bottom, shown)
    return figure


def _paint_pores(axes: Axes, shown: PoreNumbers) -> None:
    for row, (mine, other) in enumerate((shown.possible, shown.possible[::-1])):
        for position, (can, also) in enumerate(zip(mine, other, strict=True)):
            if can:
                axes.plot(position, 1 - row, "s", color=GREY if also else VERMILION, markersize=6)
            else:
                axes.plot(position, 1 - row, "s", color="none", markeredgecolor="#dddddd", markersize=6)
    axes.plot([], [], "s", color=VERMILION, label="possible for this value alone: it is given away")
    axes.plot([], [], "s", color=GREY, label="possible for both")
    axes.set_ylim(-0.6, 2.3)
    axes.set_yticks([1, 0], [f"value {name}" for name in shown.names], parse_math=False)
    across = f"{len(shown.doubles)} doubles in a row, from {shown.doubles[0]!r}"
    dress(axes, f"Float Laplace, ε = {shown.epsilon:g}: its support has pores", across, "")
    axes.legend(frameon=False, loc="upper left", ncols=2)


def _paint_grid(axes: Axes, shown: PoreNumbers) -> None:
    width = (shown.outputs[1] - shown.outputs[0]) / 2 * 0.9
    for shift, name, masses, colour in zip((-0.5, 0.5), shown.names, shown.masses, (BLUE, VERMILION), strict=True):
        places = [output + shift * width for output in shown.outputs]
        axes.bar(places, masses, width=width, color=colour, label=f"value {name}")
    axes.set_yscale("log")
    dress(axes, "Snapping: every output is possible for both", "output", "exact probability")
    axes.legend(frameon=False)
