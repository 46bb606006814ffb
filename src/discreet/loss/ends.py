"""Losses of two categories beyond enumeration: rows near the ends one by one, everything between them in blocks.

The greatest loss of the Hellinger family sits near an end, where one record still matters. There the rows are scanned
as they are: outputs farther from c than a window have BC below 1e-34, so their weights are e^-a to the last float, and
a normaliser is a sum over the window plus their number times e^-a. Between the ends, adjacent rows lose at most

    min(a, a')·H(c,c') + |a - a'| + |ln NL - ln NL'|          (a = s/S(c))

and over a block of rows each term is bounded by values at the block's ends: a second difference of lnΓ with a fixed
step falls with its argument, every component of 1/S is monotone between an end and the balanced count, and outputs are
taken in groups of growing distance whose weights lie between those of their ends. The block with the largest bound is
halved until it is below the greatest loss found, or until halving no longer helps: then the largest bound is the
certified loss, and `lower` is what is reached.
"""

from __future__ import annotations

import heapq
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from discreet.distances import second_difference
from discreet.loss.rates import Steps
from discreet.mechanisms.exponential import Exponential, ExponentialGlobal, ExponentialLaw, ExponentialSmooth
from discreet.numbers import ball
from discreet.posteriors import Dirichlet
from discreet.space import PosteriorSpace

if TYPE_CHECKING:
    import numpy as np
    from flint import arb
    from numpy.typing import NDArray

ROWS = 300
"""Rows from each end that are scanned one by one."""

_FLAT = 80.0
"""-ln BC beyond which a weight is e^-a: BC is below 2e-35."""

_SINGLE, _GROWTH = 64, 1.04
_HALVINGS = 800
_WORTH = 2e-3
"""A block is halved while that lowers its bound by this share."""


@dataclass(frozen=True, slots=True)
class Found:
    """The greatest loss that is reached, where, and a bound on all others."""

    loss: float
    bound: float
    counts: tuple[int, int]
    neighbour: tuple[int, int]
    output: tuple[int, int]


def scan_ends(mechanism: Exponential) -> Found:
    """Scan a space of two categories and any number of records."""
    space = mechanism.space
    sides = [_Side(mechanism, space)]
    first, second = space.prior.parameters
    if first != second:
        sides.append(_Side(mechanism, PosteriorSpace(prior=Dirichlet([second, first]), n=space.n), mirrored=True))
    best = max((side.rows() for side in sides), key=lambda found: found.loss)
    bound = max([best.loss, *(side.middle(best.loss) for side in sides)])
    return Found(best.loss, bound, best.counts, best.neighbour, best.output)


class _Side:
    """One half of the line: counts of the first category from 0 to the balanced count and a little beyond."""

    def __init__(self, mechanism: Exponential, space: PosteriorSpace, *, mirrored: bool = False) -> None:
        self.space, self.mirrored = space, mirrored
        self.kind, self.scale = type(mechanism), float(mechanism.scale)
        self.gamma = float(getattr(mechanism, "gamma", 0))
        self.alpha = [float(parameter) for parameter in space.prior.parameters]
        balanced = (space.n + self.alpha[1] - self.alpha[0]) / 2
        self.last = min(space.n, max(0, math.ceil(balanced)) + 2)

    def rows(self) -> Found:
        """The greatest loss among the first rows."""
        import numpy as np

        count = min(ROWS, self.space.n)
        rates = self.scale * self._steps(np.arange(count + 1)).inverse(self.kind, self.gamma)
        reach = self._window(count)
        outputs = np.arange(reach + 1)
        best = Found(-math.inf, -math.inf, (0, 0), (0, 0), (0, 0))
        before: NDArray[np.float64] | None = None
        for c in range(count + 1):
            log_pmf = self._row(c, float(rates[c]), outputs)
            if before is not None:
                gap = log_pmf - before
                for sign, here, there in ((1, c, c - 1), (-1, c - 1, c)):
                    at = int(np.argmax(sign * gap))
                    if sign * gap[at] > best.loss:
                        best = Found(sign * float(gap[at]), math.nan, *(self._pair(x) for x in (here, there, at)))
            before = log_pmf
        return best

    def middle(self, known: float) -> float:
        """A bound on the losses of all later rows, made as small as `known` if it can be."""
        start = min(ROWS, self.space.n)
        if start >= self.last:
            return -math.inf
        heap = [(-self._bound(low, high), low, high) for low, high in self._blocks(start)]
        heapq.heapify(heap)
        settled = -math.inf
        for _ in range(_HALVINGS):
            if not heap or -heap[0][0] <= known:
                break
            value, low, high = heapq.heappop(heap)
            centre = (low + high) // 2
            parts = [(-self._bound(*part), *part) for part in ((low, centre), (centre, high))] if centre > low else []
            if not parts or min(part[0] for part in parts) <= value * (1 - _WORTH):
                settled = max(settled, -value)  # as sharp as it gets
                continue
            for part in parts:
                heapq.heappush(heap, part)
        return max([settled, *(-value for value, _, _ in heap)])

    def _blocks(self, start: int) -> list[tuple[int, int]]:
        found, low = [], start
        while low < self.last:
            high = min(self.last, max(low + 1, int(low * 1.1)))
            found.append((low, high))
            low = high
        return found

    def _row(self, c: int, rate: float, outputs: NDArray[np.int64]) -> NDArray[np.float64]:
        """Log-probabilities of the outputs up to the window's end; the last stands for all beyond it."""
        import numpy as np

        n = self.space.n
        loss = self._loss(c, outputs)
        log_weight = -rate * np.sqrt(-np.expm1(-loss))
        total = np.exp(log_weight).sum() + (n - int(outputs[-1])) * math.exp(-rate)
        shown: NDArray[np.float64] = log_weight - math.log(total)
        return shown

    def _loss(self, c: int, outputs: NDArray[np.int64]) -> NDArray[np.float64]:
        """-ln BC between the row c and outputs."""
        n, (first, second) = self.space.n, self.alpha
        step = outputs - c
        total: NDArray[np.float64] = 0.5 * (
            second_difference(first + c, first + outputs, step)
            + second_difference(second + (n - c), second + (n - outputs), step)
        )
        return total

    @staticmethod
    def window_of(space: PosteriorSpace, count: int, near: int) -> int:
        """How far the weights of a row differ from e^-a, counted in its rare category."""
        import numpy as np

        alpha = [float(parameter) for parameter in space.prior.parameters]
        first, second = alpha[near], alpha[1 - near]
        reach = 64
        while count + reach < space.n:
            step = np.array([reach])
            loss = second_difference(first + count, first + count + step, step)
            loss = loss + second_difference(second + space.n - count, second + space.n - count - step, step)
            if 0.5 * float(loss[0]) >= _FLAT:
                break
            reach *= 2
        return min(space.n, count + reach)

    def _window(self, c: int) -> int:
        """An output so far above row c that BC is negligible, or n."""
        return self.window_of(self.space, c, 0)

    def _bound(self, low: int, high: int) -> float:
        """A bound on the loss of every pair of neighbours between the rows low and high."""
        import numpy as np

        rows = np.array([low, high])
        components = self._components(rows)
        least = self.scale * min(float(part.min()) for part in components)
        most = self.scale * min(float(part.max()) for part in components)
        lower, upper = self._normalisers(low, high, least, most)
        _, farthest = self._losses(low, high, np.array([1]))
        near = min(self.scale, float(most) * math.sqrt(-math.expm1(-float(farthest[0]))))  # S ≥ LS, so never above s
        return float((near + self._change(low, high, components) + math.log(upper / lower)) * (1 + 1e-9))

    def _components(self, rows: NDArray[np.int64]) -> list[NDArray[np.float64]]:
        """What 1/S is the least of, each of them monotone over the block, at the block's ends."""
        import numpy as np

        steps = self._steps(rows)
        if self.kind is ExponentialGlobal:
            return [steps.inverse(self.kind, 0.0)]
        far = [] if self.gamma == 0 else steps.far()
        if self.kind is ExponentialSmooth:
            return [steps.local, *(inverse * np.exp(np.minimum(self.gamma * d, 700.0)) for inverse, d in far)]
        return [steps.local, *(inverse + self.gamma * d for inverse, d in far)]

    def _change(self, low: int, high: int, components: list[NDArray[np.float64]]) -> float:
        """A bound on |a - a'| between neighbours: the largest step of a component that can be the least one.

        1/LS steps by at most F' ≤ ½F(high)³·(ln g)'(low), with F² ≤ 8x + 1 and (ln g)' ≤ 1/(8x²).
        """
        if self.kind is ExponentialGlobal:
            return 0.0
        x, y = self.alpha[0] + low - 1, self.alpha[0] + high + 1
        steps = [0.5 * (8 * y + 1) ** 1.5 / (8 * x * x)]
        most = min(float(part.max()) for part in components)
        for part in components[1:]:
            if float(part.min()) <= most:
                grown = float(part.max()) * math.expm1(self.gamma)
                steps.append(grown if self.kind is ExponentialSmooth else self.gamma)
        return self.scale * float(max(steps))

    def _normalisers(self, low: int, high: int, least: float, most: float) -> tuple[float, float]:
        """Bounds on NL over the block, for rates between least and most."""
        import numpy as np

        n = self.space.n
        lower = upper = 1.0
        for side, shortest, longest in ((1, n - high, n - low), (-1, low, high)):
            edges = _distances(longest)
            near, far = edges[:-1], edges[1:] - 1
            nearest, _ = self._losses(low, high, side * near)
            _, farthest = self._losses(low, high, side * np.minimum(far, shortest))
            count_low = np.maximum(np.minimum(far, shortest) - near + 1, 0)
            lower += float((count_low * np.exp(-most * np.sqrt(-np.expm1(-farthest))))[count_low > 0].sum())
            upper += float(((far - near + 1) * np.exp(-least * np.sqrt(-np.expm1(-nearest)))).sum())
        return lower, upper

    def _losses(
        self, low: int, high: int, offset: NDArray[np.int64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The least and the largest -ln BC(c, c+offset) over rows c of the block, category by category."""
        import numpy as np

        n, (first, second) = self.space.n, self.alpha
        size = np.abs(offset).astype(np.float64)
        ends = []
        for c in (low, high):
            here = first + np.maximum(c + np.minimum(offset, 0), 0)
            there = second + np.maximum(n - c - np.maximum(offset, 0), 0)
            ends.append((second_difference(here, here + size, size), second_difference(there, there + size, size)))
        (one_low, two_low), (one_high, two_high) = ends
        least: NDArray[np.float64] = 0.5 * (np.minimum(one_low, one_high) + np.minimum(two_low, two_high))
        most: NDArray[np.float64] = 0.5 * (np.maximum(one_low, one_high) + np.maximum(two_low, two_high))
        return least, most

    def _steps(self, first: NDArray[np.int64]) -> Steps:
        import numpy as np

        return Steps(self.space, np.stack([first, self.space.n - first], axis=1))

    def _pair(self, first: int) -> tuple[int, int]:
        rest = self.space.n - first
        return (rest, first) if self.mirrored else (first, rest)


def enclose_ends(mechanism: Exponential, found: Found) -> arb:
    """The loss at the extreme that was found, enclosed from the laws themselves, at the working precision."""
    one, other = mechanism.law(found.counts), mechanism.law(found.neighbour)
    near = 0 if found.counts[0] <= found.counts[1] else 1
    gap = one.log_weight(found.output) - other.log_weight(found.output)
    return gap - _enclosed_log_total(one, near) + _enclosed_log_total(other, near)


def _enclosed_log_total(law: ExponentialLaw, near: int) -> arb:
    """ln NL of a row near the end where category `near` is rare: a window, and between e^-a and the weight at its end
    for each of the outputs beyond it, because H grows outward and ends at 1."""
    n, rate = law.space.n, law.rate()
    side = _Side.window_of(law.space, law.counts[near], near)
    total = ball(0)
    for x in range(side + 1):
        weight = law.log_weight((x, n - x) if near == 0 else (n - x, x)).exp()
        total += weight
    return (total + (n - side) * (-rate).exp().union(weight)).log()


def _distances(longest: int) -> NDArray[np.int64]:
    """Group edges: single distances first, then groups that grow with the distance, up to and including the longest."""
    import numpy as np

    edges = list(range(1, min(_SINGLE, longest + 1) + 1))
    while edges[-1] <= longest:
        edges.append(min(longest + 1, int(edges[-1] * _GROWTH) + 1))
    return np.array(edges, dtype=np.int64)
