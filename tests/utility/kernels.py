"""Mechanisms of the library on small spaces, and the same kernels from the oracles alone."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import cache
from typing import Any

import discreet as dc
from tests.oracles import geometric, mechanisms, spaces
from tests.oracles.mechanisms import Kernel
from tests.oracles.precision import Exact, Real, mp, real
from tests.privacy_loss.families import KINDS, oracle_sensitivities

SPACES: Mapping[str, tuple[Sequence[Exact], int]] = {
    "two": ((Fraction(1), Fraction(1)), 9),
    "uneven": ((Fraction(1, 2), Fraction(3)), 8),
    "three": ((Fraction(1), Fraction(1), Fraction(2)), 4),
}

NAMES = (
    "geometric",
    "laplace",
    "laplace-improved",
    "exponential-global",
    "exponential-local",
    "exponential-smooth",
    "exponential-reciprocal",
)

EPSILON = "2.1"

RADIUS = 18
"""Noises of the geometric mechanism beyond this are left out: their probability is below 1e-14."""


def space_of(kind: str) -> dc.PosteriorSpace:
    alpha, n = SPACES[kind]
    return dc.PosteriorSpace(prior=dc.Dirichlet(alpha), n=n)


def mechanism_of(kind: str, name: str, **options: Any) -> Any:
    return dc.mechanism(name, space_of(kind), epsilon=EPSILON, **options)


@cache
def sensitivities(kind: str, name: str, gamma: Fraction) -> Mapping[spaces.Counts, Real]:
    [family] = (family for family in KINDS if family.name == name)
    return oracle_sensitivities(family, *SPACES[kind], gamma)


@cache
def kernel(kind: str, name: str) -> Kernel:
    """P(r | c) of every c, from the definitions."""
    mechanism = mechanism_of(kind, name)
    alpha, n = SPACES[kind]
    if name.startswith("exponential"):
        table = sensitivities(kind, name, getattr(mechanism, "gamma", Fraction(0)))
        return mechanisms.exponential_kernel(alpha, mechanism.scale, table)
    every = spaces.candidates(len(alpha), n)
    if name == "geometric":
        return {c: _whole(geometric.after_nearest(c, mechanism.epsilon, RADIUS)[0]) for c in every}
    return {c: mechanisms.laplace(c, 1 / real(mechanism.rate)) for c in every}


def _whole(row: mechanisms.Row) -> mechanisms.Row:
    total = mp.fsum(row.values())
    return {r: p / total for r, p in row.items()}
