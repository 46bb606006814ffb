"""1/S(c) for all data sets of a space at once, in floats, for wide scans.

The same arrangements as in `discreet.sensitivity.exact`, vectorised: `tests/privacy_loss/test_rates.py` holds the two
together.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from discreet.mechanisms.exponential import (
    Exponential,
    ExponentialGlobal,
    ExponentialLocal,
    ExponentialReciprocal,
    ExponentialSmooth,
)
from discreet.posteriors.distances import second_difference
from discreet.posteriors.space import PosteriorSpace
from discreet.sensitivity.exact import global_sensitivity

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def inverse_sensitivities(mechanism: Exponential, rows: NDArray[np.int64]) -> NDArray[np.float64]:
    """1/S(c) for every row of counts."""
    return Steps(mechanism.space, rows).inverse(type(mechanism), float(getattr(mechanism, "gamma", 0)))


class Steps:
    """The steps that can be extreme for each of many data sets: their inverse sizes and their distances."""

    def __init__(self, space: PosteriorSpace, rows: NDArray[np.int64]) -> None:
        self.space, self._rows = space, rows
        self.local = self._local()
        self._far: list[tuple[NDArray[np.float64], NDArray[np.int64]]] | None = None

    def inverse(self, kind: type[Exponential], gamma: float) -> NDArray[np.float64]:
        """1/S for one kind of sensitivity."""
        import numpy as np

        if kind is ExponentialGlobal:
            return np.full(len(self._rows), 1 / global_sensitivity(self.space))
        found = self.local
        if kind is ExponentialLocal:
            return found
        for inverse, distance in self.far():
            if kind is ExponentialReciprocal:
                found = np.minimum(found, inverse + gamma * distance)
            elif kind is ExponentialSmooth:
                found = np.minimum(found, inverse * np.exp(np.minimum(gamma * distance, 600.0)))
            else:
                raise TypeError(kind.__name__)
        return found

    def far(self) -> list[tuple[NDArray[np.float64], NDArray[np.int64]]]:
        """The inverse steps that smoothing may prefer to the local one, with their distances."""
        if self._far is None:
            self._far = self._arrangements()
        return self._far

    def _local(self) -> NDArray[np.float64]:
        """1/LS: the least over the pairs whose source holds a record."""
        import numpy as np

        c = self._rows
        found = np.full(len(c), np.inf)
        for i, j in itertools.permutations(range(self.space.k), 2):
            has = c[:, i] >= 1
            found[has] = np.minimum(found[has], self._inverse_step(i, c[has, i], j, c[has, j]))
        return found

    def _arrangements(self) -> list[tuple[NDArray[np.float64], NDArray[np.int64]]]:
        import numpy as np

        c, n = self._rows, self.space.n
        found = []
        if self.space.k == 2:
            for i, j in ((0, 1), (1, 0)):
                end = self._inverse_step(i, np.array([1]), j, np.array([n - 1]))
                found.append((np.full(len(c), end[0]), np.maximum(c[:, i] - 1, 0)))
            return found
        for i, j in itertools.permutations(range(self.space.k), 2):
            for left_i in (np.maximum(c[:, i], 1), np.ones_like(c[:, i])):
                for left_j in (c[:, j], np.zeros_like(c[:, j])):
                    taken = np.maximum(c[:, i] - left_i, 0) + (c[:, j] - left_j)
                    put = np.maximum(left_i - c[:, i], 0)
                    inverse = self._inverse_step(i, left_i, j, left_j)
                    fits = left_i + left_j <= n
                    found.append((np.where(fits, inverse, np.inf), np.maximum(taken, put)))
        return found

    def _inverse_step(
        self, i: int, source: NDArray[np.int64], j: int, target: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        """1/sqrt(1 - g(α_i + source - 1)·g(α_j + target))."""
        import numpy as np

        shown: NDArray[np.float64] = 1 / np.sqrt(-np.expm1(self._log_step(i, source - 1) + self._log_step(j, target)))
        return shown

    def _log_step(self, i: int, count: NDArray[np.int64]) -> NDArray[np.float64]:
        x = float(self.space.prior.parameters[i]) + count
        shown: NDArray[np.float64] = -0.5 * second_difference(x, x + 1, 1)
        return shown
