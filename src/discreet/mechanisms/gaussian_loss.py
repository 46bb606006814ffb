"""The privacy loss of discrete Gaussian noise that sums to zero, exactly: one release, or several of the same noise.

Between neighbours c and c - e_i + e_j the loss of an output c + t is (1 + t_i - t_j)/σ², the same for all data. With
D = t_i - t_j, P(D = d) = w·e^(-d²/4σ²), where w depends on k and on whether d is even: `parity_sums` knows it.
m releases have the loss (m + D)/σ², where D is now the sum of theirs, and e^-loss·e^(-d²/4mσ²) = e^(-(d+2m)²/4mσ²). So

    δ(ε) = Σ P(d)·max(0, 1 - e^(ε-loss)) = w·[T(a) - e^ε·T(a + 2m)],   a the least d with a loss above ε,

with T a tail of a Gaussian sum. For m > 1 the releases are vectors of a lattice, those of one d are a shift of those of
d = 0, and a lattice's Gaussian sum is greatest unshifted: P(d) ≤ w^m·R·e^(-d²/4mσ²), with R the sum over m whole
numbers that sum to zero. These bounds sum to 1 + η with an η that is tiny unless σ is below 2 or so; then every δ is
right up to η.

Zero-concentrated: D_a ≤ a/σ² for every order a, for the same reason, so ρ = 1/σ² a release (mathematics: section 13).
Where one record is added or removed, one cell moves by 1: that is the loss of two categories at twice the variance.
Tests: `tests/mechanisms/test_gaussian.py`, against enumeration.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

from flint import arb
from scipy.special import log_ndtr

from discreet.arithmetic.gaussian_sums import parity_sums, tail_sum, wave_sum, zero_sum_total
from discreet.arithmetic.numbers import ball, fraction_lower, fraction_upper, precision

BITS = 192
SIGMA_DIGITS, EPSILON_DIGITS = 20, 44
"""Bits of a standard deviation that is found for a δ, and of an ε: rounded to the safe side."""

_MOST_STEPS = 200


class Tail(NamedTuple):
    """P(D = d) is at most weight·e^(-d²/2·variance) for d = residue, residue ± step, …"""

    weight: arb
    residue: int
    step: int


class Spread(NamedTuple):
    """The chances of D, of which the bounds sum to 1 + excess."""

    tails: tuple[Tail, ...]
    variance: Fraction
    excess: arb


@dataclass(frozen=True)
class GaussianLoss:
    """The loss of `times` releases of noise of this variance on k categories.

    >>> one = GaussianLoss(Fraction(25), 3)
    >>> [round(float(end), 9) for end in one.delta_bounds(Fraction(1))]
    [2.2867e-05, 2.2867e-05]
    >>> [round(float(end), 4) for end in GaussianLoss(Fraction(1600), 2, 40).epsilon_bounds(Fraction(1, 10**6))]
    [0.9405, 0.9405]
    """

    variance: Fraction
    k: int
    times: int = 1

    @property
    def rho(self) -> Fraction:
        """They are ρ-zCDP."""
        return self.times / self.variance

    def delta_bounds(self, epsilon: Fraction) -> tuple[Fraction, Fraction]:
        """Below and above the least δ with which they are (ε, δ)-DP."""
        with precision(BITS):
            above = self._delta(epsilon)
            below = fraction_lower(above - self.spread.excess)
        return max(below, Fraction(0)), min(max(fraction_upper(above), Fraction(0)), Fraction(1))

    def epsilon_bounds(self, delta: Fraction) -> tuple[Fraction, Fraction]:
        """Below and above the least ε with which they are (ε, δ)-DP, for a δ above 0."""
        if self.delta_bounds(Fraction(0))[1] <= delta:
            return Fraction(0), Fraction(0)
        start = _epsilon_about(math.sqrt(2 * self.rho), float(delta))
        above = _least(lambda at: self.delta_bounds(at)[1] <= delta, start, EPSILON_DIGITS)
        below = above * (1 - Fraction(1, 1 << (EPSILON_DIGITS - 2)))
        while self.delta_bounds(below)[0] <= delta and below > 0:  # rarely: the truth is below the first guess
            below = max(2 * below - above, Fraction(0))
        return below, above

    @property
    def spread(self) -> Spread:
        """The chances of D, at the working precision."""
        return _spread(self.variance, self.k, self.times)

    def _delta(self, epsilon: Fraction) -> arb:
        tails, variance, _ = self.spread
        total, grown = arb(0), ball(epsilon).exp()
        for weight, residue, step in tails:
            least = math.floor(epsilon * self.variance) - self.times + 1  # the first whole d with a loss above ε
            start = least + (residue - least) % step
            total += weight * (
                tail_sum(variance, start, step) - grown * tail_sum(variance, start + 2 * self.times, step)
            )
        return total


@lru_cache(maxsize=256)
def _spread(variance: Fraction, k: int, times: int) -> Spread:
    with precision(BITS):
        even, odd = parity_sums(variance, k)
        both, only_even = wave_sum(2 * variance), wave_sum(variance / 2)
        total = even * only_even + odd * (both - only_even)
        wide = 2 * times * variance
        if times == 1:
            tails = [Tail(even / total, 0, 2), Tail(odd / total, 1, 2)]
            return Spread(tuple(tails[: 1 if k == 2 else 2]), wide, arb(0))
        if k == 2:  # D is twice a whole number
            weight = zero_sum_total(variance / 2, times) / only_even**times
            return Spread((Tail(weight, 0, 2),), wide, _above_one(weight * wave_sum(wide / 4)))
        weight = (even / total) ** times * zero_sum_total(2 * variance, times)
        return Spread((Tail(weight, 0, 1),), wide, _above_one(weight * wave_sum(wide)))


def _above_one(total: arb) -> arb:
    """By how much bounds on chances exceed 1 in all, from 0 on."""
    return (total - 1).union(arb(0)).nonnegative_part()


@lru_cache(maxsize=256)
def least_deviation(epsilon: Fraction, delta: Fraction, k: int, times: int = 1, *, lone: bool = False) -> Fraction:
    """A σ with which `times` releases together are (ε, δ)-DP: the least of 20 bits that was found, and certified.

    Where one record moves a `lone` count, the losses are those of two categories at twice the variance.

    >>> sigma = least_deviation(Fraction(1), Fraction(1, 10**6), 3)
    >>> round(float(sigma), 4), GaussianLoss(sigma**2, 3).delta_bounds(Fraction(1))[1] <= Fraction(1, 10**6)
    (5.9766, True)
    """
    start = math.sqrt((1 if lone else 2) * times) / _scale_about(float(epsilon), float(delta))

    def keeps(sigma: Fraction) -> bool:
        return gaussian_loss(sigma, k, times, lone=lone).delta_bounds(epsilon)[1] <= delta

    return _least(keeps, start, SIGMA_DIGITS)


def gaussian_loss(sigma: Fraction, k: int, times: int = 1, *, lone: bool = False) -> GaussianLoss:
    """The loss of a σ: of noise that sums to zero, or of noise on each count by itself, of which a record moves one.

    >>> gaussian_loss(Fraction(2), 5).rho, gaussian_loss(Fraction(2), 5, lone=True).rho
    (Fraction(1, 4), Fraction(1, 8))
    """
    return GaussianLoss(2 * sigma**2, 2, times) if lone else GaussianLoss(sigma**2, k, times)


def _least(enough: Callable[[Fraction], bool], about: float, digits: int) -> Fraction:
    """The least number of so many bits that was found to be enough, sought from about this one on."""
    unit = Fraction(2) ** (math.frexp(about)[1] - digits)
    place, stride = max(1, math.ceil(Fraction(about) / unit)), 1
    if enough(place * unit):
        high = place
        while place > 1 and enough((low := max(1, place - stride)) * unit):
            place = high = low
            stride *= 2
        low = max(0, place - stride)
    else:
        low = place
        while not enough((high := place + stride) * unit):
            low, stride = high, 2 * stride
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle * unit) else (middle, high)
    return high * unit


def _log_delta(scale: float, epsilon: float) -> float:
    """ln δ(ε) of a continuous Gaussian whose mean moves by `scale` deviations: where to begin, and no more."""
    up, down = log_ndtr(scale / 2 - epsilon / scale), epsilon + log_ndtr(-scale / 2 - epsilon / scale)
    return float(up + math.log(-math.expm1(min(down - up, -1e-16))))


def _scale_about(epsilon: float, delta: float) -> float:
    """The scale with this δ at this ε: δ rises with it."""
    return _bisect(lambda scale: _log_delta(scale, epsilon) - math.log(delta))


def _epsilon_about(scale: float, delta: float) -> float:
    """The ε with this δ at this scale: δ falls with it."""
    return _bisect(lambda epsilon: math.log(delta) - _log_delta(scale, epsilon))


def _bisect(rising: Callable[[float], float]) -> float:
    low, high = -40.0, 40.0
    for _ in range(_MOST_STEPS):
        middle = (low + high) / 2
        low, high = (low, middle) if rising(math.exp(middle)) > 0 else (middle, high)
    return math.exp(high)
