"""The paper's own statements, computed as printed: where they fail, and by how much.

Each function returns the number that refutes a printed line; docs/snapping.md lists the lines and quotes the numbers.
Tests: `tests/papers/verification/test_proposition.py`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from discreet.arithmetic.numbers import Enclosure, ball, exact, precision
from discreet_papers.verification.affine import Affine, enclosure_of
from discreet_papers.verification.dilations import UNIFORM, Steps, dilation
from discreet_papers.verification.ideal import Ideal
from discreet_papers.verification.proposition import opposite_dilation, three_terms

BITS = 192

LOWER_HALF = Steps([0, "1/2"], [2])
"""The uniform law on (0, ½]: noise that is never small."""


@dataclass(frozen=True)
class Counterexample:
    """Proposition 1 refuted: the dilation is `dilation`, yet an output has these probabilities for two neighbours."""

    dilation: Affine
    output: Fraction
    possible: Enclosure
    impossible: Enclosure
    needed: Enclosure


def one_dilation_is_not_enough(epsilon: object = 1) -> Counterexample:
    """Proposition 1 asks for D_ε(μ₁, μ₂) ≤ δ alone. With μ₁ = μ₂ uniform on (0, ½] it is 0 for every ε. But noise of at
    least ln(2)/ε leaves a gap around the value, and the neighbour's noise falls into it: no ε is enough.
    """
    exact_epsilon = exact(epsilon, "epsilon", above=0)
    lattice = Fraction(1, 8) / max(exact_epsilon, Fraction(1))
    ideal = Ideal(epsilon=exact_epsilon, lattice=lattice)
    inside = math.floor(math.log(2) / float(exact_epsilon * lattice) - 0.5)  # the last cell of the gap around 0
    with precision(BITS):
        masses = [ideal.mass(value, inside, LOWER_HALF) for value in (-1, 0)]
        possible, impossible = map(enclosure_of, masses)
    return Counterexample(
        dilation=dilation(LOWER_HALF, LOWER_HALF, exact_epsilon),
        output=inside * lattice,
        possible=possible,
        impossible=impossible,
        needed=three_terms(LOWER_HALF, LOWER_HALF, exact_epsilon).delta,
    )


def other_branch(epsilon: object = 1) -> Enclosure:
    """The proof's third line on the branch S = -1, dilated by e^{+ε}: 1 - e^{-ε} for the uniform, and not 0."""
    return opposite_dilation(UNIFORM, UNIFORM, epsilon)


def definition_five(epsilon: object = 1) -> Enclosure:
    """Definition 5 with its e^{-ε} before the second term: 1 - e^{-2ε} for the uniform, where Definition 2 has 0."""
    exact_epsilon = exact(epsilon, "epsilon", above=0)
    with precision(BITS):
        value = 1 - ball(-2 * exact_epsilon).exp()  # all of (0, 1] is the best event: μ₂(e^{-ε}E) = e^{-ε}μ₂(E)
        return enclosure_of(value)


def mass_as_printed(epsilon: object = 1, *, outputs: int = 400) -> Enclosure:
    """The total of the printed probabilities: endpoints divided by S = -1 are negative, so that branch has none."""
    exact_epsilon = exact(epsilon, "epsilon", above=0)
    lattice = 1 / exact_epsilon
    with precision(BITS):
        total = ball(0)
        for index in range(-outputs, outputs + 1):
            ends = ((index + side) * lattice * exact_epsilon for side in (Fraction(-1, 2), Fraction(1, 2)))
            low, high = (ball(end).exp().min(ball(1)) for end in ends)
            total += (high - low) / 2  # S = +1; [exp(…)/S, exp(…)/S] with S = -1 meets (0, 1] nowhere
        return enclosure_of(total)
