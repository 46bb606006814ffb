"""Columns as products of factors: they are the column, they fall as fast as they promise, and they bend where said."""

from collections.abc import Callable
from fractions import Fraction
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
    ("mechanism", "most"),
    [
        (dc.Geometric(dc.PosteriorSpace([1, 1], None), epsilon="0.1"), 45),
        (dc.Gaussian(dc.PosteriorSpace([1, 1], None), sigma=9), 40.5),
    ],
    ids=str,
)
def test_counts_beyond_reach_hardly_matter_and_those_within_do(mechanism: dc.Mechanism, most: float) -> None:
    kernel = mechanism.kernel
    factors = kernel.factors((0, 0))
    assert factors is not None
    factor = factors[0]
    fall = float(factor.log(np.array([0]))[0] - factor.log(np.array([round(kernel.reach)]))[0])
    assert fall == pytest.approx(most)


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


def test_rounded_laplace_noise_falls_by_its_rate_wherever_a_count_was_not_clamped_to_what_was_left() -> None:
    kernel, third = dc.Laplace(SPACE, epsilon=1).kernel, 1 / 3
    clamped = {(12, 0, 0): [(third, 0), (0, 0), (0, 0)], (0, 3, 9): [(third, third), (third, third), (0, 0)]}
    for output, falls in clamped.items():
        assert [(factor.left, factor.right) for factor in kernel.factors(output) or ()] == falls


# Each pair is at either side of an edge, also where 80 or 160 over a rate is just what is quick.
QUICK: list[tuple[Callable[..., dc.Mechanism], int, int | None, dict[str, object], bool]] = [
    (dc.Geometric, 2, 2**28, {"epsilon": "1e-9"}, True),
    (dc.Geometric, 2, 2**28 + 1, {"epsilon": "1e-9"}, False),
    (dc.Geometric, 2, 10**9, {"epsilon": "1e-5"}, True),
    (dc.Geometric, 3, 10**9, {"epsilon": "1e-5"}, False),
    (dc.Geometric, 4, 4096, {"epsilon": "1e-5"}, True),
    (dc.Geometric, 4, 4097, {"epsilon": "1e-5"}, False),
    (dc.Geometric, 3, 10**9, {"epsilon": 1}, True),
    (dc.Geometric, 2, None, {"epsilon": "0.009765625"}, True),
    (dc.Geometric, 2, None, {"epsilon": "0.0097"}, False),
    (dc.Gaussian, 3, 10**9, {"sigma": 10**4}, False),
    (dc.Gaussian, 3, 10**9, {"sigma": 10}, True),
    (dc.Gaussian, 2, None, {"sigma": 455}, True),
    (dc.Gaussian, 2, None, {"sigma": 456}, False),
    (dc.Laplace, 2, 2**28, {"epsilon": "1e-9"}, True),
    (dc.Laplace, 2, 2**28 + 1, {"epsilon": "1e-9"}, False),
    (dc.Laplace, 2, 2**32, {"epsilon": Fraction(160, 2**30)}, True),
    (dc.Laplace, 2, 2**32, {"epsilon": Fraction(159, 2**30)}, False),
    (dc.Laplace, 3, 5461, {"epsilon": 1}, True),
    (dc.Laplace, 3, 5462, {"epsilon": 1}, False),
    (dc.Laplace, 4, 4096, {"epsilon": 1}, True),
    (SnappedCounts, 2, 128, {"epsilon": 1}, True),
    (SnappedCounts, 2, 129, {"epsilon": 1}, False),
    (dc.ExponentialGlobal, 2, 2047, {"epsilon": 1}, True),
    (dc.ExponentialGlobal, 2, 2048, {"epsilon": 1}, False),
]


def test_wide_noise_is_quickly_read_along_a_line_or_among_few_records() -> None:
    for family, k, n, setting, quick in QUICK:
        kernel = family(dc.PosteriorSpace(prior=[1] * k, n=n), **setting).kernel
        assert kernel.quick is quick, (family, k, n, setting)


def test_a_data_set_is_weighed_with_all_others_where_they_are_not_too_many() -> None:
    lines = [dc.Geometric(dc.PosteriorSpace(prior=[1, 1], n=n), epsilon=1).kernel for n in (8191, 8192)]
    assert [line.listed for line in lines] == [True, False]


def test_masses_of_many_snapped_counts_are_not_worked_out() -> None:
    few, many = (SnappedCounts(dc.PosteriorSpace([1, 1], n), epsilon=1).kernel for n in (4096, 4097))
    assert few.listed
    assert few.factors((0, 4096)) is not None
    assert many.factors((0, 4097)) is None
    with pytest.raises(dc.TooLarge, match="snapping was not made for so many data sets"):
        SnappedCounts(dc.PosteriorSpace([1, 1], 10**4), epsilon=1).kernel.column((0, 10**4))
