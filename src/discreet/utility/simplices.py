"""Three categories or more, enumerated: every data set against every output.

The noisy counts z of the geometric mechanism are infinitely many, but their ways back look only at a part of them:
`nearest` not at how negative a count is, `bayes` not at how far it lies beyond 0 … n. So all z that agree after cutting
share one output y, and their noise sums in closed form. With q = exp(-ε/2), A zeros and B counts at the top in y,

    P(y | c) = q^‖y-c‖₁ · F / Z,   F = Σ C(U+A-1, A-1)·C(W+B-1, B-1)·q^(U+W)  over  W - U = n - Σy,

where U is what was cut off below and W what was cut off above.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from discreet.errors import TooLarge
from discreet.kernels.exponential import LONGEST_ROW
from discreet.mechanisms import Geometric, Mechanism
from discreet.posteriors.grid import grid
from discreet.posteriors.space import PosteriorSpace, orbits, rank_rows, require_enumerable
from discreet.utility.error_rows import ErrorRows
from discreet.utility.expected_counts import predictive_weights
from discreet.utility.metrics import Floats, Metric, hellinger_between

CELLS = 1 << 25
"""Enumerations of more cells than this are left to studies of drawn data sets."""

_LOST = 1e-15
"""The noise that is left out has at most this probability."""


class SimplexKernel:
    """The rows of a mechanism on all candidates: what may be released, and how likely it is."""

    quick = False
    """Whether rows come from tables and not from laws."""

    def __init__(self, mechanism: Mechanism) -> None:
        require_enumerable(mechanism.space, limit=LONGEST_ROW)
        self.mechanism, self.space = mechanism, mechanism.space
        self.candidates = self.space.candidates().array()

    @property
    def width(self) -> int:
        """The cells of a row."""
        return len(self.candidates)

    @property
    def orbits(self) -> bool:
        """Whether permuting categories of equal prior leaves the error law as it is."""
        return False

    @cached_property
    def data(self) -> tuple[NDArray[np.int64], Floats]:
        """The ranks of the data sets to look at and their weights: one for each orbit, or all."""
        weight = predictive_weights(self.space)
        if not self.orbits:
            return np.arange(len(weight)), weight
        ranks = orbits(self.space)
        total = np.zeros(len(weight))
        np.add.at(total, ranks, weight)
        first = np.unique(ranks)
        return first, total[first]

    def masses(self, rank: int) -> Floats:
        """The probabilities of what the row may release."""
        shown: Floats = np.exp(self.mechanism.log_pmf(self.candidates[rank].tolist()))
        return shown

    def distances(self, rank: int, metric: Metric) -> Floats:
        """The distances from the data set to what may be released."""
        if metric.name == "hellinger":
            return grid(self.space).distances(rank)
        return metric.distances(self.space.prior, self.candidates[rank], self.candidates)

    def slices(self, metric: Metric, ranks: NDArray[np.int64], weight: Floats) -> Iterator[ErrorRows]:
        """The error laws of some data sets."""
        for i, rank in enumerate(ranks.tolist()):
            value, mass = self.distances(rank, metric), self.masses(rank)
            yield ErrorRows.exact(weight[i : i + 1], value[None, :], mass[None, :])


class WeightedSimplex(SimplexKernel):
    """Weights that fall with the distance."""

    quick = True

    @property
    def orbits(self) -> bool:
        """Nothing tells categories of equal prior apart."""
        return True

    def masses(self, rank: int) -> Floats:
        """Normalised weights."""
        _, weight = self.mechanism.kernel.enumerated.weights(rank)
        shown: Floats = weight / weight.sum()
        return shown


class NoisySimplex(SimplexKernel):
    """The geometric mechanism, by cut noisy counts."""

    quick = True

    def __init__(self, mechanism: Geometric) -> None:
        super().__init__(mechanism)
        self.way, self.half = mechanism.way, float(mechanism.epsilon) / 2
        depth = cut_depth(mechanism)
        if self.way == "nearest" and number_of_outputs(self.space, depth) > LONGEST_ROW:
            raise TooLarge("the noisy counts that matter are too many", hint="use a larger epsilon")
        self.outputs, log_rest = cut_outputs(self.space, self.half, depth, top=self.way != "nearest")
        self._log_rest = log_rest - float(mechanism.noise.log_total())

    @property
    def width(self) -> int:
        """The cells of a row."""
        return len(self.outputs)

    @cached_property
    def _back(self) -> NDArray[np.int64]:
        """The ranks of the candidates that the outputs lead to."""
        return rank_rows(self.mechanism.way_back(self.outputs))

    @cached_property
    def _free(self) -> Floats:
        found = [self.mechanism.posterior(tuple(y)).alpha for y in self.outputs.tolist()]
        return np.array(found)

    def noisy_masses(self, rank: int) -> Floats:
        """P(y | c) of all cut outputs, before any way back."""
        norms = np.abs(self.outputs - self.candidates[rank]).sum(axis=1)
        mass: Floats = np.exp(self._log_rest - self.half * norms)
        mass /= mass.sum()
        return mass

    def masses(self, rank: int) -> Floats:
        """The same; summed over the outputs that lead to the same candidate."""
        mass = self.noisy_masses(rank)
        if self.way == "free":
            return mass
        together: Floats = np.bincount(self._back, mass, len(self.candidates)).astype(np.float64)
        return together

    def distances(self, rank: int, metric: Metric) -> Floats:
        """To the candidates, or to the free posteriors."""
        if self.way == "free":
            here = self.space.prior.alpha + self.candidates[rank : rank + 1]
            return hellinger_between(here, self._free).reshape(-1)
        return super().distances(rank, metric)


def cut_depth(mechanism: Geometric) -> int:
    """The least T such that the negative counts sum to more than T with probability at most `_LOST`.

    What is cut off below is at most ‖v‖₁/2, and noise with ‖v‖₁ = 2t has at most C(t+k-1, k-1)² forms.
    """
    k, rate = mechanism.space.k, float(mechanism.epsilon)
    log_total = float(mechanism.noise.log_total())
    t = 0
    while True:
        t += 1
        log_term = 2 * (math.lgamma(t + k) - math.lgamma(k) - math.lgamma(t + 1)) - rate * t
        ratio = ((t + k) / (t + 1)) ** 2 * math.exp(-rate)
        if ratio < 1 and log_term - math.log1p(-ratio) - log_total < math.log(_LOST):
            return t


def cut_outputs(space: PosteriorSpace, half: float, depth: int, *, top: bool) -> tuple[NDArray[np.int64], Floats]:
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


def _with_zeros(n: int, k: int, depth: int) -> Iterator[NDArray[np.int64]]:
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


def simplex_kernel(mechanism: Mechanism) -> SimplexKernel:
    """The kernel of a mechanism on three categories or more."""
    if isinstance(mechanism, Geometric):
        return NoisySimplex(mechanism)
    return WeightedSimplex(mechanism) if mechanism.kernel.weighted else SimplexKernel(mechanism)
