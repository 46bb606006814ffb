"""Sensitivity keeps its digits at every n. By float differences of lnΓ it is 23 % too small at 10⁷ and 0 at 3·10⁷."""

import math
from fractions import Fraction

import pytest

from discreet import PosteriorSpace, global_sensitivity, local_sensitivity, reciprocal_sensitivity, smooth_sensitivity
from tests.oracles import sensitivity as oracle
from tests.oracles.precision import Real, mp, real

EXPONENTS = range(1, 13)


def log_step(x: Fraction) -> Real:
    """ln g(x) with eighty digits."""
    with mp.workdps(80):
        at = real(x)
        return mp.loggamma(at + mp.mpf(1) / 2) - (mp.loggamma(at) + mp.loggamma(at + 1)) / 2


def step(x: Fraction, y: Fraction) -> float:
    """The distance of a step between two categories, from its definition."""
    with mp.workdps(80):
        return float(mp.sqrt(-mp.expm1(log_step(x) + log_step(y))))


@pytest.mark.few(12)
@pytest.mark.parametrize("exponent", EXPONENTS)
@pytest.mark.parametrize("prior", ["0.001", "1", "7.5", "1000000"])
def test_local_sensitivity_meets_the_oracle_from_ten_to_a_trillion_records(prior: str, exponent: int) -> None:
    n, a = 10**exponent, Fraction(prior)
    space = PosteriorSpace([a, a], n)
    for first in (0, 1, n // 4, n // 2):
        source = [(first, n - first)] if first else []
        source += [(n - first, first)]
        expected = max(step(a + taken - 1, a + given) for taken, given in source)
        assert local_sensitivity(space, [first, n - first]) == pytest.approx(expected, rel=1e-12)


def test_float_differences_of_large_gammas_would_be_rejected() -> None:
    """The planted fault: the same formula in floats, a fifth too small at 10⁷ records and nothing at 3·10⁷."""

    def log_beta(a: float, b: float) -> float:
        return math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b)

    for n, at_most in ((10**7, 0.8), (3 * 10**7, 0)):
        half = 1 + n // 2
        between = log_beta(half - 0.5, half + 0.5) - (log_beta(half, half) + log_beta(half - 1, half + 1)) / 2
        cancelled = math.sqrt(max(0.0, -math.expm1(between)))
        right = step(Fraction(half - 1), Fraction(half))
        assert local_sensitivity(PosteriorSpace([1, 1], n), [n // 2, n // 2]) == pytest.approx(right, rel=1e-12)
        assert cancelled <= at_most * right


@pytest.mark.few(4)
@pytest.mark.parametrize("exponent", EXPONENTS)
def test_global_sensitivity_meets_the_oracle_from_ten_to_a_trillion_records(exponent: int) -> None:
    n = 10**exponent
    for a, b in (("1", "1"), ("0.001", "50"), ("1000000", "3")):
        ends = (step(Fraction(a), Fraction(b) + n - 1), step(Fraction(b), Fraction(a) + n - 1))
        assert global_sensitivity(PosteriorSpace([a, b], n)) == pytest.approx(max(ends), rel=1e-12)
        three = step(*sorted((Fraction(a), Fraction(b), Fraction(5)))[:2])
        assert global_sensitivity(PosteriorSpace([a, b, 5], n)) == pytest.approx(three, rel=1e-12)


@pytest.mark.parametrize("exponent", EXPONENTS)
def test_neighbours_of_a_balanced_data_set_are_half_over_the_root_of_n_apart(exponent: int) -> None:
    """ln q(x) = -1/(4x) + 1/(96x³) - … for each of the two: H² ≈ (1/x + 1/y)/8, and nothing rounds it to 0."""
    n = 10**exponent
    found = local_sensitivity(PosteriorSpace([1, 1], n), [n // 2, n // 2])
    assert found == pytest.approx(math.sqrt(0.5 / n), rel=3 / n)
    assert found == pytest.approx(float(oracle.between((1, 1), (n // 2, n // 2), (n // 2 - 1, n // 2 + 1))), rel=1e-12)


@pytest.mark.few(4)
@pytest.mark.parametrize("exponent", EXPONENTS)
def test_smooth_sensitivities_are_never_below_the_local_one(exponent: int) -> None:
    n = 10**exponent
    space, c = PosteriorSpace([1, "0.5", 2], n), [n // 2, n // 4, n - n // 2 - n // 4]
    for gamma in (Fraction(1, 10**15), Fraction(1, n), 1):
        assert smooth_sensitivity(space, c, gamma) >= local_sensitivity(space, c) > 0
        assert reciprocal_sensitivity(space, c, gamma) >= local_sensitivity(space, c)
