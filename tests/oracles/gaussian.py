"""The discrete Gaussian on whole numbers of total zero (section 13), by summation from the definition."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from itertools import product

from .precision import Exact, Real, mp, real
from .spaces import Counts

FAR = 9
"""Noise of one count beyond so many deviations is left out: less than 1e-16 of all."""


def noises(k: int, sigma: Exact) -> Iterator[tuple[Counts, Real]]:
    """Every v of k whole numbers with total 0 that matters, and its weight."""
    reach = int(FAR * real(sigma)) + 2
    for free in product(range(-reach, reach + 1), repeat=k - 1):
        v = (*free, -sum(free))
        yield v, mp.exp(-sum(t * t for t in v) / (2 * real(sigma) ** 2))


@cache
def normaliser(k: int, sigma: Exact) -> Real:
    """The sum of all weights."""
    return mp.fsum(weight for _, weight in noises(k, sigma))


@cache
def losses(k: int, sigma: Exact, step: tuple[int, int] = (0, 1)) -> dict[Real, Real]:
    """The privacy loss between c and c - e_i + e_j, as a law: from the two weights of every output."""
    law: dict[Real, Real] = defaultdict(lambda: real(0))
    i, j = step
    for v, weight in noises(k, sigma):
        moved = list(v)
        moved[i], moved[j] = moved[i] + 1, moved[j] - 1
        loss = (sum(t * t for t in moved) - sum(t * t for t in v)) / (2 * real(sigma) ** 2)
        law[loss] += weight / normaliser(k, sigma)
    return dict(law)


def delta(law: dict[Real, Real], epsilon: Exact) -> Real:
    """The least δ with which a loss of this law is (ε, δ)-DP."""
    return mp.fsum(chance * max(real(0), 1 - mp.exp(real(epsilon) - loss)) for loss, chance in law.items())


def renyi(k: int, sigma: Exact, order: Exact) -> Real:
    """The Rényi divergence of an order between c and c - e_1 + e_2: ln Σ P^a·Q^(1-a) over a - 1.

    The sum is greatest about c + (a-1)(e_1 - e_2), and that is where noises are enumerated.
    """
    a, variance = real(order), real(sigma) ** 2
    shift, total = int(mp.nint(a - 1)), real(0)
    for v, _ in noises(k, sigma):
        t = (v[0] + shift, v[1] - shift, *v[2:])
        moved = (t[0] + 1, t[1] - 1, *t[2:])
        one, other = (sum(x * x for x in side) / (2 * variance) for side in (t, moved))
        total += mp.exp(-a * one - (1 - a) * other)
    return mp.log(total / normaliser(k, sigma)) / (a - 1)


def added(one: dict[Real, Real], other: dict[Real, Real]) -> dict[Real, Real]:
    """The law of the sum of two independent losses."""
    law: dict[Real, Real] = defaultdict(lambda: real(0))
    for (x, p), (y, q) in product(one.items(), other.items()):
        law[x + y] += p * q
    return dict(law)
