"""Kernels of additive noise: P(o | c) is a product of one factor for each category.

Geometric noise is independent but for its total, and a sequentially clamped count looks only at its own noise, because
what is left for it is known from the output. Far from the output every factor falls by a known rate at each step.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable
from functools import cache, cached_property

import numpy as np

from discreet.arithmetic.arrays import Floats
from discreet.arithmetic.numbers import nearest_float, precision
from discreet.kernels.base import Factor, Kernel, Logs, Rows, closed_form_logs, exponential_factor
from discreet.kernels.line_noise import LineNoise
from discreet.mechanisms import Geometric, Laplace, LaplaceImproved, SnappedCounts
from discreet.mechanisms.noisy_counts import NoisyCounts
from discreet.samplers.bits import Bits
from discreet.samplers.noise import RoundedLaplace, zero_sum
from discreet.typing import Outcome

LONGEST_SNAPPED = 1 << 12
"""Exact masses of snapped counts are worked out one by one, for at most this many counts."""

_CELLS, _SNAPPED, _BITS = 1 << 14, 1 << 8, 64


class NoisyKernel(Kernel):
    """Noise on counts that no data changes. Where n is private each count has noise of its own."""

    mechanism: NoisyCounts
    signed = noisy = True
    pace = "quick"
    far: float
    """About how far from an output are the counts that matter to its reader."""
    wide: float
    """About how many counts are summed around an output."""

    @cached_property
    def _log_total(self) -> float:
        return nearest_float(self.mechanism.noise.log_total)

    def log_normaliser(self, counts: object) -> Logs:
        return closed_form_logs(np.array(self._log_total))

    def draw_outputs(self, data: Rows, each: int, bits: Bits) -> Rows:
        """Noise is the same for all data sets, and drawn at once."""
        noisy = np.repeat(data, each, axis=0) + self.mechanism.noise.draw_many(bits, each * len(data))
        return self.mechanism.postprocess(noisy).reshape(len(data), each, self.space.k)

    @property
    def reach(self) -> float:
        return min(self.space.n + 1.0, self.far) if self.space.adjacency.keeps_total else self.far

    @property
    def quick(self) -> bool:
        """By how wide the noise is; in blocks, by how many standard deviations of the shares that are."""
        k = self.space.k
        if not self.space.adjacency.keeps_total:
            return k * self.wide <= _CELLS
        wide = min(float(self.space.n), self.wide)
        return wide <= _CELLS * math.sqrt(self.space.n) if k == 2 else k * wide <= _CELLS

    def factors(self, output: Outcome) -> list[Factor]:
        """The weight of z - x; a z outside of the counts falls from their end on. Equal counts have the same factor."""
        last = self.space.n if self.space.adjacency.keeps_total else max(*output, 0)
        around = {z: self._around(z, min(max(z, 0), last)) for z in set(output)}
        return [around[z] for z in output]

    @abstractmethod
    def _around(self, z: int, inside: int) -> Factor:
        """The factor of a noisy count, and the count that is nearest to it."""


class GeometricKernel(NoisyKernel):
    """Geometric noise: exp(-rate·‖z-c‖₁) over its sum. Where n is public, it sums to zero."""

    mechanism: Geometric
    reached = True

    def __init__(self, mechanism: Geometric) -> None:
        super().__init__(mechanism)
        self.postprocess, self.rate = mechanism.postprocessing, float(mechanism.noise.rate)
        """The rate of each category's factor."""
        self.far, self.wide = 45 / self.rate, 80 / self.rate
        if self.space.adjacency.keeps_total:
            self.zero_sum = zero_sum(mechanism.noise.rate, self.space.k)
            self.noise = LineNoise.geometric(mechanism.epsilon) if self.space.k == 2 else None

    def _logs(self, data: Rows, outputs: Rows) -> Logs:
        return closed_form_logs(-self.rate * np.abs(outputs - data).sum(axis=1) - self._log_total)

    def _around(self, z: int, inside: int) -> Factor:
        return exponential_factor(self.rate, inside)


class ClampedKernel(Kernel):
    """Noisy counts that are clamped in turn to what is left: the last category's count is not looked at."""

    def log_normaliser(self, counts: object) -> Logs:
        return Logs(np.array(0.0), np.array(0.0))  # these weights are probabilities

    def _logs(self, data: Rows, outputs: Rows) -> Logs:
        total = np.zeros(max(len(data), len(outputs)))
        left = np.full(len(outputs), self.space.n)
        for i in range(self.space.k - 1):
            value = outputs[:, i]
            total = total + np.where(left == 0, 0.0, self.part(value, left, data[:, i]))
            left = left - value
        return closed_form_logs(total)

    @abstractmethod
    def part(self, value: Rows, left: Rows, count: Rows) -> Floats:
        """ln P(value | count) of a noisy count that is clamped to what is left."""

    def _rates(self, value: int, left: int) -> tuple[float, float]:
        """By how much a factor falls at each step to the left and to the right of what it points to; 0 if unknown."""
        return 0.0, 0.0

    def factors(self, output: Outcome) -> list[Factor] | None:
        """One factor after the other; once nothing is left, and for the last, a category's count was not looked at."""
        factors, left, n = [], self.space.n, self.space.n
        unseen = Factor(0, n, 0.0, 0.0, lambda x: np.zeros(len(x)))
        for value in output[:-1]:
            factors.append(self._factor(value, left) if left else unseen)
            left -= value
        return [*factors, unseen]

    def _factor(self, value: int, left: int) -> Factor:
        values, lefts, rates = np.array([value]), np.array([left]), self._rates(value, left)
        ends = (value, value) if any(rates) else (0, self.space.n)
        return Factor(*ends, *rates, lambda x: self.part(values, lefts, x))


class LaplaceKernel(ClampedKernel):
    """Rounded Laplace noise."""

    mechanism: Laplace | LaplaceImproved
    laplace: RoundedLaplace
    noisy = True

    def __init__(self, mechanism: Laplace | LaplaceImproved) -> None:
        super().__init__(mechanism)
        self.laplace = RoundedLaplace(mechanism.rate, mechanism.rounding)
        self.noise = LineNoise.laplace(mechanism.rate, mechanism.rounding) if self.space.k == 2 else None

    def part(self, value: Rows, left: Rows, count: Rows) -> Floats:
        """By the rounded noise, and at the ends by its tails."""
        inside, low, high = self.laplace.log_floats(value - count)
        return np.where(value == 0, low, np.where(value == left, high, inside))

    def _rates(self, value: int, left: int) -> tuple[float, float]:
        """A count that was clamped to what was left may be any larger one."""
        rate = float(self.mechanism.rate)
        return rate, rate if value < left else 0.0

    @property
    def quick(self) -> bool:
        """As for geometric noise; of more categories, a count that was clamped leaves others free to be anything."""
        n, k = self.space.n, self.space.k
        if k > 2:
            return k * n <= _CELLS
        return min(float(n), 160 / float(self.mechanism.epsilon)) <= _CELLS * math.sqrt(n)


class SnappedKernel(ClampedKernel):
    """Snapped counts: exact dyadic masses, one by one."""

    mechanism: SnappedCounts

    @cached_property
    def _log_mass(self) -> Callable[[int, int, int], float]:
        # Masses take the count itself, so the law of any data set has them all.
        law = self.mechanism.law([self.space.n, *[0] * (self.space.k - 1)])

        @cache
        def log_mass(count: int, value: int, left: int) -> float:
            with precision(_BITS):
                mass = law._mass(count, value, left)
                return float(mass.ball().log()) if mass.mantissa else -math.inf

        return log_mass

    def part(self, value: Rows, left: Rows, count: Rows) -> Floats:
        """One exact mass for each triple that occurs."""
        triples = np.column_stack(np.broadcast_arrays(count, value, left))
        return np.array([self._log_mass(*triple) for triple in triples.tolist()])

    def factors(self, output: Outcome) -> list[Factor] | None:
        """Where the masses are few enough to be worked out, and without a promise of how they fall."""
        return super().factors(output) if self.space.n <= LONGEST_SNAPPED else None

    @property
    def quick(self) -> bool:
        """By how many masses there are."""
        return self.space.k * self.space.n <= _SNAPPED
