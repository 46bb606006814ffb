"""Planted faults in formulas: a factor, a branch, a neighbour or a rounding that is not what it should be."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator
from dataclasses import asdict
from fractions import Fraction
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from discreet.arithmetic.numbers import fixed_lower
from discreet.mechanisms import exponential
from discreet.privacy_loss import certificates, edge_rows, interior_bounds, scan
from discreet.privacy_loss.certificates import WorstCase
from discreet.sensitivity import exact, lipschitz
from tests.faults.planting import Fault, plant


@plant("smooth_by", exact, exponential)
def smooth_rate_too_large(right: Any, by: Any, c: Any, gamma: Any) -> Any:
    """The smooth sensitivity fades 1 % faster than its γ says."""
    return right(by, c, gamma * 101 / 100)


@plant("inverse_reciprocal_by", exact, exponential)
def reciprocal_rate_doubled(right: Any, by: Any, c: Any, gamma: Any) -> Any:
    """The reciprocal sensitivity counts every moved record twice."""
    return right(by, c, 2 * gamma)


@plant("_largest_step", exact)
def first_way_forgotten(right: Any, by: Any, c: Any) -> Any:
    """Where the smallest source and the smallest target are one category, the step into it is taken, not out of it."""
    source, target = right(by, c)
    least = min(alpha + count for alpha, count in zip(by.alpha, c, strict=True))
    sources = sorted(alpha + (count - 1) for alpha, count in zip(by.alpha, c, strict=True) if count)
    return (source, target) if target == least or len(sources) == 1 else (sources[1], least)


@plant("global_by", exact, exponential)
def one_end_only(right: Any, by: Any) -> Any:
    """The global sensitivity of two categories is that of the first one's end."""
    a, *rest = by.alpha
    return by.size(a, rest[0] + by.n - 1) if len(rest) == 1 else right(by)


@plant("_far_steps", exact)
def emptied_targets_forgotten(right: Any, by: Any, c: Any) -> Iterator[Any]:
    """Smoothing looks at arrangements in which the target keeps its records, and at no others."""
    kept = {alpha + count for alpha, count in zip(by.alpha, c, strict=True)}
    return ((x, y, d) for x, y, d in right(by, c) if y in kept)


@plant("reciprocal_smoothness", lipschitz)
def growth_halved(right: Any, space: Any, gamma: Any) -> Any:
    """Γ of the reciprocal sensitivity is half of its rate."""
    return gamma / 2


@plant("fixed_upper", lipschitz)
def growth_rounded_down(right: Any, *arguments: Any) -> Any:
    """Γ is rounded to a short number below it."""
    return fixed_lower(*arguments)


@plant("_moves", scan)
def corners_skipped(right: Any, space: Any) -> Iterator[Any]:
    """The audit leaves out the data sets with an empty category."""
    return _only(right(space), space, lambda here, there: (here.min(axis=1) > 0) & (there.min(axis=1) > 0))


@plant("_moves", scan)
def last_records_skipped(right: Any, space: Any) -> Iterator[Any]:
    """The audit takes no category's last record: neighbours off by one."""
    return _only(right(space), space, lambda here, there: here.min(axis=1) > 1)


def _only(moves: Iterator[Any], space: Any, kept: Callable[[Any, Any], Any]) -> Iterator[Any]:
    rows = space.candidates().array()
    for one, other in moves:
        mask = kept(rows[one], rows[other])
        if mask.any():
            yield one[mask], other[mask]


@plant("or_greater", WorstCase)
def one_direction_only(right: Any, self: WorstCase, gap: Any, *pairs: Any) -> Any:
    """The audit compares each pair of neighbours one way round."""
    return right(self, np.maximum(gap, 0.0), *pairs)


@plant("_normalisers", interior_bounds.InteriorBounds)
def normalisers_forgotten(right: Any, *arguments: Any) -> float:
    """The bound on a block of rows takes normalisers for equal."""
    return 0.0


@plant("_groups", interior_bounds.InteriorBounds)
def far_outputs_forgotten(right: Any, self: Any, low: int, high: int, side: int) -> interior_bounds.Groups:
    """The bound on a block of rows looks at the outputs c and c' alone."""
    near = np.array([1], dtype=np.int64)
    least, most = self._brackets(low, high, side * near)
    return interior_bounds.Groups(side, near, near, least, most, most)


@plant("blocks", edge_rows._Scan)
def middle_skipped(right: Any, self: Any) -> list[Any]:
    """Beyond enumeration the rows between the ends are left out."""
    return []


def windows_too_short(patch: pytest.MonkeyPatch) -> None:
    """Outputs are taken for equally unlikely where BC is still a tenth."""
    patch.setattr(edge_rows, "_FLAT", 2.3)


def digest_without(field: str) -> Fault:
    """A certificate's digest does not depend on this field."""

    @plant("_digest", certificates.Certificate)
    def digest(right: Any, self: certificates.Certificate) -> str:
        body = {name: value for name, value in asdict(self).items() if name not in ("digest", field)}
        return hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()

    return digest


def facts_without(fact: str) -> Fault:
    """A certificate does not say of which mechanism it speaks, in this."""
    return plant("facts", certificates)(lambda right, made: {k: v for k, v in right(made).items() if k != fact})


def rounded_to_nearest(module: ModuleType) -> Fault:
    """What is shown of an ε in this module is the nearest float, which may be below it."""
    return plant("float_upper", module)(lambda right, number: float(number))


def rho_rounded_down(rho: Fraction) -> Fraction:
    """A ρ with a long denominator, cut to a multiple of 2⁻¹²⁸."""
    return Fraction((rho.numerator << 128) // rho.denominator, 1 << 128)
