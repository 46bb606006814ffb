"""How fast 1/S can change between adjacent data sets: the Γ of the guarantee 2s(1+Γ).

Exact by enumeration on small spaces; beyond that a bound for any n and k. With F(x) = (1 - g(x))^(-1/2) and
φ(x, y) = (1 - g(x)g(y))^(-1/2), where 1/LS(c) is the least φ over the steps that c allows:

- if the least step of c is still allowed at c', only one of its two arguments can have grown, by 1, and
  φ(x+1, y) - φ(x, y) ≤ F(x+1) - F(x), because the difference increases with g(y) < 1;
- otherwise its source i had one record and lost it to some q. If the target j has records, or is q, then c' allows
  the same step backwards, and 1/LS does not grow. If not, c' allows the steps from q to i and from q to j, so the
  change is at most φ(min(α_i, α_j), α_q + n - 1) - φ(α_i, α_j), which is largest for priors next to each other.

The differences of F are taken one by one near the prior, then over blocks: F' = ½F³·g·(ln g)' is at most
½·F(high)³·(ln g)'(low), because F increases and (ln g)' decreases.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache, reduce

from flint import arb

from discreet.arithmetic.numbers import ball, fixed_upper, precision, rational, working_bits
from discreet.posteriors.space import Counts, PosteriorSpace, exceeds
from discreet.sensitivity.exact import Balls, local_by, log_step, smooth_by, step_enclosure

ENUMERATED = 2000
"""Up to this many data sets Γ is exact; beyond it the bound above is used."""

_BITS = 96
_ONE_BY_ONE = 24
_BLOCKS = 4000


@lru_cache(maxsize=256)
def local_smoothness(space: PosteriorSpace) -> Fraction:
    """An upper bound, tight to 2e-3 or better, on |1/LS(c) - 1/LS(c')| over adjacent c, c'.

    >>> space = PosteriorSpace(prior=[1, 1], n=100)
    >>> round(float(local_smoothness(space)), 4)
    1.0919
    """
    with precision(_BITS):
        if not exceeds(space, ENUMERATED):
            return _by_enumeration(space, lambda c: 1 / local_by(Balls(space), c))
        return local_smoothness_bound(space)


@lru_cache(maxsize=256)
def smooth_smoothness(space: PosteriorSpace, gamma: Fraction) -> Fraction:
    """An upper bound on |1/S(c) - 1/S(c')| for the exponentially smooth sensitivity.

    S changes by a factor of at most e^γ, so the bound is (1 - e^-γ)/min S, with S at least its least LS.
    """
    with precision(_BITS):
        if not exceeds(space, ENUMERATED):
            rate = ball(gamma)
            return _by_enumeration(space, lambda c: 1 / smooth_by(Balls(space), c, rate))
        return _round_up(-(-ball(gamma)).expm1() / least_local(space))


def reciprocal_smoothness(space: PosteriorSpace, gamma: Fraction) -> Fraction:
    """At most min(γ, Γ of local), up to the bound on the latter: 1/S is γ-Lipschitz by construction, and equals 1/LS
    once γ reaches that one's own step."""
    # γ is always right. One early difference often shows that it is also the smaller one; floats will do for that.
    if any(_float_end(x + 1) - _float_end(x) > float(gamma) for x in map(float, space.prior.parameters)):
        return gamma
    return min(gamma, local_smoothness(space))


def _float_end(x: float) -> float:
    return 1 / math.sqrt(-math.expm1(math.lgamma(x + 0.5) - math.lgamma(x) - 0.5 * math.log(x))) if x < 1e4 else 0.0


def local_smoothness_bound(space: PosteriorSpace) -> Fraction:
    """The bound of this module's docstring, at the working precision, for any n and k."""
    alpha, n = space.prior.parameters, space.n
    bounds = [_end_increments(x, n) for x in sorted(set(alpha))]
    if space.k > 2:
        ordered = sorted(alpha)
        for x, y in sorted(set(itertools.pairwise(ordered))):
            gap = 1 / step_enclosure(rational(x), rational(ordered[-1] + n - 1))
            bounds.append(_round_up(gap - 1 / step_enclosure(rational(x), rational(y))))
    return max(bounds)


def least_local(space: PosteriorSpace) -> arb:
    """A lower bound on LS over all data sets: the step between the most even arguments that total n + Σα - 1.

    ln g is concave and increasing, so g(x)g(y) is largest where x + y is as large and as even as it can be.
    """
    half = rational((space.prior.total + space.n - 1) / 2)
    return step_enclosure(half, half)


def _round_up(enclosure: arb) -> Fraction:
    """A short rational number just above: scales are printed, and 2**-40 more costs nothing."""
    return Fraction(fixed_upper(enclosure, 40), 1 << 40)


def _end(x: Fraction) -> arb:
    """F(x) = (1 - g(x))^(-1/2), the inverse of a step whose other argument is infinite."""
    return (-log_step(rational(x)).expm1()).rsqrt()


def _end_increments(alpha: Fraction, n: int) -> Fraction:
    """An upper bound on F(x+1) - F(x) over x = α, α+1, …, α+n-1."""
    stop = min(n, _ONE_BY_ONE)
    values = [_end(alpha + t) for t in range(stop + 1)]
    best = max(_round_up(values[t + 1] - values[t]) for t in range(stop))
    blocks, rest = 0, [(stop, n)] if stop < n else []
    while rest:
        low, high = rest.pop()
        bound = _derivative_upper(alpha + low, alpha + high + 1)
        if bound <= best:
            continue
        blocks += 1
        if high - low <= 1 or blocks > _BLOCKS or bound <= best * (1 + Fraction(1, 1000)):
            best = max(best, bound)
        else:
            middle = (low + high) // 2 if high < 4 * (low + 1) else 2 * low
            rest += [(low, middle), (middle, high)]
    return best


def _derivative_upper(low: Fraction, high: Fraction) -> Fraction:
    """An upper bound on F' over [low, high]."""
    with precision(working_bits() + 2 * int(high).bit_length()):
        slope = ball(low + Fraction(1, 2)).digamma() - (ball(low).digamma() + ball(low + 1).digamma()) / 2
        return _round_up(_end(high) ** 3 * slope / 2)


def _by_enumeration(space: PosteriorSpace, inverse: Callable[[Counts], arb]) -> Fraction:
    """max |1/S(c) - 1/S(c')| over all adjacent pairs, rounded up."""
    values = {tuple(c): inverse(Counts(c)) for c in space.candidates()}
    gaps = (abs(values[c] - values[tuple(other)]) for c in values for other in space.adjacency.neighbours(c))
    return _round_up(reduce(arb.max, gaps))
