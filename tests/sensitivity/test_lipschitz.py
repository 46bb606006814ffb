"""How fast 1/S changes between neighbours: exact where it is enumerated, never too small where it is bounded."""

import itertools
from collections.abc import Callable
from fractions import Fraction

import pytest

from discreet import PosteriorSpace, local_sensitivity, reciprocal_sensitivity, smooth_sensitivity
from discreet.arithmetic.numbers import ball, fraction_upper, precision
from discreet.sensitivity import lipschitz
from discreet.sensitivity.lipschitz import (
    ENUMERATED,
    _derivative_upper,
    _end,
    _end_increments,
    least_local,
    local_smoothness,
    local_smoothness_bound,
    reciprocal_smoothness,
    smooth_smoothness,
)
from tests.support.enumeration import enumerate_space, random_spaces

ROUNDING = 1e-11
"""What the enumeration in floats may be wrong by: 1/LS is at most about 100 here."""


@pytest.mark.few(1)
@pytest.mark.parametrize("batch", range(4))
def test_the_bound_is_never_below_enumeration(batch: int) -> None:
    for alpha, n in random_spaces(f"bound {batch}", 40, low=0.0001, high=10**4):
        every = enumerate_space(alpha, n)
        exact = every.largest_step(1 / every.local())
        with precision(96):
            bound = local_smoothness_bound(PosteriorSpace(alpha, n))
        assert bound >= exact - ROUNDING * (1 + exact)


@pytest.mark.few(1)
@pytest.mark.parametrize("batch", range(4))
def test_small_spaces_are_exact_and_the_reciprocal_is_never_above_its_own_rate(batch: int) -> None:
    for alpha, n in random_spaces(f"exact {batch}", 25):
        space, every = PosteriorSpace(alpha, n), enumerate_space(alpha, n)
        local = every.local()
        exact = every.largest_step(1 / local)
        assert float(local_smoothness(space)) == pytest.approx(exact, rel=1e-10, abs=ROUNDING)
        for gamma in (Fraction(1, 50), Fraction(1, 2)):
            smooth = every.largest_step(1 / every.smooth(local, float(gamma)))
            assert float(smooth_smoothness(space, gamma)) == pytest.approx(smooth, rel=1e-10, abs=ROUNDING)
            reciprocal = every.largest_step(1 / every.reciprocal(local, float(gamma)))
            assert float(reciprocal_smoothness(space, gamma)) >= reciprocal - ROUNDING
            assert reciprocal_smoothness(space, gamma) <= gamma


def step(space: PosteriorSpace, sensitivity: Callable[[tuple[int, ...]], float]) -> float:
    """The largest step of 1/S, with S from the library: `test_exact.py` holds it to enumeration."""
    inverse = {c: 1 / sensitivity(c) for c in space.candidates()}
    return max(abs(inverse[c] - inverse[other]) for c in inverse for other in space.adjacency.neighbours(c))


LARGER = [(["1", "1"], 2500), (["0.01", "0.01"], 2200), (["0.3", "40", "2"], 65), (["1", "1", "1", "1"], 22)]


@pytest.mark.few(1)
@pytest.mark.parametrize(("prior", "n"), LARGER)
def test_beyond_enumeration_the_local_bound_holds_and_is_not_far_above(prior: list[str], n: int) -> None:
    space = PosteriorSpace(prior, n)
    assert space.size > ENUMERATED
    exact = step(space, lambda c: local_sensitivity(space, c))
    assert exact - ROUNDING <= float(local_smoothness(space)) <= 1.5 * exact


@pytest.mark.few(1)
@pytest.mark.parametrize(("prior", "n"), LARGER[:3])
def test_beyond_enumeration_the_smooth_and_the_reciprocal_bound_hold(prior: list[str], n: int) -> None:
    space, tenth, ten = PosteriorSpace(prior, n), Fraction(1, 10), Fraction(10)
    assert float(smooth_smoothness(space, tenth)) >= step(space, lambda c: smooth_sensitivity(space, c, tenth))
    exact = step(space, lambda c: reciprocal_sensitivity(space, c, ten))
    assert exact - ROUNDING <= float(reciprocal_smoothness(space, ten)) < ten


def test_two_categories_are_bounded_to_a_thousandth_for_any_n() -> None:
    for n in (2500, 10**6, 10**12):
        # 1/LS at x and x+1 near the end of a long line differs the most at x = 1, 2: mathematics, section 3.
        space = PosteriorSpace([1, 1], n)
        near = [1 / local_sensitivity(space, (x, n - x)) for x in range(60)]
        exact = max(b - a for a, b in itertools.pairwise(near))
        assert exact <= float(local_smoothness(space)) <= exact * 1.001


@pytest.mark.parametrize("alpha", ["0.001", "0.5", "1", "50", "10000"])
@pytest.mark.parametrize("low", [0, 1, 24, 10**3, 10**9])
def test_a_block_of_increments_is_bounded_by_the_slope_at_its_ends(alpha: str, low: int) -> None:
    """The sole judge of what lies beyond the first two dozen: F(x+1) - F(x) for x from the low end to the high."""
    start = Fraction(alpha) + low
    with precision(96):
        for length in (1, 2, 30):
            bound = _derivative_upper(start, start + length)
            steps = [_end(start + t + 1) - _end(start + t) for t in {0, length // 2, length - 1}]
            assert all(fraction_upper(step) <= bound for step in steps)
            if low >= 24:  # where it is used
                assert bound <= 10 * max(fraction_upper(step) for step in steps)


@pytest.mark.few(1)
@pytest.mark.parametrize("batch", range(2))
def test_the_least_local_sensitivity_is_a_lower_bound(batch: int) -> None:
    for alpha, n in random_spaces(f"least {batch}", 40):
        with precision(96):
            assert float(least_local(PosteriorSpace(alpha, n))) <= enumerate_space(alpha, n).local().min() * (1 + 1e-12)


@pytest.mark.parametrize("n", [10**3, 10**9, 10**15])
@pytest.mark.parametrize("prior", [[1, 1], ["0.001", 1000], [7, 4, 5], [1] * 50])
def test_huge_spaces_are_answered_at_once_and_with_a_finite_bound(prior: list[object], n: int) -> None:
    space = PosteriorSpace(prior, n)
    assert 0 < local_smoothness(space) < 10
    assert reciprocal_smoothness(space, Fraction(1, 10)) == Fraction(1, 10)
    assert smooth_smoothness(space, Fraction(1, 100)) > 0


def test_the_least_local_sensitivity_is_nearly_that_of_even_counts() -> None:
    space = PosteriorSpace([1, 1], 101)
    even = local_sensitivity(space, (51, 50))
    with precision(96):
        assert 0.999 * even < float(least_local(space)) < even


@pytest.mark.parametrize("alpha", ["0.001", "1", "30", "1e6", "1e12"])
@pytest.mark.parametrize("n", [1, 2, 24, 25, 10**7])
def test_increments_are_bounded_within_two_thousandths_from_the_first_on(alpha: str, n: int) -> None:
    """They are largest among the first few, whatever the prior is."""
    start = Fraction(alpha)
    with precision(160):
        largest = max(fraction_upper(_end(start + t + 1) - _end(start + t)) for t in range(min(n, 24)))
        assert (
            largest <= _end_increments(start, n) <= largest * (1 + Fraction(2 * (n > 24), 1000)) + Fraction(1, 10**12)
        )


def test_increments_that_are_largest_far_out_are_found_in_few_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """A line in place of F, of slope 2 within 100 of a place far out and of slope 1 elsewhere."""
    n, steep, blocks = 10**6, 54_321, list[tuple[Fraction, Fraction]]()

    def slope(low: Fraction, high: Fraction) -> Fraction:
        blocks.append((low, high))
        return Fraction(2 if low < steep + 100 and high > steep - 100 else 1)

    monkeypatch.setattr(lipschitz, "_end", lambda x: ball(x + min(max(x - steep, -100), 100)))
    monkeypatch.setattr(lipschitz, "_derivative_upper", slope)
    with precision(96):
        assert _end_increments(Fraction(1), n) == 2
        assert len(blocks) < 60
        blocks.clear()
        monkeypatch.setattr(lipschitz, "_BLOCKS", 0)
        assert _end_increments(Fraction(1), n) == 2
        assert len(blocks) == 1


@pytest.mark.every
@pytest.mark.parametrize(("prior", "n"), [([10, 10, 10], 8), ([30, 30, 30], 5)])
def test_the_bound_is_met_where_a_last_record_leaves_a_category_of_a_large_prior(prior: list[int], n: int) -> None:
    """Of three or more categories, the step that is no longer allowed then was the least one."""
    space = PosteriorSpace(prior, n)
    with precision(96):
        bound, exact = local_smoothness_bound(space), local_smoothness(space)
        assert local_smoothness_bound(PosteriorSpace(prior[:2], n)) == max(
            _end_increments(Fraction(x), n) for x in prior[:2]
        )
    assert exact <= bound <= exact * Fraction(1002, 1000)


@pytest.mark.every
@pytest.mark.parametrize("parameter", [10**4, 10**8, 10**12])
def test_floats_that_would_cancel_are_not_asked_whether_gamma_is_the_smaller_one(parameter: int) -> None:
    space = PosteriorSpace([parameter, parameter], 10)
    assert reciprocal_smoothness(space, Fraction(2)) == local_smoothness(space) < 2
