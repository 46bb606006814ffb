"""What is said of an ε is true of it, and numbers are written as people read them."""

import re
from datetime import UTC, datetime, timedelta
from decimal import Decimal, localcontext
from fractions import Fraction

import pytest

from discreet.arithmetic.words import epsilon_meaning, exact_text, factor_upper, percent_upper, points, utc_now


@pytest.mark.parametrize("delta", [0.0, 1e-6, 0.1, 0.5])
@pytest.mark.parametrize("epsilon", ["1/100", "1/2", "3", "12", "700"])
def test_the_factor_and_the_chance_are_never_below_the_true_ones(epsilon: str, delta: float) -> None:
    said = epsilon_meaning(Fraction(epsilon), delta=delta)
    match = re.search(r"a factor of at most ([\d.,E+]*\d).* a chance of at most ([\d.]*\d) %\.$", said)
    assert match is not None
    with localcontext(prec=400):
        top, bottom = Fraction(epsilon).as_integer_ratio()
        factor = (Decimal(top) / bottom).exp()
        chance = 100 * (factor + Decimal(delta)) / (1 + factor)
        assert factor <= Decimal(match[1].replace(",", "")) <= factor * Decimal("1.01")
        assert chance <= Decimal(match[2]) <= chance + min(Decimal("0.1"), 100 - chance)


def test_a_factor_beyond_floats_is_not_said_to_be_one() -> None:
    for epsilon in (Fraction(7001, 10), Fraction(10**6)):
        assert "any factor: this ε protects nobody" in epsilon_meaning(epsilon)
        assert "a chance of at most 100 %" in epsilon_meaning(epsilon)


def test_a_factor_is_written_out_below_a_million() -> None:
    assert [factor_upper(epsilon) for epsilon in (13.8, 13.815)] == ["985,000", "1.00E+6"]


def test_a_percentage_has_eight_places_at_most() -> None:
    assert [percent_upper(missing) for missing in (1.5e-10, 9e-11)] == ["99.99999999", "100"]


def test_a_decimal_has_twelve_places_at_most() -> None:
    assert exact_text(Fraction(1, 10**12)) == "0.000000000001"
    assert exact_text(Fraction(1, 10**13)) == "1/10000000000000"


def test_widths_are_said_to_two_digits_and_to_whole_points() -> None:
    widths = (0.000314, 0.00987, 0.0628, 0.0994, 0.0996, 0.123, 0.876, 0.996, 1.234, 1.987, 2.0)
    said = ["0.031", "0.99", "6.3", "9.9", "10", "12", "88", "100", "123", "199", "200"]
    assert [points(width) for width in widths] == said


def test_the_time_is_told_with_its_zone() -> None:
    time = datetime.fromisoformat(utc_now())
    assert time.utcoffset() == timedelta(0)
    assert abs(datetime.now(UTC) - time) < timedelta(minutes=1)
