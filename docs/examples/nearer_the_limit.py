"""How close tight and geometric come to the least error that any ε-DP mechanism can have.

Run it: python docs/examples/nearer_the_limit.py [ratios] [gaps] [family] [capped]
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from fractions import Fraction

import numpy as np

import discreet as dc
from discreet.posteriors.distances import hellinger_floats
from discreet.posteriors.partitions import partition_distances
from discreet.testing import HashedBits
from discreet.utility.expected_counts import predictive_weights
from discreet.utility.least_error import least_error

EPSILONS = ("0.5", "1", "2", "3")
RATIOS = [(3, n) for n in range(2, 17)] + [(4, n) for n in range(2, 9)]
SPACES: list[tuple[list[object], int, str]] = [
    ([1, 1], 50, "1"),
    ([1, 1], 50, "0.2"),
    ([7, 4], 50, "1"),
    (["1/2", "1/2"], 1000, "0.5"),
    ([1, 1], 1000, "0.1"),
    ([1, 1], 20_000, "1"),
    ([1, 1], 10**6, "1"),
    (["1/2", "1/2"], 10**6, "1"),
    ([7, 4], 10**6, "1"),
    ([1, 1], 10**6, "0.1"),
    ([1, 1], 10**6, "0.01"),
    ([1, 1], 10**6, "0.001"),
    ([3, "1/2"], 10**6, "0.02"),
    ([1] * 3, 8, "1"),
    ([1] * 3, 20, "1"),
    ([1] * 3, 40, "1"),
    ([1] * 3, 100, "1"),
    ([1] * 3, 10**6, "1"),
    ([1] * 4, 8, "2"),
    ([1] * 4, 10**4, "1"),
    ([1] * 5, 6, "2"),
    ([1] * 6, 6, "1"),
    ([1] * 10, 1000, "1"),
    ([1] * 10, 10**6, "1"),
]


def postprocessings(space: dc.PosteriorSpace) -> tuple[str, ...]:
    """What tight offers: bayes is refused where there are fewer records than categories."""
    return ("nearest", "bayes", "noisy") if space.n >= space.k else ("nearest", "noisy")


def ratios(k: int, n: int) -> Iterator[tuple[str, float, float, float]]:
    """At each ε the least error, and over it those of tight and geometric with their best post-processing."""
    space = dc.PosteriorSpace([1] * k, n)
    for epsilon in EPSILONS:
        least = dc.Optimal(space, epsilon=epsilon).error
        tight = [dc.mechanism("tight", space, epsilon=epsilon, postprocess=way) for way in postprocessings(space)]
        noisy = [dc.mechanism("geometric", space, epsilon=epsilon, postprocess=way) for way in ("nearest", "bayes")]
        one, other = (min(dc.accuracy(each).mean for each in forms) / least for forms in (tight, noisy))
        yield epsilon, least, one, other


def gap(prior: list[object], n: int, epsilon: str) -> tuple[float, float, float | None, str]:
    """The proved bound, geometric's error, the linear programme's where it can be solved, and how it is proved."""
    space = dc.PosteriorSpace(prior, n)
    bound = least_error(space, Fraction(epsilon))
    programme = dc.Optimal(space, epsilon=epsilon).error if space.size <= 165 else None
    return bound.value, dc.accuracy(dc.Geometric(space, epsilon=epsilon)).mean, programme, bound.method


def family(k: int, n: int, epsilon: float) -> tuple[float, float, float]:
    """The least mean error of P(r | c) ∝ β^zeros(r)·e^(-x·d(c, r)) with an exact loss of ε, and its β and x.

    The loss is x plus the most that ln of the normaliser changes between neighbours; both are known by partitions.
    """
    space, counted = dc.PosteriorSpace([1] * k, n), partition_distances(n, k)
    size, zeros = len(counted.partitions), np.array([part.count(0) for part in counted.partitions])
    near = {
        (i, counted.index[tuple(sorted(other))])
        for i, part in enumerate(counted.partitions)
        for other in space.adjacency.neighbours(part)
    }
    one, other = np.array(sorted(near)).T
    flat = counted.rows * size + counted.columns

    def loss(beta: float, x: float) -> float:
        kernel = np.bincount(flat, counted.numbers * np.exp(-x * counted.steps), size * size).reshape(size, size)
        logs = np.log(kernel @ beta**zeros)
        return x + float(np.abs(logs[one] - logs[other]).max())

    rows = space.candidates().array()
    place = np.array([counted.index[tuple(row)] for row in np.sort(rows, axis=1).tolist()])
    weight = np.bincount(place, predictive_weights(space), size)
    best = (np.inf, 0.0, 0.0)
    for beta in (1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 7.0):
        low, high = 0.0, epsilon
        for _ in range(30):
            middle = (low + high) / 2
            low, high = (middle, high) if loss(beta, middle) <= epsilon else (low, middle)
        error = 0.0
        for part, share in zip(counted.partitions, weight, strict=True):
            chance = beta ** (rows == 0).sum(axis=1) * np.exp(-low * (np.abs(rows - part).sum(axis=1) // 2))
            error += share * float(chance @ hellinger_floats(space.prior, part, rows) / chance.sum())
        best = min(best, (error, beta, low))
    return best


def geometric_with_bayes(k: int, n: int, epsilon: float, draws: int = 400) -> tuple[float, float]:
    """Geometric's mean error with the best post-processing, and its standard error: the mean over drawn noisy counts.

    Given noisy counts the expected error of each candidate is a sum over all data sets, so only these are drawn.
    """
    space, rng = dc.PosteriorSpace([1] * k, n), np.random.default_rng(k * n)
    mechanism = dc.Geometric(space, epsilon=str(epsilon))
    rows, weight = space.candidates().array(), predictive_weights(space)
    noisy = rows[rng.choice(len(rows), draws, p=weight)] + mechanism.noise.draw_many(HashedBits("noise"), draws)
    chance = weight * np.exp(-epsilon / 2 * np.abs(np.clip(noisy, 0, n)[:, None, :] - rows).sum(axis=2))
    chance /= chance.sum(axis=1, keepdims=True)
    least = np.full(draws, np.inf)
    for row in rows.tolist():
        least = np.minimum(least, chance @ hellinger_floats(space.prior, row, rows))
    return float(least.mean()), float(least.std() / np.sqrt(draws))


def capped(k: int, cap: int, epsilon: float) -> tuple[float, float, float, float]:
    """A private n up to a cap: the least error, tight's and geometric's with Bayes post-processing, and the least w.

    Tight is w(r)·e^(-ε·‖c - r‖₁) there: each record that is added or removed changes one count by one.
    """
    space = dc.PosteriorSpace([1] * k, cap=cap)
    rows, weight = space.candidates().array(), predictive_weights(space)
    errors = weight[:, None] * np.stack([hellinger_floats(space.prior, row, rows) for row in rows.tolist()])
    kernel = np.exp(-epsilon * np.abs(rows[:, None, :] - rows).sum(axis=2))
    w = np.linalg.solve(kernel, np.ones(len(rows)))
    every, q = np.stack(np.meshgrid(*[np.arange(-1, cap + 2)] * k), axis=-1).reshape(-1, k), np.exp(-epsilon)
    beyond = (every < 0) | (every > cap)  # they stand for all that are farther, too
    one = q ** np.abs(every - rows[:, None, :]) * np.where(beyond, 1.0, 1 - q) / (1 + q)
    noisy = float((one.prod(axis=2).T @ errors).min(axis=1).sum())
    return (
        dc.Optimal(space, epsilon=str(epsilon)).error,
        float(w @ (kernel @ errors).min(axis=1)),
        noisy,
        float(w.min()),
    )


def print_capped() -> None:
    print("| k | cap | ε | programme | tight, bayes | geometric, bayes |")
    print("|---|---|---|---|---|---|")
    for k, cap in ((2, 8), (2, 16), (3, 5)):
        for epsilon in (0.5, 1.0, 2.0, 3.0):
            least, tight, noisy, w = capped(k, cap, epsilon)
            ratio = f"{tight / least:.4f}" if w > 0 else "a weight is negative"
            print(f"| {k} | {cap} | {epsilon:g} | {least:.5f} | {ratio} | {noisy / least:.4f} |", flush=True)


def print_ratios() -> None:
    print("| k | n | " + " | ".join(f"ε = {epsilon}" for epsilon in EPSILONS) + " |")
    print("|---|---|" + "---|" * len(EPSILONS))
    for k, n in RATIOS:
        cells = [f"{least:.5f}: {tight:.4f}, {noisy:.4f}" for _, least, tight, noisy in ratios(k, n)]
        print(f"| {k} | {n} | " + " | ".join(cells) + " |", flush=True)


def print_gaps() -> None:
    print("| prior | n | ε | proved least | programme | geometric | geometric above the bound, at most | proved by |")
    print("|---|---|---|---|---|---|---|---|")
    for prior, n, epsilon in SPACES:
        bound, geometric, programme, method = gap(prior, n, epsilon)
        solved = "" if programme is None else f"{programme:.6g}"
        prior_text = f"{len(prior)} ones" if len(prior) > 3 else ", ".join(map(str, prior))
        above = f"{100 * (geometric / bound - 1):.1f} %"
        cells = (prior_text, f"{n:,}", epsilon, f"{bound:.6g}", solved, f"{geometric:.6g}", above, method)
        print(f"| {' | '.join(cells)} |", flush=True)


def print_family() -> None:
    print("| k | n | ε | family | β, x | geometric | geometric, bayes | tight | tight, noisy |")
    print("|---|---|---|---|---|---|---|---|---|")
    for k, n, epsilon in ((5, 5, 0.5), (5, 5, 1.0), (5, 5, 2.0), (8, 8, 0.5), (8, 8, 1.0), (8, 8, 1.5), (6, 12, 1.0)):
        space = dc.PosteriorSpace([1] * k, n)
        error, beta, x = family(k, n, epsilon)
        nearest = f"{dc.accuracy(dc.Geometric(space, epsilon=epsilon)).mean:.4f}"
        bayes = "{:.4f} ± {:.4f}".format(*geometric_with_bayes(k, n, epsilon))  # a minute each for many candidates
        tight = []
        for way in ("nearest", "noisy"):
            try:
                mechanism = dc.mechanism("tight", space, epsilon=epsilon, postprocess=way)
                tight.append(f"{dc.accuracy(mechanism).mean:.4f}")
            except dc.DiscreetError:
                tight.append("refused")
        cells = (f"{k} | {n} | {epsilon}", f"{error:.4f}", f"{beta:g}, {x:.3f}", nearest, bayes, *tight)
        print(f"| {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    parts = {"ratios": print_ratios, "gaps": print_gaps, "family": print_family, "capped": print_capped}
    for name in sys.argv[1:] or parts:
        parts[name]()
        print()
