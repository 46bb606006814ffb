"""Small spaces in full: every distance from tables of fifty digits, and what the definitions make of them.

Fast enough for hundreds of spaces, and as independent of the library as the oracles: ln BC is a sum of one term for
each category, none of them positive, so terms of fifty digits may be rounded to floats before they are added.
"""

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from tests.oracles import spaces
from tests.oracles.precision import mp, real

Floats: TypeAlias = NDArray[np.float64]
Counts: TypeAlias = tuple[int, ...]

SIZES: Mapping[int, int] = {2: 40, 3: 9, 4: 5}
"""For each k the largest n of a random space."""


@dataclass(frozen=True)
class Enumeration:
    """Every candidate, every distance, and every ordered pair of adjacent data sets."""

    rows: list[Counts]
    hellinger: Floats
    hamming: Floats
    one: NDArray[np.intp]
    other: NDArray[np.intp]

    def local(self) -> Floats:
        """LS by its definition: the largest |H(c,r) - H(c',r)| over adjacent c' and all r."""
        gaps = np.abs(self.hellinger[self.one] - self.hellinger[self.other]).max(axis=1)
        largest = np.zeros(len(self.rows))
        np.maximum.at(largest, self.one, gaps)
        return largest

    def smooth(self, local: Floats, gamma: float) -> Floats:
        """max over all c' of LS(c')·exp(-γd)."""
        largest: Floats = (local * np.exp(-gamma * self.hamming)).max(axis=1)
        return largest

    def reciprocal(self, local: Floats, gamma: float) -> Floats:
        """1 / min over all c' of (1/LS(c') + γd)."""
        inverse: Floats = (1 / local + gamma * self.hamming).min(axis=1)
        return 1 / inverse

    def largest_step(self, values: Floats) -> float:
        """The largest difference of a function of the data between adjacent data sets."""
        return float(np.abs(values[self.one] - values[self.other]).max())


def enumerate_space(alpha: Sequence[Fraction], n: int) -> Enumeration:
    """All of a small space."""
    rows = spaces.candidates(len(alpha), n)
    counts = np.array(rows)
    log_affinity = np.zeros((len(rows), len(rows)))
    for i, a in enumerate(alpha):
        log_affinity += _log_factors(a, n)[counts[:, None, i], counts[None, :, i]]
    hamming = np.abs(counts[:, None] - counts[None, :]).sum(axis=2) / 2
    one, other = np.nonzero(hamming == 1)
    return Enumeration(rows, np.sqrt(-np.expm1(log_affinity)), hamming, one, other)


def _log_factors(a: Fraction, n: int) -> Floats:
    """ln g(c, r) = lnΓ(a + (c+r)/2) - ½ lnΓ(a+c) - ½ lnΓ(a+r) for c, r = 0 … n."""
    halves = [mp.loggamma(real(a + Fraction(t, 2))) for t in range(2 * n + 1)]
    return np.array(
        [[float(halves[c + r] - (halves[2 * c] + halves[2 * r]) / 2) for r in range(n + 1)] for c in range(n + 1)]
    )


def seeded(name: str) -> random.Random:
    """Choices that are the same on every run."""
    return random.Random(name)  # noqa: S311 - they choose examples and nothing secret


def random_prior(rng: random.Random, k: int, low: float = 0.05, high: float = 50) -> tuple[Fraction, ...]:
    """Parameters of every size between the ends, which are among them; sometimes equal, sometimes whole."""
    kind = rng.random()
    if kind < 0.2:
        return (Fraction(str(rng.choice([low, 0.5, 1, 2, high]))),) * k
    if kind < 0.4:
        return tuple(Fraction(rng.choice([1, 1, 2, 3, 7, int(high)])) for _ in range(k))
    spread = [low * (high / low) ** rng.random() for _ in range(k)]
    return tuple(Fraction(str(rng.choice([round(x, 6), x, low, high]))) for x in spread)


def random_spaces(
    seed: str, count: int, *, sizes: Mapping[int, int] = SIZES, low: float = 0.05, high: float = 50
) -> Iterator[tuple[tuple[Fraction, ...], int]]:
    """Priors and numbers of records, the same ones for the same seed."""
    rng = seeded(seed)
    for _ in range(count):
        k = rng.choice(list(sizes))
        yield random_prior(rng, k, low, high), rng.randint(1, sizes[k])


def telling_counts(rng: random.Random, rows: Sequence[Counts], some: int) -> list[int]:
    """Ranks to look at: all corners, some counts with a 0 or a 1, some others; all of them if they are few."""
    if len(rows) <= some:
        return list(range(len(rows)))
    n = sum(rows[0])
    corners = [i for i, c in enumerate(rows) if max(c) == n]
    near = [i for i, c in enumerate(rows) if min(c) <= 1 and max(c) < n]
    chosen = {*corners, *rng.sample(near, min(len(near), some // 2)), *rng.sample(range(len(rows)), some // 2)}
    return sorted(chosen)
