"""Bounds on the losses of a long line's rows, block by block: two categories, between the ends.

For adjacent rows c and c' = c+1 with rates a and a' the loss at the output r is at most

    min(a, a')·|H(c,r) - H(c',r)| + |a - a'|·H(·,r) + |ln NL - ln NL'|.

The outputs are taken in groups of growing distance x from the pair, and a block of rows [low, high] at once. What is
used of each part, with L = -ln BC and H = sqrt(1 - e^-L):

- L of a fixed offset lies between its values at the block's ends, category by category: a second difference of lnΓ
  with a fixed step falls with its argument. So H, and the weights, are bracketed.
- |H(c,r) - H(c',r)| ≤ H(c,c') by the triangle inequality; and by the mean value theorem it is at most
  (L(c',r) - L(c,r))·e^-L/(2H) at the nearer of the two, where the difference of L is at most
  ¼(x+1)·[ψ'(y₁) + ψ'(y₂)] at the least arguments, ψ'(y) ≤ 1/y + 1/(2y²) + 1/(6y³). It fades with the distance, where
  the second term is largest; so the first two terms are maximised together, group by group.
- ln NL - ln NL' is an average over offsets of a'H' - aH at the same offset. From one row to the next a second
  difference at the least argument z changes by at most the share κ = 1/(z+½), because ψ'(y+1) = ψ'(y) - 1/y² and
  ψ'(y) ≥ 1/y + 1/(2y²). The two categories change in opposite directions, so L changes by the greater share, and H by
  at most L/(2(e^L - 1)) of it: a half for near outputs, next to nothing for far ones. One offset at either end of the
  line belongs to only one of the rows and is added.

All this is done in floats whose relative error is below 1e-9 each (`discreet.posteriors.distances`); bounds are raised
by `_ROUND`. `tests/privacy_loss/test_interior_bounds.py` holds them to every pair of lines that can be enumerated.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from discreet.arithmetic.arrays import Floats, Wholes
from discreet.arithmetic.growing_blocks import growing_edges
from discreet.mechanisms.exponential import Exponential
from discreet.posteriors.distances import second_difference
from discreet.posteriors.space import PosteriorSpace
from discreet.sensitivity.vectorised import Steps

_SINGLE, _GROWTH = 64, 1.04
_ROUND = 9.9e-9
_NOISE = 1e-11
"""Rates are floats with this relative error or less: so the difference of two of them is known."""

_LISTED = 4096
"""The rates of a block of at most this many pairs are listed one by one."""


class Groups(NamedTuple):
    """Groups of offsets on one side (±1): the nearest and farthest of each, and the brackets of L over a block.

    `beyond` is at least L of the farthest from the other row of a pair, which is one record farther away.
    """

    side: int
    near: Wholes
    far: Wholes
    least: Floats
    most: Floats
    beyond: Floats


class InteriorBounds:
    """Bounds for the rows of one half of the line: from an end to the balanced count and a little beyond."""

    def __init__(self, space: PosteriorSpace, kind: type[Exponential], scale: float, gamma: float) -> None:
        self.space, self.kind, self.scale, self.gamma = space, kind, scale, gamma
        self.alpha = [float(parameter) for parameter in space.prior.parameters]
        balanced = (space.n + self.alpha[1] - self.alpha[0]) / 2
        self.last = min(space.n, max(0, math.ceil(balanced)) + 2)

    def bound(self, low: int, high: int) -> float:
        """A bound on the loss of every pair of neighbours between the rows low and high."""
        slow, fast, change = self._rates(low, high)
        groups = [self._groups(low, high, side) for side in (1, -1)]
        step = self._step(low, high)
        most = min(self.scale, fast * step)  # the outputs c and c' themselves, where one of the distances is 0
        for group in groups:
            bounds = self._distance_change(low, high, fast, step, group) + change * _distance(group.beyond)
            most = max(most, float(bounds.max()))
        return float((most + self._normalisers(low, high, slow, fast, change, groups)) * (1 + _ROUND))

    def beyond(self, c: int, below: int, above: int, change: float, offset: float) -> float:
        """A bound on the loss of the rows c and c+1 at all outputs farther below or above them than this.

        It is |(a' - a)·H' + a·(H' - H) + offset|, with the change of the rate and the offset of the normalisers given.
        """
        fast, step, most = float(self.rates(np.array([c, c + 1])).max()), self._step(c, c + 1), 0.0
        for side, reach in ((1, above), (-1, below)):
            group = self._groups(c, c + 1, side)
            ends = [np.abs(change * _distance(loss) + offset) for loss in (group.least, group.beyond)]
            bounds = (np.maximum(*ends) + self._distance_change(c, c + 1, fast, step, group))[group.far > reach]
            most = max(most, float(bounds.max(initial=0.0)))
        return most * (1 + _ROUND)

    def _distance_change(self, low: int, high: int, fast: float, step: float, group: Groups) -> Floats:
        """Bounds on a·|H' - H| at the outputs of each group: S ≥ LS ≥ H(c, c'), so it is never above s."""
        return np.minimum(fast * self._slopes(low, high, group), min(self.scale, fast * step))

    def _step(self, low: int, high: int) -> float:
        """A bound on H between neighbours."""
        return float(_distance(np.maximum(*(self._brackets(low, high, np.array([side]))[1] for side in (1, -1))))[0])

    def _slopes(self, low: int, high: int, group: Groups) -> Floats:
        """Bounds on |H(c,r) - H(c',r)| for outputs at distances near … far from the nearer of the two rows."""
        first, second = self._least_arguments(low - 1, high + 1, group.side, group.far / 2 + 1)
        gap = 0.25 * (group.far + 1) * (_trigamma_upper(first) + _trigamma_upper(second))
        bound: Floats = gap * np.exp(-group.least) / (2 * _distance(group.least))
        return bound

    def _normalisers(self, low: int, high: int, slow: float, fast: float, change: float, groups: list[Groups]) -> float:
        """A bound on |ln NL - ln NL'| of neighbours."""
        n = self.space.n
        total, moved, lost = 1.0, 0.0, 0.0
        for group in groups:
            shortest = n - high if group.side > 0 else low
            first, second = self._least_arguments(low, high, group.side, group.far)
            down, up = 1 / (first + 0.5), 1 / (second + 0.5)
            share = np.maximum(down, up / np.maximum(1 - up, 1e-9))
            near, far = _distance(group.least), _distance(group.most)
            # d ln H/d ln L at the lesser L of the two, where the share is taken of the greater.
            rest = np.maximum(1 - share, 1e-9)
            lesser = group.least * rest
            bend = np.where(lesser > 1e-9, 0.5 * lesser / np.expm1(np.minimum(lesser, 700.0) + 1e-300), 0.5)
            # Where that is looser than the brackets of H, they serve.
            height = np.minimum(far * bend * share / rest, far - near)
            weight = np.exp(-slow * near)
            moved += float(((group.far - group.near + 1) * weight * (fast * height + change * far)).sum())
            number = np.maximum(np.minimum(group.far, shortest) - group.near + 1, 0)
            total += float((number * np.exp(-fast * far)).sum())
            ends = self._brackets(low, high, np.array([group.side * (shortest + 1)]))[0]
            lost = max(lost, math.exp(-slow * float(_distance(ends)[0])))
        return moved / total + math.log1p(lost / total)

    def _groups(self, low: int, high: int, side: int) -> Groups:
        longest = self.space.n - low if side > 0 else high
        edges = distance_groups(longest)
        near, far = edges[:-1], edges[1:] - 1
        least, most = self._brackets(low, high, side * np.concatenate([near, far, far + 1]))
        size = len(near)
        return Groups(side, near, far, least[:size], most[size : 2 * size], most[2 * size :])

    def _brackets(self, low: int, high: int, offset: Wholes) -> tuple[Floats, Floats]:
        """The least and the largest L of an offset over the rows of the block, category by category."""
        n, (first, second) = self.space.n, self.alpha
        size = np.abs(offset)
        ends = []
        for c in (low, high):
            lesser = (
                first + np.maximum(c + np.minimum(offset, 0), 0),
                second + np.maximum(n - c - np.maximum(offset, 0), 0),
            )
            ends.append([second_difference(parameter, parameter + size, size) for parameter in lesser])
        (one_low, two_low), (one_high, two_high) = ends
        least: Floats = 0.5 * (np.minimum(one_low, one_high) + np.minimum(two_low, two_high))
        most: Floats = 0.5 * (np.maximum(one_low, one_high) + np.maximum(two_low, two_high))
        return least, most

    def _least_arguments(self, low: int, high: int, side: int, reach: Floats | Wholes) -> tuple[Floats, Floats]:
        """The least parameters of both categories over the block's rows and the outputs within reach on one side."""
        n, (first, second) = self.space.n, self.alpha
        below, above = (reach, 0) if side < 0 else (0, reach)
        return first + np.maximum(low - below, 0.0), second + np.maximum(n - high - above, 0.0)

    def steps(self, rows: Wholes) -> Steps:
        """What the sensitivities of these rows are made of."""
        return Steps(self.space, np.stack([rows, self.space.n - rows], axis=1))

    def _rates(self, low: int, high: int) -> tuple[float, float, float]:
        """The least and the greatest rate of the rows low … high, and a bound on |a - a'| between neighbours."""
        turns = [c for c in range(self.last - 6, self.last + 1) if low < c < high]  # about the balanced count
        components = self.kind.inverse_terms(self.steps(np.array([low, *turns, high])), self.gamma)
        slow = self.scale * min(float(part.min()) for part in components)
        fast = self.scale * min(float(part.max()) for part in components)
        change = min(self._change(low, high, components), fast - slow + _NOISE * fast)
        if high - low <= _LISTED:
            rates = self.rates(np.arange(low, high + 1))
            slow, fast = float(rates.min()), float(rates.max())
            change = min(change, float(np.abs(np.diff(rates)).max()) + _NOISE * fast)
        return slow, fast, change

    def rates(self, rows: Wholes) -> Floats:
        """a = s/S of these rows."""
        return self.scale * self.steps(rows).inverse(self.kind, self.gamma)

    def _change(self, low: int, high: int, components: list[Floats]) -> float:
        """A bound on |a - a'| between neighbours: the largest step of a component that can be the least one.

        1/LS steps by at most F' ≤ ½F(high)³·(ln g)'(low), with F² ≤ 8x + 1 and (ln g)' ≤ 1/(8x²).
        """
        if self.kind.constant:
            return 0.0
        x, y = self.alpha[0] + max(low - 1, 0), self.alpha[0] + high + 1
        steps = [0.5 * (8 * y + 1) ** 1.5 / (8 * x * x)]
        most = min(float(part.max()) for part in components)
        for part in components[1:]:
            if float(part.min()) <= most:
                steps.append(self.kind.smoothed_step(most, self.gamma))
        return self.scale * float(max(steps))


def _distance(loss: Floats) -> Floats:
    """H of L."""
    return np.sqrt(-np.expm1(-loss))


def _trigamma_upper(y: Floats) -> Floats:
    """At least ψ'(y): the series that alternates around it, cut after a positive term."""
    return (1 + (0.5 + 1 / (6 * y)) / y) / y


def distance_groups(longest: int) -> Wholes:
    """Group edges: single distances first, then groups that grow with the distance, up to and including the longest."""
    return growing_edges(1, longest, lambda at: int(at * _GROWTH) + 1 if at >= _SINGLE else at + 1)
