"""Whether two axes of a table are independent: the Bayes factor, a mean over the posterior of the counts.

Nothing is sampled unless the table has too many data sets. `tests/inference/test_contrasts.py` compares with sums over
all data sets.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from discreet.arithmetic.arrays import Floats, Wholes
from discreet.errors import TooLarge
from discreet.inference.counts import SURE, Cells
from discreet.inference.posterior import NoiseAware
from discreet.inference.quantities import Estimate
from discreet.inference.share import distinct_posteriors
from discreet.testing import HashedBits

_DRAWS = 1 << 15


def bayes_factor(table: Sequence[Sequence[tuple[NoiseAware, Cells]]], seed: object = 0) -> Estimate:
    """p(release | rows and columns are independent) / p(release | they are not), for a table of single cells.

    The priors of the margins are those that the prior of the table implies: sums of its parameters. It is the mean of
    p(c | H0)/p(c | H1) over the posterior of the counts c under H1. Public groups, a posterior each, have fixed sizes.
    """
    posteriors = distinct_posteriors(posterior for row in table for posterior, _ in row)
    firsts = np.cumsum([0, *(posterior.k for posterior in posteriors)]).tolist()
    first = {id(posterior): at for posterior, at in zip(posteriors, firsts, strict=False)}
    cells = np.array([[first[id(posterior)] + cell for posterior, (cell,) in row] for row in table])
    alpha = np.concatenate([posterior.prior.alpha for posterior in posteriors])[cells]
    rows, chance, standard_errors = _data_sets(posteriors, seed)
    counts = rows[:, cells]
    logs = _log_dirmult(alpha.sum(axis=0), counts.sum(axis=1))
    if len(posteriors) > 1:
        logs = logs - sum(_log_dirmult(alpha[g], counts[:, g]) for g in range(len(alpha)))
    else:
        logs = logs - _log_dirmult(alpha.reshape(-1), counts.reshape(len(rows), -1))
        logs = logs + _log_dirmult(alpha.sum(axis=1), counts.sum(axis=2))
    ratios = np.exp(logs)
    value = float(chance @ ratios)
    spread = math.sqrt(max(float(chance @ (ratios - value) ** 2), 0.0))
    return Estimate(value, standard_errors * spread + max(p.error for p in posteriors) * float(ratios.max()))


def _data_sets(posteriors: Sequence[NoiseAware], seed: object) -> tuple[Wholes, Floats, float]:
    """All data sets and their probabilities, or draws of them: then the error in standard deviations of one draw."""
    if len(posteriors) == 1:
        try:
            return *posteriors[0].counts.listing(), 0.0
        except TooLarge:
            pass
    bits = HashedBits(f"bayes factor {seed}")
    rows = np.concatenate([posterior.counts.draw(bits, _DRAWS) for posterior in posteriors], axis=1)
    return rows, np.full(_DRAWS, 1 / _DRAWS), SURE / math.sqrt(_DRAWS)


def _log_dirmult(alpha: Floats, counts: NDArray[np.int64]) -> Floats:
    """ln B(α+c)/B(α) of each row."""
    after = gammaln(alpha + counts).sum(axis=1) - gammaln(alpha.sum() + counts.sum(axis=1))
    logs: Floats = after - gammaln(alpha).sum() + gammaln(alpha.sum())
    return logs
