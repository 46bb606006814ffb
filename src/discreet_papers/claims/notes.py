"""Claims in the captions of paper 003: its sensitivities and its γ, to the digits that are printed."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet import Dirichlet, PosteriorSpace, global_sensitivity, local_sensitivity
from discreet_papers.claims.base import Check, Evidence
from discreet_papers.figures.notes import CAPTIONS, has_both, impossible_sensitivity
from discreet_papers.published import legacy_gamma

PRIOR = Dirichlet([7, 4, 5])
GLOBAL = "0.239992747797"
GAMMAS = {100: "0.0699407108115", 120: "0.0677791100173"}


def agrees(value: float, printed: str) -> bool:
    """Whether a number rounds to the digits that are printed.

    >>> agrees(0.0816, "0.08"), agrees(0.0816, "0.0945")
    (True, False)
    """
    digits = len(printed.partition(".")[2])
    return abs(Fraction(value) - Fraction(printed)) <= Fraction(1, 2 * 10**digits)


def _global_value(value: Callable[[], float]) -> Evidence:
    """A number against the enumeration of all neighbours of all data sets, at n small enough for that."""
    found = max(
        PosteriorSpace(prior=PRIOR, n=n).distance(c, other)
        for n in (4, 8)
        for c in PosteriorSpace(prior=PRIOR, n=n).candidates()
        for other in PosteriorSpace(prior=PRIOR, n=n).adjacency.neighbours(c)
    )
    impossible = impossible_sensitivity()
    why = f"; {GLOBAL} = H(DL(7,4,5), DL(8,3,5)), no posterior of any data" if agrees(impossible, GLOBAL) else ""
    return Evidence(math.isclose(value(), found, rel_tol=1e-9), found, f"{value():.12f}, enumerated {found:.12f}{why}")


def gamma(inside: int) -> float:
    """ln(1 - ε/(2 ln(δ/(2·inside)))) at ε = δ = 0.8."""
    return legacy_gamma(inside, "0.8", "0.8")


def _gammas(inside: Callable[[int], int]) -> Evidence:
    """The formula's γ at n = 100 and 120 against the twelve digits printed."""
    found = {n: gamma(inside(n)) for n in GAMMAS}
    shown = " and ".join(f"{value:.10f}" for value in found.values())
    near = all(agrees(found[n], GAMMAS[n]) for n in GAMMAS)
    return Evidence(near, found[100], f"{shown}, where {' and '.join(GAMMAS.values())} are printed")


def _size(inside: Callable[[int], int]) -> Evidence:
    """The lemma's γ needs |R|, the number of candidates; the figures have three categories."""
    sizes = {n: PosteriorSpace(prior=PRIOR, n=n).size for n in GAMMAS}
    right = all(inside(n) == sizes[n] for n in sizes)
    shown = f"n = 100: |R| = {sizes[100]}, {inside(100)} is used, γ = {gamma(inside(100)):.10f}"
    return Evidence(right, gamma(inside(100)), shown)


def _figure_4(n: int) -> Evidence:
    """The γ under Figure 4, which has n = 150, by the program's formula."""
    return Evidence(
        agrees(gamma(n), GAMMAS[120]), gamma(n), f"n = {n}: {gamma(n):.13f}, where {GAMMAS[120]} is printed"
    )


def _captions(data: Callable[[NDArray[np.int64]], NDArray[np.bool_]]) -> Evidence:
    """Is there, for each n, a data set of the kind claimed that has both sensitivities as printed?"""
    matches, shown, balanced = [], [], {}
    for n in CAPTIONS:
        space = PosteriorSpace(prior=PRIOR, n=n)
        rows = space.candidates().array()
        both = has_both(space, float(GAMMAS[n]), rows[data(rows)])
        balanced[n] = local_sensitivity(space, (n // 3, n // 3, n - 2 * (n // 3)))
        matches.append(bool(both.any()))
        shown.append(f"n = {n}: {both.sum()} of {len(both)} data sets match; balanced has LS {balanced[n]:.4f}")
    return Evidence(all(matches), balanced[100], "; ".join(shown))


CHECKS: dict[str, Check[Any]] = {
    "003-global": Check(
        _global_value, lambda: float(GLOBAL), lambda: global_sensitivity(PosteriorSpace(prior=PRIOR, n=100))
    ),
    "003-gamma": Check(_gammas, lambda n: n + 1, lambda n: n),
    "003-gamma-size": Check(_size, lambda n: n + 1, lambda n: math.comb(n + 2, 2)),
    "003-gamma-figure-4": Check(_figure_4, 150, 120),
    "003-local": Check(
        _captions, lambda rows: rows.max(axis=1) - rows.min(axis=1) <= 1, lambda rows: rows.min(axis=1) >= 0
    ),
}
