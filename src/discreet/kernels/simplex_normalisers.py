"""NL(c) = Σ_r exp(-s·H(c,r)/S(c)) on three categories or more, without enumeration.

The weight is Σ_m π_m·BC^m (`discreet.kernels.powers`) and BC^m is a product over categories, so for each m the sum
over all r with Σr = n is one Fourier integral: Z_m(c) = (1/2π)∫ Π_i G_i(θ) dθ with G_i(θ) = Σ_v g_i(c_i+v)^m·e^iθv.
Each G is a function of one count alone. It is worked out on a ladder of counts (all small ones, then steps of an
eighth) and interpolated between them by cubics in ln(α+c); the integral is the trapezoidal rule, which is exact but for
what lies thirteen standard deviations away. m = 0 is the number of candidates, exactly. A `finer` one has more places,
more angles and no interpolation: `error` is what is seen between the two, and
`tests/kernels/test_simplex_normalisers.py` holds both to enumeration.
"""

from __future__ import annotations

import math
from functools import cached_property
from itertools import permutations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.arithmetic.arrays import Floats, Wholes
from discreet.kernels.powers import powers
from discreet.mechanisms.exponential import Exponential
from discreet.posteriors.distances import second_difference

_ANGLES = 30
_SINGLE, _STEP = 32, 1.125
_FAR, _LOST, _CENTRED = 80.0, 25.0, 30
_SHORT = 2.0**-23
_CELLS, _ROWS, _CHECKED = 1 << 22, 1 << 13, 12


class SimplexNormalisers:
    """ln NL of many data sets at once: those it is made for, and others like them."""

    def __init__(self, mechanism: Exponential, rows: Wholes, *, finer: bool = False) -> None:
        self.mechanism, self._pilot, space = mechanism, rows, mechanism.space
        self._log_size = math.log(space.size)
        rates = self.mechanism.rates(rows)
        steepest = min(self._log_size + 40, 1.2 * float(rates.max()))
        self._all = powers(_FAR * space.n, steepest * (2.0 if finer else 1.0))
        self._relevant = self._matter(rows, rates)
        self._exponents = self._all.exponents[self._relevant]
        self._count, self._width = (45, 20) if finer else (_ANGLES, 13)
        self._ladder = np.unique(rows) if finer else _ladder(space.n)
        self.rounding = 0.0
        self._tilts = np.zeros(len(self._exponents))
        self._centre(rows[_places(len(rows), 32)])

    def _tabulate(self, spread: Floats) -> None:
        """The angles for totals that spread so far, and a table for each parameter.

        Half of the angles: the other half mirrors them. A whole turn at most.
        """
        turn = np.maximum(self._width * spread, 2.0 * (self._count - 1))
        self._angles = 2 * math.pi / turn[:, None] * np.arange(self._count)
        self._share = np.where(np.arange(self._count) == 0, 1.0, 2.0) / turn[:, None]
        self._share[turn == 2 * (self._count - 1), -1] /= 2  # half a turn is its own mirror image
        self._beyond = 1 - self._angles[:, -1] / math.pi
        self._tables = {alpha: self._table(float(alpha)) for alpha in set(self.mechanism.space.prior.parameters)}

    def _centre(self, rows: Wholes) -> None:
        """Weigh moves by e^tilt·v, one tilt for each exponent, until they sum to about 0: the total is fixed anyway.

        Few records in many categories can only move up, and without it what is asked for would be a far tail. With it
        their total spreads less than a normal one, and the angles have to reach further.
        """
        space = self.mechanism.space
        normal = np.sqrt(4 * (space.n + float(space.prior.total)) / self._exponents)
        self._tabulate(normal)
        for _ in range(_CENTRED):
            means, variances = self._moments(rows)
            mean, variance = means.mean(axis=0), variances.mean(axis=0)
            far = np.abs(mean) > np.sqrt(variance)
            if not far.any():
                break
            self._tilts = np.minimum(self._tilts - np.where(far, mean / variance, 0.0), 0.0)
            self._tabulate(normal)
        if self._tilts.any():
            self._tabulate(np.minimum(normal, np.sqrt(self._moments(rows)[1].max(axis=0))))

    def _moments(self, rows: Wholes) -> tuple[Floats, Floats]:
        """About the mean of the moves' sum, of each row and exponent, and its variance or 1: by the first angle."""
        first = np.zeros((len(rows), len(self._exponents)), dtype=np.complex128)
        for i, alpha in enumerate(self.mechanism.space.prior.parameters):
            at, pull = self._between(rows[:, i], float(alpha))
            first += _interpolate(self._tables[alpha][1][:, :, 1], at, pull)
        angle = self._angles[:, 1]
        return first.imag / angle, np.maximum(-2 * first.real / angle**2, 1.0)

    @property
    def cost(self) -> int:
        """About how many numbers each row takes: its sums, and the steps among which its sensitivity is the largest."""
        k = self.mechanism.space.k
        steps = 0 if self.mechanism.constant else 100 * k * k
        return len(self._exponents) * self._count * k + steps + 600 * k

    @property
    def error(self) -> float:
        """How far any ln NL may be off: twice what is seen at some rows, and what rounding may have done so far."""
        return self._measured + self.rounding

    @cached_property
    def _measured(self) -> float:
        some = self._pilot[_places(len(self._pilot), _CHECKED)]
        finer = SimplexNormalisers(self.mechanism, some, finer=True)
        return 2 * float(np.abs(finer(some) - self(some)).max())

    def __call__(self, rows: Wholes) -> Floats:
        """ln NL of every row."""
        normalisers, rates = np.empty(len(rows)), self.mechanism.rates(rows)
        for start in range(0, len(rows), _ROWS):
            part = slice(start, start + _ROWS)
            none, logs, rest = self._all.log_weights(rates[part])
            sums, blur = self._log_sums(rows[part])
            terms = logs[:, self._relevant] + sums
            terms = np.concatenate([terms, (none + self._log_size)[:, None], np.log(rest + 1e-300)[:, None]], axis=1)
            top = terms.max(axis=1)
            weight = np.exp(terms - top[:, None])
            normalisers[part] = top + np.log(weight.sum(axis=1))
            self.rounding = max(self.rounding, float(((weight[:, :-2] * blur).sum(axis=1) / weight.sum(axis=1)).max()))
        return np.clip(normalisers, 0.0, self._log_size)  # one candidate is the data set itself, and none weighs more

    def _matter(self, rows: Wholes, rates: Floats) -> NDArray[np.bool_]:
        """The exponents that could matter to some row, as if counts were normal: only those are worked out.

        Few records in many categories sum to less than normal ones. So their terms are held against what is certain:
        the data set itself, and the terms of no power and of all that is left.
        """
        some, m = _places(len(rows), 256), self._all.exponents
        none, logs, rest = self._all.log_weights(rates[some])
        wide = 8 * math.pi * (rows[some] + self.mechanism.space.prior.alpha)
        sums = -0.5 * np.log1p(wide.sum(axis=1)[:, None] / m)
        for i in range(wide.shape[1]):
            sums += 0.5 * np.log1p(wide[:, i, None] / m)
        top = np.maximum(logs.max(axis=1), np.maximum(none + self._log_size, np.log(rest + 1e-300)))
        matter: NDArray[np.bool_] = (logs + np.minimum(sums, self._log_size) - top[:, None]).max(axis=0) > -_LOST
        matter[0] = True  # there must be one
        return matter

    def _log_sums(self, rows: Wholes) -> tuple[Floats, Floats]:
        """ln Z_m of every row and exponent, some exponents at a time; and what may be lost of it.

        By short floats, and beyond the last angle, where G is smaller than there. Many categories would lose more if
        theirs were added up in short floats.
        """
        log_sums, blur = np.empty((2, len(rows), len(self._exponents)))
        many = max(1, _CELLS // (len(rows) * self._count))
        for start in range(0, log_sums.shape[1], many):
            part = slice(start, min(start + many, log_sums.shape[1]))
            height = np.zeros((len(rows), part.stop - start))
            ratio = np.zeros((len(rows), part.stop - start, self._count), dtype=np.complex128)
            for i, alpha in enumerate(self.mechanism.space.prior.parameters):
                heights, ratios = self._tables[alpha]
                counts, back = np.unique(rows[:, i], return_inverse=True)
                at, pull = self._between(counts, float(alpha))
                height += _interpolate(heights[:, part], at, pull)[back]
                ratio += _interpolate(ratios[:, part], at, pull)[back]
            ratio = ratio.astype(np.complex64)
            some = np.exp(ratio.real) * np.cos(ratio.imag) * self._share[part].astype(np.float32)
            whole = np.maximum(some.sum(axis=2, dtype=np.float64), 1e-300)
            log_sums[:, part] = height + np.log(whole)
            beyond = self._beyond[part] * np.exp(ratio[:, :, -1].real)
            blur[:, part] = (_SHORT * self._share[part].sum(axis=1) + beyond) / whole
        return log_sums, blur

    def _between(self, count: Wholes, alpha: float) -> tuple[Wholes, Floats]:
        """For each count four neighbouring rungs and how much each of them pulls: Lagrange's cubic in ln(α+c)."""
        if np.isin(count, self._ladder).all():
            return np.searchsorted(self._ladder, count), np.ones((len(count), 1))
        at = np.clip(np.searchsorted(self._ladder, count, side="right") - 2, 0, len(self._ladder) - 4)
        x = np.log(np.maximum(alpha, 0.5) + count)
        nodes = np.log(np.maximum(alpha, 0.5) + self._ladder)[at[:, None] + np.arange(4)]
        pull = np.ones((len(count), 4))
        for j, other in permutations(range(4), 2):
            pull[:, j] *= (x - nodes[:, other]) / (nodes[:, j] - nodes[:, other])
        return at, pull

    def _table(self, alpha: float) -> tuple[Floats, NDArray[np.complex64]]:
        """ln G(0) for every rung and exponent, and ln G(θ)/G(0) for every angle: short floats are enough for these."""
        exponents, rungs = self._exponents, []
        for count in self._ladder.tolist():
            logs = np.empty((len(exponents), self._count), dtype=np.complex128)
            spread = np.sqrt(4 * (count + alpha) / exponents)
            near = (count < 12 * spread) | (spread < 5)
            if near.any():
                logs[near] = self._plain_sums(alpha, count, near, spread[near])
            if (~near).any():
                logs[~near] = self._smooth_sums(alpha, count, ~near, spread[~near])
            rungs.append(logs)
        whole = np.array(rungs)
        return whole[:, :, 0].real.copy(), (whole - whole[:, :, :1].real).astype(np.complex64)

    def _plain_sums(self, alpha: float, count: int, some: NDArray[np.bool_], spread: Floats) -> NDArray[np.complex128]:
        """ln G by its sum, move by move, for exponents of similar reach together."""
        m, angle, tilt = self._exponents[some], self._angles[some], self._tilts[some]
        reach = np.ceil(12 * spread + 110 / m + 2)
        logs = np.empty(angle.shape, dtype=np.complex128)
        group = np.floor(np.log2(reach))
        for level in np.unique(group):
            alike = group == level
            far = int(reach[alike].max())
            move = np.arange(-min(count, far), far + 1, dtype=np.float64)
            loss = 0.5 * second_difference(alpha + count, alpha + count + move, move)
            weight = np.exp(tilt[alike, None] * move - m[alike, None] * loss)
            logs[alike] = _log_transform(weight, move[None, :], angle[alike])
        return logs

    def _smooth_sums(self, alpha: float, count: int, some: NDArray[np.bool_], spread: Floats) -> NDArray[np.complex128]:
        """The same where the summand is smooth: the trapezoidal rule, five places to a standard deviation.

        Angles reach to 14 over it, and the rule repeats itself only at 31.
        """
        step = spread / 5
        move = np.maximum(step[:, None] * np.arange(-60, 61), -float(count))
        loss = 0.5 * second_difference(alpha + count, alpha + count + move, move)
        m, angle, tilt = self._exponents[some], self._angles[some], self._tilts[some]
        return _log_transform(np.exp(tilt[:, None] * move - m[:, None] * loss) * step[:, None], move, angle)


def _log_transform(weight: Floats, move: Floats, angle: Floats) -> NDArray[np.complex128]:
    """ln Σ weight·e^(i·angle·move) for every row and angle, its phase without jumps."""
    sums = np.empty(angle.shape, dtype=np.complex128)
    turn, terms = np.exp(1j * angle[:, 1, None] * move), weight.astype(np.complex128)
    for q in range(angle.shape[1]):  # angles are multiples of the second
        sums[:, q] = terms.sum(axis=1)
        terms *= turn
    size = np.maximum(np.abs(sums), 1e-15 * np.abs(sums[:, :1]))
    logs: NDArray[np.complex128] = np.log(size) + 1j * np.unwrap(np.angle(sums), axis=1)
    return logs


def _interpolate(table: NDArray[Any], at: Wholes, pull: Floats) -> NDArray[Any]:
    """Rungs, each times its pull, summed."""
    share = pull.astype(table.real.dtype).reshape(*pull.shape, *[1] * (table.ndim - 1))
    total: NDArray[Any] = share[:, 0] * table[at]
    for step in range(1, pull.shape[1]):
        total += share[:, step] * table[at + step]
    return total


def _ladder(n: int) -> Wholes:
    """All small counts, and then steps of an eighth up to n."""
    single = np.arange(min(_SINGLE, n) + 1)
    far = _SINGLE * _STEP ** np.arange(1, 400)
    return np.unique(np.concatenate([single, np.round(far[far < n]), [n]]).astype(np.int64))


def _places(count: int, most: int) -> Wholes:
    """At most so many places of `count`, from the first to the last."""
    return np.unique(np.linspace(0, count - 1, most).round().astype(np.int64))
