"""Planted faults in formulas: a factor, a branch, a neighbour or a rounding that is not what it should be.

Each is a function that plants itself with pytest's `monkeypatch`.
"""

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

Fault = Callable[[pytest.MonkeyPatch], None]


def smooth_rate_too_large(patch: pytest.MonkeyPatch) -> None:
    """The smooth sensitivity fades 1 % faster than its γ says."""
    right = exact.smooth_by
    faster = lambda by, c, gamma: right(by, c, gamma * 101 / 100)  # noqa: E731 - it replaces a function
    for module in (exact, exponential):
        patch.setattr(module, "smooth_by", faster)


def reciprocal_rate_doubled(patch: pytest.MonkeyPatch) -> None:
    """The reciprocal sensitivity counts every moved record twice."""
    right = exact.inverse_reciprocal_by
    faster = lambda by, c, gamma: right(by, c, 2 * gamma)  # noqa: E731 - it replaces a function
    for module in (exact, exponential):
        patch.setattr(module, "inverse_reciprocal_by", faster)


def first_way_forgotten(patch: pytest.MonkeyPatch) -> None:
    """Where the smallest source and the smallest target are one category, the first of two ways out is left out."""
    right = exact._steps
    patch.setattr(exact, "_steps", lambda by, c: list(right(by, c))[-1:])


def one_end_only(patch: pytest.MonkeyPatch) -> None:
    """The global sensitivity of two categories is that of the first one's end."""
    right = exact.global_by

    def global_by(by: Any) -> Any:
        (a, *rest), last = by.alpha, by.n - 1
        return by.size(a, rest[0] + last) if len(rest) == 1 else right(by)

    patch.setattr(exact, "global_by", global_by)
    patch.setattr(exponential, "global_by", global_by)


def emptied_targets_forgotten(patch: pytest.MonkeyPatch) -> None:
    """Smoothing looks at arrangements in which the target keeps its records, and at no others."""
    right = exact._far_steps

    def far_steps(by: Any, c: Any) -> Iterator[Any]:
        kept = {alpha + count for alpha, count in zip(by.alpha, c, strict=True)}
        return ((x, y, d) for x, y, d in right(by, c) if y in kept)

    patch.setattr(exact, "_far_steps", far_steps)


def growth_halved(patch: pytest.MonkeyPatch) -> None:
    """Γ of the reciprocal sensitivity is half of its rate."""
    patch.setattr(lipschitz, "reciprocal_smoothness", lambda space, gamma: gamma / 2)


def growth_rounded_down(patch: pytest.MonkeyPatch) -> None:
    """Γ is rounded to a short number below it."""
    patch.setattr(lipschitz, "fixed_upper", fixed_lower)


def corners_skipped(patch: pytest.MonkeyPatch) -> None:
    """The audit leaves out the data sets with an empty category."""
    _only(patch, lambda rows, one, other: (rows[one].min(axis=1) > 0) & (rows[other].min(axis=1) > 0))


def last_records_skipped(patch: pytest.MonkeyPatch) -> None:
    """The audit takes no category's last record: neighbours off by one."""
    _only(patch, lambda rows, one, other: rows[one].min(axis=1) > 1)


def one_direction_only(patch: pytest.MonkeyPatch) -> None:
    """The audit compares each pair of neighbours one way round."""
    right = WorstCase.or_greater

    def one_way(self: WorstCase, gap: Any, *pairs: Any) -> WorstCase:
        return right(self, np.maximum(gap, 0.0), *pairs)

    patch.setattr(WorstCase, "or_greater", one_way)


def _only(patch: pytest.MonkeyPatch, kept: Callable[[Any, Any, Any], Any]) -> None:
    right = scan._moves

    def moves(space: Any) -> Iterator[Any]:
        rows = space.candidates().array()
        for one, other in right(space):
            mask = kept(rows, one, other)
            if mask.any():
                yield one[mask], other[mask]

    patch.setattr(scan, "_moves", moves)


def normalisers_forgotten(patch: pytest.MonkeyPatch) -> None:
    """The bound on a block of rows takes normalisers for equal."""
    patch.setattr(interior_bounds.InteriorBounds, "_normalisers", lambda *_: 0.0)


def far_outputs_forgotten(patch: pytest.MonkeyPatch) -> None:
    """The bound on a block of rows looks at the outputs c and c' alone."""
    patch.setattr(interior_bounds.InteriorBounds, "_groups", _nearest)


def _nearest(self: interior_bounds.InteriorBounds, low: int, high: int, side: int) -> interior_bounds.Groups:
    near = np.array([1], dtype=np.int64)
    least, most = self._brackets(low, high, side * near)
    return interior_bounds.Groups(side, near, near, least, most, most)


def middle_skipped(patch: pytest.MonkeyPatch) -> None:
    """Beyond enumeration the rows between the ends are left out."""
    patch.setattr(edge_rows._Scan, "blocks", lambda self: [])


def windows_too_short(patch: pytest.MonkeyPatch) -> None:
    """Outputs are taken for equally unlikely where BC is still a tenth."""
    patch.setattr(edge_rows, "_FLAT", 2.3)


def digest_without(field: str) -> Fault:
    """A certificate's digest does not depend on this field."""

    def plant(patch: pytest.MonkeyPatch) -> None:
        def digest(self: certificates.Certificate) -> str:
            body = {name: value for name, value in asdict(self).items() if name not in ("digest", field)}
            return hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()

        patch.setattr(certificates.Certificate, "_digest", digest)

    return plant


def facts_without(fact: str) -> Fault:
    """A certificate does not say of which mechanism it speaks, in this."""

    def plant(patch: pytest.MonkeyPatch) -> None:
        right = certificates.facts
        patch.setattr(certificates, "facts", lambda made: {k: v for k, v in right(made).items() if k != fact})

    return plant


def rounded_to_nearest(module: ModuleType) -> Fault:
    """What is shown of an ε in this module is the nearest float, which may be below it."""

    def plant(patch: pytest.MonkeyPatch) -> None:
        patch.setattr(module, "float_upper", float)

    return plant


def rho_rounded_down(rho: Fraction) -> Fraction:
    """A ρ with a long denominator, cut to a multiple of 2⁻¹²⁸."""
    return Fraction((rho.numerator << 128) // rho.denominator, 1 << 128)
