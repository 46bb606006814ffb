"""How far one replaced record can move a posterior, in Hellinger distance: exact, O(k²), for any n.

By the triangle inequality the local sensitivity at c is the largest distance to a neighbour, and a step that takes
a record from category i and puts it into j has BC = g(α_i+c_i-1)·g(α_j+c_j) with g(x) = Γ(x+½)/sqrt(Γ(x)Γ(x+1)),
which increases with x. Both smooth sensitivities reach their extreme at the ends of lines of moved records, so a few
arrangements for each pair are enough (mathematics: section 2; tests: `tests/sensitivity/test_exact.py` against
enumeration).

The formulas, with `_by` in their names, are for balls at the working precision.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

from flint import arb, fmpq, fmpz

from discreet.arithmetic.numbers import ball, exact, exact_share, nearest_float, precision, working_bits
from discreet.posteriors.space import PosteriorSpace
from discreet.typing import Epsilon

_HALF = fmpq(1, 2)


def local_sensitivity(space: PosteriorSpace, c: object) -> float:
    """The largest Hellinger distance from the posterior of c to that of an adjacent data set.

    It depends on the data: not publishable.

    >>> space = PosteriorSpace(prior=[1, 1], n=1000)
    >>> round(local_sensitivity(space, [500, 500]), 7)
    0.0223467
    """
    counts = space.counts(c)
    return nearest_float(lambda: local_by(Balls(space), counts))


def global_sensitivity(space: PosteriorSpace) -> float:
    """The largest local sensitivity over all data sets.

    >>> round(global_sensitivity(PosteriorSpace(prior=[7, 4, 5], n=10**12)), 12)
    0.233629480709
    """
    return nearest_float(lambda: global_by(Balls(space)))


def smooth_sensitivity(space: PosteriorSpace, c: object, gamma: object) -> float:
    """Exponentially smooth: the largest LS(c')·exp(-γ·d(c,c')). It depends on the data: not publishable.

    >>> space = PosteriorSpace(prior=[1, 1], n=100)
    >>> smooth_sensitivity(space, [50, 50], 1000) == local_sensitivity(space, [50, 50])
    True
    """
    counts, rate = space.counts(c), exact(gamma, "gamma", minimum=0)
    return nearest_float(lambda: smooth_by(Balls(space), counts, ball(rate)))


def reciprocal_sensitivity(space: PosteriorSpace, c: object, gamma: object) -> float:
    """Reciprocally smooth: 1/S is the least 1/LS(c') + γ·d(c,c'). It depends on the data: not publishable.

    >>> space = PosteriorSpace(prior=[1, 1], n=100)
    >>> reciprocal_sensitivity(space, [50, 50], 0) == global_sensitivity(space)
    True
    """
    counts, rate = space.counts(c), exact(gamma, "gamma", minimum=0)
    return nearest_float(lambda: 1 / inverse_reciprocal_by(Balls(space), counts, ball(rate)))


def published_gamma(space: PosteriorSpace, epsilon: Epsilon, delta: Epsilon) -> float:
    """The smoothing rate of the papers, ln(1 - ε/(2 ln(δ/(2|R|)))).

    >>> round(published_gamma(PosteriorSpace(prior=[1, 1], n=100), 0.8, 0.8), 10)
    0.0698191876
    """
    budget = exact(epsilon, "epsilon", above=0)
    slack = exact_share(delta, "delta", hint="give something like 1e-8")
    return nearest_float(lambda: (1 - ball(budget) / (2 * (ball(slack) / (2 * space.size)).log())).log())


def log_step(x: fmpq) -> arb:
    """ln g(x) = lnΓ(x+½) - lnΓ(x) - ½ ln x, to the working precision relative to its size of about 1/(8x)."""
    with precision(working_bits() + 2 * int(x.ceil()).bit_length() + 16):
        at = arb(x)
        return arb(x + _HALF).lgamma() - at.lgamma() - at.log() / 2


def step_enclosure(x: fmpq, y: fmpq) -> arb:
    """The distance of a step between arguments x (losing) and y (gaining): sqrt(1 - g(x)·g(y))."""
    return (-(log_step(x) + log_step(y)).expm1()).sqrt()


class Balls:
    """The prior and the sizes of steps as enclosures, at the working precision.

    Arguments recur: with many categories each is met in many pairs.
    """

    def __init__(self, space: PosteriorSpace) -> None:
        self.alpha, self.n = space.rationals, space.n
        self._log_steps: dict[tuple[fmpz, fmpz], arb] = {}

    def size(self, x: fmpq, y: fmpq) -> arb:
        """The distance of a step between arguments x (losing) and y (gaining), as in `step_enclosure`."""
        return (-(self._log_step(x) + self._log_step(y)).expm1()).sqrt()

    def _log_step(self, x: fmpq) -> arb:
        key = x.p, x.q  # a rational's own hash takes as long as lnΓ
        if key not in self._log_steps:
            self._log_steps[key] = log_step(x)
        return self._log_steps[key]


def local_by(by: Balls, c: Sequence[int]) -> arb:
    """LS(c): the largest step."""
    return by.size(*_largest_step(by, c))


def global_by(by: Balls) -> arb:
    """GS: for k ≥ 3 the two smallest priors meet; for k = 2 the larger of the two end steps."""
    if len(by.alpha) > 2:
        first, second = sorted(by.alpha)[:2]
        return by.size(first, second)
    (a, b), last = by.alpha, by.n - 1
    return by.size(a, b + last).max(by.size(b, a + last))


def smooth_by(by: Balls, c: Sequence[int], gamma: arb) -> arb:
    """S(c) = max LS_ij(c')·exp(-γd) over the arrangements that can be extreme."""
    sensitivity = local_by(by, c)
    for x, y, d in _far_steps(by, c):
        fade = (-gamma * d).exp()
        if not fade < sensitivity:  # every step is below 1: otherwise it is too far away, whatever it is
            sensitivity = sensitivity.max(by.size(x, y) * fade)
    return sensitivity


def inverse_reciprocal_by(by: Balls, c: Sequence[int], gamma: arb) -> arb:
    """1/S(c) = min 1/LS_ij(c') + γd over the arrangements that can be extreme."""
    inverse = 1 / local_by(by, c)
    for x, y, d in _far_steps(by, c):
        cost = gamma * d
        if not 1 + cost > inverse:  # every step is below 1: otherwise it is too far away, whatever it is
            inverse = inverse.min(1 / by.size(x, y) + cost)
    return inverse


def _far_steps(by: Balls, c: Sequence[int]) -> Iterator[tuple[fmpq, fmpq, int]]:
    """The steps (x, y) beside the local one that can be extreme for a smooth sensitivity, with their distance from c.

    For each ordered pair (i, j) it is its own step with i emptied to its last record or left alone, and j emptied or
    left alone, at the cheapest distance that reaches it. With two categories nothing else can hold the rest, and only
    the two ends of the line remain.
    """
    alpha, n = by.alpha, by.n
    if len(alpha) == 2:
        yield alpha[0], alpha[1] + (n - 1), max(c[0] - 1, 0)
        yield alpha[1], alpha[0] + (n - 1), max(c[1] - 1, 0)
        return
    for i, j in itertools.permutations(range(len(alpha)), 2):
        for left_i in {max(c[i], 1), 1}:
            for left_j in {c[j], 0}:
                if left_i + left_j <= n:
                    taken = max(c[i] - left_i, 0) + (c[j] - left_j)
                    put = max(left_i - c[i], 0)
                    yield alpha[i] + (left_i - 1), alpha[j] + left_j, max(taken, put)


def _largest_step(by: Balls, c: Sequence[int]) -> tuple[fmpq, fmpq]:
    """The arguments of the largest step from c. g increases, so they are the smallest source and the smallest target,
    or, where these are the same category, its source and the runner-up among the targets: a step from another source
    to it has the same sum of arguments or a larger one, and more even ones, and ln g is concave."""
    targets = sorted([(a + count, j) for j, (a, count) in enumerate(zip(by.alpha, c, strict=True))])
    source, i = min((a + (count - 1), i) for i, (a, count) in enumerate(zip(by.alpha, c, strict=True)) if count)
    return source, targets[targets[0][1] == i][0]
