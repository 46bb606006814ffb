"""Claims about accuracy: the laws of floored noise, and the bounds on how far a release is from the truth."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np
from scipy.special import gammaincc

from discreet import LaplaceImproved, PosteriorSpace
from discreet.arithmetic.arrays import Floats
from discreet.mechanisms.exponential import Exponential, ExponentialGlobal, ExponentialSmooth
from discreet.samplers.noise import RoundedLaplace
from discreet.utility.normaliser import normaliser
from discreet_papers.claims.base import Check, Evidence

Tail: TypeAlias = Callable[[Floats, float, float], float]
"""A tail Pr[H ≥ t] as a function of the distances, of ε/S and of t."""


def _floored_noise(formula: Callable[[int, float], float]) -> Evidence:
    """Pr[⌊Y⌋ = t] for Y ~ Lap(b), b = 2, against the exact law of the floored noise, t = 0 to 20."""
    law = RoundedLaplace(Fraction(1, 2), "floor")
    wrong = [t for t in range(21) if abs(formula(t, 2.0) - float(law.mass(t))) > 1e-12]
    at = wrong[0] if wrong else 1
    line = f"Lap(2), t = {at}: {formula(at, 2.0):.6f}, exactly {float(law.mass(at)):.6f}"
    return Evidence(not wrong, float(law.mass(1)), line)


def printed_floor(t: int, scale: float) -> float:
    """½(e^{-(t-1)/b} - e^{-t/b}), the integral from t-1 to t."""
    return 0.5 * (math.exp(-(t - 1) / scale) - math.exp(-t / scale))


def corrected_floor(t: int, scale: float) -> float:
    """½(e^{-t/b} - e^{-(t+1)/b}), the integral from t to t+1, for t ≥ 0."""
    return printed_floor(t + 1, scale)


def _improved_noise(sensitivity: Callable[[int], int]) -> Evidence:
    """The noise of the improved Laplace mechanism as published at ε = 1, against the formula with a sensitivity."""
    wrong, exact = [], {}
    for k in (2, 3, 4):
        mechanism = LaplaceImproved.as_published(PosteriorSpace(prior=[1] * k, n=9), epsilon=1)
        claimed, exact[k] = corrected_floor(1, sensitivity(k)), float(RoundedLaplace(mechanism.rate, "floor").mass(1))
        if abs(claimed - exact[k]) > 1e-12:
            wrong.append(f"k = {k}, t = 1: {claimed:.6f}, exactly {exact[k]:.6f}")
    return Evidence.unless(wrong, exact[2], "the law of the noise for k = 2, 3, 4")


_SPACE = PosteriorSpace(prior=[1, 1], n=60)


def _tail_cases(formula: Tail, kind: type[Exponential]) -> Iterator[tuple[float, float, float]]:
    """For every data set and level t: t, the law's own tail, and what the formula says."""
    mechanism = kind.as_published(_SPACE, epsilon=1)
    for law in map(mechanism.law, _SPACE.candidates()):
        distances, rate, chance = law.distances(), 2 * float(law.rate()), np.exp(law.log_pmf())
        for t in (step / 20 for step in range(1, 20)):
            yield t, float(chance[distances >= t].sum()), formula(distances, rate, t)


def _exact_tail(formula: Tail) -> Evidence:
    """The printed sum must be the law's own tail."""
    cases = (
        (abs(truth - claimed), f"t = {t}: {claimed:.5f}, the law has {truth:.5f}")
        for t, truth, claimed in _tail_cases(formula, ExponentialSmooth)
    )
    return Evidence.at_most(1e-9, cases, f"n = {_SPACE.n}, {{}}")


def _tail_bound(formula: Tail, kind: type[Exponential] = ExponentialSmooth) -> Evidence:
    """The bound must be at least the law's own tail, for all data sets and levels."""
    cases = (
        (-claimed / truth, f"t = {t}: bound {claimed:.4g}, the law has {truth:.4g}")
        for t, truth, claimed in _tail_cases(formula, kind)
        if truth > 0
    )
    evidence = Evidence.at_most(-1, cases, f"n = {_SPACE.n}, tightest at {{}}")
    return evidence._replace(number=-evidence.number)


def _weighted_tail(share: float) -> Tail:
    """Σ exp(-share·ε·H/S)/NL over H ≥ t, with NL the sum of the same weights."""

    def tail(distances: Floats, rate: float, t: float) -> float:
        weight = np.exp(-share * rate * distances)
        return float(weight[distances >= t].sum() / weight.sum())

    return tail


def _normalised_tail(share: float) -> Tail:
    """|R|·exp(-share·ε·t/S)/NL."""
    return lambda d, rate, t: len(d) * math.exp(-share * rate * t) / float(np.exp(-share * rate * d).sum())


def _loose_tail(share: float) -> Tail:
    """|R|·exp(-share·ε·t/S)."""
    return lambda d, rate, t: len(d) * math.exp(-share * rate * t)


def _data_free(by: Callable[[Exponential], float]) -> Tail:
    """|R|·exp(-ε·t/(2S))/N with a number N that depends on the mechanism alone."""
    number = by(ExponentialSmooth.as_published(_SPACE, epsilon=1))
    return lambda distances, rate, t: len(distances) * math.exp(-0.5 * rate * t) / number


def _noise_tail(factor: Callable[[int, int], int]) -> Evidence:
    """Pr[Σ|Y_i| ≥ factor·ln(m/γ)·2/ε] ≤ γ for m noises of scale 2/ε: the sum is Gamma(m)-distributed."""
    cases = []
    for m, n, gamma in itertools.product((2, 3, 5), (1, 2, 100), (0.01, 0.05, 0.5)):
        chance = float(gammaincc(m, factor(m, n) * math.log(m / gamma)))
        cases.append((chance / gamma, f"m = {m}, |x| = {n}, γ = {gamma}: probability {chance:.4f}"))
    return Evidence.at_most(1, cases)


def _largest_noise(compare: Callable[[float, float], bool]) -> Evidence:
    """Pr[max |Y_i| ≥ ln(m/γ)·2/ε] = 1 - (1 - γ/m)^m against γ."""
    chances = {(m, gamma): 1 - (1 - gamma / m) ** m for m in (5, 3, 2) for gamma in (0.5, 0.05, 0.01)}
    wrong = (f"m = {m}, γ = {gamma}: {p:.6f}" for (m, gamma), p in chances.items() if not compare(p, gamma))
    return Evidence.unless(wrong, chances[5, 0.5], f"m = 5, γ = 0.5: {chances[5, 0.5]:.6f}")


CHECKS: dict[str, Check[Any]] = {
    "001-floor": Check(_floored_noise, printed_floor, corrected_floor),
    "001-floor-improved": Check(_improved_noise, lambda k: 2, lambda k: 1 if k == 2 else 2),
    "001-global-bound": Check(lambda share: _tail_bound(_loose_tail(share), ExponentialGlobal), 0.5),
    "001-tight": Check(_exact_tail, _weighted_tail(1.0), _weighted_tail(0.5)),
    "001-normalised": Check(_tail_bound, _normalised_tail(1.0), _normalised_tail(0.5)),
    "001-normaliser": Check(lambda by: _tail_bound(_data_free(by)), lambda mechanism: normaliser(mechanism).lower),
    "001-loose": Check(lambda share: _tail_bound(_loose_tail(share)), 0.5),
    "003-l1-tail": Check(_noise_tail, lambda m, n: n, lambda m, n: m),
    "003-largest-noise": Check(
        _largest_noise, lambda chance, gamma: math.isclose(chance, gamma), lambda chance, gamma: chance <= gamma
    ),
}
