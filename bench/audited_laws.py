"""The exact law of a program that turns one uniform double into a whole number, and its exact privacy loss.

`random()` of Python and NumPy is one of 2⁵³ equally likely numbers. Where the output only rises or only falls with it,
as it does in inverse transforms, the numbers that lead to one output are neighbours: bisection finds where they begin
and end, and the law is a list of whole numbers over 2⁵³. Nothing is sampled and nothing is rounded.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction

from discreet.arithmetic.numbers import ball, float_upper, fraction_upper, precision

BITS = 53
Law = Mapping[int, int]
"""How many of the uniform numbers lead to each output."""


def grid_law(run: Callable[[float], int], bits: int = BITS, cuts: tuple[Fraction, ...] = ()) -> dict[int, int]:
    """The law of a program over the uniform numbers i/2^bits, if it is monotone before, between and after the cuts.

    >>> grid_law(lambda u: math.floor(3 * u), bits=2)
    {0: 2, 1: 1, 2: 1}
    """
    size, law = 1 << bits, dict[int, int]()
    places = [int(cut * size) for cut in cuts]
    starts = sorted({0, *places, *(place + 1 for place in places)})
    todo = list(zip(starts, [start - 1 for start in starts[1:]] + [size - 1], strict=True))
    while todo:
        first, last = todo.pop()
        low, high = run(first / size), run(last / size)
        if low == high:
            law[low] = law.get(low, 0) + last - first + 1
        else:
            middle = (first + last) // 2
            todo += [(first, middle), (middle + 1, last)]
    return dict(sorted(law.items()))


@dataclass(frozen=True)
class Loss:
    """The exact loss between two neighbours, the output that shows it, and the δ that the stated ε would need."""

    epsilon: float
    """Rounded up; infinite if an output is possible for one of the two only."""
    data: int
    neighbour: int
    output: int
    delta: float


def exact_loss(law: Callable[[int], Law], neighbours: Iterable[tuple[int, int]], stated: Fraction) -> Loss:
    """The greatest loss over pairs of neighbours, both ways; among infinite ones that of the greatest δ.

    >>> exact_loss({0: {0: 3, 1: 1}, 1: {0: 1, 1: 3}}.__getitem__, [(0, 1)], Fraction(1)).epsilon  # ln 3
    1.0986122886681098
    """
    with precision(128):
        grown = fraction_upper(ball(stated).exp())
    both = ((a, b) for pair in neighbours for a, b in (pair, pair[::-1]))
    return max((_one_way(law, a, b, grown) for a, b in both), key=lambda loss: (loss.epsilon, loss.delta))


def _one_way(law: Callable[[int], Law], data: int, neighbour: int, grown: Fraction) -> Loss:
    one, other = law(data), law(neighbour)
    ratios = {output: Fraction(mass, other[output]) for output, mass in one.items() if output in other}
    only = [output for output in one if output not in other]
    worst = max(only, key=one.__getitem__) if only else max(ratios, key=ratios.__getitem__)
    with precision(128):
        epsilon = math.inf if only else float_upper(fraction_upper(ball(ratios[worst]).log()))
    # e^ε was rounded up: the δ that is shown is really there.
    excess = sum(max(Fraction(0), mass - grown * other.get(output, 0)) for output, mass in one.items())
    return Loss(epsilon, data, neighbour, worst, float(excess / sum(one.values())))
