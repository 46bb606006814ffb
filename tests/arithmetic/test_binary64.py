"""Binary64's pieces: each against its definition, or against another library."""

import itertools
import math
from fractions import Fraction

import pytest
from flint import arb
from hypothesis import example, given
from hypothesis import strategies as st

from discreet.arithmetic.binary64 import (
    DIGITS,
    ONE,
    ZERO,
    Dyadic,
    add,
    last_rank,
    middle_below,
    minus_log,
    nearest_multiple,
    rank_below,
    spacing,
    unit,
)
from discreet.arithmetic.numbers import ball, fraction_lower, mantissa_and_exponent, precision
from discreet.samplers.bits import draw_unit
from discreet.testing import FixedBits, HashedBits

ranks = st.integers(min_value=-(2000 << 52), max_value=-1)
doubles = st.floats(min_value=-1e12, max_value=1e12)


@given(ranks)
def test_ranks_count_the_floats_downward(rank: int) -> None:
    here, above = unit(rank).fraction(), unit(rank + 1).fraction()
    assert 0 < here < above <= 1
    assert above - here == spacing(here)
    assert rank_below(unit(rank).ball()) == rank
    if rank > -(1022 << 52):
        assert math.nextafter(float(here), 1.0) == above


@pytest.mark.parametrize("bits", [20, 53, 54, 200])
def test_the_rank_below_a_ball_is_the_greatest_below_its_lower_end(bits: int) -> None:
    for value in (Fraction(1, 3), Fraction(1, 10**30), Fraction(5, 7)):
        with precision(bits):
            number = ball(value)
        with precision(300):
            rank, low = rank_below(number), fraction_lower(number)
        assert unit(rank).fraction() <= low < unit(rank + 1).fraction()


def test_the_spacing_is_the_power_of_two_of_which_a_number_has_so_many_digits() -> None:
    for top, bottom in itertools.product(range(1, 14), repeat=2):
        x, powers = Fraction(top, bottom), [Fraction(2) ** e for e in range(-60, -40)]
        assert [spacing(x), spacing(-x)] == [next(step for step in powers if x < 2**DIGITS * step)] * 2


@given(ranks)
def test_the_logarithm_is_the_one_that_mpfr_rounds_correctly(rank: int) -> None:
    gmpy2 = pytest.importorskip("gmpy2")
    u = unit(rank)
    with gmpy2.context(precision=53, emin=-(1 << 40), round=gmpy2.RoundToNearest):
        expected = float(-gmpy2.log(gmpy2.div_2exp(gmpy2.mpfr(u.mantissa), -u.exponent)))
    assert minus_log(u) == expected


@pytest.mark.parametrize("side", [-1, 1])
def test_a_logarithm_beside_the_middle_of_two_doubles_is_rounded_to_its_own_side(side: int) -> None:
    """It is 2⁻³⁰⁰ off the middle, and an enclosure that was narrowed once does not tell."""
    low, high = 1.5, math.nextafter(1.5, 2.0)
    with precision(500):
        middle = (arb(low) + arb(high)) / 2
        u = Dyadic(*mantissa_and_exponent((-(middle + side * arb(2) ** -300)).exp().mid()))
    assert minus_log(u) == (high if side > 0 else low)


@pytest.mark.parametrize("rank", [-1, -2, -3, -(1 << 52), -(1 << 52) - 1, -(1 << 53), -(1074 << 52), -(1 << 70)])
def test_the_logarithm_at_the_ends_of_binades_is_within_half_a_unit(rank: int) -> None:
    found = minus_log(unit(rank))
    with precision(400):
        error = abs(arb(found) + unit(rank).ball().log())
        assert error <= arb(math.ulp(found)) / 2


@given(st.text(alphabet="01", min_size=64, max_size=64), st.integers(min_value=0, max_value=(1 << 52) - 1))
def test_a_uniform_is_read_off_its_bits(text: str, mantissa: int) -> None:
    rank = draw_unit(FixedBits(text + f"{mantissa:052b}", then=HashedBits("more")), 64)
    if "1" not in text:
        assert rank is None
        return
    zeros = text.index("1")
    assert rank is not None
    assert unit(rank).fraction() == (1 + Fraction(mantissa, 1 << 52)) / 2 ** (zeros + 1)


def test_every_uniform_has_the_probability_of_its_spacing() -> None:
    # z zeros and a one have probability 2^-(z+1), and each mantissa then 2^-52: together the spacing in its binade.
    for zeros in range(60):
        there = unit((-1 - zeros) << 52).fraction()
        assert Fraction(1, 2 ** (zeros + 1)) * Fraction(1, 1 << 52) == spacing(there)


def test_a_uniform_below_its_depth_is_none_and_reads_on_until_then() -> None:
    assert draw_unit(FixedBits("0" * 192 + "1" * 52), 192) is None
    found = draw_unit(FixedBits("0" * 128 + "1" + "0" * 63 + "0" * 52), 192)
    assert found is not None
    assert unit(found).fraction() == Fraction(1, 2**129)


@given(st.fractions(min_value=-100, max_value=100), doubles, doubles)
def test_a_sum_is_rounded_once_and_with_a_double_is_the_one_of_the_machine(x: Fraction, y: float, z: float) -> None:
    assert add(x, y) == float(x + Fraction(y))
    assert add(Fraction(z), y) == z + y


@given(doubles, st.integers(min_value=-20, max_value=20))
def test_the_nearest_multiple_takes_ties_upward(y: float, power: int) -> None:
    step = Fraction(2) ** power
    assert nearest_multiple(y, float(step)) == math.floor(Fraction(y) / step + Fraction(1, 2))
    tie = (math.floor(y) + 0.5) * float(step)
    assert nearest_multiple(tie, float(step)) == math.floor(y) + 1


def test_the_nearest_multiple_is_not_fooled_by_adding_a_half_in_floats() -> None:
    assert nearest_multiple(0.49999999999999994, 1.0) == 0
    assert math.floor(0.49999999999999994 + 0.5) == 1


@given(doubles)
def test_what_lies_above_the_middle_rounds_up(x: float) -> None:
    middle, small = middle_below(x), Fraction(1, 10**400)
    assert float(middle + small) == x
    assert float(middle - small) == math.nextafter(x, -math.inf)


@given(st.integers(min_value=-500, max_value=-1), st.integers(min_value=-900, max_value=900))
@example(-1, -3)
def test_bisection_finds_the_last_rank_from_any_guess_and_asks_of_uniforms_alone(last: int, guess: int) -> None:
    asked: list[int] = []

    def holds(rank: int) -> bool:
        asked.append(rank)
        return rank <= last

    assert last_rank(holds, guess) == last
    assert max(asked) <= -1


@pytest.mark.parametrize(("guess", "questions"), [(-77, [-77, -76]), (-76, [-76, -77, -76]), (-78, [-78, -77, -76])])
def test_a_right_guess_is_confirmed_by_two_questions_and_one_beside_it_by_three(
    guess: int, questions: list[int]
) -> None:
    asked: list[int] = []

    def holds(rank: int) -> bool:
        asked.append(rank)
        return rank <= -77

    assert last_rank(holds, guess) == -77
    assert asked == questions


def test_the_greatest_rank_is_confirmed_by_one_question() -> None:
    asked: list[int] = []
    assert last_rank(lambda rank: not asked.append(rank), -1) == -1  # type: ignore[func-returns-value]
    assert asked == [-1]


@given(st.integers(-999, 999), st.integers(-40, 40), st.integers(1, 999), st.integers(-40, 40))
def test_dyadic_numbers_are_exact(m: int, e: int, k: int, f: int) -> None:
    x, y = Dyadic(m, e), Dyadic(k, f)
    assert x.plus(y).fraction() == x.fraction() + y.fraction()
    assert x.minus(y).fraction() == x.fraction() - y.fraction()
    assert x.over(y) == x.fraction() / y.fraction()
    assert x.half().fraction() == x.fraction() / 2
    assert x.minus(x).mantissa == ZERO.mantissa
    assert ONE.minus(x).plus(x).fraction() == 1


def test_a_sum_of_dyadic_numbers_has_no_trailing_zeros() -> None:
    assert Dyadic(3, -2).plus(Dyadic(5, -2)) == Dyadic(1, 1)
    assert Dyadic(3, -900).minus(Dyadic(3, -900)) == ZERO
    assert ONE.minus(Dyadic(1, -900)).plus(Dyadic(1, -900)) == ONE
