"""What is proved of a snapping mechanism: the exact loss of a pair of inputs, and a bound for all pairs."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING

from discreet.arithmetic.numbers import (
    Enclosure,
    ball,
    decide,
    exact,
    float_upper,
    fraction_lower,
    fraction_upper,
    precision,
)
from discreet.errors import InvalidInput
from discreet.mechanisms.snapping.bound import certified_loss
from discreet.mechanisms.snapping.law import SnappedLaw, law_near
from discreet.typing import Epsilon

if TYPE_CHECKING:
    from discreet.mechanisms.snapping.number import Snapping

BITS = 256


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """The exact loss between two inputs, both ways.

    `forward` is the greatest P(o|value)/P(o|neighbour) over the listed outputs o, a ratio of integers, and `backward`
    that of the other way round; None where an output is possible for one input and not for the other. `ideal` is the
    loss of the ideal mechanism, `bound` Mironov's bound, `epsilon` what was asked for. If not all outputs could be
    listed, `complete` says so, and `certified` is proved for the rest.
    """

    value: Fraction
    neighbour: Fraction
    forward: Fraction | None
    backward: Fraction | None
    worst: float
    ideal: Fraction
    bound: Fraction
    epsilon: Fraction
    certified: Fraction
    laws: tuple[SnappedLaw, SnappedLaw] = field(repr=False)

    @property
    def complete(self) -> bool:
        """Whether every output was listed, so that nothing rests on `certified`."""
        return all(law.complete for law in self.laws)

    @property
    def mass_is_one(self) -> bool:
        """Whether the probabilities of both distributions sum to exactly one."""
        return all(law.mass_is_one for law in self.laws)

    @property
    def ratio(self) -> Fraction | None:
        """The greater of the two ratios."""
        return None if self.forward is None or self.backward is None else max(self.forward, self.backward)

    @property
    def loss(self) -> Enclosure | None:
        """The logarithm of the ratio, or between it and `certified`; None if it is infinite."""
        if self.ratio is None:
            return None
        with precision(BITS):
            log = ball(self.ratio).log()
            lower, upper = fraction_lower(log), fraction_upper(log)
        return Enclosure(lower, upper if self.complete else max(upper, self.certified))

    @property
    def exact_epsilon(self) -> float:
        """The loss as a float, rounded up."""
        return float("inf") if self.loss is None else float(self.loss)

    @property
    def excess(self) -> float:
        """By how much the listed loss exceeds the ideal one; negative where the clamp helps."""
        return float("inf") if self.loss is None else float(self.loss.lower - self.ideal)

    @property
    def holds(self) -> bool:
        """Whether the loss is certainly within the ε asked for."""
        return self.loss is not None and self.loss.upper <= self.epsilon

    def delta(self, epsilon: Epsilon) -> Enclosure:
        """δ*(ε): the least δ for which this pair is (ε,δ)-close in both directions.

        >>> from discreet.mechanisms.snapping.number import Snapping
        >>> verdict = Snapping(epsilon=1, bound=100).verify(0, 1)
        >>> verdict.delta(1), float(verdict.delta("0.5")) > 0.1
        (Enclosure(lower=Fraction(0, 1), upper=Fraction(0, 1)), True)
        """
        exact_epsilon = exact(epsilon, "epsilon", minimum=0)
        one, other = self.laws
        both = (_delta(one, other, exact_epsilon), _delta(other, one, exact_epsilon))
        return Enclosure(max(d.lower for d in both), max(d.upper for d in both))


@dataclass(frozen=True, kw_only=True)
class Certificate:
    """One certificate for one parameter set: no adjacent inputs lose more than `certified`, and `attained` lose that.

    `bound` is what Mironov's theorem says, `epsilon` what was asked for.
    """

    certified: Fraction
    attained: Verdict
    bound: Fraction
    epsilon: Fraction

    @property
    def exact_epsilon(self) -> float:
        """The proved loss as a float, rounded up."""
        return float_upper(self.certified)

    @property
    def holds(self) -> bool:
        """Whether the proved loss is within the ε asked for."""
        return self.certified <= self.epsilon


def verify(snapping: Snapping, value: Fraction, neighbour: Fraction) -> Verdict:
    """Compare the exact distributions of two adjacent values."""
    if abs(value - neighbour) > snapping.sensitivity:
        raise InvalidInput("value and neighbour are not adjacent", hint="they may differ by at most the sensitivity")
    one, other = law_near(snapping, [snapping.scaled(value), snapping.scaled(neighbour)])
    forward, there = _greatest(one, other)
    backward, back = _greatest(other, one)
    ahead = forward is None or (backward is not None and forward >= backward)
    return Verdict(
        value=value,
        neighbour=neighbour,
        forward=forward,
        backward=backward,
        worst=snapping.output(there if ahead else back),
        ideal=abs(value - neighbour) / snapping.sensitivity / Fraction(snapping.scale),
        bound=snapping.guarantee,
        epsilon=snapping.epsilon,
        certified=proved(snapping),
        laws=(one, other),
    )


def certify(snapping: Snapping) -> Certificate:
    """Prove the bound for all adjacent inputs, and look for the worst pair among those that tend to be bad.

    No list of inputs suffices to find the worst one: rounding errors differ from double to double. So the proof speaks
    of all of them, and the pairs tell how far from the truth it can be at most: inputs at the clamp, where distances
    are greatest; at the centre; and on both sides of a tie, where an output's cell begins.
    """
    reach, half = snapping.reach, Fraction(snapping.lattice) / 2
    starts = {-reach, Fraction(0), Fraction(1, 3), half - 1, half, reach - 1}
    verdicts = []
    for start in sorted(x for x in starts if -reach <= x < reach):
        end = min(start + 1, reach)
        verdicts.append(verify(snapping, start * snapping.sensitivity, end * snapping.sensitivity))
    worst = max(verdicts, key=lambda verdict: math.inf if verdict.ratio is None else verdict.ratio)
    return Certificate(certified=proved(snapping), attained=worst, bound=snapping.guarantee, epsilon=snapping.epsilon)


def proved(snapping: Snapping) -> Fraction:
    """The bound of `discreet.mechanisms.snapping.bound` for this mechanism."""
    return certified_loss(Fraction(snapping.scale), Fraction(snapping.lattice), snapping.reach)


def _greatest(one: SnappedLaw, other: SnappedLaw) -> tuple[Fraction | None, int]:
    """The greatest ratio of probabilities, None if it is infinite, and the number of the output where it is."""
    greatest, there = Fraction(0), one.first
    for index, (p, q) in enumerate(zip(one.masses, other.masses, strict=True), start=one.first):
        if not p.mantissa:
            continue
        if not q.mantissa:
            return None, index
        ratio = p.over(q)
        if ratio > greatest:
            greatest, there = ratio, index
    return greatest, there


def _delta(one: SnappedLaw, other: SnappedLaw, epsilon: Fraction) -> Enclosure:
    """Σ max(0, P - e^ε·Q), each sign decided; outputs that are not listed add at most their own mass."""

    def total() -> Enclosure | None:
        factor, total_gap = ball(epsilon).exp(), ball(0)
        for p, q in zip(one.masses, other.masses, strict=True):
            gap = p.ball() - factor * q.ball()
            if gap > 0:
                total_gap += gap
            elif not gap <= 0:
                return None
        return Enclosure(max(fraction_lower(total_gap), Fraction(0)), fraction_upper(total_gap))

    listed = decide(total, start=BITS)
    unlisted = one.below.plus(one.above)
    return Enclosure(listed.lower, listed.upper + unlisted.fraction() if unlisted.mantissa else listed.upper)
