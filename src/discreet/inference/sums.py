"""Laws of sums of many independent counts, of which few are of different kinds.

The cells of a table have as many kinds of windows as there are different noisy counts, and a margin's cell is a sum of
hundreds of them. A sum's characteristic function is a product of powers, so that it takes one transform whatever the
number of cells: ln φ of each kind is kept, and that of all cells but some is a difference. A transform of length L
wraps what lies outside of L counts into them; how much that is follows from Chernoff's bound, so that L grows with the
standard deviation of a sum and not with the number of its cells. `tests/inference/test_sums.py` holds it to
convolutions that are written out.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import fft

from discreet.arithmetic.arrays import Floats, Wholes

OUTSIDE = 1e-26
"""At most this much of a law lies on either side of the counts that are kept of it."""

FEW, SHORT = 8, 1 << 10
"""Sums of so few cells, or over so few counts, are kept whole."""

MAX_TABLE = 1 << 23
"""Numbers that are kept of one length; of more kinds they are computed again."""

_TILTS = 2.0 ** np.arange(-22.0, 7.0)
_TINY = 1e-300


class Law(NamedTuple):
    """The masses of the whole numbers from a first one on."""

    first: int
    masses: Floats

    @property
    def places(self) -> Wholes:
        """These numbers."""
        return self.first + np.arange(len(self.masses))

    def at(self, where: Wholes) -> Floats:
        """The masses at these places; outside of it there is nothing."""
        place = where - self.first
        inside = (place >= 0) & (place < len(self.masses))
        return np.where(inside, self.masses[np.clip(place, 0, len(self.masses) - 1)], 0.0)


class Sums:
    """The laws of sums of some of many cells; `kind` says which of the windows each cell has."""

    def __init__(self, windows: Sequence[Law], kind: Wholes) -> None:
        self.windows, self.kind = windows, kind
        means = [float(mass @ np.arange(len(mass))) for _, mass in windows]
        self._centres = np.array(
            [low + round(mean) for (low, _), mean in zip(windows, means, strict=True)], dtype=np.int64
        )
        self._ends = np.array([[low, low + len(mass) - 1] for low, mass in windows], dtype=np.int64)
        self._often = np.bincount(kind, minlength=len(windows))
        self._tables: dict[int, tuple[Floats, Floats, NDArray[np.bool_]]] = {}
        self._totals: dict[int, Floats] = {}

    def of(self, members: Sequence[int]) -> Law:
        """The law of the sum of some cells."""
        if len(members) == 1:
            return self.windows[int(self.kind[members[0]])]
        often = np.bincount(self.kind[np.asarray(members, dtype=np.int64)], minlength=len(self.windows))
        return self._law(often, None)

    def without(self, members: Sequence[int]) -> Law:
        """The law of the sum of all others."""
        inside = np.bincount(self.kind[np.asarray(members, dtype=np.int64)], minlength=len(self.windows))
        left = self._often - inside
        if left.sum() == 1:
            return self.windows[int(np.argmax(left))]
        return self._law(left, inside)

    def _law(self, often: Wholes, beside: Wholes | None) -> Law:
        """The law of a sum of so many of each kind; `beside` are those that are left of all, if these are fewer."""
        count, (low, high) = int(often.sum()), (often @ self._ends).tolist()
        if count == 0:
            return Law(0, np.ones(1))
        centre = int(often @ self._centres)
        if count > FEW and high - low >= SHORT:
            above, below = map(math.ceil, self._reaches(often))
            low, high = max(low, centre - below), min(high, centre + above)
        length = fft.next_fast_len(high - low + 1, real=True)
        if count > FEW:  # few lengths, of which tables are kept
            length = 1 << (high - low).bit_length()
        if beside is None or 2 * int(beside.sum()) > count + int(beside.sum()):
            logs = self._logs(often, length)
        else:
            logs = self._total(length) - self._logs(beside, length)
        moduli = np.exp(logs[0])
        wave = moduli * np.cos(logs[1]) + 1j * (moduli * np.sin(logs[1]))
        masses: Floats = fft.irfft(wave, length)[(np.arange(low, high + 1) - centre) % length]
        return Law(low, np.maximum(masses, 0.0))

    def _logs(self, often: Wholes, length: int) -> Floats:
        """ln φ of a sum, about its centre: the logarithms of the moduli, and the phases."""
        kinds = np.flatnonzero(often)
        sums = np.zeros((2, length // 2 + 1))
        block = max(1, MAX_TABLE // sums.size)
        for start in range(0, len(kinds), block):
            some = kinds[start : start + block]
            moduli, phases = self._transforms(some, length)
            sums[0] += often[some] @ moduli
            sums[1] += often[some] @ phases
        return sums

    def _total(self, length: int) -> Floats:
        if length not in self._totals:
            self._totals[length] = self._logs(self._often, length)
        return self._totals[length]

    def _transforms(self, kinds: Wholes, length: int) -> tuple[Floats, Floats]:
        """ln φ of these kinds, one a row."""
        if len(self.windows) * (length + 2) > MAX_TABLE:
            return self._compute_transforms(kinds, length)
        if length not in self._tables:
            size = len(self.windows), length // 2 + 1
            self._tables[length] = np.empty(size), np.empty(size), np.zeros(size[0], dtype=bool)
        moduli, phases, ready = self._tables[length]
        new = kinds[~ready[kinds]]
        if len(new):
            moduli[new], phases[new] = self._compute_transforms(new, length)
            ready[new] = True
        return (moduli, phases) if len(kinds) == len(moduli) else (moduli[kinds], phases[kinds])

    def _compute_transforms(self, kinds: Wholes, length: int) -> tuple[Floats, Floats]:
        rows = np.zeros((len(kinds), length))
        for row, i in zip(rows, kinds.tolist(), strict=True):
            (low, mass), centre = self.windows[i], int(self._centres[i])
            while len(mass):  # what does not fit is wrapped, as the transform of a sum wraps it
                at = (low - centre) % length
                size = min(len(mass), length - at)
                row[at : at + size] += mass[:size]
                low, mass = low + size, mass[size:]
        spectra = fft.rfft(rows, axis=1)
        return np.log(np.maximum(np.abs(spectra), _TINY)), np.angle(spectra)

    @cached_property
    def _cumulants(self) -> tuple[Floats, Floats]:
        """ln E[e^(±t(x-centre))] for each kind, and for each of the tilts t."""
        cumulants = np.empty((2, len(self.windows), len(_TILTS)))
        for i, (low, mass) in enumerate(self.windows):
            x = (low - self._centres[i] + np.arange(len(mass))).astype(np.float64)
            with np.errstate(divide="ignore"):
                logs = np.log(mass)
            for side, sign in enumerate((1.0, -1.0)):
                tall = logs[:, None] + sign * x[:, None] * _TILTS
                top = tall.max(axis=0)
                cumulants[side, i] = top + np.log(np.exp(tall - top).sum(axis=0))
        return cumulants[0], cumulants[1]

    def _reaches(self, often: Wholes) -> tuple[float, float]:
        """How far above and below its centre a sum has all but `OUTSIDE` of its mass, by Chernoff's bound."""
        above, below = (float(((often @ side - math.log(OUTSIDE)) / _TILTS).min()) for side in self._cumulants)
        return above, below
