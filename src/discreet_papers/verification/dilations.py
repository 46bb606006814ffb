"""The paper's ε-dilation, D_ε(μ₁,μ₂) = sup_E ( μ₁(E) - e^ε·μ₂(e^{-ε}E) ), computed exactly.

The sup runs over the events that a mechanism can make: all sets of points, or unions of the cells between given cuts.
For densities it is ∫ max(0, f₁(u) - f₂(e^{-ε}u)) du: the e^ε and the e^{-ε} of the change of variable cancel. It is
always constant + slope·e^ε with rational parts. Tests: `tests/papers/verification/test_dilation.py`.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import TypeAlias

from flint import arb

from discreet.arithmetic.numbers import as_items, ball, exact
from discreet.errors import InvalidInput
from discreet_papers.verification.affine import BITS, Affine, Factor, factor_of, read_weights

Finite: TypeAlias = Mapping[Fraction, Fraction]


@dataclass(frozen=True)
class Steps:
    """A density on [0, 1] that is constant between edges: a distribution of the noise's uniform."""

    edges: tuple[Fraction, ...]
    heights: tuple[Fraction, ...]

    def __init__(self, edges: object, heights: object) -> None:
        where = tuple(exact(edge, "an edge", minimum=0) for edge in as_items(edges, "edges"))
        what = tuple(exact(height, "a height", minimum=0) for height in as_items(heights, "heights"))
        if len(where) != len(what) + 1 or any(a >= b for a, b in pairwise(where)) or where[-1] > 1:
            raise InvalidInput("edges must rise within [0, 1]", hint="give one edge more than heights")
        if sum(h * (b - a) for h, (a, b) in zip(what, pairwise(where), strict=True)) > 1:
            raise InvalidInput("a density has mass above 1", hint="lower the heights")
        object.__setattr__(self, "edges", where)
        object.__setattr__(self, "heights", what)

    def height(self, u: Fraction) -> Fraction:
        """The density at a point: that of the step to its right."""
        i = bisect_right(self.edges, u) - 1
        return self.heights[i] if 0 <= i < len(self.heights) else Fraction(0)

    def cdf(self, level: arb) -> arb:
        """The probability of (0, level], enclosure_of."""
        steps = zip(self.heights, pairwise(self.edges), strict=True)
        return sum((ball(h) * (level.max(ball(a)).min(ball(b)) - ball(a)) for h, (a, b) in steps), arb(0))


UNIFORM = Steps([0, 1], [1])


def dilation(mu1: object, mu2: object, eps: object, *, cuts: object = None) -> Affine:
    """The ε-dilation of two distributions of one kind: {point: weight} mappings, or `Steps`.

    For points, `cuts` c₀ < c₁ < … restricts the events to unions of [cᵢ, cᵢ₊₁): what a mechanism that rounds can tell
    apart. Without them every set of points counts, and for an irrational e^ε no dilated point meets another.

    >>> str(dilation(UNIFORM, UNIFORM, 1))
    '0'
    >>> from discreet_papers.verification.affine import Log
    >>> str(dilation({"1/2": "1/3", "1/4": "2/3"}, {"1/2": "1/3", "1/4": "2/3"}, Log(2)))
    '2/3'
    """
    factor = factor_of(eps)
    if isinstance(mu1, Steps) and isinstance(mu2, Steps):
        return _of_steps(mu1, mu2, factor)
    if isinstance(mu1, Mapping) and isinstance(mu2, Mapping):
        one, other = (read_weights(mu, lambda point: exact(point, "a point")) for mu in (mu1, mu2))
        if cuts is None:
            return _of_points(one, other, factor)
        where = [exact(cut, "a cut") for cut in as_items(cuts, "cuts")]
        return _of_cells(one, other, factor, sorted(where))
    raise InvalidInput("a distribution is neither points nor steps", hint="give two mappings or two Steps")


def _positive_parts(pairs: Sequence[tuple[Fraction, Fraction]], factor: Factor) -> Affine:
    """Σ max(0, p - e^ε·q), each sign decided."""
    positive = [(p, q) for p, q in pairs if p and (q == 0 or not factor.exceeds(p / q))]
    return Affine(sum((p for p, _ in positive), Fraction(0)), -sum((q for _, q in positive), Fraction(0)), factor)


def _of_points(mu1: Finite, mu2: Finite, factor: Factor) -> Affine:
    """Against the weights at e^{-ε}u; for an irrational e^ε only 0 meets a point."""
    dilated = {v * factor.ratio: q for v, q in mu2.items()} if factor.ratio else {Fraction(0): mu2.get(Fraction(0))}
    return _positive_parts([(p, dilated.get(u) or Fraction(0)) for u, p in mu1.items()], factor)


def _of_cells(mu1: Finite, mu2: Finite, factor: Factor, cuts: list[Fraction]) -> Affine:
    cells = [[Fraction(0), Fraction(0)] for _ in range(len(cuts) + 1)]
    for u, weight in mu1.items():
        cells[bisect_right(cuts, u)][0] += weight
    for v, weight in mu2.items():
        cells[sum(not _below(factor, v, cut) for cut in cuts)][1] += weight  # the cell of e^ε·v
    return _positive_parts([(p, q) for p, q in cells], factor)


def _below(factor: Factor, v: Fraction, cut: Fraction) -> bool:
    """Whether e^ε·v < cut."""
    if v == 0:
        return cut > 0
    if v < 0:
        return factor.exceeds(cut / v)
    return not factor.exceeds(cut / v) and factor.ratio != cut / v


def _of_steps(mu1: Steps, mu2: Steps, factor: Factor) -> Affine:
    """∫ max(0, f₁(u) - f₂(e^{-ε}u)) du, piece by piece: pieces end at edges of f₁, or at e^ε times edges of f₂."""
    zero = Fraction(0)
    ends = [Affine(edge, zero, factor) for edge in mu1.edges]
    ends += [Affine(zero, edge, factor) for edge in mu2.edges if edge]
    constant = slope = zero
    for low, high, inside in _pieces(ends, factor):
        passed = sum(1 for edge in mu2.edges if edge == 0 or not factor.exceeds(inside / edge))
        dilated = mu2.heights[passed - 1] if 0 < passed <= len(mu2.heights) else zero
        gap = max(zero, mu1.height(inside) - dilated)
        constant += gap * (high.constant - low.constant)
        slope += gap * (high.slope - low.slope)
    return Affine(constant, slope, factor)


def _pieces(ends: list[Affine], factor: Factor) -> Iterator[tuple[Affine, Affine, Fraction]]:
    """The pieces between ends, in order, each with a rational point inside it."""
    bits, ordered = BITS, sorted((end.enclosure(), i) for i, end in enumerate(ends))
    # An edge and a dilated one are never the same for an irrational e^ε, so this ends.
    while factor.ratio is None and any(a.upper >= b.lower for (a, _), (b, _) in pairwise(ordered)):
        bits *= 2
        ordered = sorted((end.enclosure(bits), i) for i, end in enumerate(ends))
    for (low, i), (high, j) in pairwise(ordered):
        yield ends[i], ends[j], (low.upper + high.lower) / 2
