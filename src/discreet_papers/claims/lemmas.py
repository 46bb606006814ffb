"""Claims about sliding and dilation: the lemmas by which the seeds argue for (ε, δ) and the terms they use.

A lemma speaks of Pr[u = z], the chance that the released candidate's score is z. Scores of candidates are isolated
points, so Pr[u = e^λ·z] is 0 unless a candidate happens to lie there: `at_score` reads it so. The proofs compute with
the formula exp(-ε·z/2S)/NL at every z, candidate or not: `by_formula`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from discreet.mechanisms.exponential import ExponentialSmooth
from discreet.posteriors.distances import hellinger_floats
from discreet.posteriors.space import PosteriorSpace
from discreet.sensitivity.exact import published_gamma, smooth_sensitivity
from discreet.sensitivity.lipschitz import smooth_smoothness
from discreet_papers.claims.base import Claim, Evidence

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

DELTA = 1e-8


@dataclass(frozen=True)
class Scores:
    """One row of M_H at ε = 1 with the seeds' γ: the scores H(x, r), the rate ε/(2S(x)), the normaliser."""

    distances: NDArray[np.float64]
    rate: float
    normaliser: float

    @classmethod
    def of(cls, n: int, first: int) -> Scores:
        """The row of counts (first, n - first) under beta(1,1)."""
        import numpy as np

        space, counts = PosteriorSpace(prior=[1, 1], n=n), [first, n - first]
        distances = hellinger_floats(space.prior, counts, space.candidates().array())
        rate = 0.5 / smooth_sensitivity(space, counts, published_gamma(space, 1, DELTA))
        return cls(distances, rate, float(np.exp(-rate * distances).sum()))

    def by_formula(self, z: float) -> float:
        """exp(-rate·z)/NL, whether or not a candidate has this score."""
        return math.exp(-self.rate * z) / self.normaliser

    def at_score(self, z: float) -> float:
        """The probability that the released candidate has this score."""
        return int((abs(self.distances - z) < 1e-9).sum()) * self.by_formula(z)


Chance: TypeAlias = Callable[[Scores, float], float]


def _equal_scores(weight: Callable[[float, int], float]) -> Evidence:
    """Lemma 5.1: two candidates are equally likely exactly if their scores are equal."""
    row, wrong = Scores.of(12, 6), ""
    for one in range(13):
        for other in range(one):
            here, there = (weight(row.rate * row.distances[r], r) for r in (one, other))
            same = abs(row.distances[one] - row.distances[other]) < 1e-12
            if same != (abs(here - there) < 1e-12):
                wrong = f"r = {one} and {other}: weights {here:.4f} and {there:.4f}"
    return Evidence(not wrong, row.normaliser, wrong or "for all pairs of candidates")


def _multiplicity(number: Callable[[Scores, int], int]) -> Evidence:
    """Lemma 5.2: Pr[u = u(r)] = C_r·Pr[r], with C_r the number of candidates of that score."""
    wrong = ""
    for first in range(13):
        row = Scores.of(12, first)
        for r, z in enumerate(row.distances):
            if not math.isclose(number(row, r) * row.by_formula(z), row.at_score(z)):
                wrong = wrong or f"n = 12, counts ({first}, {12 - first}), r = {r}: {number(row, r)} of its score"
    return Evidence(not wrong, 12, wrong or "for all counts and candidates, n = 12")


def _twice(counts: Callable[[int], list[int]]) -> Evidence:
    """Lemma 5.3's premise: every distance but 0 occurs exactly twice, for all these first counts, n = 100."""
    wrong = ""
    for first in counts(100):
        row = Scores.of(100, first)
        down, up = (float(row.distances[r]) if 0 <= r <= 100 else math.nan for r in (first - 1, first + 1))
        occur = [int((abs(row.distances - z) < 1e-9).sum()) for z in row.distances]
        if any(number != (1 if r == first else 2) for r, number in enumerate(occur)) and (first == 20 or not wrong):
            wrong = f"n = 100, x = {first}: H to {first - 1} is {down:.6f}, to {first + 1} is {up:.6f}"
    shown = wrong or "n = 100: for x = 50"
    return Evidence(not wrong, float(Scores.of(100, 20).distances[19]), shown)


def _sliding(sign: int) -> Evidence:
    """Lemma 5.3: Pr[u = u(r)] ≤ exp(sign·ε·k/(2S) + ln 2)·Pr[u = u(r) + k] for every score u(r) + k of a candidate."""
    worst, where = -math.inf, ""
    for first in range(13):
        row = Scores.of(12, first)
        for r, z in enumerate(row.distances):
            for t, w in enumerate(row.distances):
                gap = math.log(row.at_score(z) / row.at_score(w)) - (sign * row.rate * (w - z) + math.log(2))
                if gap > worst + 1e-9:
                    worst, where = gap, f"x = {first}, scores of r = {r} and {t}"
    return Evidence(worst <= 1e-9, worst, f"n = 12: ln left - ln right is at most {worst:.4f}, at {where}")


def _moved_score(chance: Chance, move: Callable[[Scores, float], float], slack: float) -> Evidence:
    """Pr[u = z] ≤ e^{ε/2}·chance(move(z)) + δ/2 for every candidate's score z, in balanced and unbalanced rows."""
    worst, where = -math.inf, ""
    for n, first in ((100, 50), (100, 20), (1000, 500)):
        row = Scores.of(n, first)
        for r, z in enumerate(row.distances.tolist()):
            left = chance(row, z)
            over = left - (math.exp(0.5) * chance(row, move(row, z)) + slack)
            if over > worst:
                worst, where = over, f"n = {n}, x = {first}, r = {r}: {left:.3g} exceeds the right side by {over:.3g}"
    shown = where if worst > 1e-15 else "at every candidate's score"
    return Evidence(worst <= 1e-15, worst, shown)


def _slid(row: Scores, z: float) -> float:
    """The score moved by the whole sensitivity S = 1/(2·rate), the most that sliding allows at ε = 1."""
    return z + 0.5 / row.rate


def _dilated(tail: Callable[[float], float]) -> Callable[[Scores, float], float]:
    """The score multiplied by e^λ, with λ from |R|·exp(ε/(2(1-e^λ))) = tail(δ), ε = 1."""

    def move(row: Scores, z: float) -> float:
        return z * (1 + 0.5 / math.log(len(row.distances) / tail(DELTA)))

    return move


def _conditions(holds: Callable[[float, float], bool]) -> Evidence:
    """000 Lemma 3.3: (1-e^λ)·ŝ ≤ S exactly under the conditions given, with S = 1."""
    grid = [step / 8 for step in range(-40, 41) if step]
    wrong = ""
    for rate in grid:
        for score in grid:
            if holds(rate, score) != ((1 - math.exp(rate)) * score <= 1):
                wrong = wrong or f"λ = {rate}, u = {score}: (1-e^λ)u = {(1 - math.exp(rate)) * score:.4f} against S = 1"
    return Evidence(not wrong, len(grid) ** 2, wrong or f"at all {len(grid) ** 2} points of a grid")


def printed_conditions(rate: float, score: float) -> bool:
    """λ and u of one sign, or λ > 0 > u with λ ≤ ln(1 - S/u); for λ < 0 < u never."""
    return rate * score > 0 or (rate > 0 > score and rate <= math.log(1 - 1 / score))


def mended_conditions(rate: float, score: float) -> bool:
    """The same, and for λ < 0 < u where u ≤ S, or λ ≥ ln(1 - S/u)."""
    if rate < 0 < score:
        return score <= 1 or rate >= math.log(1 - 1 / score)
    return printed_conditions(rate, score)


def _parameters(formula: Callable[[int, int, int, int], tuple[float, float]]) -> Evidence:
    """Lemma 5.5: ε' and δ must be numbers with 0 ≤ δ < 1, and the same whatever the data and the output."""
    triples = ((51, 50, 51), (50, 51, 50), (21, 20, 20), (21, 20, 90), (2, 1, 60))
    found = {triple: formula(100, *triple) for triple in triples}
    proper = all(0 <= delta < 1 for _, delta in found.values())
    same = len({(round(epsilon, 12), delta) for epsilon, delta in found.values()}) == 1
    (x, y, r), (epsilon, delta) = next(iter(found.items()))
    least, most = (pick(e for e, _ in found.values()) for pick in (min, max))
    undefined = sum(math.isnan(delta) for _, delta in found.values())
    shown = (
        f"x = {x}, x' = {y}, r = {r}: ε' = {epsilon:.4f}, δ = {delta:.4g}; over the data ε' goes from {least:.4f} to "
    )
    return Evidence(proper and same, delta, f"{shown}{most:.4f}, δ undefined for {undefined} of {len(found)}")


def printed_parameters(n: int, x: int, y: int, r: int) -> tuple[float, float]:
    """ε' and δ of Lemma 5.5 at ε = 1; a logarithm of a negative number has no value."""
    here, there = Scores.of(n, x), Scores.of(n, y)
    slide = here.rate * (there.distances[r] - here.distances[r]) + math.log(2)
    dilation = there.rate / here.rate * math.log(here.normaliser / there.normaliser)
    tail = (n + 1) * math.exp(0.5 / (1 - dilation)) if dilation > 0 else math.nan
    return float(math.log(2) + slide + 0.5), float(math.exp(slide) * (1 - tail))


def theorem_parameters(n: int, x: int, y: int, r: int) -> tuple[float, float]:
    """2s(1+Γ) and 0, from the theorem of docs/mathematics.md."""
    space = PosteriorSpace(prior=[1, 1], n=n)
    gamma = ExponentialSmooth(space, scale="1/2").gamma
    return float(1 + smooth_smoothness(space, gamma)), 0.0


def _laplace_dilation(largest: float) -> Evidence:
    """000 Lemma 3.1: ∫ max(0, h(z) - e^{ε/2}·e^λ·h(e^λ z)) dz ≤ δ/2 for |λ| ≤ β = ε/(2 ln(2/δ)), ε up to `largest`.

    For λ > 0 the integrand is positive beyond z* = (ε/2+λ)/(e^λ-1), and the integral is e^{-z*} - e^{ε/2 - e^λ·z*}.
    For λ < 0 it is never positive, because |λ| ≤ ε/2.
    """
    worst, where = -math.inf, ""
    for epsilon in (0.01, 0.1, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0):
        for delta in (1e-12, 1e-6, 0.01, 0.1, 0.5, 0.9):
            rate = epsilon / (2 * math.log(2 / delta))
            start = (epsilon / 2 + rate) / math.expm1(rate)
            least = math.exp(-start) - math.exp(epsilon / 2 - math.exp(rate) * start)
            if epsilon <= largest and least / (delta / 2) > worst:
                worst, where = (
                    least / (delta / 2),
                    f"ε = {epsilon:g}, δ = {delta:g}: {least:.4g} against δ/2 = {delta / 2:g}",
                )
    return Evidence(worst <= 1, worst, where)


def _first_case(bound: Callable[[float], float]) -> Evidence:
    """For 0 < λ ≤ β the ratio of densities e^λ·h(e^λ z)/h(z) is at most e^λ, reached at z = 0."""
    wrong, largest = "", 0.0
    for epsilon in (0.1, 0.5, 1.0):
        rate = epsilon / (2 * math.log(3 / 1e-8))
        ratio = math.exp(rate)
        largest = max(largest, ratio)
        if ratio > bound(epsilon):
            wrong = f"ε = {epsilon}, δ = 1e-8: the ratio is {ratio:.4f}, the bound {bound(epsilon):.4f}"
    return Evidence(not wrong, largest, wrong or f"ratios to {largest:.4f}")


def _one_beta(inside: float) -> Evidence:
    """The lemma lets |λ| go to ε/(2 ln(c/δ)); its proof uses λ ≤ ε/(2 ln(3/δ))."""
    allowed, used = (0.5 / math.log(c / DELTA) for c in (inside, 3.0))
    return Evidence(allowed <= used, allowed, f"ε = 1, δ = 1e-8: |λ| may be {allowed:.6f}, the proof has {used:.6f}")


CLAIMS: tuple[Claim[Any], ...] = (
    Claim(
        id="001-lemma-5.1",
        source="001 Lemma 5.1",
        says="two candidates have the same score iff they have the same probability",
        settings="smooth, ε = 1, beta(1,1), counts (6, 6)",
        right="as printed",
        test=_equal_scores,
        printed=lambda cost, r: math.exp(-cost),
    ),
    Claim(
        id="001-lemma-5.2",
        source="001 Lemma 5.2",
        says="Pr[u = u(r)] = C_r·Pr[r], with C_r the number of candidates of the same score",
        settings="smooth, ε = 1, beta(1,1), n = 12, all counts and r",
        right="as printed",
        test=_multiplicity,
        printed=lambda row, r: int((abs(row.distances - row.distances[r]) < 1e-9).sum()),
    ),
    Claim(
        id="001-lemma-5.3-twice",
        source="001 Lemma 5.3, 5.4, 5.5; 003 Lemma 2.1",
        says="for two categories every distance but 0 occurs twice, by the symmetry of H",
        settings="beta(1,1), n = 100, every x",
        right="only for balanced data and prior",
        test=_twice,
        printed=lambda n: list(range(n + 1)),
        mended=lambda n: [n // 2],
    ),
    Claim(
        id="001-lemma-5.3-sign",
        source="001 Lemma 5.3",
        says="Pr[u = u(r)] ≤ exp(-εk/(2S) + ln 2)·Pr[u = u(r) + k]",
        settings="smooth, ε = 1, beta(1,1), n = 12, all counts and scores",
        right="exp(+εk/(2S) + ln 2), as in its proof",
        test=_sliding,
        printed=-1,
        mended=1,
    ),
    Claim(
        id="003-lemma-2.1",
        source="003 Lemma 2.1, 000 Lemma 3.2",
        says="sliding: Pr[u = ŝ] ≤ e^{ε/2}·Pr[u = ŝ + Δ] + δ/2 for Δ ≥ -S",
        settings="smooth, ε = 1, δ = 1e-8, beta(1,1), n = 100 and 1000",
        right="true of the formula exp(εŝ/2S)/NL, which is a probability only at scores of candidates",
        test=lambda chance: _moved_score(chance, _slid, DELTA / 2),
        printed=Scores.at_score,
        mended=Scores.by_formula,
    ),
    Claim(
        id="003-lemma-2.2",
        source="003 Lemma 2.2",
        says="dilation: Pr[u = z] ≤ e^{ε/2}·Pr[u = e^λ z] + δ/2 for λ up to ln(1 - ε/(2 ln(δ/(2(n+1)))))",
        settings="smooth, ε = 1, δ = 1e-8, beta(1,1), n = 100 and 1000",
        right="true of the formula; the event whose probability δ/2 bounds is the bad one, not the good one",
        test=lambda chance: _moved_score(chance, _dilated(lambda delta: delta / 2), DELTA / 2),
        printed=Scores.at_score,
        mended=Scores.by_formula,
    ),
    Claim(
        id="001-lemma-5.4",
        source="001 Lemma 5.4",
        says="the same with λ from |R|·exp(ε/(2(1-e^λ))) = 1 - δ'/2",
        settings="smooth, ε = 1, δ' = 1e-8, beta(1,1), n = 100 and 1000; the formula at every score",
        right="δ'/2 in place of 1 - δ'/2: the tail that is left out must be the small one",
        test=lambda tail: _moved_score(Scores.by_formula, _dilated(tail), DELTA / 2),
        printed=lambda delta: 1 - delta / 2,
        mended=lambda delta: delta / 2,
    ),
    Claim(
        id="001-lemma-5.5",
        source="001 Lemma 5.5",
        says="M_H is (ε', δ)-differentially private with the ε' and δ printed there",
        settings="smooth, ε = 1, beta(1,1), n = 100, five triples of x, x' and r",
        right="they depend on data and output, and δ is negative or undefined; 2s(1+Γ) with δ = 0 is a guarantee",
        test=_parameters,
        printed=printed_parameters,
        mended=theorem_parameters,
    ),
    Claim(
        id="000-lemma-3.1",
        source="000 Lemma 3.1, 002 §4.1",
        says="Laplace noise: Pr[S] ≤ e^{ε/2}·Pr[e^λ S] + δ/2 for |λ| ≤ ε/(2 ln(2/δ)), for every ε and δ",
        settings="the least δ/2 in closed form, ε from 0.01 to 16, δ from 1e-12 to 0.9",
        right="for ε up to 2, among those tried",
        test=_laplace_dilation,
        printed=math.inf,
        mended=2.0,
    ),
    Claim(
        id="000-lemma-3.1-case-1",
        source="000 Lemma 3.1, 002 §4.1, case 1",
        says="Pr[e^λ S]/Pr[S] ≤ ε/2",
        settings="δ = 1e-8, ε = 0.1, 0.5, 1",
        right="e^{ε/2}",
        test=_first_case,
        printed=lambda epsilon: epsilon / 2,
        mended=lambda epsilon: math.exp(epsilon / 2),
    ),
    Claim(
        id="000-lemma-3.1-beta",
        source="000 Lemma 3.1, 002 §4.1",
        says="|λ| ≤ β = ε/(2 ln(2/δ)), so λ ≤ ε/(2 ln(3/δ))",
        settings="ε = 1, δ = 1e-8",
        right="one constant must be used for both, 3 in both places will do",
        test=_one_beta,
        printed=2.0,
        mended=3.0,
    ),
    Claim(
        id="000-lemma-3.3",
        source="000 Lemma 3.3",
        says="(1-e^λ)ŝ ≤ S iff λ·u > 0, or λ > 0 > u and λ ≤ ln(1 - S/ŝ); it cannot hold for λ < 0 < u",
        settings="S = 1, λ and u from -5 to 5 in steps of 1/8",
        right="for λ < 0 < u it holds if u ≤ S or λ ≥ ln(1 - S/ŝ)",
        test=_conditions,
        printed=printed_conditions,
        mended=mended_conditions,
    ),
)
