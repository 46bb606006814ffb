"""The posterior of counts with a likelihood of each: given their total, a range of it, or what is held likely of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from discreet.arithmetic.arrays import Floats, Wholes
from discreet.inference.counts import Counted
from discreet.inference.private_total import PrivateTotal
from discreet.inference.products import Product
from discreet.inference.records import Between, Records
from discreet.kernels.base import Factor
from discreet.samplers.bits import Bits


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
