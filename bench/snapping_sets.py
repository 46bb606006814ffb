"""Sixty parameter sets for the snapping mechanism, measured here and tested: every ε, bound and awkward value."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from discreet import Snapping

EPSILONS = ("0.01", "0.1", "1/3", "0.5", "1", "1.001", "2", "5", "20")
BOUNDS = (2, 3, 17, 100, 2**10, 2**20, 2**40)
AWKWARD = ("zero", "tie", "clamp", "beyond the clamp", "subnormal", "negative", "negative tie", "third")


@dataclass(frozen=True)
class ParameterSet:
    """An ε, a bound, and two adjacent values."""

    epsilon: str
    bound: int
    kind: str

    @property
    def snapping(self) -> Snapping:
        """The mechanism."""
        return Snapping(epsilon=self.epsilon, bound=self.bound)

    @property
    def value(self) -> Fraction:
        """A value of the kind that is asked for."""
        half = Fraction(self.snapping.lattice) / 2
        return {
            "zero": Fraction(0),
            "tie": half,
            "clamp": Fraction(self.bound),
            "beyond the clamp": Fraction(self.bound) + Fraction(1, 2),
            "subnormal": Fraction("5e-324"),
            "negative": Fraction(-3, 4),
            "negative tie": -3 * half,
            "third": Fraction(1, 3),
        }[self.kind]

    @property
    def neighbour(self) -> Fraction:
        """The value one sensitivity away, towards the greater part of the range."""
        return self.value - 1 if self.value > 0 else self.value + 1

    def __str__(self) -> str:
        return f"ε={self.epsilon} B={self.bound} {self.kind}"


def parameter_sets() -> list[ParameterSet]:
    """All pairs of an ε and a bound that the theorem allows, each with one kind of value after the other."""
    pairs = [(e, b) for e in EPSILONS for b in BOUNDS if Fraction(b) * Fraction(e) > Fraction(101, 100)]
    sets = [ParameterSet(e, b, AWKWARD[i % len(AWKWARD)]) for i, (e, b) in enumerate(pairs)]
    more = [ParameterSet("1", 100, kind) for kind in AWKWARD] + [ParameterSet("2", 3, kind) for kind in AWKWARD]
    return list(dict.fromkeys([*sets, *more]))[:60]
