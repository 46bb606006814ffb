"""NL(c) = Σ_r exp(-s·H(c,r)/S(c)) on two categories of any n, for every c at once.

At one c the sum runs over the moves r - c: near ones singly, far ones in blocks of ratio 2^⅓, each from eight places
(`discreet.arithmetic.discrete_gauss_rule`); in a block the exponent changes by a third of itself at most, or is too
large to matter. As a function of c at a fixed move everything varies on the scale of the distance to the nearer end, so
ln NL is a polynomial for practical purposes on panels [x, 2x] from either end. It bends where 1/LS turns and where a
smoothed 1/S changes from one term to another; panels end there. What is left at five places that a panel's polynomial
has not seen is measured, doubled, and stated as the error of the panel; panels are halved while it is large. Nothing
here depends on the output, so it is worked out once for a mechanism.
"""

from __future__ import annotations

import numpy as np
from numpy.polynomial import chebyshev
from numpy.typing import NDArray

from discreet.arithmetic.arrays import Floats, Wholes
from discreet.arithmetic.discrete_gauss_rule import block_rule, gauss_rule
from discreet.arithmetic.growing_blocks import doubling_edges
from discreet.kernels.base import Logs
from discreet.mechanisms.exponential import Exponential
from discreet.posteriors.distances import second_difference
from discreet.sensitivity.vectorised import Steps

NEAR = 64
"""So many moves to either side are summed singly; and twice as many data sets at either end are not interpolated."""

_DEGREE, _SHARP, _HALVED = 14, 1e-8, 16
_UNSEEN = (-0.97, -0.53, 0.11, 0.62, 0.95)
_ROUNDING = 1e-11
_AT_ONCE = 1 << 10


class LineNormalisers:
    """ln NL on a line, exact near the ends and by panels between them."""

    def __init__(self, mechanism: Exponential) -> None:
        self.mechanism, self.n = mechanism, mechanism.space.n
        n, edge = self.n, min(2 * NEAR, self.n // 2 + 1)
        near = np.arange(edge + 1.0)
        self._ends = np.unique(np.concatenate([near, n - near]))
        self._end_values = self.directly(self._ends)
        first, second = mechanism.space.prior.alpha
        middle = min(max((n + second - first) / 2, edge), n - edge)
        self.bends = sorted({int(middle), *self._turns()})
        self._edges, self._series, self._errors = self._panels(edge, n - edge)

    def distances(self, c: Floats, move: Floats) -> Floats:
        """H between c and c + move."""
        first, second = self.mechanism.space.prior.alpha
        a, b = first + c, second + (self.n - c)
        gap = second_difference(a, a + move, move) + second_difference(b, b - move, move)
        return np.sqrt(-np.expm1(-0.5 * gap))

    def __call__(self, c: Floats) -> Logs:
        """ln NL(c), at whole numbers near the ends and anywhere between."""
        values = self._end_values[np.searchsorted(self._ends, c)]
        errors = np.full(len(c), _ROUNDING)
        if len(self._errors):
            inner = (c >= self._edges[0]) & (c <= self._edges[-1])
            # A bend belongs to the panel before it, and the next count to that after.
            panel = np.searchsorted(self._edges, c[inner], side="right") - 1 - np.isin(c[inner], self.bends)
            panel = np.clip(panel, 0, len(self._errors) - 1)
            low, high = self._edges[panel], self._edges[panel + 1]
            t = (2 * c[inner] - low - high) / (high - low)
            values[inner] = chebyshev.chebval(t, self._series[panel].T, tensor=False)
            errors[inner] += self._errors[panel]
        return Logs(values, errors)

    def directly(self, c: Floats) -> Floats:
        """ln NL at each c by its own sum."""
        logs = np.empty(len(c))
        for start in range(0, len(c), _AT_ONCE):
            part = c[start : start + _AT_ONCE]
            rate = self.mechanism.rates(np.stack([part, self.n - part], axis=1))
            total = 1 + self._side(part, rate, part, -1) + self._side(part, rate, self.n - part, 1)
            logs[start : start + _AT_ONCE] = np.log(total)
        return logs

    def _side(self, c: Floats, rate: Floats, room: Floats, sign: int) -> Floats:
        """The sum over the moves to one side."""

        def weight(at: NDArray[np.bool_], move: Floats) -> Floats:
            return np.exp(-rate[at, None] * self.distances(c[at, None], sign * move))

        total, long = np.zeros(len(c)), room >= 2 * NEAR
        few = np.arange(1.0, 2 * NEAR)
        if (~long).any():
            total[~long] = (weight(~long, np.minimum(few, room[~long, None])) * (few <= room[~long, None])).sum(axis=1)
        if not long.any():
            return total
        total[long] = weight(long, np.broadcast_to(few[:NEAR], (int(long.sum()), NEAR))).sum(axis=1)
        edges = doubling_edges(NEAR + 1, self.n)
        # Blocks that fit whole, but for the last of them, which takes the rest of the room.
        last = np.searchsorted(edges, room[long] + 1, side="right") - 2
        whole = int(last.max())
        at, times, block = block_rule(edges[:whole], np.diff(edges)[:whole])
        inside = block < last[:, None]
        total[long] += (weight(long, np.where(inside, at, 1.0)) * times * inside).sum(axis=1)
        at, times = gauss_rule(room[long] - edges[last] + 1)
        total[long] += (weight(long, edges[last][:, None] + at) * times).sum(axis=1)
        return total

    def _turns(self) -> list[int]:
        """The counts after which another term of a smoothed 1/S is the least, found by halving between many counts."""
        near = np.geomspace(1, self.n, 4096).astype(np.int64)
        grid = np.unique(np.concatenate([near, self.n - near]))
        which = self._least_term(grid)
        changes = np.flatnonzero(which[:-1] != which[1:])
        left, right, before = grid[changes], grid[changes + 1], which[changes]
        while len(left) and (right - left).max() > 1:
            middle = (left + right) // 2
            same = self._least_term(middle) == before
            left, right = np.where(same, middle, left), np.where(same, right, middle)
        return [int(place) for place in left]

    def _least_term(self, c: Wholes) -> Wholes:
        """Which term of 1/S is the least: the local one or one of the ends'."""
        steps = Steps(self.mechanism.space, np.stack([c, self.n - c], axis=1))
        terms = self.mechanism.inverse_terms(steps, self.mechanism.smoothing)
        least: Wholes = np.argmin(terms, axis=0)
        return least

    def _panels(self, low: int, high: int) -> tuple[Floats, Floats, Floats]:
        """The panels' edges, their polynomials in Chebyshev's form, and their errors."""
        if low >= high:
            none = np.empty(0)
            return none, none, none
        # From both ends, wherever 1/LS turns: a strong prior takes the turn to an end, but what ends there still ends.
        grown = np.minimum(low * (2.0 ** np.arange(64) - 1), 0.5 * (high - low))
        edges = np.concatenate([low + grown, high - grown, self.bends, np.add(self.bends, 1)])
        edges = np.unique(edges.clip(low, high))
        nodes = chebyshev.chebpts1(_DEGREE)
        fit, unseen = (chebyshev.chebvander(at, _DEGREE - 1) for at in (nodes, _UNSEEN))
        places, panels = np.concatenate([nodes, _UNSEEN]), list[Floats]()
        left, right = edges[:-1], edges[1:]
        for halving in range(_HALVED + 1):
            at = 0.5 * ((left + right)[:, None] + (right - left)[:, None] * places)
            values = self.directly(at.ravel()).reshape(at.shape)
            series = np.linalg.solve(fit, values[:, :_DEGREE].T).T
            gap = np.abs(series @ unseen.T - values[:, _DEGREE:]).max(axis=1)
            blurred = 8 * np.spacing(right) / (right - left)  # places are floats, and n may be large
            settled = (gap <= _SHARP + blurred) | (right - left <= 1) | (halving == _HALVED)
            panels.append(np.column_stack([left, right, 2 * gap, series])[settled])
            left, right = left[~settled], right[~settled]
            if not len(left):
                break
            centre = 0.5 * (left + right)
            left, right = np.concatenate([left, centre]), np.concatenate([centre, right])
        table = np.concatenate(panels)
        table = table[np.argsort(table[:, 0])]
        return np.append(table[:, 0], table[-1, 1]), table[:, 3:], table[:, 2]
