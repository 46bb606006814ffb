"""Error laws of many data sets at once, enclosed between a lower and an upper law where they are not exact.

A slice holds one data set (or one stratum of data sets) a row. The error of each lies, in stochastic order, between two
laws: values `low` with masses `low_mass`, and `high` with `high_mass`. Where the law is exact the two are the same.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import rel_entr

from discreet.arithmetic.arrays import Floats

MAX_KEPT_CELLS = 1 << 22
"""Slices of no more cells are kept, so that the next question need not compute them again."""

_BINS, _SELDOM = 4096, 1e-9


@dataclass(frozen=True, eq=False)
class ErrorRows:
    """The weight of each row, and the two laws of its error."""

    weight: Floats
    low: Floats
    high: Floats
    low_mass: Floats
    high_mass: Floats

    @classmethod
    def exact(cls, weight: Floats, value: Floats, mass: Floats) -> ErrorRows:
        """Rows whose laws are known: values and masses."""
        return cls(weight, value, value, mass, mass)


@dataclass(frozen=True, eq=False)
class Survey:
    """What one pass over all slices finds: weights and mean errors of the rows, and the masses between `edges`.

    `kept` are the slices themselves, unless they are too large to keep.
    """

    weight: Floats
    low: Floats
    high: Floats
    edges: Floats
    masses: Floats
    kept: list[ErrorRows] | None


@dataclass(frozen=True, eq=False)
class ErrorLaw:
    """Slices that can be gone through again and again.

    No error exceeds `diameter`. `complete` says that every data set is in a row, `sampled` how many independent data
    sets were drawn instead.
    """

    make: Callable[[], Iterator[ErrorRows]]
    diameter: float
    method: str
    complete: bool = True
    sampled: int = 0

    @cached_property
    def survey(self) -> Survey:
        """The first pass."""
        edges = np.concatenate([[0.0], self.diameter * np.geomspace(1e-15, 1.0, _BINS), [np.inf]])
        masses, rows, kept, cells = np.zeros(len(edges) - 1), [], list[ErrorRows](), 0
        for part in self.make():
            rows.append((part.weight, (part.low * part.low_mass).sum(axis=1), (part.high * part.high_mass).sum(axis=1)))
            mass = (part.weight[:, None] * part.high_mass).ravel()
            place = np.searchsorted(edges, part.high.ravel(), side="right") - 1
            masses += np.bincount(place, weights=mass, minlength=len(masses))
            cells += part.high.size
            if cells <= MAX_KEPT_CELLS:
                kept.append(part)
        weight, low, high = (np.concatenate(column) for column in zip(*rows, strict=True))
        return Survey(weight, low, high, edges, masses, kept if cells <= MAX_KEPT_CELLS else None)

    def __iter__(self) -> Iterator[ErrorRows]:
        return iter(self.survey.kept or self.make())

    def tail(self, t: float) -> float:
        """Pr[error ≥ t] over all rows, from above."""
        return min(1.0, sum(float(part.weight @ _tails(part, t)) for part in self))

    def tail_upper(self, t: float) -> float:
        """The same where data sets were drawn: the most that they leave but for 1 chance in 10⁹.

        Draws are counted as the independent ones that would vary as much.
        """
        tail = self.tail(t)
        if not self.sampled:
            return tail
        spread = float(np.concatenate([_tails(part, t) for part in self]).var()) / self.sampled
        return upper_mean(tail, max(tail * (1 - tail) / spread, self.sampled) if spread > 0 else self.sampled)

    def worst_tail(self, t: float) -> float:
        """The largest Pr[error ≥ t] of any row, from above."""
        return min(1.0, max(float(_tails(part, t).max()) for part in self))

    def quantile(self, p: float) -> float:
        """The least t with Pr[error > t] ≤ 1 - p over all rows, from above: in one bin, whose values are sorted."""
        edges, spare = self.survey.edges, _spare(p)
        beyond = np.concatenate([np.cumsum(self.survey.masses[::-1])[::-1], [0.0]])
        at = int(np.flatnonzero(beyond[1:] <= spare)[0])
        values, weights = [np.zeros(1)], [np.zeros(1)]
        for part in self:
            inside = (part.high >= edges[at]) & (part.high < edges[at + 1])
            values.append(part.high[inside])
            weights.append((part.weight[:, None] * part.high_mass)[inside])
        value, weight = np.concatenate(values), np.concatenate(weights)
        order = np.argsort(-value)
        place = np.searchsorted(beyond[at + 1] + np.cumsum(weight[order]), spare, side="right")
        return abs(float(value[order][min(int(place), len(order) - 1)]))

    def worst_quantile(self, p: float) -> float:
        """The largest p-quantile of any row, from above."""
        worst = 0.0
        for part in self:
            order = np.argsort(-part.high, axis=1)
            mass = np.take_along_axis(part.high_mass, order, axis=1)
            first = np.argmax(np.cumsum(mass, axis=1) > _spare(p), axis=1)
            rows = np.arange(len(order))
            worst = max(worst, float(part.high[rows, order[rows, first]].max()))
        return worst


def upper_mean(mean: float, size: float) -> float:
    """The largest mean of a law on 0 … 1 that leaves a chance of 1 in 10⁹ for a mean of independent draws as low.

    Hoeffding: the chance is at most e^(-size·D), with D the divergence of a coin of the one mean from one of the other.

    >>> round(upper_mean(0.0, 50_000), 6), round(upper_mean(0.01, 50_000), 4)
    (0.000414, 0.0131)
    """
    low, high = mean, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        divergence = float(rel_entr(mean, middle) + rel_entr(1 - mean, 1 - middle))
        low, high = (middle, high) if size * divergence < -math.log(_SELDOM) else (low, middle)
    return high


def enclose_rows(weight: Floats, low: Floats, high: Floats, least: Floats, most: Floats) -> ErrorRows:
    """The slice of laws known only by enclosures: atoms of value low … high and unnormalised weight least … most.

    Pr[error ≥ t] is A/(A+B), with A the weight at or beyond t and B the rest: at most with the largest A and least B.
    """

    def ordered(value: Floats, far: Floats, near: Floats) -> list[Floats]:
        order = np.argsort(-value, axis=1)
        far, near = (np.take_along_axis(part, order, axis=1) for part in (far, near))
        beyond = np.cumsum(far, axis=1)
        rest = np.maximum(near.sum(axis=1, keepdims=True) - np.cumsum(near, axis=1), 0.0)
        rest[:, -1] = 0.0
        with np.errstate(invalid="ignore"):
            share = np.where(beyond > 0, beyond / (beyond + rest), 0.0)
        return [np.take_along_axis(value, order, axis=1), np.diff(share, axis=1, prepend=0.0)]

    (lower, lower_mass), (upper, upper_mass) = ordered(low, least, most), ordered(high, most, least)
    return ErrorRows(weight, lower, upper, lower_mass, upper_mass)


def _tails(part: ErrorRows, t: float) -> Floats:
    tails: Floats = (part.high_mass * (part.high >= t)).sum(axis=1)
    return tails


def _spare(p: float) -> float:
    """1 - p, widened by what sums of floats may be off by."""
    return max(0.0, 1 - p) + 1e-13
