"""Claims about accuracy: the laws of floored noise, and the bounds on how far a release is from the truth."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from fractions import Fraction
from typing import TYPE_CHECKING, Any, TypeAlias

from discreet.mechanisms.exponential import Exponential, ExponentialGlobal, ExponentialSmooth
from discreet.posteriors.space import PosteriorSpace
from discreet.samplers.noise import RoundedLaplace
from discreet.utility.normaliser import normaliser
from discreet_papers.claims.base import Claim, Evidence

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Tail: TypeAlias = Callable[["NDArray[np.float64]", float, float], float]
"""A tail Pr[H ≥ t] as a function of the distances, of ε/S and of t."""


def _floored(formula: Callable[[int, float], float]) -> Evidence:
    """Pr[⌊Y⌋ = t] for Y ~ Lap(b), b = 2, against the exact law of the floored noise, t = 0 to 20."""
    law = RoundedLaplace(Fraction(1, 2), "floor")
    wrong = [t for t in range(21) if abs(formula(t, 2.0) - float(law.mass(t))) > 1e-12]
    at = wrong[0] if wrong else 1
    shown = f"Lap(2), t = {at}: {formula(at, 2.0):.6f}, exactly {float(law.mass(at)):.6f}"
    return Evidence(not wrong, float(law.mass(1)), shown)


def printed_floor(t: int, scale: float) -> float:
    """½(e^{-(t-1)/b} - e^{-t/b}), the integral from t-1 to t."""
    return 0.5 * (math.exp(-(t - 1) / scale) - math.exp(-t / scale))


def mended_floor(t: int, scale: float) -> float:
    """½(e^{-t/b} - e^{-(t+1)/b}), the integral from t to t+1, for t ≥ 0."""
    return printed_floor(t + 1, scale)


def _improved(sensitivity: Callable[[int], int]) -> Evidence:
    """The noise of the improved Laplace mechanism as published at ε = 1, against the formula with a sensitivity."""
    from discreet.mechanisms import LaplaceImproved

    wrong = ""
    for k in (2, 3, 4):
        made = LaplaceImproved.as_published(PosteriorSpace(prior=[1] * k, n=9), epsilon=1)
        law = RoundedLaplace(made.rate, "floor")
        claimed, exact = mended_floor(1, sensitivity(k)), float(law.mass(1))
        if abs(claimed - exact) > 1e-12:
            wrong = wrong or f"k = {k}, t = 1: {claimed:.6f}, exactly {exact:.6f}"
    exact = float(RoundedLaplace(Fraction(1), "floor").mass(1))
    return Evidence(not wrong, exact, wrong or "the law of the noise for k = 2, 3, 4")


def _rows(mechanism: Exponential) -> list[tuple[NDArray[np.float64], float, NDArray[np.float64]]]:
    """Distances, 2s/S(c) and probabilities for every data set."""
    import numpy as np

    found = []
    for c in mechanism.space.candidates():
        law = mechanism.law(c)
        found.append((law.distances(), 2 * float(law.rate()), np.exp(law.log_pmf())))
    return found


LEVELS = [step / 20 for step in range(1, 20)]


def _exact_tail(formula: Tail) -> Evidence:
    """The printed sum must be the law's own tail."""
    worst, where = -1.0, ""
    for distances, rate, chance in _rows(ExponentialSmooth.as_published(_SPACE, epsilon=1)):
        for t in LEVELS:
            truth, claimed = float(chance[distances >= t].sum()), formula(distances, rate, t)
            if abs(truth - claimed) > worst + 1e-12:
                worst, where = abs(truth - claimed), f"t = {t}: {claimed:.5f}, the law has {truth:.5f}"
    return Evidence(worst < 1e-9, worst, f"n = {_SPACE.n}, {where}")


def _bound(formula: Tail, kind: type[Exponential] = ExponentialSmooth) -> Evidence:
    """The bound must be at least the law's own tail, for all data sets and levels."""
    worst, where = math.inf, ""
    for distances, rate, chance in _rows(kind.as_published(_SPACE, epsilon=1)):
        for t in LEVELS:
            truth, claimed = float(chance[distances >= t].sum()), formula(distances, rate, t)
            if truth > 0 and claimed / truth < worst - 1e-12:
                worst, where = claimed / truth, f"t = {t}: bound {claimed:.4g}, the law has {truth:.4g}"
    return Evidence(worst >= 1, worst, f"n = {_SPACE.n}, tightest at {where}")


_SPACE = PosteriorSpace(prior=[1, 1], n=60)


def _weighted(share: float) -> Tail:
    """Σ exp(-share·ε·H/S)/NL over H ≥ t, with NL the sum of the same weights."""

    def tail(distances: NDArray[np.float64], rate: float, t: float) -> float:
        import numpy as np

        weight = np.exp(-share * rate * distances)
        return float(weight[distances >= t].sum() / weight.sum())

    return tail


def _normalised(share: float) -> Tail:
    """|R|·exp(-share·ε·t/S)/NL."""

    def tail(distances: NDArray[np.float64], rate: float, t: float) -> float:
        import numpy as np

        return float(len(distances) * math.exp(-share * rate * t) / np.exp(-share * rate * distances).sum())

    return tail


def _divided(by: Callable[[Exponential], float]) -> Tail:
    """|R|·exp(-ε·t/(2S))/N with a number N that depends on the mechanism alone."""
    number = by(ExponentialSmooth.as_published(_SPACE, epsilon=1))
    return lambda distances, rate, t: len(distances) * math.exp(-0.5 * rate * t) / number


def _noise_tail(factor: Callable[[int, int], int]) -> Evidence:
    """Pr[Σ|Y_i| ≥ factor·ln(m/γ)·2/ε] ≤ γ for m noises of scale 2/ε: the sum is Gamma(m)-distributed."""
    from scipy.special import gammaincc

    worst, where = -math.inf, ""
    for m, n, gamma in itertools.product((2, 3, 5), (1, 2, 100), (0.01, 0.05, 0.5)):
        chance = float(gammaincc(m, factor(m, n) * math.log(m / gamma)))
        if chance / gamma > worst + 1e-12:
            worst, where = chance / gamma, f"m = {m}, |x| = {n}, γ = {gamma}: probability {chance:.4f}"
    return Evidence(worst <= 1, worst, where)


def _largest_noise(compare: Callable[[float, float], bool]) -> Evidence:
    """Pr[max |Y_i| ≥ ln(m/γ)·2/ε] = 1 - (1 - γ/m)^m against γ."""
    wrong, chance = "", 0.0
    for m, gamma in itertools.product((2, 3, 5), (0.01, 0.05, 0.5)):
        chance = 1 - (1 - gamma / m) ** m
        if not compare(chance, gamma):
            wrong = f"m = {m}, γ = {gamma}: {chance:.6f}"
    return Evidence(not wrong, chance, wrong or f"m = 5, γ = 0.5: {chance:.6f}")


CLAIMS: tuple[Claim[Any], ...] = (
    Claim(
        id="001-floor",
        source="001 §6.1.2",
        says="Pr[⌊Y⌋ = t] = Pr[t-1 ≤ Y < t] = ½(e^{-ε(t-1)/ΔBI} - e^{-εt/ΔBI})",
        settings="scale ΔBI/ε = 2, t = 0 to 20",
        right="Pr[t ≤ Y < t+1] = ½(e^{-εt/ΔBI} - e^{-ε(t+1)/ΔBI}) for t ≥ 0",
        test=_floored,
        printed=printed_floor,
        mended=mended_floor,
    ),
    Claim(
        id="001-floor-improved",
        source="001 §6.1.3",
        says="the improved Laplace mechanism has the same law with sensitivity 2",
        settings="ε = 1, t = 1, k = 2, 3, 4",
        right="1 for k = 2",
        test=_improved,
        printed=lambda k: 2,
        mended=lambda k: 1 if k == 2 else 2,
    ),
    Claim(
        id="001-global-bound",
        source="001 §6.1.1",
        says="exponential mechanism: Pr[H ≥ t] ≤ |R|·exp(-εt/(2GS))",
        settings="global, ε = 1, beta(1,1), n = 60, all counts, t = 0.05 to 0.95",
        right="as printed",
        test=lambda share: _bound(lambda d, rate, t: len(d) * math.exp(-share * rate * t), ExponentialGlobal),
        printed=0.5,
    ),
    Claim(
        id="001-tight",
        source="001 §6.2",
        says="Pr[H ≥ t] = Σ exp(-εH/S)/NL over H ≥ t",
        settings="smooth, ε = 1, beta(1,1), n = 60, all counts, t = 0.05 to 0.95",
        right="exp(-εH/(2S)), by Definition 3",
        test=_exact_tail,
        printed=_weighted(1.0),
        mended=_weighted(0.5),
    ),
    Claim(
        id="001-normalised",
        source="001 §6.2",
        says="Pr[H ≥ t] ≤ |R|·exp(-εt/S)/NL",
        settings="smooth, ε = 1, beta(1,1), n = 60, all counts, t = 0.05 to 0.95",
        right="exp(-εt/(2S)), with NL of the same weights",
        test=_bound,
        printed=_normalised(1.0),
        mended=_normalised(0.5),
    ),
    Claim(
        id="001-normaliser",
        source="001 §6.2",
        says="NL can be replaced by a value N(n) that depends only on n",
        settings="smooth, ε = 1, beta(1,1), n = 60, N(n) = min NL, all counts, t = 0.05 to 0.95",
        right="N(n) = min over x of NL",
        test=lambda by: _bound(_divided(by)),
        printed=lambda mechanism: normaliser(mechanism).lower,
    ),
    Claim(
        id="001-loose",
        source="001 §6.2",
        says="Pr[H ≥ t] ≤ |R|·exp(-εt/(2S))",
        settings="smooth, ε = 1, beta(1,1), n = 60, all counts, t = 0.05 to 0.95",
        right="as printed",
        test=lambda share: _bound(lambda d, rate, t: len(d) * math.exp(-share * rate * t)),
        printed=0.5,
    ),
    Claim(
        id="003-l1-tail",
        source="003 §3.1",
        says="Pr[‖Lap‖₁ ≥ |x|·ln(m/γ)·2/ε] ≤ γ",
        settings="m = 2, 3, 5 noises of scale 2/ε, |x| = 1, 2, 100, γ = 0.01, 0.05, 0.5",
        right="m·ln(m/γ)·2/ε, as in the lines after it",
        test=_noise_tail,
        printed=lambda m, n: n,
        mended=lambda m, n: m,
    ),
    Claim(
        id="003-largest-noise",
        source="003 §3.1",
        says="Pr[‖Lap‖∞ ≥ ln(m/γ)·2/ε] = γ",
        settings="m = 2, 3, 5, γ = 0.01, 0.05, 0.5, in closed form",
        right="≤ γ; it is 1 - (1-γ/m)^m",
        test=_largest_noise,
        printed=lambda chance, gamma: math.isclose(chance, gamma),
        mended=lambda chance, gamma: chance <= gamma,
    ),
)
