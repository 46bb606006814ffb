"""Integer noise, with exact masses and exact samplers: the geometric, its two-sided forms, and noise on many counts.

All rates are rational, so every mass is a product of exponentials of rationals; no float takes part in a draw.
"""

from __future__ import annotations

import math
import operator
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import ClassVar, Literal

import numpy as np
from flint import arb
from numpy.typing import NDArray

from discreet.arithmetic.arrays import Floats, Wholes
from discreet.arithmetic.numbers import ball, fixed_lower, fixed_upper, precision
from discreet.samplers.bits import Bits, Inverter, Table, draw_accepted, draw_composition, tabulate, tabulate_enclosed

Rounding = Literal["nearest", "floor"]

_MAX_WINDOW = 1 << 17
"""The longest table of totals that `ZeroSum` prepares; beyond it, it draws by rejection."""


def _falling_weights(step: Fraction, width: int) -> tuple[list[arb], arb]:
    """e^(-step·t) for t = 0, 1, … as long as that matters to a table of this width, and the sum of all later ones."""
    ratio, weights = (-ball(step)).exp(), [ball(1)]
    while fixed_upper(weights[-1], width + 16) > 1:
        weights.append(weights[-1] * ratio)
    return weights[:-1], weights[-1] / (1 - ratio)


def _coin(probability: Callable[[], arb]) -> Inverter:
    """An inverter with outcome 1 (true) of the given probability, and 0 otherwise."""

    def table(width: int) -> Table:
        with precision(width + 64):
            chance = probability()
            return tabulate_enclosed([1 - chance, chance], arb(0), width + 16, width)

    return Inverter(table, 2)


def _digit(rate: Fraction) -> Inverter:
    """The coin of a binary digit: P(1)/P(0) = exp(-rate)."""
    return _coin(lambda: 1 / (1 + ball(rate).exp()))


class Geometric:
    """P(t) ∝ exp(-rate·t) on t = 0, 1, 2, …

    The binary digits of t are independent. The low ones, so many that the rest falls by at least e^-½ at each step,
    are drawn one by one as coins, and the rest by inversion: tables stay short however small the rate is.
    """

    def __init__(self, rate: Fraction) -> None:
        self.rate = rate
        low = max(0, math.floor(math.log2(1 / rate)))
        self._coins = [_digit(rate * 2**j) for j in range(low)]
        self._rest = Inverter(self._table, 128)

    def _table(self, width: int) -> Table:
        with precision(width + 32):
            weights, rest = _falling_weights(self.rate * 2 ** len(self._coins), width)
            return tabulate_enclosed(weights, rest, width + 16, width)

    def draw(self, bits: Bits) -> int:
        """One exact draw."""
        size = self._rest.draw(bits)
        for coin in reversed(self._coins):
            size = 2 * size + coin.draw(bits)
        return size

    def draw_many(self, bits: Bits, count: int) -> Wholes:
        """Independent exact draws."""
        sizes = self._rest.draw_many(bits, count).astype(np.int64)
        for coin in reversed(self._coins):
            sizes = 2 * sizes + coin.draw_many(bits, count)
        return sizes


geometric = lru_cache(maxsize=64)(Geometric)
"""The geometric noise of a rate, prepared once: rates are public."""


@dataclass(frozen=True)
class RoundedLaplace:
    """⌊Y + shift⌋ for Y with density ½·rate·exp(-rate·|y|), shift ½ (to the nearest) or 0 (floor).

    >>> noise = RoundedLaplace(Fraction(1), "nearest")
    >>> with precision(64):
    ...     mass = sum((noise.mass(t) for t in range(-60, 61)), ball(0))
    >>> abs(float(mass) - 1) < 1e-15
    True
    """

    rate: Fraction
    rounding: Rounding

    @property
    def shift(self) -> Fraction:
        """What is added before the floor is taken."""
        return Fraction(1, 2) if self.rounding == "nearest" else Fraction(0)

    def at_least(self, t: int) -> arb:
        """P(noise ≥ t)."""
        return self._beyond(t - self.shift)

    def at_most(self, t: int) -> arb:
        """P(noise ≤ t)."""
        return self._beyond(self.shift - t - 1)

    def mass(self, t: int) -> arb:
        """P(noise = t), without cancellation."""
        low, high = t - self.shift, t + 1 - self.shift
        rate = ball(self.rate)
        if low < 0 < high:
            return 1 - self._beyond(high) - self._beyond(-low)
        near = low if low >= 0 else -high
        return (-rate * ball(near)).exp() * -(-rate).expm1() / 2

    def _beyond(self, y: Fraction) -> arb:
        """P(Y > y)."""
        tail = (-ball(self.rate) * ball(abs(y))).exp() / 2
        return tail if y >= 0 else 1 - tail

    def log_floats(self, t: Wholes) -> tuple[Floats, ...]:
        """Float logarithms of P(noise = t), P(noise ≤ t) and P(noise ≥ t)."""
        rate, shift = float(self.rate), float(self.shift)
        low = t.astype(np.float64) - shift
        high = low + 1
        near = np.where(low >= 0, low, -high)
        mass = np.where(
            (low < 0) & (high > 0),
            np.log(-np.expm1(-rate / 2)),
            -rate * near + np.log(-np.expm1(-rate)) - np.log(2),
        )
        return mass, _log_beyond(rate, -high), _log_beyond(rate, low)

    def draw(self, bits: Bits) -> int:
        """One exact draw: a fair sign and a geometric size; rounding to the nearest first tosses for zero."""
        if self.rounding == "nearest":
            return _draw_signed(bits, self.rate, _nonzero_laplace(self.rate))
        size = geometric(self.rate).draw(bits)
        return size if bits.draw_bits(1) else -1 - size

    def draw_many(self, bits: Bits, count: int) -> Wholes:
        """Independent exact draws."""
        if self.rounding == "nearest":
            return _draw_many_signed(bits, self.rate, _nonzero_laplace(self.rate), count)
        size = geometric(self.rate).draw_many(bits, count)
        return np.where(_draw_signs(bits, count), size, -1 - size)


def _log_beyond(rate: float, y: Floats) -> Floats:
    tail = -rate * np.abs(y) - np.log(2)
    logs: Floats = np.where(y >= 0, tail, np.log1p(-np.exp(tail)))
    return logs


@lru_cache(maxsize=64)
def _nonzero_laplace(rate: Fraction) -> Inverter:
    return _coin(lambda: (-ball(rate) / 2).exp())


class TwoSided:
    """P(d) ∝ exp(-rate·|d|) on all whole numbers.

    One inversion over 0, 1, -1, 2, -2, … where the rate is large enough for a short table; otherwise a coin for zero,
    a fair sign and a geometric size.
    """

    def __init__(self, rate: Fraction) -> None:
        self.rate = rate
        self._folded = Inverter(self._table, 256) if rate > Fraction(1, 8) else None
        self._nonzero = _coin(lambda: 2 / (1 + ball(rate).exp()))

    def _table(self, width: int) -> Table:
        with precision(width + 32):
            (zero, *sizes), rest = _falling_weights(self.rate, width)
            weights = [zero, *(size for size in sizes for _ in range(2))]
            return tabulate_enclosed(weights, 2 * rest, width + 16, width)

    def draw(self, bits: Bits) -> int:
        """One exact draw."""
        if self._folded is not None:
            index = self._folded.draw(bits)
            size = (index + 1) // 2
            return size if index & 1 else -size
        return _draw_signed(bits, self.rate, self._nonzero)

    def draw_many(self, bits: Bits, count: int) -> Wholes:
        """Independent exact draws."""
        if self._folded is not None:
            return unfold(self._folded.draw_many(bits, count))
        return _draw_many_signed(bits, self.rate, self._nonzero, count)


def unfold(indices: NDArray[np.intp]) -> Wholes:
    """What is at these places of 0, 1, -1, 2, -2, …"""
    sizes = (indices.astype(np.int64) + 1) // 2
    return np.where(indices & 1, sizes, -sizes)


def _draw_signed(bits: Bits, rate: Fraction, nonzero: Inverter) -> int:
    """Zero, as the coin falls, or a geometric size from 1 on and a fair sign."""
    if not nonzero.draw(bits):
        return 0
    size = 1 + geometric(rate).draw(bits)
    return size if bits.draw_bits(1) else -size


def _draw_many_signed(bits: Bits, rate: Fraction, nonzero: Inverter, count: int) -> Wholes:
    size = 1 + geometric(rate).draw_many(bits, count)
    return np.where(_draw_signs(bits, count), size, -size) * nonzero.draw_many(bits, count)


def _draw_signs(bits: Bits, count: int) -> NDArray[np.bool_]:
    size = (count + 7) // 8
    drawn = np.frombuffer(bits.draw_bits(8 * size).to_bytes(size, "big"), dtype=np.uint8)
    return np.unpackbits(drawn)[:count].astype(bool)


class Noise(ABC):
    """Noise on k counts, over all whole v or over some of them, by weights that no data changes."""

    k: int
    sums_to_zero: ClassVar[bool]

    def possible(self, v: Sequence[int]) -> bool:
        """Whether v is such noise."""
        return len(v) == self.k and (not self.sums_to_zero or sum(v) == 0)

    @abstractmethod
    def log_weight(self, v: Sequence[int]) -> Fraction:
        """The logarithm of the weight of v, a rational number."""

    @abstractmethod
    def log_total(self) -> arb:
        """An enclosure of the logarithm of the sum of all weights."""

    @abstractmethod
    def draw_many(self, bits: Bits, count: int) -> Wholes:
        """Independent exact draws, one per row."""

    def draw(self, bits: Bits) -> list[int]:
        """One exact draw."""
        row: list[int] = self.draw_many(bits, 1)[0].tolist()
        return row


class CountNoise(Noise):
    """Noise with P(v) ∝ exp(-rate·‖v‖₁)."""

    rate: Fraction

    def log_weight(self, v: Sequence[int]) -> Fraction:
        return -self.rate * sum(map(abs, v))


class Independent(CountNoise):
    """Two-sided geometric noise on each of k counts, each by itself.

    >>> with precision(64):
    ...     total = Independent(Fraction(1), 2).log_total()
    >>> round(float(total), 6)  # 2·ln coth ½
    1.543874
    """

    sums_to_zero = False

    def __init__(self, rate: Fraction, k: int) -> None:
        self.rate, self.k, self._each = rate, k, TwoSided(rate)

    def log_total(self) -> arb:
        q = (-ball(self.rate)).exp()
        return self.k * ((1 + q) / (1 - q)).log()

    def draw_many(self, bits: Bits, count: int) -> Wholes:
        return self._each.draw_many(bits, count * self.k).reshape(count, self.k)


class ZeroSum(CountNoise):
    """v ∈ ℤ^k with Σv = 0 and P(v) ∝ exp(-rate·‖v‖₁).

    v = p - p' where p and p' are k independent geometrics each, given equal totals T. With q = exp(-rate),
    P(T) ∝ C(T+k-1, k-1)²·q^2T, and given T both are uniform compositions of it (mathematics: section 4).
    For k = 2 it is the two-sided geometric of rate 2·rate.
    """

    sums_to_zero = True

    def __init__(self, rate: Fraction, k: int) -> None:
        self.rate, self.k = rate, k
        grown, gap = math.exp(-float(rate)), -math.expm1(-float(rate))
        self._mode = max(0, math.ceil((k * grown - 1) / gap))
        self._tabled = 24 * math.sqrt(2 * k * grown) / gap + 64 / float(rate) < _MAX_WINDOW
        self._totals = Inverter(self._table, _MAX_WINDOW)
        self._free = TwoSided(2 * rate if k == 2 else rate)

    def log_total(self) -> arb:
        """An enclosure of ln Σ_v exp(-rate·‖v‖₁): for any k, (1-q²)^k·Σ_T C(T+k-1,k-1)²·q^2T."""
        q = (-ball(self.rate)).exp()
        square = q * q
        # Euler's transformation makes the sum finite: (1-q²)^k ₂F₁(k,k;1;q²) = (1-q²)^(1-k) Σ_j C(k-1,j)² q^2j.
        total, term = arb(1), arb(1)
        for j in range(1, self.k):
            term = term * square * (self.k - j) ** 2 / j**2
            total += term
        return total.log() + (1 - self.k) * (1 - square).log()

    def draw(self, bits: Bits) -> list[int]:
        """One exact draw, in O(k + T)."""
        if self.k == 2:
            d = self._free.draw(bits)
            return [d, -d]
        if not self._tabled:
            return super().draw(bits)
        total = self._totals.draw(bits)
        up, down = draw_composition(bits, total, self.k), draw_composition(bits, total, self.k)
        return list(map(operator.sub, up, down))

    def draw_many(self, bits: Bits, count: int) -> Wholes:
        """Independent exact draws, by rejection: k-1 free coordinates, kept with probability exp(-rate·|last|)."""
        if self.k == 2:
            d = self._free.draw_many(bits, count)
            return np.stack([d, -d], axis=1)

        def draw_batch(missing: int) -> Wholes:
            batch = max(1, min(2 * missing + 16, (1 << 22) // self.k))
            free = self._free.draw_many(bits, batch * (self.k - 1)).reshape(batch, self.k - 1)
            last = -free.sum(axis=1)
            # P(geometric ≥ m) = exp(-rate·m): the coin of the right probability, without computing it.
            keep = geometric(self.rate).draw_many(bits, batch) >= np.abs(last)
            return np.concatenate([free[keep], last[keep, None]], axis=1)

        return draw_accepted(count, draw_batch, (self.k,))

    def _table(self, width: int) -> Table:
        """Weights relative to the mode's, outward until the rest is below one unit; the rest is bounded by ratios."""
        scale = width + 24
        with precision(scale + 48):
            square = (-2 * ball(self.rate)).exp()
            up, beyond = self._walk(scale, lambda t: square * (t + self.k) ** 2 / (t + 1) ** 2, 1)
            down, before = self._walk(scale, lambda t: ball(t) ** 2 / (square * (t + self.k - 1) ** 2), -1)
            weights = [*reversed(down), ball(1), *up]
            lows = [fixed_lower(w, scale) for w in weights]
            highs = [fixed_upper(w, scale) for w in weights]
        first = self._mode - len(down)
        if first > 0:
            # One more outcome stands for everything to the left; it is never certain.
            lows, highs, first = [0, *lows], [before, *highs], first - 1
        return tabulate(lows, highs, beyond, width, first=first)

    def _walk(self, scale: int, ratio: Callable[[int], arb], direction: int) -> tuple[list[arb], int]:
        """Weights from the mode on in one direction, and a whole number of units above all that are left out."""
        weights: list[arb] = []
        weight, t = ball(1), self._mode
        while t + direction >= 0:
            factor = ratio(t)
            weight = weight * factor
            if fixed_upper(weight, scale) <= 1 and factor < 0.999:
                # Ratios fall outward, so what is left is below a geometric series.
                return weights, fixed_upper(weight / (1 - factor), scale)
            weights.append(weight)
            t += direction
        return weights, 0


independent = lru_cache(maxsize=64)(Independent)
zero_sum = lru_cache(maxsize=64)(ZeroSum)
"""The noise of a rate and k, prepared once: these are public."""
