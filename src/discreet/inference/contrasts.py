"""What is asked of several shares at once: a mean score, a weighted share, which share is largest, independence.

Given the counts, shares of one whole are independent Gammas over their sum. So a mean score is at most t where
Σ (s_j - t)·G_j ≤ 0, and the probability of that is an integral over the sum's characteristic function (Gil-Pelaez);
a share is the largest where its Gamma is. Both are integrals over E[Π f_j(c_j)], which `CountPosterior.expectation`
knows exactly. Shares of several groups are independent given the counts, so that the characteristic function of their
weighted sum is E[Π h_g]. Nothing is sampled but for the Bayes factor of a table with too many data sets.
`tests/inference/test_contrasts.py` holds all of them to sums over all data sets.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.polynomial import legendre
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit, gammainc, gammaln

from discreet.arithmetic.arrays import Floats, Wholes
from discreet.arithmetic.roots import root_between
from discreet.errors import InvalidInput, TooLarge
from discreet.inference.beliefs import Cells, Share
from discreet.inference.counts import SURE
from discreet.inference.joint_shares import NODES, Components, Functions, alone
from discreet.inference.posterior import NoiseAware
from discreet.inference.quantities import Estimate, Quantity
from discreet.testing import HashedBits

Complexes = NDArray[np.complex128]

_GONE = 1e-13
"""A characteristic function below this has ended."""

_MAX_NODES, _MAX_TERMS, _AT_ONCE, _DRAWS = 1 << 12, 1 << 9, 32, 1 << 15
_NODE, _WEIGHT = legendre.leggauss(NODES)


class _Bounded(Quantity):
    """A quantity between two ends whose distribution function is known."""

    support: tuple[float, float]

    def quantile(self, p: ArrayLike) -> Floats:
        wanted = np.asarray(p, dtype=np.float64)
        return np.array([self._quantile(q) for q in wanted.reshape(-1).tolist()]).reshape(wanted.shape)

    def _quantile(self, p: float) -> float:
        low, high = self.support
        return root_between(lambda x: float(self.cdf(x)) - p, low, high, 1e-13 * (high - low))


@dataclass(frozen=True, eq=False, repr=False)
class Score(_Bounded):
    """Σ s_j·θ_j over the shares of one whole: the mean score of an ordinal item."""

    shares: tuple[Share, ...]
    scores: tuple[float, ...]
    label: str

    @property
    def support(self) -> tuple[float, float]:  # type: ignore[override]
        return min(self.scores), max(self.scores)

    @cached_property
    def mean(self) -> float:
        return float(np.dot(self.scores, [share.mean for share in self.shares]))

    @cached_property
    def sd(self) -> float:
        """E[(S-μ)²] = E[D²/(A(A+1))] for D = Σ (s_j-μ)·G_j and A the sum of all parameters."""
        away = np.array(self.scores) - self.mean
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
        return self._each(lambda t: min(max(0.5 - self._integral(t)[0] / math.pi, 0.0), 1.0), x, 1.0)

    def pdf(self, x: ArrayLike) -> Floats:
        return self._each(lambda t: max(self._integral(t, density=True)[0] / math.pi, 0.0), x, 0.0)

    def sample(self, size: object = 1, *, seed: object = None) -> Floats:
        drawn = self.shares[0].posterior.sample(size, seed=seed)
        found: Floats = np.stack([share.of(drawn) for share in self.shares], axis=1) @ np.array(self.scores)
        return found

    def _each(self, of: Callable[[float], float], x: ArrayLike, above: float) -> Floats:
        """One number at a time. Beyond 24 standard deviations less is left than any digit shows."""
        where = np.asarray(x, dtype=np.float64)
        low, high = max(self.support[0], self.mean - 24 * self.sd), min(self.support[1], self.mean + 24 * self.sd)
        found = [0.0 if t <= low else above if t >= high else of(t) for t in where.reshape(-1).tolist()]
        return np.array(found).reshape(where.shape)

    @cached_property
    def _alpha(self) -> list[float]:
        parameters = self.shares[0].posterior.prior.parameters
        return [float(sum(parameters[i] for i in share.own)) for share in self.shares]

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
        away, shapes = np.array(self.scores) - t, sum(self._alpha) - 1
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
            found: Complexes = np.exp((a + x)[None, :] * log[:, None])
            return found

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


@dataclass(frozen=True, eq=False, repr=False)
class WeightedShare(_Bounded):
    """Σ w_g·θ_g over the shares of several groups: a post-stratified share, by its Fourier integral."""

    shares: tuple[Share, ...]
    weights: tuple[float, ...]
    label: str

    @property
    def support(self) -> tuple[float, float]:  # type: ignore[override]
        return 0.0, 1.0

    @cached_property
    def mean(self) -> float:
        return float(np.dot(self.weights, [share.mean for share in self.shares]))

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
        at = np.asarray(x, dtype=np.float64)
        u, wave, _ = self._nodes
        angles = np.exp(-1j * np.outer(at.reshape(-1) - self.mean, u))
        inside = np.clip(0.5 - (angles @ (wave / u)).imag * (u[1] - u[0]) / math.pi, 0.0, 1.0).reshape(at.shape)
        low, high = self._reach
        found: Floats = np.where(at <= low, 0.0, np.where(at >= high, 1.0, inside))
        return found

    def pdf(self, x: ArrayLike) -> Floats:
        at = np.asarray(x, dtype=np.float64)
        u, wave, _ = self._nodes
        angles = np.exp(-1j * np.outer(at.reshape(-1) - self.mean, u))
        found: Floats = np.maximum((angles @ wave).real * (u[1] - u[0]) / math.pi, 0.0).reshape(at.shape)
        low, high = self._reach
        return np.where((at < low) | (at > high), 0.0, found)

    def sample(self, size: object = 1, *, seed: object = None) -> Floats:
        posteriors = {id(share.posterior): share.posterior for share in self.shares}
        drawn = {
            key: posterior.sample(size, seed=None if seed is None else (seed, i))
            for i, (key, posterior) in enumerate(posteriors.items())
        }
        shares = np.stack([share.of(drawn[id(share.posterior)]) for share in self.shares], axis=1)
        found: Floats = shares @ np.array(self.weights)
        return found

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
        found = np.ones(len(u), dtype=np.complex128)
        for posterior in {id(share.posterior): share.posterior for share in self.shares}.values():
            places = [g for g, share in enumerate(self.shares) if share.posterior is posterior]
            if len(places) == 1:
                functions = self._alone(places[0])
                found *= _integral(functions, self.weights[places[0]] * u)[:, 0]
                continue
            sides = [(self.shares[g].own, self.shares[g].rest) for g in places]

            def transform(g: int, components: Components, importance: Floats, places: list[int] = places) -> Complexes:
                panels = components.panels(self.shares[places[g]].law, importance)
                return _integral(Functions.through(panels.edges, panels.values), self.weights[places[g]] * u)

            found *= posterior.counts.joined(sides, posterior.prior.alpha, transform)
        return found

    def _alone(self, g: int) -> Functions:
        kept: dict[int, Functions] = vars(self).setdefault("_functions", {})
        if g not in kept:
            kept[g] = alone(self.shares[g].law)[0]
        return kept[g]


def _integral(functions: Functions, u: Floats) -> Complexes:
    """∫ e^(iuθ)·f for several densities of a logit: one row for each u. Panels are cut where e^(iuθ) turns often."""
    near = functions.edges[:-1] * (functions.edges[:-1] > 0) + functions.edges[1:] * (functions.edges[1:] < 0)
    turns = float(np.abs(u).max()) * np.diff(functions.edges) * expit(near) * expit(-near)
    cuts = np.maximum(np.ceil(turns / 12), 1).astype(int).tolist()
    pieces = zip(functions.edges[:-1], functions.edges[1:], cuts, strict=True)
    edges = np.append(np.concatenate([np.linspace(a, b, m, endpoint=False) for a, b, m in pieces]), functions.edges[-1])
    half = np.diff(edges)[:, None] / 2
    at = (edges[:-1, None] + half * (_NODE + 1)).ravel()
    density = functions.density(at) * (half * _WEIGHT).ravel()[:, None]
    inside = np.exp(1j * np.outer(u, expit(at))) @ density
    found: Complexes = inside + functions.at_zero + np.exp(1j * u)[:, None] * functions.at_one
    return found


def probabilities_largest(shares: Sequence[Share]) -> list[Estimate]:
    """For each share of one whole, the probability that it is the largest: ∫ g_i·Π_(j≠i) G_j over Gammas.

    In the logarithm of the largest Gamma the integrand is smooth and ends on both sides, so equal steps are exact.
    """
    counts, parameters = shares[0].posterior.counts, shares[0].posterior.prior.parameters
    alpha = [float(sum(parameters[i] for i in share.own)) for share in shares]
    laws = [counts.total(share.own) for share in shares]
    middle = max(a + float(count @ chance) for a, (count, chance) in zip(alpha, laws, strict=True))
    step = 0.25 / math.sqrt(middle)

    def heights(x: Floats) -> Floats:
        """Of ln x: one column for each share whose Gamma may be the largest."""
        below: dict[Cells, Floats] = {}

        def smaller(c: Wholes, own: Cells, a: float) -> Floats:
            if own not in below:
                below[own] = gammainc(a + c[None, :], x[:, None])
            return below[own]

        def slope(c: Wholes, a: float) -> Floats:
            shape = a + c[None, :]
            height: Floats = np.exp(shape * np.log(x)[:, None] - x[:, None] - gammaln(shape))
            return height

        columns = []
        for largest in shares:
            factors = {
                share.own: partial(slope, a=a) if share is largest else partial(smaller, own=share.own, a=a)
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


def bayes_factor(posteriors: Sequence[NoiseAware], cells: NDArray[np.int64], seed: object = 0) -> Estimate:
    """p(release | rows and columns are independent) / p(release | they are not), for a table of cells.

    The priors of the margins are those that the prior of the table implies: sums of its parameters. It is the mean of
    p(c | H0)/p(c | H1) over the posterior of the counts c under H1. Public groups, a posterior each, have fixed sizes.
    """
    alpha = np.concatenate([posterior.prior.alpha for posterior in posteriors])[cells]
    bits = HashedBits(f"bayes factor {seed}")
    drawn = 0.0
    try:
        if len(posteriors) > 1:
            raise TooLarge("the data sets of several groups are too many to list", hint="draws are used")
        rows, chance = posteriors[0].counts.listing()
    except TooLarge:
        rows = np.concatenate([posterior.counts.draw(bits, _DRAWS) for posterior in posteriors], axis=1)
        chance, drawn = np.full(_DRAWS, 1 / _DRAWS), SURE / math.sqrt(_DRAWS)
    counts = rows[:, cells]
    logs = _log_dirmult(alpha.sum(axis=0), counts.sum(axis=1)) - _log_dirmult(
        alpha.reshape(-1), counts.reshape(len(rows), -1)
    )
    if len(posteriors) > 1:
        logs = _log_dirmult(alpha.sum(axis=0), counts.sum(axis=1)) - sum(
            _log_dirmult(alpha[g], counts[:, g]) for g in range(len(alpha))
        )
    else:
        logs = logs + _log_dirmult(alpha.sum(axis=1), counts.sum(axis=2))
    ratios = np.exp(logs)
    value = float(chance @ ratios)
    spread = math.sqrt(max(float(chance @ (ratios - value) ** 2), 0.0))
    return Estimate(value, drawn * spread + max(p.error for p in posteriors) * float(ratios.max()))


def _log_dirmult(alpha: Floats, counts: NDArray[Any]) -> Floats:
    """ln B(α+c)/B(α) of each row."""
    after = gammaln(alpha + counts).sum(axis=1) - gammaln(alpha.sum() + counts.sum(axis=1))
    found: Floats = after - gammaln(alpha).sum() + gammaln(alpha.sum())
    return found


def checked_weights(weights: Mapping[str, float], groups: Sequence[str]) -> tuple[float, ...]:
    """One public weight for each group; they sum to 1."""
    if set(weights) != set(groups):
        raise InvalidInput("weights are one for each group", hint=f"of {', '.join(groups)}")
    own = tuple(float(weights[group]) for group in groups)
    if not all(0 <= weight <= 1 for weight in own) or abs(sum(own) - 1) > 1e-9:
        raise InvalidInput("weights are shares that sum to 1", hint="divide each by their sum")
    return own
