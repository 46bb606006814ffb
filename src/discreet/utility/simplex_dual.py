"""A dual solution on all candidates of a small space: it often proves that tight's error is the least there is.

With K(c, z) = e^(-ε·d(c, z)) and h(z) the least Σ_c K(c, z)·p(c)·H(c, r) over r, y = K⁻¹h has the sum of tight's mean
error with Bayes post-processing. It is a solution of the dual programme (`discreet.utility.least_error`) if for every r
what is left of a(c) = p(c)·H(c, r) - y(c) can be moved towards one data set m: f(c) ≥ x·f(c') for a neighbour c' that
is nearer to m, so a share of what is left at c is worth x times as much at c'. V(c) = a(c) + x·Σ shares of V, from the
farthest in; if V ≥ 0 everywhere, the inequality holds for r. Shares are equal, or where that fails, those of a linear
programme: any will do, and V is computed from them with every step rounded down. `moves` keeps them, and a test checks
them again in balls.
"""

from __future__ import annotations

import itertools
from functools import cached_property
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from discreet.arithmetic.arrays import Floats, Wholes
from discreet.posteriors.distances import hellinger_floats
from discreet.posteriors.predictive import log_predictive
from discreet.posteriors.space import PosteriorSpace, orbits
from discreet.privacy_loss.scan import neighbour_pairs

_DOWN, _NEAR = 2.0**-50, 1e-10
_SLACKS = (1e-9, 1e-7, 1e-5)

Edges: TypeAlias = tuple[Wholes, Wholes]
"""From data sets to neighbours, by their ranks; the farthest first."""


class Moves(NamedTuple):
    """How what is left is moved to one data set: along which edges, and in which proportions."""

    centre: int
    edges: Edges
    shares: Floats


class SimplexDual:
    """y for every data set of a space, checked for one r of every orbit."""

    def __init__(self, space: PosteriorSpace, epsilon: float) -> None:
        self.space, self.x = space, float(np.exp(-epsilon))
        self.rows = space.candidates().array()
        self._steps = np.abs(self.rows[:, None, :] - self.rows[None, :, :]).sum(axis=2) // 2
        predictive = np.exp(log_predictive(space.prior, self.rows))
        distances = np.stack([hellinger_floats(space.prior, row.tolist(), self.rows) for row in self.rows])
        self._errors = predictive[:, None] * distances
        """p(c)·H(c, r): a row for each c, a column for each r."""
        self.moves: dict[int, Moves] = {}
        """Those that hold for each r that was looked at."""
        self._kernel: Floats = self.x**self._steps
        self._neighbours = neighbour_pairs(space, np.arange(len(self.rows)))

    @cached_property
    def _costs(self) -> Floats:
        """Σ_c K(c, z)·p(c)·H(c, r): a row for each z, a column for each r."""
        return self._kernel @ self._errors

    @cached_property
    def proposal(self) -> Floats:
        """y = K⁻¹h."""
        return np.linalg.solve(self._kernel, self._costs.min(axis=1))

    def bound(self) -> float:
        """Σ y of the solution."""
        return float(self.solution.sum())

    @cached_property
    def solution(self) -> Floats:
        """The proposal, lowered by what the worst r lacks: moves that hold for y and for 0 hold for all between."""
        slack = max(self._lacking(int(r)) for r in np.unique(orbits(self.space)))
        return (1 - slack) * self.proposal if slack < 1 else np.zeros(len(self.rows))

    def _lacking(self, r: int) -> float:
        """The least share, of those tried, by which y is to be lowered for this r."""
        for m in self._centres(r):
            edges = self._edges(m)
            self.moves[r] = Moves(m, edges, np.ones(len(edges[0])))
            if self._holds(r, self.moves[r], _SLACKS[0]):
                return _SLACKS[0]
        for m in self._centres(r)[:1]:
            edges = self._edges(m)
            shares, needed = self._programme(r, m, edges)
            self.moves[r] = Moves(m, edges, shares)
            for slack in _SLACKS:
                if self._holds(r, self.moves[r], needed + slack):
                    return needed + slack
        return 1.0

    def _centres(self, r: int) -> list[int]:
        """Where to move to: the z that lead to r, or else r itself."""
        leading = np.flatnonzero(self._costs.argmin(axis=1) == r)
        return leading[np.argsort(self._steps[leading, r])][:4].tolist() if len(leading) else [r]

    def _edges(self, m: int) -> Edges:
        """From each data set to its neighbours that are nearer to m, the farthest first."""
        source, target = self._neighbours
        nearer = self._steps[target, m] < self._steps[source, m]
        source, target = source[nearer], target[nearer]
        order = np.argsort(-self._steps[source, m], kind="stable")
        return source[order], target[order]

    def _holds(self, r: int, moves: Moves, slack: float) -> bool:
        """Whether V ≥ 0 everywhere, with every sum rounded down."""
        m, (source, target), shares = moves
        y = (1 - slack) * self.proposal
        left = self._errors[:, r] * (1 - _NEAR) - y - _DOWN * np.abs(y)
        total_share = np.bincount(source, shares, len(left))
        share = shares / np.where(total_share > 0, total_share, 1.0)[source] * (1 - 4 * _DOWN)
        steps = self._steps[source, m]
        starts = np.flatnonzero(np.diff(steps, prepend=-1))
        for start, stop in itertools.pairwise([*starts.tolist(), len(steps)]):
            part = slice(start, stop)
            at = source[part]
            if (left[at] < 0).any():
                return False
            gain = np.bincount(target[part], self.x * left[at] * share[part], len(left))
            left = left + gain * (1 - len(steps) * _DOWN) - _DOWN * np.abs(left)
        return bool(left[m] >= 0)

    def _programme(self, r: int, m: int, edges: Edges) -> tuple[Floats, float]:
        """The shares that a solver finds for the least slack, and that slack."""
        from scipy import optimize, sparse

        source, target = edges
        size, number, y = len(self.rows), len(source), self.proposal
        scale = np.abs(self._errors[:, r]).max()
        every = np.arange(number)
        out = sparse.coo_array((np.ones(number), (source, every)), shape=(size, number + 1))
        into = sparse.coo_array((np.full(number, self.x), (target, every)), shape=(size, number + 1))
        lowered = sparse.coo_array((y / scale, (np.arange(size), np.full(size, number))), shape=(size, number + 1))
        cost = np.zeros(number + 1)
        cost[-1] = 1.0
        solution: Any = optimize.linprog(
            cost, A_ub=(out - into - lowered).tocsr(), b_ub=(self._errors[:, r] - y) / scale, bounds=(0, None)
        )
        if solution.status != 0:
            return np.ones(number), 1.0
        return np.maximum(solution.x[:-1], 0.0), float(solution.x[-1])
