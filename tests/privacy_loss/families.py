"""The exponential family twice: as the library builds it, and from the definitions, with no code of the library."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

import discreet as dc
from discreet.mechanisms.exponential import Exponential
from discreet.posteriors.grid import grid
from discreet.posteriors.predictive import log_predictive
from discreet.privacy_loss.scan import DenseScan
from tests.oracles import mechanisms, sensitivity
from tests.oracles.precision import Exact, Real
from tests.oracles.spaces import Counts
from tests.support.enumeration import Enumeration, Floats

Kind = type[Exponential]

KINDS: tuple[Kind, ...] = (dc.ExponentialGlobal, dc.ExponentialLocal, dc.ExponentialSmooth, dc.ExponentialReciprocal)


def build(kind: Kind, space: dc.PosteriorSpace, gamma: object, **options: Any) -> Exponential:
    """A member of the family; γ goes only to those that have one."""
    make: Callable[..., Exponential] = kind
    if kind in (dc.ExponentialSmooth, dc.ExponentialReciprocal):
        return make(space, gamma=gamma, **options)
    return make(space, **options)


def oracle_sensitivities(kind: Kind, alpha: Sequence[Exact], n: int, gamma: Fraction) -> dict[Counts, Real]:
    """S of every data set with fifty digits, from the definitions."""
    local = sensitivity.locals_everywhere(alpha, n)
    if kind is dc.ExponentialGlobal:
        return dict.fromkeys(local, sensitivity.greatest(local))
    if kind is dc.ExponentialLocal:
        return local
    if kind is dc.ExponentialSmooth:
        return sensitivity.smooth_everywhere(local, gamma)
    return sensitivity.reciprocal_everywhere(local, gamma)


def oracle_kernel(kind: Kind, alpha: Sequence[Fraction], n: int, scale: Fraction, gamma: Fraction) -> mechanisms.Kernel:
    """All its laws with fifty digits, from the definitions."""
    return mechanisms.exponential_kernel(alpha, scale, oracle_sensitivities(kind, alpha, n, gamma))


def inverse_by_enumeration(kind: Kind, every: Enumeration, gamma: float) -> Floats:
    """1/S for every data set of a small space, by the definition of S."""
    local = every.local()
    if kind is dc.ExponentialGlobal:
        return np.full(len(local), 1 / local.max())
    if kind is dc.ExponentialLocal:
        return 1 / local
    smooth = every.smooth if kind is dc.ExponentialSmooth else every.reciprocal
    return 1 / smooth(local, gamma)


def log_pmf_by_enumeration(every: Enumeration, rates: Floats) -> Floats:
    """Log-probabilities of all outputs, a row for each data set."""
    logits = -rates[:, None] * every.hellinger
    log_pmf: Floats = logits - np.log(np.exp(logits).sum(axis=1))[:, None]
    return log_pmf


def members(space: dc.PosteriorSpace, scale: str = "0.5") -> list[Exponential]:
    """All four, those with a rate at several."""
    return [
        *(dc.ExponentialReciprocal(space, scale=scale, gamma=gamma) for gamma in ("1", "0.3", "0.1")),
        dc.ExponentialLocal(space, scale=scale),
        dc.ExponentialGlobal(space, scale=scale),
        dc.ExponentialSmooth(space, scale=scale),
        dc.ExponentialSmooth(space, scale=scale, gamma="0.1"),
    ]


def losses_of_pairs(mechanism: Exponential) -> Floats:
    """The loss of every pair (c, c+1) of a line, in both orders, by enumeration."""
    scan = DenseScan(mechanism.space)
    losses: Floats = np.abs(np.diff(scan.log_pmf(mechanism.rates(scan.rows)), axis=0)).max(axis=1)
    return losses


def mean_error(mechanism: dc.Mechanism) -> float:
    """The expected Hellinger distance under the prior predictive, from the mechanism's own laws."""
    space = mechanism.space
    rows, distances = space.candidates().array(), grid(space).all_distances()
    chances = np.exp([mechanism.log_pmf(row) for row in rows.tolist()])
    return float(np.exp(log_predictive(space.prior, rows)) @ (chances * distances).sum(axis=1))
