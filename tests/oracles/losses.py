"""Losses between neighbours and what they add up to, with fifty digits, from the noise itself."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import product

from .mechanisms import laplace_distribution
from .precision import Exact, Real, mp, real

Atoms = list[tuple[Real, Real]]
"""Losses, each with its probability under the first of two laws."""


def geometric_atoms(epsilon: Exact, k: int) -> Atoms:
    """Of noise that keeps the sum of k counts: a loss of ε where one noise is at least 0 and another at most 0."""
    loss = real(epsilon)
    x = mp.exp(-loss)
    fewer, all_ = (mp.fsum(math.comb(m, j) ** 2 * x**j for j in range(m + 1)) for m in (k - 2, k - 1))
    p = fewer / all_
    return [(loss, p), (-loss, x * p), (mp.zero, 1 - (1 + x) * p)]


def laplace_atoms(rate: Exact, *, nearest: bool, reach: int = 4) -> Atoms:
    """Of one count with rounded Laplace noise, moved by one: all outputs near it, and both tails as one each."""
    r, shift = real(rate), mp.mpf(1) / 2 if nearest else mp.zero

    def below(y: Real) -> Real:
        return laplace_distribution(y, 1 / r)

    def mass(t: int) -> Real:
        return below(t + 1 - shift) - below(t - shift)

    atoms = [(mp.log(mass(t) / mass(t - 1)), mass(t)) for t in range(-reach, reach + 1)]
    low, high = below(-reach - shift), 1 - below(reach + 1 - shift)
    return [*atoms, (r, low), (-r, high)]


def delta_of_all(releases: Sequence[Atoms], at: Exact | Real) -> Real:
    """Σ P(L)·max(0, 1 - e^(ε-L)) over all combinations of losses."""
    epsilon, total = real(at), mp.zero
    for choice in product(*releases):
        loss, chance = mp.fsum(loss for loss, _ in choice), mp.fprod(p for _, p in choice)
        total += chance * max(mp.zero, 1 - mp.exp(epsilon - loss))
    return total
