"""Claims about privacy: what the mechanisms guarantee, and what their exact losses are."""

from __future__ import annotations

import itertools
import math
import operator
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import TYPE_CHECKING, Any, TypeAlias

from discreet.mechanisms import Laplace, LaplaceImproved
from discreet.mechanisms.exponential import (
    Exponential,
    ExponentialGlobal,
    ExponentialReciprocal,
    ExponentialSmooth,
)
from discreet.posteriors.space import PosteriorSpace
from discreet.privacy_loss import audit
from discreet.privacy_loss.scan import Dense
from discreet.sensitivity.exact import local_sensitivity, reciprocal_sensitivity
from discreet.sensitivity.vectorised import Steps
from discreet_papers.claims.base import Claim, Evidence

if TYPE_CHECKING:
    from numpy.typing import NDArray

SPACES = tuple(
    PosteriorSpace(prior=prior, n=n)
    for prior, sizes in (
        (["0.01", "0.01"], (50, 1000)),
        (["0.1", "0.1"], (100_000,)),
        ([1, 1], (1, 10, 50, 1000)),
        ([7, 4], (50, 200)),
        ([20, 20], (10, 200)),
        ([1, 1, 1], (5, 20)),
    )
    for n in sizes
)
"""Where losses are enumerated: small, large, uneven and strong priors, two and three categories."""

WHERE = "beta(.01,.01), (.1,.1), (1,1), (7,4), (20,20) and DL(1,1,1), n = 1 to 100,000, all neighbours and outputs"

Outputs: TypeAlias = Callable[["NDArray[Any]", "NDArray[Any]", int, int], "slice | None"]
"""The outputs that an argument looks at for data sets x and y, by rank, given LS and all distances; None for none."""


def _largest_loss(make: Callable[[PosteriorSpace], Exponential], bound: float) -> Evidence:
    """The largest exact loss over the spaces, certainly reached, against what is claimed."""
    found = [(float(audit(make(space)).lower), space) for space in SPACES]
    worst, space = max(found, key=lambda pair: pair[0])
    least = min(loss for loss, _ in found)
    shown = f"exact losses from {least:.2f} to {worst:.4f}, at {_name(space)}, n = {space.n:,}; claimed {bound:g}"
    return Evidence(worst <= bound, worst, shown)


def _name(space: PosteriorSpace) -> str:
    kind = "beta" if space.k == 2 else "DL"
    return f"{kind}({','.join(f'{float(a):g}' for a in space.prior.parameters)})"


def _scaled(kind: type[Exponential], factor: Fraction) -> Callable[[PosteriorSpace], Exponential]:
    """The family member at scale s = factor, which the seeds publish with factor ε/2."""
    return lambda space: kind(space, scale=factor)


def _delta(make: Callable[[PosteriorSpace], Exponential]) -> Evidence:
    """The least δ at ε = 1 over the spaces; claimed is 1e-8."""
    worst = max(audit(make(space)).delta(1) for space in SPACES if space.n <= 1000)
    return Evidence(worst <= 1e-8, worst, f"δ*(1) is at most {worst:.3g}; claimed 1e-8")


def _laplace(scale: Callable[[int], Fraction]) -> Evidence:
    """The exact loss of Laplace noise of this scale for ε = 1, floored and clamped as published."""
    found = {}
    for k, n in ((2, 30), (3, 8), (4, 5)):
        space = PosteriorSpace(prior=[1] * k, n=n)
        found[k] = float(audit(LaplaceImproved(space, epsilon=1, rate=1 / scale(k), rounding="floor")).lower)
    shown = ", ".join(f"{loss:.4f} for k = {k}" for k, loss in found.items())
    return Evidence(max(found.values()) <= 1 + 1e-9, max(found.values()), f"exact losses at ε = 1: {shown}")


def _argument(outputs: Outputs) -> Evidence:
    """Is there a loss above ε = 1 among the (x, y, r) that the argument admits, under local sensitivity at s = ε/2?"""
    worst, where, pairs = -math.inf, "no x, y and r satisfy the conditions", 0
    for space in _argued():
        scan = Dense(space)
        local = 1 / Steps(space, scan.rows).local
        log_pmf = scan.log_pmf(0.5 / local)
        rank = {tuple(row): i for i, row in enumerate(scan.rows.tolist())}
        for c, x in rank.items():
            for other in space.adjacency.neighbours(c):
                y = rank[tuple(other)]
                admitted = outputs(local, scan.distances, x, y)
                if admitted is None:
                    continue
                loss = float((log_pmf[x] - log_pmf[y])[admitted].max())
                pairs += 1
                if loss > worst + 1e-9:
                    worst, where = loss, f"{_name(space)}, n = {space.n}, x = {c}, y = {tuple(other)}"
    return Evidence(
        worst > 1, worst, f"greatest loss {worst:.4f} over {pairs} pairs of x and y, at {where}" if pairs else where
    )


def _argued() -> Iterator[PosteriorSpace]:
    for prior, n in itertools.product(([1, 1], [".01", ".01"], [7, 4], [1, 1, 1], [".01", 1, 7]), (1, 2, 3, 6)):
        yield PosteriorSpace(prior=prior, n=n)
    yield PosteriorSpace(prior=["0.01", "0.01"], n=1000)


def worst_for_the_neighbour(local: NDArray[Any], distances: NDArray[Any], x: int, y: int) -> slice | None:
    """The seeds' conditions: LS(y) < LS(x), and r = BI(x) is the candidate that is worst for y."""
    return slice(x, x + 1) if local[y] < local[x] and distances[y, x] >= distances[y].max() else None


def any_output(local: NDArray[Any], distances: NDArray[Any], x: int, y: int) -> slice | None:
    """No condition."""
    return slice(None)


def _sign(compare: Callable[[Fraction, Fraction], bool]) -> Evidence:
    """With u(x,r) = 0 and u(y,r) = -LS(y): (u(x,r)+u(y,r))·(1/LS(x) - 1/LS(y)) against 2."""
    found = {
        (above, below): (0 - Fraction(below)) * (Fraction(1, above) - Fraction(1, below))
        for above, below in itertools.combinations(range(20, 0, -1), 2)
    }
    wrong = [pair for pair, value in found.items() if not compare(value, Fraction(2))]
    largest = max(found.values())
    shown = f"LS(x) = {wrong[0][0]}, LS(y) = {wrong[0][1]} give {found[wrong[0]]}" if wrong else f"at most {largest}"
    return Evidence(not wrong, float(largest), shown)


def _gamma_smooth(scale: float) -> Evidence:
    """|1/S(x) - 1/S(x')| ≤ γ for the reciprocal sensitivity, its γ·d multiplied by `scale`."""
    worst, where = -math.inf, ""
    for prior, n, gamma in itertools.product(([1, 1], ["0.01", 7], [1, 1, 1]), (3, 9), (Fraction(1, 10), Fraction(1))):
        space = PosteriorSpace(prior=prior, n=n)
        inverse = {tuple(c): 1 / reciprocal_sensitivity(space, c, gamma * Fraction(scale)) for c in space.candidates()}
        for c in inverse:
            for other in space.adjacency.neighbours(c):
                over = abs(inverse[c] - inverse[tuple(other)]) / float(gamma)
                if over > worst + 1e-9:
                    worst, where = over, f"{_name(space)}, n = {n}, γ = {gamma}"
    return Evidence(worst <= 1 + 1e-9, worst, f"1/S changes by at most {worst:.4f}·γ, at {where}")


def _last_step(compare: Callable[[float, float], bool]) -> Evidence:
    """1/LS(x'') + γ·d(x', x'') against 1/S(x') for arbitrary x''."""
    space, wrong, ties = PosteriorSpace(prior=[1, 1], n=20), "", 0
    for here, there in itertools.product(range(21), repeat=2):
        smooth = 1 / reciprocal_sensitivity(space, [here, 20 - here], 1)
        term = 1 / local_sensitivity(space, [there, 20 - there]) + abs(here - there)
        ties += math.isclose(term, smooth)
        if not compare(term, smooth):
            wrong = wrong or f"x' = {here}, x'' = {there}: {term:.4f} against 1/S(x') = {smooth:.4f}"
    return Evidence(not wrong, ties, wrong or f"at least 1/S(x') always, equal for {ties} of 441 pairs")


HALF = Fraction(1, 2)

CLAIMS: tuple[Claim[Any], ...] = (
    Claim(
        id="000-global",
        source="000 §1.1.2, 001 §4.1.1",
        says="the exponential mechanism with global sensitivity is ε-differentially private",
        settings=f"s = ε/2, ε = 1; {WHERE}",
        right="ε-DP",
        test=lambda factor: _largest_loss(_scaled(ExponentialGlobal, factor), 1),
        printed=HALF,
    ),
    Claim(
        id="000-local",
        source="000 §1.2.2, 001 §4.1.2, 003 §2.2",
        says="the exponential mechanism with local sensitivity is not ε-differentially private",
        settings="s = ε/2, ε = 1; beta(.01,.01), n = 1000, and 20 small spaces",
        right="it loses more than ε",
        test=_argument,
        printed=any_output,
    ),
    Claim(
        id="000-local-argument",
        source="000 §1.2.2, 002 §1.2.2",
        says="its loss exceeds ε at an r that is best for x and worst for an adjacent y with LS(y) < LS(x)",
        settings="s = ε/2, ε = 1; beta(.01,.01), n = 1000, and 20 small spaces",
        right="such r exist only for n = 1 and k ≥ 3; at other r",
        test=_argument,
        printed=worst_for_the_neighbour,
        mended=any_output,
    ),
    Claim(
        id="000-local-sign",
        source="000 §1.2.2, 002 §1.2.2",
        says="(u(x,r)+u(y,r))/LS(x) - (u(x,r)+u(y,r))/LS(y) > 2",
        settings="u(x,r) = 0, u(y,r) = -LS(y), LS(y) < LS(x) from 1 to 20, exactly",
        right="< 2, from the line before it",
        test=_sign,
        printed=operator.gt,
        mended=operator.lt,
    ),
    Claim(
        id="001-laplace",
        source="001 §4.1.3, §4.1.4",
        says="Laplace noise of scale ΔBI/ε, ΔBI proportional to the dimension, is ε-differentially private",
        settings="scale k/ε, floored and clamped, k = 2, 3, 4",
        right="ε-DP, with room to spare",
        test=_laplace,
        printed=lambda k: 1 / Laplace(PosteriorSpace(prior=[1] * k, n=1), epsilon=1).rate,
    ),
    Claim(
        id="001-laplace-improved",
        source="001 §4.1.4",
        says="sensitivity 1 for two categories and 2 for more is enough",
        settings="scales 1/ε and 2/ε, floored and clamped, k = 2, 3, 4",
        right="ε-DP",
        test=_laplace,
        printed=lambda k: Fraction(1 if k == 2 else 2),
    ),
    Claim(
        id="001-smooth-delta",
        source="001 §1, Lemma 5.5; 003 Figure 3",
        says="the exponential mechanism with smooth sensitivity, at the seeds' γ, is (ε, δ)-differentially private",
        settings=f"s = ε/2, ε = 1, δ = 1e-8; {WHERE.replace('100,000', '1000')}",
        right="δ = 0 suffices where it was tried",
        test=lambda factor: _delta(_scaled(ExponentialSmooth, factor)),
        printed=HALF,
    ),
    Claim(
        id="001-theorem-5.1",
        source="001 Theorem 5.1",
        says="with 1/S(x) = min 1/LS(x'') + γ·d(x, x''), 1/S changes by at most γ between adjacent data sets",
        settings="beta(1,1), beta(.01,7), DL(1,1,1), n = 3 and 9, γ = 0.1 and 1, all neighbours",
        right="as printed",
        test=_gamma_smooth,
        printed=1.0,
    ),
    Claim(
        id="001-theorem-5.1-step",
        source="001 Theorem 5.1, proof",
        says="for arbitrary x'', 1/LS(x'') + γ·d(x', x'') = 1/S(x')",
        settings="beta(1,1), n = 20, γ = 1, all x' and x''",
        right="≥; the x'' that minimises it gives the theorem",
        test=_last_step,
        printed=lambda term, smooth: math.isclose(term, smooth),
        mended=lambda term, smooth: term >= smooth * (1 - 1e-12),
    ),
    Claim(
        id="001-lemma-5.6",
        source="001 Lemma 5.6",
        says="M_H with γ-smooth sensitivity, γ = 1, is 2ε-differentially private",
        settings=f"s = ε/2, ε = 1; {WHERE}",
        right="2ε-DP, and loose",
        test=lambda factor: _largest_loss(_scaled(ExponentialReciprocal, factor), 2),
        printed=HALF,
    ),
    Claim(
        id="001-privacy-evaluation",
        source="001 §7.3",
        says="the concrete privacy loss of M_H is smaller than ε",
        settings=f"reciprocal, γ = 1, s = ε/2, ε = 1; {WHERE}",
        right="below ε",
        test=lambda factor: _largest_loss(_scaled(ExponentialReciprocal, factor), 1),
        printed=HALF,
    ),
)
