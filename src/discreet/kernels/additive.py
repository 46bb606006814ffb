"""Kernels of additive noise: P(o | c) is a product of one factor for each category.

Geometric noise is independent but for its total, and a sequentially clamped count looks only at its own noise, because
what is left for it is known from the output. Far from the output every factor falls by a known rate at each step.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from functools import cached_property

import numpy as np

from discreet.arithmetic.arrays import Floats
from discreet.arithmetic.numbers import nearest_float, precision
from discreet.kernels.base import Factor, Kernel, Logs, Rows, rounded
from discreet.kernels.line_noise import LineNoise
from discreet.mechanisms import Geometric, Laplace, LaplaceImproved, SnappedCounts
from discreet.mechanisms.snapping.counts import SnappedCountsLaw
from discreet.samplers.bits import Bits
from discreet.samplers.noise import RoundedLaplace, ZeroSum
from discreet.typing import Outcome

LONGEST_SNAPPED = 1 << 12
"""Exact masses of snapped counts are worked out one by one, for at most this many counts."""

_CELLS, _SNAPPED, _BITS, _PAIRS = 1 << 14, 1 << 8, 64, 1 << 16


class GeometricKernel(Kernel):
    """exp(-ε‖z-c‖₁/2) over its sum, which no data changes."""

    mechanism: Geometric
    signed = noisy = reached = True
    pace = "quick"

    @cached_property
    def _log_total(self) -> float:
        return nearest_float(self.mechanism.noise.log_total)

    @property
    def postprocess(self) -> str:
        """As the mechanism has it."""
        return self.mechanism.way

    @property
    def zero_sum(self) -> ZeroSum | None:
        """The mechanism's."""
        return self.mechanism.noise

    @property
    def half(self) -> float:
        """The rate of each category's factor."""
        return float(self.mechanism.epsilon) / 2

    def log_normaliser(self, counts: object) -> Logs:
        """In closed form."""
        return rounded(np.array(self._log_total))

    def _logs(self, data: Rows, outputs: Rows) -> Logs:
        return rounded(-self.half * np.abs(outputs - data).sum(axis=1) - self._log_total)

    def draw_outputs(self, data: Rows, each: int, bits: Bits) -> Rows:
        """Noise is the same for all data sets, and drawn at once."""
        noisy = np.repeat(data, each, axis=0) + self.mechanism.noise.draw_many(bits, each * len(data))
        return self.mechanism.postprocess(noisy).reshape(len(data), each, self.space.k)

    @property
    def quick(self) -> bool:
        """By how wide the noise is; in blocks, by how many standard deviations of the shares that are."""
        n, k = self.space.n, self.space.k
        wide = min(float(n), 80 / self.half)
        return wide <= _CELLS * math.sqrt(n) if k == 2 else k * wide <= _CELLS

    @property
    def reach(self) -> float:
        """Few where ε is large."""
        return min(self.space.n + 1.0, 45 / self.half)

    @property
    def noise(self) -> LineNoise | None:
        """Two-sided geometric."""
        return LineNoise.geometric(self.mechanism.epsilon) if self.space.k == 2 else None

    def factors(self, output: Outcome) -> list[Factor]:
        """exp(-half·|z-x|); a z outside 0 … n falls from the end on."""
        return [self._around(min(max(z, 0), self.space.n)) for z in output]

    def _around(self, inside: int) -> Factor:
        rate = self.half
        return Factor(inside, inside, rate, rate, lambda x: -rate * np.abs(x - inside).astype(np.float64))


class ClampedKernel(Kernel):
    """Noisy counts that are clamped in turn to what is left: the last category's count is not looked at."""

    def log_normaliser(self, counts: object) -> Logs:
        """These weights are probabilities."""
        return Logs(np.array(0.0), np.array(0.0))

    def _logs(self, data: Rows, outputs: Rows) -> Logs:
        total = np.zeros(max(len(data), len(outputs)))
        left = np.full(len(outputs), self.space.n)
        for i in range(self.space.k - 1):
            value = outputs[:, i]
            total = total + np.where(left == 0, 0.0, self.part(value, left, data[:, i]))
            left = left - value
        return rounded(total)

    def all_rows(self) -> Floats:
        """Some data sets at a time, each with all candidates."""
        rows, some = self.candidates, max(1, _PAIRS // len(self.candidates))
        return np.concatenate([
            self._logs(
                np.repeat(rows[start : start + some], len(rows), axis=0),
                np.tile(rows, (len(rows[start : start + some]), 1)),
            ).values.reshape(-1, len(rows))
            for start in range(0, len(rows), some)
        ])  # fmt: skip

    @abstractmethod
    def part(self, value: Rows, left: Rows, count: Rows) -> Floats:
        """ln P(value | count) of a noisy count that is clamped to what is left."""

    @abstractmethod
    def _rate(self, value: int, left: int) -> tuple[float, float]:
        """By how much a factor falls at each step to the left and to the right of what it points to."""

    def factors(self, output: Outcome) -> list[Factor] | None:
        """One factor after the other; once nothing is left, and for the last, a category's count was not looked at."""
        found, left, n = [], self.space.n, self.space.n
        unseen = Factor(0, n, 0.0, 0.0, lambda x: np.zeros(len(x)))
        for value in output[:-1]:
            found.append(self._factor(value, left) if left else unseen)
            left -= value
        return [*found, unseen]

    def _factor(self, value: int, left: int) -> Factor:
        one, other = np.array([value]), np.array([left])
        return Factor(value, value, *self._rate(value, left), lambda x: self.part(one, other, x))


class LaplaceKernel(ClampedKernel):
    """Rounded Laplace noise."""

    mechanism: Laplace | LaplaceImproved
    noisy = True

    @cached_property
    def laplace(self) -> RoundedLaplace:
        """The mechanism's."""
        return RoundedLaplace(self.mechanism.rate, self.mechanism.rounding)

    def part(self, value: Rows, left: Rows, count: Rows) -> Floats:
        """By the rounded noise, and at the ends by its tails."""
        inside, low, high = self.laplace.log_floats(value - count)
        return np.where(value == 0, low, np.where(value == left, high, inside))

    def _rate(self, value: int, left: int) -> tuple[float, float]:
        """A count that was clamped to what was left may be any larger one."""
        rate = float(self.mechanism.rate)
        return rate, rate if value == 0 or value < left else 0.0

    @property
    def quick(self) -> bool:
        """As for geometric noise; of more categories, a count that was clamped leaves others free to be anything."""
        n, k = self.space.n, self.space.k
        if k > 2:
            return k * n <= _CELLS
        return min(float(n), 160 / float(self.mechanism.epsilon)) <= _CELLS * math.sqrt(n)

    @property
    def noise(self) -> LineNoise | None:
        """Two-sided, with its own mass at zero."""
        return LineNoise.laplace(self.mechanism.rate, self.mechanism.rounding) if self.space.k == 2 else None


class SnappedKernel(ClampedKernel):
    """Snapped counts: exact dyadic masses, one by one."""

    mechanism: SnappedCounts

    @cached_property
    def _law(self) -> SnappedCountsLaw:
        # Masses take the count itself, so the law of any data set has them all, and keeps them.
        return self.mechanism.law([self.space.n, *[0] * (self.space.k - 1)])

    def part(self, value: Rows, left: Rows, count: Rows) -> Floats:
        """One exact mass for each triple that occurs."""
        triples = np.stack(np.broadcast_arrays(count, value, left), axis=-1).reshape(-1, 3)
        unique, back = np.unique(triples, axis=0, return_inverse=True)
        with precision(_BITS):
            masses = [self._law._mass(*map(int, triple)) for triple in unique.tolist()]
            logs = [float(mass.ball().log()) if mass.mantissa else -math.inf for mass in masses]
        return np.array(logs)[back.reshape(-1)]

    def _rate(self, value: int, left: int) -> tuple[float, float]:
        return 0.0, 0.0

    def factors(self, output: Outcome) -> list[Factor] | None:
        """Where the masses are few enough to be worked out."""
        return super().factors(output) if self.space.n <= LONGEST_SNAPPED else None

    def _factor(self, value: int, left: int) -> Factor:
        found = super()._factor(value, left)
        return Factor(0, self.space.n, 0.0, 0.0, found.log)

    @property
    def quick(self) -> bool:
        """By how many masses there are."""
        return self.space.k * self.space.n <= _SNAPPED
