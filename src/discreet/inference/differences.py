"""The difference of two shares whose posteriors are independent: what an A/B test asks for.

P(X - Y ≤ d) = ∫ F_X(y + d) dF_Y(y). Both distribution functions are tabled once, as polynomials of ln(x/(1-x)) on
panels that are halved until each agrees with the incomplete Beta functions at its ends: a distribution function only
rises, so between two ends no more can be hidden than lies between their values. The integral is taken over the panels
of both, so it does not matter which of the two is the narrower. `tests/inference/test_differences.py` compares it
with sums in ball arithmetic over eight decades of widths.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit, logit

from discreet.arithmetic.arrays import Floats, Wholes
from discreet.arithmetic.numbers import exact_share
from discreet.arithmetic.roots import root_between
from discreet.posteriors.mixtures import BetaMixture

_FARTHEST = 690.0
"""Shares closer to 0 or to 1 than e^-690 are not told from them."""

_NODES, _SHARP = 16, 1e-11
_HALVINGS, _CELLS, _FEWEST, _AT_ONCE = 40, 1 << 23, 1 << 10, 1 << 20


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


class Tabled:
    """A distribution function by s = ln(x/(1-x)), as polynomials on panels; `error` bounds how far it is off anywhere.

    >>> import numpy as np
    >>> table = Tabled(BetaMixture([0.5, 0.5], [2, 5e8], [5, 5e8]))
    >>> round(float(table.distribution(np.array([0.0]))[0]), 8), table.error < 1e-9
    (0.6953125, True)
    """

    def __init__(self, share: BetaMixture) -> None:
        self._sides = share, share.turned
        rounding = _SHARP + _rounding(share)
        left, right = _first_panels(share)
        low, high = self._exactly("cdf", left), self._exactly("cdf", right)
        done: list[tuple[Floats, ...]] = []
        room = max(_CELLS // len(share.weights), _FEWEST)
        for halving in range(_HALVINGS + 1):
            parts, gap = self._legendre(left, right, high - low)
            room -= len(left) * _NODES
            settled = gap <= rounding
            if halving == _HALVINGS or room < 0:  # a straight line is at most as far off as it rises
                parts[~settled, 1:], gap[~settled], settled[:] = 0.0, (high - low)[~settled], True
            done.append(tuple(part[settled] for part in (left, right, low, parts, gap)))
            if settled.all():
                break
            left, right, low, high = (part[~settled] for part in (left, right, low, high))
            middle = (left + right) / 2
            value = self._exactly("cdf", middle)
            left, right = np.concatenate([left, middle]), np.concatenate([middle, right])
            low, high = np.concatenate([low, value]), np.concatenate([value, high])
        order = np.argsort(np.concatenate([part[0] for part in done]))
        begin, end, self._low, parts, gap = (np.concatenate(part)[order] for part in zip(*done, strict=True))
        self.edges = np.append(begin, end[-1])
        self._derivative = (parts / ((end - begin)[:, None] / 2)).T
        self._integral = np.polynomial.legendre.legint(parts, lbnd=-1, axis=1).T
        self.at_zero, self.at_one = float(self._low[0]), 1 - float(self._exactly("cdf", end[-1:])[0])
        self.error = rounding + float(gap.max())

    def distribution(self, s: Floats) -> Floats:
        """P(share ≤ x) at any s."""
        panel, t = self._place(s)
        inside = self._low[panel] + np.polynomial.legendre.legval(t, self._integral[:, panel], tensor=False)
        return np.where(s < self.edges[0], 0.0, np.where(s > self.edges[-1], 1.0, inside))

    def density(self, s: Floats) -> Floats:
        """The derivative by s, between the first edge and the last."""
        panel, t = self._place(s)
        found: Floats = np.polynomial.legendre.legval(t, self._derivative[:, panel], tensor=False)
        return found

    def _place(self, s: Floats) -> tuple[Wholes, Floats]:
        """The panel of each s, and where in it, from -1 to 1."""
        panel = np.clip(np.searchsorted(self.edges, s, side="right") - 1, 0, len(self.edges) - 2)
        left, right = self.edges[panel], self.edges[panel + 1]
        return panel, np.clip((2 * s - left - right) / (right - left), -1.0, 1.0)

    def _legendre(self, left: Floats, right: Floats, rise: Floats) -> tuple[Floats, Floats]:
        """The density on panels, times half their lengths, in Legendre's polynomials; and how far its integral is off.

        That is what the last coefficients leave to be expected, and the disagreement with the rise over the panel.
        """
        node, weight = np.polynomial.legendre.leggauss(_NODES)
        half, steep = (right - left)[:, None] / 2, rise > _SHARP
        slope = np.zeros((len(left), _NODES))
        at = (left[:, None] + half * (node + 1))[steep]
        slope[steep] = self._exactly("pdf", at.ravel()).reshape(at.shape)
        basis = np.polynomial.legendre.legvander(node, _NODES - 1) * weight[:, None] * (np.arange(_NODES) + 0.5)
        parts: Floats = half * slope @ basis
        gap = np.where(steep, 4 * np.abs(parts[:, -2:]).sum(axis=1) + np.abs(2 * parts[:, 0] - rise), rise)
        parts[:, 0] = rise / 2
        return parts, gap

    def _exactly(self, what: str, s: Floats) -> Floats:
        """The distribution function or the density by s, from incomplete Beta functions and Loader's form."""
        found = np.empty(len(s))
        rows = max(1, _AT_ONCE // self._sides[0].weights.size)
        for upper, side in enumerate(self._sides):
            here = np.flatnonzero((s > 0) == upper)
            for at in np.split(here, range(rows, len(here), rows)):
                x = expit(-np.abs(s[at]))
                if what == "pdf":
                    found[at] = side.pdf(x) * x * (1 - x)
                else:
                    found[at] = 1 - side.cdf(x) if upper else side.cdf(x)
        return found


def _rounding(share: BetaMixture) -> float:
    """How far the distribution function moves when x does by its last digits, and what incomplete Betas are off by."""
    total = share.a + share.b
    steep = np.sqrt(np.minimum(share.a, share.b) / np.maximum(share.a, share.b) * (total + 1))
    return 1e-15 * float(share.weights @ steep)


def _first_panels(share: BetaMixture) -> tuple[Floats, Floats]:
    """Panels that double away from the mean, in standard deviations, to where shares are no longer told from 0 or 1."""
    mean, rest = float(share.mean), float(share.turned.mean)
    unit = min(float(share.sd) / (mean * rest), _FARTHEST)
    away = unit * np.append(0.0, 2.0 ** np.arange(np.ceil(np.log2(4 * _FARTHEST / unit))))
    centre = np.log(mean) - np.log(rest)
    edges = np.unique(np.clip(np.concatenate([centre - away, centre + away]), -_FARTHEST, _FARTHEST))
    return edges[:-1], edges[1:]


@dataclass(frozen=True)
class Difference:
    """X - Y for independent mixtures of Betas X and Y.

    `error` bounds how far any probability is off, with what is known of both mixtures' own error in it.

    >>> lift = Difference(BetaMixture([1.0], [31.0], [71.0]), BetaMixture([1.0], [21.0], [81.0]))
    >>> round(lift.mean, 4), round(lift.probability, 3), lift.probability.error < 1e-9
    (0.098, 0.948, True)
    """

    one: BetaMixture
    other: BetaMixture
    believed_within: float = 0.0

    @property
    def mean(self) -> float:
        """The expected difference."""
        return float(self.one.mean - self.other.mean)

    @property
    def sd(self) -> float:
        """Its standard deviation."""
        return float((self.one.sd**2 + self.other.sd**2) ** 0.5)

    @property
    def probability(self) -> Estimate:
        """P(X > Y), with its own `error`."""
        return Estimate(1 - float(self.cdf(0.0)), self.error)

    @property
    def error(self) -> float:
        """A bound on how far any probability of the difference is off.

        Shares that are not told from 0, or from 1, count as equal half of the time.
        """
        one, other = self._tables
        ties = one.at_zero * other.at_zero + one.at_one * other.at_one
        return self.believed_within + one.error + other.error + _SHARP + ties / 2

    @cached_property
    def _tables(self) -> tuple[Tabled, Tabled]:
        return Tabled(self.one), Tabled(self.other)

    def cdf(self, d: ArrayLike) -> Floats:
        """P(X - Y ≤ d)."""
        where = np.asarray(d, dtype=np.float64)
        return np.array([self._below(x) for x in where.reshape(-1).tolist()]).reshape(where.shape)

    def _below(self, d: float) -> float:
        """P(X ≤ Y + d): Gauss' rule on Y's panels, cut where X's end, and halved until the halves agree."""
        if abs(d) >= 1:
            return float(d > 0)
        one, other = self._tables

        def shifted(s: Floats, by: float) -> Floats:
            with np.errstate(divide="ignore"):
                return s if by == 0 else logit(np.clip(expit(s) + by, 0.0, 1.0))

        node, weight = np.polynomial.legendre.leggauss(_NODES)

        def integral(left: Floats, right: Floats) -> Floats:
            half = (right - left)[:, None] / 2
            at = (left[:, None] + half * (node + 1)).ravel()
            height = one.distribution(shifted(at, d)) * other.density(at)
            return half[:, 0] * (height.reshape(len(left), -1) @ weight)

        first, last = other.edges[0], other.edges[-1]
        edges = np.unique(np.clip(np.concatenate([other.edges, shifted(one.edges, -d)]), first, last))
        left, right = edges[:-1], edges[1:]
        whole, total = integral(left, right), 0.0
        while len(left):
            middle = (left + right) / 2
            parts = integral(left, middle), integral(middle, right)
            open_ = np.abs(parts[0] + parts[1] - whole) > _SHARP / len(edges)
            open_ &= (middle > left) & (middle < right)
            total += float((parts[0] + parts[1])[~open_].sum())
            left, right = np.concatenate([left[open_], middle[open_]]), np.concatenate([middle[open_], right[open_]])
            whole = np.concatenate([part[open_] for part in parts])
        low, high = one.at_zero / 2, 1 - one.at_one / 2  # ties
        if d != 0:
            low, high = one.distribution(shifted(np.array([-np.inf, np.inf]), d)).tolist()
        return min(max(total + other.at_zero * low + other.at_one * high, 0.0), 1.0)

    def interval(self, level: object = 0.95) -> tuple[float, float]:
        """The equal-tailed interval."""
        tail = float((1 - exact_share(level, "level")) / 2)

        def quantile(p: float) -> float:
            return root_between(lambda d: self._below(d) - p, -1.0, 1.0, 1e-13)

        return quantile(tail), quantile(1 - tail)
