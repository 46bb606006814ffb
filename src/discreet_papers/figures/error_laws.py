"""The law of the error for one data set, and a thousand runs beside it, as the papers simulated them.

A mean of runs must lie near the exact mean. How near follows from the law itself by Chernoff's bound, without a normal
approximation: the mean of m runs exceeds μ + t with probability at most exp(-m·(λt - ln E e^λ(X-μ))) for every λ > 0.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.arithmetic.arrays import Floats
from discreet.mechanisms import Geometric
from discreet.mechanisms.geometric import noise_vectors
from discreet.posteriors.distances import hellinger_floats
from discreet.samplers.bits import SYSTEM, Bits, draw_words

RUNS = 1000
"""How many runs the papers average."""

FALSE_ALARM = 1e-9

BOX = (0.05, 0.25, 0.5, 0.75, 0.95)
"""The quantiles of a box: its whiskers, its quartiles and its median."""

_ROUNDING = 1e-12

_EDGES = np.concatenate([[0.0], np.geomspace(1e-7, 1.0, 1621)])
"""Distances of long lists are sorted into cells between these, which grow by about a hundredth."""


@dataclass(frozen=True)
class Atoms:
    """A law as cells: the least and the largest distance of each, and its probability."""

    low: Floats
    high: Floats
    chance: Floats


class ErrorLaw(ABC):
    """How likely each distance of a release from the truth is: distances and weights of any total, in lists."""

    length = 1

    @abstractmethod
    def part(self, at: int) -> tuple[Floats, Floats]:
        """The distances and weights of one of the `length` lists."""

    def parts(self) -> Iterator[tuple[Floats, Floats]]:
        """All of them."""
        return (self.part(at) for at in range(self.length))

    @property
    def mean(self) -> float:
        """The expected distance."""
        return self._sums[0]

    @property
    def atoms(self) -> Atoms:
        """Each distance for itself if there is one list of them, and in cells if there are many."""
        if self.length == 1:
            distance, weight = self.part(0)
            return Atoms(distance, distance, weight / weight.sum())
        cells = self._sums[1]
        occupied = np.flatnonzero(cells)
        return Atoms(_EDGES[occupied], _EDGES[occupied + 1], cells[occupied])

    @cached_property
    def _sums(self) -> tuple[float, Floats, Floats]:
        """The mean, the probabilities of the cells, and the weight of each list."""
        totals, cells, moment = np.zeros(self.length), np.zeros(len(_EDGES) - 1), 0.0
        for at, (distance, weight) in enumerate(self.parts()):
            totals[at] = weight.sum()
            moment += float(weight @ distance)
            cell = np.searchsorted(_EDGES[1:-1], distance, side="right")
            cells += np.bincount(cell, weights=weight, minlength=len(cells))
        total = float(totals.sum())
        return moment / total, cells / total, totals

    def box(self) -> tuple[float, ...]:
        """Whiskers, quartiles and median: the least distances that are not exceeded so often, up to rounding."""
        distance, weight = (np.concatenate(lists) for lists in zip(*self.parts(), strict=True))
        order = np.argsort(distance, kind="stable")
        sums = np.cumsum(weight[order])
        at = np.searchsorted(sums / sums[-1], np.array(BOX) - _ROUNDING)
        return tuple(distance[order][at].tolist())

    def draw_distances(self, size: int, bits: Bits = SYSTEM) -> Floats:
        """Distances of independent outputs, for studies: first of the list and then within it."""
        first, inside = (_uniform(bits, size) for _ in range(2))
        chosen = _invert(np.arange(self.length), self._sums[2], first)
        distances = np.empty(size)
        for at in np.unique(chosen):
            selected = chosen == at
            distances[selected] = _invert(*self.part(int(at)), inside[selected])
        return distances


@dataclass(frozen=True)
class ListedLaw(ErrorLaw):
    """All distances in one list."""

    distance: Floats
    weight: Floats

    def part(self, at: int) -> tuple[Floats, Floats]:
        return self.distance, self.weight


def _uniform(bits: Bits, size: int) -> Floats:
    """Floats between 0 and 1 for studies: 64 fair bits each, rounded."""
    uniform: Floats = (draw_words(bits, size).astype(np.float64) + 0.5) / 2.0**64
    return uniform


def _invert(value: NDArray[Any], weight: Floats, uniform: Floats) -> NDArray[Any]:
    """Draws from a law by inversion in floats, for studies: one for each uniform number."""
    sums = np.cumsum(weight)
    values: NDArray[Any] = value[np.searchsorted(sums / sums[-1], uniform, side="right").clip(0, len(sums) - 1)]
    return values


@dataclass(frozen=True, slots=True)
class Runs:
    """The average of many runs, how far it may be from the expectation, and the runs' own box."""

    mean: float
    allowed: float
    box: tuple[float, ...]

    @classmethod
    def of(cls, distances: Floats, law: ErrorLaw) -> Runs:
        """From the distances of the runs and their exact law."""
        box = tuple(float(value) for value in np.quantile(distances, BOX, method="inverted_cdf"))
        return cls(float(distances.mean()), allowed_gap(law.atoms, law.mean, len(distances)), box)

    def agrees_with(self, mean: float) -> bool:
        """Whether the average is as near as it must be; a right one is refused once in 10⁹ times."""
        return abs(self.mean - mean) <= self.allowed


def allowed_gap(atoms: Atoms, mean: float, size: int) -> float:
    """How far the mean of so many runs may be from the exact one, on either side, for one false alarm in 10⁹."""
    spread = math.sqrt(float(atoms.chance @ np.square(atoms.high - mean)))
    if spread == 0:
        return _ROUNDING
    share = math.log(2 / FALSE_ALARM) / size
    rates = math.sqrt(2 * share) / spread * 2.0 ** np.arange(-4, 5, 0.25)
    sides = []
    for value in (atoms.high - mean, mean - atoms.low):
        powers = rates[:, None] * value[None, :]
        top = powers.max(axis=1)
        logs = top + np.log(np.exp(powers - top[:, None]) @ atoms.chance)
        sides.append(float(((share + logs) / rates).min()))
    return max(sides) + _ROUNDING


def geometric_law(mechanism: Geometric, counts: Sequence[int]) -> ErrorLaw:
    """The error of the geometric mechanism by summing over its noise, of which a negligible part is left out."""
    moves, _ = noise_vectors(mechanism.space.k, mechanism.noise_radius(1))
    noisy = moves + np.array(counts)
    distance = hellinger_floats(mechanism.space.prior, counts, mechanism.postprocess(noisy))
    value, index = np.unique(distance, return_inverse=True)
    weight = np.bincount(index, weights=np.exp(mechanism.kernel.row(counts, noisy).values))
    return ListedLaw(value, weight.astype(np.float64))
