"""What is asked of several shares at once: a mean score, a weighted share, which share is largest.

Given the counts, shares of one whole are independent Gammas over their sum. So a mean score is at most t where
Σ (s_j - t)·G_j ≤ 0, and the probability of that is an integral over the sum's characteristic function (Gil-Pelaez);
a share is the largest where its Gamma is. Both are integrals over E[Π f_j(c_j)], which `CountPosterior.expectation`
knows exactly. Shares of several groups are independent given the counts, so that the characteristic function of their
weighted sum is E[Π h_g]. Nothing is sampled. `tests/inference/test_contrasts.py` holds all of them to sums over all
data sets.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit, gammainc, gammaln

from discreet.arithmetic.arrays import Floats, Wholes
from discreet.arithmetic.roots import root_between
from discreet.arithmetic.texts import join_names
from discreet.errors import InvalidInput
from discreet.inference.components import Components
from discreet.inference.counts import Cells
from discreet.inference.panels import Functions, gauss_nodes, tabulate_law
from discreet.inference.quantities import Estimate, Quantity, at_each
from discreet.inference.share import Share, distinct_posteriors, sample_shares

Complexes = NDArray[np.complex128]

_GONE = 1e-13
"""A characteristic function below this has ended."""

_MAX_NODES, _MAX_TERMS, _AT_ONCE = 1 << 12, 1 << 9, 32


@dataclass(frozen=True, eq=False, repr=False)
class LinearCombination(Quantity):
    """Σ w_j·θ_j over several shares, between two ends."""

    shares: tuple[Share, ...]
    weights: tuple[float, ...]
    label: str

    @property
    @abstractmethod
    def support(self) -> tuple[float, float]:
        """Its least and its greatest value."""

    @cached_property
    def mean(self) -> float:
        return float(np.dot(self.weights, [share.mean for share in self.shares]))

    def quantile(self, p: ArrayLike) -> Floats:
        low, high = self.support
        return at_each(lambda q: root_between(lambda x: float(self.cdf(x)) - q, low, high, 1e-13 * (high - low)), p)


class Score(LinearCombination):
    """Σ s_j·θ_j over the shares of one whole: the mean score of an ordinal item, by the scores s."""

    @property
    def support(self) -> tuple[float, float]:
        return min(self.weights), max(self.weights)

    @cached_property
    def sd(self) -> float:
        """E[(S-μ)²] = E[D²/(A(A+1))] for D = Σ (s_j-μ)·G_j and A the sum of all parameters."""
        away = np.array(self.weights) - self.mean
        total = float(sum(self._alpha))
        step = 0.05 / float(np.sqrt(np.square(away) @ self._spreads))
        waves = self._wave(away, step * np.arange(5.0), lambda c: 1 / ((total + c) * (total + c + 1)))
        return math.sqrt(max(_second_moment(waves, step), 0.0))

    @cached_property
    def error(self) -> float:
        """That of the counts, and what twice the nodes change at five places."""
        places = np.clip(self.mean + self.sd * np.array([-4.0, -2, 0, 2, 4]), *self.support).tolist()
        once, twice = ([self._integral(t, fine) for t in places] for fine in (1, 2))
        gaps = [abs(one - two) + left for (one, _), (two, left) in zip(once, twice, strict=True)]
        return self.shares[0].error + max(gaps) + 1e-12

    def cdf(self, x: ArrayLike) -> Floats:
        return self._inside(lambda t: min(max(0.5 - self._integral(t)[0] / math.pi, 0.0), 1.0), x, 1.0)

    def pdf(self, x: ArrayLike) -> Floats:
        return self._inside(lambda t: max(self._integral(t, density=True)[0] / math.pi, 0.0), x, 0.0)

    def sample(self, size: object = 1, *, seed: object = None) -> Floats:
        draws = self.shares[0].posterior.sample(size, seed=seed)
        scores: Floats = np.stack([share.of(draws) for share in self.shares], axis=1) @ np.array(self.weights)
        return scores

    def _inside(self, of: Callable[[float], float], x: ArrayLike, above: float) -> Floats:
        """One number at a time. Beyond 24 standard deviations less is left than any digit shows."""
        low, high = max(self.support[0], self.mean - 24 * self.sd), min(self.support[1], self.mean + 24 * self.sd)
        return at_each(lambda t: 0.0 if t <= low else above if t >= high else of(t), x)

    @cached_property
    def _alpha(self) -> list[float]:
        return _parameters(self.shares)

    @cached_property
    def _counts(self) -> tuple[Floats, Floats]:
        """The mean and the variance of the count of each label."""
        laws = [self.shares[0].posterior.counts.total(share.own) for share in self.shares]
        means = np.array([float(count @ chance) for count, chance in laws])
        return means, np.array([float((c - m) ** 2 @ chance) for (c, chance), m in zip(laws, means, strict=True)])

    @property
    def _spreads(self) -> Floats:
        """The variance of the Gamma of each label."""
        return np.array(self._alpha) + self._counts[0] + self._counts[1]

    def _integral(self, t: float, fine: int = 1, *, density: bool = False) -> tuple[float, float]:
        """∫ Im φ(u)/u du, or of the density ∫ Re E[(A-1)·φ(u)] du, and what is left of it at the last node.

        D = T·(S-t) with T the Gamma of A, of which S is independent: its density at 0 is that of S at t over A-1. By
        u = sinh(v)/sd the integrand is smooth whether φ ends soon or slowly.
        """
        away, shapes = np.array(self.weights) - t, sum(self._alpha) - 1
        sd = math.sqrt(float(np.square(away) @ self._spreads))
        middle = abs(float((np.array(self._alpha) + self._counts[0]) @ away)) / sd
        step, total = 0.5 / (8 + middle) / fine, 0.0
        for start in range(0, _MAX_NODES, _AT_ONCE):
            v = (np.arange(start, start + _AT_ONCE) + 0.5) * step
            wave = self._wave(away, np.sinh(v) / sd, (lambda c: shapes + c) if density else np.ones_like)
            total += float((wave.real * np.cosh(v) / sd if density else wave.imag / np.tanh(v)).sum()) * step
            if (last := float(np.abs(wave[-8:]).max())) < _GONE:
                break
        return total, last

    def _wave(self, away: Floats, u: Floats, of_sum: Callable[[Wholes], Any] = np.ones_like) -> Complexes:
        """E[Π (1 - iu(s_j-t))^-(α_j+c_j)·g(Σ c_j)], the characteristic function of Σ (s_j-t)·G_j."""

        def power(x: Wholes, a: float, log: Complexes) -> Complexes:
            powers: Complexes = np.exp((a + x)[None, :] * log[:, None])
            return powers

        factors = {
            share.own: partial(power, a=a, log=-np.log1p(-1j * u * distance))
            for share, a, distance in zip(self.shares, self._alpha, away.tolist(), strict=True)
        }
        return self.shares[0].posterior.counts.expectation(factors, of_sum)


def _second_moment(waves: Complexes, step: float) -> float:
    """E[X²] from a characteristic function at 0, h, 2h, 3h, 4h: 2(φ(0)-Re φ(u))/u² at u → 0 by Richardson's rule."""
    u = np.arange(1, 5)
    slopes = 2 * (waves[0] - waves[1:]).real / (step * u) ** 2
    weights = [math.prod(j**2 / (j**2 - i**2) for j in u.tolist() if j != i) for i in u.tolist()]
    return float(np.dot(weights, slopes))


class WeightedShare(LinearCombination):
    """Σ w_g·θ_g over the shares of several groups: a post-stratified share, by its Fourier integral."""

    @property
    def support(self) -> tuple[float, float]:
        return 0.0, 1.0

    @cached_property
    def sd(self) -> float:
        most = float(np.dot(self.weights, [share.sd for share in self.shares]))
        step = 0.05 / most
        u = step * np.arange(5.0)
        return math.sqrt(max(_second_moment(self._wave(u) * np.exp(-1j * u * self.mean), step), 0.0))

    @property
    def error(self) -> float:
        return sum(share.error for share in self.shares) + self._nodes[2]

    def cdf(self, x: ArrayLike) -> Floats:
        at, (low, high) = np.asarray(x, dtype=np.float64), self._reach
        u, wave, _ = self._nodes
        inside = np.clip(0.5 - self._sum(at, wave / u).imag * (u[1] - u[0]) / math.pi, 0.0, 1.0)
        return np.where(at <= low, 0.0, np.where(at >= high, 1.0, inside))

    def pdf(self, x: ArrayLike) -> Floats:
        at, (low, high) = np.asarray(x, dtype=np.float64), self._reach
        u, wave, _ = self._nodes
        inside = np.maximum(self._sum(at, wave).real * (u[1] - u[0]) / math.pi, 0.0)
        return np.where((at < low) | (at > high), 0.0, inside)

    def _sum(self, at: Floats, wave: Complexes) -> Complexes:
        """Σ e^(-iu(x-mean))·wave over the nodes u, for each x."""
        angles = np.exp(-1j * np.outer(at.reshape(-1) - self.mean, self._nodes[0]))
        sums: Complexes = (angles @ wave).reshape(at.shape)
        return sums

    def sample(self, size: object = 1, *, seed: object = None) -> Floats:
        draws: Floats = sample_shares(self.shares, size, seed) @ np.array(self.weights)
        return draws

    @property
    def _reach(self) -> tuple[float, float]:
        """Where it is, but for a chance of less than 1e-12."""
        return max(0.0, self.mean - 20 * self.sd), min(1.0, self.mean + 20 * self.sd)

    @cached_property
    def _nodes(self) -> tuple[Floats, Complexes, float]:
        """Midpoints so close that the sum repeats itself only where nothing is, φ about the mean, and what is left."""
        step = math.pi / (self._reach[1] - self._reach[0])
        parts: list[tuple[Floats, Complexes]] = []
        for start in range(0, _MAX_TERMS, _AT_ONCE):
            u = np.arange(start + 0.5, start + _AT_ONCE) * step
            parts.append((u, self._wave(u) * np.exp(-1j * u * self.mean)))
            if (last := float(np.abs(parts[-1][1][-8:]).max())) < _GONE:
                break
        return np.concatenate([u for u, _ in parts]), np.concatenate([wave for _, wave in parts]), last + 1e-11

    def _wave(self, u: Floats) -> Complexes:
        """E[e^(iuS)]: groups of one posterior together, those of several apart."""
        wave = np.ones(len(u), dtype=np.complex128)
        for posterior in distinct_posteriors(share.posterior for share in self.shares):
            places = [g for g, share in enumerate(self.shares) if share.posterior is posterior]
            if len(places) == 1:
                functions = self._functions(places[0])
                wave *= _integral(functions, self.weights[places[0]] * u)[:, 0]
                continue
            sides = [(self.shares[g].own, self.shares[g].rest) for g in places]

            def transform(g: int, components: Components, importance: Floats, places: list[int] = places) -> Complexes:
                panels = components.panels(self.shares[places[g]].law, importance)
                return _integral(Functions.through(panels.edges, panels.values), self.weights[places[g]] * u)

            wave *= posterior.counts.joined(sides, posterior.prior.alpha, transform)
        return wave

    def _functions(self, g: int) -> Functions:
        """The density of the logit of one group's share, computed once."""
        by_group: dict[int, Functions] = vars(self).setdefault("_by_group", {})
        if g not in by_group:
            by_group[g] = tabulate_law(self.shares[g].law)[0]
        return by_group[g]


def _integral(functions: Functions, u: Floats) -> Complexes:
    """∫ e^(iuθ)·f for several densities of a logit: one row for each u. Panels are cut where e^(iuθ) turns often."""
    near = functions.edges[:-1] * (functions.edges[:-1] > 0) + functions.edges[1:] * (functions.edges[1:] < 0)
    turns = float(np.abs(u).max()) * np.diff(functions.edges) * expit(near) * expit(-near)
    cuts = np.maximum(np.ceil(turns / 12), 1).astype(int).tolist()
    pieces = zip(functions.edges[:-1], functions.edges[1:], cuts, strict=True)
    edges = np.append(np.concatenate([np.linspace(a, b, m, endpoint=False) for a, b, m in pieces]), functions.edges[-1])
    at, weight = gauss_nodes(edges)
    density = functions.density(at) * weight[:, None]
    inside = np.exp(1j * np.outer(u, expit(at))) @ density
    waves: Complexes = inside + functions.at_zero + np.exp(1j * u)[:, None] * functions.at_one
    return waves


def _parameters(shares: Sequence[Share]) -> list[float]:
    """The prior's parameter of each share of one whole."""
    parameters = shares[0].posterior.prior.parameters
    return [float(sum(parameters[i] for i in share.own)) for share in shares]


def probabilities_largest(shares: Sequence[Share]) -> list[Estimate]:
    """For each share of one whole, the probability that it is the largest: ∫ g_i·Π_(j≠i) G_j over Gammas.

    In the logarithm of the largest Gamma the integrand is smooth and ends on both sides, so equal steps are exact.
    """
    counts, alpha = shares[0].posterior.counts, _parameters(shares)
    laws = [counts.total(share.own) for share in shares]
    middle = max(a + float(count @ chance) for a, (count, chance) in zip(alpha, laws, strict=True))
    step = 0.25 / math.sqrt(middle)

    def heights(x: Floats) -> Floats:
        """Of ln x: one column for each share whose Gamma may be the largest."""
        below: dict[Cells, Floats] = {}

        def smaller(c: Wholes, inside: Cells, a: float) -> Floats:
            if inside not in below:
                below[inside] = gammainc(a + c[None, :], x[:, None])
            return below[inside]

        def slope(c: Wholes, a: float) -> Floats:
            shape = a + c[None, :]
            height: Floats = np.exp(shape * np.log(x)[:, None] - x[:, None] - gammaln(shape))
            return height

        columns = []
        for largest in shares:
            factors = {
                share.own: partial(slope, a=a) if share is largest else partial(smaller, inside=share.own, a=a)
                for share, a in zip(shares, alpha, strict=True)
            }
            columns.append(np.maximum(counts.expectation(factors).real, 0.0))
        return np.stack(columns, axis=1)

    parts = [heights(middle * np.exp(step * np.arange(-_AT_ONCE, _AT_ONCE)))]
    peak = float(parts[0].max())
    for side in (-1, 1):
        for block in range(1, _MAX_NODES // _AT_ONCE):
            places = np.arange(_AT_ONCE) + _AT_ONCE * (block if side > 0 else -block - 1)
            part = heights(middle * np.exp(step * places))
            parts = [*parts, part] if side > 0 else [part, *parts]
            if (peak := max(peak, float(part.max()))) * _GONE >= float(part.max()):
                break
    every = np.concatenate(parts)
    chances = step * every.sum(axis=0)
    gap = float(np.abs(chances - 2 * step * every[::2].sum(axis=0)).max()) + abs(1 - float(chances.sum()))
    return [Estimate(chance, shares[0].error + gap) for chance in chances.tolist()]


def require_weights(weights: Mapping[str, float], groups: Sequence[str]) -> tuple[float, ...]:
    """One public weight for each group; they sum to 1."""
    if set(weights) != set(groups):
        raise InvalidInput("weights are one for each group", hint=f"of {join_names(groups)}")
    numbers = tuple(float(weights[group]) for group in groups)
    if not all(0 <= weight <= 1 for weight in numbers) or abs(sum(numbers) - 1) > 1e-9:
        raise InvalidInput("weights are shares that sum to 1", hint="divide each by their sum")
    return numbers
