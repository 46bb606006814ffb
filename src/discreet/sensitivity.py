"""How far one replaced record can move a posterior, in Hellinger distance: exact, O(k²), for any n.

By the triangle inequality the local sensitivity at c is the largest distance to a neighbour, and a step that takes
a record from category i and puts it into j has BC = g(α_i+c_i-1)·g(α_j+c_j) with g(x) = Γ(x+½)/sqrt(Γ(x)Γ(x+1)),
which increases with x. Both smooth sensitivities reach their extreme at the ends of lines of moved records, so a few
arrangements for each pair are enough (mathematics: section 2; tests: `tests/test_sensitivity.py` against enumeration).

Each comes as a float and, with `_enclosure` in its name, as a ball at the working precision.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from fractions import Fraction

from flint import arb, fmpq

from discreet.errors import InvalidInput
from discreet.numbers import ball, exact, nearest_float, precision, working_bits
from discreet.space import PosteriorSpace


def local_sensitivity(space: PosteriorSpace, c: object) -> float:
    """The largest Hellinger distance from the posterior of c to that of an adjacent data set.

    It depends on the data: not publishable.

    >>> space = PosteriorSpace(prior=[1, 1], n=1000)
    >>> round(local_sensitivity(space, [500, 500]), 7)
    0.0223467
    """
    counts = space.counts(c)
    return nearest_float(lambda: local_enclosure(space, counts))


def global_sensitivity(space: PosteriorSpace) -> float:
    """The largest local sensitivity over all data sets.

    >>> round(global_sensitivity(PosteriorSpace(prior=[7, 4, 5], n=10**12)), 12)
    0.233629480709
    """
    return nearest_float(lambda: global_enclosure(space))


def smooth_sensitivity(space: PosteriorSpace, c: object, gamma: object) -> float:
    """Exponentially smooth: the largest LS(c')·exp(-γ·d(c,c')). It depends on the data: not publishable.

    >>> space = PosteriorSpace(prior=[1, 1], n=100)
    >>> smooth_sensitivity(space, [50, 50], 1000) == local_sensitivity(space, [50, 50])
    True
    """
    counts, rate = space.counts(c), exact(gamma, "gamma", minimum=0)
    return nearest_float(lambda: smooth_enclosure(space, counts, ball(rate)))


def reciprocal_sensitivity(space: PosteriorSpace, c: object, gamma: object) -> float:
    """Reciprocally smooth: 1/S is the least 1/LS(c') + γ·d(c,c'). It depends on the data: not publishable.

    >>> space = PosteriorSpace(prior=[1, 1], n=100)
    >>> reciprocal_sensitivity(space, [50, 50], 0) == global_sensitivity(space)
    True
    """
    counts, rate = space.counts(c), exact(gamma, "gamma", minimum=0)
    return nearest_float(lambda: 1 / inverse_reciprocal_enclosure(space, counts, ball(rate)))


def seeds_gamma(space: PosteriorSpace, epsilon: object, delta: object) -> float:
    """The smoothing rate of the seed documents, ln(1 - ε/(2 ln(δ/(2|R|)))).

    >>> round(seeds_gamma(PosteriorSpace(prior=[1, 1], n=100), 0.8, 0.8), 10)
    0.0698191876
    """
    return nearest_float(lambda: seeds_gamma_enclosure(space, epsilon, delta))


def seeds_gamma_enclosure(space: PosteriorSpace, epsilon: object, delta: object) -> arb:
    """The seeds' γ as a ball."""
    budget, slack = exact(epsilon, "epsilon", above=0), exact(delta, "delta", above=0)
    if slack >= 1:
        raise InvalidInput("delta must be below 1", mend="give something like 1e-8")
    return (1 - ball(budget) / (2 * (ball(slack) / (2 * space.size)).log())).log()


def log_step(x: Fraction) -> arb:
    """ln g(x) = lnΓ(x+½) - lnΓ(x) - ½ ln x, to the working precision relative to its size of about 1/(8x)."""
    above, below = x.numerator, x.denominator  # whole numbers: this is the inner loop of every sensitivity
    with precision(working_bits() + 2 * (above // below + 1).bit_length() + 16):
        at = arb(fmpq(above, below))
        return arb(fmpq(2 * above + below, 2 * below)).lgamma() - at.lgamma() - at.log() / 2


def step_enclosure(x: Fraction, y: Fraction) -> arb:
    """The distance of a step between arguments x (losing) and y (gaining): sqrt(1 - g(x)·g(y))."""
    return (-(log_step(x) + log_step(y)).expm1()).sqrt()


def local_enclosure(space: PosteriorSpace, c: Sequence[int]) -> arb:
    """LS(c): the largest of the steps that no other dominates."""
    return largest([step_enclosure(x, y) for x, y in _steps(space, c)])


def global_enclosure(space: PosteriorSpace) -> arb:
    """GS: for k ≥ 3 the two smallest priors meet; for k = 2 the larger of the two end steps."""
    alpha = space.prior.parameters
    if space.k == 2:
        ends = [(alpha[0], alpha[1] + space.n - 1), (alpha[1], alpha[0] + space.n - 1)]
        return largest([step_enclosure(x, y) for x, y in ends])
    first, second = sorted(alpha)[:2]
    return step_enclosure(first, second)


def smooth_enclosure(space: PosteriorSpace, c: Sequence[int], gamma: arb) -> arb:
    """S(c) = max LS_ij(c')·exp(-γd) over the arrangements that can be extreme."""
    size = _Sizes()
    return largest([size(x, y) * (-gamma * d).exp() for x, y, d in arrangements(space, c)])


def inverse_reciprocal_enclosure(space: PosteriorSpace, c: Sequence[int], gamma: arb) -> arb:
    """1/S(c) = min 1/LS_ij(c') + γd over the arrangements that can be extreme."""
    size = _Sizes()
    return -largest([-(1 / size(x, y) + gamma * d) for x, y, d in arrangements(space, c)])


class _Sizes:
    """Sizes of steps whose arguments recur: with many categories each is met in many pairs."""

    def __init__(self) -> None:
        self._known: dict[Fraction, arb] = {}

    def __call__(self, x: Fraction, y: Fraction) -> arb:
        for at in (x, y):
            if at not in self._known:
                self._known[at] = log_step(at)
        return (-(self._known[x] + self._known[y]).expm1()).sqrt()


def arrangements(space: PosteriorSpace, c: Sequence[int]) -> Iterator[tuple[Fraction, Fraction, int]]:
    """The steps (x, y) that can be extreme for a smooth sensitivity, each with its distance d from c.

    First the local step at distance 0. Then for each ordered pair (i, j) its own step with i emptied to its last
    record or left alone, and j emptied or left alone, at the cheapest distance that reaches it. With two categories
    nothing else can hold the rest, and only the two ends of the line remain.
    """
    for x, y in _steps(space, c):
        yield x, y, 0
    alpha, n = space.prior.parameters, space.n
    if space.k == 2:
        yield alpha[0], alpha[1] + n - 1, max(c[0] - 1, 0)
        yield alpha[1], alpha[0] + n - 1, max(c[1] - 1, 0)
        return
    for i, j in itertools.permutations(range(space.k), 2):
        for left_i in {max(c[i], 1), 1}:
            for left_j in {c[j], 0}:
                if left_i + left_j <= n:
                    taken = max(c[i] - left_i, 0) + (c[j] - left_j)
                    put = max(left_i - c[i], 0)
                    yield alpha[i] + left_i - 1, alpha[j] + left_j, max(taken, put)


def _steps(space: PosteriorSpace, c: Sequence[int]) -> Iterator[tuple[Fraction, Fraction]]:
    """The steps from c that can be the largest: g increases, so the smallest source and the smallest target,
    or, where these are the same category, each of them with the other's runner-up."""
    alpha = space.prior.parameters
    targets = sorted((alpha[j] + c[j], j) for j in range(space.k))
    sources = sorted((alpha[i] + c[i] - 1, i) for i in range(space.k) if c[i] > 0)
    if sources[0][1] != targets[0][1]:
        yield sources[0][0], targets[0][0]
        return
    yield sources[0][0], targets[1][0]
    if len(sources) > 1:
        yield sources[1][0], targets[0][0]


def largest(values: Sequence[arb]) -> arb:
    """The enclosure of the maximum of enclosed numbers, also where it is open which one that is."""
    found = values[0]
    for value in values[1:]:
        found = found.max(value)
    return found
