"""The least error of any epsilon-DP kernel on the candidates, by linear programming (section 4).

The unknowns are the probabilities P(r|c). Each row sums to 1, P(r|c) <= e^epsilon P(r|c') for adjacent c, c', and the
error is linear. A solver answers to about nine digits: a yardstick, not a proof.
"""

from collections.abc import Mapping, Sequence
from math import exp

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import coo_array

from .distances import Distance, hellinger
from .precision import Exact, Real, exact
from .sensitivity import between
from .spaces import Counts, candidates, neighbours, prior_predictive


def least_mean_error(
    alpha: Sequence[Exact],
    n: int,
    epsilon: Exact,
    weights: Mapping[Counts, Real] | None = None,
    distance: Distance = hellinger,
) -> float:
    """The least mean distance under a weight on c; the prior predictive unless told otherwise."""
    weights = prior_predictive(alpha, n) if weights is None else weights
    every = candidates(len(alpha), n)
    cost = [float(weights[c] * between(alpha, c, r, distance)) for c in every for r in every]
    return _solve(every, epsilon, cost, [])


def least_worst_error(alpha: Sequence[Exact], n: int, epsilon: Exact, distance: Distance = hellinger) -> float:
    """The least that the mean distance can be at the worst c: one more unknown, above the error of every c."""
    every = candidates(len(alpha), n)
    errors = [[float(between(alpha, c, r, distance)) for r in every] for c in every]
    return _solve(every, epsilon, [0.0] * len(every) ** 2 + [1.0], errors)


def _solve(every: list[Counts], epsilon: Exact, cost: list[float], errors: list[list[float]]) -> float:
    size, factor = len(every), exp(exact(epsilon))
    index = {c: i for i, c in enumerate(every)}
    entries: list[tuple[int, int, float]] = []  # row, column, value of the inequalities
    row = 0
    for c in every:
        for other in neighbours(c):
            for r in range(size):
                entries += [(row, index[c] * size + r, 1.0), (row, index[other] * size + r, -factor)]
                row += 1
    for i, errors_of_c in enumerate(errors):
        entries += [(row, i * size + r, error) for r, error in enumerate(errors_of_c)]
        entries.append((row, size * size, -1.0))
        row += 1
    sums = [(i, i * size + r, 1.0) for i in range(size) for r in range(size)]
    answer = linprog(
        np.array(cost),
        A_ub=_sparse(entries, row, len(cost)),
        b_ub=np.zeros(row),
        A_eq=_sparse(sums, size, len(cost)),
        b_eq=np.ones(size),
        bounds=(0, None),
        method="highs",
    )
    assert answer.success, answer.message
    return float(answer.fun)


def _sparse(entries: list[tuple[int, int, float]], rows: int, columns: int) -> coo_array:
    i, j, values = zip(*entries, strict=True)
    return coo_array((values, (i, j)), shape=(rows, columns))
