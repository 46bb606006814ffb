"""The joint law of two shares: a density of the logits of both, as polynomials on panels.

Given the counts, two shares are independent Betas. Given a release they are a mixture of such pairs, and the density of
their logits s and t is Σ_r u_r(s)·v_r(t) with few terms: one where the releases are of different people, about ten
where two groups are cells of one table. Each u and v is a polynomial on panels, which are halved until their last
coefficients vanish. Whatever compares two shares is one integral, ∫ U_r(h(t))·v_r(t) dt with U_r the integral of u_r.
`tests/inference/test_comparisons.py` holds it to sums over all data sets, `tests/inference/test_differences.py` to
ball arithmetic over eight decades of widths.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.polynomial import legendre
from scipy.special import expit

from discreet.arithmetic.arrays import Floats, Wholes
from discreet.posteriors.mixtures import BetaMixture, ShareLaw, log_kernel
from discreet.posteriors.predictive import deviance, excess

FARTHEST = 690.0
"""Shares closer to 0 or to 1 than e^-690 are not told from them."""

SHARP = 1e-12
"""A panel whose last coefficients are smaller than this is not halved, and a term below it is left out."""

NODES = 16
_HALVINGS, _MAX_TERMS, _CELLS, _AT_ONCE, _NOTHING = 40, 64, 1 << 23, 1 << 20, -80.0
_NODE, _WEIGHT = legendre.leggauss(NODES)
_TO_LEGENDRE = legendre.legvander(_NODE, NODES - 1) * _WEIGHT[:, None] * (np.arange(NODES) + 0.5)

Function = Callable[[Floats], Floats]
"""Of many logits at once; densities of several components have one column for each."""


class Components(ABC):
    """A share as a sum of components: what each weighs, and the density of the logit of each."""

    @property
    @abstractmethod
    def masses(self) -> Floats:
        """What each component weighs."""

    @abstractmethod
    def density(self, s: Floats) -> Floats:
        """One row for each logit, one column for each component: its weight is in it."""

    def panels(self, law: ShareLaw, importance: Floats) -> Panels:
        """The densities on panels. Whatever the share is compared with, they are the same, and kept."""
        if "_panels" not in vars(self):
            vars(self)["_panels"] = _tabulate(self.density, float(law.mean), float(law.sd), importance)
        kept: Panels = vars(self)["_panels"]
        return kept


@dataclass(frozen=True, eq=False)
class Betas(Components):
    """Components that are Beta distributions."""

    a: Floats
    b: Floats

    @property
    def masses(self) -> Floats:
        """All weigh the same."""
        return np.ones(len(self.a))

    def density(self, s: Floats) -> Floats:
        """One row for each logit, one column for each Beta."""
        with np.errstate(under="ignore"):
            found: Floats = np.exp(log_kernel(self.a, self.b, expit(s)[:, None], expit(-s)[:, None]))
        return found


@dataclass(frozen=True, eq=False)
class SplitShare(Components):
    """A share whose counts sum to m: Σ_{x+y=m} w(x)·v(y)·Beta(a+x, b+y), one component for each m.

    With any M, Beta(a+x, b+y) is P(a+x, Mθ)·P(b+y, M(1-θ))/P(a+b+m, M) for P(A, λ) = λ^A·e^-λ/Γ(A), so that the
    density is a convolution. P is computed in Loader's form, which keeps its digits at any size.
    """

    own: Window
    rest: Window

    @property
    def first(self) -> int:
        """The least sum of the counts."""
        return self.own.first + self.rest.first

    @property
    def masses(self) -> Floats:
        """What each component weighs."""
        return np.convolve(self.own.weights, self.rest.weights)

    def density(self, s: Floats) -> Floats:
        """One row for each logit, one column for each sum of counts."""
        masses = self.masses
        both = np.arange(len(masses), dtype=np.float64) + (self.own.parameter + self.rest.parameter + self.first)
        middle = float(both @ masses / masses.sum())
        total = _log_poisson(both, middle)
        found = np.zeros((len(s), len(both)))
        for i, (share, left) in enumerate(zip(expit(s).tolist(), expit(-s).tolist(), strict=True)):
            first, second = self.own.log_poisson(middle * share), self.rest.log_poisson(middle * left)
            one, other = float(first.max()), float(second.max())
            if one + other - float(total.max()) > _NOTHING:
                parts = np.convolve(self.own.weights * np.exp(first - one), self.rest.weights * np.exp(second - other))
                found[i] = parts * np.exp(np.minimum(one + other - total, 700.0))
        return found


@dataclass(frozen=True, eq=False)
class SumShare(Components):
    """The share of counts that sum to m among all that matter: Σ_y v(y)·r(m+y)·Beta(a+m, b+y) for each m.

    `beyond` are the chances r of what is left for the cells that do not matter, by m + y from its first.
    """

    own: Window
    rest: Window
    beyond: Floats

    @property
    def masses(self) -> Floats:
        """What each component weighs, but for the weights of the sums themselves."""
        return self._among(np.zeros(len(self.beyond))) @ self.rest.weights

    def density(self, s: Floats) -> Floats:
        """One row for each logit, one column for each sum of counts."""
        least = self.own.parameter + self.rest.parameter + self.own.first + self.rest.first
        both = np.arange(len(self.beyond), dtype=np.float64) + least
        middle = float(both @ self.beyond / self.beyond.sum())
        total = _log_poisson(both, middle)
        among, found = self._among(total - total.max()), np.zeros((len(s), len(self.own.weights)))
        for i, (share, left) in enumerate(zip(expit(s).tolist(), expit(-s).tolist(), strict=True)):
            first, second = self.own.log_poisson(middle * share), self.rest.log_poisson(middle * left)
            top = float(second.max())
            if float(first.max()) + top - float(total.max()) > _NOTHING:
                sums = among @ (self.rest.weights * np.exp(second - top))
                found[i] = np.exp(np.minimum(first + top - total.max(), 700.0)) * sums
        return found

    def _among(self, log_total: Floats) -> Floats:
        """r(m+y) over the total's factor: one row for each m, one column for each y."""
        at = np.arange(len(self.own.weights))[:, None] + np.arange(len(self.rest.weights))[None, :]
        found: Floats = (self.beyond * np.exp(np.minimum(-log_total, 700.0)))[at]
        return found


@dataclass(frozen=True, eq=False)
class Window:
    """Weights of the counts from a first one on, of cells whose prior parameters sum to `parameter`."""

    first: int
    weights: Floats
    parameter: float

    def log_poisson(self, rate: float) -> Floats:
        """ln P(parameter + count, λ) of every count."""
        return _log_poisson(np.arange(len(self.weights), dtype=np.float64) + (self.parameter + self.first), rate)


def _log_poisson(shape: Floats, rate: float) -> Floats:
    """ln(λ^A·e^-λ/Γ(A))."""
    rates = np.full(len(shape), max(rate, 1e-300))
    found: Floats = np.log(shape) - excess(shape) - deviance(shape, rates, shape - rates)
    return found


@dataclass(frozen=True, eq=False)
class Panels:
    """Densities of a logit, one for each component, at Gauss' nodes of panels; `error` is what they may hide."""

    edges: Floats
    values: Floats
    error: float


def _tabulate(density: Function, mean: float, sd: float, importance: Floats) -> Panels:
    """Densities on panels that double away from the mean, and are halved until their last coefficients vanish."""
    left, right = _first_panels(mean, sd)
    room, error = _CELLS, 0.0
    done: list[tuple[Floats, ...]] = []
    for halving in range(_HALVINGS + 1):
        half = (right - left)[:, None] / 2
        values = density((left[:, None] + half * (_NODE + 1)).ravel()).reshape(len(left), NODES, -1)
        last = np.einsum("pnc,nd->pdc", values, _TO_LEGENDRE[:, -2:])
        gap = 4 * half[:, 0] * (np.abs(last).sum(axis=1) @ importance)
        room -= values.size
        settled = (gap <= SHARP) | (halving == _HALVINGS) | (room < 0)
        done.append((left[settled], right[settled], values[settled]))
        error += float(gap[settled].sum())
        left, right = left[~settled], right[~settled]
        if not len(left):
            break
        middle = (left + right) / 2
        left, right = np.concatenate([left, middle]), np.concatenate([middle, right])
    begin, end, values = (np.concatenate(part) for part in zip(*done, strict=True))
    order = np.argsort(begin)
    return Panels(np.append(begin[order], end.max()), values[order].reshape(-1, values.shape[-1]), error)


def _first_panels(mean: float, sd: float) -> tuple[Floats, Floats]:
    unit = min(sd / (mean * (1 - mean)), FARTHEST)
    away = unit * np.append(0.0, 2.0 ** np.arange(np.ceil(np.log2(4 * FARTHEST / unit))))
    centre = np.log(mean) - np.log1p(-mean)
    edges = np.unique(np.clip(np.concatenate([centre - away, centre + away]), -FARTHEST, FARTHEST))
    return edges[:-1], edges[1:]


@dataclass(frozen=True, eq=False)
class Functions:
    """Several densities of a logit with their integrals, as polynomials on panels. Mass at the far ends is apart."""

    edges: Floats
    slopes: Floats
    at_zero: Floats
    at_one: Floats
    lows: Floats

    @classmethod
    def through(cls, edges: Floats, values: Floats) -> Functions:
        """Those with these values at the nodes of the panels, which hold all mass."""
        half = np.diff(edges)[:, None, None] / 2
        slopes = half * np.einsum("pnc,nd->pdc", values.reshape(len(edges) - 1, NODES, -1), _TO_LEGENDRE)
        nothing = np.zeros((1, slopes.shape[2]))
        lows = np.concatenate([nothing, np.cumsum(2 * slopes[:, 0], axis=0)])
        return cls(edges, slopes, nothing[0], nothing[0], lows)

    def density(self, s: Floats) -> Floats:
        """The densities, which are 0 outside of the panels."""
        panel, t = self._place(s)
        basis = legendre.legvander(t, NODES - 1) / (np.diff(self.edges)[panel][:, None] / 2)
        basis[(s < self.edges[0]) | (s > self.edges[-1])] = 0.0
        found: Floats = np.einsum("nd,ndc->nc", basis, self.slopes[panel])
        return found

    def distribution(self, s: Floats) -> Floats:
        """The masses up to each logit."""
        panel, t = self._place(s)
        basis = legendre.legvander(t, NODES)
        # The integral of P_d from -1 to t is (P_{d+1} - P_{d-1})/(2d+1), and t+1 for d = 0.
        risen = np.column_stack([t + 1, (basis[:, 2:] - basis[:, :-2]) / (2 * np.arange(1, NODES) + 1)])
        inside: Floats = self.lows[panel] + np.einsum("nd,ndc->nc", risen, self.slopes[panel])
        inside[s < self.edges[0]] = 0.0
        inside[s > self.edges[-1]] = self.lows[-1] + self.at_one
        return inside

    def mean(self, of: Function) -> Floats:
        """The integral of a function, for each density."""
        half = np.diff(self.edges)[:, None] / 2
        at = (self.edges[:-1, None] + half * (_NODE + 1)).ravel()
        far = of(np.array([-FARTHEST, FARTHEST]))
        inside = ((half * _WEIGHT).ravel() * of(at)) @ self.density(at)
        found: Floats = inside + self.at_zero * far[0] + self.at_one * far[1]
        return found

    def _place(self, s: Floats) -> tuple[Wholes, Floats]:
        """The panel of each s, and where in it, from -1 to 1."""
        panel = np.clip(np.searchsorted(self.edges, s, side="right") - 1, 0, len(self.edges) - 2)
        left, right = self.edges[panel], self.edges[panel + 1]
        return panel, np.clip((2 * s - left - right) / (right - left), -1.0, 1.0)


@dataclass(frozen=True, eq=False)
class JointShares:
    """Two shares with the density Σ_r u_r(s)·v_r(t) of their logits. `error` bounds how far any probability is off."""

    first: Functions
    second: Functions
    error: float

    def below(self, ahead: Function, back: Function) -> float:
        """P(s ≤ h(t)) for an increasing h and its inverse: Gauss' rule between all edges of both."""
        at, weight = self._nodes(back)
        height = np.einsum("nr,nr->n", self.first.distribution(ahead(at)), self.second.density(at))
        ends = self.first.distribution(ahead(np.array([-np.inf, np.inf])))
        found = height @ weight + ends[0] @ self.second.at_zero + ends[1] @ self.second.at_one
        return min(max(float(found), 0.0), 1.0)

    @property
    def ties(self) -> tuple[float, float]:
        """The chances that both are not told from 0, and that both are not told from 1."""
        first, second = self.first, self.second
        return float(first.at_zero @ second.at_zero), float(first.at_one @ second.at_one)

    def rise(self, ahead: Function, back: Function, speed: Function) -> float:
        """How fast P(s ≤ h(t)) grows where h moves at a speed that depends on h(t)."""
        at, weight = self._nodes(back)
        to = ahead(at)
        to = np.where(np.isfinite(to), to, 2 * FARTHEST)
        height = np.einsum("nr,nr->n", self.first.density(to), self.second.density(at))
        moving = height != 0
        return float((height[moving] * speed(to[moving])) @ weight[moving])

    def mean(self, of_first: Function, of_second: Function) -> float:
        """The mean of a product of functions of the two logits."""
        return float(self.first.mean(of_first) @ self.second.mean(of_second))

    def _nodes(self, back: Function) -> tuple[Floats, Floats]:
        edges, other = self.second.edges, back(self.first.edges)
        every = np.unique(np.concatenate([edges, other[(other > edges[0]) & (other < edges[-1])]]))
        half = np.diff(every)[:, None] / 2
        return (every[:-1, None] + half * (_NODE + 1)).ravel(), (half * _WEIGHT).ravel()


def joint_shares(
    first: Components, second: Components, weights: Floats, laws: tuple[ShareLaw, ShareLaw]
) -> JointShares:
    """From the components of both shares, and how much each pair of them weighs: a vector where only like ones pair.

    The density at all pairs of nodes is taken apart by pivoting into few products of functions.
    """
    if weights.ndim == 1:
        importance = weights * second.masses, weights * first.masses
    else:
        importance = weights @ second.masses, first.masses @ weights
    total = float(importance[0] @ first.masses)
    one, other = (
        side.panels(law, important / total)
        for side, law, important in zip((first, second), laws, importance, strict=True)
    )
    paired = one.values * weights if weights.ndim == 1 else one.values @ weights
    left = paired @ other.values.T / total
    area = np.outer(*((np.diff(side.edges)[:, None] / 2 * _WEIGHT).ravel() for side in (one, other)))
    scale = np.sqrt(area)
    missing = abs(float((left * area).sum()) - 1)
    rows: list[Floats] = []
    columns: list[Floats] = []
    for _ in range(_MAX_TERMS):
        i, j = np.unravel_index(int(np.argmax(np.abs(left) * scale)), left.shape)
        if float(np.abs(left[i, j]) * scale[i, j]) < SHARP / 100:
            break
        columns.append(left[:, j] / left[i, j])
        rows.append(left[i].copy())
        left -= np.outer(columns[-1], rows[-1])
    hidden = float((np.abs(left) * area).sum())
    return JointShares(
        Functions.through(one.edges, np.stack(columns, axis=1)),
        Functions.through(other.edges, np.stack(rows, axis=1)),
        one.error + other.error + hidden + missing + 4 * SHARP,
    )


def independent_shares(first: ShareLaw, second: ShareLaw) -> JointShares:
    """Two shares whose posteriors are independent."""
    (one, hidden), (other, hidden_too) = (alone(law) for law in (first, second))
    return JointShares(one, other, hidden + hidden_too + 4 * SHARP)


def alone(law: ShareLaw) -> tuple[Functions, float]:
    """A share by itself, and what its panels hide.

    At their edges the panels have the exact distribution function, so that their errors do not add up: between two
    ends no more can be hidden than lies between them.
    """
    left, right = _first_panels(float(law.mean), float(law.sd))
    low, high = (_of_logits(law, "cdf", edges) for edges in (left, right))
    close, room = 1e-11 + _rounding(law), max(_CELLS // _size(law), 1 << 10)
    done: list[tuple[Floats, ...]] = []
    for halving in range(_HALVINGS + 1):
        half, rise = (right - left)[:, None] / 2, high - low
        slopes, steep = np.zeros((len(left), NODES)), rise > 1e-11
        at = (left[:, None] + half * (_NODE + 1))[steep]
        slopes[steep] = half[steep] * _of_logits(law, "pdf", at.ravel()).reshape(at.shape) @ _TO_LEGENDRE
        gap = np.where(steep, 4 * np.abs(slopes[:, -2:]).sum(axis=1) + np.abs(2 * slopes[:, 0] - rise), rise)
        slopes[:, 0] = rise / 2
        room -= slopes.size
        settled = gap <= close
        if halving == _HALVINGS or room < 0:  # a straight line is at most as far off as it rises
            slopes[~settled, 1:], gap[~settled], settled[:] = 0.0, rise[~settled], True
        done.append(tuple(part[settled] for part in (left, right, low, slopes, gap)))
        if settled.all():
            break
        left, right, low, high = (part[~settled] for part in (left, right, low, high))
        middle = (left + right) / 2
        value = _of_logits(law, "cdf", middle)
        left, right = np.concatenate([left, middle]), np.concatenate([middle, right])
        low, high = np.concatenate([low, value]), np.concatenate([value, high])
    order = np.argsort(np.concatenate([part[0] for part in done]))
    begin, end, low, slopes, gap = (np.concatenate(part)[order] for part in zip(*done, strict=True))
    last = _of_logits(law, "cdf", end[-1:])
    lows = np.append(low, last)[:, None]
    functions = Functions(np.append(begin, end[-1]), slopes[:, :, None], lows[0], 1 - last, lows)
    return functions, close + float(gap.max())


def _of_logits(law: ShareLaw, what: str, s: Floats) -> Floats:
    """The distribution function or the density of the logit. Above 0, what is left of the share has more digits."""
    found = np.empty(len(s))
    rows = max(1, _AT_ONCE // _size(law))
    for upper, side in enumerate((law, law.complement)):
        here = np.flatnonzero((s > 0) == upper)
        for start in range(0, len(here), rows):
            at = here[start : start + rows]
            x = expit(-np.abs(s[at]))
            if what == "pdf":
                found[at] = side.pdf(x) * x * (1 - x)
            else:
                found[at] = 1 - side.cdf(x) if upper else side.cdf(x)
    return found


def _size(law: ShareLaw) -> int:
    return len(law.weights) if isinstance(law, BetaMixture) else 1 << 12


def _rounding(law: ShareLaw) -> float:
    """How far the distribution function moves when x does by its last digits, and what incomplete Betas are off by."""
    if not isinstance(law, BetaMixture):
        return 1e-15 * float(law.mean * (1 - law.mean) / law.sd)
    steep = np.sqrt(np.minimum(law.a, law.b) / np.maximum(law.a, law.b) * (law.a + law.b + 1))
    return 1e-15 * float(law.weights @ steep)
