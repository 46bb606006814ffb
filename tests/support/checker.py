"""Brute force: the greatest loss of a mechanism over all adjacent data sets and outputs, against what it claims.

The same checker judges the library's mechanisms and the planted faults: a check that cannot say no is none.
"""

from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from discreet.arithmetic.numbers import precision
from discreet.mechanisms import Geometric, Mechanism
from discreet.mechanisms.geometric import TAIL

TOLERANCE = 1e-9
"""What floats may add to a loss."""

BEYOND = 2
"""Noisy counts are followed this far beyond the candidates; further out the loss repeats itself."""


@dataclass(frozen=True)
class Verdict:
    """The greatest loss that was found, where, and what the mechanism says it is at most."""

    loss: float
    claimed: float
    counts: tuple[int, ...]
    neighbour: tuple[int, ...]

    @property
    def exceeds(self) -> bool:
        """Whether the loss exceeds what is claimed."""
        return not self.loss <= self.claimed + TOLERANCE


def check(mechanism: Mechanism) -> Verdict:
    """The exact loss on the candidates, and for a law of noisy counts on these too."""
    verdicts = []
    if isinstance(mechanism, Geometric):
        verdicts.append(_worst(mechanism, _noisy_laws(mechanism), 0.0))
    if not isinstance(mechanism, Geometric) or _sums_quickly(mechanism):
        left_out = TAIL if isinstance(mechanism, Geometric) and mechanism.space.k > 2 else 0.0
        verdicts.append(_worst(mechanism, kernel(mechanism), left_out))
    return max(verdicts, key=lambda verdict: (verdict.exceeds, verdict.loss))


def kernel(mechanism: Mechanism) -> NDArray[np.float64]:
    """log P(r|c) for all candidates c (rows) and r."""
    return np.stack([mechanism.log_pmf(c) for c in mechanism.space.candidates()])


def _noisy_laws(mechanism: Geometric) -> NDArray[np.float64]:
    """log P(z|c) for all c and all noisy counts z that leave the candidates by little, from the exact law."""
    n, k = mechanism.space.n, mechanism.space.k
    noisy = [(*z, n - sum(z)) for z in product(range(-BEYOND, n + BEYOND + 1), repeat=k - 1)]
    with precision(64):
        laws = [mechanism.law(c) for c in mechanism.space.candidates()]
        totals = [law.log_total() for law in laws]
        return np.array(
            [
                [float(law.log_weight(z) - total) for z in noisy if min(z) >= -BEYOND]
                for law, total in zip(laws, totals, strict=True)
            ]
        )


def _sums_quickly(mechanism: Geometric) -> bool:
    """Whether a pmf after the way back takes milliseconds: it sums noise out to about 40/ε in k-1 directions."""
    k = mechanism.space.k
    return k == 2 or (80 / mechanism.epsilon) ** (k - 1) <= 40_000


def _worst(mechanism: Mechanism, logs: NDArray[np.float64], left_out: float) -> Verdict:
    """The greatest difference between adjacent rows.

    An outcome that is possible for one row only has an infinite loss; one that is possible for neither has none. Where
    a pmf states that it leaves out some probability, a loss can be wrong by twice its share of the outcome.
    """
    rows = [tuple(c) for c in mechanism.space.candidates()]
    rank = {c: i for i, c in enumerate(rows)}
    pairs = [(i, rank[other]) for i, c in enumerate(rows) for other in mechanism.space.adjacency.neighbours(c)]
    one, other = np.array(pairs).T
    here, there = logs[one], logs[other]
    possible = np.isfinite(here)
    loss = np.where(possible, here - np.where(possible, there, 0.0), -np.inf)
    if left_out:
        loss -= 2 * left_out * np.exp(-np.minimum(here, there))
    at = int(loss.max(axis=1).argmax())
    return Verdict(float(loss.max()), float(mechanism.guarantee), rows[one[at]], rows[other[at]])
