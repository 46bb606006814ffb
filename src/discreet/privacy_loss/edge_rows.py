"""Losses of two categories beyond enumeration: rows near the ends one by one, everything between them in blocks.

The greatest loss of the Hellinger family sits near an end, where one record still matters. There the rows are scanned
as they are: outputs farther from c than a window have BC below 1e-34, so their weights are e^-a to the last float, and
a normaliser is a sum over the window plus their number times e^-a. Between the ends, blocks of rows are bounded
(`discreet.privacy_loss.interior_bounds`). The block with the largest bound is halved until it is below the greatest
loss found, or until halving no longer helps: then the largest bound is the certified loss, and `lower` is what is
reached.
"""

from __future__ import annotations

import heapq
import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from discreet.arithmetic.numbers import ball
from discreet.mechanisms.exponential import Exponential, ExponentialLaw
from discreet.posteriors import Dirichlet
from discreet.posteriors.distances import second_difference
from discreet.posteriors.space import PosteriorSpace
from discreet.privacy_loss.interior_bounds import Middle
from discreet.sensitivity.vectorised import Steps

if TYPE_CHECKING:
    import numpy as np
    from flint import arb
    from numpy.typing import NDArray

ROWS, MOST_ROWS = 300, 2000
"""Rows from each end that are scanned one by one: more where smoothing reaches farther, to where losses peak."""

_FLAT = 80.0
"""-ln BC beyond which a weight is e^-a: BC is below 2e-35."""

_HALVINGS = 800
_WORTH = 1e-3
"""A block is halved while that lowers its bound by this share."""


@dataclass(frozen=True, slots=True)
class Found:
    """The greatest loss that is reached, where, and a bound on all others."""

    loss: float
    bound: float
    counts: tuple[int, int]
    neighbour: tuple[int, int]
    output: tuple[int, int]
    fastest: float
    """The largest rate of a row that was scanned: log-weights are no larger."""


def scan_ends(mechanism: Exponential) -> Found:
    """Scan a space of two categories and any number of records."""
    scans = [_Scan(mechanism, side) for side in Side.both(mechanism.space)]
    ends = [scan.rows() for scan in scans]
    best = max(ends, key=lambda found: found.loss)
    bound = max([best.loss, *(scan.middle(best.loss) for scan in scans)])
    return replace(best, bound=bound, fastest=max(end.fastest for end in ends))


class Side:
    """A line of two categories seen from the end where the first one is rare."""

    def __init__(self, space: PosteriorSpace, *, mirrored: bool = False) -> None:
        self.space, self.mirrored = space, mirrored
        self._alpha = [float(parameter) for parameter in space.prior.parameters]

    @classmethod
    def both(cls, space: PosteriorSpace) -> list[Side]:
        """The line from either end; from one of them where both look the same."""
        first, second = space.prior.parameters
        if first == second:
            return [cls(space)]
        return [cls(space), cls(PosteriorSpace(prior=Dirichlet([second, first]), n=space.n), mirrored=True)]

    def losses(self, c: int, outputs: NDArray[np.int64]) -> NDArray[np.float64]:
        """-ln BC between the row c and outputs."""
        n, (first, second) = self.space.n, self._alpha
        step = outputs - c
        total: NDArray[np.float64] = 0.5 * (
            second_difference(first + c, first + outputs, step)
            + second_difference(second + (n - c), second + (n - outputs), step)
        )
        return total

    def window(self, c: int) -> int:
        """An output so far above row c that BC is negligible, or n."""
        n = self.space.n
        reach = 64
        while c + reach < n and float(self.losses(c, _one(c + reach))[0]) < _FLAT:
            reach *= 2
        return min(n, c + reach)

    def steps(self, first: NDArray[np.int64]) -> Steps:
        """What the sensitivities of these rows are made of."""
        import numpy as np

        return Steps(self.space, np.stack([first, self.space.n - first], axis=1))

    def pair(self, first: int) -> tuple[int, int]:
        """The counts of a row, in the order of the space that was asked about."""
        rest = self.space.n - first
        return (rest, first) if self.mirrored else (first, rest)


class _Scan:
    """The rows of one half of the line: one by one near the end, in blocks up to the balanced count."""

    def __init__(self, mechanism: Exponential, side: Side) -> None:
        self.side, self.n = side, side.space.n
        self.kind, self.scale = type(mechanism), float(mechanism.scale)
        self.gamma = float(getattr(mechanism, "gamma", 0))
        self.between = Middle(side.space, self.kind, self.scale, self.gamma)
        self.last = self.between.last
        self.number = min(self.n, max(ROWS, min(int(1.2 * self._smoothed()) + 50, MOST_ROWS)))

    def rows(self) -> Found:
        """The greatest loss among the first rows."""
        import numpy as np

        rates = self.scale * self.side.steps(np.arange(self.number + 1)).inverse(self.kind, self.gamma)
        outputs = np.arange(self.side.window(self.number) + 1)
        fastest = float(rates.max())
        best = Found(-math.inf, -math.inf, (0, 0), (0, 0), (0, 0), fastest)
        before: NDArray[np.float64] | None = None
        for c in range(self.number + 1):
            log_pmf = self._row(c, float(rates[c]), outputs)
            if before is not None:
                gap = log_pmf - before
                for sign, here, there in ((1, c, c - 1), (-1, c - 1, c)):
                    at = int(np.argmax(sign * gap))
                    if sign * gap[at] > best.loss:
                        one, other, output = (self.side.pair(x) for x in (here, there, at))
                        best = Found(sign * float(gap[at]), math.nan, one, other, output, fastest)
            before = log_pmf
        return best

    def middle(self, known: float) -> float:
        """A bound on the losses of all later rows, made as small as `known` if it can be."""
        if self.number >= self.last:
            return -math.inf
        heap = [(-self.between.bound(low, high), low, high) for low, high in self._blocks()]
        heapq.heapify(heap)
        settled = -math.inf
        for _ in range(_HALVINGS):
            if not heap or -heap[0][0] <= known:
                break
            value, low, high = heapq.heappop(heap)
            centre = (low + high) // 2
            halves = ((low, centre), (centre, high)) if centre > low else ()
            parts = [(-self.between.bound(*half), *half) for half in halves]
            if not parts or min(part[0] for part in parts) <= value * (1 - _WORTH):
                settled = max(settled, -value)  # as sharp as it gets
                continue
            for part in parts:
                heapq.heappush(heap, part)
        return max([settled, *(-value for value, _, _ in heap)])

    def _smoothed(self) -> int:
        """About how many rows have a smooth sensitivity that is larger than the local one: it ends where they cross."""
        import numpy as np

        low, high = 0, self.last
        while high - low > 1:
            row = (low + high) // 2
            steps = self.side.steps(np.array([row]))
            low, high = (row, high) if steps.inverse(self.kind, self.gamma)[0] < steps.local[0] else (low, row)
        return low

    def _blocks(self) -> list[tuple[int, int]]:
        found, low = [], self.number
        while low < self.last:
            high = min(self.last, max(low + 1, int(low * 1.4)))
            found.append((low, high))
            low = high
        return found

    def _row(self, c: int, rate: float, outputs: NDArray[np.int64]) -> NDArray[np.float64]:
        """Log-probabilities of the outputs up to the window's end; the last stands for all beyond it."""
        import numpy as np

        log_weight = -rate * np.sqrt(-np.expm1(-self.side.losses(c, outputs)))
        total = np.exp(log_weight).sum() + (self.n - int(outputs[-1])) * math.exp(-rate)
        shown: NDArray[np.float64] = log_weight - math.log(total)
        return shown


def _one(x: int) -> NDArray[np.int64]:
    import numpy as np

    return np.array([x], dtype=np.int64)


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
    first, second = law.space.prior.parameters
    seen = law.space if near == 0 else PosteriorSpace(prior=Dirichlet([second, first]), n=n)
    side = Side(seen).window(law.counts[near])
    total = ball(0)
    for x in range(side + 1):
        weight = law.log_weight((x, n - x) if near == 0 else (n - x, x)).exp()
        total += weight
    return (total + (n - side) * (-rate).exp().union(weight)).log()
