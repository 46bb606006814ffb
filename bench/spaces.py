"""Random spaces of three categories and more, and counts at their corners, edges and centres, for tests and benches."""

from __future__ import annotations

import random
from dataclasses import dataclass

from bench.probe import balanced
from discreet import ExponentialGlobal, ExponentialLocal, ExponentialReciprocal, ExponentialSmooth, PosteriorSpace
from discreet.mechanisms.exponential import Exponential
from discreet.mechanisms.exponential_law import ExponentialLaw

FOUR: list[type[Exponential]] = [ExponentialGlobal, ExponentialLocal, ExponentialSmooth, ExponentialReciprocal]
PLACES = ("centre", "corner", "edge", "ones", "anywhere")


@dataclass(frozen=True)
class Case:
    """A mechanism and one data set of it."""

    mechanism: Exponential
    counts: tuple[int, ...]

    @property
    def law(self) -> ExponentialLaw:
        """The law of the data set."""
        return self.mechanism.law(self.counts)


def counts_at(chance: random.Random, place: str, k: int, n: int) -> tuple[int, ...]:
    """Counts of n records in k categories: at the centre, a corner, an edge, with ones but for one, or anywhere."""
    if place == "centre":
        return tuple(balanced(n, k))
    counts = [0] * k
    one, other = chance.sample(range(k), 2)
    if place == "corner":
        counts[one] = n
    elif place == "edge":
        counts[one] = chance.randint(0, n)
        counts[other] = n - counts[one]
    elif place == "ones":
        counts = [int(i < n) for i in range(k)]
        counts[0] += n - sum(counts)
    else:
        shares = [chance.gammavariate(10 ** chance.uniform(-1.5, 1), 1) + 1e-12 for _ in range(k)]
        counts = [int(n * share / sum(shares)) for share in shares]
        counts[one] += n - sum(counts)
    return tuple(counts)


def random_case(chance: random.Random, *, categories: tuple[int, ...], digits: float) -> Case:
    """Any kind of sensitivity, scales from 0.01 to 30, priors from 0.01 to 100, n from 2 up to 10**digits."""
    k, n = chance.choice(categories), int(10 ** chance.uniform(0.3, digits))
    same = chance.random() < 0.4
    prior = [f"{10 ** chance.uniform(-2, 2):.3g}" for _ in range(1 if same else k)] * (k if same else 1)
    scale = f"{10 ** chance.uniform(-2, 1.5):.3g}"
    mechanism = chance.choice(FOUR)(PosteriorSpace(prior, n), scale=scale)
    return Case(mechanism, counts_at(chance, chance.choice(PLACES), k, n))
