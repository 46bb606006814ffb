"""Three categories or more and too many data sets to list: p(c | o) from drawn data sets, each weighed exactly.

Data sets come from several laws at once, half of them from the prior predictive and half from about the outputs, by
bits that are the same for every reader: two readers of a release agree. The laws are quick to draw from and known
exactly, and each needs to be good only where the others are not: a data set weighs P(o | c)·DirMult(c) over its chance
of being drawn from any of them. P(o | c) is a column of the kernel, which works out the exponential family's normaliser
for each data set. As on a line, the least P(o | c) that was met is taken out first: it leaves the prior as it is, which
needs no draws.

With w the weights, a probability has a standard error of at most (1 - prior_weight)·sqrt(Σ w²), whatever is asked.
`error` is six of these, and on top the normaliser's own error, measured against a finer one. `mean_errors` are six
standard errors of each mean. Few large weights make a large error and are refused: no chain is run, and nothing is
stated that was not weighed. Because the prior is among the laws, no draw weighs more than 2P(o | c): no corner is out
of reach.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Protocol

import numpy as np
from scipy.special import bdtrik

from discreet.arithmetic.arrays import Floats, Wholes
from discreet.errors import InvalidInput, TooLarge
from discreet.inference.counts import SURE, WeightedRows
from discreet.inference.draws import draw_dirichlet, draw_uniforms
from discreet.kernels.base import Factor
from discreet.mechanisms import Mechanism
from discreet.posteriors import Dirichlet
from discreet.posteriors.predictive import log_predictive
from discreet.posteriors.space import PosteriorSpace
from discreet.samplers.bits import Bits, draw_composition
from discreet.samplers.bulk_rejection import BulkRejection
from discreet.testing import HashedBits
from discreet.typing import Outcome

ALLOWED = 0.25
"""What has a larger error is refused."""

_DRAWS, _PILOT = 1 << 16, 1 << 11
_CELLS = 3 << 26
_LEAST_WEIGHT = 1e-3


class Proposal(Protocol):
    """A law on data sets. Rows with a negative count stand for what does not fit n."""

    def draw(self, bits: Bits, size: int) -> Wholes:
        """Data sets, one a row."""

    def log_chance(self, rows: Wholes) -> Floats:
        """How likely each row is to be drawn."""


class PriorPredictive:
    """The prior predictive: shares from the prior, counts from the shares."""

    def __init__(self, prior: Dirichlet, n: int) -> None:
        self._prior, self._n = prior, n

    def draw(self, bits: Bits, size: int) -> Wholes:
        if set(self._prior.parameters) == {1}:
            return draw_even(bits, self._n, self._prior.k, size)
        share = draw_dirichlet(bits, np.tile(self._prior.alpha, (size, 1)))
        rows = np.zeros((size, self._prior.k), dtype=np.int64)
        left, rest = np.full(size, self._n, dtype=np.int64), np.ones(size)
        for i in range(self._prior.k - 1):
            p = np.clip(share[:, i] / np.maximum(rest, 1e-300), 0.0, 1.0)
            u = draw_uniforms(bits, size)
            with np.errstate(all="ignore"):
                counts = np.ceil(bdtrik(u, left.astype(np.float64), p))
                none = np.exp(left * np.log1p(-p)) >= u  # (1-p)^left; SciPy's own ends at 2³¹ records
            # No root where 0 is already enough, or where nothing or everything is drawn.
            counts = np.where(none, 0.0, np.where((p < 1) & np.isfinite(counts), counts, left))
            rows[:, i] = np.clip(counts, 0, left).astype(np.int64)
            left, rest = left - rows[:, i], rest - share[:, i]
        rows[:, -1] = left
        return rows

    def log_chance(self, rows: Wholes) -> Floats:
        return log_predictive(self._prior, rows)


def draw_even(bits: Bits, n: int, k: int, size: int) -> Wholes:
    """Even draws from all counts of n in k categories: bars among stars, thrown again where two fall together.

    >>> from discreet.testing import HashedBits
    >>> draw_even(HashedBits("even"), 10, 3, 1000).sum(axis=1).tolist() == [10] * 1000
    True
    """
    places = n + k - 1
    if places < 2 * k * k:
        rows = [draw_composition(bits, n, k) for _ in range(size)]
        return np.array(rows, dtype=np.int64).reshape(size, k)
    bars, open_ = np.empty((size, k - 1), dtype=np.int64), np.arange(size)
    while open_.size:
        thrown = np.floor(draw_uniforms(bits, open_.size * (k - 1)) * places).astype(np.int64)
        bars[open_] = np.sort(thrown.reshape(-1, k - 1), axis=1)
        open_ = open_[(np.diff(bars[open_], axis=1) == 0).any(axis=1)]
    ends = np.full((size, 1), places, dtype=np.int64)
    return np.diff(np.concatenate([0 * ends - 1, bars, ends], axis=1), axis=1) - 1


class NearOutput:
    """The mechanism's own proposals about the output (`discreet.samplers.bulk_rejection`), before any is rejected."""

    def __init__(self, proposals: BulkRejection) -> None:
        self._bulk, self._sampler = proposals, proposals.sampler
        self._k, self._log_shares = self._sampler.space.k, math.log(self._sampler.choices[-1])

    def draw(self, bits: Bits, size: int) -> Wholes:
        """Data sets, one a row; rows of -1 for what did not fit n."""
        rows = self._bulk.batch(bits, size).rows
        return np.concatenate([rows, np.full((size - len(rows), self._k), -1, dtype=np.int64)])

    def log_chance(self, rows: Wholes) -> Floats:
        """The sum over all terms of the majorant."""
        return self._sampler.log_proposal(rows) - self._log_shares


class NoiseProposal:
    """Noise of the factors' own rates about what they point to; the largest category takes the rest."""

    def __init__(self, factors: Sequence[Factor], n: int) -> None:
        self._n = n
        self._centre = np.array([min(max((factor.first + factor.last) // 2, 0), n) for factor in factors])
        self._last = int(self._centre.argmax())
        slowest = [min(filter(None, (factor.left, factor.right)), default=1.0) for factor in factors]
        self._rates = np.maximum(slowest, [max(1e-15, math.sqrt(factor.bend)) for factor in factors])
        self._free = [i for i in range(len(factors)) if i != self._last]

    def draw(self, bits: Bits, size: int) -> Wholes:
        rows = np.zeros((size, len(self._centre)), dtype=np.int64)
        for i in self._free:
            u, rate = draw_uniforms(bits, size), self._rates[i]
            # The two-sided geometric law: P(v ≥ t) = e^(-rate·t)/(1+e^-rate) for t ≥ 1, so v is the last t that is due.
            side = np.where(u < 0.5, u, 1 - u)
            far = np.floor(np.maximum(-(np.log(side) + math.log1p(math.exp(-rate))) / rate, 0.0))
            move = np.minimum(far, 4.0 * self._n).astype(np.int64)
            rows[:, i] = self._centre[i] + np.where(u < 0.5, -move, move)
        rows[:, self._last] = self._n - rows.sum(axis=1)
        return rows

    def log_chance(self, rows: Wholes) -> Floats:
        """A product of two-sided geometric laws."""
        rates = self._rates[self._free]
        far = np.abs(rows - self._centre)[:, self._free]
        logs: Floats = np.log(np.tanh(rates / 2)).sum() - (far * rates).sum(axis=1)
        return logs


class WeightedDraws(WeightedRows):
    """The posterior of the counts from drawn data sets and their weights, given that something was said."""

    def __init__(
        self,
        rows: Wholes,
        log_weights: Floats,
        times: Wholes,
        *,
        prior: Dirichlet,
        prior_weight: float,
        error: float,
        method: str,
    ) -> None:
        super().__init__(rows, log_weights, error=error, method=method)
        self.prior_weight, informative = prior_weight, SURE * (1 - prior_weight)
        # A data set that was drawn t times is t draws of a t-th of its weight.
        squares = self.weights**2 / times[self._kept]
        self.error += informative * float(np.sqrt(squares.sum()))
        if not self.error < ALLOWED:
            raise TooLarge("too few of the drawn data sets could have led to this output", hint="use geometric")
        shares = (prior.alpha + self.rows) / (prior.alpha.sum() + self.sizes)
        mean = prior_weight * prior.mean + (1 - prior_weight) * (self.weights @ shares)
        self.mean_errors = informative * np.sqrt(squares @ (shares - mean) ** 2)


def drawn_posterior(outputs: Sequence[tuple[Mechanism, Outcome]], space: PosteriorSpace) -> WeightedDraws | None:
    """The posterior given outputs about the same records; None if a law is known only by enumeration."""
    proposals = [_proposal(mechanism, output) for mechanism, output in outputs]
    known = [proposal for proposal in proposals if proposal is not None]
    if len(known) < len(proposals):
        return None
    bits = HashedBits(f"noise-aware {space.k} {space.n}")
    laws: list[Proposal] = [PriorPredictive(space.prior, space.n), *known]
    pilot, _, _ = _draw_rows(laws, _PILOT, bits)
    kernels = [mechanism.kernel.near(pilot) for mechanism, _ in outputs]
    draws = min(_DRAWS, max(_PILOT, _CELLS // sum(kernel.cost for kernel in kernels)))
    rows, log_chance, size = _draw_rows(laws, draws, bits)
    rows, first, times = np.unique(rows, axis=0, return_index=True, return_counts=True)
    columns = [kernel.column(output, rows) for kernel, (_, output) in zip(kernels, outputs, strict=True)]
    logs = np.sum([column.values for column in columns], axis=0)
    ratio = np.log(times) + log_predictive(space.prior, rows) - log_chance[first]
    top = float((logs + ratio).max())
    if not math.isfinite(top):
        raise InvalidInput("no data leads to this output", hint="give the output as it was released")
    least = float(logs.min())
    excess = ratio + logs + np.log(-np.expm1(np.minimum(least - logs, -1e-300)))
    prior_weight = math.exp(min(least - top, 700.0))  # far above all that was drawn, it is certain
    prior_weight /= prior_weight + float(np.exp(excess - top).sum()) / size
    if prior_weight < _LEAST_WEIGHT:
        prior_weight, excess = 0.0, logs + ratio
    error = sum(float(column.errors.max()) for column in columns)
    method = f"{size:,} drawn data sets, each weighed exactly"
    return WeightedDraws(rows, excess, times, prior=space.prior, prior_weight=prior_weight, error=error, method=method)


def _draw_rows(laws: Sequence[Proposal], size: int, bits: Bits) -> tuple[Wholes, Floats, int]:
    """Data sets from all laws, how likely each was to be drawn, and how many were: half come from the first law."""
    sizes = [size // 2, *[size // (2 * (len(laws) - 1))] * (len(laws) - 1)]
    draws = np.concatenate([law.draw(bits, each) for law, each in zip(laws, sizes, strict=True)])
    rows = draws[draws.min(axis=1) >= 0]
    logs = [math.log(each / sum(sizes)) + law.log_chance(rows) for law, each in zip(laws, sizes, strict=True)]
    return rows, np.logaddexp.reduce(np.stack(logs), axis=0), sum(sizes)


def _proposal(mechanism: Mechanism, output: Outcome) -> Proposal | None:
    """A law of data sets that could have led to an output: around what its factors point to, or the sampler's own."""
    factors, proposals = mechanism.kernel.factors(output), mechanism.kernel.proposals(output)
    if factors is not None:
        return NoiseProposal(factors, mechanism.space.n)
    return None if proposals is None else NearOutput(proposals)
