"""Columns as products of factors: they are the column, they fall as fast as they promise, and they bend where said."""

from collections.abc import Callable
from itertools import pairwise

import numpy as np
import pytest

import discreet as dc
from discreet.kernels import Factor
from discreet.mechanisms import SnappedCounts, TightConstraints

SPACE = dc.PosteriorSpace(prior=[1, "1/2", 2], n=12)
LINE = dc.PosteriorSpace(prior=[1, 1], n=30)
CASES: list[tuple[dc.Mechanism, tuple[int, ...]]] = [
    (dc.Geometric(SPACE, epsilon="0.7"), (-3, 5, 10)),
    (dc.Gaussian(SPACE, sigma=3), (-3, 1, 14)),
    (dc.Laplace(SPACE, epsilon=1), (4, 8, 0)),
    (dc.Laplace(SPACE, epsilon=1), (0, 0, 12)),
    (dc.LaplaceImproved(SPACE, epsilon=1), (12, 0, 0)),
    (dc.LaplaceImproved(SPACE, epsilon=1), (3, 4, 5)),
    (SnappedCounts(SPACE, epsilon=2), (4, 8, 0)),
    (TightConstraints(SPACE, epsilon=1), (0, 0, 12)),
]


@pytest.mark.parametrize(("mechanism", "output"), CASES, ids=str)
def test_factors_make_up_the_column(mechanism: dc.Mechanism, output: tuple[int, ...]) -> None:
    factors = mechanism.kernel.factors(output)
    assert factors is not None
    data = mechanism.kernel.candidates
    total = sum((factor.log(data[:, i]) for i, factor in enumerate(factors)), np.zeros(len(data)))
    apart = mechanism.kernel.column(output).values - total
    assert apart == pytest.approx(apart[0], abs=1e-9)


@pytest.mark.parametrize(("mechanism", "output"), CASES, ids=str)
def test_a_factor_falls_at_least_as_fast_as_it_promises(mechanism: dc.Mechanism, output: tuple[int, ...]) -> None:
    for factor in mechanism.kernel.factors(output) or ():
        counts = np.arange(SPACE.n + 1)
        falls = -np.diff(factor.log(counts))
        for x in range(factor.last + 1, SPACE.n):
            assert not factor.right or falls[x] >= factor.right_at(x) - 1e-9
        for x in range(1, factor.first):
            assert not factor.left or -falls[x - 1] >= factor.left_at(x) - 1e-9


def test_a_promise_begins_at_the_factors_own_place_and_bends_from_there() -> None:
    factor = Factor(5, 7, 0.25, 0.5, np.zeros_like, bend=2.0)
    assert [factor.left_at(x) for x in (7, 5, 4, 3)] == [0.25, 0.25, 2.25, 4.25]
    assert [factor.right_at(x) for x in (5, 7, 8, 9)] == [0.5, 0.5, 2.5, 4.5]


@pytest.mark.parametrize(
    "mechanism",
    [dc.Geometric(LINE, epsilon=1), dc.Gaussian(LINE, sigma=3), dc.LaplaceImproved(LINE, epsilon=1)],
    ids=str,
)
def test_a_column_bends_at_no_other_count_than_its_kinks(mechanism: dc.Mechanism) -> None:
    for output in ((0, 30), (11, 19), (30, 0)):
        kinks = mechanism.kernel.kinks(output)
        assert kinks is not None
        logs = mechanism.kernel.column(output).values[np.argsort(mechanism.kernel.candidates[:, 0])]
        for low, high in pairwise([0, *kinks, 30]):
            assert np.diff(logs[low : high + 1], 3) == pytest.approx(0, abs=1e-9)
        assert len(kinks) <= 8


@pytest.mark.parametrize(
    "mechanism",
    [
        dc.Geometric(dc.PosteriorSpace([1, 1], None), epsilon="0.1"),
        dc.Gaussian(dc.PosteriorSpace([1, 1], None), sigma=9),
    ],
    ids=str,
)
def test_counts_beyond_reach_hardly_matter_and_those_within_do(mechanism: dc.Mechanism) -> None:
    kernel = mechanism.kernel
    factors = kernel.factors((0, 0))
    assert factors is not None
    factor = factors[0]
    fall = float(factor.log(np.array([0]))[0] - factor.log(np.array([round(kernel.reach)]))[0])
    assert 36 < fall < 50
    assert kernel.quick


def test_what_no_belief_can_weigh_names_another_mechanism() -> None:
    kernel = dc.Optimal(dc.PosteriorSpace([1, 1], 9), epsilon=1).kernel
    with pytest.raises(dc.TooLarge, match="optimal was not made for so many data sets") as refusal:
        kernel.noise_list()
    assert refusal.value.hint == "use geometric"


@pytest.mark.parametrize("mechanism", [dc.Laplace(SPACE, epsilon=1), SnappedCounts(SPACE, epsilon=2)], ids=str)
def test_what_was_not_looked_at_may_be_anything(mechanism: dc.Mechanism) -> None:
    factors = mechanism.kernel.factors((12, 0, 0))
    assert factors is not None
    free = factors if isinstance(mechanism, SnappedCounts) else factors[1:]
    assert {(factor.first, factor.last, factor.left, factor.right, factor.bend) for factor in free} == {
        (0, 12, 0, 0, 0)
    }


QUICK: list[tuple[Callable[..., dc.Mechanism], list[int], int | None, dict[str, object], bool]] = [
    (dc.Geometric, [1, 1], 10**9, {"epsilon": "1e-5"}, True),
    (dc.Geometric, [1, 1], 10**9, {"epsilon": "1e-7"}, False),
    (dc.Geometric, [1, 1, 1], 10**9, {"epsilon": "1e-5"}, False),
    (dc.Geometric, [1, 1, 1], 10**3, {"epsilon": "1e-5"}, True),
    (dc.Geometric, [1, 1, 1], 10**9, {"epsilon": 1}, True),
    (dc.Geometric, [1, 1], None, {"epsilon": "1e-4"}, False),
    (dc.Gaussian, [1, 1, 1], 10**9, {"sigma": 10**4}, False),
    (dc.Gaussian, [1, 1, 1], 10**9, {"sigma": 10}, True),
    (dc.Laplace, [1, 1], 10**9, {"epsilon": "1e-5"}, True),
    (dc.Laplace, [1, 1], 10**9, {"epsilon": "1e-7"}, False),
    (dc.Laplace, [1, 1], 10**6, {"epsilon": "1e-7"}, True),
    (dc.Laplace, [1, 1, 1], 10**4, {"epsilon": 1}, False),
    (dc.Laplace, [1, 1, 1], 10**3, {"epsilon": 1}, True),
    (SnappedCounts, [1, 1], 100, {"epsilon": 1}, True),
    (SnappedCounts, [1, 1], 200, {"epsilon": 1}, False),
    (dc.ExponentialGlobal, [1, 1], 2000, {"epsilon": 1}, True),
    (dc.ExponentialGlobal, [1, 1], 3000, {"epsilon": 1}, False),
]


@pytest.mark.parametrize(("family", "prior", "n", "setting", "quick"), QUICK)
def test_wide_noise_is_quickly_read_along_a_line_or_among_few_records(
    family: Callable[..., dc.Mechanism], prior: list[int], n: int | None, setting: dict[str, object], quick: bool
) -> None:
    assert family(dc.PosteriorSpace(prior=prior, n=n), **setting).kernel.quick is quick


def test_masses_of_many_snapped_counts_are_not_worked_out() -> None:
    few, many = (SnappedCounts(dc.PosteriorSpace([1, 1], n), epsilon=1).kernel for n in (4000, 10**4))
    assert few.listed
    assert few.factors((0, 4000)) is not None
    assert many.factors((0, 10**4)) is None
    with pytest.raises(dc.TooLarge, match="snapping was not made for so many data sets"):
        many.column((0, 10**4))
