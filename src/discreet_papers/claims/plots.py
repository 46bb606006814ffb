"""Claims about the papers' experiments: what their figures show, and what they conclude from them.

Every mean and loss is exact where the papers drew 1000 runs. M_H is the exponential mechanism with smooth sensitivity
at δ = 1e-8 for errors, and with γ-smooth sensitivity, γ = 1, for losses, as the figures have it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from functools import cache
from itertools import pairwise
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from discreet import Dirichlet, ExponentialLocal, ExponentialReciprocal, PosteriorSpace, accuracy
from discreet.arithmetic.arrays import Wholes
from discreet.figures.plans import balanced
from discreet.privacy_loss.edge_rows import scan_ends
from discreet.sensitivity.exact import global_sensitivity, local_sensitivity, published_gamma, smooth_sensitivity
from discreet_papers.claims.base import Check, Evidence
from discreet_papers.figures.figure6 import legacy_losses
from discreet_papers.figures.growth import crossing
from discreet_papers.figures.notes import CAPTIONS, has_both, impossible_sensitivity
from discreet_papers.figures.readings import DELTA, NAMES, PRINTED, RIGHT, stream
from discreet_papers.figures.streams import ExponentialStream
from discreet_papers.legacy import LegacySensitivity, legacy_gamma
from discreet_papers.questions.winners import at_exact_loss

Sensitivity: TypeAlias = Callable[[PosteriorSpace, Sequence[int]], float]
"""A sensitivity of the score at one data set."""


class Setup(NamedTuple):
    """How a figure was made: by which distance, at which ε."""

    reading: str
    epsilon: str


class Errors(NamedTuple):
    """Mean distances of the three mechanisms that the papers compare."""

    smooth: float
    baseline: float
    improved: float

    def __str__(self) -> str:
        return f"M_H {self.smooth:.4f}, baseline {self.baseline:.4f}"


TRUE, PROGRAM = Setup(RIGHT, "1"), Setup(PRINTED, "0.8")


@cache
def errors(n: int, setup: Setup, prior: int = 1) -> Errors:
    """Balanced data of two categories, exactly."""
    space = PosteriorSpace(prior=[prior, prior], n=n)
    return Errors(*(stream(setup.reading, name, space, balanced(space), setup.epsilon).mean for name in NAMES))


@cache
def losses(reading: str, n: int) -> tuple[float, float]:
    """The exact losses of M_H and of local sensitivity at s = ½, over every row."""
    space = PosteriorSpace(prior=[1, 1], n=n)
    if reading == PRINTED:
        worst = legacy_losses(space)
        return worst["M_H"].loss, worst["exponential-local"].loss
    smooth, local = (scan_ends(kind(space, scale="1/2")).loss for kind in (ExponentialReciprocal, ExponentialLocal))
    return smooth, local


def _sensitivities(reading: str) -> Evidence:
    """Figure 1 at its edge and its centre, read off to half of the last digit."""
    space, data = PosteriorSpace(prior=[1, 1], n=100), [(0, 100), (50, 50)]
    printed = LegacySensitivity(space, data).local.tolist()
    edge, centre = printed if reading == PRINTED else [local_sensitivity(space, c) for c in data]
    line = f"{edge:.5f} at the edge, {centre:.5f} at the centre, where 0.161 and 0.0327 are plotted"
    return Evidence(abs(edge - 0.161) <= 5e-4 and abs(centre - 0.0327) <= 5e-5, edge, line)


def smooth_at(space: PosteriorSpace, counts: Sequence[int]) -> float:
    """The smooth sensitivity at the γ of the text, ε = 1."""
    return smooth_sensitivity(space, counts, published_gamma(space, 1, DELTA))


def _gap(sensitivity: Sensitivity) -> Evidence:
    """A smooth bound lies between local and global sensitivity for all data, and strictly for some."""
    space = PosteriorSpace(prior=[1, 1], n=100)
    bound, centre = global_sensitivity(space), sensitivity(space, (50, 50))
    inside = all(
        local_sensitivity(space, c) - 1e-12 <= sensitivity(space, c) <= bound + 1e-12 for c in space.candidates()
    )
    return Evidence(inside and centre < bound, centre, f"balanced data: {centre:.4f}, global {bound:.4f}")


def _figure_4(setup: Setup) -> Evidence:
    """Figure 4 at n = 100: three means, read off to half of the last digit and 1000 runs' worth of noise."""
    means = errors(100, setup)
    near = all(abs(value - plotted) <= 1.5e-3 for value, plotted in zip(means, (0.194, 0.083, 0.042), strict=True))
    line = f"{means}, improved {means.improved:.4f}, where 0.194, 0.083 and 0.042 are plotted"
    return Evidence(near, means.smooth, line)


def _crossing_claim(where: Callable[[str, str], int]) -> Evidence:
    """Below this n both Laplace mechanisms are better than M_H, from it on M_H is better than the baseline."""
    n = where(*TRUE)
    means = {size: errors(size, TRUE) for size in (50, 100, 150, n - 40, n - 20, n, n + 20, 1000, 5000, 15000)}
    wrong = (f"n = {size}: {e}" for size, e in means.items() if (e.smooth > max(e.baseline, e.improved)) != (size < n))
    other = f"{crossing(RIGHT, '0.8')} at ε = 0.8, {crossing(*PROGRAM)} by their program"
    return Evidence.unless(wrong, n, f"overtakes near n = {n}; {other}")


def _error_ratio(limit: float) -> Evidence:
    """M_H's error over the improved Laplace mechanism's, as n grows: does it come near this number?"""
    ratios = {n: errors(n, TRUE).smooth / errors(n, TRUE).improved for n in (1000, 5000, 15000)}
    last = errors(5000, TRUE)
    line = f"n = 5000: {last.smooth:.4f} against {last.improved:.4f}; ratios " + _series(ratios.items())
    return Evidence(abs(ratios[15000] - limit) < 0.05, ratios[15000], line)


@cache
def equal_loss(n: int, prior: int = 1) -> tuple[float, float]:
    """The mean errors of M_H, at the scale whose exact loss is 1, and of improved Laplace, whose exact loss is 1.

    Baseline Laplace loses ε/2: at equal loss it is the improved one.
    """
    space = PosteriorSpace(prior=[prior, prior], n=n)
    return accuracy(at_exact_loss(space, "1"), balanced(space)).mean, errors(n, TRUE, prior).improved


def _error_ratio_at_loss(limit: float) -> Evidence:
    """The ratio of the two as n grows: does it come near this number?"""
    ratios = {n: one / other for n in (300, 1000, 2000) for one, other in [equal_loss(n)]}
    return Evidence(abs(ratios[2000] - limit) < 0.05, ratios[2000], f"ratios {_series(ratios.items())}")


def _priors_at_loss(near: float) -> Evidence:
    """Data (50, 50): as the balanced prior grows, M_H at equal loss comes this near to improved."""
    means = {prior: equal_loss(100, prior) for prior in (1, 5, 20, 100, 1000)}
    against = [(f"prior {prior}", one / other) for prior, (one, other) in means.items()]
    return Evidence(against[-1][1] <= near, against[-1][1], f"M_H over improved: {_series(against)}")


def _series(pairs: Iterable[tuple[object, float]]) -> str:
    return ", ".join(f"{value:.2f} at {where}" for where, value in pairs)


def _decrease(sizes: tuple[int, ...]) -> Evidence:
    """All three mean errors fall as n grows."""
    means = [errors(n, TRUE) for n in sizes]
    falls = all(after < before for one, other in pairwise(means) for before, after in zip(one, other, strict=True))
    return Evidence(falls, means[-1].smooth, f"M_H falls from {means[0].smooth:.4f} to {means[-1].smooth:.4f}")


def _figure_6(reading: str) -> Evidence:
    """Figure 6 at three n: the losses of M_H and of local sensitivity at s = ½."""
    plotted = {1000: (0.715, 1.39), 10_000: (0.824, 1.93), 50_000: (0.848, 2.175)}
    exact = {n: losses(reading, n) for n in plotted}
    near = all(abs(a - b) <= 5e-3 for n in exact for a, b in zip(exact[n], plotted[n], strict=True))
    smooth, local = (" / ".join(f"{exact[n][i]:.{digits}f}" for n in exact) for i, digits in ((0, 3), (1, 4)))
    line = f"M_H {smooth}, local {local} at n = 10³ / 10⁴ / 5·10⁴"
    return Evidence(near, exact[50_000][0], f"{line}, where 0.715 / 0.824 / 0.848 and 1.39 / 1.93 / 2.175 are plotted")


def _order_near_the_truth(level: float) -> Evidence:
    """Figure 3: within this distance of the truth lands improved Laplace most often, then M_H, then the baseline."""
    space, chances = PosteriorSpace(prior=[1, 1], n=1000), {}
    for name in NAMES:
        ((distance, weight),) = stream(RIGHT, name, space, balanced(space), "1").parts()
        chances[name] = float(weight[distance <= level].sum() / weight.sum())
    smooth, baseline, improved = (chances[name] for name in NAMES)
    line = f"Pr[H ≤ {level}]: improved {improved:.4f}, M_H {smooth:.4f}, baseline {baseline:.4f}"
    return Evidence(baseline < smooth < improved, smooth, f"n = {space.n}, {line}")


def _priors(near: float) -> Evidence:
    """Data (50, 50): as the balanced prior grows, M_H overtakes the baseline and comes this near to improved."""
    ratios = {prior: errors(100, TRUE, prior) for prior in (1, 5, 20, 100, 1000)}
    overtakes = ratios[1].smooth > ratios[1].baseline and ratios[1000].smooth < ratios[1000].baseline
    against = [(f"prior {prior}", means.smooth / means.improved) for prior, means in ratios.items()]
    return Evidence(overtakes and against[-1][1] <= near, against[-1][1], f"M_H over improved: {_series(against)}")


def _small_priors(sizes: tuple[int, ...]) -> Evidence:
    """For these n and a uniform prior, M_H lies between the baseline and the improved Laplace mechanism."""
    means = {n: errors(n, TRUE) for n in sizes}
    wrong = [n for n, e in means.items() if not e.improved < e.smooth < e.baseline]
    at = wrong[0] if wrong else sizes[0]
    return Evidence(not wrong, means[at].smooth, f"n = {at}: {means[at]}")


def _gain_over_global(sensitivity: Sensitivity) -> Evidence:
    """The mean error with this sensitivity is below that with global sensitivity, for balanced data."""
    ratios = {}
    for n in (100, 1000, 5000):
        space = PosteriorSpace(prior=[1, 1], n=n)
        counts = balanced(space)
        rates = (0.5 / sensitivity(space, counts), 0.5 / global_sensitivity(space))
        here, there = (ExponentialStream(space, counts, rate=rate).mean for rate in rates)
        ratios[n] = here / there
    return Evidence(max(ratios.values()) < 1, ratios[5000], f"errors over those of global: {_series(ratios.items())}")


PRIOR = Dirichlet([7, 4, 5])
GLOBAL = "0.239992747797"
GAMMAS = {100: "0.0699407108115", 120: "0.0677791100173"}


def _rounds_to(value: float, printed: str) -> bool:
    """Whether a number rounds to the digits that are printed."""
    digits = len(printed.partition(".")[2])
    return abs(Fraction(value) - Fraction(printed)) <= Fraction(1, 2 * 10**digits)


def _global_value(value: Callable[[], float]) -> Evidence:
    """A number against the enumeration of all neighbours of all data sets, at n small enough for that."""
    enumerated = max(
        space.distance(c, other)
        for space in (PosteriorSpace(prior=PRIOR, n=n) for n in (4, 8))
        for c in space.candidates()
        for other in space.adjacency.neighbours(c)
    )
    line = f"{value():.12f}, enumerated {enumerated:.12f}"
    if _rounds_to(impossible_sensitivity(), GLOBAL):
        line += f"; {GLOBAL} = H(DL(7,4,5), DL(8,3,5)), no posterior of any data"
    return Evidence(math.isclose(value(), enumerated, rel_tol=1e-9), enumerated, line)


def _gamma(inside: int) -> float:
    """ln(1 - ε/(2 ln(δ/(2·inside)))) at ε = δ = 0.8."""
    return legacy_gamma(inside, "0.8", "0.8")


def _gammas(inside: Callable[[int], int]) -> Evidence:
    """The formula's γ at n = 100 and 120 against the twelve digits printed."""
    gammas = {n: _gamma(inside(n)) for n in GAMMAS}
    line = " and ".join(f"{value:.10f}" for value in gammas.values())
    near = all(_rounds_to(gammas[n], GAMMAS[n]) for n in GAMMAS)
    return Evidence(near, gammas[100], f"{line}, where {' and '.join(GAMMAS.values())} are printed")


def _gamma_size(inside: Callable[[int], int]) -> Evidence:
    """The lemma's γ needs |R|, the number of candidates; the figures have three categories."""
    sizes, gamma = {n: PosteriorSpace(prior=PRIOR, n=n).size for n in GAMMAS}, _gamma(inside(100))
    line = f"n = 100: |R| = {sizes[100]}, {inside(100)} is used, γ = {gamma:.10f}"
    return Evidence(all(inside(n) == size for n, size in sizes.items()), gamma, line)


def _gamma_figure_4(n: int) -> Evidence:
    """The γ under Figure 4, which has n = 150, by the program's formula."""
    gamma, printed = _gamma(n), GAMMAS[120]
    return Evidence(_rounds_to(gamma, printed), gamma, f"n = {n}: {gamma:.13f}, where {printed} is printed")


def _captions(data: Callable[[Wholes], NDArray[np.bool_]]) -> Evidence:
    """Is there, for each n, a data set of the kind claimed that has both sensitivities as printed?"""
    matches, lines, local = [], [], {}
    for n in CAPTIONS:
        space = PosteriorSpace(prior=PRIOR, n=n)
        rows = space.candidates().array()
        both = has_both(space, float(GAMMAS[n]), rows[data(rows)])
        local[n] = local_sensitivity(space, (n // 3, n // 3, n - 2 * (n // 3)))
        matches.append(bool(both.any()))
        lines.append(f"n = {n}: {both.sum()} of {len(both)} data sets match; balanced has LS {local[n]:.4f}")
    return Evidence(all(matches), local[100], "; ".join(lines))


CHECKS: dict[str, Check[Any]] = {
    "001-figure-1": Check(_sensitivities, RIGHT, PRINTED),
    "001-gap": Check(_gap, smooth_at),
    "001-better-than-global": Check(_gain_over_global, smooth_at),
    "001-figure-3": Check(_order_near_the_truth, 0.05),
    "001-figure-4": Check(_figure_4, TRUE, PROGRAM),
    "001-decreasing": Check(_decrease, (100, 300, 1000, 5000, 15000)),
    "001-overtakes": Check(_crossing_claim, lambda reading, epsilon: 300, crossing),
    "001-approaches": Check(_error_ratio, 1.0),
    "001-figure-5": Check(_priors, 1.1, 1.8),
    "001-figure-6": Check(_figure_6, RIGHT, PRINTED),
    "001-conclusion-1": Check(_small_priors, (100, 210, 1000, 5000, 15000), (210, 1000, 5000, 15000)),
    "001-conclusion-2": Check(_priors, 1.1),
    "001-approaches-loss": Check(_error_ratio_at_loss, 1.0),
    "001-conclusion-2-loss": Check(_priors_at_loss, 1.1),
    "003-global": Check(
        _global_value, lambda: float(GLOBAL), lambda: global_sensitivity(PosteriorSpace(prior=PRIOR, n=100))
    ),
    "003-gamma": Check(_gammas, lambda n: n + 1, lambda n: n),
    "003-gamma-size": Check(_gamma_size, lambda n: n + 1, lambda n: math.comb(n + 2, 2)),
    "003-gamma-figure-4": Check(_gamma_figure_4, 150, 120),
    "003-local": Check(
        _captions, lambda rows: rows.max(axis=1) - rows.min(axis=1) <= 1, lambda rows: rows.min(axis=1) >= 0
    ),
}
