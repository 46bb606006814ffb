"""The counts that matter: a window for each category, and a proven bound on all that lies outside.

p(c | o) ∝ Π f_i(c_i) over Σc = n, with f_i(x) = h_i(x)·Γ(α_i+x)/x!. Multiplying each f_i by t^x changes nothing, since
the total is fixed; t is chosen so that the tilted means sum to n. Let p be the chance that independent counts from the
tilted windows sum to n, and τ_i the mass of f_i outside its window relative to the inside. Counts outside the box have
posterior odds of at most Σ τ_i·Π(1+τ_j)/p: the others' sum hits what is missing with probability at most 1. Categories
with the same f_i are of one kind, and `often` says how many of each kind there are.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from operator import mul

import numpy as np
from scipy.special import gammaln

from discreet.arithmetic.arrays import Floats
from discreet.errors import TooLarge
from discreet.kernels.base import Factor

LEFT_OUT = 1e-13
"""Windows grow until the bound on what they leave out is below this."""

MAX_WINDOW_CELLS = 1 << 21
"""All windows together are not longer than this, unless it is said otherwise."""

MAX_TILT = 1e6
"""Steeper tilts are not tried: noisy counts that need one contradict their total."""

_START = 36.0


@dataclass(frozen=True)
class Box:
    """Windows lows[i] … lows[i]+len(masses[i])-1, the tilted masses in them, and odds of the outside times p."""

    lows: list[int]
    masses: list[Floats]
    tails: list[tuple[float, float]]
    often: Sequence[int]

    @property
    def outside(self) -> float:
        """Σ τ_i·Π(1+τ_j): divided by p it bounds the odds of everything outside."""
        total = math.fsum(m * (a + b) for m, (a, b) in zip(self.often, self.tails, strict=True))
        return total * math.exp(total) if total < 1e-3 else math.inf


def joint_factors(parts: Sequence[Sequence[Factor]]) -> list[Factor]:
    """The factors of all outputs that were drawn from the same data: those of one output as they are."""
    if len(parts) == 1:
        return list(parts[0])
    columns = list(zip(*parts, strict=True))
    products = {column: _product(column) for column in set(columns)}
    return [products[column] for column in columns]


def _product(column: Sequence[Factor]) -> Factor:
    return Factor(
        min(factor.first for factor in column),
        max(factor.last for factor in column),
        sum(factor.left for factor in column),
        sum(factor.right for factor in column),
        lambda x: np.sum([factor.log(x) for factor in column], axis=0),
        sum(factor.bend for factor in column),
    )


def window_box(
    factors: Sequence[Factor],
    alpha: Floats,
    often: Sequence[int],
    n: int,
    reach: Sequence[tuple[int, int]],
    cells: int,
) -> Box:
    """The box of windows that reach so far to the left and right of what each factor points to."""
    promised, lows, highs = _edges(factors, often, n, reach, cells)
    logs = [log_mass(factor, a, low, high) for factor, a, low, high in zip(factors, alpha, lows, highs, strict=True)]
    masses, tilt = tilt_masses(logs, often, n - _total(lows, often))
    tails, least = [], _total(promised, often)
    for factor, a, first, low, high, mass in zip(factors, alpha, promised, lows, highs, masses, strict=True):
        left = _left_tail(factor, a, low, mass, tilt) if first > 0 else 0.0
        # Beyond what the other windows leave of n there is nothing to leave out.
        right = _right_tail(factor, a, high, mass, tilt) if high < n - (least - first) else 0.0
        tails.append((left, right))
    return Box(lows, masses, tails, often)


def _total(values: Sequence[int], often: Sequence[int]) -> int:
    """Of all categories."""
    return sum(m * value for m, value in zip(often, values, strict=True))


def steps_to(fall: float, rate: float, bend: float) -> int:
    """After how many steps outward, each falling by `bend` more than the last, a factor has fallen by this much.

    It is 0 where a rate of 0 promises nothing.
    """
    return 2 + math.ceil(2 * fall / (rate + math.sqrt(rate * rate + 2 * bend * fall))) if rate else 0


def first_reach(factors: Sequence[Factor], often: Sequence[int], n: int) -> list[tuple[int, int]]:
    """Windows to begin with: where a factor has fallen by e^-36, or no limit where it promises no fall.

    Of many categories each may leave out less.
    """
    fall = _START + 1.5 * math.log(max(1.0, sum(often) / 8))

    def reach(rate: float, bend: float) -> int:
        return min(n, steps_to(fall, rate, bend)) if rate else n

    reaches = [(reach(factor.left, factor.bend), reach(factor.right, factor.bend)) for factor in factors]
    while not _can_sum_to(factors, often, n, reaches):  # somebody else's noisy counts need not sum to the total
        reaches = [(min(n, 2 * left), min(n, 2 * right)) for left, right in reaches]
    return reaches


def _can_sum_to(factors: Sequence[Factor], often: Sequence[int], n: int, reach: Sequence[tuple[int, int]]) -> bool:
    """Whether counts within reach can sum to n."""
    lows, highs = _promised_ends(factors, n, reach)
    return _total(lows, often) <= n <= _total(highs, often)


def _promised_ends(factors: Sequence[Factor], n: int, reach: Sequence[tuple[int, int]]) -> tuple[list[int], list[int]]:
    """The low and the high ends that the factors set."""
    lows = [max(0, f.first - left) if f.left > 0 else 0 for f, (left, _) in zip(factors, reach, strict=True)]
    return lows, [min(n, f.last + right) if f.right > 0 else n for f, (_, right) in zip(factors, reach, strict=True)]


def wider_reach(box: Box, reach: Sequence[tuple[int, int]], allowed: float, n: int) -> list[tuple[int, int]]:
    """Twice as far on every side that leaves out more than its share."""
    share = allowed / (2 * sum(box.often))
    return [
        (min(n, 2 * left) if a > share else left, min(n, 2 * right) if b > share else right)
        for (left, right), (a, b) in zip(reach, box.tails, strict=True)
    ]


def _edges(
    factors: Sequence[Factor], often: Sequence[int], n: int, reach: Sequence[tuple[int, int]], cells: int
) -> tuple[list[int], list[int], list[int]]:
    """The low ends that the factors set, the low ends, and the high ends: the others and n may leave less room."""
    promised, highs = _promised_ends(factors, n, reach)
    total = _total(promised, often)
    highs = [min(high, n - (total - low)) for low, high in zip(promised, highs, strict=True)]
    total = _total(highs, often)
    lows = [max(low, n - (total - high)) for low, high in zip(promised, highs, strict=True)]
    if sum(high - low + 1 for low, high in zip(lows, highs, strict=True)) > cells:
        raise TooLarge("the counts that matter to a reader are too many to list", hint="use a larger epsilon")
    return promised, lows, highs


def log_mass(factor: Factor, alpha: float, low: int, high: int) -> Floats:
    """ln f over a window, up to a constant: increments of lnΓ(α+x) - lnΓ(x+1), which its values would lose."""
    x = np.arange(low, high + 1, dtype=np.int64)
    later = x[1:].astype(np.float64)
    steps = np.where(later == 1, math.log(alpha), np.log1p((alpha - 1) / np.maximum(later, 2.0)))
    logs: Floats = factor.log(x) + np.concatenate([[0.0], np.cumsum(steps)])
    return logs


def tilt_masses(logs: Sequence[Floats], often: Sequence[int], target: int) -> tuple[list[Floats], float]:
    """Normalised masses ∝ exp(log + tilt·x), x from the low end on, whose means sum to the target, or nearly so."""
    steps = [np.arange(len(log), dtype=np.float64) for log in logs]

    def at(tilt: float) -> list[Floats]:
        tall = [log + tilt * x for log, x in zip(logs, steps, strict=True)]
        weights = [np.exp(each - each.max()) for each in tall]
        return [weight / weight.sum() for weight in weights]

    tilt, low, high = 0.0, -math.inf, math.inf
    masses = at(tilt)
    for _ in range(100):
        means = [float(mass @ x) for mass, x in zip(masses, steps, strict=True)]
        spreads = [float(m @ (x - mean) ** 2) for m, x, mean in zip(masses, steps, means, strict=True)]
        spread, gap = math.fsum(map(mul, often, spreads)), math.fsum(map(mul, often, means)) - target
        if abs(gap) <= 0.05 * math.sqrt(spread) + 1e-9:
            break
        low, high = (low, tilt) if gap > 0 else (tilt, high)
        tilt -= gap / max(spread, 1e-300)
        if not low < tilt < high:
            ends = (low if math.isfinite(low) else high - 64, high if math.isfinite(high) else low + 64)
            tilt = sum(ends) / 2
        tilt = min(max(tilt, -MAX_TILT), MAX_TILT)
        masses = at(tilt)
    return masses, tilt


def _right_tail(factor: Factor, alpha: float, high: int, mass: Floats, tilt: float) -> float:
    """Mass beyond the window: ratios of neighbours are at most the first, or its limit if they rise to it."""
    if factor.right == 0:
        return 0.0
    ratio = math.exp(min(tilt - factor.right_at(high), 700)) * max(1.0, (alpha + high) / (high + 1))
    return float(mass[-1]) * ratio / (1 - ratio) if ratio < 1 else math.inf


def _left_tail(factor: Factor, alpha: float, low: int, mass: Floats, tilt: float) -> float:
    """The same to the left. Below α = 1, Γ(α+x)/x! rises toward 0, and all of it is below its value there."""
    ratio, rise = math.exp(min(-tilt - factor.left_at(low), 700)), 1.0
    if alpha >= 1:
        ratio *= low / (low + alpha - 1)
    else:
        rise = math.exp(min(1e-4 + float(gammaln(alpha) - gammaln(alpha + low) + gammaln(low + 1)), 700))
    return float(mass[0]) * rise * ratio / (1 - ratio) if ratio < 1 else math.inf
