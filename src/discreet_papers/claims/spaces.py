"""Claims about the space of posteriors: its size, its densities, who is adjacent, how far one record moves counts."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from fractions import Fraction
from math import comb, factorial, prod
from typing import Any, TypeAlias

from discreet.posteriors.space import PosteriorSpace
from discreet_papers.claims.base import Claim, Evidence

Row: TypeAlias = tuple[int, ...]
Truncation: TypeAlias = Callable[[Sequence[int], int], Row]


def _size(formula: Callable[[int, int], int]) -> Evidence:
    wrong = ""
    for k, n in itertools.product((5, 4, 3, 2), range(1, 11)):
        listed = sum(1 for _ in PosteriorSpace(prior=[1] * k, n=n).candidates())
        if formula(n, k) != listed:
            wrong = f"n = {n}, k = {k}: {formula(n, k)}, not {listed}"
    return Evidence(not wrong, formula(10, 3), wrong or f"n = 10, k = 3: {formula(10, 3)}, as listed")


def _line_size(formula: Callable[[int], int]) -> Evidence:
    wrong = [n for n in range(1, 40) if formula(n) != len(PosteriorSpace(prior=[1, 1], n=n).candidates())]
    return Evidence(not wrong, formula(10), f"n = {wrong[0]}" if wrong else f"n = 10 gives {formula(10)}, as listed")


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
    wrong = [k for k in found if formula(k) != found[k]]
    shown = (
        f"k = {wrong[0]}: {formula(wrong[0])}, but {found[wrong[0]]} by enumeration" if wrong else "2 for k = 2 to 5"
    )
    return Evidence(not wrong, max(found.values()), shown)


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
    """The seed's rule: every count to [0, n], and the last is n less the others, to [0, n].

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


CLAIMS: tuple[Claim[Any], ...] = (
    Claim(
        id="001-size",
        source="001 §4.2",
        says="R has C(n+1, m-1) elements for m categories",
        settings="candidates listed one by one, k = 2 to 5, n = 1 to 10",
        right="C(n+k-1, k-1)",
        test=_size,
        printed=lambda n, k: comb(n + 1, k - 1),
        mended=lambda n, k: comb(n + k - 1, k - 1),
    ),
    Claim(
        id="001-line-size",
        source="001 §4",
        says="for two categories R has n+1 elements",
        settings="candidates counted, n = 1 to 39",
        right="n+1",
        test=_line_size,
        printed=lambda n: n + 1,
    ),
    Claim(
        id="001-beta-density",
        source="001 §2",
        says="the beta density is θ^α (1-θ)^β / B(α,β)",
        settings="the integral, exactly, for four parameter vectors",
        right="the exponents are α-1 and β-1",
        test=_density,
        printed=0,
        mended=-1,
    ),
    Claim(
        id="001-dirichlet-density",
        source="001 §2",
        says="the Dirichlet density is Π θ_i^(α_i-1) / B(α)",
        settings="the integral, exactly, for four parameter vectors",
        right="as printed",
        test=_density,
        printed=-1,
    ),
    Claim(
        id="003-dirichlet-density",
        source="003 §1",
        says="the Dirichlet density is Π ξ_i^α_i / B(α)",
        settings="the integral, exactly, for four parameter vectors",
        right="the exponents are α_i-1, as 001 §2 has them",
        test=_density,
        printed=0,
        mended=-1,
    ),
    Claim(
        id="001-adjacency",
        source="001 footnote 1",
        says="x and x' are adjacent iff Σ[x_i = x'_i] ≤ 1",
        settings="all pairs of data sets of four records",
        right="disagreements are counted, Σ[x_i ≠ x'_i] ≤ 1",
        test=_adjacency,
        printed=lambda x, y: sum(a == b for a, b in zip(x, y, strict=True)) <= 1,
        mended=lambda x, y: sum(a != b for a, b in zip(x, y, strict=True)) <= 1,
    ),
    Claim(
        id="001-moved",
        source="001 §4.1.3",
        says="ΔBI, the L1 distance between adjacent posteriors' parameters, is proportional to the dimension",
        settings="all adjacent pairs, n = 4, k = 2 to 5",
        right="2 for every k, by its own definition",
        test=_moved,
        printed=lambda k: k,
        mended=lambda k: 2,
    ),
    Claim(
        id="001-moved-improved",
        source="001 §3, §4.1.4",
        says="adjacent posteriors differ in at most two parameters, so ΔBI ≤ 2 for every dimension",
        settings="all adjacent pairs, n = 4, k = 2 to 5",
        right="2 for every k",
        test=_moved,
        printed=lambda k: 2,
    ),
    Claim(
        id="001-truncation",
        source="001 §4.1.3",
        says="truncating every noisy count to [0, n] makes sure that the noised posterior is valid",
        settings="three categories, n = 5, all noisy counts from -3 to 8",
        right="each count is clamped to what the ones before it have left",
        test=_truncation,
        printed=clamp_each,
        mended=clamp_in_turn,
    ),
)
