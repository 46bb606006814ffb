"""Integer noise: masses meet the oracles, samplers meet the masses, and 30 per cent more or less is noticed."""

import math
from collections.abc import Callable
from fractions import Fraction
from itertools import accumulate, count, product
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from discreet.arithmetic.numbers import ball, precision
from discreet.samplers.bits import Table, tabulate
from discreet.samplers.noise import (
    Geometric,
    Independent,
    RoundedLaplace,
    Rounding,
    TwoSided,
    ZeroSum,
    _draw_signs,
    _falling_weights,
    geometric,
    independent,
    unfold,
    zero_sum,
)
from discreet.testing import CountedBits, HashedBits
from tests.oracles import geometric as oracle
from tests.oracles.mechanisms import laplace_interval
from tests.oracles.precision import mp, real
from tests.support.release_paths import chance_of
from tests.support.statistics import Outcome, fits, tally

RATES = ["0.01", "1/8", "0.3", "1", "5/2", "20"]
ROUNDINGS: list[Rounding] = ["nearest", "floor"]


def assert_drawn(
    noise: Geometric | TwoSided | RoundedLaplace,
    law: Callable[[float], dict[Outcome, float]],
    name: str,
    *,
    telling: bool,
    width: int = 1,
) -> None:
    """A few thousand draws one by one, and more at once, have the law of factor 1; if telling, none 30 % off."""
    bits = HashedBits(f"{name}, one by one")
    singles = [noise.draw(bits) for _ in range(4000)]
    for drawn in (singles, noise.draw_many(HashedBits(f"{name}, many"), 40_000).tolist()):
        seen = tally([x // width] for x in drawn)
        assert fits(seen, law(1.0))
        assert not telling or not any(fits(seen, law(factor)) for factor in (0.7, 1.3))


# One-sided


@pytest.mark.few(1)
@pytest.mark.parametrize("rate", [*RATES, "1e-5", "1e-12"])
def test_geometric_draws_have_its_law_at_every_rate(rate: str) -> None:
    value = float(Fraction(rate))
    width = max(1, round(0.1 / value))

    def law(factor: float) -> dict[Outcome, float]:
        step = factor * value * width
        return {(t,): math.exp(-step * t) * -math.expm1(-step) for t in range(200)}

    assert_drawn(Geometric(Fraction(rate)), law, f"geometric {rate}", telling=value < 3, width=width)


@pytest.mark.parametrize("rate", ["0.01", "1e-5"])
def test_the_low_digits_of_a_small_rate_are_drawn_too(rate: str) -> None:
    """Coins of nearly a half each: their product must be the law of t modulo a power of two."""
    noise, modulus = Geometric(Fraction(rate)), 16
    q = math.exp(-float(Fraction(rate)))
    law: dict[Outcome, float] = {(t,): (1 - q) * q**t / (1 - q**modulus) for t in range(modulus)}
    assert fits(tally([x % modulus] for x in noise.draw_many(HashedBits(f"digits {rate}"), 60_000).tolist()), law)


def test_the_noise_of_a_rate_is_prepared_once_and_not_kept_for_ever() -> None:
    assert geometric(Fraction(1, 3)) is geometric(Fraction(1, 3))
    assert zero_sum(Fraction(1, 3), 4) is zero_sum(Fraction(1, 3), 4)
    assert None not in [kept.cache_parameters()["maxsize"] for kept in (geometric, independent, zero_sum)]


# Tables


def test_falling_weights_and_what_is_left_of_them_make_up_the_whole_series() -> None:
    with precision(96):
        weights, rest = _falling_weights(Fraction(1, 3), 64)
        assert (sum(weights, rest) * -ball(Fraction(-1, 3)).expm1()).contains(1)


def assert_sharp(table: Table, law: list[Any], width: int) -> None:
    """It encloses the running sums of the law within two units: so one word decides nearly always."""
    for low, high, running in zip(table.lows, table.highs, accumulate(law), strict=False):
        assert low <= running * 2**width <= high <= low + 2


def test_tables_enclose_their_running_sums_sharply() -> None:
    q, wide, zero = mp.exp(-real("0.51")), mp.exp(-real("0.3")), mp.tanh(real("1/16"))
    folded = TwoSided(Fraction("0.3"))._folded
    assert folded is not None
    assert_sharp(Geometric(Fraction("0.51"))._rest._table(64), [(1 - q) * q**t for t in range(300)], 64)
    assert_sharp(folded._table(64), [(1 - wide) / (1 + wide) * wide ** ((i + 1) // 2) for i in range(600)], 64)
    assert_sharp(TwoSided(Fraction(1, 8))._nonzero._table(64), [zero, 1 - zero], 64)


@pytest.mark.every
@pytest.mark.parametrize(("k", "rate", "width"), [(3, "3/2", 64), (3, "1/20", 8), (30, "7/10", 20), (1000, "3", 64)])
def test_totals_are_bounded_by_what_is_listed_and_by_what_is_said_of_the_rest(
    k: int, rate: str, width: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Weights are known up to a factor: some factor must take all of them between their bounds."""
    seen: list[tuple[list[int], list[int], int, int]] = []

    def record(lows: list[int], highs: list[int], outside: int, width: int, *, first: int) -> Table:
        seen.append((lows, highs, outside, first))
        return tabulate(lows, highs, outside, width, first=first)

    monkeypatch.setattr("discreet.samplers.noise.tabulate", record)
    table = ZeroSum(Fraction(rate), k)._table(width)
    [(lows, highs, beyond, first)] = seen
    cut = first + len(lows)
    weights = [math.comb(t + k - 1, t) ** 2 * mp.exp(-2 * t * real(rate)) for t in range(3 * cut)]
    total, listed = sum(weights), [sum(weights[: first + 1]), *weights[first + 1 : cut]]
    most = min(high / weight for high, weight in zip([*highs, beyond], [*listed, sum(weights[cut:])], strict=True))
    assert max(low / weight for low, weight in zip(lows, listed, strict=True)) <= most
    assert first == 0 or first > lows[0] == 0  # a left tail is never certain
    assert_sharp(table, [weight / total for weight in listed], width)


def test_totals_are_listed_from_the_likeliest_one_on() -> None:
    for k, rate in ((3, "3/2"), (3, "50"), (3, "1/2"), (30, "7/10"), (1000, "3")):
        q = mp.exp(-real(rate))
        assert ZeroSum(Fraction(rate), k)._mode == next(t for t in count() if q * (t + k) < t + 1)


@pytest.mark.parametrize(("k", "rates"), [(3, ("0.000935", "0.000939")), (1000, ("0.00866", "0.0087"))])
def test_totals_have_a_table_while_it_is_not_too_long(k: int, rates: tuple[str, str]) -> None:
    assert [ZeroSum(Fraction(rate), k)._tabled for rate in rates] == [False, True]


# What a draw costs


def test_a_draw_by_a_table_costs_the_same_bits_whatever_comes_out() -> None:
    noise, sources = TwoSided(Fraction(1, 4)), [CountedBits(HashedBits(f"cost {i}")) for i in range(20)]
    assert len({noise.draw(bits) for bits in sources}) > 1
    assert len({bits.used for bits in sources}) == 1


def test_one_draw_costs_no_more_bits_than_it_needs() -> None:
    one, row, total = (CountedBits(HashedBits("one draw")) for _ in range(3))
    noise = Independent(Fraction(1), 3)
    assert [noise.draw(one)] == noise.draw_many(row, 1).tolist()
    assert one.used == row.used
    ZeroSum(Fraction(1, 2), 6).draw(total)
    assert total.used < 64 * 6  # one total and two compositions; a row that may be rejected takes more


def test_signs_cost_a_bit_each_in_whole_bytes() -> None:
    for size, cost in ((0, 0), (1, 8), (8, 8), (9, 16)):
        bits = CountedBits(HashedBits("signs"))
        signs = _draw_signs(bits, size)
        assert (signs.dtype.kind, len(signs), bits.used) == ("b", size, cost)


# Laplace, rounded


@pytest.mark.parametrize("rounding", ROUNDINGS)
@pytest.mark.parametrize("rate", RATES)
def test_masses_of_rounded_laplace_meet_the_oracle(rate: str, rounding: Rounding) -> None:
    noise = RoundedLaplace(Fraction(rate), rounding)
    shift, scale = (mp.mpf("0.5") if rounding == "nearest" else mp.zero), 1 / real(rate)
    floats = noise.log_floats(np.arange(-60, 61))
    for i, t in enumerate(range(-60, 61)):
        low, high = t - shift, t + 1 - shift
        expected = (
            laplace_interval(low, high, scale),
            laplace_interval(-mp.inf, high, scale),
            laplace_interval(low, mp.inf, scale),
        )
        with precision(200):
            found = (noise.mass(t), noise.at_most(t), noise.at_least(t))
        for enclosure, exact, logarithm in zip(found, expected, (f[i] for f in floats), strict=True):
            assert float(enclosure) == pytest.approx(float(exact), rel=1e-14)
            assert logarithm == pytest.approx(float(mp.log(exact)), rel=1e-12, abs=1e-12)
    with precision(128):  # they sum to one, and to their tails
        inside = sum((noise.mass(t) for t in range(-30, 31)), noise.at_most(-31)) + noise.at_least(31)
        assert inside.contains(1)
        for t in (-3, -1, 0, 1, 5):
            assert (noise.at_most(t - 1) + noise.at_least(t)).contains(1)
            assert (noise.at_most(t) - noise.at_most(t - 1)).overlaps(noise.mass(t))


def test_the_masses_next_to_zero_lose_no_digits_at_a_small_rate() -> None:
    noise = RoundedLaplace(Fraction("1e-15"), "floor")
    with precision(64):
        assert min(noise.mass(t).rel_accuracy_bits() for t in (-1, 0)) > 55


def test_few_draws_tell_a_wrong_sign_and_a_wrong_chance_of_zero() -> None:
    floor: dict[Outcome, float] = {(t,): math.exp(-max(t, -1 - t)) * -math.expm1(-1) / 2 for t in range(-50, 50)}
    wide: dict[Outcome, float] = {(d,): math.tanh(0.05) * math.exp(-0.1 * abs(d)) for d in range(-400, 401)}
    for noise, law in ((RoundedLaplace(Fraction(1), "floor"), floor), (TwoSided(Fraction(1, 10)), wide)):
        bits = HashedBits("few draws")
        assert fits(tally([noise.draw(bits)] for _ in range(400)), law)
        assert fits(tally([x] for x in noise.draw_many(bits, 400).tolist()), law)


@pytest.mark.parametrize("rounding", ROUNDINGS)
@pytest.mark.parametrize("rate", RATES[1:])
def test_rounded_laplace_draws_have_its_law(rate: str, rounding: Rounding) -> None:
    value = Fraction(rate)

    def law(factor: float) -> dict[Outcome, float]:
        other = RoundedLaplace(value * Fraction(str(factor)), rounding)
        with precision(64):
            return {(t,): float(other.mass(t)) for t in range(-250, 251)}

    telling = Fraction(1, 8) < value < 3
    assert_drawn(RoundedLaplace(value, rounding), law, f"laplace {rate} {rounding}", telling=telling)


# Two-sided


def test_places_are_those_of_whole_numbers_on_either_side_of_zero() -> None:
    numbers = unfold(np.arange(6))
    assert (numbers.dtype.kind, numbers.tolist()) == ("i", [0, 1, -1, 2, -2, 3])


@pytest.mark.parametrize("rate", [*RATES, "0.126", "0.124"])
def test_two_sided_draws_have_their_law_by_either_way_of_drawing(rate: str) -> None:
    value = float(Fraction(rate))

    def law(factor: float) -> dict[Outcome, float]:
        own = factor * value
        return {(d,): math.tanh(own / 2) * math.exp(-own * abs(d)) for d in range(-1500, 1501)}

    assert_drawn(TwoSided(Fraction(rate)), law, f"two-sided {rate}", telling=0.1 < value < 3)


# Noise that sums to zero


@pytest.mark.parametrize("k", [2, 3, 4, 7, 30])
@pytest.mark.parametrize("epsilon", ["0.01", "0.5", "1", "8"])
def test_the_normaliser_of_zero_sum_noise_meets_the_oracle(k: int, epsilon: str) -> None:
    with precision(128):
        found = ZeroSum(Fraction(epsilon) / 2, k).log_total()
    assert float(found) == pytest.approx(float(mp.log(oracle.normaliser(k, epsilon))), rel=1e-14)
    assert found.rel_accuracy_bits() > 100


def zero_sum_law(k: int, epsilon: float, radius: int) -> dict[Outcome, float]:
    total = float(oracle.normaliser(k, str(epsilon)))
    found: dict[Outcome, float] = {}
    for free in product(range(-radius, radius + 1), repeat=k - 1):
        v = (*free, -sum(free))
        found[v] = math.exp(-epsilon * sum(map(abs, v)) / 2) / total
    return found


@pytest.mark.few(1)
@pytest.mark.parametrize(
    ("k", "epsilon", "radius"), [(2, 1.0, 40), (2, 0.1, 400), (3, 1.0, 25), (3, 3.0, 12), (4, 2.0, 8)]
)
def test_zero_sum_draws_have_their_law_one_by_one_and_many_at_once(k: int, epsilon: float, radius: int) -> None:
    noise, bits = ZeroSum(Fraction(str(epsilon)) / 2, k), HashedBits(f"zero sum {k} {epsilon}")
    single = tally(noise.draw(bits) for _ in range(8000))
    many = tally(noise.draw_many(bits, 40_000).tolist())
    for seen in (single, many):
        assert all(sum(v) == 0 for v in seen)
        assert fits(seen, zero_sum_law(k, epsilon, radius))
        assert not fits(seen, zero_sum_law(k, 1.3 * epsilon, radius))
        assert not fits(seen, zero_sum_law(k, 0.7 * epsilon, radius))


def test_zero_sum_noise_of_two_and_of_three_counts_is_not_that_of_another_rate() -> None:
    pair = ZeroSum(Fraction(1, 2), 2)
    with precision(64):
        zero = float((-pair.log_total()).exp())
    assert float(chance_of(lambda bits: pair.draw(bits) == [0, 0])) == pytest.approx(zero, rel=1e-14)
    drawn = ZeroSum(Fraction(1), 3).draw_many(HashedBits("three"), 2000)
    assert fits(tally(drawn.tolist()), zero_sum_law(3, 2.0, 8))


@pytest.mark.every
@pytest.mark.parametrize("rate", ["1e-12", "5e-17"])
def test_a_rate_too_small_for_any_table_is_drawn_all_the_same(rate: str) -> None:
    """At the second one, exp(-rate) is 1 in floats."""
    v = ZeroSum(Fraction(rate), 3).draw(HashedBits(rate))
    assert sum(v) == 0
    assert max(v) > 0.01 / float(Fraction(rate))


def test_a_row_is_kept_from_the_very_size_of_its_last_number_on(monkeypatch: pytest.MonkeyPatch) -> None:
    noise = ZeroSum(Fraction(1), 3)
    sizes = SimpleNamespace(draw_many=lambda bits, count: np.resize([1, 2, 3], count))
    monkeypatch.setattr(noise._free, "draw_many", lambda bits, count: np.resize([0, 2, 1, 1, 2, 0], count))
    monkeypatch.setattr("discreet.samplers.noise.geometric", lambda rate: sizes)
    assert noise.draw_many(HashedBits("unread"), 1).tolist() == [[1, 1, -2]]


def test_noise_on_millions_of_counts_is_proposed_in_whole_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    noise = ZeroSum(Fraction(1), 1 << 20)
    monkeypatch.setattr(noise._free, "draw_many", lambda bits, count: np.zeros(count, dtype=np.int8))
    assert noise.draw_many(HashedBits("rows"), 1).shape == (1, 1 << 20)


def test_noise_is_possible_if_it_has_all_counts_and_their_sum() -> None:
    for noise, free in ((Independent(Fraction(1), 2), True), (ZeroSum(Fraction(1), 2), False)):
        assert [noise.possible(v) for v in ([1, -1], [1, 0], [0, 0, 0])] == [True, free, False]


def law_of_logs(logs: list[float], width: int = 1) -> dict[Outcome, float]:
    """P(⌊m/width⌋) from the logarithms of the weights of m = 0, 1, …"""
    mass = np.exp(np.array(logs) - max(logs))
    cells = np.bincount(np.arange(len(logs)) // width, mass / mass.sum())
    return {(m,): float(p) for m, p in enumerate(cells)}


@pytest.mark.few(1)
@pytest.mark.parametrize(
    ("k", "epsilon", "longest", "width"),
    [(6, 1.0, 200, 1), (40, 2.0, 400, 2), (12, 0.05, 6000, 40), (3, 0.0005, 10**5, 900)],
)
def test_lengths_of_zero_sum_noise_have_their_law_in_many_dimensions_and_at_small_rates(
    k: int, epsilon: float, longest: int, width: int
) -> None:
    """The last one is beyond the tables of totals, and drawn by rejection."""
    noise, bits = ZeroSum(Fraction(str(epsilon)) / 2, k), HashedBits(f"lengths {k} {epsilon}")
    ways = [math.log(oracle._sphere(k, m)) for m in range(longest)]  # how many v there are of length ‖v‖₁/2 = m
    law, wrong = (
        law_of_logs([way - factor * epsilon * m for m, way in enumerate(ways)], width) for factor in (1.0, 1.3)
    )
    for drawn in ([noise.draw(bits) for _ in range(1500)], noise.draw_many(bits, 8000).tolist()):
        seen = tally([sum(map(abs, v)) // 2 // width] for v in drawn)
        assert fits(seen, law)
        assert not fits(seen, wrong)


@pytest.mark.parametrize(("k", "rate"), [(3, "1/2"), (50, "1/20"), (200, "1")])
def test_totals_are_drawn_from_their_law_also_where_the_left_tail_is_cut(k: int, rate: str) -> None:
    noise, bits = ZeroSum(Fraction(rate), k), HashedBits(f"totals {k}")
    ways = [math.lgamma(t + k) - math.lgamma(k) - math.lgamma(t + 1) for t in range(6000)]
    law = law_of_logs([2 * (way - float(Fraction(rate)) * t) for t, way in enumerate(ways)])
    assert fits(tally([noise._totals.draw(bits)] for _ in range(8000)), law)
    assert fits(tally([t] for t in noise._totals.draw_many(bits, 20_000).tolist()), law)


def test_coordinates_of_zero_sum_noise_are_alike() -> None:
    """No category is treated unlike the others: the noise of each has one law, and each pair one of differences."""
    drawn = ZeroSum(Fraction(1, 2), 5).draw_many(HashedBits("alike"), 30_000)
    first = tally([x] for x in drawn[:, 0].tolist())
    law = {x: count / 30_000 for x, count in first.items()}
    sizes = np.abs(drawn).mean(axis=0)
    assert sizes == pytest.approx(np.full(5, sizes.mean()), rel=0.05)
    assert drawn.mean(axis=0) == pytest.approx(np.zeros(5), abs=0.05)
    assert law[(0,)] == pytest.approx(float((drawn[:, 4] == 0).mean()), rel=0.05)
