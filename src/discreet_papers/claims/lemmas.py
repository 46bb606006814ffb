"""Claims about sliding and dilation: the lemmas by which the papers argue for (ε, δ) and the terms they use.

A lemma speaks of Pr[u = z], the chance that the released candidate's score is z. Scores of candidates are isolated
points, so Pr[u = e^λ·z] is 0 unless a candidate happens to lie there: `at_score` reads it so. The proofs compute with
the formula exp(-ε·z/2S)/NL at every z, candidate or not: `by_formula`.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from discreet import ExponentialSmooth, PosteriorSpace
from discreet.arithmetic.arrays import Floats
from discreet.sensitivity.lipschitz import smooth_smoothness
from discreet_papers.claims.base import Check, Evidence

DELTA = 1e-8


@dataclass(frozen=True)
class Scores:
    """One row of M_H at ε = 1 with the papers' γ: the scores H(x, r), the rate ε/(2S(x)), the normaliser."""

    distances: Floats
    rate: float
    normaliser: float

    @classmethod
    def of(cls, n: int, first: int) -> Scores:
        """The row of counts (first, n - first) under beta(1,1)."""
        law = ExponentialSmooth.as_published(PosteriorSpace(prior=[1, 1], n=n), epsilon=1).law([first, n - first])
        distances, rate = law.distances(), float(law.rate())
        return cls(distances, rate, float(np.exp(-rate * distances).sum()))

    def by_formula(self, z: float) -> float:
        """exp(-rate·z)/NL, whether or not a candidate has this score."""
        return math.exp(-self.rate * z) / self.normaliser

    def occurrences(self, z: float) -> int:
        """How many candidates have this score."""
        return int((abs(self.distances - z) < 1e-9).sum())

    def at_score(self, z: float) -> float:
        """The probability that the released candidate has this score."""
        return self.occurrences(z) * self.by_formula(z)


Chance: TypeAlias = Callable[[Scores, float], float]


def _equal_scores(weight: Callable[[float, int], float]) -> Evidence:
    """Lemma 5.1: two candidates are equally likely exactly if their scores are equal."""
    row, wrong = Scores.of(12, 6), []
    weights = [weight(row.rate * distance, r) for r, distance in enumerate(row.distances)]
    for other, one in itertools.combinations(range(13), 2):
        same = abs(row.distances[one] - row.distances[other]) < 1e-12
        if same != (abs(weights[one] - weights[other]) < 1e-12):
            wrong.append(f"r = {one} and {other}: weights {weights[one]:.4f} and {weights[other]:.4f}")
    return Evidence.unless(wrong, row.normaliser, "for all pairs of candidates")


def _multiplicity(number: Callable[[Scores, int], int]) -> Evidence:
    """Lemma 5.2: Pr[u = u(r)] = C_r·Pr[r], with C_r the number of candidates of that score."""
    wrong = (
        f"n = 12, counts ({first}, {12 - first}), r = {r}: {number(row, r)} of its score"
        for first, row in enumerate(Scores.of(12, first) for first in range(13))
        for r, z in enumerate(row.distances)
        if not math.isclose(number(row, r) * row.by_formula(z), row.at_score(z))
    )
    return Evidence.unless(wrong, 12, "for all counts and candidates, n = 12")


def _multiplicity_two(counts: Callable[[int], list[int]]) -> Evidence:
    """Lemma 5.3's premise: every distance but 0 occurs exactly twice, for all these first counts, n = 100."""
    wrong = ""
    for first in counts(100):
        row = Scores.of(100, first)
        down, up = (float(row.distances[r]) if 0 <= r <= 100 else math.nan for r in (first - 1, first + 1))
        twice = all(row.occurrences(z) == (1 if r == first else 2) for r, z in enumerate(row.distances))
        if not twice and (first == 20 or not wrong):
            wrong = f"n = 100, x = {first}: H to {first - 1} is {down:.6f}, to {first + 1} is {up:.6f}"
    line = wrong or "n = 100: for x = 50"
    return Evidence(not wrong, float(Scores.of(100, 20).distances[19]), line)


def _sliding_bound(sign: int) -> Evidence:
    """Lemma 5.3: Pr[u = u(r)] ≤ exp(sign·ε·k/(2S) + ln 2)·Pr[u = u(r) + k] for every score u(r) + k of a candidate."""
    cases = []
    for first in range(13):
        row = Scores.of(12, first)
        for (r, z), (t, w) in itertools.product(enumerate(row.distances), repeat=2):
            gap = math.log(row.at_score(z) / row.at_score(w)) - (sign * row.rate * (w - z) + math.log(2))
            cases.append((gap, f"x = {first}, scores of r = {r} and {t}"))
    return Evidence.at_most(1e-9, cases, "n = 12: ln left - ln right is at most {number:.4f}, at {}", 1e-9)


def _moved_score(chance: Chance, move: Callable[[Scores, float], float]) -> Evidence:
    """Pr[u = z] ≤ e^{ε/2}·chance(move(z)) + δ/2 for every candidate's score z, in balanced and unbalanced rows."""
    cases = []
    for n, first in ((100, 50), (100, 20), (1000, 500)):
        row = Scores.of(n, first)
        for r, z in enumerate(row.distances.tolist()):
            left = chance(row, z)
            over = left - (math.exp(0.5) * chance(row, move(row, z)) + DELTA / 2)
            cases.append((over, f"n = {n}, x = {first}, r = {r}: {left:.3g} exceeds the right side by {over:.3g}"))
    evidence = Evidence.at_most(1e-15, cases, tolerance=0.0)
    return evidence._replace(line="at every candidate's score") if evidence.true else evidence


def _slid_score(chance: Chance) -> Evidence:
    """The score moved by the whole sensitivity S = 1/(2·rate), the most that sliding allows at ε = 1."""
    return _moved_score(chance, lambda row, z: z + 0.5 / row.rate)


def _dilated_score(chance: Chance, tail: float = DELTA / 2) -> Evidence:
    """The score multiplied by e^λ, with λ from |R|·exp(ε/(2(1-e^λ))) = tail, ε = 1."""
    return _moved_score(chance, lambda row, z: z * (1 + 0.5 / math.log(len(row.distances) / tail)))


def _conditions(holds: Callable[[float, float], bool]) -> Evidence:
    """000 Lemma 3.3: (1-e^λ)·ŝ ≤ S exactly under the conditions given, with S = 1."""
    grid = list(itertools.product([step / 8 for step in range(-40, 41) if step], repeat=2))
    wrong = (
        f"λ = {rate}, u = {score}: (1-e^λ)u = {(1 - math.exp(rate)) * score:.4f} against S = 1"
        for rate, score in grid
        if holds(rate, score) != ((1 - math.exp(rate)) * score <= 1)
    )
    return Evidence.unless(wrong, len(grid), f"at all {len(grid)} points of a grid")


def printed_conditions(rate: float, score: float) -> bool:
    """λ and u of one sign, or λ > 0 > u with λ ≤ ln(1 - S/u); for λ < 0 < u never."""
    return rate * score > 0 or (rate > 0 > score and rate <= math.log(1 - 1 / score))


def corrected_conditions(rate: float, score: float) -> bool:
    """The same, and for λ < 0 < u where u ≤ S, or λ ≥ ln(1 - S/u)."""
    if rate < 0 < score:
        return score <= 1 or rate >= math.log(1 - 1 / score)
    return printed_conditions(rate, score)


def _parameters(formula: Callable[[int, int, int, int], tuple[float, float]]) -> Evidence:
    """Lemma 5.5: ε' and δ must be numbers with 0 ≤ δ < 1, and the same whatever the data and the output."""
    triples = ((51, 50, 51), (50, 51, 50), (21, 20, 20), (21, 20, 90), (2, 1, 60))
    pairs = [formula(100, *triple) for triple in triples]
    proper = all(0 <= delta < 1 for _, delta in pairs)
    same = len({(round(epsilon, 12), delta) for epsilon, delta in pairs}) == 1
    (x, y, r), (epsilon, delta) = triples[0], pairs[0]
    least, most = (pick(epsilon for epsilon, _ in pairs) for pick in (min, max))
    undefined = sum(math.isnan(delta) for _, delta in pairs)
    line = (
        f"x = {x}, x' = {y}, r = {r}: ε' = {epsilon:.4f}, δ = {delta:.4g}; over the data ε' goes from {least:.4f} to "
        f"{most:.4f}, δ undefined for {undefined} of {len(pairs)}"
    )
    return Evidence(proper and same, delta, line)


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


def _anywhere(epsilon: float, delta: float) -> bool:
    """Every ε and δ."""
    return True


def _sufficient(epsilon: float, delta: float) -> bool:
    """ε ≤ 4L/(1+L), with L = ln(2/δ).

    With λ = ε/(2L) the least δ/2 is e^{-z}·(1-e^{-λ}), z = λ(L+1)/(e^λ-1). Because λ/(e^λ-1) ≥ 1-λ/2, z is at least
    L + 1 - (ε/4)(1+1/L), and so at least L: e^{-z} ≤ δ/2.
    """
    length = math.log(2 / delta)
    return epsilon <= 4 * length / (1 + length)


def _laplace_dilation(where: Callable[[float, float], bool]) -> Evidence:
    """000 Lemma 3.1: ∫ max(0, h(z) - e^{ε/2}·e^λ·h(e^λ z)) dz ≤ δ/2 for |λ| ≤ β = ε/(2 ln(2/δ)), at these ε and δ.

    For λ > 0 the integrand is positive beyond z* = (ε/2+λ)/(e^λ-1), and the integral is e^{-z*} - e^{ε/2 - e^λ·z*}.
    For λ < 0 it is never positive, because |λ| ≤ ε/2.
    """
    cases = []
    epsilons = (0.01, 0.1, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 3.8, 4.0, 8.0, 16.0)
    for epsilon, delta in itertools.product(epsilons, (1e-12, 1e-8, 1e-6, 1e-4, 0.01, 0.1, 0.5, 0.9)):
        if not where(epsilon, delta):
            continue
        rate = epsilon / (2 * math.log(2 / delta))
        start = (epsilon / 2 + rate) / math.expm1(rate)
        least = math.exp(-start) - math.exp(epsilon / 2 - math.exp(rate) * start)
        line = f"ε = {epsilon:g}, δ = {delta:g}: {least:.4g} against δ/2 = {delta / 2:g}"
        cases.append((least / (delta / 2), line))
    return Evidence.at_most(1, cases, tolerance=0.0)


def _first_case(bound: Callable[[float], float]) -> Evidence:
    """For 0 < λ ≤ β the ratio of densities e^λ·h(e^λ z)/h(z) is at most e^λ, reached at z = 0."""
    ratios = {epsilon: math.exp(epsilon / (2 * math.log(3 / DELTA))) for epsilon in (1.0, 0.5, 0.1)}
    wrong = (
        f"ε = {epsilon}, δ = 1e-8: the ratio is {ratio:.4f}, the bound {bound(epsilon):.4f}"
        for epsilon, ratio in ratios.items()
        if ratio > bound(epsilon)
    )
    return Evidence.unless(wrong, ratios[1.0], f"ratios to {ratios[1.0]:.4f}")


def _one_beta(inside: float) -> Evidence:
    """The lemma lets |λ| go to ε/(2 ln(c/δ)); its proof uses λ ≤ ε/(2 ln(3/δ))."""
    allowed, used = (0.5 / math.log(c / DELTA) for c in (inside, 3.0))
    return Evidence(allowed <= used, allowed, f"ε = 1, δ = 1e-8: |λ| may be {allowed:.6f}, the proof has {used:.6f}")


CHECKS: dict[str, Check[Any]] = {
    "001-lemma-5.1": Check(_equal_scores, lambda cost, r: math.exp(-cost)),
    "001-lemma-5.2": Check(_multiplicity, lambda row, r: row.occurrences(row.distances[r])),
    "001-lemma-5.3-twice": Check(_multiplicity_two, lambda n: list(range(n + 1)), lambda n: [n // 2]),
    "001-lemma-5.3-sign": Check(_sliding_bound, -1, 1),
    "003-lemma-2.1": Check(_slid_score, Scores.at_score, Scores.by_formula),
    "003-lemma-2.2": Check(_dilated_score, Scores.at_score, Scores.by_formula),
    "001-lemma-5.4": Check(lambda tail: _dilated_score(Scores.by_formula, tail), 1 - DELTA / 2, DELTA / 2),
    "001-lemma-5.5": Check(_parameters, printed_parameters, theorem_parameters),
    "000-lemma-3.1": Check(_laplace_dilation, _anywhere, _sufficient),
    "000-lemma-3.1-case-1": Check(_first_case, lambda epsilon: epsilon / 2, lambda epsilon: math.exp(epsilon / 2)),
    "000-lemma-3.1-beta": Check(_one_beta, 2.0, 3.0),
    "000-lemma-3.3": Check(_conditions, printed_conditions, corrected_conditions),
}
