"""The exponential family: laws that meet the oracle, floats that meet the enclosures, draws that meet both."""

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import pytest

from discreet import InvalidInput, PosteriorSpace, published_gamma
from discreet.mechanisms import ExponentialGlobal, ExponentialLocal, ExponentialReciprocal, ExponentialSmooth
from discreet.mechanisms.exponential import KINDS, Exponential
from discreet.mechanisms.exponential_law import LISTED
from tests.oracles import mechanisms, sensitivity
from tests.oracles.precision import Real
from tests.support.statistics import Outcome, assert_drawn_from, pmf

SMALL = [
    (("1", "1"), 9),
    (("0.05", "50"), 6),
    (("7", "4", "5"), 4),
    (("0.3", "2", "1"), 4),
    (("1", "0.1", "2", "5"), 2),
]


def sensitivities(mechanism: Exponential, alpha: tuple[str, ...], n: int) -> dict[tuple[int, ...], Real]:
    """S(c) for every c, by the oracle's enumeration."""
    local = sensitivity.locals_everywhere(alpha, n)
    if isinstance(mechanism, ExponentialSmooth):
        return sensitivity.smooth_everywhere(local, mechanism.gamma)
    if isinstance(mechanism, ExponentialReciprocal):
        return sensitivity.reciprocal_everywhere(local, mechanism.gamma)
    return dict.fromkeys(local, sensitivity.greatest(local)) if isinstance(mechanism, ExponentialGlobal) else local


@pytest.mark.few(1)
@pytest.mark.parametrize("family", KINDS)
@pytest.mark.parametrize(("alpha", "n"), SMALL)
def test_every_law_meets_the_oracle(family: type[Exponential], alpha: tuple[str, ...], n: int) -> None:
    space = PosteriorSpace(alpha, n)
    for mechanism in (family(space, epsilon="0.7"), family.as_published(space, epsilon=2)):
        expected = mechanisms.exponential_kernel(alpha, mechanism.scale, sensitivities(mechanism, alpha, n))
        for c, row in expected.items():
            found = np.exp(mechanism.log_pmf(c))
            assert found == pytest.approx([float(p) for p in row.values()], rel=1e-12)
            assert found.sum() == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize("family", KINDS)
def test_the_most_likely_candidate_is_the_truth_and_others_fall_with_their_distance(family: type[Exponential]) -> None:
    space = PosteriorSpace(["0.5", "2", "1"], 6)
    for c in space.candidates():
        law = family(space, epsilon=3).law(c)
        order = np.argsort(law.distances(), kind="stable")
        assert order[0] == space.candidates().index(c)
        assert (np.diff(law.log_weights()[order]) <= 0).all()
        assert law.log_weights().max() == 0


def test_a_scale_or_an_epsilon_but_not_both() -> None:
    space = PosteriorSpace([1, 1], 20)
    for options in ({}, {"epsilon": 1, "scale": 1}):
        with pytest.raises(InvalidInput, match="epsilon or scale"):
            ExponentialGlobal(space, **options)


@pytest.mark.parametrize("family", KINDS)
def test_a_scale_is_kept_and_its_guarantee_computed(family: type[Exponential]) -> None:
    space = PosteriorSpace([1, 1], 20)
    mechanism = family(space, scale="0.3")
    assert mechanism.scale == Fraction("0.3")
    assert mechanism.epsilon == mechanism.guarantee >= Fraction("0.6")
    again = family(space, epsilon=mechanism.epsilon, **gamma_of(mechanism))
    assert again.scale == mechanism.scale


def gamma_of(mechanism: Exponential) -> dict[str, Fraction]:
    found = getattr(mechanism, "gamma", None)
    return {} if found is None else {"gamma": found}


def test_published_forms_have_the_seeds_scale() -> None:
    space = PosteriorSpace([1, 1], 50)
    for family in KINDS:
        assert family.as_published(space, epsilon="0.8").scale == Fraction("0.4")
        assert family.as_published(space, epsilon="0.8").epsilon == Fraction("0.8")
    assert ExponentialGlobal.as_published(space, epsilon=1).guarantee == 1
    assert ExponentialReciprocal.as_published(space, epsilon=1).guarantee == 2


def test_the_default_rates_of_smoothing_are_the_seeds() -> None:
    space = PosteriorSpace([1, 1], 50)
    assert ExponentialReciprocal(space, epsilon=1).gamma == 1
    smooth = ExponentialSmooth(space, epsilon=1)
    assert float(smooth.gamma) == published_gamma(space, 1, "1e-8")
    assert ExponentialSmooth.as_published(space, epsilon=1).gamma == smooth.gamma
    assert ExponentialSmooth(space, epsilon=1, gamma="0.02").gamma == Fraction("0.02")


@pytest.mark.parametrize("gamma", [0, -1, "nan", True, "1/0"])
def test_a_rate_of_smoothing_must_be_positive(gamma: object) -> None:
    for family in (ExponentialSmooth, ExponentialReciprocal):
        with pytest.raises(InvalidInput):
            family(PosteriorSpace([1, 1], 20), epsilon=1, gamma=gamma)


def test_less_smoothing_is_the_global_mechanism_and_more_the_local_one() -> None:
    space, c = PosteriorSpace(["0.5", 2], 30), [4, 26]
    for family in (ExponentialSmooth, ExponentialReciprocal):
        almost_none = family(space, scale="1/2", gamma="1e-9")
        assert almost_none.log_pmf(c) == pytest.approx(ExponentialGlobal(space, scale="1/2").log_pmf(c), rel=1e-6)
        much = family(space, scale="1/2", gamma=1000)
        assert much.log_pmf(c) == pytest.approx(ExponentialLocal(space, scale="1/2").log_pmf(c), rel=1e-12)


# Draws


def off_by_30_percent(mechanism: Exponential, counts: Sequence[int]) -> list[dict[Outcome, float]]:
    """The laws at 70 % and at 130 % of the scale."""
    scales = (mechanism.scale * Fraction(tenths, 10) for tenths in (7, 13))
    return [pmf(type(mechanism)(mechanism.space, scale=s, **gamma_of(mechanism)), counts) for s in scales]


@pytest.mark.few(1)
@pytest.mark.parametrize("family", KINDS)
@pytest.mark.parametrize(
    ("prior", "c", "scale"),
    [
        ([1, 1], [7, 23], 2),
        (["0.05", "50"], [0, 12], 3),
        ([1, 1, 1], [4, 0, 2], 3),
        ([1, "0.3", 2, 5], [0, 1, 2, 0], 4),
    ],
)
def test_draws_have_the_law_and_reject_a_scale_that_is_30_percent_off(
    family: type[Exponential], prior: list[object], c: list[int], scale: int
) -> None:
    space = PosteriorSpace(prior, sum(c))
    mechanism = family(space, scale=scale)
    assert_drawn_from(mechanism.law(c), pmf(mechanism, c), *off_by_30_percent(mechanism, c))


@pytest.mark.few(1)
@pytest.mark.parametrize("family", KINDS)
@pytest.mark.parametrize(
    ("prior", "c"),
    [
        *(([1, "0.5"], [first, LISTED - first]) for first in (0, 100)),
        *(([1, "0.5"], [first, 2000 - first]) for first in (1000, 3, 2000)),
        ([1, 1, 1], [12, 10, 8]),
        ([1, 1, 1], [30, 0, 0]),
        (["0.3", 2, 7], [0, 9, 21]),
        ([1, 1, 1, 1], [5, 4, 3, 1]),
        ([1, "0.5", 2, 1], [0, 0, 13, 0]),
    ],
)
def test_many_candidates_are_drawn_without_a_list_and_have_the_same_law(
    family: type[Exponential], prior: list[object], c: list[int]
) -> None:
    space = PosteriorSpace(prior, sum(c))
    assert space.size >= LISTED
    mechanism = family(space, scale=5)
    assert_drawn_from(mechanism.law(c), pmf(mechanism, c), *off_by_30_percent(mechanism, c), few=3000)


def test_a_huge_epsilon_releases_the_truth_and_a_tiny_one_nearly_anything() -> None:
    space, c = PosteriorSpace([1, 1], 20), [3, 17]
    assert math.exp(ExponentialGlobal(space, epsilon=10**5).log_pmf(c)[3]) == pytest.approx(1)
    spread = np.exp(ExponentialGlobal(space, epsilon="1e-9").log_pmf(c))
    assert spread == pytest.approx(np.full(21, 1 / 21), rel=1e-6)


@pytest.mark.every
@pytest.mark.parametrize("scale", [0, "-1", "1e13", "x"])
def test_a_scale_that_is_none_is_refused_by_its_name(scale: object) -> None:
    with pytest.raises(InvalidInput, match="scale"):
        ExponentialGlobal(PosteriorSpace([1, 1], 5), scale=scale)
