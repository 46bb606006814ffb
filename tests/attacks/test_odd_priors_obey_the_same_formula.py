"""Priors below 1, not whole, unequal or huge get no rule of their own: enumeration and the checker hold for all."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet import PosteriorSpace, global_sensitivity, local_sensitivity, reciprocal_sensitivity, smooth_sensitivity
from discreet.mechanisms import FAMILIES, Gaussian, Geometric, Optimal, mechanism
from tests.support.checker import check
from tests.support.enumeration import enumerate_space

PARAMETER = st.one_of(
    st.sampled_from([Fraction(1, 10**6), Fraction(1, 1000), Fraction(1, 2), Fraction(1), Fraction(10**6)]),
    st.fractions(Fraction(1, 10**4), 1, max_denominator=10**6),
    st.fractions(1, 10**6, max_denominator=997),
)


@st.composite
def small_spaces(draw: st.DrawFn, largest: int = 9) -> PosteriorSpace:
    k = draw(st.integers(2, 4))
    prior = draw(st.lists(PARAMETER, min_size=k, max_size=k))
    return PosteriorSpace(prior, draw(st.integers(1, largest if k < 4 else 4)))


@given(small_spaces(), st.fractions(Fraction(1, 1000), 20, max_denominator=1000))
def test_every_sensitivity_of_an_odd_prior_equals_enumeration(space: PosteriorSpace, gamma: Fraction) -> None:
    every = enumerate_space(space.prior.parameters, space.n)
    local = every.local()
    smooth, reciprocal = every.smooth(local, float(gamma)), every.reciprocal(local, float(gamma))
    assert global_sensitivity(space) == pytest.approx(local.max(), rel=1e-9)
    for i, c in list(enumerate(every.rows))[:: max(1, len(every.rows) // 8)]:
        assert local_sensitivity(space, c) == pytest.approx(local[i], rel=1e-9)
        assert smooth_sensitivity(space, c, gamma) == pytest.approx(smooth[i], rel=1e-9)
        assert reciprocal_sensitivity(space, c, gamma) == pytest.approx(reciprocal[i], rel=1e-9)


@given(small_spaces(largest=4), st.sampled_from(["0.5", "1", "4"]))
def test_no_mechanism_loses_more_than_it_guarantees_on_an_odd_prior(space: PosteriorSpace, epsilon: str) -> None:
    for family in FAMILIES:
        if family not in (Optimal, Geometric, Gaussian):  # the first guarantees nothing, noise has no prior in it
            verdict = check(mechanism(family.name, space, epsilon=epsilon))
            assert not verdict.exceeds, (family.name, verdict)
