"""Numbers have one meaning, and enclosures hold what they stand for."""

import math
import threading
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from flint import arb, ctx
from hypothesis import given
from hypothesis import strategies as st

from discreet import InvalidInput, Undecided
from discreet.arithmetic.numbers import (
    Range,
    as_items,
    ball,
    decide,
    dyadic,
    exact,
    fixed_lower,
    fixed_upper,
    float_upper,
    fraction_lower,
    fraction_upper,
    nearest_float,
    precision,
    whole,
    working_bits,
)


@pytest.mark.parametrize(
    ("values", "meaning"),
    [
        ([0.1, Decimal("0.1"), np.float32(0.1), np.float64(0.1)], Fraction(1, 10)),
        ([1e-8], Fraction(1, 10**8)),
        ([-0.0], Fraction(0)),
        ([5, "5."], Fraction(5)),
        ([Fraction(1, 3)], Fraction(1, 3)),
        (["0.5", ".5"], Fraction(1, 2)),
        (["1e-6"], Fraction(1, 10**6)),
        (["1E+3"], Fraction(1000)),
        (["+2"], Fraction(2)),
        (["-1/3"], Fraction(-1, 3)),
        (["007", np.int64(7), np.uint8(7)], Fraction(7)),
        ([np.str_("1/4")], Fraction(1, 4)),
    ],
)
def test_a_number_means_what_its_owner_sees(values: list[object], meaning: Fraction) -> None:
    assert [exact(value, "x") for value in values] == [meaning] * len(values)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_float_means_the_decimal_that_it_prints(value: float) -> None:
    if value and not 1e-300 <= abs(value) <= 1e300:
        with pytest.raises(InvalidInput):
            exact(value, "x")
    else:
        assert exact(value, "x") == Fraction(repr(value))
        assert float(exact(value, "x")) == value


@given(st.fractions(max_denominator=10**9, min_value=-(10**9), max_value=10**9))
def test_a_ratio_survives_as_text(value: Fraction) -> None:
    assert exact(f"{value.numerator}/{value.denominator}", "x") == value


@given(st.text(max_size=80))
def test_any_text_is_a_number_or_refused_and_never_anything_else(text: str) -> None:
    try:
        found = exact(text, "x")
    except InvalidInput:
        return
    assert text.isascii()
    assert found == Fraction(text)


def test_bounds_are_strict_or_weak_as_asked() -> None:
    assert exact(0, "x", minimum=0) == 0
    with pytest.raises(InvalidInput, match="greater than 0"):
        exact(0, "x", above=0)
    with pytest.raises(InvalidInput, match="at least 1"):
        exact("0.999", "x", minimum=1)
    with pytest.raises(InvalidInput, match="greater than 1"):
        exact("1/2", "x", above=1)


def test_sizes_are_accepted_up_to_both_ends() -> None:
    for size in ("1e300", "-1e300", "1e-300", "-1e-300"):
        assert exact(size, "x") == Fraction(size)
    for size in ("1.0000001e300", "-1.0000001e300", "0.9999999e-300", "-0.9999999e-300"):
        with pytest.raises(InvalidInput):
            exact(size, "x")


def test_a_range_holds_both_of_its_ends_and_is_named_where_a_number_lies_outside() -> None:
    allowed = Range("1e-9", "1e12")
    for end in ("1e-9", "1e12"):
        assert exact(end, "scale", between=allowed) == Fraction(end)
    for size in ("0.9999999e-9", "1000000000001", "-1"):
        with pytest.raises(InvalidInput, match="scale is out of range") as refusal:
            exact(size, "scale", between=allowed)
        assert refusal.value.hint == "stay between 1e-9 and 1e12"
        assert refusal.value.parameter == "scale"


def test_a_range_may_end_between_whole_numbers() -> None:
    allowed = Range("1/3", "0.7")
    for end in ("1/3", "0.7"):
        assert exact(end, "share", between=allowed) == Fraction(end)
    for size in ("0.3333333333333333333", "0.7000000000000000001", 5):
        with pytest.raises(InvalidInput, match="share is out of range"):
            exact(size, "share", between=allowed)


def test_long_texts_are_refused_unread() -> None:
    assert exact("1" * 64, "x") == int("1" * 64)
    with pytest.raises(InvalidInput, match="more than 64 characters"):
        exact("1" * 65, "x")


class Printed:
    """What prints as a number and is none."""

    def __str__(self) -> str:
        return "1/2"


@pytest.mark.parametrize("value", [Printed(), np.array(5), np.True_, b"5", None, [5]])
def test_what_only_prints_as_a_number_is_refused_by_the_name_of_its_parameter(value: object) -> None:
    with pytest.raises(InvalidInput, match="epsilon is not a number") as refusal:
        exact(value, "epsilon")
    assert refusal.value.parameter == "epsilon"
    assert "0.5, 1e-6 or 1/3" in str(refusal.value.hint)
    with pytest.raises(InvalidInput, match="n must be a whole number") as refusal:
        whole(value, "n")
    assert "1000 or 1e6" in str(refusal.value.hint)


@pytest.mark.parametrize("value", [3, 3.0, "3", "3e0", "6/2", np.int32(3), Decimal("3.0")])
def test_whole_numbers_may_be_written_in_any_way(value: object) -> None:
    assert whole(value, "n") == 3


@pytest.mark.parametrize("value", [2.5, "1/3", -1, "-1", True, None, "x", math.nan])
def test_what_is_not_whole_or_too_small_is_refused(value: object) -> None:
    with pytest.raises(InvalidInput):
        whole(value, "n")


@pytest.mark.parametrize("values", ["12", b"12", 12, None, 1.5])
def test_what_is_no_list_is_refused(values: object) -> None:
    with pytest.raises(InvalidInput):
        as_items(values, "counts")


def test_items_of_any_iterable_are_taken_in_order() -> None:
    for items in ((3, 1), np.array([3, 1]), (x for x in (3, 1))):
        assert as_items(items, "counts") == [3, 1]


# Enclosures


@given(st.fractions(), st.integers(20, 300))
def test_a_ball_holds_its_rational_number_at_whatever_precision_its_ends_are_taken(value: Fraction, bits: int) -> None:
    with precision(bits):
        found = ball(value)
        inside = fraction_lower(found), fraction_upper(found)
    low, high = fraction_lower(found), fraction_upper(found)
    assert low <= value <= high
    assert high - low <= abs(value) * Fraction(1, 2 ** (bits - 3))
    assert inside == (low, high)


@pytest.mark.parametrize(("middle", "radius"), [(12, 0), (3 << 80, 1), (5, 1 << 70), (Fraction(1, 1 << 40), 8)])
def test_the_ends_of_a_ball_are_its_middle_less_and_more_its_radius(middle: Fraction | int, radius: int) -> None:
    with precision(200):
        wide = arb(ball(middle), ball(radius))
    mantissa, exponent = map(int, wide.rad().man_exp())  # a radius is rounded upward, to 30 bits
    room = mantissa * Fraction(2) ** exponent
    assert radius <= room <= radius * Fraction(1001, 1000)
    assert (fraction_lower(wide), fraction_upper(wide)) == (middle - room, middle + room)
    assert fixed_lower(wide, 40) == math.floor(2**40 * (middle - room))
    assert fixed_upper(wide, 40) == math.ceil(2**40 * (middle + room))
    assert dyadic(wide.mid()) == middle


def test_a_whole_number_is_a_ball_of_radius_zero_at_any_precision() -> None:
    with precision(20):
        assert dyadic(ball((1 << 100) + 1)) == (1 << 100) + 1
        assert ball((1 << 100) + 1).is_exact()


@given(st.fractions(min_value=-1000, max_value=1000), st.integers(1, 200), st.integers(20, 80))
def test_fixed_point_bounds_enclose_and_are_tight(value: Fraction, bits: int, working: int) -> None:
    with precision(working):
        low, high = fixed_lower(ball(value), bits), fixed_upper(ball(value), bits)
    assert low <= value * 2**bits <= high
    if working > bits + 12:
        assert high - low <= 2


@given(st.integers(-(10**30), 10**30), st.integers(0, 60))
def test_dyadic_numbers_are_read_off_exactly(numerator: int, shift: int) -> None:
    with precision(200):
        point = ball(Fraction(numerator, 2**shift))
        assert dyadic(point.mid()) == Fraction(numerator, 2**shift)
        assert fixed_lower(point, shift) == fixed_upper(point, shift) == numerator


@given(st.fractions())
def test_a_float_above_is_the_least_one_that_is_not_below(value: Fraction) -> None:
    found = float_upper(value)
    assert found >= value
    assert math.nextafter(found, -math.inf) < value or found == value


def test_precision_is_set_inside_and_put_back_whatever_happens() -> None:
    before = ctx.prec
    with precision(200):
        assert working_bits() == 200
        with precision(333):
            assert working_bits() == 333
        assert working_bits() == 200
    assert ctx.prec == before
    with pytest.raises(RuntimeError, match="inside"), precision(200):
        raise RuntimeError("inside")
    assert ctx.prec == before


def test_threads_take_turns_with_the_precision() -> None:
    seen: list[bool] = []

    def compute(bits: int) -> None:
        for _ in range(200):
            with precision(bits):
                root = arb(2).sqrt()
                seen.append(working_bits() == bits and root.rel_accuracy_bits() >= bits - 4)

    threads = [threading.Thread(target=compute, args=(bits,)) for bits in (64, 128, 512, 2048)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(seen) == 800
    assert all(seen)


def test_the_precision_is_raised_until_the_question_is_decided() -> None:
    asked: list[int] = []

    def question() -> bool | None:
        asked.append(working_bits())
        return True if working_bits() >= 500 else None

    assert decide(question) is True
    assert asked == [64, 128, 256, 512]
    assert decide(lambda: False) is False


def test_what_is_never_decided_stops_at_the_cap_with_a_text_about_nothing_else() -> None:
    with pytest.raises(Undecided, match="undecided at 65536 bits"):
        decide(lambda: None)
    asked: list[int] = []
    with pytest.raises(Undecided, match="undecided at 256 bits"):
        decide(lambda: asked.append(working_bits()), cap=256)
    assert asked == [64, 128, 256]


@given(st.fractions(min_value=Fraction(1, 10**9), max_value=10**9))
def test_the_nearest_float_of_a_rational_is_within_one_unit_of_the_last_place(value: Fraction) -> None:
    found = nearest_float(lambda: ball(value))
    assert abs(found - value) <= Fraction(math.ulp(found)) * Fraction(6, 10)


def test_the_nearest_float_is_of_a_ball_of_sixty_bits_and_not_of_a_wider_one() -> None:
    asked: list[int] = []

    def wide(bits: int) -> arb:
        asked.append(working_bits())
        return arb(1, arb(2) ** -(bits + 1))

    assert wide(60).rel_accuracy_bits() == 60
    asked.clear()
    assert nearest_float(lambda: wide(60)) == 1.0
    assert asked == [128]  # twice the bits of a word, which is enough for almost all
    with pytest.raises(Undecided):
        nearest_float(lambda: wide(59))


def test_the_nearest_float_knows_zero_and_survives_cancellation() -> None:
    assert nearest_float(lambda: ball(0)) == 0.0
    # 1e-40 hidden in a difference of ones needs more than the first 128 bits
    assert nearest_float(lambda: (1 + ball(Fraction(1, 10**40))) - 1) == 1e-40


def test_the_ends_of_a_ball_do_not_depend_on_the_working_precision() -> None:
    with precision(300):
        third = ball(Fraction(1, 3))
    with precision(20):
        assert fixed_lower(third, 200) == fixed_upper(third, 200) - 1 == (1 << 200) // 3
        assert Fraction(0) < fraction_upper(third) - fraction_lower(third) < Fraction(1, 1 << 290)
