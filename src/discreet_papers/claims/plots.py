"""Claims about the seeds' experiments: what their figures show, and what they conclude from them.

Every mean and loss is exact where the seeds drew 1000 runs. M_H is the exponential mechanism with smooth sensitivity at
δ = 1e-8 for errors, and with γ-smooth sensitivity, γ = 1, for losses, as the figures have it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from functools import cache
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from discreet.mechanisms import LaplaceImproved
from discreet.mechanisms.exponential import ExponentialLocal, ExponentialReciprocal
from discreet.posteriors.space import PosteriorSpace
from discreet.privacy_loss.edge_rows import scan_ends
from discreet.sensitivity.exact import global_sensitivity
from discreet_papers.claims.base import Check, Evidence
from discreet_papers.claims.rulers import HELLINGER, LEGACY, Measured, Ruler, smooth_mean


class Setup(NamedTuple):
    """How a figure was made: by which distance, at which ε."""

    ruler: Ruler
    epsilon: float


class Errors(NamedTuple):
    """Mean distances of the three mechanisms that the seeds compare."""

    smooth: float
    baseline: float
    improved: float


@cache
def errors(n: int, setup: Setup, prior: float = 1, by_program: bool = False) -> Errors:
    """Balanced data; with `by_program` γ is computed with 2n where the text has 2(n+1)."""
    line, epsilon = Measured.of(n, setup.ruler, prior), setup.epsilon
    found = [line.laplace_mean(n // 2, scale / epsilon) for scale in (2.0, 1.0)]
    return Errors(smooth_mean(line, epsilon, lambda m: m if by_program else m + 1), *found)


TRUE, PROGRAM = Setup(HELLINGER, 1.0), Setup(LEGACY, 0.8)


def _sensitivities(ruler: Ruler) -> Evidence:
    """Figure 1 at its edge and its centre, read off to half of the last digit."""
    line = Measured.of(100, ruler)
    edge, centre = float(line.local[0]), float(line.local[50])
    near = abs(edge - 0.161) <= 5e-4 and abs(centre - 0.0327) <= 5e-5
    return Evidence(
        near, edge, f"{edge:.5f} at the edge, {centre:.5f} at the centre, where 0.161 and 0.0327 are plotted"
    )


def _gap(sensitivity: Callable[[Measured, int], float]) -> Evidence:
    """A smooth bound lies between local and global sensitivity for all data, and strictly for some."""
    line = Measured.of(100, HELLINGER)
    bound = global_sensitivity(line.line.space)
    values = [sensitivity(line, x) for x in range(101)]
    inside = all(line.local[x] - 1e-12 <= value <= bound + 1e-12 for x, value in enumerate(values))
    strict = values[50] < bound
    return Evidence(inside and strict, values[50], f"balanced data: {values[50]:.4f}, global {bound:.4f}")


def _figure_4(setup: Setup) -> Evidence:
    """Figure 4 at n = 100: three means, read off to half of the last digit and 1000 runs' worth of noise."""
    found = errors(100, setup, by_program=True)
    near = all(abs(value - plotted) <= 1.5e-3 for value, plotted in zip(found, (0.194, 0.083, 0.042), strict=True))
    right = f"M_H {found.smooth:.4f}, baseline {found.baseline:.4f}, improved {found.improved:.4f}"
    return Evidence(near, found.smooth, f"{right}, where 0.194, 0.083 and 0.042 are plotted")


def crossing(setup: Setup) -> int:
    """The least multiple of 10 from which on M_H is better than the baseline.

    >>> crossing(TRUE), crossing(PROGRAM), crossing(Setup(HELLINGER, 0.8))
    (210, 260, 450)
    """
    worse = [n for n in range(50, 700, 10) if not errors(n, setup).smooth < errors(n, setup).baseline]
    return worse[-1] + 10


def _overtaken(where: Callable[[Setup], int]) -> Evidence:
    """Below this n both Laplace mechanisms are better than M_H, from it on M_H is better than the baseline."""
    n, wrong = where(TRUE), ""
    for size in (50, 100, 150, n - 40, n - 20, n, n + 20, 1000, 5000, 15000):
        found = errors(size, TRUE)
        laplace_wins = found.smooth > max(found.baseline, found.improved)
        if laplace_wins != (size < n):
            wrong = wrong or f"n = {size}: M_H {found.smooth:.4f}, baseline {found.baseline:.4f}"
    other = f"{crossing(Setup(HELLINGER, 0.8))} at ε = 0.8, {crossing(PROGRAM)} by their program"
    return Evidence(not wrong, n, wrong or f"overtakes near n = {n}; {other}")


def _approaches(limit: float) -> Evidence:
    """M_H's error over the improved Laplace mechanism's, as n grows: does it come near this number?"""
    ratios = {n: errors(n, TRUE).smooth / errors(n, TRUE).improved for n in (1000, 5000, 15000)}
    last = errors(5000, TRUE)
    shown = f"n = 5000: {last.smooth:.4f} against {last.improved:.4f}; ratios " + _series(ratios.items())
    return Evidence(abs(ratios[15000] - limit) < 0.05, ratios[15000], shown)


def _series(pairs: Iterable[tuple[object, float]]) -> str:
    return ", ".join(f"{value:.2f} at {where}" for where, value in pairs)


def _decreasing(sizes: tuple[int, ...]) -> Evidence:
    """All three mean errors fall as n grows."""
    found = [errors(n, TRUE) for n in sizes]
    falls = all(after < before for one, other in pairwise(found) for before, after in zip(one, other, strict=True))
    return Evidence(falls, found[-1].smooth, f"M_H falls from {found[0].smooth:.4f} to {found[-1].smooth:.4f}")


def _figure_6(ruler: Ruler) -> Evidence:
    """Figure 6 at three n: the losses of M_H and of local sensitivity at s = ½."""
    found = {n: (_loss(ruler, n, reciprocal=True), _loss(ruler, n, reciprocal=False)) for n in (1000, 10_000, 50_000)}
    plotted = {1000: (0.715, 1.39), 10_000: (0.824, 1.93), 50_000: (0.848, 2.175)}
    near = all(abs(a - b) <= 5e-3 for n in found for a, b in zip(found[n], plotted[n], strict=True))
    losses = [" / ".join(f"{found[n][i]:.{digits}f}" for n in found) for i, digits in ((0, 3), (1, 4))]
    shown = f"M_H {losses[0]}, local {losses[1]} at n = 10³ / 10⁴ / 5·10⁴"
    return Evidence(near, found[50_000][0], f"{shown}, where 0.715 / 0.824 / 0.848 and 1.39 / 1.93 / 2.175 are plotted")


def _loss(ruler: Ruler, n: int, *, reciprocal: bool) -> float:
    if ruler is HELLINGER:  # every row, by bounds
        kind = ExponentialReciprocal if reciprocal else ExponentialLocal
        return scan_ends(kind(PosteriorSpace(prior=[1, 1], n=n), scale="1/2")).loss
    line = Measured.of(n, ruler)
    if reciprocal:
        return line.loss(lambda x: 0.5 * line.inverse_reciprocal(x, 1.0))
    return line.loss(lambda x: 0.5 / float(line.local[x]))


def _nearer(level: float) -> Evidence:
    """Figure 3: within this distance of the truth lands improved Laplace most often, then M_H, then the baseline."""
    n = 1000
    line = Measured.of(n, HELLINGER)
    distances = line.distances(n // 2)
    weight = np.exp(-0.5 / _smooth_at(line, n // 2) * distances)
    smooth = float(weight[distances <= level].sum() / weight.sum())
    laplace = []
    for rate in (0.5, 1.0):
        made = LaplaceImproved(line.line.space, epsilon=1, rate=rate, rounding="floor")
        laplace.append(float(np.exp(made.log_pmf([n // 2, n // 2]))[distances <= level].sum()))
    shown = f"Pr[H ≤ {level}]: improved {laplace[1]:.4f}, M_H {smooth:.4f}, baseline {laplace[0]:.4f}"
    return Evidence(laplace[0] < smooth < laplace[1], smooth, f"n = {n}, {shown}")


def _priors(near: float) -> Evidence:
    """Data (50, 50): as the balanced prior grows, M_H overtakes the baseline and comes this near to improved."""
    ratios = {prior: errors(100, TRUE, prior) for prior in (1, 5, 20, 100, 1000)}
    overtakes = ratios[1].smooth > ratios[1].baseline and ratios[1000].smooth < ratios[1000].baseline
    against = [(f"prior {prior}", found.smooth / found.improved) for prior, found in ratios.items()]
    return Evidence(overtakes and against[-1][1] <= near, against[-1][1], f"M_H over improved: {_series(against)}")


def _small_priors(sizes: tuple[int, ...]) -> Evidence:
    """For these n and a uniform prior, M_H lies between the baseline and the improved Laplace mechanism."""
    wrong = [n for n in sizes if not errors(n, TRUE).improved < errors(n, TRUE).smooth < errors(n, TRUE).baseline]
    at = wrong[0] if wrong else sizes[0]
    shown = f"n = {at}: M_H {errors(at, TRUE).smooth:.4f}, baseline {errors(at, TRUE).baseline:.4f}"
    return Evidence(not wrong, errors(at, TRUE).smooth, shown)


def _better_than_global(sensitivity: Callable[[Measured, int], float]) -> Evidence:
    """The mean error with this sensitivity is below that with global sensitivity, for balanced data."""
    found = {}
    for n in (100, 1000, 5000):
        line = Measured.of(n, HELLINGER)
        here, there = (line.mean(n // 2, 0.5 / s) for s in (sensitivity(line, n // 2), float(line.local.max())))
        found[n] = here / there
    return Evidence(max(found.values()) < 1, found[5000], f"errors over those of global: {_series(found.items())}")


def _smooth_at(line: Measured, x: int) -> float:
    return line.smooth(x, math.log(1 - 1 / (2 * math.log(1e-8 / (2 * (line.n + 1))))))


CHECKS: dict[str, Check[Any]] = {
    "001-figure-1": Check(_sensitivities, HELLINGER, LEGACY),
    "001-gap": Check(_gap, _smooth_at),
    "001-better-than-global": Check(_better_than_global, _smooth_at),
    "001-figure-3": Check(_nearer, 0.05),
    "001-figure-4": Check(_figure_4, TRUE, PROGRAM),
    "001-decreasing": Check(_decreasing, (100, 300, 1000, 5000, 15000)),
    "001-overtakes": Check(_overtaken, lambda setup: 300, crossing),
    "001-approaches": Check(_approaches, 1.0),
    "001-figure-5": Check(_priors, 1.1, 1.8),
    "001-figure-6": Check(_figure_6, HELLINGER, LEGACY),
    "001-conclusion-1": Check(_small_priors, (100, 210, 1000, 5000, 15000), (210, 1000, 5000, 15000)),
    "001-conclusion-2": Check(_priors, 1.1),
}
