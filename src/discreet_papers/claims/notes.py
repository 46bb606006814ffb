"""Claims in the captions of seed 003: its sensitivities and its γ, to the digits that are printed."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from discreet.mechanisms.exponential import ExponentialSmooth
from discreet.posteriors import Dirichlet
from discreet.posteriors.distances import hellinger
from discreet.posteriors.space import PosteriorSpace
from discreet.sensitivity.exact import global_sensitivity
from discreet.sensitivity.vectorised import Steps
from discreet_papers.claims.base import Claim, Evidence

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

PRIOR = Dirichlet([7, 4, 5])
GLOBAL = "0.239992747797"
GAMMAS = {100: "0.0699407108115", 120: "0.0677791100173"}
CAPTIONS = {100: ("0.08", "0.09"), 120: ("0.0945", "0.096")}
"""Local and smooth sensitivity as printed under Figure 3, by n."""


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
    impossible = hellinger(PRIOR, Dirichlet([8, 3, 5]))
    why = f"; {GLOBAL} = H(DL(7,4,5), DL(8,3,5)), no posterior of any data" if agrees(impossible, GLOBAL) else ""
    return Evidence(math.isclose(value(), found, rel_tol=1e-9), found, f"{value():.12f}, enumerated {found:.12f}{why}")


def gamma(inside: float) -> float:
    """ln(1 - ε/(2 ln(δ/(2·inside)))) at ε = δ = 0.8."""
    return math.log(1 - 0.8 / (2 * math.log(0.8 / (2 * inside))))


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
    matches, shown = [], []
    for n, (local, smooth) in CAPTIONS.items():
        space = PosteriorSpace(prior=PRIOR, n=n)
        rows = space.candidates().array()
        steps = Steps(space, rows[data(rows)])
        found = 1 / steps.local, 1 / steps.inverse(ExponentialSmooth, float(GAMMAS[n]))
        both = [agrees(a, local) and agrees(b, smooth) for a, b in zip(*(x.tolist() for x in found), strict=True)]
        matches.append(any(both))
        shown.append(f"n = {n}: {sum(both)} of {len(both)} data sets match; balanced has LS {_balanced(space):.4f}")
    return Evidence(all(matches), _balanced(PosteriorSpace(prior=PRIOR, n=100)), "; ".join(shown))


def _balanced(space: PosteriorSpace) -> float:
    import numpy as np

    share, rest = divmod(space.n, 3)
    return float(1 / Steps(space, np.array([[share, share, share + rest]])).local[0])


CLAIMS: tuple[Claim[Any], ...] = (
    Claim(
        id="003-global",
        source="003 Figures 3 and 4",
        says=f"the global sensitivity for DL(7,4,5) is {GLOBAL}",
        settings="all neighbours of all data sets, n = 4 and 8; it does not depend on n",
        right="the step between the two smallest priors",
        test=_global_value,
        printed=lambda: float(GLOBAL),
        mended=lambda: global_sensitivity(PosteriorSpace(prior=PRIOR, n=100)),
    ),
    Claim(
        id="003-gamma",
        source="003 §2.3.1, Figure 3",
        says=f"γ = ln(1 - ε/(2 ln(δ/(2(n+1))))), which is {' and '.join(GAMMAS.values())}",
        settings="ε = δ = 0.8, n = 100 and 120, twelve digits",
        right="the printed digits have 2n for 2(n+1)",
        test=_gammas,
        printed=lambda n: n + 1,
        mended=lambda n: n,
    ),
    Claim(
        id="003-gamma-size",
        source="003 Lemma 2.2, Figure 3",
        says="|R| = n+1, also for DL(7,4,5)",
        settings="candidates counted, n = 100 and 120",
        right="C(n+2, 2) for three categories",
        test=_size,
        printed=lambda n: n + 1,
        mended=lambda n: math.comb(n + 2, 2),
    ),
    Claim(
        id="003-gamma-figure-4",
        source="003 Figure 4",
        says=f"γ = {GAMMAS[120]} at n = 150",
        settings="ε = δ = 0.8, with 2n, thirteen digits",
        right="that is the γ of n = 120",
        test=_figure_4,
        printed=150,
        mended=120,
    ),
    Claim(
        id="003-local",
        source="003 Figure 3",
        says="local and smooth sensitivity are 0.08 and 0.09 at n = 100, 0.0945 and 0.096 at n = 120",
        settings="DL(7,4,5), the printed γ; balanced data, then every data set",
        right="no data set at all has both numbers",
        test=_captions,
        printed=lambda rows: rows.max(axis=1) - rows.min(axis=1) <= 1,
        mended=lambda rows: rows.min(axis=1) >= 0,
    ),
)
