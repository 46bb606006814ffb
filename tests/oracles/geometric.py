"""The geometric mechanism: whole-number noise of total zero, and `nearest`, its default post-processing (section 4)."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cache
from itertools import combinations, product
from math import comb, floor

from .mechanisms import Row
from .precision import Exact, Real, mp, real
from .spaces import Counts, hamming


def noises(k: int, radius: int) -> Iterator[Counts]:
    """Every v of k whole numbers with total 0 and |v|_1 at most twice the radius."""
    for free in product(range(-radius, radius + 1), repeat=k - 1):
        v = (*free, -sum(free))
        if sum(map(abs, v)) <= 2 * radius:
            yield v


def normaliser_by_summation(k: int, epsilon: Exact, radius: int) -> Real:
    """The sum of exp(-epsilon |v|_1 / 2) over the noises up to a radius: below the full sum by what is outside."""
    return mp.fsum(mp.exp(-real(epsilon) * sum(map(abs, v)) / 2) for v in noises(k, radius))


def normaliser(k: int, epsilon: Exact) -> Real:
    """The full sum: (1 - x)^(1-k) times the sum of C(k-1,j)² x^j, with x = exp(-epsilon)."""
    x = mp.exp(-real(epsilon))
    return mp.fsum(comb(k - 1, j) ** 2 * x**j for j in range(k)) / (1 - x) ** (k - 1)


def probability(c: Sequence[int], z: Sequence[int], epsilon: Exact) -> Real:
    """P(z | c) for noisy counts z of the same total, perhaps negative."""
    return _at_distance(len(c), hamming(c, z), epsilon)


@cache
def _at_distance(k: int, distance: int, epsilon: Exact) -> Real:
    return mp.exp(-real(epsilon) * distance) / normaliser(k, epsilon)


def tail(k: int, epsilon: Exact, radius: int) -> Real:
    """The probability of a noise with |v|_1 above twice the radius, by counting the ones below it."""
    x = mp.exp(-real(epsilon))
    return 1 - mp.fsum(_sphere(k, m) * x**m for m in range(radius + 1)) / normaliser(k, epsilon)


@cache
def _sphere(k: int, m: int) -> int:
    """How many v of total 0 have |v|_1 = 2m: choose the a categories that gain m and the b that lose m."""
    if m == 0:
        return 1
    return sum(
        comb(k, a) * comb(m - 1, a - 1) * comb(k - a, b) * comb(m - 1, b - 1)
        for a in range(1, k)
        for b in range(1, k - a + 1)
    )


def project(z: Sequence[int], n: int) -> list[Fraction]:
    """The point of {x >= 0, sum x = n} nearest to z: every support is tried, in exact arithmetic."""
    k, best = len(z), None
    for size in range(1, k + 1):
        for support in combinations(range(k), size):
            shift = Fraction(sum(z[i] for i in support) - n, size)
            x = [z[i] - shift if i in support else Fraction(0) for i in range(k)]
            if min(x) < 0:
                continue
            squared = sum(((a - b) ** 2 for a, b in zip(z, x, strict=True)), Fraction(0))
            if best is None or squared < best[0]:
                best = (squared, x)
    assert best is not None
    return best[1]


def round_by_largest_remainder(x: Sequence[Fraction]) -> Counts:
    """Whole numbers of the same total: round down, add 1 where remainders are largest, ties to the lower index."""
    down = [floor(value) for value in x]
    missing = sum(x, Fraction(0)) - sum(down)
    by_remainder = sorted(range(len(x)), key=lambda i: (-(x[i] - down[i]), i))
    for i in by_remainder[: int(missing)]:
        down[i] += 1
    return tuple(down)


def nearest(z: Sequence[int]) -> Counts:
    """The default post-processing: project, then round."""
    return round_by_largest_remainder(project(z, sum(z)))


def law(c: Sequence[int], epsilon: Exact, radius: int) -> Row:
    """P(z | c) for the noisy counts up to a radius from c; what is missing from 1 is `tail`."""
    outputs = (tuple(x + y for x, y in zip(c, v, strict=True)) for v in noises(len(c), radius))
    return {z: probability(c, z, epsilon) for z in outputs}


def after_nearest(c: Sequence[int], epsilon: Exact, radius: int) -> tuple[Row, Real]:
    """The law on the candidates after `nearest`, from noises up to a radius, and the probability left out."""
    row: Row = {}
    for z, p in law(c, epsilon, radius).items():
        r = nearest(z)
        row[r] = row.get(r, mp.zero) + p
    return row, tail(len(c), epsilon, radius)
