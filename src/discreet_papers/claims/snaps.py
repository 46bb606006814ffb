"""Claims about the verification of snapping: paper 004's definitions and propositions for the ideal mechanism."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any, TypeAlias

from discreet.arithmetic.numbers import Enclosure, ball, precision
from discreet_papers.claims.base import Check, Evidence
from discreet_papers.verification.dilations import UNIFORM, Steps, dilation
from discreet_papers.verification.ideal import Ideal
from discreet_papers.verification.proposition import opposite_dilation, three_terms
from discreet_papers.verification.refutations import (
    LOWER_HALF,
    definition_five,
    mass_as_printed,
    one_dilation_is_not_enough,
)

Enough: TypeAlias = Callable[[Steps, Steps], float]
"""A δ that is claimed to be enough for noise μ₁ on a and μ₂ on a', at ε = 1."""

UPPER_HALF = Steps(["1/2", 1], [2])
LAWS = {"uniform": UNIFORM, "uniform on (0, ½]": LOWER_HALF, "uniform on [½, 1]": UPPER_HALF}
BITS = 128


def _sufficiency(enough: Enough) -> Evidence:
    """The exact closeness of the clamped ideal mechanism's outputs, for all pairs of three laws, against δ."""
    cases = (
        (needed - claimed, f"{laws}: {needed:.4f} is needed, {claimed:.4f} claimed")
        for laws, needed, claimed in _compare_deltas(enough, "1/8")
    )
    return Evidence.at_most(1e-12, cases)


def _compare_deltas(enough: Enough, lattice: str) -> Iterator[tuple[str, float, float]]:
    """For all pairs of laws: their names, the δ that is needed on this lattice, and the one that is claimed."""
    ideal = Ideal(epsilon=1, lattice=lattice, bound=4)
    for (one, mu1), (other, mu2) in itertools.product(LAWS.items(), repeat=2):
        needed = max(float(ideal.closeness(a, b, mu1=mu1, mu2=mu2).lower) for a, b in ((0, 1), (1, 0)))
        yield f"μ₁ {one}, μ₂ {other}", needed, enough(mu1, mu2)


def _unclamped_output(enough: Enough) -> Evidence:
    """Without clamping: one output that a neighbour makes possible, and the noise law for which it is impossible."""
    case = one_dilation_is_not_enough()
    possible, impossible = float(case.possible.lower), float(case.impossible.upper)
    claimed = enough(LOWER_HALF, LOWER_HALF)
    line = f"noise on (0, ½]: output {float(case.output)} has chance {possible:.4f} from -1 and {impossible:g} from 0"
    return Evidence(possible - claimed <= impossible, claimed, f"{line}; δ = {claimed:.4f}")


def one_dilation(mu1: Steps, mu2: Steps) -> float:
    """The paper's: D_ε(μ₁, μ₂)."""
    return float(dilation(mu1, mu2, 1))


def all_three_terms(mu1: Steps, mu2: Steps) -> float:
    """The proposition put right: both signs and what lies between the two values."""
    return float(three_terms(mu1, mu2, 1).delta.upper)


def _total(mass: Callable[[], float]) -> Evidence:
    """The probabilities of all outputs must sum to 1."""
    value = mass()
    return Evidence(abs(value - 1) < 1e-12, value, f"the outputs' probabilities sum to {value:.12g}")


def _corrected_mass() -> float:
    ideal = Ideal(epsilon=1, lattice=1, bound=400)
    with precision(BITS):
        return float(sum((ideal.mass(0, index) for index in range(-ideal.last, ideal.last + 1)), ball(0)))


def _branch(exponent: int) -> Evidence:
    """On the branch S = -1 the step from a to a' dilates the uniform by e^{exponent·ε}: is it closed under that?"""
    gap = float(opposite_dilation(UNIFORM, UNIFORM, 1)) if exponent > 0 else one_dilation(UNIFORM, UNIFORM)
    return Evidence(gap == 0, gap, f"sup of μ(E) - e^ε·μ(e^({exponent:+d}·ε)E) is {gap:.6f} for the uniform")


def _definition(value: Callable[[], Enclosure | Fraction]) -> Evidence:
    """The dilation of the uniform and itself must be 0, or the mechanism with uniform noise would not be private."""
    distance = float(value())
    return Evidence(distance == 0, distance, f"D_1(uniform, uniform) = {distance:.6f}")


def _equivalence(enough: Enough) -> Evidence:
    """Snap is (1, δ)-private for noise laws μ₁ and μ₂ iff the criterion is at most δ: so the two must be equal."""
    wrong = [
        f"{laws}: criterion {claimed:.3f}, needed {needed:.3f}"
        for laws, needed, claimed in _compare_deltas(enough, "1/64")
        if abs(needed - claimed) > 0.05  # the lattice hides a little
    ]
    return Evidence(not wrong, len(wrong), "; ".join(wrong[:2]) if wrong else "equal for all pairs of three laws")


CHECKS: dict[str, Check[Any]] = {
    "004-interval": Check(_total, lambda: float(mass_as_printed(1)), _corrected_mass),
    "004-branch": Check(_branch, 1, -1),
    "004-proposition-1": Check(_unclamped_output, one_dilation, all_three_terms),
    "004-proposition-2": Check(_sufficiency, one_dilation, all_three_terms),
    "004-definition-2": Check(_definition, lambda: dilation(UNIFORM, UNIFORM, 1)),
    "004-definition-5": Check(_definition, lambda: definition_five(1), lambda: dilation(UNIFORM, UNIFORM, 1)),
    "004-equivalence": Check(_equivalence, one_dilation),
}
