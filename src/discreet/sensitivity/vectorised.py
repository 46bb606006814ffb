"""The steps that decide 1/S(c), for all data sets of a space at once, in floats, for wide scans.

The same arrangements as in `discreet.sensitivity.exact`, vectorised: `tests/sensitivity/test_vectorised.py` holds the
two together. How a kind of sensitivity is made of them is its own affair (`Exponential.inverse_terms`).
"""

from __future__ import annotations

import itertools
from functools import cached_property
from typing import Protocol

import numpy as np

from discreet.arithmetic.arrays import Floats, Wholes
from discreet.posteriors.distances import second_difference
from discreet.posteriors.space import PosteriorSpace


class Kind(Protocol):
    """A kind of sensitivity."""

    @classmethod
    def inverse_terms(cls, steps: Steps, gamma: float) -> list[Floats]:
        """The terms whose least is 1/S."""


class Steps:
    """The steps that can be extreme for each of many data sets: their inverse sizes and their distances."""

    def __init__(self, space: PosteriorSpace, rows: Wholes) -> None:
        self.space, self.rows = space, rows

    def inverse(self, kind: type[Kind], gamma: float) -> Floats:
        """1/S for one kind of sensitivity."""
        inverse: Floats = np.minimum.reduce(kind.inverse_terms(self, gamma))
        return inverse

    @cached_property
    def local(self) -> Floats:
        """1/LS: the least over the pairs whose source holds a record."""
        c = self.rows
        least = np.full(len(c), np.inf)
        for i, j in itertools.permutations(range(self.space.k), 2):
            has = c[:, i] >= 1
            least[has] = np.minimum(least[has], self._inverse_step(i, c[has, i], j, c[has, j]))
        return least

    @cached_property
    def far(self) -> list[tuple[Floats, Wholes]]:
        """The inverse steps that smoothing may prefer to the local one, with their distances."""
        c, n = self.rows, self.space.n
        steps = []
        for i, j in itertools.permutations(range(self.space.k), 2):
            if self.space.k == 2:
                end = self._inverse_step(i, np.array([1]), j, np.array([n - 1]))
                steps.append((np.full(len(c), end[0]), np.maximum(c[:, i] - 1, 0)))
                continue
            for left_i in (np.maximum(c[:, i], 1), np.ones_like(c[:, i])):
                for left_j in (c[:, j], np.zeros_like(c[:, j])):
                    taken = np.maximum(c[:, i] - left_i, 0) + (c[:, j] - left_j)
                    put = np.maximum(left_i - c[:, i], 0)
                    inverse = self._inverse_step(i, left_i, j, left_j)
                    fits = left_i + left_j <= n
                    steps.append((np.where(fits, inverse, np.inf), np.maximum(taken, put)))
        return steps

    def _inverse_step(self, i: int, source: Wholes, j: int, target: Wholes) -> Floats:
        """1/sqrt(1 - g(α_i + source - 1)·g(α_j + target))."""
        return 1 / np.sqrt(-np.expm1(self._log_step(i, source - 1) + self._log_step(j, target)))

    def _log_step(self, i: int, count: Wholes) -> Floats:
        x = float(self.space.prior.parameters[i]) + count
        return -0.5 * second_difference(x, x + 1, 1)
