"""The few lines that a sceptic needs: is it a witness, is it a counterexample? They share nothing with the search."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from fractions import Fraction
from typing import Any

from discreet_papers.verification.liftings import STAR


def is_witness(
    left: Mapping[tuple[Any, Any], Fraction],
    right: Mapping[tuple[Any, Any], Fraction],
    mu1: Mapping[Any, Fraction],
    mu2: Mapping[Any, Fraction],
    relation: Collection[tuple[Any, Any]],
    factor: Fraction,
    delta: Fraction,
    *,
    star: bool,
) -> bool:
    """Whether the pair has these marginals, lies in the relation (or at ⋆), and Σ (μ_L - factor·μ_R)⁺ ≤ delta.

    `factor` is e^ε or less: a smaller one asks for more.
    """
    allowed = set(relation)
    if star:
        allowed |= {(a, STAR) for a in mu1} | {(STAR, b) for b in mu2}
    if not (set(left) | set(right)) <= allowed or min([*left.values(), *right.values()], default=0) < 0:
        return False
    if any(sum(m for (x, _), m in left.items() if x == a) != weight for a, weight in mu1.items()):
        return False
    if any(sum(m for (_, y), m in right.items() if y == b) != weight for b, weight in mu2.items()):
        return False
    zero = Fraction(0)
    return sum((max(zero, m - factor * right.get(pair, zero)) for pair, m in left.items()), zero) <= delta


def is_counterexample(
    event: Collection[Any],
    mu1: Mapping[Any, Fraction],
    mu2: Mapping[Any, Fraction],
    relation: Collection[tuple[Any, Any]],
    factor: Fraction,
    delta: Fraction,
) -> bool:
    """Whether μ₁(E) - factor·μ₂(Ψ(E)) ≥ delta, so that no smaller δ will do. `factor` is e^ε or more."""
    image = {b for a, b in relation if a in event}
    return sum((mu1[a] for a in event), Fraction(0)) - factor * sum((mu2[b] for b in image), Fraction(0)) >= delta
