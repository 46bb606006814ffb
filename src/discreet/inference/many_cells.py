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

import math
from itertools import pairwise

import numpy as np
from scipy import fft

from discreet.arithmetic.arrays import Floats, Wholes
from discreet.arithmetic.growing_blocks import growing_edges
from discreet.inference.components import Window
from discreet.inference.sums import Law

PLACES = 8
MANY = 48
"""Of no more categories the shares are worked out from tables of two counts."""

CLOSE = 1e-8
"""Where more is off than this, tables are worked out, if they fit."""

LARGE_TABLE = 1 << 18
"""Of more pairs of counts, a few stand for all."""

BLOCK, FEW = 1.5, 5
"""How long blocks of counts are, and how many places stand for one."""

_DEVIATIONS, _ENDS = 24.0, 90


def sum_law(masses: list[Floats], lows: Wholes, times: Wholes) -> Law:
    """The law of a sum of so many counts with each of these masses: a product of Fourier transforms, about the mean."""
    means, variances = np.array([cumulants(mass)[:2] for mass in masses]).T
    mean, sd = float(times @ means), float(np.sqrt(times @ variances))
    widest = max(map(len, masses))
    length = fft.next_fast_len(int(2 * _DEVIATIONS * sd) + _ENDS + 2 * widest, real=True)
    turns = 2j * np.pi * np.arange(length // 2 + 1) / length
    logs = np.zeros(length // 2 + 1, dtype=np.complex128)
    with np.errstate(divide="ignore"):
        for mass, centre, number in zip(masses, means.tolist(), times.tolist(), strict=True):
            logs += number * np.log(fft.rfft(mass, length) * np.exp(turns * centre))
    middle = round(mean)
    with np.errstate(invalid="ignore"):
        wave = np.where(np.isneginf(logs.real), 0.0, np.exp(logs - turns * (mean - middle)))
    chances = np.roll(fft.irfft(wave, length), length // 2)
    return Law(int(times @ lows) + middle - length // 2, np.maximum(chances, 0.0))


def law_rule(law: Law, number: int) -> tuple[Floats, Floats, Floats]:
    """Gauss's rule of so many places for a law, and its first four cumulants."""
    weight = np.where(law.masses > 1e-14 * law.masses.max(), law.masses, 0.0)  # below, there is rounding
    at, share = gauss_rule(weight, number)
    mean, *others = cumulants(weight)
    return law.first + at, share, np.array([law.first + mean, *others])


def gauss_rule(weight: Floats, number: int) -> tuple[Floats, Floats]:
    """Places among 0, 1, … and shares that have as many moments of these masses as can be, by the recurrence.

    >>> at, share = gauss_rule(np.array([1.0, 2.0, 1.0]), 2)
    >>> at.round(4).tolist(), share.round(4).tolist()
    ([0.2929, 1.7071], [0.5, 0.5])
    """
    mean, variance = cumulants(weight)[:2]
    x = np.arange(len(weight), dtype=np.float64)
    if variance < 1e-12:
        return np.array([mean]), np.ones(1)
    z, before, vector = (x - mean) / np.sqrt(variance), np.zeros_like(x), np.sqrt(weight / weight.sum())
    diagonal, beside = np.zeros(number), np.zeros(number)
    for j in range(number):
        diagonal[j] = vector @ (z * vector)
        following = (z - diagonal[j]) * vector - beside[j - 1] * before if j else (z - diagonal[j]) * vector
        beside[j] = np.sqrt(following @ following)
        if beside[j] < 1e-5:  # so few counts matter that fewer places are enough
            number = j + 1
            break
        before, vector = vector, following / beside[j]
    side = beside[: number - 1]
    at, vectors = np.linalg.eigh(np.diag(diagonal[:number]) + np.diag(side, 1) + np.diag(side, -1))
    return mean + np.sqrt(variance) * at, vectors[0] ** 2


def block_rule(window: Window, number: int) -> tuple[Floats, Floats]:
    """Few counts that stand for many: Gauss's rule on blocks that are as long as a Beta is smooth in its counts.

    Blocks are `BLOCK` standard deviations of a Gamma long, sqrt(parameter + count). Short ones are kept as they are.
    """
    places, shares, first = [], [], window.first
    last = first + len(window.weights) - 1
    edges = growing_edges(first, last, lambda at: at + BLOCK * math.sqrt(window.parameter + at))
    for start, stop in pairwise((edges - first).tolist()):
        mass = window.weights[start:stop]
        if mass.sum() == 0:
            continue
        short = stop - start <= number
        at, share = (np.arange(stop - start), mass / mass.sum()) if short else gauss_rule(mass, number)
        places.append(first + start + at)
        shares.append(share * mass.sum())
    return np.concatenate(places), np.concatenate(shares)


def cumulants(mass: Floats) -> tuple[float, float, float, float]:
    """The first four cumulants of counts from 0 on."""
    x, share = np.arange(len(mass)), mass / mass.sum()
    mean = float(x @ share)
    squares = (x - mean) ** 2
    variance = float(squares @ share)
    return mean, variance, float(((x - mean) * squares) @ share), float(squares**2 @ share) - 3 * variance**2
