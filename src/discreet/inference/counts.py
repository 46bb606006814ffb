"""What is known of the counts given an output: what every way of weighing data sets tells."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from discreet.arithmetic.arrays import Floats, Wholes
from discreet.errors import TooLarge
from discreet.inference.shares import draw_uniforms
from discreet.samplers.bits import Bits

Counted: TypeAlias = NDArray[Any]


class CountPosterior(ABC):
    """p(c | o). `error` bounds its total variation distance to the exact one.

    With probability `prior_weight` the output says nothing and the prior stays; all else is given that it says
    something. Counts may be places between whole numbers that stand for many of them.
    """

    error: float
    method: str
    prior_weight: float = 0.0

    @abstractmethod
    def marginal(self, i: int) -> tuple[Counted, Floats]:
        """The counts of a category and their probabilities."""

    @abstractmethod
    def pair(self, i: int, j: int) -> tuple[Counted, Counted, Floats]:
        """Joint counts of two categories and their probabilities; `TooLarge` if they are too many."""

    @abstractmethod
    def draw(self, bits: Bits, size: int) -> Counted:
        """Whole data sets, one a row."""

    def total(self, members: Sequence[int]) -> tuple[Wholes, Floats]:
        """The counts of some categories together, and their probabilities."""
        raise TooLarge("the counts of groups are too many to list", hint="use geometric")

    def split(self, i: int, others: Sequence[int]) -> tuple[int, int, Floats]:
        """The joint law of a category's count and of others' together, as a table with the counts that it begins at."""
        raise TooLarge("the counts of groups are too many to list", hint="use geometric")

    def mean_errors(self, prior_mean: Floats, alpha: Floats, n: int) -> Floats:
        """How far each mean may be off, if that is less than `error`."""
        return np.full(len(alpha), self.error)


def draw_places(bits: Bits, weights: Floats, size: int) -> Wholes:
    """Which of the weighed places independent draws fall on."""
    sums = np.cumsum(weights)
    at: Wholes = np.searchsorted(sums, draw_uniforms(bits, size) * sums[-1], side="right")
    return np.minimum(at, len(sums) - 1)
