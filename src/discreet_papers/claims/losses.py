"""Claims about privacy: what the mechanisms guarantee, and what their exact losses are."""

from __future__ import annotations

import itertools
import math
import operator
from collections.abc import Callable
from fractions import Fraction
from typing import Any, TypeAlias

from numpy.typing import NDArray

from discreet import Laplace, LaplaceImproved, PosteriorSpace, audit, local_sensitivity, reciprocal_sensitivity
from discreet.mechanisms.exponential import Exponential, ExponentialGlobal, ExponentialReciprocal, ExponentialSmooth
from discreet.privacy_loss.scan import DenseScan
from discreet.sensitivity.vectorised import Steps
from discreet_papers.claims.base import Check, Evidence
from discreet_papers.figures.readings import prior_name

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

Outputs: TypeAlias = Callable[["NDArray[Any]", "NDArray[Any]", int, int], "slice | None"]
"""The outputs that an argument looks at for data sets x and y, by rank, given LS and all distances; None for none."""


def _largest_loss(kind: type[Exponential], bound: float) -> Callable[[Fraction], Evidence]:
    """The largest exact loss over the spaces, certainly reached, of the kind at a scale: ε/2 as published."""

    def test(scale: Fraction) -> Evidence:
        losses = [(float(audit(kind(space, scale=scale)).lower), space) for space in SPACES]
        worst, space = max(losses, key=lambda pair: pair[0])
        least = min(loss for loss, _ in losses)
        line = f"exact losses from {least:.2f} to {worst:.4f}, at {_name(space)}, n = {space.n:,}; claimed {bound:g}"
        return Evidence(worst <= bound, worst, line)

    return test


def _name(space: PosteriorSpace) -> str:
    return prior_name(f"{float(a):g}" for a in space.prior.parameters)


def _delta(scale: Fraction) -> Evidence:
    """The least δ at ε = 1 over the spaces; claimed is 1e-8."""
    worst = max(audit(ExponentialSmooth(space, scale=scale)).delta(1) for space in SPACES if space.n <= 1000)
    return Evidence(worst <= 1e-8, worst, f"δ*(1) is at most {worst:.3g}; claimed 1e-8")


def _laplace(scale: Callable[[int], Fraction]) -> Evidence:
    """The exact loss of Laplace noise of this scale for ε = 1, floored and clamped as published."""
    losses = {}
    for k, n in ((2, 30), (3, 8), (4, 5)):
        space = PosteriorSpace(prior=[1] * k, n=n)
        losses[k] = float(audit(LaplaceImproved(space, epsilon=1, rate=1 / scale(k), rounding="floor")).lower)
    line = ", ".join(f"{loss:.4f} for k = {k}" for k, loss in losses.items())
    return Evidence(max(losses.values()) <= 1 + 1e-9, max(losses.values()), f"exact losses at ε = 1: {line}")


def _argument(outputs: Outputs) -> Evidence:
    """Is there a loss above ε = 1 among the (x, y, r) that the argument admits, under local sensitivity at s = ε/2?"""
    worst, where, pairs = -math.inf, "no x, y and r satisfy the conditions", 0
    priors = ([1, 1], [".01", ".01"], [7, 4], [1, 1, 1], [".01", 1, 7])
    for prior, n in (*itertools.product(priors, (1, 2, 3, 6)), (["0.01", "0.01"], 1000)):
        space = PosteriorSpace(prior=prior, n=n)
        scan = DenseScan(space)
        local = 1 / Steps(space, scan.rows).local
        log_pmf = scan.log_pmf(0.5 / local)
        rank = {tuple(row): i for i, row in enumerate(scan.rows.tolist())}
        neighbours = [(c, tuple(other)) for c in rank for other in space.adjacency.neighbours(c)]
        for here, there in neighbours:
            x, y = rank[here], rank[there]
            admitted = outputs(local, scan.distances, x, y)
            if admitted is None:
                continue
            loss = float((log_pmf[x] - log_pmf[y])[admitted].max())
            pairs += 1
            if loss > worst + 1e-9:
                worst, where = loss, f"{_name(space)}, n = {space.n}, x = {here}, y = {there}"
    line = f"greatest loss {worst:.4f} over {pairs} pairs of x and y, at {where}" if pairs else where
    return Evidence(worst > 1, worst, line)


def worst_for_the_neighbour(local: NDArray[Any], distances: NDArray[Any], x: int, y: int) -> slice | None:
    """The papers' conditions: LS(y) < LS(x), and r = BI(x) is the candidate that is worst for y."""
    return slice(x, x + 1) if local[y] < local[x] and distances[y, x] >= distances[y].max() else None


def _sign(compare: Callable[[Fraction, Fraction], bool]) -> Evidence:
    """With u(x,r) = 0 and u(y,r) = -LS(y): (u(x,r)+u(y,r))·(1/LS(x) - 1/LS(y)) against 2."""
    values = {
        (above, below): (0 - Fraction(below)) * (Fraction(1, above) - Fraction(1, below))
        for above, below in itertools.combinations(range(20, 0, -1), 2)
    }
    wrong = (
        f"LS(x) = {above}, LS(y) = {below} give {value}"
        for (above, below), value in values.items()
        if not compare(value, Fraction(2))
    )
    return Evidence.unless(wrong, float(max(values.values())), f"at most {max(values.values())}")


def _gamma_smooth(scale: float) -> Evidence:
    """|1/S(x) - 1/S(x')| ≤ γ for the reciprocal sensitivity, its γ·d multiplied by `scale`."""
    cases = []
    for prior, n, gamma in itertools.product(([1, 1], ["0.01", 7], [1, 1, 1]), (3, 9), (Fraction(1, 10), Fraction(1))):
        space = PosteriorSpace(prior=prior, n=n)
        inverse = {tuple(c): 1 / reciprocal_sensitivity(space, c, gamma * Fraction(scale)) for c in space.candidates()}
        for c in inverse:
            steps = [abs(inverse[c] - inverse[tuple(other)]) for other in space.adjacency.neighbours(c)]
            cases.append((max(steps) / float(gamma), f"{_name(space)}, n = {n}, γ = {gamma}"))
    return Evidence.at_most(1 + 1e-9, cases, "1/S changes by at most {number:.4f}·γ, at {}", 1e-9)


def _last_step(compare: Callable[[float, float], bool]) -> Evidence:
    """1/LS(x'') + γ·d(x', x'') against 1/S(x') for arbitrary x''."""
    space, data = PosteriorSpace(prior=[1, 1], n=20), range(21)
    smooth = [1 / reciprocal_sensitivity(space, [x, 20 - x], 1) for x in data]
    local = [1 / local_sensitivity(space, [x, 20 - x]) for x in data]
    terms = {(x, y): local[y] + abs(x - y) for x in data for y in data}
    ties = sum(math.isclose(term, smooth[x]) for (x, _), term in terms.items())
    wrong = (
        f"x' = {x}, x'' = {y}: {term:.4f} against 1/S(x') = {smooth[x]:.4f}"
        for (x, y), term in terms.items()
        if not compare(term, smooth[x])
    )
    return Evidence.unless(wrong, ties, f"at least 1/S(x') always, equal for {ties} of 441 pairs")


HALF = Fraction(1, 2)
ANY_OUTPUT: Outputs = lambda local, distances, x, y: slice(None)  # noqa: E731 - a reading without conditions

CHECKS: dict[str, Check[Any]] = {
    "000-global": Check(_largest_loss(ExponentialGlobal, 1), HALF),
    "000-local": Check(_argument, ANY_OUTPUT),
    "000-local-argument": Check(_argument, worst_for_the_neighbour, ANY_OUTPUT),
    "000-local-sign": Check(_sign, operator.gt, operator.lt),
    "001-laplace": Check(_laplace, lambda k: 1 / Laplace(PosteriorSpace(prior=[1] * k, n=1), epsilon=1).rate),
    "001-laplace-improved": Check(_laplace, lambda k: Fraction(1 if k == 2 else 2)),
    "001-smooth-delta": Check(_delta, HALF),
    "001-theorem-5.1": Check(_gamma_smooth, 1.0),
    "001-theorem-5.1-step": Check(
        _last_step, lambda term, smooth: math.isclose(term, smooth), lambda term, smooth: term >= smooth * (1 - 1e-12)
    ),
    "001-lemma-5.6": Check(_largest_loss(ExponentialReciprocal, 2), HALF),
    "001-privacy-evaluation": Check(_largest_loss(ExponentialReciprocal, 1), HALF),
}
