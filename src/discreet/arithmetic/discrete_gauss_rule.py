"""Sums over many neighbouring whole numbers from a few places: Gauss's rule for the counting measure.

For L whole numbers in a row there is a rule of p places and positive weights that sums every polynomial of degree below
2p exactly; its polynomials are Gram's, with β_j = j²(L²-j²)/(4(4j²-1)). At L = p it is the plain sum, and for large L
it is Gauss's and Legendre's rule. Being exact and positive, it is off by at most 2L times the distance from the summand
to the polynomials of degree 2p-1; for a summand that is analytic and at most M in the ellipse with ratio ρ about the
block that is at most 4·L·M·ρ^-(2p-1)/(ρ-1).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from discreet.arithmetic.arrays import Floats, Wholes

PLACES = 8
"""Places for each block. Blocks of no more whole numbers are summed as they are."""


def gauss_rule(lengths: ArrayLike, places: int = PLACES) -> tuple[Floats, Floats]:
    """Places between 0 and L-1 and their weights, a row for each length L of at least `places`.

    A length need not be whole: the rule then sums to where the sum would have gone on smoothly.

    >>> at, weight = gauss_rule([1000], 3)
    >>> bool(abs(weight[0] @ at[0] ** 5 / sum(x**5 for x in range(1000)) - 1) < 1e-12)
    True
    """
    unique, back = np.unique(np.asarray(lengths, dtype=np.float64), return_inverse=True)
    j = np.arange(1, places)
    beta = j**2 * (1 - (j / unique[:, None]) ** 2) / (4 * (4 * j**2 - 1))
    matrix = np.zeros((len(unique), places, places))
    matrix[:, j, j - 1] = np.sqrt(np.maximum(beta, 0.0))
    middle, vectors = np.linalg.eigh(matrix)  # reads the lower triangle
    at = np.clip(unique[:, None] * middle + (unique[:, None] - 1) / 2, 0.0, unique[:, None] - 1)
    weight = unique[:, None] * vectors[:, 0, :] ** 2
    return at[back], weight[back]


def block_rule(starts: ArrayLike, lengths: ArrayLike) -> tuple[Floats, Floats, Wholes]:
    """Places, weights and block numbers of all blocks: short ones whole, long ones by `PLACES` places each."""
    start, length = (np.asarray(part, dtype=np.int64) for part in (starts, lengths))
    short = length <= PLACES
    number = np.arange(len(start))
    step = np.arange(PLACES)
    inside = step < length[short, None]
    at, weight = gauss_rule(length[~short])
    places = np.concatenate([(start[short, None] + step)[inside], (start[~short, None] + at).ravel()])
    weights = np.concatenate([np.ones(int(inside.sum())), weight.ravel()])
    numbers = np.concatenate([np.repeat(number[short], length[short]), np.repeat(number[~short], PLACES)])
    order = np.argsort(places, kind="stable")
    return places[order], weights[order], numbers[order]
