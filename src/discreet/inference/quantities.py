"""Quantity: what may be believed of one number, whichever it is: a share, a difference, a ratio, a total, a rate."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from discreet.arithmetic.arrays import Floats
from discreet.arithmetic.cards import AWARE_KEY, Bar, Ends, card
from discreet.arithmetic.numbers import exact_share
from discreet.errors import InvalidInput

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Kind = Literal["equal-tailed", "highest-density"]

_STARTS, _CLOSER = 17, 12


class Estimate(float):
    """A number that knows how far it may be off.

    >>> Estimate(0.25, 1e-3), Estimate(0.25, 1e-3).error
    (0.25, 0.001)
    """

    error: float

    def __new__(cls, value: float, error: float) -> Estimate:
        """The number and a bound on its error."""
        estimate = super().__new__(cls, value)
        estimate.error = error
        return estimate


def require_kind(kind: Kind) -> Kind:
    """A kind of interval, or a refusal."""
    if kind not in get_args(Kind):
        raise InvalidInput(
            "kind must be equal-tailed or highest-density", hint="leave it out for equal-tailed", parameter="kind"
        )
    return kind


def shortest_interval(quantile: Callable[[ArrayLike], Floats], level: float) -> tuple[float, float]:
    """The shortest interval of a level: the p that minimises Q(p+level) - Q(p), on a grid and then on closer ones."""
    starts = np.linspace(1e-12 * (1 - level), (1 - 1e-12) * (1 - level), _STARTS)
    for _ in range(_CLOSER):
        best = int(np.argmin(quantile(starts + level) - quantile(starts)))
        p, points = float(starts[best]), len(starts)
        starts = np.linspace(starts[max(best - 1, 0)], starts[min(best + 1, points - 1)], 5)
    return float(quantile(p)), float(quantile(p + level))


def at_each(function: Callable[[float], float], x: ArrayLike) -> Floats:
    """A function of one number, at every number of an array."""
    where = np.asarray(x, dtype=np.float64)
    return np.array([function(value) for value in where.reshape(-1).tolist()]).reshape(where.shape)


class Quantity(ABC):
    """The posterior of one number, with the privacy noise in it; `error` bounds how far any probability is off."""

    label: str

    @property
    def name(self) -> str:
        """What it is, for tables and axes."""
        return self.label

    @property
    @abstractmethod
    def error(self) -> float:
        """A bound on how far any probability is off."""

    @property
    @abstractmethod
    def mean(self) -> float:
        """The expected value; infinite where there is none."""

    @property
    @abstractmethod
    def sd(self) -> float:
        """The standard deviation; infinite where there is none."""

    @abstractmethod
    def cdf(self, x: ArrayLike) -> Floats:
        """The probability of at most x."""

    @abstractmethod
    def pdf(self, x: ArrayLike) -> Floats:
        """The density at x; of a whole number, its probability."""

    @abstractmethod
    def quantile(self, p: ArrayLike) -> Floats:
        """The x that is exceeded with probability 1 - p."""

    @abstractmethod
    def sample(self, size: object = 1, *, seed: object = None) -> Floats:
        """Independent draws: the same for the same seed, and from the operating system without one."""

    @property
    def median(self) -> float:
        """As likely exceeded as not."""
        return float(self.quantile(0.5))

    def interval(self, level: object = 0.95, kind: Kind = "equal-tailed") -> tuple[float, float]:
        """The low and the high end; `highest-density` is the shortest interval of the level."""
        share = exact_share(level, "level")
        if require_kind(kind) == "highest-density":
            return shortest_interval(self.quantile, float(share))
        tail = float((1 - share) / 2)
        low, high = (float(self.quantile(p)) for p in (tail, 1 - tail))
        return low, max(low, high)  # each is right to its last digits, and they may differ in no others

    def probability_above(self, x: float) -> Estimate:
        """The probability of more than x, with its own `error`."""
        return Estimate(1 - float(self.cdf(x)), self.error)

    @property
    def probability(self) -> Estimate:
        """The probability of more than 0: of a difference, that the first is the greater."""
        return self.probability_above(0.0)

    ppf = property(lambda self: self.quantile, doc="SciPy's name of `quantile`.")
    rvs = property(lambda self: self.sample, doc="SciPy's name of `sample`.")

    def plot(self) -> Figure:
        """A picture of the density with its 95 % interval (the extra `plot`)."""
        from discreet.figures.quantities import plot_quantity

        return plot_quantity(self)

    def to_arviz(self, size: object = 4000, *, seed: object = None) -> Any:
        """Independent draws under its name, as ArviZ reads them (the extra `arviz`)."""
        from discreet.bridges.arviz import draws_to_arviz, rounded_up

        return draws_to_arviz({self.name: self.sample(rounded_up(size), seed=seed)}, error=self.error)

    def __repr__(self) -> str:
        low, high = self.interval()
        centre = f"mean {self.mean:.4g}" if math.isfinite(self.mean) else f"median {self.median:.4g}"
        return f"<{self.name}: {centre}, 95 % interval {low:.4g} to {high:.4g}, privacy noise included>"

    @property
    def ends(self) -> Ends:
        """The low end, the mean (or the median where there is none) and the high end of the 95 % interval."""
        low, high = self.interval()
        return low, self.mean if math.isfinite(self.mean) else self.median, high

    def _repr_html_(self) -> str:
        bar = Bar("", f"{self.ends[1]:.4g} ({self.ends[0]:.4g} to {self.ends[2]:.4g})", self.ends)
        return card(self.name, bars=[bar], key=AWARE_KEY.replace("Means and", "Mean and"))


class QuantityTable(ABC):
    """Several quantities of one release: the mean, the standard deviation and the interval of each."""

    @abstractmethod
    def _quantities(self) -> Iterable[Quantity]: ...

    @property
    @abstractmethod
    def labels(self) -> tuple[str, ...]:
        """The name of each."""

    def __iter__(self) -> Iterator[str]:
        """The labels."""
        return iter(self.labels)

    @cached_property
    def mean(self) -> Floats:
        """The expected value of each, in their order."""
        return np.array([quantity.mean for quantity in self._quantities()])

    @cached_property
    def sd(self) -> Floats:
        """The standard deviation of each."""
        return np.array([quantity.sd for quantity in self._quantities()])

    def interval(self, level: object = 0.95, kind: Kind = "equal-tailed") -> tuple[Floats, Floats]:
        """The low ends and the high ends of each interval."""
        ends = np.array([quantity.interval(level, kind) for quantity in self._quantities()])
        return ends[:, 0], ends[:, 1]

    @property
    def error(self) -> float:
        """A bound on how far any probability is off."""
        return max(quantity.error for quantity in self._quantities())

    def to_pandas(self, *, level: float = 0.95) -> Any:
        """A pandas frame of means and intervals, indexed by the labels.

        Cells of groups and categories have their share of all records; `belief.group("new").to_pandas()` has the shares
        within a group. Public groups have a posterior each, and their cells the shares within them.
        """
        from discreet.bridges.frames import to_pandas

        return to_pandas(self, level=level)

    def to_polars(self, *, level: float = 0.95) -> Any:
        """A Polars frame of the same, with a column for the labels of each axis."""
        from discreet.bridges.frames import to_polars

        return to_polars(self, level=level)


@dataclass(frozen=True, eq=False, repr=False)
class TransformedQuantity(Quantity):
    """An increasing function of a quantity."""

    base: Quantity
    label: str
    forth: Callable[[Floats], Floats]
    back: Callable[[Floats], Floats]
    slope: Callable[[Floats], Floats]
    """The derivative of `back`."""
    expected: float
    spread: float

    @property
    def mean(self) -> float:
        return self.expected

    @property
    def sd(self) -> float:
        return self.spread

    @property
    def error(self) -> float:
        return self.base.error

    def cdf(self, x: ArrayLike) -> Floats:
        return self.base.cdf(self.back(np.asarray(x, dtype=np.float64)))

    def pdf(self, x: ArrayLike) -> Floats:
        at = np.asarray(x, dtype=np.float64)
        return self.base.pdf(self.back(at)) * self.slope(at)

    def quantile(self, p: ArrayLike) -> Floats:
        return self.forth(self.base.quantile(p))

    def sample(self, size: object = 1, *, seed: object = None) -> Floats:
        return self.forth(self.base.sample(size, seed=seed))
