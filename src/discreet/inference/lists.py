"""p(c | o) as a list of counts with their probabilities, where P(o | c) is no product: the exponential family."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from discreet.arithmetic.arrays import Floats, Wholes
from discreet.errors import InvalidInput
from discreet.inference.counts import CountPosterior, draw_places
from discreet.samplers.bits import Bits

KEPT = 1e-18
"""Lighter data sets, over the heaviest, are left out."""

_ROUNDING = 1e-11


class Weighed(CountPosterior):
    """The posterior of the counts, one row for each data set that matters."""

    def __init__(self, rows: Wholes, log_weights: Floats, *, error: float, method: str) -> None:
        top = log_weights.max() if len(log_weights) else -math.inf
        if not math.isfinite(top):
            raise InvalidInput("no data leads to this output", hint="give the output as it was released")
        weight = np.exp(log_weights - top)
        kept = weight > KEPT
        self.rows, self.weights = rows[kept], weight[kept] / weight[kept].sum()
        self.error, self.method = error + _ROUNDING, method

    def marginal(self, i: int) -> tuple[Wholes, Floats]:
        """The counts of a category and their probabilities."""
        count, at = np.unique(self.rows[:, i], return_inverse=True)
        return count, np.bincount(at.reshape(-1), self.weights).astype(np.float64)

    def pair(self, i: int, j: int) -> tuple[Wholes, Wholes, Floats]:
        """Joint counts of two categories and their probabilities."""
        return self.rows[:, i], self.rows[:, j], self.weights

    def draw(self, bits: Bits, size: int) -> Wholes:
        """Whole data sets, one a row."""
        found: Wholes = self.rows[draw_places(bits, self.weights, size)]
        return found


class Listed(Weighed):
    """Every data set, one by one: groups of categories too."""

    def total(self, members: Sequence[int]) -> tuple[Wholes, Floats]:
        """The counts of some categories together, and their probabilities."""
        count, at = np.unique(self.rows[:, list(members)].sum(axis=1), return_inverse=True)
        return count, np.bincount(at.reshape(-1), self.weights).astype(np.float64)

    def split(self, i: int, others: Sequence[int]) -> tuple[int, int, Floats]:
        """Their joint table."""
        x, y = self.rows[:, i], self.rows[:, list(others)].sum(axis=1)
        table = np.zeros((int(x.max() - x.min()) + 1, int(y.max() - y.min()) + 1))
        np.add.at(table, (x - x.min(), y - y.min()), self.weights)
        return int(x.min()), int(y.min()), table
