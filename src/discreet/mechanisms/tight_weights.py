"""The weights of the tight-constraints mechanism: K w = 1, solved over partitions, and certified.

K(c, r) = e^(-ε·d(c, r)), with d the number of replaced records. It is a product of the positive definite kernels
e^(-ε|a-b|/2), so the solution is unique, and the same for candidates that differ in the order of categories only.

An inverse in floats, B, proposes; whole numbers decide. The residual of any w in fixed point is known exactly, but for
the stated rounding of e^(-ε·d). If ‖1 - BK‖ ≤ ρ < 1, no weight is farther from w than ‖B‖·‖residual‖/(1 - ρ)
(Krawczyk; maximum norms). Each step w + B·residual multiplies the error by ρ, so any precision is a few steps away.
Tested against rational solutions in `tests/mechanisms/test_tight.py`.

No weight is ever zero: for rational ε > 0, e^(-ε) is transcendental, and a weight is a rational function of it that
tends to 1 as e^(-ε) tends to 0. So the sign of each is decided at some precision. Weights of noisy outputs
(`discreet.mechanisms.tight_outputs`) solve a system of the same kind; one that might be zero there is refused.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from flint import arb
from numpy.typing import NDArray

from discreet.arithmetic.arrays import Floats
from discreet.arithmetic.numbers import ball, decide, fixed_lower, precision, working_bits
from discreet.errors import InvalidInput, TooLarge
from discreet.mechanisms.tight_outputs import NoisyDistances, Outputs
from discreet.posteriors.partitions import PartitionDistances, number_of_partitions, partition_distances
from discreet.posteriors.space import PosteriorSpace

MOST_PARTITIONS = 640
"""Systems of more unknowns are refused: three categories up to n = 84, ten up to n = 20."""

MOST_ENTRIES = 1 << 13
"""The same for categories times partitions, which many categories with few records have. It leaves fewer than 2^55
candidates."""

_SIGN_BITS = 1024
"""A weight that cannot be told from zero with as many bits counts as negative: it is refused."""

_GEOMETRIC = "use geometric, which has no such limit"


class FixedPoint(NamedTuple):
    """Weights in units of 2^-bits, one for each partition, none of them off by more than `radius` units."""

    middle: list[int]
    radius: int
    bits: int

    def balls(self) -> list[arb]:
        """Enclosures."""
        return [_ball(middle, self.radius, self.bits) for middle in self.middle]


def _ball(middle: int, radius: int, bits: int) -> arb:
    enclosure: arb = arb(middle, radius) * arb(2) ** -bits
    return enclosure


def require_solvable(space: PosteriorSpace) -> None:
    """Refuse, from public facts, what would take longer than seconds to solve."""
    n, k = space.n, space.k
    partitions = number_of_partitions(n, k, MOST_PARTITIONS)
    if partitions > MOST_PARTITIONS or partitions * k > MOST_ENTRIES:
        raise TooLarge(
            f"tight solves a system with one unknown for each partition of n into at most k parts, and for at most "
            f"{MOST_PARTITIONS} of them; n = {n:,} and k = {k:,} are too many",
            hint=_GEOMETRIC,
        )


@lru_cache(maxsize=16)
def tight_weights(space: PosteriorSpace, epsilon: Fraction, outputs: Outputs | None = None) -> TightWeights:
    """The weights of candidates, or of noisy outputs, or a refusal where one is negative: no prior is looked at."""
    require_solvable(space)
    weights = _solve(space.n, space.k, epsilon, outputs)
    if not weights.positive:
        raise InvalidInput(
            "tight has no law at this epsilon: a weight would be negative",
            hint="use geometric, or a larger epsilon",
            parameter="epsilon",
        )
    return weights


@lru_cache(maxsize=16)
def _solve(n: int, k: int, epsilon: Fraction, outputs: Outputs | None) -> TightWeights:
    return TightWeights(partition_distances(n, k) if outputs is None else NoisyDistances(n, k, outputs), epsilon)


class TightWeights:
    """w for each partition, or for each noisy output but for its order, at any precision."""

    def __init__(self, distances: PartitionDistances | NoisyDistances, epsilon: Fraction) -> None:
        self.distances, self.epsilon = distances, epsilon
        self._inverse, self._contraction = self._precondition()
        self._norm = float(np.abs(self._inverse).sum(axis=1).max()) * (1 + 1e-9)
        self._fixed: dict[int, FixedPoint] = {}
        self._logs: dict[int, list[arb]] = {}
        self.positive = decide(self._sign, start=128)  # a draw asks for as many bits

    def _precondition(self) -> tuple[Floats, float]:
        """An inverse of K in floats, and a bound on ‖1 - BK‖ for K itself.

        Every entry of K in floats is a sum of at most n + 1 positive terms, each right to a few last digits; products
        of matrices of size P are off by at most P + 2 last digits of the sum of absolute products.
        """
        distances, size = self.distances, len(self.distances.partitions)
        steps = np.exp(-float(self.epsilon) * np.arange(distances.n + 1))
        flat = distances.rows * size + distances.columns
        matrix = np.bincount(flat, distances.numbers * steps[distances.steps]).reshape(size, size)
        try:
            inverse = np.linalg.inv(matrix)
        except np.linalg.LinAlgError:
            raise self._too_flat() from None
        # e^(-ε·d) is off by its last digit times 1 + ε·d; where ε·d > 250, all of it is far below the margin.
        digits = (size + distances.n + 64) * 2.0**-51
        left = np.abs(np.eye(size) - inverse @ matrix) + digits * (np.abs(inverse) @ matrix)
        contraction = float(left.sum(axis=1).max()) * (1 + 1e-6)
        if not contraction <= 0.125:
            raise self._too_flat()
        return inverse, contraction

    def _too_flat(self) -> InvalidInput:
        return InvalidInput(
            "tight cannot be certified at this epsilon: data sets are too alike",
            hint="use geometric, or a larger epsilon",
            parameter="epsilon",
        )

    def _sign(self) -> bool | None:
        fixed = self.fixed(working_bits())
        if min(fixed.middle) > fixed.radius:
            return True
        return False if min(fixed.middle) < -fixed.radius or working_bits() > _SIGN_BITS else None

    def fixed(self, bits: int) -> FixedPoint:
        """All weights, to 2^-bits or better."""
        rounded_bits = 64 << max(0, math.ceil(math.log2(bits / 64)))
        if rounded_bits not in self._fixed:
            self._fixed[rounded_bits] = self._refine(rounded_bits)
        return self._fixed[rounded_bits]

    def _refine(self, bits: int) -> FixedPoint:
        """Steps in whole numbers until the residual is as small as e^(-ε·d) in fixed point lets it be."""
        guard = self.distances.outcomes.bit_length() + math.ceil(math.log2(self._norm + 2)) + 16
        unit = bits + guard
        matrix = self._fixed_matrix(unit)
        weights: NDArray[np.object_] = np.zeros(len(matrix), dtype=object)
        before = math.inf
        while True:
            # The residual of these very weights, in units of 2^(-2·unit), but for the rounding of the matrix.
            residual = (1 << 2 * unit) - matrix @ weights
            largest = float(Fraction(int(max(abs(residual))), 1 << 2 * unit))
            if largest <= 2.0 ** -(bits + 8) or largest > before / 2:
                break
            before = largest
            floats = np.array([value / (1 << 2 * unit) for value in residual])
            for i, move in enumerate((self._inverse @ floats).tolist()):
                weights[i] += int(Fraction(move) * (1 << unit))
        top = int(max(abs(weights)))
        # fixed_lower of e^(-ε·d) is at most two units too low, for each of all outcomes.
        rounded = 2 * self.distances.outcomes * Fraction(top, 1 << unit) / (1 << unit)
        wrong = (Fraction(int(max(abs(residual))), 1 << 2 * unit) + rounded) * Fraction(self._norm)
        wrong /= 1 - Fraction(self._contraction)
        return FixedPoint([int(x) for x in weights], math.ceil(wrong * (1 << unit)), unit)

    def _fixed_matrix(self, unit: int) -> NDArray[np.object_]:
        """K in units of 2^-unit, rounded down."""
        distances, size = self.distances, len(self.distances.partitions)
        with precision(unit + 32):
            steps = [fixed_lower((-ball(self.epsilon * d)).exp(), unit) for d in range(distances.n + 1)]
        matrix: NDArray[np.object_] = np.zeros(size * size, dtype=object)
        flat = distances.rows * size + distances.columns
        for d, step in enumerate(steps):
            at = distances.steps == d
            matrix[flat[at]] += distances.numbers[at].astype(object) * step
        return matrix.reshape(size, size)

    def log_weights(self) -> list[arb]:
        """Enclosures of ln w of all partitions, at the working precision or better."""
        bits = working_bits()
        if bits not in self._logs:
            with precision(bits + 32):
                self._logs[bits] = [weight.log() for weight in self.fixed(bits + 8).balls()]
        return self._logs[bits]

    def log_floats(self) -> Floats:
        """ln w of all partitions, in floats."""
        with precision(96):
            return np.array([float(weight) for weight in self.log_weights()])
