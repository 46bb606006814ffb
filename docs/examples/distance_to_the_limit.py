"""How close the geometric mechanism comes to the least error that any ε-DP mechanism on the candidates can have.

Run it: python docs/examples/distance_to_the_limit.py
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import discreet as dc

EPSILONS = ("0.5", "1", "2")
PRIORS = (("1", "1"), ("1/2", "1/2"), ("7", "4"), ("1/10", "2"), ("10", "10"))


class Row(NamedTuple):
    """A space, an ε, the least mean error, geometric's with its `bayes` way back, and by how much it is larger."""

    prior: tuple[str, ...]
    n: int
    epsilon: str
    least: float
    geometric: float

    @property
    def excess(self) -> float:
        return self.geometric / self.least - 1


def compare(prior: tuple[str, ...], n: int, epsilon: str) -> Row:
    """Both mean Hellinger errors, under the prior predictive."""
    space = dc.PosteriorSpace(prior=dc.Dirichlet(prior), n=n)
    least = dc.Optimal(space, epsilon=epsilon).error
    return Row(prior, n, epsilon, least, dc.accuracy(dc.Geometric(space, epsilon=epsilon, postprocess="bayes")).mean)


def two_categories(sizes: tuple[int, ...] = (10, 30, 60)) -> Iterator[Row]:
    """Five priors, up to 60 records."""
    return (compare(prior, n, epsilon) for epsilon in EPSILONS for prior in PRIORS for n in sizes)


def more_categories() -> Iterator[Row]:
    """Three and four categories, small."""
    spaces = ((("1",) * 3, 8), (("1",) * 4, 5))
    return (compare(prior, n, epsilon) for epsilon in EPSILONS for prior, n in spaces)


def growing(sizes: tuple[int, ...] = (4, 8, 12, 16)) -> Iterator[Row]:
    """Three categories at ε = 1, more and more records: what is left is the border of the simplex."""
    return (compare(("1",) * 3, n, "1") for n in sizes)


if __name__ == "__main__":
    print(f"{'prior':>16} {'n':>3} {'ε':>4} {'least':>9} {'geometric':>10} {'excess':>10}")
    for part in (two_categories(), more_categories(), growing()):
        for row in part:
            where = f"{', '.join(row.prior):>16} {row.n:>3} {row.epsilon:>4}"
            print(f"{where} {row.least:>9.6f} {row.geometric:>10.6f} {100 * row.excess:>8.4f} %", flush=True)
        print()
