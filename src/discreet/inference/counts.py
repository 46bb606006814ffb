"""What is known of the counts given an output; the plainest form of it is a list of data sets with their weights."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from discreet.arithmetic.arrays import Floats, Wholes
from discreet.errors import InvalidInput, TooLarge
from discreet.inference.components import Betas, Components
from discreet.inference.draws import draw_places
from discreet.posteriors.mixtures import ShareLaw
from discreet.samplers.bits import Bits

Counted: TypeAlias = NDArray[Any]

Cells = tuple[int, ...]
Sides = tuple[Cells, Cells]
"""The categories whose share it is, and the others that it is a share among."""

OfCounts: TypeAlias = Callable[[Wholes], Any]
Factors: TypeAlias = Mapping[Cells, OfCounts]

OfComponents: TypeAlias = Callable[[int, Components, Floats], NDArray[Any]]
"""Of the components of a group, given its number and how likely each of them is."""

MAX_PAIRS = 1 << 24
"""Pairs of components of two groups are not more than this."""

SURE = 6.0
"""An error that was drawn is stated as so many standard errors: one in a billion is larger."""

KEPT = 1e-18
"""Lighter data sets, over the heaviest, are left out."""

_ROUNDING = 1e-11


class CountPosterior(ABC):
    """p(c | o). `error` bounds its total variation distance to the exact one, and `mean_errors` how far means are off.

    With probability `prior_weight` the output says nothing and the prior stays; all else is given that it says
    something. Counts may be places between whole numbers that stand for many of them, among `sizes` records.
    """

    error: float
    mean_errors: Floats | float
    method: str
    sizes: Floats | int
    prior_weight: float = 0.0

    @abstractmethod
    def marginal(self, i: int) -> tuple[Counted, Floats]:
        """The counts of a category and their probabilities."""

    def like(self, i: int) -> int:
        """A category whose counts have the same law, under the same prior parameter: the first one that is known."""
        return i

    @abstractmethod
    def pair(self, i: int, j: int) -> tuple[Counted, Counted, Floats]:
        """Joint counts of two categories and their probabilities; `TooLarge` if they are too many."""

    @abstractmethod
    def draw(self, bits: Bits, size: int) -> Counted:
        """Whole data sets, one a row."""

    def total(self, members: Sequence[int]) -> tuple[Wholes, Floats]:
        """The counts of some categories together, and their probabilities."""
        raise TooLarge("the counts of groups are too many to list", hint="use geometric")

    def split(self, inside: Sequence[int], others: Sequence[int]) -> tuple[int, int, Floats]:
        """The joint law of the counts of some and of other categories, as a table with the counts that it begins at."""
        raise TooLarge("the counts of groups are too many to list", hint="use geometric")

    def lone_share(self, i: int) -> tuple[ShareLaw, float] | None:
        """The share of one of very many categories, and what it is off by; None where it comes from a table."""
        return None

    def coarse_share(self, inside: Sequence[int], rest: Sequence[int]) -> tuple[ShareLaw, float] | None:
        """The share of some among these and others whose table is too large, and what it is off by; else None."""
        return None

    def two_groups(self, first: Sides, second: Sides, alpha: Floats) -> tuple[Components, Components, Floats]:
        """Two shares within disjoint sets of categories: their components, and the weight of each pair of these."""
        raise TooLarge("the counts of groups are too many to list", hint="use geometric")

    def one_group(
        self, first: Cells, second: Cells, rest: Cells, alpha: Floats
    ) -> tuple[Components, Components, Floats]:
        """Two sets of categories: the share of both among these and the rest, and of the first among both."""
        raise TooLarge("the counts of groups are too many to list", hint="use geometric")

    def expectation(self, factors: Factors, of_sum: OfCounts = np.ones_like) -> NDArray[Any]:
        """E[g(Σ c_i)·Π f_i(c_i)] for the counts of some sets of categories.

        Each f has one row for each number that is asked for, and one column for each count.
        """
        raise TooLarge("the counts of all categories are too many to list", hint="use geometric")

    def joined(self, sides: Sequence[Sides], alpha: Floats, of: OfComponents) -> NDArray[Any]:
        """E[Π h_g] over groups: each h has one row for each number, one column for each component of the group."""
        raise TooLarge("the counts of all categories are too many to list", hint="use geometric")

    def listing(self) -> tuple[Wholes, Floats]:
        """All data sets that matter, one a row, and their probabilities; `TooLarge` if they are too many."""
        raise TooLarge("the data sets that matter are too many to list", hint="use draws of sample")


class WeightedRows(CountPosterior):
    """The posterior of the counts, one row for each data set that matters."""

    def __init__(self, rows: Wholes, log_weights: Floats, *, error: float, method: str) -> None:
        top = log_weights.max() if len(log_weights) else -math.inf
        if not math.isfinite(top):
            raise InvalidInput("no data leads to this output", hint="give the output as it was released")
        weight = np.exp(log_weights - top)
        self._kept = weight > KEPT
        self.rows, self.weights = rows[self._kept], weight[self._kept] / weight[self._kept].sum()
        self.error = self.mean_errors = error + _ROUNDING
        self.method, self.sizes = method, int(self.rows[0].sum())

    def marginal(self, i: int) -> tuple[Wholes, Floats]:
        return self._tally(self.rows[:, i])

    def pair(self, i: int, j: int) -> tuple[Wholes, Wholes, Floats]:
        return self.rows[:, i], self.rows[:, j], self.weights

    def draw(self, bits: Bits, size: int) -> Wholes:
        rows: Wholes = self.rows[draw_places(bits, self.weights, size)]
        return rows

    def _tally(self, counts: Wholes) -> tuple[Wholes, Floats]:
        count, at = np.unique(counts, return_inverse=True)
        return count, np.bincount(at.reshape(-1), self.weights).astype(np.float64)


class Enumeration(WeightedRows):
    """Every data set, one by one: groups of categories too."""

    def total(self, members: Sequence[int]) -> tuple[Wholes, Floats]:
        return self._tally(self._sums(members))

    def split(self, inside: Sequence[int], others: Sequence[int]) -> tuple[int, int, Floats]:
        x, y = self._sums(inside), self._sums(others)
        table = np.zeros((int(x.max() - x.min()) + 1, int(y.max() - y.min()) + 1))
        np.add.at(table, (x - x.min(), y - y.min()), self.weights)
        return int(x.min()), int(y.min()), table

    def two_groups(self, first: Sides, second: Sides, alpha: Floats) -> tuple[Components, Components, Floats]:
        (one, at), (other, place) = (self._kinds(side) for side in (first, second))
        if len(one) * len(other) > MAX_PAIRS:
            raise TooLarge("two groups have too many counts that matter", hint="use geometric")
        weights = np.zeros((len(one), len(other)))
        np.add.at(weights, (at, place), self.weights)
        return _betas(one, first, alpha), _betas(other, second, alpha), weights

    def one_group(
        self, first: Cells, second: Cells, rest: Cells, alpha: Floats
    ) -> tuple[Components, Components, Floats]:
        one, other, beside = (self._sums(cells) for cells in (first, second, rest))
        both = _betas(np.stack([one + other, beside], axis=1), (first + second, rest), alpha)
        return both, _betas(np.stack([one, other], axis=1), (first, second), alpha), self.weights

    def expectation(self, factors: Factors, of_sum: OfCounts = np.ones_like) -> NDArray[Any]:
        sums = of_sum(self._sums([i for cells in factors for i in cells])) * self.weights
        means: NDArray[Any] = np.multiply.reduce([of(self._sums(cells)) for cells, of in factors.items()]) @ sums
        return means

    def joined(self, sides: Sequence[Sides], alpha: Floats, of: OfComponents) -> NDArray[Any]:
        parts = []
        for g, side in enumerate(sides):
            kinds, at = self._kinds(side)
            mass = np.bincount(at, self.weights).astype(np.float64)
            parts.append(of(g, _betas(kinds, side, alpha), mass)[:, at])
        means: NDArray[Any] = np.multiply.reduce(parts) @ self.weights
        return means

    def listing(self) -> tuple[Wholes, Floats]:
        return self.rows, self.weights

    def _kinds(self, side: Sides) -> tuple[Wholes, Wholes]:
        """The different counts of a side and of the rest, and which of them each data set has."""
        counts = np.stack([self._sums(cells) for cells in side], axis=1)
        kinds, at = np.unique(counts, axis=0, return_inverse=True)
        return kinds, at.reshape(-1)

    def _sums(self, members: Sequence[int]) -> Wholes:
        sums: Wholes = self.rows[:, list(members)].sum(axis=1)
        return sums


def _betas(counts: Wholes, sides: Sides, alpha: Floats) -> Betas:
    a, b = (float(alpha[list(cells)].sum()) for cells in sides)
    return Betas(*(counts.T.astype(np.float64) + np.array([[a], [b]])))
