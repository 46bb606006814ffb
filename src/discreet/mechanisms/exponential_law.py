"""The law of the exponential mechanism: weights that fall with the Hellinger distance, and how they are drawn from.

Few candidates are listed. More are drawn without a list, by rejection: in blocks on a line of two categories, and from
a mixture of tilted priors in more. Which it is depends on public facts alone.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from flint import arb

from discreet.arithmetic.arrays import Floats, Wholes
from discreet.arithmetic.lgamma_bounds import (
    SAFE,
    least_second_difference,
    least_second_differences,
    most_second_difference,
    most_second_differences,
)
from discreet.arithmetic.numbers import START_BITS, precision, working_bits
from discreet.mechanisms.law import CandidateLaw, require_outcome
from discreet.posteriors.distances import Affinity, hellinger_floats
from discreet.posteriors.space import Counts, PosteriorSpace, exceeds
from discreet.samplers.bits import Bits
from discreet.samplers.bulk_rejection import BulkRejection
from discreet.samplers.line_rejection import LineRejection
from discreet.samplers.simplex_rejection import SimplexRejection
from discreet.typing import Outcome

LISTED = 256
"""Laws on fewer candidates are drawn from by inversion, with the same number of bits for all data."""

LISTED_MANY = 2048
"""The same for three categories or more, where rejection takes longer to prepare."""

_TINY = 1e-300
"""Weights below this are 0 as floats, which no upper bound may be."""


class ExponentialLaw(CandidateLaw):
    """Weight exp(-rate·H(c,r)) on every candidate r, for a real rate = s/S(c) given by enclosures."""

    def __init__(self, space: PosteriorSpace, counts: Counts, rate: Callable[[], arb]) -> None:
        super().__init__(space)
        self.counts = counts
        self._prior = [float(a) for a in space.prior.parameters]
        self._rate = rate
        self._at: tuple[int, arb, Affinity] | None = None
        self._line: LineRejection | None = None
        self._simplex: SimplexRejection | None = None

    def log_weight(self, outcome: Outcome) -> arb:
        """-rate·H(c, outcome) at the working precision."""
        require_outcome(self.space, outcome)
        rate, affinity = self._rate_and_affinity()
        return -rate * affinity.hellinger(outcome)

    def rate(self) -> arb:
        """s/S(c) at the working precision."""
        return self._rate_and_affinity()[0]

    def enclosures(self) -> Iterator[arb]:
        """All log-weights, from one table for each category."""
        rate, affinity = self._rate_and_affinity()
        return (-rate * distance for distance in affinity.all_hellinger(self.space.candidates()))

    def distances(self) -> Floats:
        """H(c, r) for every candidate r."""
        return hellinger_floats(self.space.prior, self.counts, self.space.candidates().array())

    def _draw(self, bits: Bits) -> Outcome:
        if not self._is_long():
            return super()._draw(bits)
        if self.space.k > 2:
            return self._simplex_rejection().draw(bits)
        first = self.counts[0] + self._line_rejection().draw(bits)
        return first, self.space.n - first

    def _draw_many(self, bits: Bits, size: int) -> Wholes:
        if not self._is_long():
            return super()._draw_many(bits, size)
        if self.space.k > 2:
            return self.proposals().draw_many(bits, size)
        first = self.counts[0] + self._line_rejection().draw_many(bits, size, self._log_float_bounds())
        return np.stack([first, self.space.n - first], axis=1)

    def _is_long(self) -> bool:
        """Whether there are more candidates than are quickly listed."""
        return exceeds(self.space, LISTED if self.space.k == 2 else LISTED_MANY)

    def _simplex_rejection(self) -> SimplexRejection:
        if self._simplex is None:
            self._simplex = SimplexRejection(self.space, self.counts, self._rates()[0], self.log_weight)
        return self._simplex

    def proposals(self) -> BulkRejection:
        """The sampler's proposals in bulk, for three categories or more: its normaliser, and many draws."""
        return BulkRejection(self._simplex_rejection(), self._rates())

    def _line_rejection(self) -> LineRejection:
        if self._line is None:
            self._line = LineRejection(self._weight_at, *self._float_bounds(), self.counts[0], self.counts[1])
        return self._line

    def _rates(self) -> tuple[float, float]:
        """Floats certainly below and above the rate."""
        with precision(START_BITS):
            rate = self._rate()
        return math.nextafter(float(rate.lower()), 0.0), math.nextafter(float(rate.upper()), math.inf)

    def _float_bounds(self) -> tuple[Callable[[int], float], Callable[[int], float]]:
        """Floats that are certainly at most and at least the weight at an offset."""
        slow, fast = self._rates()

        def gap(of: Callable[[float, float, int], float], offset: int) -> float:
            return sum(of(*ends, abs(offset)) for ends in self._moves(min(offset, 0), max(offset, 0)))

        def least(offset: int) -> float:
            distance = math.sqrt(-math.expm1(-0.5 * gap(most_second_difference, offset)))
            return math.exp(-fast * (1 + SAFE) * distance) * (1 - SAFE)

        def most(offset: int) -> float:
            distance = math.sqrt(-math.expm1(-0.5 * gap(least_second_difference, offset)))
            return math.exp(-slow * (1 - SAFE) * distance) * (1 + SAFE) + _TINY

        return least, most

    def _log_float_bounds(self) -> Callable[[Wholes], tuple[Floats, Floats]]:
        """The same for the logarithms of the weights at many offsets, without the price of one at a time."""
        slow, fast = self._rates()

        def log_bounds(offset: Wholes) -> tuple[Floats, Floats]:
            moves = self._moves(np.minimum(offset, 0), np.maximum(offset, 0))
            step = np.abs(offset).astype(np.float64)
            near = sum(least_second_differences(*ends, step) for ends in moves)
            far = sum(most_second_differences(*ends, step) for ends in moves)
            return (
                -fast * (1 + SAFE) * np.sqrt(-np.expm1(-0.5 * far)),
                -slow * (1 - SAFE) * np.sqrt(-np.expm1(-0.5 * near)),
            )

        return log_bounds

    def _moves(self, down: Any, up: Any) -> tuple[tuple[Any, Any], tuple[Any, Any]]:
        """The lower and the upper parameter of each category between which an offset, down or up, moves it.

        Whole numbers first: a float of a + c may have lost a, which is all that is left where c is taken away.
        """
        (a, b), (c, d) = self._prior, self.counts
        return (a + (c + down), a + (c + up)), (b + (d - up), b + (d - down))

    def _weight_at(self, offset: int) -> arb:
        return self.log_weight((self.counts[0] + offset, self.counts[1] - offset)).exp()

    def _rate_and_affinity(self) -> tuple[arb, Affinity]:
        bits = working_bits()
        if self._at is None or self._at[0] != bits:
            self._at = bits, self._rate(), Affinity(self.space.prior, self.counts)
        return self._at[1], self._at[2]
