"""The width of the interval that a reader may believe: of p(θ₁ | output), a mixture of Betas, before any data is seen.

p(c | o) ∝ P(o | c)·DirMult(c), so the first category's share given an output o is a mixture of Beta(α₁+c₁, …). The
expected width is a mean over outputs. Where they are many, equally likely parts of them are each represented by their
middle in the order of the first count, along which the width changes smoothly: `method` says how many.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from discreet.errors import TooLarge
from discreet.kernels.line_noise import LineNoise
from discreet.mechanisms import Geometric, Mechanism
from discreet.posteriors import Dirichlet
from discreet.posteriors.mixtures import BetaMixture
from discreet.posteriors.predictive import log_factors, log_predictive
from discreet.posteriors.space import PosteriorSpace
from discreet.samplers.noise import zero_sum
from discreet.testing import HashedBits
from discreet.utility.expected_counts import predictive_quantiles, predictive_weights
from discreet.utility.line_kernels import LineKernel
from discreet.utility.lines import line_kernel
from discreet.utility.metrics import Floats
from discreet.utility.simplices import simplex_kernel
from discreet.utility.studies import drawn_data, study_size

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

OUTPUTS = 64
"""How many outputs stand for all of them."""

LONGEST_LINE = 1 << 14
LARGEST_TABLE = 3000

_DATA, _NOISES = 40, 6
_COMPONENTS = 400
_STEPS = 4e9
_FEWEST = 16


@dataclass(frozen=True)
class Width:
    """An expected interval width, as a share, and how it was found."""

    value: float
    method: str


def expected_width(mechanism: Mechanism, level: object = "0.95") -> Width:
    """The expected width of the noise-aware interval of the first category; `TooLarge` where it cannot be had.

    >>> width = expected_width(Geometric(PosteriorSpace(prior=[1, 1], n=60), epsilon=1))
    >>> round(width.value, 4), width.method
    (0.2133, 'all 61 outputs')
    """
    if mechanism.space.k == 2:
        kernel = line_kernel(mechanism) if mechanism.space.n <= LONGEST_LINE else None
        if kernel is not None:
            return _line_width(kernel, level)
        noise = mechanism.kernel.noise
        if noise is not None:
            return _long_width(mechanism.space, noise, level)
        raise TooLarge(f"its noise-aware widths are summed up to n = {LONGEST_LINE:,}", hint="use geometric")
    if isinstance(mechanism, Geometric):
        return _structured_width(mechanism, level)
    return _table_width(mechanism, level)


def width_without_privacy(space: PosteriorSpace, level: object = "0.95") -> Width:
    """The expected width of the first category's interval when the posterior itself is published."""
    import numpy as np

    pair = _two_categories(space)
    if space.n < 4096:
        weight, c = predictive_weights(pair), np.arange(space.n + 1)
        method = f"all {space.n + 1} counts"
    else:
        c = predictive_quantiles(pair, 1024)
        weight, method = np.full(len(c), 1 / len(c)), "1024 equally likely counts"
    first, second = pair.prior.alpha
    mixture = BetaMixture(np.ones((len(c), 1)), (first + c)[:, None], (second + space.n - c)[:, None])
    return Width(_mean_width(mixture, weight, level), method)


def _two_categories(space: PosteriorSpace) -> PosteriorSpace:
    """The first category against all others: its count has the predictive of two categories."""
    first, rest = space.prior.parameters[0], space.prior.total - space.prior.parameters[0]
    return PosteriorSpace(prior=Dirichlet([first, rest]), n=space.n) if space.k > 2 else space


def _mean_width(mixture: BetaMixture, weight: Floats, level: object) -> float:
    low, high = mixture.interval(level)
    return float(weight @ (high - low) / weight.sum())


def _line_width(kernel: LineKernel, level: object) -> Width:
    import numpy as np

    space, n = kernel.space, kernel.space.n
    outputs, weight, method = _chosen(kernel.output_weights())
    logs = np.stack([kernel.column(int(o)) for o in outputs])
    with np.errstate(divide="ignore"):
        logs = logs + np.log(kernel.predictive)
    c, (first, second) = np.arange(n + 1), space.prior.alpha
    return Width(_mean_width(BetaMixture.from_logs(logs, first + c, second + n - c), weight, level), method)


def _chosen(weights: Floats) -> tuple[NDArray[np.int64], Floats, str]:
    """All outputs if they are few, or the middles of equally likely parts."""
    import numpy as np

    if len(weights) <= 2 * OUTPUTS:
        kept = np.flatnonzero(weights > 0)
        return kept, weights[kept], f"all {len(weights)} outputs"
    sums = np.cumsum(weights) / weights.sum()
    at = np.minimum(np.searchsorted(sums, (np.arange(OUTPUTS) + 0.5) / OUTPUTS), len(weights) - 1)
    outputs, number = np.unique(at, return_counts=True)
    return outputs, number / OUTPUTS, f"{OUTPUTS} equally likely parts of the outputs"


def _long_width(space: PosteriorSpace, noise: LineNoise, level: object) -> Width:
    """Any n: outputs are counts at equally likely places of the predictive, each with noises of equal probability."""
    import numpy as np

    n, (first, second) = space.n, space.prior.alpha
    outputs = (predictive_quantiles(space, _DATA)[:, None] + _noise_quantiles(noise, _NOISES)[None, :]).ravel()
    outputs = np.clip(outputs, 0, n)
    step = max(1, math.ceil(noise.reach(n) / _COMPONENTS))
    reach = math.ceil(noise.reach(n) / step)
    c = outputs[:, None] + step * np.arange(-reach, reach + 1)[None, :]
    inside = (c >= 0) & (c <= n)
    c = np.clip(c, 0, n)
    logs = log_predictive(space.prior, np.stack([c, n - c], axis=-1).reshape(-1, 2)).reshape(c.shape)
    logs = np.where(inside, logs - noise.rate * np.abs(outputs[:, None] - c), -np.inf)
    mixture = BetaMixture.from_logs(logs, first + c, second + (n - c))
    method = f"{_DATA} equally likely counts, with {_NOISES} equally likely noises each"
    return Width(_mean_width(mixture, np.ones(len(outputs)), level), method)


def _noise_quantiles(noise: LineNoise, number: int) -> NDArray[np.int64]:
    """Noises at the middles of equally likely parts."""
    import numpy as np

    at = (np.arange(number) + 0.5) / number
    with np.errstate(invalid="ignore"):  # of hardly any noise no part is as likely as the least float
        below, above = noise.down / np.minimum(at, noise.down), noise.up / np.minimum(1 - at, noise.up)
    low = -np.ceil(np.log(below) / noise.rate + 1e-12)
    high = np.ceil(np.log(above) / noise.rate + 1e-12)
    found = np.where(at < noise.down, low, np.where(1 - at < noise.up, high, 0.0))
    return np.clip(found, -1e15, 1e15).astype(np.int64)


def _table_width(mechanism: Mechanism, level: object) -> Width:
    """Three categories or more: the whole kernel as one table."""
    import numpy as np

    space = mechanism.space
    if space.k > LARGEST_TABLE or space.size > LARGEST_TABLE:
        raise TooLarge(f"its noise-aware widths are summed up to {LARGEST_TABLE:,} candidates", hint="use geometric")
    kernel, weight = simplex_kernel(mechanism), predictive_weights(space)
    joint = np.stack([kernel.masses(rank) for rank in range(space.size)]) * weight[:, None]
    outputs, share, method = _chosen(joint.sum(axis=0))
    pair, count = _two_categories(space), kernel.candidates[:, 0]
    given = np.stack([np.bincount(count, joint[:, o], space.n + 1) for o in outputs])
    first, second = pair.prior.alpha
    mixture = BetaMixture(given, first + np.arange(space.n + 1), second + space.n - np.arange(space.n + 1))
    return Width(_mean_width(mixture, share, level), method)


def _structured_width(mechanism: Geometric, level: object) -> Width:
    """Geometric with three categories or more, of any size: given z the counts are independent but for their total."""
    import numpy as np

    space, half = mechanism.space, float(mechanism.epsilon) / 2
    steps = (2.0 * min(40 / half, space.n)) ** 2 * (space.k - 1) * (space.k - 2) / 2
    number = min(OUTPUTS, int(_STEPS / steps))
    if number < _FEWEST:
        raise TooLarge("noise-aware widths would convolve too much noise", hint="use a larger epsilon")
    drawn = study_size(space)
    noise = zero_sum(mechanism.epsilon / 2, space.k).draw_many(HashedBits("noises of widths"), drawn)
    noisy = drawn_data(space, drawn, "data") + noise
    at = ((np.arange(number) + 0.5) / number * drawn).astype(np.int64)
    outputs = noisy[np.argsort(noisy[:, 0], kind="stable")][at]
    first, second = _two_categories(space).prior.alpha
    wider = []
    for z in outputs:
        c, weight = first_count_given(space, half, z)
        low, high = BetaMixture(weight, first + c, second + (space.n - c)).interval(level)
        without = BetaMixture(np.ones((len(c), 1)), (first + c)[:, None], (second + space.n - c)[:, None])
        wider.append(float(high - low) - _mean_width(without, weight, level))
    # Outputs differ far more in the width that their counts would have anyway than in what the noise adds to it: only
    # the latter is averaged over few outputs, and the former over all counts.
    method = f"{number} outputs, in order of their first count, of {drawn} exact draws"
    return Width(width_without_privacy(space, level).value + float(np.mean(wider)), method)


def first_count_given(space: PosteriorSpace, half: float, z: NDArray[np.int64]) -> tuple[NDArray[np.int64], Floats]:
    """p(c₁ | z) for geometric noise: Π q^|z_i-c_i|·Γ(α_i+c_i)/c_i! with Σc = n, by convolving all but the first.

    Counts farther from z than 40 scales of the noise, and than what negative z must take from the others, are left out.
    Convolutions of positive numbers lose no digits; each is scaled to its largest.

    >>> import numpy as np
    >>> c, chance = first_count_given(PosteriorSpace(prior=[1, 1, 1], n=4), 0.5, np.array([4, 1, -1]))
    >>> c.tolist(), chance.round(3).tolist()
    ([0, 1, 2, 3, 4], [0.056, 0.117, 0.223, 0.35, 0.256])
    """
    import numpy as np

    reach = math.ceil(40 / half) + int(np.clip(z, 0, space.n).sum()) - space.n
    (low, weight), *rest = _factors(space, half, z, reach)
    start, total = rest[0]
    for first, factor in rest[1:]:
        total = np.convolve(total, factor)
        total, start = total / total.max(), start + first
    c = low + np.arange(len(weight))
    place = space.n - c - start
    inside = (place >= 0) & (place < len(total))
    given = np.where(inside, weight * total[np.clip(place, 0, len(total) - 1)], 0.0)
    return c, given / given.sum()


def _factors(space: PosteriorSpace, half: float, z: NDArray[np.int64], reach: int) -> Iterator[tuple[int, Floats]]:
    """For each category where its counts start, and their weights up to a factor."""
    import numpy as np

    alpha = space.prior.alpha
    for i, noisy in enumerate(np.clip(z, 0, space.n).tolist()):
        low, high = max(0, noisy - reach), min(space.n, noisy + reach)
        c = np.arange(low, high + 1)
        logs = log_factors(c.astype(np.float64), alpha[i], space.n, alpha.sum()) - half * np.abs(noisy - c)
        yield low, np.exp(logs - logs.max())
