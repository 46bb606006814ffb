"""The geometric mechanism: noise on whole counts. Exactly ε-DP, and the default.

Where n is public, P(z | c) ∝ exp(-ε·‖z-c‖₁/2) over whole numbers z with Σz = n. Replacing a record moves c by 2 in L1,
so the loss is at most ε, and it is reached. Where n is private, P(z | c) ∝ exp(-ε·‖z-c‖₁) over all whole z: each count
has noise of its own, and adding or removing a record moves one of them by 1. The noisy counts z are the output and are
published; the post-processing to a posterior looks at z alone (`discreet.mechanisms.postprocessing`) and costs no
privacy. Tests: `tests/mechanisms/test_geometric.py`, `tests/mechanisms/test_private_n.py`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, Literal, Self

import numpy as np

from discreet.arithmetic.arrays import Floats, Wholes
from discreet.errors import InvalidInput, TooLarge
from discreet.mechanisms.base import choose_postprocess, read_epsilon, require_choice
from discreet.mechanisms.loss_pairs import GeometricPair, LossPair
from discreet.mechanisms.noisy_counts import NoisyCounts, zero_sum_moves
from discreet.mechanisms.postprocessing import (
    POSTPROCESSES,
    WEIGHTINGS,
    Postprocess,
    Weighting,
    bayes,
    free,
    require_weighable,
)
from discreet.posteriors import Dirichlet
from discreet.posteriors.space import Counts, PosteriorSpace
from discreet.samplers.noise import CountNoise, independent, zero_sum
from discreet.typing import Epsilon, Outcome

TAIL = 1e-14
"""The probability of noise that `Geometric.log_pmf` leaves out for k ≥ 3 is at most this."""

_MAX_NOISE = 1 << 22


@dataclass(frozen=True, kw_only=True, init=False, repr=False)
class Geometric(NoisyCounts):
    """Noisy counts with the same total, and their post-processing: `nearest` (default), `bayes` or `free`.

    >>> mechanism = Geometric(PosteriorSpace(prior=[1, 1, 1], n=150), epsilon=0.5)
    >>> mechanism.guarantee
    Fraction(1, 2)
    >>> mechanism.posterior((70, -2, 82))
    Dirichlet([70, 1, 82])

    Of a space with a private n each count has noise of its own, and nothing tells their total.

    >>> Geometric(PosteriorSpace(prior=[1, 1, 1], n=None), epsilon=0.5).posterior((70, -2, 82))
    Dirichlet([71, 1, 83])
    """

    name: ClassVar[str] = "geometric"
    postprocessing: Postprocess
    weighting: Weighting

    def __init__(
        self,
        space: PosteriorSpace,
        *,
        epsilon: Epsilon,
        postprocess: Postprocess = "nearest",
        weighting: Weighting = "predictive",
        way: Postprocess | Literal[""] = "",
    ) -> None:
        postprocessing = choose_postprocess(postprocess, way, POSTPROCESSES)
        require_choice("weighting", weighting, WEIGHTINGS)
        epsilon = read_epsilon(epsilon)
        if postprocessing != "nearest":
            require_weighable(space, epsilon)
        self._set(
            space=space,
            epsilon=epsilon,
            guarantee=epsilon,
            guaranteed_by=f"{space.adjacency.change}, and weights are exp(-ε‖z-c‖₁{_per(space.adjacency.moved)})",
            postprocessing=postprocessing,
            weighting=weighting,
        )

    @classmethod
    def at_full_loss(cls, space: PosteriorSpace, *, epsilon: Epsilon) -> Self:
        """The default form, whose loss is ε."""
        return cls(space, epsilon=epsilon)

    @property
    def noise(self) -> CountNoise:
        """The law of z - c."""
        adjacency = self.space.adjacency
        return (zero_sum if adjacency.keeps_total else independent)(self.epsilon / adjacency.moved, self.space.k)

    def loss_pairs(self) -> tuple[LossPair, ...]:
        """Its noise is the same for all data, so every pair of neighbours has the same losses.

        An added or removed record tells in one count alone, and its losses are those of two categories.
        """
        return (GeometricPair(self.epsilon, self.space.k if self.space.adjacency.keeps_total else 2),)

    def posterior(self, output: Outcome) -> Dirichlet:
        """The posterior that is published for noisy counts."""
        if self.postprocessing == "free":
            return free(self.space, self.epsilon, output, self.weighting)
        return super().posterior(output)

    def postprocess(self, outputs: Wholes) -> Wholes:
        """The candidates that rows of noisy counts lead to, by `nearest` or `bayes`."""
        if self.postprocessing == "nearest":
            return super().postprocess(outputs)
        return bayes(self.space, self.epsilon, outputs, self.weighting)

    @property
    def way(self) -> Postprocess:
        """The former name of `postprocessing`."""
        return self.postprocessing

    def way_back(self, noisy: Wholes) -> Wholes:
        """The former name of `postprocess`."""
        return self.postprocess(noisy)

    def log_pmf(self, counts: object) -> Floats:
        """Log-probabilities of the released candidates, in their order, by summing over noise.

        For two categories the sum runs over all noise, in closed form beyond the ends. For more, noise of probability
        `TAIL` in all is left out, and what was summed is scaled up to 1.
        """
        if self.postprocessing == "free":
            raise InvalidInput(
                "the free post-processing leaves the candidates", hint="use nearest or bayes for a pmf on them"
            )
        if not self.space.adjacency.keeps_total:
            raise InvalidInput("a pmf on candidates needs a public n", hint="use law, which has all noisy counts")
        checked = self.space.counts(counts)
        return self._log_pmf(*(self._noisy_two(checked) if self.space.k == 2 else self._noisy_many(checked)))

    def _noisy_two(self, counts: Counts) -> tuple[Wholes, Floats]:
        """Noisy counts from 0 to n; the first and the last stand for all beyond them, which lead to the same."""
        candidates = self.space.candidates().array()
        rate = float(self.epsilon)
        far = np.abs(candidates[:, 0] - counts[0])
        inside = np.log(np.tanh(rate / 2)) - rate * far
        beyond = -rate * far - np.log1p(np.exp(-rate))
        return candidates, np.where((candidates == 0).any(axis=1), beyond, inside)

    def _noisy_many(self, counts: Counts) -> tuple[Wholes, Floats]:
        moves, norms = noise_vectors(self.space.k, self.noise_radius(self.space.n))
        return moves + np.array(counts, dtype=np.int64), -float(self.epsilon) / 2 * norms.astype(np.float64)

    def noise_radius(self, least: int) -> int:
        """The first T from `least` on such that noise with ‖v‖₁ > 2T has probability at most `TAIL`, by a ratio bound.

        Within n of it every candidate is reached from every other.
        """
        k, square = self.space.k, math.exp(-float(self.epsilon))
        log_total = float(self.noise.log_total())
        t = least - 1
        while True:
            t += 1
            _require_noise(k, t // 4)  # a radius far beyond what can be summed is not worth finding
            # C(t+k-1,k-1)² counts pairs (gains, losses) and so at least the vectors with ‖v‖₁ = 2t.
            log_term = 2 * (math.lgamma(t + k) - math.lgamma(k) - math.lgamma(t + 1)) - float(self.epsilon) * t
            ratio = ((t + k) / (t + 1)) ** 2 * square
            if ratio < 1 and log_term - math.log1p(-ratio) - log_total < math.log(TAIL):
                return t

    def parameters(self) -> dict[str, str]:
        """The post-processing."""
        weighting = {} if self.postprocessing == "nearest" else {"weighting": self.weighting}
        return {"way": self.postprocessing, **weighting}


def _per(moved: int) -> str:
    return "" if moved == 1 else f"/{moved}"


def noise_vectors(k: int, radius: int) -> tuple[Wholes, Wholes]:
    """All whole v with Σv = 0 and ‖v‖₁ ≤ 2·radius, and their norms."""
    _require_noise(k, radius)
    moves = zero_sum_moves(k, radius)
    norms = np.abs(moves).sum(axis=1)
    inside = norms <= 2 * radius
    return moves[inside], norms[inside]


def _require_noise(k: int, radius: int) -> None:
    if (k - 1) * math.log(2 * radius + 1) > math.log(_MAX_NOISE):
        raise TooLarge(
            f"a pmf after the post-processing would sum over more than {_MAX_NOISE:,} noises",
            hint="use fewer records or categories, or a larger epsilon; drawing needs no sum",
        )
