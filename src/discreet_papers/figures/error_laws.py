"""The law of the error for one data set, and a thousand runs beside it, as the papers simulated them.

A mean of runs must lie near the exact mean. How near follows from the law itself by Chernoff's bound, without a normal
approximation: the mean of m runs exceeds μ + t with probability at most exp(-m·(λt - ln E e^λ(X-μ))) for every λ > 0.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from discreet.mechanisms import Geometric
from discreet.mechanisms.geometric import noise_vectors
from discreet.posteriors.distances import hellinger_floats
from discreet.samplers.bits import SYSTEM, Bits, draw_words

if TYPE_CHECKING:
    from discreet_papers.figures.streams import Stream

RUNS = 1000
"""How many runs the papers average."""

FALSE_ALARM = 1e-9

BOX = (0.05, 0.25, 0.5, 0.75, 0.95)
"""The quantiles of a box: its whiskers, its quartiles and its median."""

_ROUNDING = 1e-12

_FINEST, _RATIO = 1e-7, 1.01
"""Distances are sorted into cells that grow by this ratio from the finest."""


@dataclass(frozen=True)
class Atoms:
    """A law as cells: the least and the largest distance of each, and its probability."""

    low: NDArray[np.float64]
    high: NDArray[np.float64]
    chance: NDArray[np.float64]


class Cells:
    """Collects distances and weights into cells, a list at a time.

    >>> import numpy as np
    >>> cells = Cells()
    >>> cells.add(np.array([0.0, 0.5]), np.array([1.0, 3.0]))
    >>> atoms = cells.atoms()
    >>> [bool(a <= x <= b) for a, x, b in zip(atoms.low, (0.0, 0.5), atoms.high)], atoms.chance.tolist()
    ([True, True], [0.25, 0.75])
    """

    def __init__(self) -> None:
        self._count = 2 + math.ceil(math.log(1 / _FINEST) / math.log(_RATIO))
        self._weight = np.zeros(self._count)

    def add(self, distance: NDArray[np.float64], weight: NDArray[np.float64]) -> None:
        """Distances from 0 to 1, with weights of any total."""
        scaled = np.log(np.maximum(distance, _FINEST) / _FINEST) / math.log(_RATIO)
        cell = np.minimum(scaled.astype(np.int64), self._count - 1)
        self._weight += np.bincount(cell, weights=weight, minlength=self._count)

    def atoms(self) -> Atoms:
        """The cells that hold anything, each a little wider than it is, for the rounding of logarithms."""
        kept = np.flatnonzero(self._weight)
        low = np.where(kept == 0, 0.0, _FINEST * _RATIO ** (kept * (1 - 1e-9)))
        high = np.minimum(_FINEST * _RATIO ** ((kept + 1) * (1 + 1e-9)), 1.0)
        return Atoms(low, high, self._weight[kept] / self._weight.sum())


@dataclass(frozen=True)
class ErrorLaw:
    """Distances in ascending order, and how likely each is.

    >>> import numpy as np
    >>> law = ErrorLaw.of(np.array([0.5, 0.0, 1.0]), np.array([1.0, 2.0, 1.0]))
    >>> law.mean, law.quantile(0.5), law.quantile(0.75)
    (0.375, 0.0, 0.5)
    """

    distance: NDArray[np.float64]
    chance: NDArray[np.float64]

    @classmethod
    def of(cls, distance: NDArray[np.float64], weight: NDArray[np.float64]) -> ErrorLaw:
        """From distances in any order and weights of any total."""
        order = np.argsort(distance, kind="stable")
        return cls(distance[order], weight[order] / weight.sum())

    @classmethod
    def of_stream(cls, stream: Stream) -> ErrorLaw:
        """From all candidates at once."""
        parts = list(stream.slices())
        return cls.of(np.concatenate([part[0] for part in parts]), np.concatenate([part[1] for part in parts]))

    @property
    def mean(self) -> float:
        """The expected distance."""
        return float(self.chance @ self.distance)

    def quantile(self, p: float) -> float:
        """The least distance that is not exceeded with probability p, up to the rounding of a sum of floats."""
        at = int(np.searchsorted(np.cumsum(self.chance), p - 1e-12))
        return float(self.distance[min(at, len(self.distance) - 1)])

    @property
    def atoms(self) -> Atoms:
        """The law as a list of values, each known exactly."""
        return Atoms(self.distance, self.distance, self.chance)

    def box(self) -> tuple[float, ...]:
        """Whiskers, quartiles and median."""
        return tuple(self.quantile(p) for p in BOX)

    def draw_distances(self, size: int, bits: Bits = SYSTEM) -> NDArray[np.float64]:
        """Distances of independent outputs, for studies."""
        return invert(self.distance, self.chance, draw_uniform(bits, size))


@dataclass(frozen=True, slots=True)
class Runs:
    """The average of many runs, how far it may be from the expectation, and the runs' own box."""

    size: int
    mean: float
    allowed: float
    box: tuple[float, ...]

    @classmethod
    def of(cls, distances: NDArray[np.float64], law: ErrorLaw | Stream) -> Runs:
        """From the distances of the runs and their exact law."""
        size = len(distances)
        box = tuple(float(value) for value in np.quantile(distances, BOX, method="inverted_cdf"))
        return cls(size, float(distances.mean()), allowed_gap(law.atoms, law.mean, size), box)

    def agrees_with(self, mean: float) -> bool:
        """Whether the average is as near as it must be; a right one is refused once in 10⁹ times."""
        return abs(self.mean - mean) <= self.allowed


def allowed_gap(atoms: Atoms, mean: float, size: int) -> float:
    """How far the mean of so many runs may be from the exact one, on either side, for one false alarm in 10⁹.

    >>> import numpy as np
    >>> coin = Atoms(np.array([0.0, 1.0]), np.array([0.0, 1.0]), np.array([0.5, 0.5]))
    >>> round(allowed_gap(coin, 0.5, 1000) / (0.5 / math.sqrt(1000)), 2)  # in standard errors
    6.52
    """
    spread = math.sqrt(float(atoms.chance @ np.square(atoms.high - mean)))
    if spread == 0:
        return _ROUNDING
    share = math.log(2 / FALSE_ALARM) / size
    sides = []
    for value in (atoms.high - mean, mean - atoms.low):
        rates = math.sqrt(2 * share) / spread * 2.0 ** np.arange(-4, 5, 0.25)
        powers = rates[:, None] * value[None, :]
        top = powers.max(axis=1)
        logs = top + np.log(np.exp(powers - top[:, None]) @ atoms.chance)
        sides.append(float(((share + logs) / rates).min()))
    return max(sides) + _ROUNDING


def draw_uniform(bits: Bits, size: int) -> NDArray[np.float64]:
    """Floats between 0 and 1 for studies: 64 fair bits each, rounded."""
    found: NDArray[np.float64] = (draw_words(bits, size).astype(np.float64) + 0.5) / 2.0**64
    return found


def invert(value: NDArray[Any], weight: NDArray[np.float64], uniform: NDArray[np.float64]) -> NDArray[Any]:
    """Draws from a law by inversion in floats, for studies: one for each uniform number."""
    sums = np.cumsum(weight)
    drawn: NDArray[Any] = value[np.searchsorted(sums / sums[-1], uniform, side="right").clip(0, len(sums) - 1)]
    return drawn


def geometric_law(mechanism: Geometric, counts: Sequence[int]) -> ErrorLaw:
    """The error of the geometric mechanism by summing over its noise, of which a negligible part is left out.

    >>> from discreet.posteriors.space import PosteriorSpace
    >>> round(geometric_law(Geometric(PosteriorSpace(prior=[1, 1], n=100), epsilon=1), [50, 50]).mean, 4)
    0.0594
    """
    moves, _ = noise_vectors(mechanism.space.k, mechanism.noise_radius(1))
    noisy = moves + np.array(counts)
    distance = hellinger_floats(mechanism.space.prior, counts, mechanism.postprocess(noisy))
    value, index = np.unique(distance, return_inverse=True)
    weight: NDArray[np.float64] = np.zeros(len(value))
    np.add.at(weight, index, np.exp(mechanism.kernel.row(counts, noisy).values))
    return ErrorLaw.of(value, weight)
