"""The least mean error that any ε-DP mechanism can have: a proved lower bound for every space and every ε.

A mechanism that releases a candidate has the mean error Σ_c p(c)·Σ_r P(r|c)·H(c,r), with p the prior predictive. Its
columns f(c) = P(r|c) are nonnegative, change by at most e^ε between neighbours, and sum over r to 1. So if for numbers
y(c) every such f has Σ_c f(c)·(p(c)·H(c,r) - y(c)) ≥ 0, whatever r, no mechanism is below Σ y: y solves the dual
programme.

**Two categories** are a line, c = 0 … n. With x = e^-ε and a(c) = p(c)·H(c,r) - y(c), let L(c) = a(c) + x·L(c-1) from
the left and R(c) = a(c) + x·R(c+1) from the right. If L ≥ 0 before some m, R ≥ 0 behind it, and a(m) + x·L(m-1) +
x·R(m+1) ≥ 0, the inequality holds: f(c) ≥ x·f(c+1) moves what is left over to m, and f(m) ≥ 0. That is checked for
every r. Beyond a window a(c) ≥ 0, because H grows with |c - r|.

**More categories.** Merging categories leaves an ε-DP mechanism on what is merged, because the records of the others
can be drawn to go with a count such that neighbours stay neighbours. So the count of one category is a line of its own.
H is sqrt(1 - e^-Σl) with one l(c_i, r_i) ≥ 0 for each category, and concave in Σl: H ≥ Σ_i π_i·sqrt(1 - e^(-l_i/π_i))
for any weights π that sum to 1. Each term is an error on a line. The noise of the other categories is lost on the way.

**Long lines** have a window at each end, and between them y is p times a step function that is checked for whole blocks
of r at once (`discreet.utility.interior_dual`).

Numbers are floats; each sum is of positive terms, or is rounded down at every step, and the result is lowered by
`MARGIN`. Tests: `tests/utility/test_least_error.py`, which checks dual solutions again in balls.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from discreet.arithmetic.arrays import Floats
from discreet.errors import TooLarge
from discreet.mechanisms import Optimal
from discreet.posteriors import Dirichlet
from discreet.posteriors.space import PosteriorSpace, exceeds
from discreet.utility.interior_dual import InteriorDual, Line
from discreet.utility.simplex_dual import SimplexDual

MARGIN = 1e-9
"""What floats may have lost, as a share: distances and predictives are right to 1e-12."""

MAX_WINDOW_CELLS, MAX_WINDOW_CELLS_QUICK = 1 << 22, 1 << 18
"""Windows of more cells are left to the interior."""

MAX_SOLVED, MAX_SOLVED_QUICK = 1100, 100
"""The most candidates of three categories or more for which all data sets are in one dual solution."""

MAX_PROGRAMME, MAX_PROGRAMME_QUICK = 165, 70
"""The most for which the linear programme is solved where that solution falls short."""

MAX_KINDS_QUICK = 3

_FAR, _SLACKS = 45.0, (1e-9, 1e-7, 1e-5, 1e-4, 1e-3, 3e-3, 0.01, 0.03, 0.1, 0.3)
_DOWN, _NEARBY = 2.0**-50, 8


@dataclass(frozen=True, slots=True)
class LeastError:
    """No ε-DP mechanism that releases a candidate has a mean Hellinger error below `value`; and how that is known."""

    value: float
    method: str

    @property
    def loose(self) -> bool:
        """Whether the truth is known to be much larger: categories were looked at one by one."""
        return self.method in _BY_LINES


_BY_LINES = ("one category against all others", "each category by itself")


class WindowedDual:
    """y for the counts of a part of a line, checked for every r within a window of counts about it.

    An r outside of the part is farther from all of its counts than the nearest r inside.
    """

    def __init__(self, line: Line, epsilon: float, first: int, last: int, cells: int = MAX_WINDOW_CELLS) -> None:
        self.line, self.x = line, math.exp(-epsilon)
        self.first, self.size = first, last - first + 1
        whole = self.size * (2 * self.size - 1) <= cells
        self.reach = self.size - 1 if whole else min(self.size - 1, math.ceil(_FAR / epsilon) + 4)
        self._c = np.arange(self.size)
        self._p = np.exp(line.log_weight((first + self._c).astype(np.float64)))

    def _cost(self, c: NDArray[np.int64], r: NDArray[np.int64]) -> Floats:
        return self.line.cost((self.first + c).astype(np.float64), (self.first + r).astype(np.float64))

    @cached_property
    def _errors(self) -> Floats:
        """p(c)·cost(c, r): a row for each c - r from -reach to reach, a column for each r; 0 outside the line."""
        apart = np.arange(-self.reach, self.reach + 1)[:, None]
        c = self._c[None, :] + apart
        inside = (c >= 0) & (c < self.size)
        c = np.clip(c, 0, self.size - 1)
        return np.where(inside, self._p[c] * self._cost(c, np.broadcast_to(self._c, c.shape)), 0.0)

    @cached_property
    def proposal(self) -> Floats:
        """y = K⁻¹h, h(z) the least Σ_c x^|c-z|·p(c)·cost(c, r) over r: where these r are best, it is the optimum."""
        x = self.x
        h = self._least_given() if self.reach == self.size - 1 else self._least_nearby()
        y = (1 + x * x) * h
        y[0], y[-1] = h[0], h[-1]
        y[1:] -= x * h[:-1]
        y[:-1] -= x * h[1:]
        y /= -math.expm1(2 * math.log(x))
        if self.reach < self.size - 1:
            # Farther from r than the window nothing may be owed: the error there is at least that at its edge.
            y = np.minimum(y, (1 - MARGIN) * np.minimum(self._edge(-self.reach), self._edge(self.reach)))
        return y

    def _least_nearby(self) -> Floats:
        """Of the r that are next to z."""
        apart, least = np.arange(-self.reach, self.reach + 1), np.full(self.size, np.inf)
        for off in range(-_NEARBY, _NEARBY + 1):
            error = self.x ** np.abs(apart + off) @ self._errors
            z = self._c - off
            inside = (z >= 0) & (z < self.size)
            least[z[inside]] = np.minimum(least[z[inside]], error[inside])
        return least

    def _least_given(self) -> Floats:
        """Of all r; the table has a row for each c, here."""
        n, x = self.size - 1, self.x
        place = self._c[:, None] - self._c[None, :] + self.reach
        table = self._errors[place, self._c[None, :]]
        left, right = table.copy(), table.copy()
        for c in range(1, n + 1):
            left[c] += x * left[c - 1]
            right[n - c] += x * right[n - c + 1]
        least: Floats = (left + right - table).min(axis=1)
        return least

    def bound(self) -> float:
        """Σ y of the solution."""
        return float(self.solution.sum())

    @cached_property
    def solution(self) -> Floats:
        """The proposal, lowered until it passes; 0 if it never does."""
        slack = next((slack for slack in _SLACKS if self.feasible(slack)), 1.0)
        return (1 - slack) * self.proposal

    def feasible(self, slack: float) -> bool:
        """Whether (1 - slack)·y is a solution of the dual programme: every r, with every sum rounded down."""
        y, n, reach, x = (1 - slack) * self.proposal, self.size - 1, self.reach, self.x * (1 - _DOWN)
        apart = np.arange(-reach, reach + 1)[:, None]
        c = self._c[None, :] + apart
        inside = (c >= 0) & (c <= n)
        owed = np.where(inside, y[np.clip(c, 0, n)], 0.0)
        a = self._errors * (1 - MARGIN / 8) - owed - _DOWN * np.abs(owed)
        left, right = np.zeros_like(a), np.zeros_like(a)
        for row in range(1, len(a)):
            left[row] = _lowered(a[row - 1], x, left[row - 1])
            right[-1 - row] = _lowered(a[-row], x, right[-row])
        open_ = (left >= 0) & (right >= 0)
        rest = np.where(open_, left, 0.0) + np.where(open_, right, 0.0)
        meets = open_ & inside & (a + x * rest - 4 * _DOWN * (np.abs(a) + rest) >= 0)
        return bool(meets.any(axis=0).all())

    def _edge(self, apart: int) -> Floats:
        """p(c)·cost(c, c ± apart), and without end where that is no r."""
        r = self._c + apart
        inside = (r >= 0) & (r < self.size)
        return np.where(inside, self._p * self._cost(self._c, np.clip(r, 0, self.size - 1)), np.inf)


def _lowered(a: Floats, x: float, before: Floats) -> Floats:
    """a + x·before, rounded down; without end below where `before` is negative, because no f moves that on."""
    with np.errstate(invalid="ignore"):
        sums = a + x * before - _DOWN * (np.abs(a) + np.abs(before))
    return np.where(before >= 0, sums, -np.inf)


def line_bound(line: Line, epsilon: float, *, quick: bool = False) -> tuple[float, str]:
    """The best that windows and blocks of different sizes give."""
    return max(
        _cut_line(line, epsilon, cells) for cells in (MAX_WINDOW_CELLS_QUICK, MAX_WINDOW_CELLS)[: 1 if quick else 2]
    )


def _cut_line(line: Line, epsilon: float, cells: int) -> tuple[float, str]:
    """One dual solution for all counts while these are few; otherwise one at each end, and blocks between them."""
    n, wide = line.n, 2 * _FAR / epsilon + 9
    if min((n + 1) * wide, (n + 1) * (2 * n + 1)) <= cells:
        return WindowedDual(line, epsilon, 0, n, cells).bound(), "a dual solution for every count"
    ends = min(n // 4, max(int(cells / 4 / wide), math.isqrt(cells // 8)))
    parts = [WindowedDual(line, epsilon, *part, cells // 4).bound() for part in ((0, ends - 1), (n - ends + 1, n))]
    between = InteriorDual(line, epsilon, ends, n - ends, cells // 4).bound()
    return math.fsum([*parts, between]), "dual solutions at the ends and for blocks of counts"


def least_error(space: PosteriorSpace, epsilon: Fraction, *, quick: bool = False) -> LeastError:
    """A value that the mean Hellinger error of no ε-DP mechanism on the candidates is below; `quick`, and less sharp.

    Where the number of records is private, up to a cap, an ε-DP mechanism is 2ε-DP among data sets of each size.

    >>> bound = least_error(PosteriorSpace(prior=[1, 1, 1], n=8), Fraction(1))
    >>> round(bound.value, 5), bound.method
    (0.35309, 'a dual solution for every data set')
    """
    adjacency = space.adjacency
    if adjacency.keeps_total:
        return _least_error(space, epsilon, quick)
    if space.k == 1 or "cap" not in adjacency.sizes:
        raise TooLarge("a private n without a cap has no mean error to be bounded", hint="give a public cap")
    cap = adjacency.sizes["cap"]
    sizes = (_least_error(PosteriorSpace(space.prior, n), 2 * epsilon, quick).value for n in range(1, cap + 1))
    return LeastError(math.fsum(sizes) / (cap + 1), "the data sets of each size, at twice the epsilon")


@lru_cache(maxsize=64)
def _least_error(space: PosteriorSpace, epsilon: Fraction, quick: bool) -> LeastError:
    if space.k == 2:
        value, method = line_bound(Line(space.prior, space.n), float(epsilon), quick=quick)
    else:
        value, method = max([*_enumerated(space, epsilon, quick), *_by_lines(space, float(epsilon), quick)])
    return LeastError(max(value, 0.0) * (1 - MARGIN), method)


def _enumerated(space: PosteriorSpace, epsilon: Fraction, quick: bool) -> Iterator[tuple[float, str]]:
    """Three categories or more, few candidates: all of them."""
    if exceeds(space, MAX_SOLVED_QUICK if quick else MAX_SOLVED):
        return
    dual = SimplexDual(space, float(epsilon))
    value = dual.bound()
    yield value, "a dual solution for every data set"
    if value < 0.999 * dual.proposal.sum() and not exceeds(space, MAX_PROGRAMME_QUICK if quick else MAX_PROGRAMME):
        yield Optimal(space, epsilon=epsilon).error, "the linear programme"


def _by_lines(space: PosteriorSpace, rate: float, quick: bool) -> Iterator[tuple[float, str]]:
    """One category against all others, and each category by itself; kinds of categories that are left out give 0."""
    prior, n, k = space.prior, space.n, space.k
    kinds = {alpha: prior.parameters.count(alpha) for alpha in prior.parameters}
    total, parts = prior.total, []
    for alpha in sorted(kinds, key=lambda alpha: -kinds[alpha])[: MAX_KINDS_QUICK if quick else None]:
        two = Dirichlet([alpha, total - alpha])
        yield line_bound(Line(two, n), rate, quick=quick)[0], _BY_LINES[0]
        parts.append(kinds[alpha] / k * line_bound(Line(two, n, float(k), both=False), rate, quick=quick)[0])
    yield math.fsum(parts), _BY_LINES[1]
