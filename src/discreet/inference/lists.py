"""p(c | o) as a list of counts with their probabilities, where P(o | c) is no product: the exponential family.

Here all candidates are weighed, where every pair of them fits; `discreet.inference.weighted_draws` goes on from there.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from discreet.errors import InvalidInput, TooLarge
from discreet.inference.shares import draw_uniforms
from discreet.mechanisms import Mechanism
from discreet.mechanisms.exponential import Exponential
from discreet.posteriors.grid import grid
from discreet.posteriors.space import exceeds
from discreet.privacy_loss.rates import inverse_sensitivities
from discreet.samplers.bits import Bits
from discreet.typing import Outcome
from discreet.utility.lines import LONGEST, line_kernel

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

LISTED = 1 << 13
"""Spaces of more candidates are not worked out pair by pair."""

KEPT = 1e-18
"""Lighter data sets, over the heaviest, are left out."""

_ROUNDING = 1e-11


class Listed:
    """The posterior of the counts, one row for each data set that matters."""

    def __init__(self, rows: NDArray[np.int64], log_weights: Floats, *, error: float, method: str) -> None:
        import numpy as np

        top = log_weights.max() if len(log_weights) else -math.inf
        if not math.isfinite(top):
            raise InvalidInput("no data leads to this output", hint="give the output as it was released")
        weight = np.exp(log_weights - top)
        kept = weight > KEPT
        self.rows, self.weights = rows[kept], weight[kept] / weight[kept].sum()
        self.error, self.method = error + _ROUNDING, method
        self.silence = 0.0

    def marginal(self, i: int) -> tuple[NDArray[np.int64], Floats]:
        """The counts of a category and their probabilities."""
        import numpy as np

        count, at = np.unique(self.rows[:, i], return_inverse=True)
        return count, np.bincount(at.reshape(-1), self.weights).astype(np.float64)

    def pair(self, i: int, j: int) -> tuple[NDArray[np.int64], NDArray[np.int64], Floats]:
        """Joint counts of two categories and their probabilities."""
        return self.rows[:, i], self.rows[:, j], self.weights

    def total(self, members: Sequence[int]) -> tuple[NDArray[np.int64], Floats]:
        """The counts of some categories together, and their probabilities."""
        import numpy as np

        count, at = np.unique(self.rows[:, list(members)].sum(axis=1), return_inverse=True)
        return count, np.bincount(at.reshape(-1), self.weights).astype(np.float64)

    def split(self, i: int, others: Sequence[int]) -> tuple[int, int, Floats]:
        """The joint law of a category's count and of others' together, as a table with the counts that it begins at."""
        import numpy as np

        x, y = self.rows[:, i], self.rows[:, list(others)].sum(axis=1)
        table = np.zeros((int(x.max() - x.min()) + 1, int(y.max() - y.min()) + 1))
        np.add.at(table, (x - x.min(), y - y.min()), self.weights)
        return int(x.min()), int(y.min()), table

    def draw(self, bits: Bits, size: int) -> NDArray[np.int64]:
        """Whole data sets, one a row."""
        import numpy as np

        sums = np.cumsum(self.weights)
        at = np.searchsorted(sums, draw_uniforms(bits, size) * sums[-1], side="right")
        found: NDArray[np.int64] = self.rows[np.minimum(at, len(sums) - 1)]
        return found


def whole_column(mechanism: Mechanism, output: Outcome) -> Floats:
    """ln P(o | c) for every candidate c, in their order."""
    import numpy as np

    space = mechanism.space
    kernel = line_kernel(mechanism) if space.k == 2 and LISTED < space.n < LONGEST else None
    if kernel is not None and isinstance(mechanism, Exponential):
        return kernel.column(output[0])
    if exceeds(space, LISTED):
        raise TooLarge(f"{mechanism.name} was not made for so many data sets to be weighed", hint="use geometric")
    rank = space.candidates().index(output)
    if not isinstance(mechanism, Exponential):
        return np.array([mechanism.log_pmf(row)[rank] for row in space.candidates()])
    rates, log_totals = _normalisers(mechanism)
    shown: Floats = -rates * grid(space).distances(rank) - log_totals
    return shown


@lru_cache(maxsize=4)
def _normalisers(mechanism: Exponential) -> tuple[Floats, Floats]:
    """s/S(c) and ln NL(c) of every candidate: public, and the same for all outputs."""
    import numpy as np

    table = grid(mechanism.space)
    rates = float(mechanism.scale) * inverse_sensitivities(mechanism, table.rows)
    totals = [float(np.exp(-rate * table.distances(c)).sum()) for c, rate in enumerate(rates.tolist())]
    return rates, np.log(totals)
