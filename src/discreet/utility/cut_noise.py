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

from discreet.arithmetic.arrays import Floats, Wholes
from discreet.errors import TooLarge
from discreet.kernels.exponential import LONGEST_ROW
from discreet.posteriors.space import PosteriorSpace
from discreet.samplers.noise import ZeroSum

_LOST = 1e-15
"""The noise that is left out has at most this probability."""


def cut_depth(noise: ZeroSum) -> int:
    """The least T such that the negative counts sum to more than T with probability at most `_LOST`.

    What is cut off below is at most ‖v‖₁/2, and noise with ‖v‖₁ = 2t has at most C(t+k-1, k-1)² forms.
    """
    k, rate, log_total = noise.k, 2 * float(noise.rate), float(noise.log_total())
    t = 0
    while True:
        t += 1
        log_term = 2 * (math.lgamma(t + k) - math.lgamma(k) - math.lgamma(t + 1)) - rate * t
        ratio = ((t + k) / (t + 1)) ** 2 * math.exp(-rate)
        if ratio < 1 and log_term - math.log1p(-ratio) - log_total < math.log(_LOST):
            return t


def cut_outputs(space: PosteriorSpace, half: float, depth: int, *, top: bool) -> tuple[Wholes, Floats]:
    """All noisy counts after cutting (also at n if `top`), and ln F of each."""
    n, k = space.n, space.k
    if top:
        if (n + 1) ** k > LONGEST_ROW:
            raise TooLarge(f"this way back would be worked out for {(n + 1) ** k:,} counts", hint="use nearest")
        grids = np.meshgrid(*[np.arange(n + 1)] * k, indexing="ij")
        every = np.stack(grids, axis=-1).reshape(-1, k)
    else:
        every = np.concatenate([space.candidates().array(), *_with_zeros(n, k, depth)])
    zeros, tops = (every == 0).sum(axis=1), ((every == n).sum(axis=1) if top else 0 * every[:, 0])
    short = n - every.sum(axis=1)
    kinds = np.stack([zeros, tops, short], axis=1)
    unique, back = np.unique(kinds, axis=0, return_inverse=True)
    logs = np.array([_log_rest(int(a), int(b), int(d), half, depth) for a, b, d in unique])[back.reshape(-1)]
    kept = np.isfinite(logs)
    return every[kept], logs[kept]


def number_of_outputs(space: PosteriorSpace, depth: int) -> int:
    """How many noisy counts there are after cutting at 0."""
    n, k = space.n, space.k
    cut = (math.comb(k, size) * (math.comb(n + depth, size) - math.comb(n, size)) for size in range(1, k))
    return space.size + sum(cut)


def _with_zeros(n: int, k: int, depth: int) -> Iterator[Wholes]:
    """Counts ≥ 0 with a zero somewhere and a total of n+1 … n+depth: noisy counts whose negative ones were cut."""
    for size in range(1, k):
        for positive in itertools.combinations(range(k), size):
            for total in range(n + 1, n + depth + 1):
                spread = total - size
                if spread < 0:
                    continue
                if size == 1 or spread == 0:
                    parts = np.full((1, size), spread, dtype=np.int64)
                else:
                    parts = PosteriorSpace(prior=[1] * size, n=spread).candidates().array()
                found = np.zeros((len(parts), k), dtype=np.int64)
                found[:, positive] = parts + 1
                yield found


def _log_rest(zeros: int, tops: int, short: int, half: float, depth: int) -> float:
    """ln Σ C(U+A-1, A-1)·C(W+B-1, B-1)·q^(U+W) over W - U = short."""
    terms = []
    for below in range(max(0, -short), max(0, -short) + depth + 1):
        above = below + short
        if (zeros == 0 and below) or (tops == 0 and above):
            continue
        ways = (math.comb(below + zeros - 1, zeros - 1) if zeros else 1) * (
            math.comb(above + tops - 1, tops - 1) if tops else 1
        )
        terms.append(math.log(ways) - half * (below + above))
    if not terms:
        return -math.inf
    top = max(terms)
    return top + math.log(sum(math.exp(term - top) for term in terms))
