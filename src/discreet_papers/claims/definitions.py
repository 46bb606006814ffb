"""Claims in the papers' definitions: the space of posteriors, adjacency, privacy, the distance, two sensitivities."""

from __future__ import annotations

import itertools
import math
import operator
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np

from discreet import Dirichlet, ExponentialGlobal, PosteriorSpace, hellinger, total_variation
from discreet.sensitivity.exact import local_sensitivity, smooth_sensitivity
from discreet_papers.claims.base import Check, Evidence

Distance: TypeAlias = Callable[[Dirichlet, Dirichlet], float]
Compare: TypeAlias = Callable[[float, float], bool]
Row: TypeAlias = tuple[int, ...]


def _size(formula: Callable[[int, int], int]) -> Evidence:
    cases = [(n, k) for k in (3, 2, 4, 5) for n in range(10, 0, -1)]
    sizes = {(n, k): len(list(PosteriorSpace(prior=[1] * k, n=n).candidates())) for n, k in cases}
    wrong = (
        f"n = {n}, k = {k}: {formula(n, k)}, not {size}" for (n, k), size in sizes.items() if formula(n, k) != size
    )
    return Evidence.unless(wrong, formula(10, 3), f"n = 10, k = 3: {formula(10, 3)}, as listed")


def _line_size(formula: Callable[[int], int]) -> Evidence:
    sizes = {n: len(PosteriorSpace(prior=[1, 1], n=n).candidates()) for n in range(1, 40)}
    wrong = (f"n = {n}" for n, size in sizes.items() if formula(n) != size)
    return Evidence.unless(wrong, formula(10), f"n = 10 gives {formula(10)}, as listed")


def _density(shift: int) -> Evidence:
    """∫ Π θ_i^(α_i + shift) dθ over the simplex is Π Γ(α_i + shift + 1)/Γ(Σ(α_i + shift + 1)): it must equal B(α)."""
    alphas = ((7, 4, 5), (2, 3), (1, 1), (1, 2, 3, 4))
    masses = {alpha: _generalised_beta([a + shift + 1 for a in alpha]) / _generalised_beta(alpha) for alpha in alphas}
    alpha, mass = next(((a, m) for a, m in masses.items() if m != 1), (alphas[0], Fraction(1)))
    return Evidence(mass == 1, float(mass), f"the density of parameters {alpha} has mass {mass}")


def _generalised_beta(alpha: Sequence[int]) -> Fraction:
    return Fraction(math.prod(math.factorial(a - 1) for a in alpha), math.factorial(sum(alpha) - 1))


def _adjacency(related: Callable[[Row, Row], bool]) -> Evidence:
    """Among all data sets of four records: those related must be exactly those that differ in at most one record."""
    pairs = list(itertools.product(itertools.product((0, 1), repeat=4), repeat=2))
    wrong = [pair for pair in pairs if related(*pair) != (sum(a != b for a, b in zip(*pair, strict=True)) <= 1)]
    line = "all pairs agree"
    if wrong:
        line = " and ".join("".join(map(str, row)) for row in wrong[0]) + " are judged wrongly"
    return Evidence(not wrong, len(wrong), f"{line}: {len(wrong)} of {len(pairs)} pairs wrong")


def _parameter_distance(formula: Callable[[int], int]) -> Evidence:
    """The largest L1 distance between the parameters of adjacent posteriors, by enumeration."""
    distances = {}
    for k in (2, 3, 4, 5):
        space = PosteriorSpace(prior=[1] * k, n=4)
        distances[k] = max(
            sum(abs(a - b) for a, b in zip(c, other, strict=True))
            for c in space.candidates()
            for other in space.adjacency.neighbours(c)
        )
    wrong = (f"k = {k}: {formula(k)}, but {far} by enumeration" for k, far in distances.items() if formula(k) != far)
    return Evidence.unless(wrong, max(distances.values()), "2 for k = 2 to 5")


def _truncation(rule: Callable[[Sequence[int], int], Row]) -> Evidence:
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
    """The paper's rule: every count to [0, n], and the last is n less the others, to [0, n]."""
    clamped = [min(max(count, 0), n) for count in noisy]
    return (*clamped, min(max(n - sum(clamped), 0), n))


def clamp_in_turn(noisy: Sequence[int], n: int) -> Row:
    """Every count to what the ones before it have left."""
    clamped: list[int] = []
    for count in noisy:
        clamped.append(min(max(count, 0), n - sum(clamped)))
    return (*clamped, n - sum(clamped))


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
    return Evidence.at_most(1e-7, errors, tolerance=0.0)


def _by_quadrature(p: Dirichlet, q: Dirichlet) -> float:
    from scipy.integrate import quad
    from scipy.stats import beta

    one, other = (beta(*map(float, law.parameters)).pdf for law in (p, q))
    return math.sqrt(quad(lambda x: 0.5 * (math.sqrt(one(x)) - math.sqrt(other(x))) ** 2, 0, 1, limit=200)[0])


def _variation_bound(bound: Callable[[float], float]) -> Evidence:
    """Hellinger bounds total variation from above: over all pairs of candidates."""
    space, cases = PosteriorSpace(prior=[1, 1], n=8), []
    for p, q in itertools.combinations(map(space.posterior, space.candidates()), 2):
        variation, limit = total_variation(p, q), bound(hellinger(p, q))
        between = " and ".join(f"beta({', '.join(map(str, law.parameters))})" for law in (p, q))
        cases.append((variation - limit, f"{between}: total variation {variation:.5f}, bound {limit:.5f}"))
    return Evidence.at_most(1e-9, cases, tolerance=0.0)


def _local_definition(definition: Callable[[Distance, Dirichlet, Dirichlet, Dirichlet], float]) -> Evidence:
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


def _smooth_definition(reach: int) -> Evidence:
    """S over x' at distance at most `reach` must change by at most a factor e^γ between neighbours."""
    space, gamma = PosteriorSpace(prior=[1, 1, 1], n=12), 0.02
    local = {c: local_sensitivity(space, c) for c in map(tuple, space.candidates())}

    def smooth_at(c: tuple[int, ...]) -> float:
        apart = {other: sum(abs(a - b) for a, b in zip(c, other, strict=True)) // 2 for other in local}
        return max(local[other] * math.exp(-gamma * far) for other, far in apart.items() if far <= reach)

    smooth = {c: smooth_at(c) for c in local}
    worst, where = max(
        (round(math.log(smooth[c] / smooth[tuple(other)]) - gamma, 9), (c, tuple(other)))
        for c in local
        for other in space.adjacency.neighbours(c)
    )
    agrees = all(math.isclose(smooth[c], smooth_sensitivity(space, c, gamma), rel_tol=1e-9) for c in local)
    line = f"from {where[0]} to {where[1]} ln S changes by {worst + gamma:.4f}, γ = {gamma}"
    return Evidence(worst <= 1e-9 and agrees, worst + gamma, line)


def _at_most(left: float, right: float) -> bool:
    return left <= right + 1e-12


CHECKS: dict[str, Check[Any]] = {
    "001-size": Check(_size, lambda n, k: math.comb(n + 1, k - 1), lambda n, k: math.comb(n + k - 1, k - 1)),
    "001-line-size": Check(_line_size, lambda n: n + 1),
    "001-beta-density": Check(_density, 0, -1),
    "001-dirichlet-density": Check(_density, -1),
    "003-dirichlet-density": Check(_density, 0, -1),
    "001-adjacency": Check(
        _adjacency,
        lambda x, y: sum(a == b for a, b in zip(x, y, strict=True)) <= 1,
        lambda x, y: sum(a != b for a, b in zip(x, y, strict=True)) <= 1,
    ),
    "001-moved": Check(_parameter_distance, lambda k: k, lambda k: 2),
    "001-moved-improved": Check(_parameter_distance, lambda k: 2),
    "001-truncation": Check(_truncation, clamp_each, clamp_in_turn),
    "001-definition-1": Check(lambda compare: _privacy(compare, 0.0), operator.eq, _at_most),
    "001-definition-2": Check(lambda compare: _privacy(compare, 1e-8), operator.eq, _at_most),
    "001-hellinger": Check(_closed_form, hellinger),
    "001-variation": Check(_variation_bound, lambda h: math.sqrt(2) * h),
    "001-local-definition": Check(
        _local_definition,
        lambda h, here, there, r: abs(h(there, r) - h(there, r)),
        lambda h, here, there, r: abs(h(here, r) - h(there, r)),
    ),
    "001-smooth-dirichlet": Check(_smooth_definition, 1, 12),
}
