"""The exponential family: laws that meet the oracle, floats that meet the enclosures, draws that meet both."""

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import pytest
from flint import arb

from discreet import InvalidInput, PosteriorSpace, published_gamma
from discreet.arithmetic.numbers import precision, working_bits
from discreet.mechanisms import (
    ExponentialGlobal,
    ExponentialLocal,
    ExponentialReciprocal,
    ExponentialSmooth,
    exponential_law,
)
from discreet.mechanisms.exponential import KINDS, Exponential
from discreet.mechanisms.exponential_law import LISTED, ExponentialLaw
from discreet.testing import HashedBits
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


@pytest.mark.every
@pytest.mark.parametrize(
    ("gamma", "text"),
    [(0, "greater than 0"), (-1, "greater than 0"), ("nan", ""), (True, ""), ("1/0", ""), ("1e7", "out of range")],
    ids=["0", "-1", "nan", "True", "1/0", "1e7"],
)
def test_a_rate_of_smoothing_must_be_positive(gamma: object, text: str) -> None:
    for family in (ExponentialSmooth, ExponentialReciprocal):
        with pytest.raises(InvalidInput, match=f"gamma .*{text}"):
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
@pytest.mark.parametrize(
    ("scale", "text"),
    [(0, "greater than 0"), ("-1", "greater than 0"), ("1e13", "out of range"), ("x", "not a number")],
    ids=["0", "-1", "1e13", "x"],
)
def test_a_scale_that_is_none_is_refused_by_its_name(scale: object, text: str) -> None:
    space = PosteriorSpace([1, 1], 5)
    for family in (ExponentialGlobal, ExponentialSmooth):
        with pytest.raises(InvalidInput, match=f"scale .*{text}"):
            family(space, scale=scale)
        with pytest.raises(InvalidInput, match=f"scale .*{text}"):
            family.from_parameters(space, epsilon=Fraction(1), parameters={"scale": scale})


def test_a_scale_of_its_own_is_certified_by_nothing_yet_and_a_certified_one_ranges_by_the_better_bound() -> None:
    space = PosteriorSpace([1, 1], 5)
    own = ExponentialReciprocal.from_parameters(space, epsilon=Fraction(1), parameters={"scale": "1/2", "gamma": "1"})
    assert (own.scale, own.guarantee, own.guaranteed_by) == (Fraction(1, 2), math.inf, "nothing yet")
    assert own.certified(Fraction(9), Fraction(9), "a test").loss_range() == 2  # 2s(1+Γ) with Γ = 1
    assert own.certified(Fraction(9), Fraction(1, 3), "a test").loss_range() == Fraction(2, 3)
    assert ExponentialReciprocal(space, scale="1/2").audited == ""
    assert ExponentialReciprocal.as_published(space, epsilon=1, gamma="1/3").gamma == Fraction(1, 3)


@pytest.mark.every
@pytest.mark.parametrize("family", KINDS)
def test_each_kind_says_how_its_sensitivity_changes(family: type[Exponential]) -> None:
    space = PosteriorSpace([1, "1/2"], 30)
    mechanism = family(space, scale=1)
    inverse = mechanism.inverse_sensitivities(space.candidates().array())
    assert family.constant == (len(set(inverse.tolist())) == 1)
    smoothed = family in KINDS[2:]
    assert (mechanism.smoothing > 0, family.largest_gamma > 0) == (smoothed, smoothed)
    assert mechanism.smoothing == float(gamma_of(mechanism).get("gamma", 0))
    steps: dict[type[Exponential], float] = {ExponentialSmooth: 2 * (math.e - 1), ExponentialReciprocal: 1.0}
    assert family.smoothed_step(2.0, 1.0) == pytest.approx(steps.get(family, 0.0))


# The law in floats


def test_a_law_is_computed_once_for_each_precision() -> None:
    asked: list[int] = []

    def rate() -> arb:
        asked.append(working_bits())
        return arb(2).sqrt()

    law = ExponentialLaw(PosteriorSpace([1, 1], 5), PosteriorSpace([1, 1], 5).counts([2, 3]), rate)
    for bits in (64, 64, 300, 300):
        with precision(bits):
            assert float(law.rate().rad()) < 2.0 ** (4 - bits)
    assert asked == [64, 300]


def test_floats_bound_the_weights_closely() -> None:
    """Pinned from both sides: a loose bound is no wrong law, but draws would take longer."""
    space, offsets = PosteriorSpace([1, "0.5"], 2000), np.array([-500, -3, -1, 1, 2, 100, 900])
    law = ExponentialLocal(space, scale=5).law([1000, 1000])
    with precision(96):
        truth = np.array([float(law.log_weight((1000 + o, 1000 - o))) for o in offsets.tolist()])
    low, high = law._log_float_bounds()(offsets)
    assert (truth * (1 + 1e-6) < low).all()
    assert (low < truth).all()
    assert (truth < high).all()
    assert (high < truth * (1 - 1e-6)).all()
    least, most = law._float_bounds()
    for offset, log in zip(offsets.tolist(), truth.tolist(), strict=True):
        assert math.exp(log) * (1 - 1e-4) < least(offset) < math.exp(log) < most(offset) < math.exp(log) * (1 + 1e-4)


def test_the_rate_of_the_majorant_is_certainly_below_that_of_the_law(monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[float] = []
    monkeypatch.setattr(exponential_law, "SimplexRejection", lambda *facts: given.append(facts[2]))
    space = PosteriorSpace([1, 1, 1], 4)
    law = ExponentialLaw(space, space.counts([1, 1, 2]), lambda: arb(3, 0.5))
    low, high = law._rates()
    assert low < 2.5 < 3.5 < high
    law._simplex_rejection()
    assert given == [low]


@pytest.mark.every
@pytest.mark.parametrize(("k", "n"), [(2, 255), (3, 62), (2048, 1)])
def test_few_candidates_are_listed_and_lines_and_simplices_have_samplers_of_their_own(k: int, n: int) -> None:
    few, more = (PosteriorSpace([1] * (k + extra * (n == 1)), n + extra * (n > 1)) for extra in (0, 1))
    laws = [
        ExponentialLaw(space, space.counts([space.n, *[0] * (space.k - 1)]), lambda: arb(1)) for space in (few, more)
    ]
    assert [law._is_long() for law in laws] == [False, True]
    if k < 4:
        for law, ways in zip(laws, ([False, False], [k == 2, k == 3]), strict=True):
            law._draw(HashedBits("one"))
            assert [law._line is not None, law._simplex is not None] == ways
            law._line = law._simplex = None
            law._draw_many(HashedBits("many"), 1)
            assert [law._line is not None, law._simplex is not None] == ways
