"""Sums over 0 … n of what is smooth away from the ends, from a few whole numbers, with a measured error.

Panels shrink toward the ends. In each a polynomial goes through twelve whole numbers next to Gauss's places and is
summed exactly; its last coefficients tell how far it is off, and panels are cut where they are not small. Short panels
are summed as they are.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable

import numpy as np
from scipy.special import bernoulli

from discreet.arithmetic.arrays import Floats, Wholes

WHOLE = 256
"""Up to so many terms, all of them are summed."""

_PLACES, _SHORT, _MOST = 12, 48, 3000


def smooth_sum(
    f: Callable[[Wholes], Floats], n: int, marks: Iterable[float] = (), *, sharp: float = 1e-8
) -> tuple[Floats, Floats, int]:
    """Σ f(c) over c = 0 … n for each column of f, how far each is off, and how many terms were worked out.

    Panels are cut until the first column is within the share `sharp` of its sum. At `marks` f may rise or bend.

    >>> import numpy as np
    >>> total, error, terms = smooth_sum(lambda c: np.sqrt(c)[:, None], 10**6)
    >>> bool(abs(total[0] - 666667166.4588) <= error[0] + 1e-3), terms < 500
    (True, True)
    """
    start, length = _first_panels(n, marks)
    total, error, terms = np.zeros(1), np.zeros(1), 0
    while len(start):
        values, gaps, used = _panel_sums(f, start, length)
        terms += used
        goal = sharp / 32 * abs(float(total[0] + values[:, 0].sum()))
        settled = (gaps[:, 0] <= goal) | (terms > _MOST)
        total, error = total + values[settled].sum(axis=0), error + gaps[settled].sum(axis=0)
        start, length = _cut(start[~settled], length[~settled], n)
    return total, error, terms


def _first_panels(n: int, marks: Iterable[float]) -> tuple[Wholes, Wholes]:
    """Panels between the middle, a half, a quarter, a sixteenth … of the way from it to either end, and the marks.

    The ends stand alone: what lies beyond them may have gone there.
    """
    if n < WHOLE:
        return np.zeros(1, dtype=np.int64), np.array([n + 1])
    near = [0, 1, *((n // 2) >> shift for shift in (0, 1, 2, 4, 8, 16, 32))]
    edges = [*near, *(n + 1 - place for place in near), *(round(mark) for mark in marks)]
    unique = np.array(sorted({place for place in edges if 0 <= place <= n + 1}), dtype=np.int64)
    return unique[:-1], np.diff(unique)


def _cut(start: Wholes, length: Wholes, n: int) -> tuple[Wholes, Wholes]:
    """Each panel in two: half way, or where its distance from the nearer end has the mean of the logarithms."""
    left = start < n // 2
    near = np.maximum(np.where(left, start, n + 1 - start - length), 1)
    grown = np.sqrt(near.astype(np.float64) * (near + length)).astype(np.int64) - np.where(left, start, near)
    piece = np.where(length > 8 * near, np.clip(np.maximum(grown, _SHORT), 1, length - 1), length // 2)
    first = np.where(left | (length <= 8 * near), piece, length - piece)
    return np.concatenate([start, start + first]), np.concatenate([first, length - first])


def _panel_sums(f: Callable[[Wholes], Floats], start: Wholes, length: Wholes) -> tuple[Floats, Floats, int]:
    """The sums over panels, a row for each, how far they may be off, and how many terms were worked out."""
    short = length <= (_SHORT if len(length) > 1 else WHOLE)
    vander = np.polynomial.legendre.legvander
    offsets = np.arange(int(length[short].sum())) - np.repeat(np.cumsum(length[short]) - length[short], length[short])
    size = length[~short, None].astype(np.float64)
    places = next_to_gauss(size)
    terms = f(
        np.concatenate([np.repeat(start[short], length[short]) + offsets, (start[~short, None] + places).ravel()])
    )
    values = np.zeros((len(start), terms.shape[1]))
    gaps = np.zeros_like(values)
    np.add.at(values, np.repeat(np.flatnonzero(short), length[short]), terms[: len(offsets)])
    if (~short).any():
        basis = vander((2 * places + 1) / size - 1, _PLACES - 1)
        parts = np.linalg.solve(basis, terms[len(offsets) :].reshape(*places.shape, -1))
        values[~short] = np.einsum("ik,ikl->il", _legendre_sums(size), parts)
        gaps[~short] = size * np.abs(parts[:, -2:]).sum(axis=1)
    return values, gaps, len(terms)


def next_to_gauss(size: Floats) -> Wholes:
    """Whole numbers from 0 to each size less 1, next to Gauss's places; a row for each of a column of sizes."""
    return np.rint(size * (np.polynomial.legendre.leggauss(_PLACES)[0] + 1) / 2 - 0.5).astype(np.int64)


def _legendre_sums(size: Floats) -> Floats:
    """Σ_j P_k((2j+1)/L - 1) over j < L for each k < `_PLACES`: Euler's and Maclaurin's series, which ends."""
    legendre = np.polynomial.legendre
    total, factor = np.zeros((len(size), _PLACES)), bernoulli(_PLACES)
    total[:, 0] = 2.0
    for m in range(1, _PLACES // 2 + 1):
        slopes = legendre.legder(np.eye(_PLACES), 2 * m - 1)
        jump = legendre.legval(1.0, slopes) - legendre.legval(-1.0, slopes)
        total += (2.0 ** (1 - 2 * m) - 1) * factor[2 * m] / math.factorial(2 * m) * (2 / size) ** (2 * m) * jump
    return total * size / 2
