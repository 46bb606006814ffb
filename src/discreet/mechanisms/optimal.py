"""The best that any ε-DP mechanism on the candidates could do: a linear programme, a yardstick, never a release.

A solver's kernel satisfies its constraints only up to a tolerance, so it has no guarantee: `release` always refuses.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any, ClassVar, Literal, NoReturn

import numpy as np
from flint import arb

from discreet.arithmetic.arrays import Floats, Wholes
from discreet.arithmetic.numbers import ball
from discreet.errors import DiscreetError, NotPrivate
from discreet.mechanisms.base import Mechanism, read_epsilon, require_choice
from discreet.mechanisms.law import CandidateLaw, require_outcome
from discreet.mechanisms.postprocessing import WEIGHTINGS, Weighting, data_weights
from discreet.posteriors.distances import hellinger_matrix
from discreet.posteriors.space import PosteriorSpace, require_enumerable
from discreet.typing import Epsilon, Outcome

Objective = Literal["mean", "worst"]

_ROUNDED = 1e-12
"""What floats may have lost of a bound that is told in units of the order of 1."""

LARGEST = 256
"""Spaces with more candidates are refused: the programme has their square as variables."""


class KernelLaw(CandidateLaw):
    """One row of a kernel: floats, taken as the exact numbers that they are."""

    def __init__(self, space: PosteriorSpace, row: Floats) -> None:
        super().__init__(space)
        self._row = [Fraction(float(value)) for value in row]

    def log_weight(self, outcome: Outcome) -> arb:
        """The logarithm of the exact number; -∞ where the solver put none."""
        require_outcome(self.space, outcome)
        value = self._row[self.space.candidates().index(outcome)]
        return ball(value).log() if value else arb.neg_inf()


@dataclass(frozen=True, kw_only=True, init=False, repr=False)
class Optimal(Mechanism):
    """The linear programme's kernel, for the mean error (under the prior predictive, or uniform) or the worst.

    Under a cap the prior predictive holds every n up to it alike.

    >>> limit = Optimal(PosteriorSpace(prior=[1, 1], n=10), epsilon=1)
    >>> round(limit.error, 4)
    0.1746
    """

    name: ClassVar[str] = "optimal"
    of_private_n: ClassVar[bool] = True
    objective: Objective
    weighting: Weighting

    def __init__(
        self,
        space: PosteriorSpace,
        *,
        epsilon: Epsilon,
        objective: Objective = "mean",
        weighting: Weighting = "predictive",
    ) -> None:
        require_choice("objective", objective, ("mean", "worst"))
        require_choice("weighting", weighting, WEIGHTINGS)
        require_enumerable(space, limit=LARGEST)
        self._set(
            space=space,
            epsilon=read_epsilon(epsilon),
            guarantee=math.inf,
            guaranteed_by="a solver's kernel is ε-DP only up to its tolerance",
            objective=objective,
            weighting=weighting,
        )

    @property
    def error(self) -> float:
        """What no ε-DP mechanism on the candidates goes below, in Hellinger distance: the dual programme proves it."""
        return _solve(self.space, self.epsilon, self.objective, self.weighting)[1]

    def law(self, counts: object) -> KernelLaw:
        """The kernel's row for these counts."""
        rank = self.space.candidates().index(self.space.counts(counts))
        return KernelLaw(self.space, _solve(self.space, self.epsilon, self.objective, self.weighting)[0][rank])

    def release(self, counts: object, *, accept_no_guarantee: bool = False) -> NoReturn:
        """Always refused: the kernel is a yardstick."""
        raise NotPrivate("optimal is a yardstick without a guarantee", hint="release with geometric, which meets it")

    def parameters(self) -> dict[str, str]:
        """What is optimised."""
        return {"objective": self.objective, "weighting": self.weighting}


@lru_cache(maxsize=16)
def _solve(
    space: PosteriorSpace, epsilon: Fraction, objective: Objective, weighting: Weighting
) -> tuple[Floats, float]:
    """Minimise the error over kernels P with P(r|c) ≤ e^ε P(r|c') for adjacent c, c' and rows that sum to 1.

    Permuting categories of equal prior permutes the programme, so the average of a solution over all permutations
    is a solution: P need only be unknowns once for each orbit of pairs (c, r). A solver's tolerances are absolute, so
    errors are told in units of the best answer that ignores the data.
    """
    from scipy import optimize, sparse

    rows = space.candidates().array()
    cost = hellinger_matrix(space.prior, rows)
    weight = data_weights(space.prior, rows, weighting)
    weight /= weight.sum()  # under a cap, over all n
    unit = float((weight @ cost if objective == "mean" else cost.max(axis=0)).min())
    cost /= unit
    orbit = _orbits(space, rows)
    unknowns = int(orbit.max()) + 1
    # One data set for each orbit: its sum and its error stand for those of all its permutations.
    chosen = np.unique(orbit.diagonal(), return_index=True)[1]
    if objective == "mean":
        width, target = unknowns, np.zeros(unknowns)
        np.add.at(target, orbit.ravel(), (weight[:, None] * cost).ravel())
        private = _private(space, rows, orbit, epsilon, width)
    else:  # the last variable is at least every error
        width, target = unknowns + 1, np.append(np.zeros(unknowns), 1.0)
        values = np.append(cost[chosen], np.full((len(chosen), 1), -1.0), axis=1)
        columns = np.append(orbit[chosen], np.full((len(chosen), 1), unknowns), axis=1)
        below = _matrix(values, columns, width)
        private = sparse.vstack([_private(space, rows, orbit, epsilon, width), below]).tocsr()
    sums = _matrix(np.ones((len(chosen), len(rows))), orbit[chosen], width)
    solution = optimize.linprog(
        target,
        A_ub=private,
        b_ub=np.zeros(private.shape[0]),
        A_eq=sums,
        b_eq=np.ones(len(chosen)),
        bounds=(0, None),
        method="highs-ipm",
    )
    if solution.status != 0:
        raise DiscreetError("the linear programme was not solved", hint="try a smaller space")
    least = _dual_bound(target, private, sums, solution.ineqlin.marginals, solution.eqlin.marginals)
    return np.maximum(solution.x[:unknowns], 0.0)[orbit], unit * least


def _dual_bound(target: Floats, private: Any, sums: Any, prices: Floats, values: Floats) -> float:
    """A value that no solution goes below: Σy for any y and z ≥ 0 with y·sums - z·private ≤ target.

    The solver's y and z meet this up to its tolerance. Each y is lowered by what the columns of its row lack, and all
    are shrunk if the variable of the worst error, which is in no row, lacks something.
    """
    z = np.maximum(-prices, 0.0)
    loose = sums.sum(axis=0) == 0
    shrunk = max(1.0, float((-(private.T @ z) / np.where(target > 0, target, 1.0))[loose].max(initial=1.0)))
    y, z = values / shrunk, z / shrunk
    lacking = np.maximum(sums.T @ y - private.T @ z - target, 0.0)
    entries = sums.tocoo()
    lowered = np.zeros(len(y))
    np.maximum.at(lowered, entries.row, lacking[entries.col] / entries.data)
    return float((y - lowered).sum() * (1 - _ROUNDED))


def _private(space: PosteriorSpace, rows: Wholes, orbit: Wholes, epsilon: Fraction, width: int) -> Any:
    """P(r|c) - e^ε P(r|c') ≤ 0 for adjacent c, c', each orbit of them once."""
    rank, neighbours = space.candidates().index, space.adjacency.neighbours
    adjacent = [(i, rank(other)) for i, c in enumerate(map(tuple, rows)) for other in neighbours(c)]
    pairs = np.concatenate([np.stack([orbit[i], orbit[j]], axis=1) for i, j in adjacent])
    places = np.unique(pairs[pairs[:, 0] != pairs[:, 1]], axis=0)
    return _matrix(np.tile([1.0, -np.exp(float(epsilon))], (len(places), 1)), places, width)


def _orbits(space: PosteriorSpace, rows: Wholes) -> Wholes:
    """A number for each pair of candidates; swapping categories of equal prior leaves it as it is."""
    alpha, size = space.prior.parameters, len(rows)
    rank = {tuple(row): i for i, row in enumerate(rows.tolist())}
    swaps = []
    for value in set(alpha):
        same = [i for i, a in enumerate(alpha) if a == value]
        for i, j in itertools.pairwise(same):
            order = np.arange(space.k)
            order[[i, j]] = j, i
            swaps.append(np.array([rank[tuple(row)] for row in rows[:, order].tolist()]))
    label, before = np.arange(size * size).reshape(size, size), None
    while before is None or (label != before).any():
        before = label.copy()
        for swap in swaps:
            label = np.minimum(label, label[swap][:, swap])
    return np.unique(label, return_inverse=True)[1].reshape(size, size)


def _matrix(values: Floats, columns: Wholes, width: int) -> Any:
    """A sparse matrix whose rows have these values at these columns; values at the same place are added."""
    from scipy import sparse

    height = np.repeat(np.arange(len(values)), values.shape[1])
    return sparse.coo_array((values.ravel(), (height, columns.ravel())), shape=(len(values), width)).tocsr()
