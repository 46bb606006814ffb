"""Beta and Dirichlet: exact, frozen, and the same distribution under either name."""

import copy
import dataclasses
from fractions import Fraction

import numpy as np
import pytest
from flint import arb
from hypothesis import given
from hypothesis import strategies as st

from discreet import Beta, Dirichlet, InvalidInput
from discreet.arithmetic.numbers import precision
from discreet.posteriors.dirichlet import incomplete_beta
from discreet.posteriors.mixtures import BetaMixture

PARAMETER = st.fractions(Fraction(1, 100), 1000, max_denominator=1000)


def test_parameters_are_exact_and_a_float_means_what_it_prints() -> None:
    assert Dirichlet([0.1, "1/3", 2]).parameters == (Fraction(1, 10), Fraction(1, 3), Fraction(2))
    assert Dirichlet([0.1, "1/3", 2]).alpha.tolist() == [0.1, 1 / 3, 2.0]
    assert Dirichlet([0.1, 0.2]).total == Fraction(3, 10)


@pytest.mark.parametrize("values", [[1, 2], (1, 2), np.array([1, 2]), np.array([1, 2], dtype=np.uint8), iter([1, 2])])
def test_any_array_like_will_do(values: object) -> None:
    assert Dirichlet(values) == Beta(1, 2)


@pytest.mark.parametrize(
    "values",
    [[], [1, 0], [1, -1], [1, "nan"], [1, "inf"], [1, True], [1, None], "11", 7, None, [[1, 1], [1, 1]]],
)
def test_what_is_no_prior_is_refused(values: object) -> None:
    with pytest.raises(InvalidInput):
        Dirichlet(values)


def test_beta_is_the_dirichlet_of_two() -> None:
    assert Beta(7, 4) == Dirichlet([7, 4])
    assert Dirichlet([7, 4]) == Beta(7, 4)
    assert hash(Beta(7, 4)) == hash(Dirichlet([7, 4]))
    assert Beta(7, 4) != Beta(4, 7)
    assert Beta(7, 4) != (7, 4)
    assert Beta(7, 4).k == 2
    assert {Beta(1, 1): "a"}[Dirichlet(["1.0", 1])] == "a"  # type: ignore[index]


def test_they_are_frozen_and_can_be_copied() -> None:
    for one in (Beta("0.5", 2), Dirichlet([1, 2, 3])):
        with pytest.raises(dataclasses.FrozenInstanceError):
            one.parameters = (Fraction(1), Fraction(1))  # type: ignore[misc]
        assert copy.copy(one) == one
        assert copy.deepcopy(one) == one


def test_update_adds_counts_and_keeps_the_kind() -> None:
    assert Beta("0.5", 1).update([3, 4]) == Beta("3.5", 5)
    assert isinstance(Beta(1, 1).update([3, 4]), Beta)
    assert Dirichlet([1, 1, 1]).update(np.array([70, 50, 30])) == Dirichlet([71, 51, 31])


@pytest.mark.parametrize("counts", [[1], [1, 2, 3], [-1, 2], [0.5, 1], ["x", 1], "12", None, [True, 1]])
def test_update_refuses_what_are_no_counts(counts: object) -> None:
    with pytest.raises(InvalidInput):
        Beta(1, 1).update(counts)


@given(st.lists(PARAMETER, min_size=2, max_size=5))
def test_the_mean_is_each_share_of_the_total(alpha: list[Fraction]) -> None:
    mean = Dirichlet(alpha).mean
    assert mean.tolist() == [float(a / sum(alpha)) for a in alpha]


WIDE = st.fractions(Fraction(1, 2), 1000, max_denominator=1000)  # below, the ends of Beta lie closer than floats to 1


@given(WIDE, WIDE, st.sampled_from([0.5, 0.9, 0.95, 0.99]))
def test_intervals_leave_half_of_the_rest_on_either_side(a: Fraction, b: Fraction, level: float) -> None:
    low, high = Beta(a, b).interval(level)
    law = Beta(a, b).to_scipy()
    assert law.cdf(low[0]) == pytest.approx((1 - level) / 2, rel=1e-6)
    assert law.sf(high[0]) == pytest.approx((1 - level) / 2, rel=1e-6)
    assert low[1] == pytest.approx(1 - high[0], rel=1e-9, abs=1e-15)


def test_intervals_of_many_categories_are_those_of_their_marginal_betas() -> None:
    low, high = Dirichlet([3, 4, 5]).interval()
    for i, a in enumerate([3, 4, 5]):
        one_low, one_high = Beta(a, 12 - a).interval()
        assert low[i] == pytest.approx(one_low[0])
        assert high[i] == pytest.approx(one_high[0])


@pytest.mark.parametrize("level", [0, 1, -0.5, 2, "nan", None, True])
def test_an_interval_needs_a_level_between_zero_and_one(level: object) -> None:
    with pytest.raises(InvalidInput):
        Beta(1, 1).interval(level)  # type: ignore[arg-type]


def test_scipy_has_the_same_moments() -> None:
    assert Dirichlet([3, 4, 5]).to_scipy().mean() == pytest.approx(Dirichlet([3, 4, 5]).mean)
    assert Beta(3, 4).to_scipy().mean() == pytest.approx(3 / 7)


@pytest.mark.parametrize(
    ("one", "text"),
    [
        (Beta(7, 4), "Beta(7, 4)"),
        (Dirichlet([1, "0.5", 2]), "Dirichlet([1, 0.5, 2])"),
        (Beta("1/3", 1), "Beta(0.333333333333, 1)"),
    ],
)
def test_repr_reads_like_the_call_that_made_it(one: Dirichlet, text: str) -> None:
    assert repr(one) == text


def test_a_weak_parameter_beside_a_strong_one_is_not_lost() -> None:
    low, high = Dirichlet(["1e9", "1e-9", "1e-9"]).interval()
    assert np.isfinite(low).all()
    assert (low <= high).all()
    assert float(low[0]) == pytest.approx(1)


@pytest.mark.parametrize("rest", [2.73e8, 1.05e9, 1.69e9, 5e11])
@pytest.mark.parametrize("few", [3, 7, 28])
def test_whole_parameters_beside_many_records_keep_their_digits(few: int, rest: float) -> None:
    """SciPy's sum for whole parameters is off by 3e-8 here: more than beliefs, distances and widths say they are."""

    def below(x: float) -> float:
        with precision(200):
            return float(arb(x).beta_lower(arb(few), arb(rest), regularized=True))

    x = (few + 0.5) / rest
    assert float(incomplete_beta(few, rest, x)) == pytest.approx(below(x), abs=1e-12)
    assert float(BetaMixture([0.5, 0.5], [few, few], [rest, rest]).cdf(x)) == pytest.approx(below(x), abs=1e-12)
    low, high = Dirichlet([few, int(rest)]).interval(0.9)
    assert [below(float(low[0])), below(float(high[0]))] == pytest.approx([0.05, 0.95], abs=1e-11)
