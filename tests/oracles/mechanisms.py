"""The exponential family and the Laplace mechanisms as lists of probabilities (sections 3 and 4).

A row is the law of the output for one c, a kernel holds the row of every c.
"""

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Literal, TypeAlias

from .distances import Distance, hellinger
from .precision import Exact, Real, mp, real
from .sensitivity import between
from .spaces import Counts, candidates

Row: TypeAlias = dict[Counts, Real]
Kernel: TypeAlias = dict[Counts, Row]
Rounding: TypeAlias = Literal["nearest", "floor"]


def exponential(
    alpha: Sequence[Exact],
    c: Sequence[int],
    scale: Exact | Real,
    sensitivity: Real,
    distance: Distance = hellinger,
) -> Row:
    """P(r | c) proportional to exp(-scale d(c,r) / sensitivity), for every candidate r."""
    weights = {
        r: mp.exp(-real(scale) * between(alpha, c, r, distance) / real(sensitivity)) for r in candidates(len(c), sum(c))
    }
    total = mp.fsum(weights.values())
    return {r: weight / total for r, weight in weights.items()}


def exponential_kernel(
    alpha: Sequence[Exact],
    scale: Exact | Real,
    sensitivities: Mapping[Counts, Real],
    distance: Distance = hellinger,
) -> Kernel:
    """The exponential mechanism with the sensitivity of each c from a table over all candidates."""
    return {c: exponential(alpha, c, scale, value, distance) for c, value in sensitivities.items()}


def laplace_scale(k: int, epsilon: Exact) -> Real:
    """The papers' baseline: k / epsilon."""
    return k / real(epsilon)


def improved_scale(k: int, epsilon: Exact) -> Real:
    """The papers' improved baseline: 1 / epsilon for two categories, 2 / epsilon above."""
    return (1 if k == 2 else 2) / real(epsilon)


def laplace_distribution(x: Real, scale: Real) -> Real:
    """Pr[Y <= x] for Y with density exp(-|y| / scale) / (2 scale)."""
    return mp.exp(x / scale) / 2 if x < 0 else 1 - mp.exp(-x / scale) / 2


def laplace_interval(low: Real, high: Real, scale: Real) -> Real:
    """Pr[low <= Y < high], as a difference of the distribution function on the side where it does not cancel."""
    if low >= 0:
        return laplace_interval(-high, -low, scale)
    return laplace_distribution(high, scale) - laplace_distribution(low, scale)


def clamped_laplace(centre: int, cap: int, scale: Real, rounding: Rounding) -> list[Real]:
    """The law of clamp(round(centre + Y), 0, cap) on 0..cap; a half rounds up, which has no probability anyway."""
    below = mp.mpf("0.5") if rounding == "nearest" else mp.zero
    edges = [t - below - centre for t in range(1, cap + 1)]
    cuts = [-mp.inf, *edges, mp.inf]
    return [laplace_interval(low, high, scale) for low, high in pairwise(cuts)]


def laplace(c: Sequence[int], scale: Real, rounding: Rounding = "nearest") -> Row:
    """Noise on all categories but the last, each clamped to what the ones before it left; the last takes the rest."""
    n = sum(c)
    partial: Row = {(): mp.one}
    for centre in c[:-1]:
        partial = {
            (*counts, t): reached * probability
            for counts, reached in partial.items()
            for t, probability in enumerate(clamped_laplace(centre, n - sum(counts), scale, rounding))
        }
    return {(*counts, n - sum(counts)): probability for counts, probability in partial.items()}


def kernel(k: int, n: int, row: Callable[[Counts], Row]) -> Kernel:
    """The rows of every candidate."""
    return {c: row(c) for c in candidates(k, n)}
