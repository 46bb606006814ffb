"""Noisy counts as the outputs of tight: which of them, and how many of them are how far from which data.

An output z is k whole numbers that sum to n, some of them negative, as those of geometric are. d(c, z) is the number of
records to be replaced until no count exceeds that of z, where a negative one counts as 0. That is the sum of all
max(c_i - max(z_i, 0), 0). A replaced record changes it by at most 1; for a candidate it is the number of replaced
records; and ½‖c - z‖₁ exceeds it by the same for all c. So P(z | c) = w(z)·e^(-ε·d(c, z)) is ε-DP, whichever z there
are, and the laws of geometric and of tight on candidates are both of this form. The best of all such laws for Bayes
post-processing solves a linear programme: a weight for each z but for its order, an equation for each partition of n.
Its solutions have as many z as there are partitions. A solver in floats proposes z; their weights are solved anew and
certified, as those of candidates are (`discreet.mechanisms.tight_weights`). Tests:
`tests/mechanisms/test_tight_outputs.py`.
"""

from __future__ import annotations

import itertools
import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Any, TypeAlias

import numpy as np

from discreet.arithmetic.arrays import Floats, Wholes
from discreet.errors import InvalidInput, TooLarge
from discreet.mechanisms.law import ENUMERABLE
from discreet.mechanisms.postprocessing import Weighting, data_weights
from discreet.posteriors.distances import hellinger_matrix
from discreet.posteriors.partitions import Partition, number_of_partitions
from discreet.posteriors.space import PosteriorSpace, exceeds

Outputs: TypeAlias = tuple[Partition, ...]
"""Noisy counts, the smallest first: each stands for all its orders."""

MOST_OUTPUTS, MOST_CANDIDATES = 64, 500
"""Receipts name the outputs, so they are few; and all data sets are weighed for each order of them. Three categories up
to n = 24, four up to 12, five up to 8, six up to 6."""

_MOST_ORDERS = 1 << 13
_MOST_PRODUCTS = 1 << 33
_USED = 1e-9
_GEOMETRIC = "use geometric with bayes, or tight as it is"


def require_few(space: PosteriorSpace) -> None:
    """Refuse, from public facts, spaces with more partitions or candidates than are weighed."""
    if number_of_partitions(space.n, space.k, MOST_OUTPUTS) > MOST_OUTPUTS or exceeds(space, MOST_CANDIDATES):
        raise TooLarge(
            f"noisy outputs are weighed for at most {MOST_OUTPUTS} partitions and {MOST_CANDIDATES} candidates",
            hint=_GEOMETRIC,
        )


def text_of(outputs: Outputs) -> str:
    """How receipts name them.

    >>> text_of(((-2, 2, 2), (0, 1, 1)))
    '-2,2,2;0,1,1'
    """
    return ";".join(",".join(map(str, output)) for output in outputs)


def read_outputs(text: object, space: PosteriorSpace) -> Outputs:
    """Outputs from their text: as many as there are partitions, all different, each with at most one negative count.

    >>> read_outputs("-2,2,2;0,1,1", PosteriorSpace(prior=[1, 1, 1], n=2))
    ((-2, 2, 2), (0, 1, 1))
    """
    n, k = space.n, space.k
    refusal = InvalidInput(
        "these are no noisy outputs of tight",
        hint="leave them out, and they are chosen",
        parameter="outputs",
    )
    number = number_of_partitions(n, k, MOST_OUTPUTS)
    if not isinstance(text, str) or len(text) > 24 * k * number or not re.fullmatch(r"[-0-9,;]+", text):
        raise refusal
    try:
        outputs = tuple(tuple(map(int, part.split(","))) for part in text.split(";"))
    except ValueError:
        raise refusal from None
    if len(outputs) != number or any(len(z) != k or not _is_possible(z, n) for z in outputs):
        raise refusal
    if len({tuple(max(value, 0) for value in z) for z in outputs}) != number or text_of(outputs) != text:
        raise refusal
    if sum(map(number_of_orders, outputs)) > ENUMERABLE:
        raise TooLarge(f"these outputs have more than {ENUMERABLE:,} orders", hint=_GEOMETRIC)
    return outputs


def _is_possible(z: Partition, n: int) -> bool:
    return list(z) == sorted(z) and sum(z) == n and z[-1] <= n and z[1] >= 0


def number_of_orders(values: Partition) -> int:
    """How many orders there are.

    >>> number_of_orders((-2, 2, 2)), len(list(orders((-2, 2, 2))))
    (3, 3)
    """
    return math.factorial(len(values)) // math.prod(math.factorial(each) for each in Counter(values).values())


def orders(values: Partition) -> Iterator[Partition]:
    """All orders of values, each once, as a dictionary has them."""
    row = sorted(values)
    while True:
        yield tuple(row)
        falls = next((i for i in range(len(row) - 2, -1, -1) if row[i] < row[i + 1]), None)
        if falls is None:
            return
        above = next(i for i in range(len(row) - 1, -1, -1) if row[i] > row[falls])
        row[falls], row[above] = row[above], row[falls]
        row[falls + 1 :] = row[:falls:-1]


def steps_between(data: Wholes, outputs: Sequence[Partition]) -> Wholes:
    """d(c, z): a row for each data set, a column for each output."""
    steps: Wholes = np.maximum(data[:, None, :] - np.maximum(outputs, 0)[None, :, :], 0).sum(axis=2)
    return steps


class NoisyDistances:
    """What `PartitionDistances` has of candidates, of noisy outputs: the columns are these.

    Of one data set of each partition: `numbers[i]` orders of output `columns[i]` are `steps[i]` away from a data set of
    partition `rows[i]`. As many pairs of an order and a data set are so far apart, counted either way.

    >>> distances = NoisyDistances(2, 3, ((-2, 2, 2), (0, 1, 1)))
    >>> [[int(x) for x in row] for row in zip(distances.rows, distances.columns, distances.steps, distances.numbers)]
    [[0, 0, 0, 2], [0, 0, 2, 1], [0, 1, 1, 2], [0, 1, 2, 1], [1, 0, 0, 1], [1, 0, 1, 2], [1, 1, 0, 1], [1, 1, 1, 2]]
    """

    def __init__(self, n: int, k: int, outputs: Outputs) -> None:
        self.n, self.k, self.partitions = n, k, list(outputs)
        self.index = {output: i for i, output in enumerate(outputs)}
        data, self.row_of, row = _partition_data(n, k)
        sizes, each = np.bincount(row), np.array([number_of_orders(output) for output in outputs])
        self.outcomes = int(each.sum())
        table = np.zeros((len(sizes), len(outputs), n + 1), dtype=np.int64)
        apart = steps_between(data, outputs)
        np.add.at(table, (row[:, None], np.arange(len(outputs))[None, :], apart), 1)
        table = table * each[None, :, None] // sizes[:, None, None]
        self.rows, self.columns, self.steps = table.nonzero()
        self.numbers = table[self.rows, self.columns, self.steps]


def _partition_data(n: int, k: int) -> tuple[Wholes, dict[Partition, int], Wholes]:
    """All data sets, a number for each partition, and those of the data sets."""
    data = PosteriorSpace([1] * k, n).candidates().array()
    keys = [tuple(row) for row in np.sort(data, axis=1).tolist()]
    row_of = {key: i for i, key in enumerate(sorted(set(keys)))}
    return data, row_of, np.array([row_of[key] for key in keys])


@lru_cache(maxsize=16)
def best_outputs(space: PosteriorSpace, epsilon: Fraction, weighting: Weighting) -> Outputs:
    """The outputs of the law of least expected error with Bayes post-processing, among all of this form.

    >>> best_outputs(PosteriorSpace(prior=[1, 1, 1], n=2), Fraction(1, 2), "predictive")
    ((-2, 2, 2), (0, 1, 1))
    """
    from scipy import optimize

    require_few(space)
    outputs = _all_outputs(space.n, space.k)
    data, row_of, row = _partition_data(space.n, space.k)
    kernel = np.exp(-float(epsilon) * steps_between(data, outputs))
    sums = np.zeros((len(row_of), len(outputs)))
    np.add.at(sums, row, kernel)
    cost = _costs(space, epsilon, outputs, kernel, weighting)
    solution: Any = optimize.linprog(
        cost / cost.max(),
        A_eq=sums / np.bincount(row)[:, None],
        b_eq=np.ones(len(row_of)),
        bounds=(0, None),
        method="highs-ds",
        options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
    )
    used: list[int] = np.flatnonzero(solution.x > _USED).tolist() if solution.status == 0 else []
    if len(used) != len(row_of):
        raise InvalidInput("no law on noisy outputs stands out at this epsilon", hint=_GEOMETRIC, parameter="epsilon")
    return tuple(sorted(outputs[i] for i in used))


def _all_outputs(n: int, k: int) -> list[Partition]:
    """The partitions of n, and all that exceed n where some category has none: a negative count there makes up."""
    outputs = []
    for values in itertools.combinations_with_replacement(range(n + 1), k - 1):
        first = n - sum(values)
        z = (first, *values)
        if first <= values[0] and number_of_orders(z) <= _MOST_ORDERS:
            outputs.append(z)
    return outputs


def _costs(
    space: PosteriorSpace, epsilon: Fraction, outputs: list[Partition], kernel: Floats, weighting: Weighting
) -> Floats:
    """Σ_c p(c)·e^(-ε·d(c, z))·H(c, r) of the best r, for each z; of unequal priors the mean over its orders."""
    data = space.candidates().array()
    errors = hellinger_matrix(space.prior, data) * data_weights(space.prior, data, weighting)
    if len(set(space.prior.parameters)) == 1:
        costs: Floats = (errors @ kernel).min(axis=0)
        return costs
    if sum(map(number_of_orders, outputs)) * space.size**2 > _MOST_PRODUCTS:
        raise TooLarge("noisy outputs of tight would be weighed in too many orders", hint=_GEOMETRIC)
    means = []
    for output in outputs:
        every = steps_between(data, list(orders(output)))
        means.append((errors @ np.exp(-float(epsilon) * every)).min(axis=0).mean())
    return np.array(means)
