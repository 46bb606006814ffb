"""Claims in the seeds' definitions: privacy itself, the distance, and the two sensitivities as they are written."""

from __future__ import annotations

import itertools
import math
import operator
from collections.abc import Callable, Iterable
from typing import Any, TypeAlias

from discreet.mechanisms.exponential import ExponentialGlobal
from discreet.posteriors import Dirichlet
from discreet.posteriors.distances import hellinger
from discreet.posteriors.space import PosteriorSpace
from discreet.posteriors.variation import total_variation
from discreet.sensitivity.exact import local_sensitivity, smooth_sensitivity
from discreet_papers.claims.base import Claim, Evidence

Distance: TypeAlias = Callable[[Dirichlet, Dirichlet], float]
Compare: TypeAlias = Callable[[float, float], bool]


def _privacy(compare: Compare, delta: float) -> Evidence:
    """The textbook exponential mechanism is private; a definition of privacy that it fails is no definition."""
    import numpy as np

    space = PosteriorSpace(prior=[1, 1], n=3)
    chances = [np.exp(ExponentialGlobal(space, epsilon=1).log_pmf(c)) for c in space.candidates()]
    wrong, count = "", 0
    for (here, p), (there, q) in itertools.permutations(enumerate(chances), 2):
        if abs(here - there) != 1:
            continue
        for event in itertools.product((False, True), repeat=4):
            inside = np.array(event)
            left, right = float(p[inside].sum()), math.e * float(q[inside].sum()) + delta
            if not compare(left, right):
                wrong = f"counts {here} and {there}, all outputs together: {left:.4g} against {right:.4g}"
                count += 1
    return Evidence(not wrong, count, wrong or "every event of every neighbour satisfies it")


def _closed_form(distance: Distance) -> Evidence:
    """Against the definition, ½∫(√p-√q)² integrated numerically."""
    worst, where = 0.0, ""
    for one, other in ((1, 1), (3, 5)), ((20, 80), (21, 79)), ((7.5, 4), (2, 9)):
        p, q = Dirichlet(one), Dirichlet(other)
        error = abs(distance(p, q) - _by_quadrature(p, q))
        if error >= worst:
            worst, where = (
                error,
                f"beta{one} and beta{other}: {distance(p, q):.6f}, integrated {_by_quadrature(p, q):.6f}",
            )
    return Evidence(worst < 1e-7, worst, where)


def _by_quadrature(p: Dirichlet, q: Dirichlet) -> float:
    from scipy.integrate import quad

    densities = [_beta_density(law) for law in (p, q)]
    half = quad(lambda x: 0.5 * (math.sqrt(densities[0](x)) - math.sqrt(densities[1](x))) ** 2, 0, 1, limit=200)[0]
    return math.sqrt(half)


def _beta_density(law: Dirichlet) -> Callable[[float], float]:
    a, b = (float(parameter) for parameter in law.parameters)
    constant = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b)
    return lambda x: math.exp(constant + (a - 1) * math.log(x) + (b - 1) * math.log1p(-x))


def _variation(bound: Callable[[float], float]) -> Evidence:
    """Hellinger bounds total variation from above: over all pairs of candidates."""
    space = PosteriorSpace(prior=[1, 1], n=8)
    laws = [space.posterior(c) for c in space.candidates()]
    excess = {(p, q): total_variation(p, q) - bound(hellinger(p, q)) for p, q in itertools.combinations(laws, 2)}
    (p, q), worst = max(excess.items(), key=lambda item: item[1])
    between = f"{_name(p)} and {_name(q)}"
    shown = f"{between}: total variation {total_variation(p, q):.5f}, bound {bound(hellinger(p, q)):.5f}"
    return Evidence(worst <= 1e-9, worst, shown)


def _name(law: Dirichlet) -> str:
    return f"beta({', '.join(str(parameter) for parameter in law.parameters)})"


def _local(definition: Callable[[Distance, Dirichlet, Dirichlet, Dirichlet], float]) -> Evidence:
    """LS from the printed maximum, over neighbours x' and candidates r, against the sensitivity that is used."""
    space = PosteriorSpace(prior=[1, 1], n=20)
    laws = {c: space.posterior(c) for c in map(tuple, space.candidates())}
    wrong = ""
    for c, here in laws.items():
        found = max(
            definition(hellinger, here, laws[tuple(other)], r)
            for other in space.adjacency.neighbours(c)
            for r in laws.values()
        )
        if not math.isclose(found, local_sensitivity(space, c), rel_tol=1e-9):
            wrong = f"counts {c}: {found:.5f}, where the sensitivity is {local_sensitivity(space, c):.5f}"
    centre = local_sensitivity(space, [10, 10])
    return Evidence(not wrong, centre, wrong or f"counts (10, 10): {centre:.5f}")


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


CLAIMS: tuple[Claim[Any], ...] = (
    Claim(
        id="001-definition-1",
        source="001 Definition 1",
        says="ε-differential privacy: Pr[B | x] = e^ε Pr[B | x']",
        settings="exponential-global, ε = 1, beta(1,1), n = 3, all neighbours and events",
        right="≤ in place of =",
        test=lambda compare: _privacy(compare, 0.0),
        printed=operator.eq,
        mended=lambda left, right: left <= right + 1e-12,
    ),
    Claim(
        id="001-definition-2",
        source="001 Definition 2",
        says="(ε, δ)-differential privacy: Pr[B | x] = e^ε Pr[B | x'] + δ",
        settings="exponential-global, ε = 1, δ = 1e-8, beta(1,1), n = 3, all neighbours and events",
        right="≤ in place of =",
        test=lambda compare: _privacy(compare, 1e-8),
        printed=operator.eq,
        mended=lambda left, right: left <= right + 1e-12,
    ),
    Claim(
        id="001-hellinger",
        source="001 §3",
        says="H(beta, beta') = sqrt(1 - B(mean parameters)/sqrt(B·B'))",
        settings="three pairs, against the integral ½∫(√p-√q)²",
        right="as printed",
        test=_closed_form,
        printed=hellinger,
    ),
    Claim(
        id="001-variation",
        source="001 §3",
        says="Hellinger distance yields bounds on total variation",
        settings="TV ≤ √2·H over all pairs of candidates, beta(1,1), n = 8",
        right="TV ≤ √2·H",
        test=_variation,
        printed=lambda h: math.sqrt(2) * h,
    ),
    Claim(
        id="001-local-definition",
        source="001 §4.1.2, §7.1",
        says="LS(x) = max |H(BI(x'), r) - H(BI(x'), r)| over adjacent x' and r",
        settings="beta(1,1), n = 20, all counts, neighbours and r",
        right="x against x'",
        test=_local,
        printed=lambda h, here, there, r: abs(h(there, r) - h(there, r)),
        mended=lambda h, here, there, r: abs(h(here, r) - h(there, r)),
    ),
    Claim(
        id="001-smooth-dirichlet",
        source="001 §4.2",
        says="for Dirichlet, S is the maximum over the x' adjacent to x",
        settings="DL(1,1,1), n = 12, γ = 0.02, all counts",
        right="over all x', or S is not smooth",
        test=_smooth,
        printed=1,
        mended=12,
    ),
)
