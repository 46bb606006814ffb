"""Claims about the space of posteriors: its size, its densities, who is adjacent, how far one record moves counts."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from fractions import Fraction
from math import comb, factorial, prod
from typing import Any, TypeAlias

from discreet.posteriors.space import PosteriorSpace
from discreet_papers.claims.base import Check, Evidence

Row: TypeAlias = tuple[int, ...]
Truncation: TypeAlias = Callable[[Sequence[int], int], Row]


def _size(formula: Callable[[int, int], int]) -> Evidence:
    sizes = {(n, k): len(list(PosteriorSpace(prior=[1] * k, n=n).candidates())) for k in (3, 2, 4, 5) for n in _SIZES}
    wrong = (
        f"n = {n}, k = {k}: {formula(n, k)}, not {size}" for (n, k), size in sizes.items() if formula(n, k) != size
    )
    return Evidence.unless(wrong, formula(10, 3), f"n = 10, k = 3: {formula(10, 3)}, as listed")


_SIZES = range(10, 0, -1)


def _line_size(formula: Callable[[int], int]) -> Evidence:
    sizes = {n: len(PosteriorSpace(prior=[1, 1], n=n).candidates()) for n in range(1, 40)}
    wrong = (f"n = {n}" for n, size in sizes.items() if formula(n) != size)
    return Evidence.unless(wrong, formula(10), f"n = 10 gives {formula(10)}, as listed")


def _density(shift: int) -> Evidence:
    """∫ Π θ_i^(α_i + shift) dθ over the simplex is Π Γ(α_i + shift + 1)/Γ(Σ(α_i + shift + 1)): it must equal B(α)."""
    masses = {alpha: _generalised_beta([a + shift + 1 for a in alpha]) / _generalised_beta(alpha) for alpha in _ALPHAS}
    alpha, mass = next(((a, m) for a, m in masses.items() if m != 1), (_ALPHAS[0], Fraction(1)))
    return Evidence(mass == 1, float(mass), f"the density of parameters {alpha} has mass {mass}")


_ALPHAS = ((7, 4, 5), (2, 3), (1, 1), (1, 2, 3, 4))


def _generalised_beta(alpha: Sequence[int]) -> Fraction:
    return Fraction(prod(factorial(a - 1) for a in alpha), factorial(sum(alpha) - 1))


def _adjacency(related: Callable[[Row, Row], bool]) -> Evidence:
    """Among all data sets of four records: those related must be exactly those that differ in at most one record."""
    pairs = list(itertools.product(itertools.product((0, 1), repeat=4), repeat=2))
    wrong = [(x, y) for x, y in pairs if related(x, y) != (sum(a != b for a, b in zip(x, y, strict=True)) <= 1)]
    shown = f"{_digits(wrong[0][0])} and {_digits(wrong[0][1])} are judged wrongly" if wrong else "all pairs agree"
    return Evidence(not wrong, len(wrong), f"{shown}: {len(wrong)} of {len(pairs)} pairs wrong")


def _digits(row: Row) -> str:
    return "".join(map(str, row))


def _moved(formula: Callable[[int], int]) -> Evidence:
    """The largest L1 distance between the parameters of adjacent posteriors, by enumeration."""
    found = {}
    for k in (2, 3, 4, 5):
        space = PosteriorSpace(prior=[1] * k, n=4)
        found[k] = max(
            sum(abs(a - b) for a, b in zip(c, other, strict=True))
            for c in space.candidates()
            for other in space.adjacency.neighbours(c)
        )
    wrong = (f"k = {k}: {formula(k)}, but {far} by enumeration" for k, far in found.items() if formula(k) != far)
    return Evidence.unless(wrong, max(found.values()), "2 for k = 2 to 5")


def _truncation(rule: Truncation) -> Evidence:
    """Whatever the noise, the truncated counts must be candidates: whole, none negative, their sum n."""
    n, wrong = 5, []
    for noisy in itertools.product(range(-3, 9), repeat=2):
        released = rule(noisy, n)
        if min(released) < 0 or sum(released) != n:
            wrong.append((noisy, released))
    if not wrong:
        return Evidence(True, n, f"all noisy counts from -3 to 8 lead to totals of {n}")
    noisy, released = wrong[-1]
    return Evidence(False, sum(released), f"noisy counts {noisy} become {released}, of total {sum(released)}")


def clamp_each(noisy: Sequence[int], n: int) -> Row:
    """The paper's rule: every count to [0, n], and the last is n less the others, to [0, n].

    >>> clamp_each([4, 3], 5)
    (4, 3, 0)
    """
    kept = [min(max(count, 0), n) for count in noisy]
    return (*kept, min(max(n - sum(kept), 0), n))


def clamp_in_turn(noisy: Sequence[int], n: int) -> Row:
    """Every count to what the ones before it have left.

    >>> clamp_in_turn([4, 3], 5)
    (4, 1, 0)
    """
    kept: list[int] = []
    for count in noisy:
        kept.append(min(max(count, 0), n - sum(kept)))
    return (*kept, n - sum(kept))


CHECKS: dict[str, Check[Any]] = {
    "001-size": Check(_size, lambda n, k: comb(n + 1, k - 1), lambda n, k: comb(n + k - 1, k - 1)),
    "001-line-size": Check(_line_size, lambda n: n + 1),
    "001-beta-density": Check(_density, 0, -1),
    "001-dirichlet-density": Check(_density, -1),
    "003-dirichlet-density": Check(_density, 0, -1),
    "001-adjacency": Check(
        _adjacency,
        lambda x, y: sum(a == b for a, b in zip(x, y, strict=True)) <= 1,
        lambda x, y: sum(a != b for a, b in zip(x, y, strict=True)) <= 1,
    ),
    "001-moved": Check(_moved, lambda k: k, lambda k: 2),
    "001-moved-improved": Check(_moved, lambda k: 2),
    "001-truncation": Check(_truncation, clamp_each, clamp_in_turn),
}
