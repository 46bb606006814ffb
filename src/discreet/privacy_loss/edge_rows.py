"""Losses of two categories beyond enumeration: rows near the ends one by one, everything between them in blocks.

The greatest loss of the Hellinger family sits near an end, where one record still matters. There the rows are scanned
as they are: outputs farther from c than a window have BC below 1e-34, so their weights are e^-a to the last float, and
a normaliser is a sum over the window plus their number times e^-a. Between the ends, blocks of rows are bounded
(`discreet.privacy_loss.interior_bounds`). The block with the largest bound is halved, down to one pair whose
normalisers are summed, until it is below the greatest loss found, or close to it and halving no longer helps, or
`MAX_HALVINGS` are used up. Then the largest bound is the certified loss, and `lower` is what is reached.
"""

from __future__ import annotations

import heapq
import math
from dataclasses import replace
from itertools import pairwise

import numpy as np
from flint import arb

from discreet.arithmetic.arrays import Floats, Wholes
from discreet.arithmetic.growing_blocks import growing_edges
from discreet.arithmetic.numbers import ball
from discreet.mechanisms.exponential import Exponential
from discreet.mechanisms.exponential_law import ExponentialLaw
from discreet.posteriors import Dirichlet
from discreet.posteriors.distances import hellinger_floats, log_affinity_floats
from discreet.posteriors.space import PosteriorSpace
from discreet.privacy_loss.certificates import WorstCase
from discreet.privacy_loss.interior_bounds import InteriorBounds
from discreet.privacy_loss.scan import margin

MIN_END_ROWS, MAX_END_ROWS = 300, 2000
"""Rows from each end that are scanned one by one: more where smoothing reaches farther, to where losses peak."""

MAX_END_CELLS = 1 << 26
"""An end whose rows have more weights than this in all is left to the blocks: with such a prior its rows are alike."""

MAX_HALVINGS = 1600
"""How many blocks are halved, or pairs summed, at the most: some ten seconds."""

_FLAT = 80.0
"""-ln BC beyond which a weight is e^-a: BC is below 2e-35."""

_NEGLIGIBLE = 42.0
"""Weights that sum to less than e to minus this are left out of a sum that is at least 1."""

_SHORT, _WIDEST = 1 << 16, 1 << 18
"""Shorter windows are not cut where weights are negligible; pairs with wider ones are not summed."""

_WORTH, _CLOSE = 1e-3, 2e-2
"""A block is halved while that lowers its bound by the first share, or while it is farther above than the second."""


def scan_ends(mechanism: Exponential) -> WorstCase:
    """Scan a space of two categories and any number of records."""
    scans = [_Scan(mechanism, side) for side in Side.both(mechanism.space)]
    ends = [scan.rows() for scan in scans]
    best = replace(max(ends, key=lambda end: end.loss), error=max(end.error for end in ends))
    heap = [scan.entry(at, *block) for at, scan in enumerate(scans) for block in scan.blocks()]
    heapq.heapify(heap)
    settled = -math.inf
    for _ in range(MAX_HALVINGS):
        if not heap or -heap[0][0] <= best.loss:
            break
        value, at, low, high = heapq.heappop(heap)
        if high - low == 1:
            pair = scans[at].pair(low)
            settled = max(settled, min(-value, pair.bound))
            best = pair if pair.loss > best.loss else best
            continue
        centre = (low + high) // 2
        halves = [scans[at].entry(at, *half) for half in ((low, centre), (centre, high))]
        if -value <= (1 + _CLOSE) * best.loss and min(half[0] for half in halves) <= value * (1 - _WORTH):
            settled = max(settled, -value)  # as sharp as it gets
            continue
        for half in halves:
            heapq.heappush(heap, half)
    return replace(best, bound=max(best.loss, settled, -heap[0][0] if heap else -math.inf))


class Side:
    """A line of two categories seen from the end where the first one is rare."""

    def __init__(self, space: PosteriorSpace, *, mirrored: bool = False) -> None:
        if mirrored:
            space = PosteriorSpace(prior=Dirichlet(space.prior.parameters[::-1]), n=space.n)
        self.space, self.mirrored = space, mirrored

    @classmethod
    def both(cls, space: PosteriorSpace) -> list[Side]:
        """The line from either end; from one of them where both look the same."""
        first, second = space.prior.parameters
        return [cls(space)] if first == second else [cls(space), cls(space, mirrored=True)]

    def distances(self, c: int, outputs: Wholes) -> Floats:
        """H between the row c and outputs."""
        n = self.space.n
        return hellinger_floats(self.space.prior, (c, n - c), np.stack([outputs, n - outputs], axis=1))

    def window(self, c: int, rate: float = 0.0) -> tuple[int, int]:
        """The first and the last output around row c beyond which weights are e^-a.

        Where that is far, those beyond which weights are negligible at this rate.
        """
        below, above = self._reach(c, -1), self._reach(c, 1)
        if rate and below + above > _SHORT:
            below, above = self._reach(c, -1, rate), self._reach(c, 1, rate)
        return c - below, c + above

    def _reach(self, c: int, side: int, rate: float = 0.0) -> int:
        enough = (_NEGLIGIBLE + math.log(self.space.n)) / rate if rate else math.inf
        n, reach = self.space.n, 64
        room = n - c if side > 0 else c
        while reach < room:
            output = c + side * reach
            loss = -float(log_affinity_floats(self.space.prior, (c, n - c), [(output, n - output)])[0])
            if loss >= _FLAT or math.sqrt(-math.expm1(-loss)) >= enough:
                break
            reach *= 2
        return min(reach, room)

    def pair(self, first: int) -> tuple[int, int]:
        """The counts of a row, in the order of the space that was asked about."""
        rest = self.space.n - first
        return (rest, first) if self.mirrored else (first, rest)


class _Scan:
    """The rows of one half of the line: one by one near the end, in blocks up to the balanced count."""

    def __init__(self, mechanism: Exponential, side: Side) -> None:
        self.side, self.n = side, side.space.n
        self.between = InteriorBounds(side.space, type(mechanism), float(mechanism.scale), mechanism.smoothing)
        self.last = self.between.last
        self.number = min(self.n, max(MIN_END_ROWS, min(int(1.2 * self._smoothed()) + 50, MAX_END_ROWS)))
        self.width = side.window(self.number)[1] + 1
        if (self.number + 1) * self.width > MAX_END_CELLS:
            self.number = 0

    def rows(self) -> WorstCase:
        """The greatest loss among the first rows."""
        if not self.number:
            return self.pair(0)
        rates, outputs = self.between.rates(np.arange(self.number + 1)), np.arange(self.width)
        best = WorstCase(error=margin(float(rates.max())))
        before: Floats | None = None
        for c in range(self.number + 1):
            log_weight, log_total = self._row(c, float(rates[c]), outputs)
            log_weight -= log_total
            if before is not None:
                best = best.or_greater((log_weight - before)[None], np.array([c]), np.array([c - 1]), self.side.pair)
            before = log_weight
        return best

    def pair(self, c: int) -> WorstCase:
        """The loss of the rows c and c+1 that is reached among the outputs that matter, and a bound on it at all."""
        rates = self.between.rates(np.array([c, c + 1]))
        slow, fast = float(rates.min()), float(rates.max())
        start, stop = self.side.window(c, slow)[0], self.side.window(c + 1, slow)[1]
        if stop - start > _WIDEST:
            return WorstCase(bound=math.inf, error=margin(fast))
        outputs = np.arange(start, stop + 1)
        (row, log_total), (other, other_log_total) = (self._row(c + i, float(rates[i]), outputs) for i in (0, 1))
        gap = row - other - (log_total - other_log_total)
        at = int(np.argmax(np.abs(gap)))
        loss = abs(float(gap[at]))
        ordered = (c, c + 1) if gap[at] > 0 else (c + 1, c)
        flat = (row[[0, -1]] == -rates[0]) & (other[[0, -1]] == -rates[1])
        below = self.n if start == 0 or flat[0] else c - start  # all beyond is like the last, or there is nothing
        above = self.n if stop == self.n or flat[1] else stop - c - 1
        beyond = self.between.beyond(c, below, above, float(rates[1] - rates[0]), other_log_total - log_total)
        counts, neighbour, output = (self.side.pair(x) for x in (*ordered, start + at))
        return WorstCase(loss, counts, neighbour, output, max(loss, beyond) + margin(fast), margin(fast))

    def entry(self, at: int, low: int, high: int) -> tuple[float, int, int, int]:
        """A block with its bound, largest first; `at` says whose it is."""
        return -self.between.bound(low, high), at, low, high

    def blocks(self) -> list[tuple[int, int]]:
        """All rows that are not scanned one by one."""
        return list(pairwise(growing_edges(self.number, self.last - 1, lambda at: int(at * 1.4)).tolist()))

    def _smoothed(self) -> int:
        """About how many rows have a smooth sensitivity that is larger than the local one: it ends where they cross."""
        low, high, kind, gamma = 0, self.last, self.between.kind, self.between.gamma
        while high - low > 1:
            row = (low + high) // 2
            steps = self.between.steps(np.array([row]))
            low, high = (row, high) if steps.inverse(kind, gamma)[0] < steps.local[0] else (low, row)
        return low

    def _row(self, c: int, rate: float, outputs: Wholes) -> tuple[Floats, float]:
        """Log-weights of outputs and the logarithm of the sum of all; the first and last stand for what is beyond."""
        log_weight = -rate * self.side.distances(c, outputs)
        weight = np.exp(log_weight)
        total = weight.sum() + int(outputs[0]) * weight[0] + (self.n - int(outputs[-1])) * weight[-1]
        return log_weight, math.log(total)


def enclose_ends(mechanism: Exponential, worst: WorstCase) -> arb:
    """The loss at the extreme that was found, enclosed from the laws themselves, at the working precision."""
    one, other = mechanism.law(worst.counts), mechanism.law(worst.neighbour)
    gap = one.log_weight(worst.output) - other.log_weight(worst.output)
    return gap - _enclosed_log_total(one) + _enclosed_log_total(other)


def _enclosed_log_total(law: ExponentialLaw) -> arb:
    """ln NL of a row: a window, and between e^-a and the weight at its end for each of the outputs beyond it, because
    H grows outward and ends at 1."""
    rate, side = law.rate(), Side(law.space)
    start, stop = side.window(law.counts[0], float(rate))
    weights = [law.log_weight(side.pair(x)).exp() for x in range(start, stop + 1)]
    least, beyond = (-rate).exp(), law.space.n - stop
    return (sum(weights, ball(0)) + start * least.union(weights[0]) + beyond * least.union(weights[-1])).log()
