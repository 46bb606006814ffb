"""The width of the interval that a reader may believe: of p(θ₁ | output), a mixture of Betas, before any data is seen.

p(c | o) ∝ P(o | c)·DirMult(c), so the first category's share given an output o is a mixture of Beta(α₁+c₁, …). The
expected width is a mean over outputs. Few outputs are all summed; along a line of many, the width and the probability
of an output change smoothly, and `discreet.utility.smooth_sums` sums them from some of them with a measured error;
three categories or more beyond enumeration are drawn, and the error is six standard errors.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, lru_cache, partial

import numpy as np
from numpy.typing import ArrayLike

from discreet.arithmetic.arrays import Floats, Wholes
from discreet.arithmetic.numbers import exact_share
from discreet.errors import TooLarge
from discreet.kernels.line_noise import GaussianNoise, LineNoise
from discreet.mechanisms import Mechanism
from discreet.posteriors import Dirichlet
from discreet.posteriors.predictive import log_factors, log_predictive
from discreet.posteriors.space import PosteriorSpace, exceeds
from discreet.samplers.noise import CountNoise
from discreet.testing import HashedBits
from discreet.utility.count_mixtures import mixture_widths
from discreet.utility.error_tables import ClosedTable, ErrorTable, NoisySimplex, error_table
from discreet.utility.expected_counts import first_count_moments, predictive_weights
from discreet.utility.noisy_shares import intervals
from discreet.utility.smooth_sums import WHOLE, smooth_sum
from discreet.utility.studies import drawn_data, study_size

SHARP = 1e-7
MAX_LINE_RECORDS = 1 << 14
MAX_TABLE_CANDIDATES = 3000
INEXACT = 0.06
"""How far a quick width may be off, as a share of what privacy adds to it."""

_CELLS, _CHUNK, _KEPT = 1 << 25, 1 << 20, 1e-13
_WIDTHS = 256
"""So many widths are kept: whoever moves an ε asks again for all that does not move with it."""

_OUTPUTS, _FEWEST, _STEPS, _NODES = 512, 16, 4e9, 12
_ROUNDING, _SURE, _FINE, _RARE = 1e-9, 6.0, 0.01, 12.0


@dataclass(frozen=True)
class Width:
    """An expected interval width, as a share; how far it may be off; and how it was found."""

    value: float
    error: float
    method: str


def expected_width(mechanism: Mechanism, level: object = "0.95") -> Width:
    """The expected width of the noise-aware interval of the first category; `TooLarge` where it is not available.

    Along a line of many outputs its error is at most the share `SHARP` of it.

    >>> from discreet import Geometric
    >>> width = expected_width(Geometric(PosteriorSpace(prior=[1, 1], n=60), epsilon=1))
    >>> round(width.value, 4), width.error < 1e-8, width.method
    (0.2133, True, 'all 61 outputs')
    """
    share, space, kernel = float(exact_share(level, "level")), mechanism.space, mechanism.kernel
    if kernel.cell_noise is not None:
        return _gaussian_width(space, kernel.cell_noise, share)
    if space.k > 2:
        return _simplex_width(mechanism, share)
    if isinstance(noise := kernel.noise, LineNoise):
        widths = partial(intervals, space, noise, level=share)
        return _line_width(widths, space.prior, space.n, symmetric=noise.up == noise.down, scale=1 / noise.rate)
    if space.n > MAX_LINE_RECORDS:
        raise TooLarge(f"its noise-aware widths are summed up to n = {MAX_LINE_RECORDS:,}", hint="use geometric")
    widths = partial(_column_widths, mechanism, predictive_weights(space), level=share)
    return _line_width(widths, space.prior, space.n, symmetric=kernel.weighted)


def quick_width(mechanism: Mechanism, level: object = "0.95") -> Width:
    """The same within a fraction of a second, for any number of records and any noise that sums to zero.

    With three categories or more a reader who looks at one noisy count alone knows nearly as much. Its noise is put
    down as geometric, with the rate that gives its variance: from 0.6 % below to 5.5 % above what privacy adds to the
    width, where that is enumerated or drawn (`tests/utility/test_widths.py`), and `INEXACT` of that is the error.

    >>> from discreet import Geometric
    >>> mechanism = Geometric(PosteriorSpace(prior=[1, 1, 1], n=30), epsilon=1)
    >>> quick, exact = quick_width(mechanism), expected_width(mechanism)
    >>> round(quick.value, 3), round(exact.value, 3), quick.method
    (0.332, 0.33, 'the noise of one count')
    """
    noise, share = mechanism.kernel.zero_sum, float(exact_share(level, "level"))
    if mechanism.kernel.cell_noise is not None:
        return _gaussian_width(mechanism.space, mechanism.kernel.cell_noise, share, sharp=1e-4)
    if mechanism.space.k == 2 or noise is None:
        return expected_width(mechanism, level)
    rate = cell_rate(float(noise.rate), mechanism.space.k)
    return _one_count_width(mechanism.space, line_width(mechanism.space, rate, share), share)


def _one_count_width(space: PosteriorSpace, width: Width, level: float) -> Width:
    """The width of a reader who looks at one noisy count alone, as one of all counts."""
    added = abs(width.value - width_without_privacy(space, str(level)).value)
    return Width(width.value, width.error + INEXACT * added, "the noise of one count")


@lru_cache(maxsize=_WIDTHS)
def line_width(space: PosteriorSpace, rate: float, level: float) -> Width:
    """The expected width for the first category against all others, with geometric noise of this rate on its count."""
    line = PosteriorSpace(prior=two_categories(space.prior), n=space.n)
    widths = partial(intervals, line, LineNoise.geometric(Fraction(rate)), level=level)
    spread = first_count_moments(line.prior, line.n)[1]
    scale = 1 / rate if rate * spread < 1 else 0.0  # narrow noise bends nothing
    return _line_width(widths, line.prior, line.n, symmetric=True, scale=scale, sharp=1e-3)


@cache
def cell_rate(half: float, k: int) -> float:
    """The rate of geometric noise with the variance of one count's, where all counts' noise sums to zero.

    P(t) ∝ q^|t|·S(t), with S the law of the sum of k-1 such noises, by Fourier's transform. Below `_FINE` it is
    proportional to `half`, and beyond `_RARE` only one record moves, from this count or to it.

    >>> round(cell_rate(0.5, 2), 6), round(cell_rate(0.5, 3), 4), round(cell_rate(0.5, 1000), 4)
    (1.0, 0.7756, 0.5006)
    """
    if half < _FINE:
        return half / _FINE * cell_rate(_FINE, k)
    if half > _RARE:
        return max(half, 2 * half - math.log(k - 1))
    reach = math.ceil(40 / half)
    t = np.arange(-reach, reach + 1)
    one = np.exp(-half * np.abs(t))
    wave = np.fft.rfft(np.roll(np.pad(one, (0, 2 * len(t))), -reach)).real / one.sum()
    rest = np.roll(np.fft.irfft(wave ** (k - 1), 3 * len(t)), reach)[: len(t)]
    chance = one * np.maximum(rest, 0.0)
    variance = float(chance @ (t * t)) / float(chance.sum())
    return 2 * math.asinh(math.sqrt(0.5 / variance))


def width_without_privacy(space: PosteriorSpace, level: object = "0.95") -> Width:
    """The expected width of the first category's interval when the posterior itself is published."""
    return _plain_width(two_categories(space.prior), space.n, float(exact_share(level, "level")))


@lru_cache(maxsize=_WIDTHS)
def _plain_width(prior: Dirichlet, n: int, share: float) -> Width:

    def widths(c: Floats) -> tuple[Floats, Floats]:
        chance = np.exp(log_predictive(prior, np.stack([c, n - c], axis=1)))
        return chance, _plain_widths(prior, n, c, share)

    return _line_width(widths, prior, n, symmetric=True)


def two_categories(prior: Dirichlet) -> Dirichlet:
    """The first category against all others: its count has the predictive of two categories."""
    first = prior.parameters[0]
    return Dirichlet([first, prior.total - first])


def _plain_widths(prior: Dirichlet, n: int, c: Floats, level: float) -> Floats:
    """The widths of the posteriors of first counts themselves."""
    first, second = prior.alpha
    return mixture_widths(np.ones((len(c), 1)), first + c, second + (n - c), level)


def _line_width(
    widths: Callable[[Floats], tuple[Floats, Floats]],
    prior: Dirichlet,
    n: int,
    *,
    symmetric: bool,
    scale: float = 0.0,
    sharp: float = SHARP,
    beyond: int = 0,
) -> Width:
    """The mean over the outputs 0 … n, and so many beyond, of which `widths` tells the probabilities and the widths.

    The probabilities of all outputs sum to 1: by how much those that were found do not is in the error.
    """

    mirrored, last = symmetric and len(set(prior.parameters)) == 1, n + 2 * beyond

    def terms(o: Wholes) -> Floats:
        at, back = np.unique(np.minimum(o, last - o) if mirrored else o, return_inverse=True)
        chance, width = widths((at - beyond).astype(np.float64))
        return np.stack([np.where(chance > 0, chance * width, 0.0), chance], axis=1)[back.reshape(-1)]

    mean, spread = first_count_moments(prior, n)
    marks = [mean + side * unit * 2.0**j for unit in (spread, scale) for j in range(6) for side in (-1, 1)]
    marks = [beyond + mark for mark in ([mean, *marks] if spread < n / 16 else []) + [0, n] * bool(beyond)]
    total, error, number = smooth_sum(terms, last, marks, sharp=sharp)
    value = float(total[0] / total[1])
    within = float(error[0]) + value * (abs(float(total[1]) - 1) + _ROUNDING)
    return Width(value, within, f"all {last + 1} outputs" if last < WHOLE else f"{number} of {last + 1:,} outputs")


def _gaussian_width(space: PosteriorSpace, noise: GaussianNoise, level: float, sharp: float = SHARP) -> Width:
    """The same for Gaussian noise on the first count, whose outputs beyond 0 and n are no less telling.

    With three categories or more it is that of a reader who looks at one noisy count alone, as in `quick_width`.
    """
    prior, n, reach = two_categories(space.prior), space.n, noise.extent
    size = min(n + 1, 2 * reach + 1)
    if size > MAX_LINE_RECORDS:
        raise TooLarge("its noise is too wide for its noise-aware widths", hint="use a larger epsilon")

    def widths(o: Floats) -> tuple[Floats, Floats]:
        some = np.array_split(o, 1 + len(o) * size // _CHUNK)
        columns = zip(*(_window_widths(prior, n, noise, part, size, level) for part in some), strict=True)
        chance, width = (np.concatenate(column) for column in columns)
        return chance, width

    width = _line_width(widths, prior, n, symmetric=True, scale=math.sqrt(noise.variance), sharp=sharp, beyond=reach)
    return width if space.k == 2 else _one_count_width(space, width, level)


def _window_widths(
    prior: Dirichlet, n: int, noise: GaussianNoise, o: Floats, size: int, level: float
) -> tuple[Floats, Floats]:
    """P(output), and the widths, from the counts within reach of each output."""
    start = np.clip(np.floor(o - size // 2), 0, n + 1 - size)
    c = start[:, None] + np.arange(size)
    logs = log_predictive(prior, np.stack([c.ravel(), n - c.ravel()], axis=1)).reshape(c.shape)
    logs = logs + noise.log_masses(o[:, None] - c)
    first, second = prior.alpha
    return _belief_widths(logs, first + start, second + (n - start), level)


def _column_widths(mechanism: Mechanism, predictive: Floats, outputs: Floats, level: float) -> tuple[Floats, Floats]:
    """P(output), and the widths: every data set is weighed."""
    n, (first, second) = mechanism.space.n, mechanism.space.prior.alpha
    logs = np.stack([mechanism.kernel.column((int(o), n - int(o))).values for o in outputs])
    with np.errstate(divide="ignore"):
        logs = logs + np.log(predictive)
    return _belief_widths(logs, first, second + n, level)


def _belief_widths(logs: Floats, a: ArrayLike, b: ArrayLike, level: float) -> tuple[Floats, Floats]:
    """P(output) and the width of its interval, from ln P(count, output): a row for each output, whose counts begin at
    Beta(a, b)."""
    top = logs.max(axis=1, keepdims=True)
    weights = np.exp(logs - np.where(np.isfinite(top), top, 0.0))
    weights = np.where(np.isfinite(top), weights, 1.0)
    return np.exp(logs).sum(axis=1), mixture_widths(weights, a, b, level)


def _simplex_width(mechanism: Mechanism, level: float) -> Width:
    """Three categories or more: all outputs that a reader can tell apart; or noise that sums to zero is drawn."""
    space, noise = mechanism.space, mechanism.kernel.zero_sum
    if noise is None:
        if exceeds(space, MAX_TABLE_CANDIDATES):
            limit = f"its noise-aware widths are summed up to {MAX_TABLE_CANDIDATES:,} candidates"
            raise TooLarge(limit, hint="use geometric")
        closed = mechanism.kernel.closed
        return _enumerated_width(ClosedTable(mechanism, raw=True) if closed else error_table(mechanism), level)
    try:
        table = NoisySimplex(mechanism, noise, raw=True)
    except TooLarge:
        return _drawn_width(space, noise, level)
    if int(table.widths[0]) * (len(table.candidates) + 32 * space.n) > _CELLS:
        return _drawn_width(space, noise, level)
    return _enumerated_width(table, level)


def _enumerated_width(table: ErrorTable, level: float) -> Width:
    """The mean over all outputs: their masses are told for each data set."""
    space, weight, count = table.space, predictive_weights(table.space), table.candidates[:, 0]
    joint = np.zeros((space.n + 1, len(table.masses(0))))
    for rank, share in enumerate(weight.tolist()):
        joint[count[rank]] += share * table.masses(rank)
    chance = joint.sum(axis=0)
    relevant = chance > _KEPT / len(chance)
    first, second = two_categories(space.prior).alpha
    width = mixture_widths(joint[:, relevant].T, first, second + space.n, level)
    value = float(chance[relevant] @ width / chance[relevant].sum())
    return Width(value, abs(1 - float(chance[relevant].sum())) + _ROUNDING * value, f"all {len(chance)} outputs")


def _drawn_width(space: PosteriorSpace, law: CountNoise, level: float) -> Width:
    """The same of any size: given z the counts are independent but for their total."""
    half, prior = float(law.rate), two_categories(space.prior)
    steps = (2.0 * min(40 / half, space.n)) ** 2 * (space.k - 1) * (space.k - 2) / 2
    number = min(_OUTPUTS, int(_STEPS / steps))
    if number < _FEWEST:
        raise TooLarge("noise-aware widths would convolve too much noise", hint="use a larger epsilon")
    drawn = study_size(space)
    noise = law.draw_many(HashedBits("noises of widths"), drawn)
    noisy = drawn_data(space, drawn, "data") + noise
    at = ((np.arange(number) + 0.5) / number * drawn).astype(np.int64)
    outputs = noisy[np.argsort(noisy[:, 0], kind="stable")][at]
    windows = [first_count_given(space, half, z) for z in outputs]
    size = max(len(c) for c, _ in windows)
    start = np.array([min(int(c[0]), space.n + 1 - size) for c, _ in windows])
    weights = np.zeros((number, size))
    for row, (c, weight) in enumerate(windows):
        weights[row, c - start[row]] = weight
    first, second = prior.alpha
    width = mixture_widths(weights, first + start, second + (space.n - start), level)
    # Outputs differ far more in the width that their counts would have anyway than in what the noise adds to it: only
    # the latter is averaged over few outputs, and the former over all counts. Neighbours in the order of their first
    # count tell how far outputs differ by chance.
    wider = width - _plain_means(prior, space.n, windows, level)
    without = width_without_privacy(space, level)
    spread = math.sqrt(float((np.diff(wider) ** 2).sum()) / (2 * (number - 1) * number))
    method = f"{number} outputs, in order of their first count, of {drawn} exact draws"
    return Width(without.value + float(wider.mean()), without.error + _SURE * spread, method)


def _plain_means(prior: Dirichlet, n: int, windows: Sequence[tuple[Wholes, Floats]], level: float) -> Floats:
    """The mean widths without noise, over windows of counts: far from the ends a polynomial does for all of them."""
    node = np.polynomial.legendre.leggauss(_NODES)[0]
    basis = np.linalg.inv(np.polynomial.legendre.legvander(node, _NODES - 1))
    rules = []
    for c, weight in windows:
        if min(c[0], n - c[-1]) < 4 * len(c):
            rules.append((c.astype(np.float64), weight))
        else:
            polynomials = np.polynomial.legendre.legvander(2 * (c - c[0]) / (len(c) - 1.0) - 1, _NODES - 1)
            rules.append((c[0] + (len(c) - 1) * (node + 1) / 2, weight @ polynomials @ basis))
    at, back = np.unique(np.concatenate([places for places, _ in rules]), return_inverse=True)
    value = _plain_widths(prior, n, at, level)[back.reshape(-1)]
    row = np.repeat(np.arange(len(rules)), [len(places) for places, _ in rules])
    return np.bincount(row, value * np.concatenate([weight for _, weight in rules])).astype(np.float64)


def first_count_given(space: PosteriorSpace, half: float, z: Wholes) -> tuple[Wholes, Floats]:
    """p(c₁ | z) for geometric noise: Π q^|z_i-c_i|·Γ(α_i+c_i)/c_i! with Σc = n, by convolving all but the first.

    Counts farther from z than 40 scales of the noise, and than what negative z must take from the others, are left out.
    Convolutions of positive numbers lose no digits; each is scaled to its largest.

    >>> import numpy as np
    >>> c, chance = first_count_given(PosteriorSpace(prior=[1, 1, 1], n=4), 0.5, np.array([4, 1, -1]))
    >>> c.tolist(), chance.round(3).tolist()
    ([0, 1, 2, 3, 4], [0.056, 0.117, 0.223, 0.35, 0.256])
    """
    n, alpha = space.n, space.prior.alpha
    inside = np.clip(z, 0, n)
    reach = math.ceil(40 / half) + int(inside.sum()) - n
    low, high = np.maximum(inside - reach, 0), np.minimum(inside + reach, n)
    factors = []
    for i, noisy in enumerate(inside.tolist()):
        c = np.arange(low[i], high[i] + 1)
        logs = log_factors(c.astype(np.float64), alpha[i], n, alpha.sum()) - half * np.abs(noisy - c)
        factors.append(np.exp(logs - logs.max()))
    rest = factors[1]
    for factor in factors[2:]:
        rest = np.convolve(rest, factor)
        rest = rest / rest.max()
    c = np.arange(low[0], high[0] + 1)
    place = n - c - low[1:].sum()
    possible = (place >= 0) & (place < len(rest))
    weights = np.where(possible, factors[0] * rest[np.clip(place, 0, len(rest) - 1)], 0.0)
    return c, weights / weights.sum()
