"""The paper's proposition, put right: how close Snap(μ₁, a) and Snap(μ₂, a') are, in three terms.

Let a' = a + t (or a - t). A result beyond a, seen from a', comes from the same sign for both and from uniforms dilated
by e^{-εt}; one beyond a' from the same sign and e^{+εt}; and one between the two comes from one sign for a and from
the other for a', with u·u' = e^{-εt}. So for every set of results, rounded and clamped or not,

    δ = ½ sup_E [μ₁(E) - e^ε μ₂(e^{-εt}E)]
      + ½ sup_{E ⊂ [e^{-εt},1)} [μ₁(E) - e^ε μ₂(e^{-εt}/E)]
      + ½ sup_{E ⊂ (0,e^{-εt})} [μ₁(E) - e^ε μ₂(e^{εt}E)]

is enough, and without rounding it is least. The paper has the first term alone. For step densities each term is an
integral of max(0, A - K) or max(0, A - K/u²) over few pieces. Tests: `tests/papers/verification/test_proposition.py`.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from typing import NamedTuple, TypeAlias

from flint import arb

from discreet.arithmetic.numbers import Enclosure, ball, decide, dyadic, exact
from discreet.errors import InvalidInput
from discreet_papers.verification.affine import nonnegative_enclosure
from discreet_papers.verification.dilations import Steps

BITS = 256


class ThreeTerms(NamedTuple):
    """The three terms, each already halved; their sum is δ."""

    same_side: Enclosure
    between: Enclosure
    far_side: Enclosure

    @property
    def delta(self) -> Enclosure:
        """Their sum."""
        return Enclosure(sum((x.lower for x in self), Fraction(0)), sum((x.upper for x in self), Fraction(0)))


def three_terms(mu1: Steps, mu2: Steps, eps: object, t: object = 1) -> ThreeTerms:
    """The δ with which the ideal mechanism's results are (ε, δ)-close, for noise μ₁ on a and μ₂ on a', |a-a'| = t."""
    epsilon, distance = exact(eps, "epsilon", above=0), exact(t, "t", minimum=0)
    if distance > 1:
        raise InvalidInput("t must be at most 1", hint="it is the distance of adjacent values", parameter="t")
    shrink = epsilon * distance
    image = (True, Fraction(1))
    same, between, far = _Branch(-shrink, False), _Branch(-shrink, True), _Branch(shrink, False)
    terms = (
        _sup(mu1, mu2, same, epsilon - shrink, _START, _END),
        _sup(mu1, mu2, between, epsilon - shrink, image, _END),
        _sup(mu1, mu2, far, epsilon + shrink, _START, image),
    )
    return ThreeTerms(*(Enclosure(whole.lower / 2, whole.upper / 2) for whole in terms))


def opposite_dilation(mu1: Steps, mu2: Steps, eps: object) -> Enclosure:
    """sup_E [μ₁(E) - e^ε μ₂(e^{+ε}E)]: what the paper's step would need on the other sign's branch."""
    epsilon = exact(eps, "epsilon", above=0)
    return _sup(mu1, mu2, _Branch(epsilon, False), 2 * epsilon, _START, _END)


class _Branch(NamedTuple):
    """How the uniform of a' follows from that of a: u' = e^exponent·u, or e^exponent/u."""

    exponent: Fraction
    inverted: bool

    def there(self, u: arb) -> arb:
        factor = ball(self.exponent).exp()
        return factor / u if self.inverted else factor * u

    def back(self, u: arb) -> arb:
        return self.there(u) if self.inverted else ball(-self.exponent).exp() * u


_End: TypeAlias = tuple[bool, Fraction]
"""A point of the line: a rational number, or (True) what a branch takes to one."""


_START, _END = (False, Fraction(0)), (False, Fraction(1))


def _sup(mu1: Steps, mu2: Steps, branch: _Branch, exponent: Fraction, low: _End, high: _End) -> Enclosure:
    """The integral below, enclosure_of."""

    def ends() -> Enclosure | None:
        value = _integral(mu1, mu2, branch, exponent, low, high)
        return None if value is None else nonnegative_enclosure(value)

    return decide(ends, start=BITS)


def _integral(mu1: Steps, mu2: Steps, branch: _Branch, exponent: Fraction, low: _End, high: _End) -> arb | None:
    """∫ max(0, f₁(u) - e^exponent·f₂(u')) du from low to high, with f₂/u² if inverted; None while it is undecided."""

    def place(end: _End) -> arb:
        return branch.back(ball(end[1])) if end[0] else ball(end[1])

    first, last = place(low), place(high)
    # Ends are told apart by their names, because balls of the same number cannot be.
    names = {low, high, *((False, edge) for edge in mu1.edges), *((True, edge) for edge in mu2.edges if edge)}
    points = [place(name) for name in names]
    ends = sorted((x for x in points if not (x < first or x > last)), key=lambda x: dyadic(x.mid()))
    weight, total = ball(exponent).exp(), arb(0)
    for start, end in pairwise(ends):
        length = end - start
        if not length > 0:
            # Two ends that cannot be told apart yet: what is between them is as small as their enclosures.
            total += arb(0) if length.is_zero() else (ball(max(mu1.heights)) * length.abs_upper()).union(arb(0))
            continue
        inside = dyadic(((start + end) / 2).mid())
        other = _height(mu2, branch.there(ball(inside)))
        if other is None:
            return None
        top, rate = ball(mu1.height(inside)), weight * ball(other)
        total += _inverse_piece(top, rate, start, end) if branch.inverted else (top - rate).max(arb(0)) * length
    return total


def _inverse_piece(top: arb, rate: arb, start: arb, end: arb) -> arb:
    """∫ max(0, A - K/u²) du: it is positive beyond sqrt(K/A)."""
    if top.is_zero() or rate >= top * end * end:
        return arb(0)
    root = (rate / top).sqrt().max(start).min(end)
    return top * (end - root) + rate / end - rate / root


def _height(mu: Steps, u: arb) -> Fraction | None:
    """The density at an enclosed point, None if an edge is too near to tell."""
    if any(u.contains(ball(edge)) for edge in mu.edges):
        return None
    return mu.height(dyadic(u.mid()))
