"""Local, global and smooth sensitivity by enumeration (section 2).

`..._by_definition` compares |d(c,r) - d(c',r)| over all candidates r, for any distance. The others use that the
maximum is reached at r = c when the distance is a metric; they still enumerate every c'.
"""

from collections.abc import Sequence
from functools import lru_cache

from .distances import Distance, hellinger
from .precision import Exact, Real, exact, mp, real
from .spaces import Counts, candidates, hamming, neighbours, posterior


@lru_cache(maxsize=200_000)
def _between(alpha: tuple[Exact, ...], c: Counts, r: Counts, distance: Distance) -> Real:
    return distance(posterior(alpha, c), posterior(alpha, r))


def between(alpha: Sequence[Exact], c: Sequence[int], r: Sequence[int], distance: Distance = hellinger) -> Real:
    """The distance of the posteriors of c and r."""
    return _between(tuple(exact(a) for a in alpha), tuple(c), tuple(r), distance)


def locals_by_definition(alpha: Sequence[Exact], n: int, distance: Distance = hellinger) -> dict[Counts, Real]:
    """The local sensitivity of every candidate c: the largest |d(c,r) - d(c',r)| over adjacent c' and all r."""
    every = candidates(len(alpha), n)

    def largest(c: Counts) -> Real:
        pairs = ((other, r) for other in neighbours(c) for r in every)
        return max(abs(between(alpha, c, r, distance) - between(alpha, other, r, distance)) for other, r in pairs)

    return {c: largest(c) for c in every}


def local(alpha: Sequence[Exact], c: Sequence[int], distance: Distance = hellinger) -> Real:
    """The largest d(c,c') over adjacent c': equal to the definition for a metric."""
    return max(between(alpha, c, other, distance) for other in neighbours(c))


def locals_everywhere(alpha: Sequence[Exact], n: int, distance: Distance = hellinger) -> dict[Counts, Real]:
    """The local sensitivity of every candidate, for a metric."""
    return {c: local(alpha, c, distance) for c in candidates(len(alpha), n)}


def greatest(locals_: dict[Counts, Real]) -> Real:
    """The global sensitivity."""
    return max(locals_.values())


def smooth(locals_: dict[Counts, Real], c: Sequence[int], gamma: Exact | Real) -> Real:
    """max over all c' of LS(c') exp(-gamma d(c,c'))."""
    return max(value * mp.exp(-real(gamma) * hamming(c, other)) for other, value in locals_.items())


def reciprocal(locals_: dict[Counts, Real], c: Sequence[int], gamma: Exact | Real) -> Real:
    """1 / min over all c' of (1/LS(c') + gamma d(c,c'))."""
    return 1 / min(1 / value + real(gamma) * hamming(c, other) for other, value in locals_.items())


def smooth_everywhere(locals_: dict[Counts, Real], gamma: Exact | Real) -> dict[Counts, Real]:
    """The exponentially smooth sensitivity of every candidate."""
    return {c: smooth(locals_, c, gamma) for c in locals_}


def reciprocal_everywhere(locals_: dict[Counts, Real], gamma: Exact | Real) -> dict[Counts, Real]:
    """The reciprocally smooth sensitivity of every candidate."""
    return {c: reciprocal(locals_, c, gamma) for c in locals_}


def published_gamma(epsilon: Exact, delta: Exact, size: int) -> Real:
    """The papers' ln(1 - epsilon / (2 ln(delta / (2 size)))); size is |R|, and n in the authors' program."""
    return mp.log(1 - real(epsilon) / (2 * mp.log(real(delta) / (2 * size))))


def step_of_reciprocals(sensitivities: dict[Counts, Real]) -> Real:
    """The capital gamma of section 3: the largest |1/S(c) - 1/S(c')| over adjacent c, c'."""
    return max(abs(1 / sensitivities[c] - 1 / sensitivities[other]) for c in sensitivities for other in neighbours(c))
