"""Three categories or more and too many data sets to list: p(c | o) from drawn data sets, each weighed exactly.

Data sets come from several laws at once, half of them from the prior predictive and half from about the outputs
(`discreet.inference.proposal_laws`), by bits that are the same for every reader: two readers of a release agree. A data
set weighs P(o | c)·DirMult(c) over its chance of being drawn. P(o | c) is a column of the kernel, which works out
the exponential family's normaliser for each data set. As on a line, the least P(o | c) that was met is taken out first:
it leaves the prior as it is, which needs no draws.

With w the weights, a probability has a standard error of at most (1 - prior_weight)·sqrt(Σ w²), whatever is asked.
`error` is six of these, and on top the normaliser's own error, measured against a finer one. `mean_errors` are six
standard errors of each mean. Few large weights make a large error and are refused: no chain is run, and nothing is
stated that was not weighed. Because the prior is among the laws, no draw weighs more than 2P(o | c): no corner is out
of reach.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from discreet.arithmetic.arrays import Floats, Wholes
from discreet.errors import InvalidInput, TooLarge
from discreet.inference.counts import Weighed
from discreet.inference.proposal_laws import NearOutput, NoiseProposal, PriorPredictive, Proposal
from discreet.mechanisms import Mechanism
from discreet.posteriors import Dirichlet
from discreet.posteriors.predictive import log_predictive
from discreet.posteriors.space import PosteriorSpace
from discreet.samplers.bits import Bits
from discreet.testing import HashedBits
from discreet.typing import Outcome

ALLOWED = 0.25
"""What has a larger error is refused."""

SURE = 6.0
_DRAWS, _PILOT = 1 << 16, 1 << 11
_CELLS = 3 << 26
_LEAST_WEIGHT = 1e-3


class Sampled(Weighed):
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
        self.prior_weight, said = prior_weight, SURE * (1 - prior_weight)
        # A data set that was drawn t times is t draws of a t-th of its weight.
        squares = self.weights**2 / times[self._kept]
        self.error += said * float(np.sqrt(squares.sum()))
        if not self.error < ALLOWED:
            raise TooLarge("too few of the drawn data sets could have led to this output", hint="use geometric")
        shares = (prior.alpha + self.rows) / (prior.alpha.sum() + self.sizes)
        mean = prior_weight * prior.mean + (1 - prior_weight) * (self.weights @ shares)
        self.mean_errors = said * np.sqrt(squares @ (shares - mean) ** 2)


def sampled(about: Sequence[tuple[Mechanism, Outcome]], own: PosteriorSpace) -> Sampled | None:
    """The posterior given outputs about the same records; None if a law is known only by enumeration."""
    proposals = [_proposal(mechanism, output) for mechanism, output in about]
    known = [proposal for proposal in proposals if proposal is not None]
    if len(known) < len(proposals):
        return None
    bits = HashedBits(f"noise-aware {own.k} {own.n}")
    laws: list[Proposal] = [PriorPredictive(own.prior, own.n), *known]
    pilot, _, _ = _drawn(laws, _PILOT, bits)
    kernels = [mechanism.kernel.near(pilot) for mechanism, _ in about]
    draws = min(_DRAWS, max(_PILOT, _CELLS // sum(kernel.cost for kernel in kernels)))
    rows, log_chance, size = _drawn(laws, draws, bits)
    rows, first, times = np.unique(rows, axis=0, return_index=True, return_counts=True)
    columns = [kernel.column(output, rows) for kernel, (_, output) in zip(kernels, about, strict=True)]
    logs = np.sum([column.values for column in columns], axis=0)
    ratio = np.log(times) + log_predictive(own.prior, rows) - log_chance[first]
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
    return Sampled(rows, excess, times, prior=own.prior, prior_weight=prior_weight, error=error, method=method)


def _drawn(laws: Sequence[Proposal], size: int, bits: Bits) -> tuple[Wholes, Floats, int]:
    """Data sets from all laws, how likely each was to be drawn, and how many were: half come from the first law."""
    sizes = [size // 2, *[size // (2 * (len(laws) - 1))] * (len(laws) - 1)]
    drawn = np.concatenate([law.draw(bits, each) for law, each in zip(laws, sizes, strict=True)])
    rows = drawn[drawn.min(axis=1) >= 0]
    logs = [math.log(each / sum(sizes)) + law.log_chance(rows) for law, each in zip(laws, sizes, strict=True)]
    return rows, np.logaddexp.reduce(np.stack(logs), axis=0), sum(sizes)


def _proposal(mechanism: Mechanism, output: Outcome) -> Proposal | None:
    """A law of data sets that could have led to an output: about what its factors point to, or the sampler's own."""
    factors, proposals = mechanism.kernel.factors(output), mechanism.kernel.proposals(output)
    if factors is not None:
        return NoiseProposal(factors, mechanism.space.n)
    return None if proposals is None else NearOutput(proposals)
