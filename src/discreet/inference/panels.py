"""Functions of the logit of a share, as polynomials on panels that are halved until their last coefficients vanish."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.polynomial import legendre
from scipy.special import expit

from discreet.arithmetic.arrays import Floats, Wholes
from discreet.posteriors.mixtures import BetaMixture, ShareLaw

FARTHEST = 690.0
"""Shares closer to 0 or to 1 than e^-690 are not told from them."""

SHARP = 1e-12
"""A panel whose last coefficients are smaller than this is not halved."""

NODES = 16
_HALVINGS, _CELLS, _AT_ONCE = 40, 1 << 23, 1 << 20
_NODE, _WEIGHT = legendre.leggauss(NODES)
_TO_LEGENDRE = legendre.legvander(_NODE, NODES - 1) * _WEIGHT[:, None] * (np.arange(NODES) + 0.5)

Function = Callable[[Floats], Floats]
"""Of many logits at once; densities of several components have one column for each."""


def gauss_nodes(edges: Floats) -> tuple[Floats, Floats]:
    """The nodes of Gauss' rule on each panel, and their weights."""
    half = np.diff(edges)[:, None] / 2
    return (edges[:-1, None] + half * (_NODE + 1)).ravel(), (half * _WEIGHT).ravel()


@dataclass(frozen=True, eq=False)
class Panels:
    """Densities of a logit, one for each component, at Gauss' nodes of panels; `error` is what they may hide."""

    edges: Floats
    values: Floats
    error: float


def tabulate(density: Function, mean: float, sd: float, importance: Floats) -> Panels:
    """Densities on panels that double away from the mean, and are halved until their last coefficients vanish."""
    left, right = _first_panels(mean, sd)
    room, error = _CELLS, 0.0
    panels: list[tuple[Floats, ...]] = []
    for halving in range(_HALVINGS + 1):
        half = (right - left)[:, None] / 2
        values = density((left[:, None] + half * (_NODE + 1)).ravel()).reshape(len(left), NODES, -1)
        last = np.einsum("pnc,nd->pdc", values, _TO_LEGENDRE[:, -2:])
        gap = 4 * half[:, 0] * (np.abs(last).sum(axis=1) @ importance)
        room -= values.size
        settled = (gap <= SHARP) | (halving == _HALVINGS) | (room < 0)
        panels.append((left[settled], right[settled], values[settled]))
        error += float(gap[settled].sum())
        left, right = left[~settled], right[~settled]
        if not len(left):
            break
        middle = (left + right) / 2
        left, right = np.concatenate([left, middle]), np.concatenate([middle, right])
    begin, end, values = (np.concatenate(part) for part in zip(*panels, strict=True))
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
        densities: Floats = np.einsum("nd,ndc->nc", basis, self.slopes[panel])
        return densities

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
        at, weight = gauss_nodes(self.edges)
        far = of(np.array([-FARTHEST, FARTHEST]))
        integrals: Floats = (weight * of(at)) @ self.density(at) + self.at_zero * far[0] + self.at_one * far[1]
        return integrals

    def _place(self, s: Floats) -> tuple[Wholes, Floats]:
        """The panel of each s, and where in it, from -1 to 1."""
        panel = np.clip(np.searchsorted(self.edges, s, side="right") - 1, 0, len(self.edges) - 2)
        left, right = self.edges[panel], self.edges[panel + 1]
        return panel, np.clip((2 * s - left - right) / (right - left), -1.0, 1.0)


def tabulate_law(law: ShareLaw) -> tuple[Functions, float]:
    """A share by itself, and what its panels hide.

    At their edges the panels have the exact distribution function, so that their errors do not add up: between two
    ends no more can be hidden than lies between them.
    """
    left, right = _first_panels(float(law.mean), float(law.sd))
    low, high = (_of_logits(law, "cdf", edges) for edges in (left, right))
    close, room = 1e-11 + _rounding(law), max(_CELLS // _size(law), 1 << 10)
    panels: list[tuple[Floats, ...]] = []
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
        panels.append(tuple(part[settled] for part in (left, right, low, slopes, gap)))
        if settled.all():
            break
        left, right, low, high = (part[~settled] for part in (left, right, low, high))
        middle = (left + right) / 2
        value = _of_logits(law, "cdf", middle)
        left, right = np.concatenate([left, middle]), np.concatenate([middle, right])
        low, high = np.concatenate([low, value]), np.concatenate([value, high])
    order = np.argsort(np.concatenate([part[0] for part in panels]))
    begin, end, low, slopes, gap = (np.concatenate(part)[order] for part in zip(*panels, strict=True))
    last = _of_logits(law, "cdf", end[-1:])
    lows = np.append(low, last)[:, None]
    functions = Functions(np.append(begin, end[-1]), slopes[:, :, None], lows[0], 1 - last, lows)
    return functions, close + float(gap.max())


def _of_logits(law: ShareLaw, what: str, s: Floats) -> Floats:
    """The distribution function or the density of the logit. Above 0, what is left of the share has more digits."""
    values = np.empty(len(s))
    rows = max(1, _AT_ONCE // _size(law))
    for upper, side in enumerate((law, law.complement)):
        places = np.flatnonzero((s > 0) == upper)
        for start in range(0, len(places), rows):
            at = places[start : start + rows]
            x = expit(-np.abs(s[at]))
            if what == "pdf":
                values[at] = side.pdf(x) * x * (1 - x)
            else:
                values[at] = 1 - side.cdf(x) if upper else side.cdf(x)
    return values


def _size(law: ShareLaw) -> int:
    return len(law.weights) if isinstance(law, BetaMixture) else 1 << 12


def _rounding(law: ShareLaw) -> float:
    """How far the distribution function moves when x does by its last digits, and what incomplete Betas are off by."""
    if not isinstance(law, BetaMixture):
        return 1e-15 * float(law.mean * (1 - law.mean) / law.sd)
    steep = np.sqrt(np.minimum(law.a, law.b) / np.maximum(law.a, law.b) * (law.a + law.b + 1))
    return 1e-15 * float(law.weights @ steep)
