"""Sensitivities are exact without enumeration: here they meet it."""

import itertools
import math
import random
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import pytest
from flint import fmpq
from hypothesis import given
from hypothesis import strategies as st

import discreet as dc
from discreet.arithmetic.numbers import ball, precision, rational
from discreet.posteriors.distances import Affinity
from discreet.sensitivity.exact import (
    Balls,
    global_by,
    inverse_reciprocal_by,
    local_by,
    log_step,
    smooth_by,
    step_enclosure,
)
from tests.oracles import sensitivity as oracle
from tests.oracles.precision import Real, mp, real
from tests.support.enumeration import SIZES, enumerate_space, random_prior, random_spaces, seeded, telling_counts

EXACT = 1e-12
"""Relative: the enumeration's own floats are good to a few units of 1e-16 of H, and LS is a difference of two."""


def assert_enumerated(name: str, count: int, sizes: Mapping[int, int], some: int, largest: float) -> None:
    """Every sensitivity of random spaces is that of enumeration, at some counts of each."""
    rng = seeded(name)
    for alpha, n in random_spaces(name, count, sizes=sizes):
        space, every = dc.PosteriorSpace(alpha, n), enumerate_space(alpha, n)
        gamma = Fraction(str(round(10 ** rng.uniform(-3, largest), 6)))
        local = every.local()
        smooth, reciprocal = every.smooth(local, float(gamma)), every.reciprocal(local, float(gamma))
        assert dc.global_sensitivity(space) == pytest.approx(local.max(), rel=EXACT)
        for i in telling_counts(rng, every.rows, some):
            c = every.rows[i]
            assert dc.local_sensitivity(space, c) == pytest.approx(local[i], rel=EXACT)
            assert dc.smooth_sensitivity(space, c, gamma) == pytest.approx(smooth[i], rel=EXACT)
            assert dc.reciprocal_sensitivity(space, c, gamma) == pytest.approx(reciprocal[i], rel=EXACT)


@pytest.mark.few(1)
@pytest.mark.parametrize("batch", range(12))
def test_every_sensitivity_equals_enumeration_on_fifty_random_spaces(batch: int) -> None:
    assert_enumerated(f"sensitivity {batch}", 50, SIZES, 10, 1.5)


@pytest.mark.few(1)
@pytest.mark.parametrize("batch", range(3))
def test_every_sensitivity_equals_enumeration_at_every_count_of_larger_spaces(batch: int) -> None:
    assert_enumerated(f"larger {batch}", 3, {2: 120, 3: 14, 4: 7}, 1000, 0)


@pytest.mark.parametrize(
    ("alpha", "n"), [(("1", "1"), 12), (("0.05", "3"), 9), (("7", "4", "5"), 5), (("0.1", "2", "50"), 5)]
)
def test_sensitivities_equal_the_slow_oracle_to_the_last_digits(alpha: tuple[str, ...], n: int) -> None:
    space, local = dc.PosteriorSpace(alpha, n), oracle.locals_by_definition(alpha, n)
    assert dc.global_sensitivity(space) == pytest.approx(float(oracle.greatest(local)), rel=1e-15)
    for c, value in local.items():
        assert dc.local_sensitivity(space, c) == pytest.approx(float(value), rel=1e-15)
        assert dc.smooth_sensitivity(space, c, "0.07") == pytest.approx(
            float(oracle.smooth(local, c, "0.07")), rel=1e-15
        )
        expected = float(oracle.reciprocal(local, c, "0.07"))
        assert dc.reciprocal_sensitivity(space, c, "0.07") == pytest.approx(expected, rel=1e-15)


@pytest.mark.parametrize("n", [100, 120, 10**6, 10**12])
def test_the_global_sensitivity_of_the_prior_7_4_5_is_the_same_for_every_n(n: int) -> None:
    assert dc.global_sensitivity(dc.PosteriorSpace([7, 4, 5], n)) == pytest.approx(0.233629480708875, abs=5e-15)


def test_the_local_sensitivity_of_a_trillion_balanced_records() -> None:
    half = 5 * 10**11
    found = dc.local_sensitivity(dc.PosteriorSpace([1, 1], 10**12), [half, half])
    assert f"{found:.7e}" == "7.0710678e-07"
    assert found == pytest.approx(float(oracle.between((1, 1), (half, half), (half - 1, half + 1))), rel=1e-12)


def test_printed_sensitivities_are_met() -> None:
    assert dc.global_sensitivity(dc.PosteriorSpace([1, 1], 100)) == pytest.approx(0.33893976, abs=5e-9)
    limit = math.sqrt(1 - math.sqrt(math.pi) / 2)
    assert dc.global_sensitivity(dc.PosteriorSpace([1, 1], 10**14)) == pytest.approx(limit, rel=1e-12)
    assert dc.local_sensitivity(dc.PosteriorSpace([1, 1], 1000), [500, 500]) == pytest.approx(0.0223467, abs=5e-8)
    assert dc.local_sensitivity(dc.PosteriorSpace([1, 1], 100), [50, 50]) == pytest.approx(0.07028, abs=5e-6)
    assert dc.local_sensitivity(dc.PosteriorSpace([1, 1, 1], 100), [33, 33, 34]) > 0.08


@pytest.mark.parametrize("n", [10**3, 10**6, 10**9, 10**12])
def test_smooth_sensitivities_of_huge_spaces_are_the_best_of_their_ends(n: int) -> None:
    """For beta(1,1) only the ends and the place itself can be extreme: taken from their definitions here."""
    space, half = dc.PosteriorSpace([1, 1], n), n // 2
    end = mp.sqrt(-mp.expm1(_log_g(mp.one) + _log_g(mp.mpf(n))))
    here = mp.sqrt(-mp.expm1(_log_g(mp.mpf(half)) + _log_g(mp.mpf(n - half + 1))))
    for gamma in (Fraction(1, n), Fraction(10, n), Fraction(1, 100), Fraction(1)):
        smooth = max(here, end * mp.exp(-real(gamma) * (half - 1)))
        assert dc.smooth_sensitivity(space, [half, n - half], gamma) == pytest.approx(float(smooth), rel=1e-12)
        reciprocal = 1 / min(1 / here, 1 / end + real(gamma) * (half - 1))
        assert dc.reciprocal_sensitivity(space, [half, n - half], gamma) == pytest.approx(float(reciprocal), rel=1e-12)


def _log_g(x: Real) -> Real:
    with mp.workdps(80):
        return mp.loggamma(x + mp.mpf(1) / 2) - mp.loggamma(x) / 2 - mp.loggamma(x + 1) / 2


def random_counts(rng: random.Random, k: int, n: int) -> list[int]:
    return [b - a for a, b in itertools.pairwise([0, *sorted(rng.randint(0, n) for _ in range(k - 1)), n])]


@given(st.integers(2, 5), st.integers(1, 10**9), st.randoms(use_true_random=False), st.floats(1e-6, 1e3))
def test_smooth_lies_between_local_and_global_and_both_ends_of_gamma_are_known(
    k: int, n: int, rng: random.Random, gamma: float
) -> None:
    space = dc.PosteriorSpace(random_prior(rng, k, 0.001, 10**6), n)
    c = random_counts(rng, k, n)
    local, everywhere = dc.local_sensitivity(space, c), dc.global_sensitivity(space)
    for smooth in (dc.smooth_sensitivity, dc.reciprocal_sensitivity):
        assert local <= smooth(space, c, gamma) <= everywhere
        assert smooth(space, c, 0) == pytest.approx(everywhere, rel=1e-15)
        assert smooth(space, c, 10**6) == local


@given(st.integers(2, 4), st.integers(1, 60), st.randoms(use_true_random=False), st.floats(0.001, 5))
def test_smooth_sensitivities_are_smooth_between_neighbours(k: int, n: int, rng: random.Random, gamma: float) -> None:
    space, c = dc.PosteriorSpace(random_prior(rng, k), n), random_counts(rng, k, n)
    here, inverse = dc.smooth_sensitivity(space, c, gamma), 1 / dc.reciprocal_sensitivity(space, c, gamma)
    for other in space.neighbours(c):
        assert dc.smooth_sensitivity(space, other, gamma) <= here * math.exp(gamma) * (1 + 1e-12)
        assert 1 / dc.reciprocal_sensitivity(space, other, gamma) <= (inverse + gamma) * (1 + 1e-12)


# Statements I to III, of two categories. D(x) is the distance of the posteriors of x and x+1 of the first category, and
# x₀ = (n + α₂ - α₁)/2 the balanced count. Everything is compared as enclosures, so a pass is a proof for that space.

PARAMETER = st.one_of(
    st.sampled_from([Fraction(1), Fraction(1, 2), Fraction(1, 20), Fraction(50), Fraction(10**6), Fraction(1, 1000)]),
    st.fractions(min_value=Fraction(1, 1000), max_value=10**4, max_denominator=1000),
)


@given(PARAMETER, PARAMETER, st.integers(2, 40))
def test_statement_1_distances_between_neighbours_grow_away_from_the_balanced_count(
    a: Fraction, b: Fraction, n: int
) -> None:
    space = dc.PosteriorSpace([a, b], n)
    lowest = (n + b - a) / 2 - Fraction(1, 2)  # D(x) and D(2·lowest - x) are mirror images
    with precision(256):
        steps = [Affinity(space.prior, (x, n - x)).hellinger((x + 1, n - x - 1)) for x in range(n)]
        for x in range(n - 1):
            if x + x + 1 > 2 * lowest:
                assert steps[x] < steps[x + 1]
            elif x + x + 1 < 2 * lowest:
                assert steps[x] > steps[x + 1]
            else:
                assert steps[x].overlaps(steps[x + 1])


@given(PARAMETER, PARAMETER, st.integers(1, 40))
def test_statement_2_the_local_sensitivity_is_the_step_away_from_the_balanced_count(
    a: Fraction, b: Fraction, n: int
) -> None:
    space = dc.PosteriorSpace([a, b], n)
    balanced = (n + b - a) / 2
    with precision(256):
        for x in range(n + 1):
            away = x - 1 if (0 < x < balanced) or x == n else x + 1
            step = Affinity(space.prior, (x, n - x)).hellinger((away, n - away))
            assert local_by(Balls(space), (x, n - x)).overlaps(step)


@given(PARAMETER, PARAMETER, st.integers(1, 40))
def test_statement_3_the_local_sensitivity_is_least_at_the_balanced_count(a: Fraction, b: Fraction, n: int) -> None:
    space = dc.PosteriorSpace([a, b], n)
    balanced = (n + b - a) / 2
    with precision(256):
        local = [local_by(Balls(space), (x, n - x)) for x in range(n + 1)]
        centre = max(Fraction(0), min(Fraction(n), balanced))
        at = {math.floor(centre), math.ceil(centre)}
        for x in range(n + 1):
            assert any(not local[x] < local[y] for y in at)
        if balanced.denominator == 1 and 2 <= balanced <= n - 2:
            assert all(local[x] > local[int(balanced)] for x in range(n + 1) if x != balanced)


@pytest.mark.parametrize("n", [4, 6, 10, 100, 1000])
@pytest.mark.parametrize("a", ["1", "0.05", "50"])
def test_statement_3_is_strict_for_a_balanced_prior_and_more_than_three_records(a: str, n: int) -> None:
    space = dc.PosteriorSpace([a, a], n)
    with precision(256):
        least = local_by(Balls(space), (n // 2, n // 2))
        assert all(local_by(Balls(space), (x, n - x)) > least for x in range(n + 1) if 2 * x != n)


def test_floats_are_the_middles_of_the_enclosures() -> None:
    space, c = dc.PosteriorSpace(["0.3", 2, 7], 40), (3, 0, 37)
    with precision(200):
        gamma, by = ball(Fraction(1, 7)), Balls(space)
        assert dc.local_sensitivity(space, c) == float(local_by(by, c))
        assert dc.global_sensitivity(space) == float(global_by(by))
        assert dc.smooth_sensitivity(space, c, "1/7") == float(smooth_by(by, c, gamma))
        assert dc.reciprocal_sensitivity(space, c, "1/7") == float(1 / inverse_reciprocal_by(by, c, gamma))


@given(st.fractions(min_value=Fraction(1, 10**6), max_value=10**13), st.sampled_from([64, 128, 300]))
def test_the_logarithm_of_a_step_keeps_its_digits_at_every_size(x: Fraction, bits: int) -> None:
    with precision(bits):
        found = log_step(rational(x))
    assert found < 0
    assert found.rel_accuracy_bits() >= bits - 8
    assert float(found) == pytest.approx(float(_log_g(real(x))), rel=1e-14)


def test_a_step_does_not_mind_which_of_its_arguments_is_which() -> None:
    with precision(128):
        assert step_enclosure(fmpq(3), fmpq(1, 2)).overlaps(step_enclosure(fmpq(1, 2), fmpq(3)))


@pytest.mark.parametrize(
    ("k", "n", "epsilon", "delta", "printed"),
    [(2, 100, "0.8", "0.8", 0.0698191876), (2, 120, "0.8", "0.8", 0.0676838956), (3, 10, "1", "1e-8", None)],
)
def test_the_seeds_gamma_is_the_printed_one(k: int, n: int, epsilon: str, delta: str, printed: float | None) -> None:
    found, size = dc.published_gamma(dc.PosteriorSpace([1] * k, n), epsilon, delta), math.comb(n + k - 1, k - 1)
    assert found == pytest.approx(float(oracle.published_gamma(epsilon, delta, size)), rel=1e-15)
    assert printed is None or found == pytest.approx(printed, abs=5e-11)


@pytest.mark.every
@pytest.mark.parametrize(("epsilon", "delta"), [(0, "1e-8"), (-1, "1e-8"), (1, 0), (1, 1), (1, 2), ("nan", "1e-8")])
def test_the_seeds_gamma_refuses_what_makes_no_sense(epsilon: Any, delta: Any) -> None:
    with pytest.raises(dc.InvalidInput):
        dc.published_gamma(dc.PosteriorSpace([1, 1], 10), epsilon, delta)


def test_a_delta_that_is_no_share_is_refused_with_one_that_would_do() -> None:
    with pytest.raises(dc.InvalidInput, match="delta must be below 1") as refusal:
        dc.published_gamma(dc.PosteriorSpace([1, 1], 10), 1, 2)
    assert (refusal.value.parameter, refusal.value.hint) == ("delta", "give something like 1e-8")


@pytest.mark.every
@pytest.mark.parametrize("sensitivity", [dc.smooth_sensitivity, dc.reciprocal_sensitivity])
def test_a_smoothing_rate_below_zero_is_refused_by_its_name(sensitivity: Any) -> None:
    space = dc.PosteriorSpace([1, 1], n=5)
    assert sensitivity(space, [2, 3], 0) > 0
    with pytest.raises(dc.InvalidInput, match="gamma") as refusal:
        sensitivity(space, [2, 3], "-1/1000")
    assert refusal.value.parameter == "gamma"
