"""The best that any ε-DP mechanism on the candidates could do: a linear programme, a yardstick, never a release.

A solver's kernel satisfies its constraints only up to a tolerance, so it has no guarantee: `release` always refuses.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NoReturn, Self

from discreet.distances import hellinger_floats
from discreet.draw import Bits, draw_choice
from discreet.errors import DiscreetError, InvalidInput, NotPrivate
from discreet.laws import CandidateLaw, Outcome, require_outcome
from discreet.mechanisms.base import Mechanism, asked_epsilon
from discreet.numbers import ball
from discreet.predictive import log_predictive
from discreet.space import PosteriorSpace, require_enumerable

if TYPE_CHECKING:
    import numpy as np
    from flint import arb
    from numpy.typing import NDArray

Objective = Literal["mean", "worst"]
Weighting = Literal["predictive", "uniform"]

LARGEST = 256
"""Spaces with more candidates are refused: the programme has their square as variables."""


class KernelLaw(CandidateLaw):
    """One row of a kernel: floats, taken as the exact numbers that they are."""

    def __init__(self, space: PosteriorSpace, row: NDArray[np.float64]) -> None:
        super().__init__(space)
        self._row = [Fraction(float(value)) for value in row]

    def log_weight(self, outcome: Outcome) -> arb:
        """The logarithm of the exact number; -∞ where the solver put none."""
        require_outcome(self.space, outcome)
        return ball(self._row[self.space.candidates().index(outcome)]).log()

    def log_total(self) -> arb:
        """The logarithm of the exact sum."""
        return ball(sum(self._row, Fraction(0))).log()

    def log_weights(self) -> NDArray[np.float64]:
        """All log-weights as floats."""
        import numpy as np

        with np.errstate(divide="ignore"):
            shown: NDArray[np.float64] = np.log(np.array([float(value) for value in self._row]))
        return shown

    def _draw(self, bits: Bits) -> Outcome:
        scale = math.lcm(*(value.denominator for value in self._row))
        sums, running = [], 0
        for value in self._row:
            running += value.numerator * (scale // value.denominator)
            sums.append(running)
        return self.space.candidates().unrank(draw_choice(bits, sums))


@dataclass(frozen=True, kw_only=True, init=False, repr=False)
class Optimal(Mechanism):
    """The linear programme's kernel, for the mean error (under the prior predictive, or uniform) or the worst.

    >>> limit = Optimal(PosteriorSpace(prior=[1, 1], n=10), epsilon=1)
    >>> round(limit.error, 4)
    0.1746
    """

    name: ClassVar[str] = "optimal"
    objective: Objective
    weighting: Weighting

    def __init__(
        self,
        space: PosteriorSpace,
        *,
        epsilon: object,
        objective: Objective = "mean",
        weighting: Weighting = "predictive",
    ) -> None:
        if objective not in ("mean", "worst"):
            raise InvalidInput("objective must be mean or worst", mend="leave it out for mean")
        if weighting not in ("predictive", "uniform"):
            raise InvalidInput("weighting must be predictive or uniform", mend="leave it out for predictive")
        require_enumerable(space, limit=LARGEST)
        self._set(
            space=space,
            epsilon=asked_epsilon(epsilon),
            guarantee=math.inf,
            guaranteed_by="a solver's kernel is ε-DP only up to its tolerance",
            objective=objective,
            weighting=weighting,
        )

    @classmethod
    def as_published(cls, space: PosteriorSpace, *, epsilon: object, **options: Any) -> Self:
        """The documents have no such mechanism: this is the default form."""
        return cls(space, epsilon=epsilon, **options)

    @property
    def error(self) -> float:
        """The least error that the programme found, in Hellinger distance."""
        return _solve(self.space, self.epsilon, self.objective, self.weighting)[1]

    def law(self, counts: object) -> KernelLaw:
        """The kernel's row for these counts."""
        rank = self.space.candidates().index(self.space.counts(counts))
        return KernelLaw(self.space, _solve(self.space, self.epsilon, self.objective, self.weighting)[0][rank])

    def log_pmf(self, counts: object) -> NDArray[np.float64]:
        """Log-probabilities of all candidates, in their order."""
        return self.law(counts).log_pmf()

    def release(self, counts: object, *, accept_no_guarantee: bool = False) -> NoReturn:
        """Always refused: the kernel is a yardstick."""
        raise NotPrivate("optimal is a yardstick without a guarantee", mend="release with geometric, which meets it")

    def parameters(self) -> dict[str, str]:
        """What is optimised."""
        return {"objective": self.objective, "weighting": self.weighting}


@lru_cache(maxsize=16)
def _solve(
    space: PosteriorSpace, epsilon: Fraction, objective: Objective, weighting: Weighting
) -> tuple[NDArray[np.float64], float]:
    """Minimise the error over kernels P with P(r|c) ≤ e^ε P(r|c') for adjacent c, c' and rows that sum to 1."""
    import numpy as np
    from scipy import optimize, sparse

    rows = space.candidates().array()
    size = len(rows)
    cost = np.stack([hellinger_floats(space.prior, row.tolist(), rows) for row in rows])
    rank = space.candidates().index
    pairs = [(i, rank(other)) for i, c in enumerate(map(tuple, rows)) for other in space.adjacency.neighbours(c)]
    one, other = np.array(pairs).T
    r = np.arange(size)
    here, there = (one[:, None] * size + r).ravel(), (other[:, None] * size + r).ravel()
    line = np.arange(here.size)
    values = np.concatenate([np.ones(here.size), np.full(here.size, -np.exp(float(epsilon)))])
    worst = objective == "worst"
    extra = 1 if worst else 0
    shape = (here.size, size * size + extra)
    private = sparse.csr_array((values, (np.tile(line, 2), np.concatenate([here, there]))), shape=shape)
    sums = sparse.csr_array(
        (np.ones(size * size), (np.repeat(r, size), np.arange(size * size))), shape=(size, size * size + extra)
    )
    limits = np.zeros(here.size)
    if worst:
        spread = sparse.csr_array(
            (
                np.concatenate([cost.ravel(), -np.ones(size)]),
                (
                    np.concatenate([np.repeat(r, size), r]),
                    np.concatenate([np.arange(size * size), np.full(size, size**2)]),
                ),
            ),
            shape=(size, size * size + 1),
        )
        private, limits = sparse.vstack([private, spread]).tocsr(), np.zeros(here.size + size)
        target = np.concatenate([np.zeros(size * size), [1.0]])
    else:
        weight = np.exp(log_predictive(space.prior, rows)) if weighting == "predictive" else np.full(size, 1 / size)
        target = (weight[:, None] * cost).ravel()
    found = optimize.linprog(
        target, A_ub=private, b_ub=limits, A_eq=sums, b_eq=np.ones(size), bounds=(0, None), method="highs-ipm"
    )
    if found.status != 0:
        raise DiscreetError("the linear programme was not solved", mend="try a smaller space")
    kernel = np.maximum(found.x[: size * size].reshape(size, size), 0.0)
    return kernel, float(found.fun)
