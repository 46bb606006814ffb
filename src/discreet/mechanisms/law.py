"""Law: the one currency. Outcomes with exact weights; what is audited is what is drawn from.

A law holds the data it belongs to, so it is private: it shows nothing of itself.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator

import numpy as np
from flint import arb

from discreet.arithmetic.arrays import Floats, Wholes
from discreet.arithmetic.numbers import ball, precision
from discreet.errors import InvalidInput
from discreet.posteriors.space import Counts, PosteriorSpace, require_enumerable
from discreet.samplers.bits import SYSTEM, Bits, Inverter, Table, tabulate_enclosed
from discreet.typing import Outcome

ENUMERABLE = 1 << 16
"""Finite laws with more outcomes are not drawn from by enumeration."""

_FLOAT_BITS = 96


class Law(ABC):
    """A set of outcomes with exact weights, able to draw itself from fair bits."""

    @abstractmethod
    def log_weight(self, outcome: Outcome) -> arb:
        """An enclosure of the logarithm of an outcome's weight, at the working precision."""

    @abstractmethod
    def log_total(self) -> arb:
        """An enclosure of the logarithm of the sum of all weights, at the working precision."""

    def log_probability(self, outcome: Outcome) -> arb:
        """An enclosure of an outcome's log-probability, at the working precision."""
        return self.log_weight(outcome) - self.log_total()

    def draw(self) -> Outcome:
        """One outcome, exactly from this law, with bits of the operating system."""
        return self._draw(SYSTEM)

    def draw_many(self, size: int) -> Wholes:
        """Independent outcomes as rows, each as exact as `draw`, for studies."""
        return self._draw_many(SYSTEM, size)

    @abstractmethod
    def _draw(self, bits: Bits) -> Outcome: ...

    def _draw_many(self, bits: Bits, size: int) -> Wholes:
        return np.array([self._draw(bits) for _ in range(size)], dtype=np.int64)

    def __repr__(self) -> str:
        return f"<{type(self).__name__}>"


class CandidateLaw(Law):
    """A law on the candidates of a space, by their counts. A subclass gives their log-weights as enclosures."""

    def __init__(self, space: PosteriorSpace) -> None:
        self.space = space
        self._inverter: Inverter | None = None

    def log_weights(self) -> Floats:
        """The log-weights of all candidates in their order, each rounded to a float; a kernel has them at once."""
        with precision(_FLOAT_BITS):
            return np.array([float(weight) for weight in self.enclosures()])

    def log_pmf(self) -> Floats:
        """The log-probabilities of all candidates in their order, as floats."""
        weights = self.log_weights()
        top = weights.max()
        logs: Floats = weights - (top + np.log(np.exp(weights - top).sum()))
        return logs

    def enclosures(self) -> Iterator[arb]:
        """The log-weights of all candidates in their order, at the working precision."""
        return (self.log_weight(r) for r in self.space.candidates())

    def log_total(self) -> arb:
        """The logarithm of the sum of all weights, by enumeration."""
        require_enumerable(self.space, limit=ENUMERABLE)
        total = ball(0)
        for weight in self.enclosures():
            total += weight.exp()
        return total.log()

    def _draw(self, bits: Bits) -> Outcome:
        return self.space.candidates().unrank(self._inversion().draw(bits))

    def _draw_many(self, bits: Bits, size: int) -> Wholes:
        return self.space.candidates().array()[self._inversion().draw_many(bits, size)]

    def _inversion(self) -> Inverter:
        if self._inverter is None:
            require_enumerable(self.space, limit=ENUMERABLE)
            self._inverter = Inverter(self._table, self.space.size)
        return self._inverter

    def _table(self, width: int) -> Table:
        scale = width + self.space.size.bit_length() + 8
        with precision(scale + 16):
            weights = [log_weight.exp() for log_weight in self.enclosures()]
        return tabulate_enclosed(weights, arb(0), scale, width)


class ClampedLaw(CandidateLaw):
    """k-1 counts with independent noise, each clamped to what is left of n; the last category takes the rest.

    A subclass gives the law of one noisy count. The weights of all candidates sum to one.
    """

    def __init__(self, space: PosteriorSpace, counts: Counts) -> None:
        super().__init__(space)
        self.counts = counts

    def log_weight(self, outcome: Outcome) -> arb:
        """The log-probability of a candidate: a sum over categories."""
        require_outcome(self.space, outcome)
        total, left = ball(0), self.space.n
        for count, value in zip(self.counts[:-1], outcome[:-1], strict=True):
            if left == 0:
                break
            total += self._log_mass(count, value, left)
            left -= value
        return total

    def log_total(self) -> arb:
        """ln 1."""
        return ball(0)

    def _draw(self, bits: Bits) -> Outcome:
        values: list[int] = []
        for count in self.counts[:-1]:
            values.append(min(max(self._draw_noisy(bits, count), 0), self.space.n - sum(values)))
        return (*values, self.space.n - sum(values))

    @abstractmethod
    def _log_mass(self, count: int, value: int, left: int) -> arb:
        """The log-probability that a noisy count is clamped to the value, which is at most what is left."""

    @abstractmethod
    def _draw_noisy(self, bits: Bits, count: int) -> int: ...


def require_outcome(space: PosteriorSpace, outcome: Outcome) -> None:
    """Refuse what no candidate of the space is."""
    if len(outcome) != space.k or not space.adjacency.allows(sum(outcome)) or min(outcome) < 0:
        raise InvalidInput("this is not a candidate of the space", hint="give k whole numbers ≥ 0 that sum to n")
