"""Beta and Dirichlet distributions: frozen, pure, with exact parameters."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import special
from scipy.special import betainc

from discreet.arithmetic.arrays import Floats
from discreet.arithmetic.numbers import as_items, exact, exact_share, whole
from discreet.errors import InvalidInput, TooLarge


@dataclass(frozen=True, slots=True, init=False)
class Dirichlet:
    """A Dirichlet distribution over k categories. Of one category, all is its share.

    `parameters` are exact; `alpha` shows them as floats.

    >>> Dirichlet([1, 1, "0.5"]).update([70, 50, 30])
    Dirichlet([71, 51, 30.5])
    """

    parameters: tuple[Fraction, ...]

    def __init__(self, alpha: object) -> None:
        items = as_items(alpha, "the prior")
        if not items:
            raise InvalidInput("a Dirichlet needs a category", hint="give one parameter for each")
        parameters = tuple(exact(item, "a prior parameter", above=0) for item in items)
        object.__setattr__(self, "parameters", parameters)

    @property
    def k(self) -> int:
        """The number of categories."""
        return len(self.parameters)

    @property
    def alpha(self) -> Floats:
        """The parameters as floats."""
        return np.array([float(p) for p in self.parameters])

    @property
    def total(self) -> Fraction:
        """The sum of the parameters."""
        return sum(self.parameters, Fraction(0))

    @property
    def mean(self) -> Floats:
        """The expected share of each category.

        >>> Dirichlet([1, 2, 1]).mean.tolist()
        [0.25, 0.5, 0.25]
        """
        total = self.total
        return np.array([float(p / total) for p in self.parameters])

    def interval(self, level: float = 0.95) -> tuple[Floats, Floats]:
        """Equal-tailed marginal intervals: the low ends and the high ends, one of each for a category.

        >>> low, high = Beta(1, 1).interval(0.9)
        >>> [round(float(x), 3) for x in (low[0], high[0])]
        [0.05, 0.95]
        """
        share = exact_share(level, "level")
        alpha = self.alpha
        # Exactly, and then a float: next to a strong parameter a weak one would be lost.
        total = self.total
        rest = np.array([float(total - p) for p in self.parameters])
        tail = float((1 - share) / 2)
        if self.k == 1:
            return np.ones(1), np.ones(1)
        low: Floats = special.betaincinv(not_whole(alpha), rest, tail)
        high: Floats = special.betainccinv(not_whole(alpha), rest, tail)
        return low, high

    def update(self, counts: object) -> Dirichlet:
        """The posterior after seeing these counts.

        >>> Beta(1, 1).update([3, 4])
        Beta(4, 5)
        """
        seen = [whole(item, "a count") for item in as_items(counts, "counts")]
        if len(seen) != self.k:
            raise InvalidInput(
                f"counts must be {self.k} numbers", hint="give one for each category", parameter="counts"
            )
        # Not through the parser: whether an update works must not depend on the counts.
        updated = object.__new__(type(self))
        object.__setattr__(updated, "parameters", tuple(p + c for p, c in zip(self.parameters, seen, strict=True)))
        return updated

    def to_scipy(self) -> Any:
        """The frozen SciPy distribution with the same parameters."""
        from scipy import stats

        return stats.dirichlet(self.alpha)

    def __repr__(self) -> str:
        return f"Dirichlet([{', '.join(_short(p) for p in self.parameters)}])"


class Beta(Dirichlet):
    """A Beta distribution: the Dirichlet with two categories.

    >>> Beta(7, 4)
    Beta(7, 4)
    >>> Beta(1, 1) == Dirichlet([1, 1])
    True
    """

    __slots__ = ()

    def __init__(self, a: object, b: object) -> None:
        super().__init__([a, b])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Dirichlet) and self.parameters == other.parameters

    def __hash__(self) -> int:
        return hash((self.parameters,))

    def to_scipy(self) -> Any:
        """SciPy's frozen Beta distribution of the first category's share."""
        from scipy import stats

        return stats.beta(*self.alpha)

    def __repr__(self) -> str:
        return f"Beta({', '.join(_short(p) for p in self.parameters)})"


def _short(number: Fraction) -> str:
    return str(number.numerator) if number.denominator == 1 else f"{float(number):.12g}"


def incomplete_beta(a: ArrayLike, b: ArrayLike, x: ArrayLike) -> Floats:
    """P(share ≤ x) of Beta(a, b), to about 1e-13, and 1e-11 for parameters of 10¹².

    >>> round(float(incomplete_beta(2, 3, 0.5)), 12)
    0.6875
    """
    chance: Floats = betainc(not_whole(a), b, x)
    return chance


PRIORS = {"uniform": Fraction(1), "jeffreys": Fraction(1, 2)}
"""Priors by name: the parameter of every category."""

MAX_NAMED = 100_000
"""Categories of a prior that is given by its name: a few letters shall not fill the memory."""


def as_prior(prior: object, k: int = 2) -> Dirichlet:
    """A prior as people give it: a Dirichlet, its parameters, also as text, or one by its name, of k categories.

    >>> as_prior("jeffreys", 3), as_prior("uniform:4"), as_prior("1, 0.5")
    (Dirichlet([0.5, 0.5, 0.5]), Dirichlet([1, 1, 1, 1]), Dirichlet([1, 0.5]))
    """
    if isinstance(prior, Dirichlet):
        return prior
    if not isinstance(prior, str):
        return Dirichlet(prior)
    name, _, size = prior.partition(":")
    if name in PRIORS:
        k = whole(size, "the number of categories", minimum=2) if size else k
        if k > MAX_NAMED:
            raise TooLarge(f"a prior is for at most {MAX_NAMED:,} categories", hint="merge some", parameter="prior")
        return Dirichlet([PRIORS[name]] * k)
    return Dirichlet([parameter.strip() for parameter in prior.split(",")])


def not_whole(a: ArrayLike) -> Floats:
    """The next float: for whole parameters SciPy takes a sum that is off by 3e-8 at totals of 10⁹."""
    return np.nextafter(np.asarray(a, dtype=np.float64), np.inf)
