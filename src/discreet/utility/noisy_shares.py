"""The noise-aware posterior of a share, for any n: one density for each output, and no counts.

Two categories and noise that falls like q^|t| = e^(-rate·|t|): the posterior of the share is
p(x | o) ∝ prior(x)·Σ_c P(o | c)·b(c), with b the binomial law of n records. Either side of the sum is geometric, and so
a binomial sum of another share, whose odds are q^±1 those of x:

    Σ_(c≤o) q^(o-c)·b(c | x) = b(o | x)·R,   R = Σ_(c≤o) b(c | y) / b(o | y),   odds(y) = odds(x)/q,

and R is an incomplete Beta function over a probability. Nothing here grows with n or with the noise. The density by
s = ln(x/(1-x)) has one hill; it is tabled as polynomials on panels that are halved where their last coefficients are
not small. `tests/utility/test_noisy_shares.py` compares it with sums over all counts.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.special import expit

from discreet.arithmetic.arrays import Floats, Wholes
from discreet.kernels.line_noise import LineNoise
from discreet.posteriors.dirichlet import incomplete_beta
from discreet.posteriors.mixtures import log_kernel
from discreet.posteriors.predictive import deviance, excess
from discreet.posteriors.space import PosteriorSpace
from discreet.utility.expected_counts import first_count_moments

_FARTHEST = 690.0
_NODES, _SHARP, _HALVINGS = 12, 1e-9, 40
_LOST, _NEVER = 40.0, 300.0
_NEAR, _FRACTIONS = 2.0, 200


def intervals(space: PosteriorSpace, noise: LineNoise, outputs: Floats, level: float) -> tuple[Floats, Floats]:
    """P(output) under the prior predictive, and the width of the equal-tailed interval of the first share.

    >>> import numpy as np
    >>> noise = LineNoise(rate=1.0, up=0.2689, zero=0.4621, down=0.2689)
    >>> chance, width = intervals(PosteriorSpace(prior=[1, 1], n=60), noise, np.array([0.0, 30.0]), 0.95)
    >>> chance.round(5), width.round(4)
    (array([0.01896, 0.01639]), array([0.0922, 0.2605]))
    """
    return _Densities(space, noise, outputs).widths(level)


def quantiles(space: PosteriorSpace, noise: LineNoise, outputs: Floats, levels: Floats) -> tuple[Floats, Floats]:
    """P(output) under the prior predictive, and the quantiles of the first share: a row for each output."""
    densities = _Densities(space, noise, outputs)
    return densities.chance, expit(np.stack([densities.logits(float(p)) for p in levels], axis=1))


class _Densities:
    """The densities by s of all outputs, on panels; each is over e^top of its output."""

    def __init__(self, space: PosteriorSpace, noise: LineNoise, outputs: Floats) -> None:
        self.space, self.noise, self.outputs = space, noise, outputs
        rows = np.arange(len(outputs))
        edges = self._first_edges()
        logs = self.log(np.repeat(rows, edges.shape[1]), edges.ravel()).reshape(edges.shape)
        self.top = logs.max(axis=1)
        high = np.maximum(logs[:, 1:], logs[:, :-1]) > self.top[:, None] - _LOST
        high &= self.top[:, None] > -_NEVER
        row, panel = np.nonzero(high & (edges[:, 1:] > edges[:, :-1]))
        left, right = edges[row, panel], edges[row, panel + 1]
        # Beyond the farthest edges only the prior falls, by its parameters.
        alpha = space.prior.alpha
        self.at_zero, self.at_one = np.exp(logs[:, 0] - self.top) / alpha[0], np.exp(logs[:, -1] - self.top) / alpha[1]
        sharp = _SHARP + 1e-15 * np.sqrt(space.n + float(space.prior.total))  # x has only so many digits
        panels: list[tuple[Floats, ...]] = []
        for halving in range(_HALVINGS + 1):
            parts = self._legendre(row, left, right)
            mass = np.bincount(row, 2 * np.abs(parts[:, 0]), len(outputs))
            for earlier in panels:
                mass += np.bincount(earlier[0].astype(np.int64), 2 * earlier[3][:, 0], len(outputs))
            settled = np.abs(parts[:, -2:]).sum(axis=1) <= sharp * mass[row]
            settled |= halving == _HALVINGS
            panels.append(tuple(part[settled] for part in (row, left, right, parts)))
            if settled.all():
                break
            row, left, right = (np.repeat(part[~settled], 2) for part in (row, left, right))
            middle = (left[::2] + right[::2]) / 2
            right[::2], left[1::2] = middle, middle
        row, left, right, parts = (np.concatenate(part) for part in zip(*panels, strict=True))
        order = np.lexsort((left, row))
        self._row, self._left, self._right, self._parts = row[order], left[order], right[order], parts[order]

        self._within = np.maximum(np.bincount(self._row, 2 * self._parts[:, 0], len(outputs)), 1e-300)
        self._total = self._within + self.at_zero + self.at_one
        self.chance: Floats = np.exp(self.top) * self._total

    def widths(self, level: float) -> tuple[Floats, Floats]:
        """P(output), and the widths of the intervals."""
        low, high = self.logits((1 - level) / 2), self.logits((1 + level) / 2)
        side = np.where(low > 0, -1.0, 1.0)  # the rest of 1 has more digits next to 1
        return self.chance, side * (expit(side * high) - expit(side * low))

    def logits(self, p: float) -> Floats:
        """The logit of each output's quantile."""
        count = np.bincount(self._row, minlength=len(self.outputs))
        first = np.cumsum(count) - count
        sums = np.concatenate([[0.0], np.cumsum(2 * self._parts[:, 0] / self._within[self._row])])
        target = (p * self._total - self.at_zero) / self._within
        panel = np.searchsorted(sums, sums[first] + target, side="right") - 1
        panel = np.clip(panel, first, first + count - 1)
        s = self._quantile(panel, (target - (sums[panel] - sums[first])) * self._within)
        return np.where(target <= 0, -np.inf, np.where(target >= 1, np.inf, s))

    def _quantile(self, panel: Wholes, mass: Floats) -> Floats:
        """The s of each panel up to which it has this mass, by halving and Newton's method."""
        legendre = np.polynomial.legendre
        parts = self._parts[panel].T
        integral = legendre.legint(parts, lbnd=-1)
        low, high = np.full(len(panel), -1.0), np.ones(len(panel))
        t = np.zeros(len(panel))
        for _ in range(40):
            gap = legendre.legval(t, integral, tensor=False) - mass
            low, high = np.where(gap <= 0, t, low), np.where(gap >= 0, t, high)
            with np.errstate(divide="ignore", invalid="ignore"):
                step = t - gap / legendre.legval(t, parts, tensor=False)
            before, t = t, np.where((step > low) & (step < high), step, (low + high) / 2)
            if np.abs(t - before).max(initial=0.0) < 1e-15:
                break
        left, right = self._left[panel], self._right[panel]
        return left + (right - left) * (t + 1) / 2

    def _first_edges(self) -> Floats:
        """Edges that double away from about the mean of each output's posterior, in its standard deviations."""
        n, (first, second) = self.space.n, self.space.prior.alpha
        mean, spread = first_count_moments(self.space.prior, n)
        wide = 2 / self.noise.rate**2
        trust = spread**2 / (spread**2 + wide)
        count = np.clip(mean + trust * (self.outputs - mean), 0.0, float(n))
        a, b = first + count, second + (n - count)
        variance = a / (a + b) * (b / (a + b)) / (a + b + 1)
        unit = np.sqrt(variance + trust * min(wide, float(n) ** 2) / (a + b) ** 2) / (a / (a + b) * (b / (a + b)))
        unit = np.minimum(unit, 1.0)
        steps = np.cumsum([0, 1, 1, 1, *[2] * int(np.ceil(np.log2(4 * _FARTHEST / unit.min()) / 2))])
        away = unit[:, None] * np.append(0.0, 2.0**steps)
        centre = (np.log(a) - np.log(b))[:, None]
        edges: Floats = np.concatenate([centre - away[:, :0:-1], centre + away], axis=1)
        return edges.clip(-_FARTHEST, _FARTHEST)

    def _legendre(self, row: Wholes, left: Floats, right: Floats) -> Floats:
        """The densities on panels, times half their lengths, in Legendre's polynomials."""
        node, weight = np.polynomial.legendre.leggauss(_NODES)
        half = (right - left)[:, None] / 2
        at = left[:, None] + half * (node + 1)
        rows = np.repeat(row, _NODES)
        height = np.exp(np.minimum(self.log(rows, at.ravel()) - self.top[rows], _LOST)).reshape(at.shape)
        basis = np.polynomial.legendre.legvander(node, _NODES - 1) * weight[:, None] * (np.arange(_NODES) + 0.5)
        coefficients: Floats = half * height @ basis
        return coefficients

    def log(self, row: Wholes, s: Floats) -> Floats:
        """ln of prior(s)·P(o | s), one s for each row."""
        n, rate, o = self.space.n, self.noise.rate, self.outputs[row]
        first, second = self.space.prior.alpha
        below, at, above = self._chances()
        log_chance = log_binomial(o, n, s)
        parts = [
            at[row] + log_chance,
            below[row] + log_below(o, n, s, rate, log_chance),
            above[row] + log_below(n - o, n, -s, rate, log_chance),
        ]
        logs: Floats = log_kernel(first, second, expit(s), expit(-s)) + np.logaddexp.reduce(parts, axis=0)
        return logs

    def _chances(self) -> tuple[Floats, Floats, Floats]:
        """ln P(o | c)·q^-|o-c| for c below, at and above each output; the ends stand for everything beyond them."""
        o, n, noise = self.outputs, self.space.n, self.noise
        log_rest = np.log(-np.expm1(-noise.rate))
        with np.errstate(divide="ignore"):
            up, down = np.log([noise.up, noise.down]) + noise.rate
            ends = np.log([1 - noise.up, noise.zero, 1 - noise.down])
        at = np.where(o == 0, ends[0], np.where(o == n, ends[2], ends[1]))
        return np.where(o == n, up, up + log_rest), at, np.where(o == 0, down, down + log_rest)


def log_binomial(o: Floats, n: int, s: Floats) -> Floats:
    """ln of the probability of o among n, where s is the logarithm of the odds."""
    at = np.clip(s, -_FARTHEST, _FARTHEST)  # a share that is 0 has no logarithm
    x, rest = expit(at), expit(-at)
    gap = o * rest - (n - o) * x
    at_mode: Floats = excess(np.array(float(n))) - excess(o) - excess(n - o)
    return at_mode - deviance(o, n * x, gap) - deviance(n - o, n * rest, -gap)


def log_below(o: Floats, n: int, s: Floats, rate: float, log_at: Floats) -> Floats:
    """ln of Σ_(c<o) b(c)·e^(-rate·(o-c)), with the binomial law b of n whose odds have the logarithm s.

    It is b(o | s)·P(c < o | s + rate)/b(o | s + rate), and `log_at` is ln b(o | s). Two standard deviations and more
    from the mean, a continued fraction is quick and knows no underflow.

    >>> import numpy as np
    >>> o, s = np.array([0.0, 2.0, 2.0]), np.array([0.0, 0.0, -900.0])
    >>> log_below(o, 4, s, 1.0, log_binomial(o, 4, s)).round(4)
    array([   -inf, -2.2983, -2.    ])
    """
    logs, positive = np.full(len(s), -np.inf), np.flatnonzero(o > 0)
    log = log_binomial(o, n, s + rate)
    ratio = np.where(s < -_FARTHEST, n * (np.logaddexp(0, s + rate) - np.logaddexp(0, s)) - rate * o, log_at - log)
    x, rest = expit(s + rate), expit(-s - rate)
    deviation = np.sqrt(n * x * rest + 1)
    away = (o * rest - (n - o) * x) / deviation
    at = positive[away[positive] < -_NEAR]  # the sum is a tail
    tail = rest[at] * (o[at] / (n - o[at] + 1)) * _fraction(n - o[at] + 1, o[at], rest[at], x[at])
    with np.errstate(divide="ignore"):
        logs[at] = log_at[at] + np.log(tail)
    at = positive[away[positive] > _NEAR]  # all but a tail
    tail = np.exp(log[at]) * rest[at] * _fraction(o[at], n - o[at] + 1, x[at], rest[at])
    # b(o | s)/b(o | s + rate) has a form of its own, which keeps its digits where the rate is small.
    moved = n * np.log1p(expit(s[at]) * math.expm1(min(rate, 1.0))) - rate * o[at]
    small = (rate * deviation[at] < away[at]) & (rate <= 1)
    logs[at] = np.log1p(-tail) + np.where(small, moved, ratio[at])
    at = positive[np.abs(away[positive]) <= _NEAR]
    below, chance = x[at] < 0.5, np.empty(len(at))  # a share next to 1 would lose its digits
    chance[below] = 1 - incomplete_beta(o[at][below], n - o[at][below] + 1, x[at][below])
    chance[~below] = incomplete_beta(n - o[at][~below] + 1, o[at][~below], rest[at][~below])
    with np.errstate(divide="ignore"):
        logs[at] = np.log(chance) + ratio[at]
    return logs


def _fraction(a: Floats, b: Floats, x: Floats, rest: Floats) -> Floats:
    """I_x(a, b)·a·B(a, b)/(x^a·(1-x)^b) below the mean: a over a continued fraction of positive terms."""
    fractions, open_ = np.empty(len(x)), np.arange(len(x))
    value: Floats = a * (a * rest - b * x + 1) / (a + 1)
    upper, lower = value, 0 * value
    for m in range(1, _FRACTIONS):
        over = (a + m - 1) * (a + b + m - 1) * m * (b - m) * (x / (a + 2 * m - 1)) ** 2
        under = m + m * (b - m) * x / (a + 2 * m - 1)
        under += (a + m) * (a * rest - b * x + 1 + m * (1 + rest)) / (a + 2 * m + 1)
        upper, lower = under + over / upper, 1 / (under + over * lower)
        value = value * upper * lower
        if m % 8 == 0:
            on = np.abs(upper * lower - 1) > 1e-14
            fractions[open_[~on]] = (a / value)[~on]
            open_ = open_[on]
            a, b, x, rest, upper, lower, value = (part[on] for part in (a, b, x, rest, upper, lower, value))
            if not len(open_):
                break
    fractions[open_] = a / value
    return fractions
