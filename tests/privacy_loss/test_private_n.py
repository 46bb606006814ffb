"""The loss of geometric where n is private, by brute force: all counts up to 6, and outputs with a bounded tail."""

import math
from itertools import product

import numpy as np
import pytest

import discreet as dc
from discreet.arithmetic.numbers import precision
from discreet.errors import InvalidInput
from discreet.mechanisms.geometric import Geometric
from tests.faults import private_n as faults

MOST, EPSILON = 6, 0.7


def space(k: int) -> dc.PosteriorSpace:
    return dc.PosteriorSpace(prior=[1] * k, n=None)


def loss_by_laws(mechanism: Geometric, most: int, beyond: int) -> float:
    """The greatest ln P(z | c)/P(z | c') over neighbours with at most so many records in each cell."""
    k = mechanism.space.k
    outputs = list(product(range(-beyond, most + beyond + 1), repeat=k))
    with precision(96):
        laws = {c: [_log(mechanism, c, z) for z in outputs] for c in product(range(most + 1), repeat=k)}
    worst = -math.inf
    for c, here in laws.items():
        for near in mechanism.space.adjacency.neighbours(c):
            if near in laws:
                pairs = zip(here, laws[near], strict=True)
                worst = max(worst, *(one - other for one, other in pairs if one > -math.inf))
    return worst


def _log(mechanism: Geometric, counts: tuple[int, ...], output: tuple[int, ...]) -> float:
    try:
        return float(mechanism.law(counts).log_probability(output))
    except InvalidInput:  # the law knows of no such output
        return -math.inf


@pytest.mark.parametrize(("k", "most", "beyond"), [(1, MOST, 30), (2, MOST, 6)])
def test_the_loss_is_epsilon_over_all_small_counts_by_the_laws(k: int, most: int, beyond: int) -> None:
    assert loss_by_laws(Geometric(space(k), epsilon=EPSILON), most, beyond) == pytest.approx(EPSILON, abs=1e-12)


@pytest.mark.parametrize(("k", "beyond"), [(3, 4), pytest.param(4, 2, marks=pytest.mark.soak)])
def test_the_loss_is_epsilon_over_all_small_counts_of_larger_tables(k: int, beyond: int) -> None:
    """Three categories, and a table of two groups by two, by the kernel; what lies outside is bounded."""
    mechanism = Geometric(space(k), epsilon=EPSILON)
    outputs = np.array(list(product(range(-beyond, MOST + beyond + 1), repeat=k)))
    rows: dict[tuple[int, ...], np.ndarray] = {}
    for counts in product(range(MOST + 1), repeat=k):
        rows[counts] = mechanism.kernel.row(counts, outputs).values
    worst = max(
        float((row - rows[near]).max())
        for counts, row in rows.items()
        for near in mechanism.space.adjacency.neighbours(counts)
        if near in rows
    )
    assert worst == pytest.approx(EPSILON, abs=1e-9)
    q = math.exp(-EPSILON)
    tail = k * 2 * q ** (beyond + 1) / (1 + q)  # a union bound on noise beyond the window
    assert all(1 - math.exp(float(np.logaddexp.reduce(row))) <= tail for row in rows.values())


@pytest.mark.parametrize("k", [1, 2, 3])
def test_the_kernel_is_the_law_where_n_is_private(k: int) -> None:
    mechanism, rng = Geometric(space(k), epsilon="0.37"), np.random.default_rng(k)
    for _ in range(20):
        counts, output = rng.integers(0, 9, k).tolist(), rng.integers(-6, 15, k).tolist()
        with precision(96):
            truth = float(mechanism.law(counts).log_probability(tuple(output)))
        logs = mechanism.kernel.row(counts, np.array([output]))
        assert abs(float(logs.values[0]) - truth) <= float(logs.errors[0]) < 1e-9
        column = mechanism.kernel.column(tuple(output), np.array([counts]))
        assert float(column.values[0]) == float(logs.values[0])


@pytest.mark.every
@pytest.mark.parametrize(
    "fault",
    [faults.TotalKept, faults.RateDoubled, faults.NoiseClamped, faults.EmptyTableTold],
    ids=lambda f: f.__name__,
)
def test_a_wrong_form_under_add_remove_loses_more_than_it_claims(fault: type[Geometric]) -> None:
    wrong = fault(space(2), epsilon=EPSILON)
    assert wrong.guarantee == Geometric(space(2), epsilon=EPSILON).guarantee
    assert loss_by_laws(wrong, 2, 3) > 1.05 * EPSILON
    assert loss_by_laws(Geometric(space(2), epsilon=EPSILON), 2, 3) == pytest.approx(EPSILON, abs=1e-12)
