"""Liftings of a relation Ψ at (ε, δ): the least δ exactly, with the witness pair and the event that proves it least.

The ⋆-lifting of Barthe et al. exists iff μ₁(E) ≤ e^ε·μ₂(Ψ(E)) + δ for every event E, and the least δ is μ₁'s mass less
the maximum flow from points a with supply μ₁(a) to related points b with demand e^ε·μ₂(b). The flow z makes the
witnesses: μ_L = z and μ_R = z/e^ε on Ψ, and ⋆ for what is left over. The source's side of the minimum cut is the event.

The paper's form has no ⋆: both marginals exact and both supports in Ψ. Its least δ, min Σ (μ_L - e^ε·μ_R)⁺, is the mass
of μ₁ less max Σ min(μ_L, e^ε·μ_R); such a minimum is a flow, and every flow can be completed by putting what is left
over on any related pair, which only raises the minimum. So its δ is the same, and all that is stronger about it is that
every point with mass needs a partner. Where e^ε is irrational the witness is made with a rational number just below
it, and δ itself is known as constant + slope·e^ε. Tests: `tests/papers/verification/test_lifting.py`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Literal, TypeAlias

from discreet.errors import InvalidInput
from discreet_papers.verification.affine import BITS, Affine, Factor, factor_of, read_weights
from discreet_papers.verification.flow import Flow, maximum_flow

Point: TypeAlias = Any
"""Anything hashable."""

Weights: TypeAlias = Mapping[Point, Fraction]
Pairs: TypeAlias = dict[tuple[Point, Point], Fraction]


class _Star:
    def __repr__(self) -> str:
        return "⋆"


STAR = _Star()
"""The partner of mass that has none."""


@dataclass(frozen=True)
class Lifting:
    """The least δ of a lifting, its witnesses, and the event that no smaller δ survives.

    `delta` is exactly μ₁(event) - e^ε·μ₂(Ψ(event)). `left` and `right` are the witnesses μ_L and μ_R; they show
    `witnessed`, which is `delta` if e^ε is rational and above it by less than 2⁻¹⁵⁰ if not. Where the paper's form does
    not exist, there are no witnesses and `stranded` are the points with mass and without a partner.
    """

    delta: Affine
    event: frozenset[Point]
    left: Pairs | None = field(repr=False)
    right: Pairs | None = field(repr=False)
    witnessed: Fraction
    stranded: frozenset[Point]

    @property
    def exists(self) -> bool:
        """Whether there are witnesses at all."""
        return self.left is not None


def lifting(
    mu1: Mapping[Point, object],
    mu2: Mapping[Point, object],
    relation: Iterable[tuple[Point, Point]] | Callable[[Point, Point], bool],
    eps: object,
    *,
    form: Literal["star", "paper", "seed"] = "star",
) -> Lifting:
    """The least δ with which two (sub-)distributions are related by the lifting of a relation.

    >>> from discreet_papers.verification.affine import Log
    >>> least = lifting({"a": "1/2", "b": "1/2"}, {"x": "1/4", "y": "3/4"}, [("a", "x"), ("b", "y")], Log("3/2"))
    >>> print(least.delta, sorted(least.event))
    1/8 ['a']
    >>> lifting({"a": 1}, {"a": "1/2", "b": "1/2"}, lambda x, y: x == y, Log(2), form="paper").stranded
    frozenset({'b'})
    """
    if form not in ("star", "paper", "seed"):  # seed: what paper was called once
        raise InvalidInput("form must be star or paper", hint="leave it out for star", parameter="form")
    factor, one, other = factor_of(eps), read_weights(mu1), read_weights(mu2)
    pairs = _pairs(one, other, relation)
    bits = BITS
    while True:
        low, high = factor.between(bits)
        flow, scale = _flow(one, other, pairs, low)
        delta, event = _cut(one, other, pairs, flow, factor)
        if low == high:
            break
        upper_flow, _ = _flow(one, other, pairs, high)
        if _cut(one, other, pairs, upper_flow, factor)[0] == delta:
            break  # the same cut is least at both ends, so it is in between: a minimum of lines is concave
        bits *= 2
    left = {pair: Fraction(f, scale) for pair, f in zip(pairs, flow.along, strict=True) if f}
    right = {pair: z / low for pair, z in left.items()}
    witnessed = sum(one.values(), Fraction(0)) - Fraction(flow.value, scale)
    if form == "star":
        _complete_marginal(left, one, 0, {a: (a, STAR) for a in one})
        _complete_marginal(right, other, 1, {b: (STAR, b) for b in other})
        return Lifting(delta, event, left, right, witnessed, frozenset())
    some_right, some_left = {a: (a, b) for a, b in pairs}, {b: (a, b) for a, b in pairs}
    stranded = {a for a in one if one[a] and a not in some_right} | {
        b for b in other if other[b] and b not in some_left
    }
    if stranded:
        return Lifting(delta, event, None, None, witnessed, frozenset(stranded))
    _complete_marginal(left, one, 0, some_right)
    _complete_marginal(right, other, 1, some_left)
    return Lifting(delta, event, left, right, witnessed, frozenset())


def _pairs(
    one: Weights, other: Weights, relation: Iterable[tuple[Point, Point]] | Callable[[Point, Point], bool]
) -> list[tuple[Point, Point]]:
    if callable(relation):
        return [(a, b) for a in one for b in other if relation(a, b)]
    pairs = list(dict.fromkeys(relation))
    if any(a not in one or b not in other for a, b in pairs):
        raise InvalidInput("the relation names a point that no distribution has", hint="give it weight 0")
    return pairs


def _flow(one: Weights, other: Weights, pairs: list[tuple[Point, Point]], factor: Fraction) -> tuple[Flow, int]:
    """The maximum flow in whole numbers, and what they are to be divided by."""
    demands = {b: factor * weight for b, weight in other.items()}
    scale = math.lcm(*(weight.denominator for weight in (*one.values(), *demands.values())))
    a_index, b_index = {a: i for i, a in enumerate(one)}, {b: i for i, b in enumerate(other)}
    return (
        maximum_flow(
            [weight.numerator * (scale // weight.denominator) for weight in one.values()],
            [weight.numerator * (scale // weight.denominator) for weight in demands.values()],
            [(a_index[a], b_index[b]) for a, b in pairs],
        ),
        scale,
    )


def _cut(
    one: Weights, other: Weights, pairs: list[tuple[Point, Point]], flow: Flow, factor: Factor
) -> tuple[Affine, frozenset[Point]]:
    """The event on the source's side of the cut, and μ₁(E) - e^ε·μ₂(Ψ(E))."""
    points = list(one)
    event = frozenset(points[i] for i in flow.cut)
    image = {b for a, b in pairs if a in event}
    gained = sum((one[a] for a in event), Fraction(0))
    return Affine(gained, -sum((other[b] for b in image), Fraction(0)), factor), event


def _complete_marginal(witness: Pairs, weights: Weights, side: int, home: Mapping[Point, tuple[Point, Point]]) -> None:
    """Complete a witness's marginal: what a point still has goes to the pair that is its home."""
    rest = dict(weights)
    for pair, mass in witness.items():
        rest[pair[side]] -= mass
    for point, mass in rest.items():
        if mass:
            witness[home[point]] = witness.get(home[point], Fraction(0)) + mass
