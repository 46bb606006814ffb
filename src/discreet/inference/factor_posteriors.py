"""The posterior of counts with a likelihood of each: given their total, a range of it, or what is held likely of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from discreet.arithmetic.arrays import Floats, Wholes
from discreet.inference.boxes import steps_to
from discreet.inference.counts import Counted
from discreet.inference.private_total import PrivateTotal
from discreet.inference.products import Product
from discreet.inference.records import Between, Records
from discreet.inference.sums import Law, Sums
from discreet.kernels.base import Factor
from discreet.samplers.bits import Bits

SURPRISING = 1e-6
"""Noise that is less likely than this speaks against what is held of n."""

_MOST_LISTED = 1 << 22

_GONE = 36.0
"""A likelihood that fell by e^-36 is nothing beside that."""


class RangedTotal(Product):
    """The posterior of the counts where n lies in a range: one more category holds the records that are absent."""

    def __init__(self, factors: Sequence[Factor], alpha: Floats, records: Between) -> None:
        a = float(alpha.sum())

        def log(absent: NDArray[Any]) -> Floats:
            n = records.high - absent.astype(np.float64)
            return np.where(n >= records.low, gammaln(n + 1) - gammaln(a + n), -np.inf)

        absent = Factor(0, records.high, 0.0, 0.0, log)
        # Where the range contradicts the counts, windows reach as far as it asks for.
        more = max(sum(factor.first for factor in factors) - records.high, 0)
        fewer = max(records.low - sum(factor.last for factor in factors), 0)
        wide = [replace(each, first=max(each.first - more, 0), last=each.last + fewer) for each in factors]
        super().__init__([*wide, absent], np.append(alpha, 1.0), records.high)
        self.method = f"{self.method}; {records}"

    def marginal(self, i: int) -> tuple[Counted, Floats]:
        return self.total([i])

    def listing(self) -> tuple[Wholes, Floats]:
        rows, chance = super().listing()
        return rows[:, :-1], chance

    def draw(self, bits: Bits, size: int) -> Wholes:
        return super().draw(bits, size)[:, :-1]


def factor_posterior(factors: Sequence[Factor], alpha: Floats, n: int | None, records: Records) -> Product:
    """The posterior of counts with a likelihood of each: given their total, or what is held likely of it."""
    if n is not None:
        return Product(factors, alpha, n)
    if isinstance(records, Between):
        return RangedTotal(factors, alpha, records)
    return PrivateTotal(factors, alpha, records)


class Contradiction(UserWarning):
    """Noisy counts speak against what their reader gave of n, which is believed all the same."""

    def __init__(self, given: str) -> None:
        super().__init__(
            f"the noisy counts contradict {given}: noise so large has a chance below {SURPRISING:g}; check it"
        )


def contradict(factors: Sequence[Factor], low: int, high: int, *, clamped: bool = False) -> bool:
    """Whether counts that sum to low … high would need noise whose chance is below `SURPRISING`.

    The factors are those of unclamped noise, which is symmetric. Many empty cells do not mislead: a sum is too large
    for counts of 0 or more, and too small for any whole numbers, or if clamped at 0 for what was added alone. Of noise
    so wide that its numbers are too many to list, nothing is said.

    >>> from discreet import noise
    >>> factors = [noise.Laplace(scale=2).factor(count, None) for count in (60, 40)]
    >>> contradict(factors, 90, 90), contradict(factors, 1000, 1000), contradict(factors, 10, 20)
    (False, True, True)
    """
    kinds = {factor: i for i, factor in enumerate(dict.fromkeys(factors))}
    kind = np.array([kinds[factor] for factor in factors])
    reaches = [_reach(factor) for factor in kinds]
    if (
        sum(factor.last - factor.first + sum(reach) for factor, reach in zip(kinds, reaches, strict=True))
        > _MOST_LISTED
    ):
        return False
    windows = [_whole_numbers(factor, *reach) for factor, reach in zip(kinds, reaches, strict=True)]
    least = [_at_most_published(window) if clamped else window for window in windows]
    most = [Law(max(first, 0), masses[max(-first, 0) :] / masses[max(-first, 0) :].sum()) for first, masses in windows]
    below, above = (Sums(laws, kind).of(range(len(kind))) for laws in (least, most))
    likely = below.masses[below.places <= high].sum(), above.masses[above.places >= low].sum()
    return float(min(likely)) < SURPRISING


def _reach(factor: Factor) -> tuple[int, int]:
    """How far its noise goes to either side."""
    return steps_to(_GONE, factor.left, factor.bend), steps_to(_GONE, factor.right, factor.bend)


def _whole_numbers(factor: Factor, left: int, right: int) -> Law:
    """Those that may be a count as far as its noise goes."""
    x = np.arange(factor.first - left, factor.last + right + 1)
    logs = factor.log(x)
    masses = np.exp(logs - logs.max())
    return Law(int(x[0]), masses / masses.sum())


def _at_most_published(window: Law) -> Law:
    """Noise that took away is taken for none: it may have been clamped."""
    published = int(window.masses.argmax())
    return Law(window.first, np.append(window.masses[:published], window.masses[published:].sum()))
