"""Zero-concentrated privacy: the way there and back, against fifty digits and against exact laws."""

import math
from fractions import Fraction
from typing import Any

import pytest

from discreet.arithmetic.numbers import float_upper
from discreet.errors import InvalidInput
from discreet.privacy_loss.composition import epsilon_upper, rho_lower, rho_of_range, rounded_up
from tests.oracles import composition
from tests.oracles.precision import mp, real

RHOS = ["1e-12", "1/800", "0.005", "1/2", "3", "250", "1e9"]
DELTAS = ["1e-30", "1e-8", "1e-3", "1/2", "0.99"]


@pytest.mark.parametrize("delta", DELTAS)
@pytest.mark.parametrize("rho", RHOS)
def test_epsilon_is_that_of_the_best_order_rounded_up(rho: str, delta: str) -> None:
    expected = composition.epsilon_of_rho(rho, delta)
    epsilon = real(epsilon_upper(rho, delta))
    assert epsilon >= expected - mp.mpf(10) ** -40
    assert epsilon - expected <= mp.mpf(10) ** -25 * max(1, expected)


def test_a_hundred_releases_at_a_tenth_cost_what_fifty_digits_say_rounded_up() -> None:
    hundred = sum(rho_of_range(2 * Fraction(1, 10)) for _ in range(100))
    assert hundred == Fraction(1, 2)
    epsilon = float_upper(epsilon_upper(hundred, "1e-6"))
    expected = composition.epsilon_of_rho("1/2", "1e-6")
    assert mp.mpf(math.nextafter(epsilon, 0)) < expected <= mp.mpf(epsilon), "the next float above it, and no other"
    as_exponential = 100 * rho_of_range(Fraction(1, 10))
    assert float_upper(epsilon_upper(as_exponential, "1e-6")) < 2.4191


@pytest.mark.parametrize("delta", DELTAS)
@pytest.mark.parametrize("epsilon", ["1e-6", "0.1", "1", "7/3", "40", "1e5"])
def test_a_budget_is_the_largest_rho_that_fits_but_for_its_last_bits(epsilon: str, delta: str) -> None:
    allowed = rho_lower(epsilon, delta)
    assert allowed > 0
    assert composition.epsilon_of_rho(allowed, delta) <= real(epsilon)
    assert epsilon_upper(allowed, delta) <= Fraction(epsilon), "whoever checks it agrees"
    more = allowed * (1 + Fraction(1, 10**18))
    assert composition.epsilon_of_rho(more, delta) > real(epsilon)


@pytest.mark.parametrize("order", ["1.001", "1.5", "2", "7", "300"])
def test_the_share_of_an_order_is_the_greatest_of_its_definition(order: str) -> None:
    """(1-1/a)^(a-1)/a, which the conversion rests on, is the maximum of (1-u)u^(a-1)."""
    a = real(order)
    assert abs(composition.share(a) - (1 - 1 / a) ** (a - 1) / a) < mp.mpf(10) ** -30


@pytest.mark.parametrize(("epsilon", "times"), [("0.1", 100), ("0.5", 30), ("1", 10), ("0.01", 400), ("3", 2)])
@pytest.mark.parametrize("delta", ["1e-6", "1e-3"])
def test_the_worst_mechanism_composed_exactly_keeps_the_promise(epsilon: str, times: int, delta: str) -> None:
    promised = epsilon_upper(times * rho_of_range(2 * Fraction(epsilon)), delta)
    assert composition.delta_of_coins(epsilon, times, real(promised)) <= real(delta)


def test_half_the_price_would_break_the_promise() -> None:
    """The test above can say no: a price of ε²/8 is right for a range of ε only."""
    promised = epsilon_upper(100 * rho_of_range(Fraction(1, 10)), "1e-6")
    assert composition.delta_of_coins("0.1", 100, real(promised)) > real("1e-6")


@pytest.mark.parametrize("width", ["0.1", "1", "4"])
@pytest.mark.parametrize("order", ["1.01", "2", "9"])
def test_no_pair_of_laws_with_a_range_exceeds_its_rho(width: str, order: str) -> None:
    """Two outcomes are the worst; their losses are t and t - η."""
    eta, rho = real(width), real(rho_of_range(Fraction(width)))
    for i in range(1, 40):
        t = eta * i / 40
        q = (1 - mp.exp(t - eta)) / (mp.exp(t) - mp.exp(t - eta))
        law, other = {1: q * mp.exp(t), 0: (1 - q) * mp.exp(t - eta)}, {1: q, 0: 1 - q}
        assert abs(mp.fsum(law.values()) - 1) < mp.mpf(10) ** -40
        assert composition.renyi(law, other, order) <= rho * real(order)


def test_sums_stay_short_and_only_grow() -> None:
    short, total = Fraction(1, 2**128 - 1), Fraction(0)
    assert rounded_up(short) == short
    for i in range(200):
        step = Fraction(1, 10**30 + 2 * i + 1)
        before, total = total, rounded_up(total + step)
        assert total >= before + step
        assert total.denominator.bit_length() <= 129
        assert total - before - step < Fraction(1, 2**127)


@pytest.mark.every
@pytest.mark.parametrize("delta", [0, 1, -1, "nan", 2])
def test_a_delta_that_is_no_small_number_is_refused(delta: Any) -> None:
    for call in (epsilon_upper, rho_lower):
        with pytest.raises(InvalidInput, match="delta"):
            call(1, delta)


def test_a_rho_below_zero_and_an_epsilon_of_zero_are_refused_by_name() -> None:
    with pytest.raises(InvalidInput, match="rho must be at least 0"):
        epsilon_upper(-1, "1e-6")
    for epsilon in (0, -1):
        with pytest.raises(InvalidInput, match="epsilon must be greater than 0"):
            rho_lower(epsilon, "1e-6")


def test_nothing_spent_costs_nothing() -> None:
    assert epsilon_upper(0, "1e-6") == 0
    assert epsilon_upper(1, "1e-6") > 1


def test_the_best_order_may_be_more_than_a_third_of_one_over_delta() -> None:
    assert real(epsilon_upper("2e-6", "1e-3")) == pytest.approx(composition.epsilon_of_rho("2e-6", "1e-3"), rel=1e-9)


def test_a_huge_budget_keeps_its_first_bits_too() -> None:
    allowed = rho_lower("1e40", "1e-6")
    assert Fraction(10**40) * (1 - Fraction(1, 10**15)) < allowed < 10**40
    assert allowed % (1 << 68) == 0, "64 bits and one"
    assert epsilon_upper(allowed, "1e-6") <= 10**40
    assert rho_lower("1e-299", "1e-290") == 0, "no float comes near its order"


def test_a_budget_for_which_nothing_can_be_certified_is_zero_and_not_less(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("discreet.privacy_loss.composition.fraction_lower", lambda _: Fraction(0))
    assert rho_lower(1, "1e-6") == 0
