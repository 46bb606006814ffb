"""Distances keep their digits at every size, and meet the oracles."""

import math
import random
from collections.abc import Callable, Sequence
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet import Beta, Dirichlet, InvalidInput, chi_squared, hellinger, kl, l1, renyi, total_variation
from discreet.arithmetic.numbers import precision
from discreet.posteriors.distances import (
    Affinity,
    hellinger_floats,
    legacy_hellinger,
    log_affinity_floats,
    second_difference,
)
from tests.oracles import distances as oracle
from tests.oracles.precision import Real, mp, real
from tests.support.enumeration import enumerate_space, random_prior, random_spaces, seeded

Counts = list[int]


def hellinger_by_definition(a: Sequence[object], b: Sequence[object]) -> Real:
    """From lnΓ with eighty digits: enough for differences of 1e-14 between numbers of 3·10¹³."""
    with mp.workdps(80):
        p, q = ([real(x) for x in parameters] for parameters in (a, b))

        def log_beta(parameters: list[Real]) -> Real:
            return mp.fsum(mp.loggamma(x) for x in parameters) - mp.loggamma(mp.fsum(parameters))

        middle = log_beta([(x + y) / 2 for x, y in zip(p, q, strict=True)])
        return mp.sqrt(-mp.expm1(middle - (log_beta(p) + log_beta(q)) / 2))


def between(alpha: tuple[Fraction, ...], c: Counts, r: Counts) -> Real:
    """The same of two candidates."""
    return hellinger_by_definition(*([a + x for a, x in zip(alpha, counts, strict=True)] for counts in (c, r)))


def split(rng: random.Random, n: int, k: int) -> Counts:
    """n records over k categories: even, lopsided, or with empty ones."""
    weights = [rng.random() ** rng.choice([1, 3, 10]) for _ in range(k)]
    if rng.random() < 0.3:
        weights[rng.randrange(k)] = 0.0
    shares = [int(n * w / (sum(weights) or 1)) for w in weights]
    shares[rng.randrange(k)] += n - sum(shares)
    return shares


def moved(rng: random.Random, c: Counts) -> Counts:
    """Some records put elsewhere: one, a few, or very many."""
    r = list(c)
    for _ in range(rng.choice([1, 1, 2])):
        i, j = rng.sample(range(len(c)), 2)
        step = min(r[i], rng.choice([1, rng.randint(1, 9), int(10 ** rng.uniform(0, 12))]))
        r[i], r[j] = r[i] - step, r[j] + step
    return r


@pytest.mark.few(1)
@pytest.mark.parametrize("batch", range(4))
def test_float_distances_have_nine_digits_for_every_n_near_and_far_and_every_prior(batch: int) -> None:
    rng = seeded(f"hellinger {batch}")
    worst = 0.0
    for _ in range(700):
        k, n = rng.choice([2, 2, 3, 5]), int(10 ** rng.uniform(0, 12))
        alpha = random_prior(rng, k, 0.001, 10**6)
        c = split(rng, n, k)
        r = moved(rng, c) if rng.random() < 0.6 else split(rng, n, k)
        if r != c:
            exact = between(alpha, c, r)
            found = hellinger_floats(Dirichlet(alpha), c, [r])[0]
            worst = max(worst, float(abs(found - exact) / exact))
    assert worst <= 1e-12  # what it really is; the promise is 1e-9


@pytest.mark.few(12)
@pytest.mark.parametrize("exponent", range(1, 13))
@pytest.mark.parametrize("prior", ["0.001", "1", "9.5", "1000000"])
def test_float_distances_of_neighbours_do_not_cancel_at_any_size(prior: str, exponent: int) -> None:
    n, alpha = 10**exponent, (Fraction(prior), Fraction(prior))
    for first in {x for x in (0, 1, 8, 9, 10, 11, n // 2, n - 1) if x < n}:
        c, r = [first, n - first], [first + 1, n - first - 1]
        exact = float(between(alpha, c, r))
        assert hellinger_floats(Dirichlet(alpha), c, [r])[0] == pytest.approx(exact, rel=1e-12)


@given(
    st.floats(1e-3, 1e6),
    st.one_of(st.integers(0, 40), st.integers(0, 10**12)),
    st.one_of(st.integers(0, 40), st.integers(0, 10**12)),
)
def test_second_differences_are_stable_symmetric_and_never_negative(a: float, x: int, y: int) -> None:
    low, high = Fraction(a) + x, Fraction(a) + y
    found = float(second_difference(float(low), float(high), y - x))
    with mp.workdps(80):
        exact = mp.loggamma(real(low)) + mp.loggamma(real(high)) - 2 * mp.loggamma(real((low + high) / 2))
    assert found >= 0
    assert found == pytest.approx(float(exact), rel=1e-9)
    assert float(second_difference(float(high), float(low), x - y)) == found


def test_many_rows_are_the_same_as_one_by_one() -> None:
    prior, c = Dirichlet(["0.3", 2, 7]), [3, 0, 37]
    rows = [[3, 0, 37], [2, 1, 37], [40, 0, 0], [0, 0, 40]]
    together = hellinger_floats(prior, c, rows)
    assert together[0] == 0.0
    assert together.tolist() == [float(hellinger_floats(prior, c, [row])[0]) for row in rows]
    assert -np.expm1(log_affinity_floats(prior, c, rows)) == pytest.approx(together**2, rel=1e-12)


@pytest.mark.few(1)
@pytest.mark.parametrize("batch", range(2))
def test_all_forms_of_hellinger_agree_with_enumeration(batch: int) -> None:
    for alpha, n in random_spaces(f"forms {batch}", 12, sizes={2: 12, 3: 4, 4: 3}):
        prior, every = Dirichlet(alpha), enumerate_space(alpha, n)
        for c, expected in zip(every.rows, every.hellinger, strict=True):
            assert hellinger_floats(prior, c, every.rows) == pytest.approx(expected, rel=1e-12)
            with precision(128):
                affinity = Affinity(prior, c)
                one_by_one = [float(affinity.hellinger(r)) for r in every.rows]
                together = [float(x) for x in Affinity(prior, c).all_hellinger(every.rows)]
            assert one_by_one == pytest.approx(expected, rel=1e-14)
            assert together == one_by_one
            any_two = [hellinger(prior.update(c), prior.update(r)) for r in every.rows]
            assert any_two == pytest.approx(expected, rel=1e-14)


@given(st.integers(0, 10**12), st.integers(0, 10**12), st.integers(0, 10**12), st.sampled_from([64, 128, 256]))
def test_enclosures_are_narrow_at_any_size_and_hold_the_exact_distance(c: int, r: int, rest: int, bits: int) -> None:
    alpha, n = (Fraction(1, 3), Fraction(5)), max(c, r) + rest
    with precision(bits):
        found = Affinity(Dirichlet(alpha), (c, n - c)).hellinger((r, n - r))
    if c == r:
        assert found == 0
    else:
        exact = between(alpha, [c, n - c], [r, n - r])
        assert found.rel_accuracy_bits() >= bits - 12
        assert float(found) == pytest.approx(float(exact), rel=1e-14)


def test_enclosures_of_a_raised_precision_lie_inside_the_earlier_ones() -> None:
    prior, c, r = Dirichlet([1, "0.7", 3]), (10**9, 5, 3), (10**9 - 1, 6, 3)
    with precision(64):
        wide = Affinity(prior, c).hellinger(r)
    with precision(500):
        narrow = Affinity(prior, c).hellinger(r)
    assert wide.contains(narrow)


# Any two Dirichlets

PAIRS: list[tuple[oracle.Parameters, oracle.Parameters]] = [
    ((1, 1), (2, 1)),
    ((40, 20), (39, 21)),
    ((10, 20), (3, 5)),
    (("0.5", 2), (3, "0.7")),
    ((300, 5), (290, 15)),
    ((7, 4, 5), (8, 3, 5)),
    (("0.05", 1, 2), (1, "0.05", 2)),
    ((1, 2, 3, 4), (4, 3, 2, 1)),
    ((10**9, 10**9), (10**9 + 1, 10**9 - 1)),
    ((10**12, 1), (1, 10**12)),
    (("0.001", "0.001"), (50, 60)),
]


def last_digits(found: float, exact: Real) -> bool:
    """Within one unit of the last place."""
    return abs(found - float(exact)) <= math.ulp(float(exact))


@pytest.mark.parametrize(("a", "b"), PAIRS)
def test_every_divergence_is_correct_to_the_last_float(a: oracle.Parameters, b: oracle.Parameters) -> None:
    p, q = Dirichlet(a), Dirichlet(b)
    with mp.workdps(80):
        assert last_digits(hellinger(p, q), hellinger_by_definition(a, b))
        assert last_digits(l1(p, q), oracle.l1(a, b))
    if sum(p.parameters) < 10**6:  # the oracle has fifty digits, and these cancel
        for order in ("0.5", "0.999", 1, "1.5", 2, 30):
            assert renyi(p, q, order) == pytest.approx(float(oracle.renyi(a, b, order)), rel=1e-12)
        assert kl(p, q) == pytest.approx(float(oracle.kl(a, b)), rel=1e-12)
        assert chi_squared(p, q) == pytest.approx(float(oracle.chi_squared(a, b)), rel=1e-12)


def test_printed_distances_are_met() -> None:
    assert hellinger(Dirichlet([7, 4, 5]), Dirichlet([8, 3, 5])) == pytest.approx(0.239992747797, abs=5e-13)
    assert hellinger(Beta(1, 101), Beta(2, 100)) == pytest.approx(0.33894, abs=5e-6)
    assert hellinger(Beta(51, 51), Beta(52, 50)) == pytest.approx(0.07028, abs=5e-6)
    assert hellinger(Beta(21, 81), Beta(20, 82)) == pytest.approx(0.088104, abs=5e-7)
    assert hellinger(Beta(21, 81), Beta(22, 80)) == pytest.approx(0.086523, abs=5e-7)


def test_the_legacy_form_is_what_the_figures_show() -> None:
    assert legacy_hellinger(Beta(1, 101), Beta(2, 100)) == pytest.approx(0.161, abs=5e-4)
    assert legacy_hellinger(Beta(51, 51), Beta(52, 50)) == pytest.approx(0.0327, abs=5e-5)


@pytest.mark.parametrize(("a", "b"), [(a, b) for a, b in PAIRS if Dirichlet(a).total == Dirichlet(b).total])
def test_the_legacy_form_meets_its_oracle(a: oracle.Parameters, b: oracle.Parameters) -> None:
    expected = float(oracle.hellinger_legacy(a, b))
    assert legacy_hellinger(Dirichlet(a), Dirichlet(b)) == pytest.approx(expected, rel=1e-13)


@pytest.mark.parametrize(
    ("a", "b"), [((1, 1), (2, 1)), (("0.5", "0.5"), ("0.4", "0.6")), (("0.1", "0.2"), ("0.2", "0.1"))]
)
def test_the_legacy_form_needs_equal_totals_above_one(a: oracle.Parameters, b: oracle.Parameters) -> None:
    with pytest.raises(InvalidInput):
        legacy_hellinger(Dirichlet(a), Dirichlet(b))


def test_chi_squared_and_renyi_are_infinite_where_their_integrals_diverge() -> None:
    assert chi_squared(Beta(1, 3), Beta(2, 2)) == math.inf
    assert chi_squared(Beta("1.01", 3), Beta(2, 2)) < math.inf
    assert renyi(Beta(1, 2), Beta(2, 1), 2) == math.inf
    assert renyi(Beta(1, 2), Beta(2, 1), "1.99") < math.inf


DISTANCES: list[Callable[[Dirichlet, Dirichlet], float]] = [
    hellinger,
    legacy_hellinger,
    l1,
    kl,
    chi_squared,
    total_variation,
    lambda p, q: renyi(p, q, 3),
]


@pytest.mark.parametrize("distance", DISTANCES)
def test_the_distance_to_itself_is_exactly_zero_and_to_another_number_of_categories_refused(
    distance: Callable[[Dirichlet, Dirichlet], float],
) -> None:
    assert distance(Beta("0.7", 3), Dirichlet(["0.7", 3])) == 0.0
    with pytest.raises(InvalidInput):
        distance(Dirichlet([1, 1]), Dirichlet([1, 1, 1]))


@pytest.mark.parametrize("order", [0, -1, "nan", None, True])
def test_renyi_refuses_orders_that_are_not_positive(order: object) -> None:
    with pytest.raises(InvalidInput):
        renyi(Beta(1, 2), Beta(2, 1), order)


PARAMETERS = st.lists(
    st.fractions(min_value=Fraction(1, 1000), max_value=1000, max_denominator=1000), min_size=3, max_size=3
)


@given(PARAMETERS, PARAMETERS, PARAMETERS)
def test_hellinger_is_a_metric_between_zero_and_one(a: list[Fraction], b: list[Fraction], c: list[Fraction]) -> None:
    p, q, r = Dirichlet(a), Dirichlet(b), Dirichlet(c)
    assert 0 <= hellinger(p, q) <= 1
    assert hellinger(p, q) == hellinger(q, p)
    assert hellinger(p, r) <= (hellinger(p, q) + hellinger(q, r)) * (1 + 1e-15)


@given(PARAMETERS, PARAMETERS)
def test_divergences_are_ordered_as_they_should_be(a: list[Fraction], b: list[Fraction]) -> None:
    p, q = Dirichlet(a), Dirichlet(b)
    if p != q:
        halves, ones, twos = renyi(p, q, "1/2"), kl(p, q), renyi(p, q, 2)
        assert 0 < halves <= ones <= twos
        assert hellinger(p, q) == pytest.approx(math.sqrt(-math.expm1(-halves / 2)), rel=1e-14)


@given(st.integers(2, 4), st.integers(2, 10**6), st.randoms(use_true_random=False))
def test_distances_grow_along_every_ray(k: int, n: int, rng: random.Random) -> None:
    alpha, c = random_prior(rng, k, 0.001, 10**6), split(rng, n, k)
    far = split(rng, n, k)
    steps = [[x + (y - x) // 2**t for x, y in zip(c, far, strict=True)] for t in (0, 1, 2)]
    line = [r for r in steps if sum(r) == n and min(r) >= 0]
    found = hellinger_floats(Dirichlet(alpha), c, line)
    for nearer, further, r, s in zip(found[1:], found, line[1:], line, strict=False):
        if all(abs(x - z) <= abs(y - z) for x, y, z in zip(r, s, c, strict=True)):
            assert nearer <= further * (1 + 1e-12)
