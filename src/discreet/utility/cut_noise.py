"""Noisy counts of three categories or more, cut where nothing that follows can see it.

The noisy counts z of the geometric mechanism are infinitely many, but post-processing looks only at a part of them:
`nearest` not at how negative a count is, `bayes` not at how far it lies beyond 0 … n. So all z that agree after cutting
share one output y, and their noise sums in closed form. With q = exp(-ε/2), A zeros and B counts at the top in y,

    P(y | c) = q^‖y-c‖₁ · F / Z,   F = Σ C(U+A-1, A-1)·C(W+B-1, B-1)·q^(U+W)  over  W - U = n - Σy,

where U is what was cut off below and W what was cut off above.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator

import numpy as np
from scipy.special import gammaln

from discreet.arithmetic.arrays import Floats, Wholes
from discreet.errors import TooLarge
from discreet.kernels.exponential import LONGEST_ROW
from discreet.posteriors.space import PosteriorSpace
from discreet.samplers.noise import CountNoise

_LOST = 1e-15
"""The noise that is left out has at most this probability."""


def cut_depth(noise: CountNoise) -> int:
    """A T of at least k such that the negative counts sum to more than T with probability at most `_LOST`.

    What is cut off below is at most ‖v‖₁/2, and noise with ‖v‖₁ = 2t has at most C(t+k-1, k-1)² forms.
    """
    k, rate, log_total = noise.k, 2 * float(noise.rate), float(noise.log_total())
    for t in itertools.count(k):
        log_term = 2 * (math.lgamma(t + k) - math.lgamma(k) - math.lgamma(t + 1)) - rate * t
        ratio = ((t + k) / (t + 1)) ** 2 * math.exp(-rate)
        if ratio < 1 and log_term - math.log1p(-ratio) - log_total < math.log(_LOST):
            break
    return t


def cut_outputs(space: PosteriorSpace, half: float, depth: int, *, top: bool) -> tuple[Wholes, Floats]:
    """All noisy counts after cutting (also at n if `top`), and ln F of each."""
    n, k = space.n, space.k
    if top:
        if (n + 1) ** k > LONGEST_ROW:
            raise TooLarge(f"this post-processing would be worked out for {(n + 1) ** k:,} counts", hint="use nearest")
        outputs = np.indices((n + 1,) * k).reshape(k, -1).T
    else:
        outputs = np.concatenate([space.candidates().array(), *_with_zeros(n, k, depth)])
    zeros, tops = (outputs == 0).sum(axis=1), (outputs == n).sum(axis=1) * top
    kinds = np.stack([zeros, tops, n - outputs.sum(axis=1)], axis=1)
    distinct, inverse = np.unique(kinds, axis=0, return_inverse=True)
    logs = np.array([_log_rest(a, b, short, half, depth) for a, b, short in distinct.tolist()])[inverse.reshape(-1)]
    possible = np.isfinite(logs)
    return outputs[possible], logs[possible]


def number_of_outputs(space: PosteriorSpace, depth: int) -> int:
    """How many noisy counts there are after cutting at 0."""
    n, k = space.n, space.k
    cut = (math.comb(k, size) * (math.comb(n + depth, size) - math.comb(n, size)) for size in range(1, k))
    return space.size + sum(cut)


def _with_zeros(n: int, k: int, depth: int) -> Iterator[Wholes]:
    """Counts ≥ 0 with a zero somewhere and a total of n+1 … n+depth: noisy counts whose negative ones were cut."""
    for size in range(1, k):
        parts = PosteriorSpace(prior=[1] * (size + 1), n=n + depth - size).candidates().array()
        parts = parts[parts[:, -1] < depth, :-1] + 1  # the last is what the total lacks of n + depth
        for positive in itertools.combinations(range(k), size):
            counts = np.zeros((len(parts), k), dtype=np.int64)
            counts[:, positive] = parts
            yield counts


def _log_rest(zeros: int, tops: int, short: int, half: float, depth: int) -> float:
    """ln Σ C(U+A-1, A-1)·C(W+B-1, B-1)·q^(U+W) over W - U = short."""
    below = max(0, -short) + np.arange(depth + 1)
    terms = _log_ways(below, zeros) + _log_ways(below + short, tops) - half * (2 * below + short)
    return float(np.logaddexp.reduce(terms))


def _log_ways(total: Wholes, parts: int) -> Floats:
    """ln of in how many ways parts sum to each total."""
    if parts == 0:
        return np.where(total == 0, 0.0, -np.inf)
    log_ways: Floats = gammaln(total + parts) - gammaln(parts) - gammaln(total + 1)
    return log_ways
