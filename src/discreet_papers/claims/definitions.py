"""Claims in the papers' definitions: privacy itself, the distance, and the two sensitivities as they are written."""

from __future__ import annotations

import itertools
import math
import operator
from collections.abc import Callable, Iterable
from typing import Any, TypeAlias

import numpy as np

from discreet import Dirichlet, ExponentialGlobal, PosteriorSpace, hellinger, total_variation
from discreet.sensitivity.exact import local_sensitivity, smooth_sensitivity
from discreet_papers.claims.base import Check, Evidence

Distance: TypeAlias = Callable[[Dirichlet, Dirichlet], float]
Compare: TypeAlias = Callable[[float, float], bool]


def _privacy(compare: Compare, delta: float) -> Evidence:
    """The textbook exponential mechanism is private; a definition of privacy that it fails is no definition."""
    space = PosteriorSpace(prior=[1, 1], n=3)
    chances = [np.exp(ExponentialGlobal(space, epsilon=1).log_pmf(c)) for c in space.candidates()]
    wrong = []
    for (here, p), (there, q) in itertools.permutations(enumerate(chances), 2):
        for event in itertools.product((False, True), repeat=4):
            inside = np.array(event)
            left, right = float(p[inside].sum()), math.e * float(q[inside].sum()) + delta
            if abs(here - there) == 1 and not compare(left, right):
                wrong.append(f"counts {here} and {there}, all outputs together: {left:.4g} against {right:.4g}")
    return Evidence.unless(reversed(wrong), len(wrong), "every event of every neighbour satisfies it")


def _closed_form(distance: Distance) -> Evidence:
    """Against the definition, ½∫(√p-√q)² integrated numerically."""
    errors = []
    for one, other in ((1, 1), (3, 5)), ((20, 80), (21, 79)), ((7.5, 4), (2, 9)):
        claimed, truth = (measure(Dirichlet(one), Dirichlet(other)) for measure in (distance, _by_quadrature))
        errors.append((abs(claimed - truth), f"beta{one} and beta{other}: {claimed:.6f}, integrated {truth:.6f}"))
    worst, where = max(errors)
    return Evidence(worst < 1e-7, worst, where)


def _by_quadrature(p: Dirichlet, q: Dirichlet) -> float:
    from scipy.integrate import quad
    from scipy.stats import beta

    one, other = (beta(*map(float, law.parameters)).pdf for law in (p, q))
    return math.sqrt(quad(lambda x: 0.5 * (math.sqrt(one(x)) - math.sqrt(other(x))) ** 2, 0, 1, limit=200)[0])


def _variation(bound: Callable[[float], float]) -> Evidence:
    """Hellinger bounds total variation from above: over all pairs of candidates."""
    space = PosteriorSpace(prior=[1, 1], n=8)
    laws = [space.posterior(c) for c in space.candidates()]
    excess = {(p, q): total_variation(p, q) - bound(hellinger(p, q)) for p, q in itertools.combinations(laws, 2)}
    (p, q), worst = max(excess.items(), key=lambda item: item[1])
    between = " and ".join(f"beta({', '.join(map(str, law.parameters))})" for law in (p, q))
    shown = f"{between}: total variation {total_variation(p, q):.5f}, bound {bound(hellinger(p, q)):.5f}"
    return Evidence(worst <= 1e-9, worst, shown)


def _local(definition: Callable[[Distance, Dirichlet, Dirichlet, Dirichlet], float]) -> Evidence:
    """LS from the printed maximum, over neighbours x' and candidates r, against the sensitivity that is used."""
    space = PosteriorSpace(prior=[1, 1], n=20)
    laws = {c: space.posterior(c) for c in map(tuple, space.candidates())}
    local = {c: local_sensitivity(space, c) for c in laws}
    wrong = []
    for c, here in laws.items():
        near = [laws[tuple(other)] for other in space.adjacency.neighbours(c)]
        largest, truth = max(definition(hellinger, here, x, r) for x in near for r in laws.values()), local[c]
        if not math.isclose(largest, truth, rel_tol=1e-9):
            wrong.append(f"counts {c}: {largest:.5f}, where the sensitivity is {truth:.5f}")
    return Evidence.unless(reversed(wrong), local[10, 10], f"counts (10, 10): {local[10, 10]:.5f}")


def _smooth(reach: int) -> Evidence:
    """S over x' at distance at most `reach` must change by at most a factor e^γ between neighbours."""
    space, gamma = PosteriorSpace(prior=[1, 1, 1], n=12), 0.02
    local = {c: local_sensitivity(space, c) for c in map(tuple, space.candidates())}
    smooth = {c: max(_decayed(local, c, reach, gamma)) for c in local}
    worst, where = max(
        (round(math.log(smooth[c] / smooth[tuple(other)]) - gamma, 9), (c, tuple(other)))
        for c in local
        for other in space.adjacency.neighbours(c)
    )
    agrees = all(math.isclose(smooth[c], smooth_sensitivity(space, c, gamma), rel_tol=1e-9) for c in local)
    shown = f"from {where[0]} to {where[1]} ln S changes by {worst + gamma:.4f}, γ = {gamma}"
    return Evidence(worst <= 1e-9 and agrees, worst + gamma, shown)


def _decayed(local: dict[tuple[int, ...], float], c: tuple[int, ...], reach: int, gamma: float) -> Iterable[float]:
    for other, value in local.items():
        distance = sum(abs(a - b) for a, b in zip(c, other, strict=True)) // 2
        if distance <= reach:
            yield value * math.exp(-gamma * distance)


CHECKS: dict[str, Check[Any]] = {
    "001-definition-1": Check(
        lambda compare: _privacy(compare, 0.0), operator.eq, lambda left, right: left <= right + 1e-12
    ),
    "001-definition-2": Check(
        lambda compare: _privacy(compare, 1e-8), operator.eq, lambda left, right: left <= right + 1e-12
    ),
    "001-hellinger": Check(_closed_form, hellinger),
    "001-variation": Check(_variation, lambda h: math.sqrt(2) * h),
    "001-local-definition": Check(
        _local,
        lambda h, here, there, r: abs(h(there, r) - h(there, r)),
        lambda h, here, there, r: abs(h(here, r) - h(there, r)),
    ),
    "001-smooth-dirichlet": Check(_smooth, 1, 12),
}
