"""Noisy counts: whole-number noise that no data changes, added to the counts, and the candidates nearest to them.

Where n is public the noise sums to zero; where it is private each count has noise of its own.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from operator import add, sub
from typing import ClassVar

import numpy as np
from flint import arb

from discreet.arithmetic.arrays import Floats, Wholes
from discreet.arithmetic.numbers import ball
from discreet.errors import InvalidInput
from discreet.mechanisms.base import Mechanism
from discreet.mechanisms.law import Law
from discreet.mechanisms.postprocessing import nearest, nearest_within
from discreet.posteriors import Dirichlet
from discreet.posteriors.space import Counts
from discreet.samplers.bits import Bits
from discreet.samplers.noise import Noise
from discreet.typing import Outcome


class NoisyLaw(Law):
    """The weight of the noise z - c on every whole z that it can lead to: with the total of c, or on all."""

    def __init__(self, counts: Counts, noise: Noise) -> None:
        self.counts = counts
        self.noise = noise

    def log_weight(self, outcome: Outcome) -> arb:
        """That of z - c, a rational number."""
        moves = list(map(sub, outcome, self.counts))
        if len(outcome) != len(self.counts) or not self.noise.possible(moves):
            raise InvalidInput(
                "this is no noisy count of the space", hint="give k whole numbers, which sum to n if that is public"
            )
        return ball(self.noise.log_weight(moves))

    def log_total(self) -> arb:
        """The logarithm of the sum of all weights, which no data changes."""
        return self.noise.log_total()

    def _draw(self, bits: Bits) -> Outcome:
        return tuple(map(add, self.counts, self.noise.draw(bits)))

    def _draw_many(self, bits: Bits, size: int) -> Wholes:
        outputs: Wholes = self.noise.draw_many(bits, size) + np.array(self.counts)
        return outputs


@dataclass(frozen=True, kw_only=True, init=False, repr=False)
class NoisyCounts(Mechanism):
    """Noise on counts; a subclass says which, and by which theorem it is private."""

    of_private_n: ClassVar[bool] = True

    @property
    @abstractmethod
    def noise(self) -> Noise:
        """The law of z - c."""

    def law(self, counts: object) -> NoisyLaw:
        """The exact law on noisy counts."""
        return NoisyLaw(self.space.counts(counts), self.noise)

    def posterior(self, output: Outcome) -> Dirichlet:
        """The posterior that is published for noisy counts: of the candidate that they lead to."""
        return self.space.prior.update(self.postprocess(np.array([output]))[0].tolist())

    def postprocess(self, outputs: Wholes) -> Wholes:
        """The candidates that are nearest to rows of noisy counts."""
        sizes = self.space.adjacency.sizes
        return nearest(outputs, sizes["n"]) if "n" in sizes else nearest_within(outputs, sizes.get("cap"))

    def _log_pmf(self, noisy: Wholes, masses: Floats) -> Floats:
        """Log-probabilities of the released candidates, given those of rows of noisy counts, scaled up to 1."""
        logs = self._candidate_logs(noisy, masses)
        normalised: Floats = logs - np.logaddexp.reduce(logs)
        return normalised


def zero_sum_moves(k: int, reach: int) -> Wholes:
    """All whole v with Σv = 0 whose parts but the last are at most `reach` from 0, one per row."""
    grid = np.indices((2 * reach + 1,) * (k - 1)).reshape(k - 1, -1).T - reach
    return np.concatenate([grid, -grid.sum(axis=1, keepdims=True)], axis=1)
