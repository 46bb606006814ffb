"""The weight exp(-a·sqrt(1-z)) as a sum of powers of z: Σ π_m z^m with π_m > 0 and Σ π_m = 1 (mathematics: section 5).

π_m = sqrt(2a/π)·(a/2)^m/m!·K_(m-½)(a). The first few come from the recurrence of K, the others, also between whole m,
from Debye's expansion for large orders, whose next term is below 1e-8. The sum over m is taken in blocks that double
(`discreet.arithmetic.discrete_gauss_rule`); beyond the last one z^m matters only for z = 1, and all that is left goes
there.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from discreet.arithmetic.arrays import Floats
from discreet.arithmetic.discrete_gauss_rule import gauss_rule
from discreet.posteriors.distances import stirling_rest

FIRST = 16


@dataclass(frozen=True)
class Powers:
    """Exponents m ≥ 1 and how many whole numbers each of them stands for."""

    exponents: Floats
    times: Floats

    def log_weights(self, a: Floats) -> tuple[Floats, Floats, Floats]:
        """ln π_0 of each a; the logarithms of all weights, a row for each a; and what is left for z = 1.

        >>> import numpy as np
        >>> terms, a = powers(1e6, steepest=20.0), np.array([0.3, 20.0])
        >>> log_none, log_weights, rest = terms.log_weights(a)
        >>> z = 0.97
        >>> total = np.exp(log_none) + (np.exp(log_weights) * z**terms.exponents).sum(axis=1)
        >>> bool(np.allclose(total, np.exp(-a * np.sqrt(1 - z)), rtol=1e-8))
        True
        """
        rate = a[:, None]
        few = self.exponents < FIRST
        logs = np.empty((len(a), len(self.exponents)))
        logs[:, few] = _first(a)[:, self.exponents[few].astype(np.int64)]
        logs[:, ~few] = _log_power(self.exponents[~few], rate)
        logs += np.log(self.times)
        return -a, logs, np.maximum(0.0, -np.expm1(-a) - np.exp(logs).sum(axis=1))


def powers(last: float, steepest: float) -> Powers:
    """Exponents up to a last one: single to `FIRST`, then blocks that double.

    A summand e^-f is at its largest near one m, in a hill as wide as m/sqrt(f): `steepest` is the largest f that
    matters, and the places of a block are close enough for it.
    """
    exponents, times = [np.arange(1.0, FIRST)], [np.ones(FIRST - 1)]
    start, places = FIRST, min(FIRST, math.ceil(7 + 0.6 * math.sqrt(steepest)))
    while start < last:
        at, weight = gauss_rule([start], places)
        exponents.append(start + at[0])
        times.append(weight[0])
        start *= 2
    return Powers(np.concatenate(exponents), np.concatenate(times))


def _first(a: Floats) -> Floats:
    """ln π_m for m = 0 … FIRST-1: y_m = π_m·e^a from 4(m+2)(m+1)y_(m+2) = a²y_m + (m+1)(4m+2)y_(m+1)."""
    logs = np.empty((len(a), FIRST))
    logs[:, 0], logs[:, 1] = 0.0, np.log(a / 2)
    for m in range(FIRST - 2):
        one, other = 2 * np.log(a) + logs[:, m], math.log((m + 1) * (4 * m + 2)) + logs[:, m + 1]
        logs[:, m + 2] = np.logaddexp(one, other) - math.log(4 * (m + 2) * (m + 1))
    return logs - a[:, None]


def _log_power(m: Floats, a: Floats) -> Floats:
    """ln π_m for m ≥ 16 by Debye's expansion of K.

    With ν = m-½ and d = sqrt(1+(a/ν)²) - 1, what grows with m in ln K, in m·ln(a/2) and in Stirling's series of ln m!
    cancels but for ν·[ln(1+d/2) - d], which is about -a²/4m: put together first, it keeps its digits for any m.
    """
    order = m - 0.5
    z = a / order
    root = np.sqrt(1 + z * z)
    p = 1 / root
    square = p * p
    u1 = p * (3 - 5 * square) / 24
    u2 = square * (81 - 462 * square + 385 * square**2) / 1152
    u3 = p**3 * (30375 - 369603 * square + 765765 * square**2 - 425425 * square**3) / 414720
    u4 = square**2 * (
        4465125 - 94121676 * square + 349922430 * square**2 - 446185740 * square**3 + 185910725 * square**4
    )
    u4 = u4 / 39813120
    series = 1 - u1 / order + u2 / order**2 - u3 / order**3 + u4 / order**4
    above = z * z / (1 + root)
    steep = order * (np.log1p(above / 2) - above) - 0.25 * np.log1p(z * z) + np.log(series)
    factorial = order * np.log1p(1.5 / order) - 1.5 + np.log(m + 1) + 0.5 * np.log(order) + stirling_rest(m + 1)
    logs: Floats = np.log(a) - 0.5 * math.log(4 * math.pi) - factorial + steep
    return logs
