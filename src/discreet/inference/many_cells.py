"""The share of one of many categories where n is private, without a table of its count and of all the others' sum.

At the reference t the counts are independent, and the sum of all is a convolution of many windows. Without category i
the sum has the mean M - m_i, the variance V - v_i, and hardly another shape: it is the sum of all, shifted and
narrowed. Given the count x of the category, its share is a Beta whose second parameter moves with the others' sum y. A
few places of Gauss's rule for the law of the sum stand for all y, because the Beta is smooth in y: moving y by a
standard deviation moves the share by r of its own, r² = V·a/(b(a+b)). What other cumulants than the first two are off
by moves a probability by less than r³·|κ₃ - κ₃'|/6V^(3/2) + r⁴·|κ₄ - κ₄'|/24V², and what the places leave out is
measured against more of them. Both are stated. `tests/inference/test_many_cells.py` compares with the tables.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.fft import irfft, next_fast_len, rfft

from discreet.arithmetic.arrays import Floats, Wholes

PLACES = 8
MANY = 48
"""Of no more categories the shares are worked out from tables of two counts."""

CLOSE = 1e-8
"""Where more is off than this, tables are worked out, if they fit."""

_DEVIATIONS, _ENDS = 24.0, 90


@dataclass(frozen=True, eq=False)
class SumLaw:
    """The law of a sum of independent counts, from a first one on."""

    first: int
    chances: Floats

    @property
    def places(self) -> Wholes:
        """The sums."""
        return self.first + np.arange(len(self.chances))

    @classmethod
    def of(cls, masses: list[Floats], lows: Wholes, times: Wholes) -> SumLaw:
        """Of so many counts with each of these masses: a product of Fourier transforms, about the mean."""
        means, variances = np.array([moments(mass)[:2] for mass in masses]).T
        mean, sd = float(times @ means), float(np.sqrt(times @ variances))
        widest = max(map(len, masses))
        length = next_fast_len(int(2 * _DEVIATIONS * sd) + _ENDS + 2 * widest, real=True)
        turns = 2j * np.pi * np.arange(length // 2 + 1) / length
        logs = np.zeros(length // 2 + 1, dtype=np.complex128)
        with np.errstate(divide="ignore"):
            for mass, own, number in zip(masses, means.tolist(), times.tolist(), strict=True):
                logs += number * np.log(rfft(mass, length) * np.exp(turns * own))
        middle = round(mean)
        with np.errstate(invalid="ignore"):
            wave = np.where(np.isneginf(logs.real), 0.0, np.exp(logs - turns * (mean - middle)))
        chances = np.roll(irfft(wave, length), length // 2)
        return cls(int(times @ lows) + middle - length // 2, np.maximum(chances, 0.0))

    def rule(self, number: int) -> tuple[Floats, Floats, Floats]:
        """Gauss's rule of so many places for the law, by its recurrence; and the first four cumulants."""
        x = np.arange(len(self.chances), dtype=np.float64)
        weight = np.where(self.chances > 1e-14 * self.chances.max(), self.chances, 0.0)  # below, there is rounding
        mean, variance, third, fourth = moments(weight)
        z, before, here = (x - mean) / np.sqrt(variance), np.zeros_like(x), np.sqrt(weight / weight.sum())
        diagonal, beside = np.zeros(number), np.zeros(number)
        for j in range(number):
            diagonal[j] = here @ (z * here)
            following = (z - diagonal[j]) * here - beside[j - 1] * before if j else (z - diagonal[j]) * here
            beside[j] = np.sqrt(following @ following)
            if beside[j] < 1e-5:  # so few sums matter that fewer places are enough
                number = j + 1
                break
            before, here = here, following / beside[j]
        side = beside[: number - 1]
        matrix = np.diag(diagonal[:number]) + np.diag(side, 1) + np.diag(side, -1)
        at, vectors = np.linalg.eigh(matrix)
        return (
            self.first + mean + np.sqrt(variance) * at,
            vectors[0] ** 2,
            np.array([self.first + mean, variance, third, fourth]),
        )


def moments(mass: Floats) -> tuple[float, float, float, float]:
    """The first four cumulants of counts from 0 on."""
    x, share = np.arange(len(mass)), mass / mass.sum()
    mean = float(x @ share)
    squares = (x - mean) ** 2
    variance = float(squares @ share)
    return mean, variance, float(((x - mean) * squares) @ share), float(squares**2 @ share) - 3 * variance**2
