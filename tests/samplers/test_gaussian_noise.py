"""Discrete Gaussian noise: draws have their law; 30 per cent more or less, or no acceptance step, is noticed."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import accumulate, product
from types import SimpleNamespace

import numpy as np
import pytest
from flint import arb
from numpy.typing import NDArray

from discreet.arithmetic.arrays import Wholes
from discreet.arithmetic.numbers import fraction_lower, fraction_upper, precision
from discreet.samplers import gaussian_noise
from discreet.samplers.bits import Bits, Table, tabulate_enclosed
from discreet.samplers.gaussian_noise import (
    DiscreteGaussian,
    IndependentGaussian,
    ZeroSumGaussian,
    independent_gaussian,
    toss_coins,
    zero_sum_gaussian,
)
from discreet.testing import CountedBits, HashedBits
from tests.oracles.precision import mp, real
from tests.support.statistics import Outcome, fits, tally


def line(variance: float, width: int = 1) -> dict[Outcome, float]:
    reach = math.ceil(8 * math.sqrt(variance)) + width
    masses: dict[Outcome, float] = {}
    for t in range(-reach, reach + 1):
        masses[(t // width,)] = masses.get((t // width,), 0.0) + math.exp(-t * t / (2 * variance))
    total = math.fsum(masses.values())
    return {t: mass / total for t, mass in masses.items()}


def plane(variance: float) -> dict[Outcome, float]:
    """The first two of three numbers of total zero."""
    reach = range(-math.ceil(7 * math.sqrt(variance)), math.ceil(7 * math.sqrt(variance)) + 1)
    masses = {(a, b): math.exp(-(a * a + b * b + (a + b) ** 2) / (2 * variance)) for a, b in product(reach, repeat=2)}
    total = math.fsum(masses.values())
    return {t: mass / total for t, mass in masses.items()}


@pytest.mark.parametrize(("variance", "width"), [("1/10", 1), ("2", 1), ("64", 2), ("65", 2), ("30000/7", 20)])
def test_draws_have_their_law_and_none_of_another_variance(variance: str, width: int) -> None:
    v = Fraction(variance)
    drawn = DiscreteGaussian(v).draw_many(HashedBits(f"line {variance}"), 20_000)
    seen = tally([int(t) // width] for t in drawn)
    assert fits(seen, line(float(v), width))
    if v > 1:
        assert not any(fits(seen, line(factor**2 * float(v), width)) for factor in (0.7, 1.3))


@pytest.mark.few(1)
@pytest.mark.parametrize("variance", ["2", "5"])
def test_noise_of_total_zero_has_its_law_and_none_of_another_deviation(variance: str) -> None:
    noise = ZeroSumGaussian(Fraction(variance), 3)
    rows = noise.draw_many(HashedBits(f"plane {variance}"), 20_000)
    assert not rows.sum(axis=1).any()
    seen = tally(rows[:, :2].tolist())
    assert fits(seen, plane(float(variance)))
    assert not any(fits(seen, plane(factor**2 * float(variance))) for factor in (0.7, 1.3))
    single = tally(noise.draw(bits)[:2] for bits in [HashedBits("one by one")] for _ in range(2000))
    assert fits(single, plane(float(variance)))


def test_two_categories_have_half_the_variance() -> None:
    rows = ZeroSumGaussian(Fraction(6), 2).draw_many(HashedBits("two"), 20_000)
    assert not rows.sum(axis=1).any()
    assert fits(tally(rows[:, :1].tolist()), line(3.0))


def test_a_sampler_that_skips_the_acceptance_step_is_rejected(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gaussian_noise, "toss_coins", lambda bits, variance, sizes: np.ones(len(sizes), dtype=bool))
    rows = ZeroSumGaussian(Fraction(2), 3).draw_many(HashedBits("skipped"), 20_000)
    assert not fits(tally(rows[:, :2].tolist()), plane(2.0))


@pytest.mark.parametrize("k", [3, 10, 50])
def test_about_the_root_of_k_tries_are_needed(k: int) -> None:
    noise, bits, size = ZeroSumGaussian(Fraction(20), k), HashedBits(f"tries {k}"), 20_000
    kept = int(toss_coins(bits, noise.variance, noise.propose(bits, size)[:, -1]).sum())
    share = 1 / math.sqrt(k)
    assert abs(kept - size * share) < 6 * math.sqrt(size * share) + 0.01 * size * share


@pytest.mark.every
@pytest.mark.parametrize(
    ("sizes", "coins"), [([0, 2**33, -(2**40)], [True, False, False]), ([3_100_000_000], [False]), ([], [])]
)
def test_a_coin_of_a_size_beyond_64_bits_is_decided_all_the_same(sizes: list[int], coins: list[bool]) -> None:
    """The square of the size in the middle is negative in 64 bits."""
    assert toss_coins(HashedBits("far"), Fraction(10**12), np.array(sizes, dtype=np.int64)).tolist() == coins


@pytest.mark.parametrize("size", [3, 2**31 + 1])
def test_a_coin_falls_true_from_the_very_square_of_its_size_on(size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = SimpleNamespace(draw_many=lambda bits, count: np.array([size**2 - 1, size**2]))
    monkeypatch.setattr(gaussian_noise, "geometric", lambda rate: drawn)
    assert toss_coins(HashedBits("unread"), Fraction(1), np.array([size, -size])).tolist() == [False, True]


@pytest.mark.parametrize("variance", ["3", "64"])
def test_the_table_is_sharp_and_leaves_out_no_more_than_it_says(variance: str, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[tuple[int, arb]] = []

    def record(weights: list[arb], outside: arb, scale: int, width: int) -> Table:
        seen.append((len(weights), outside))
        return tabulate_enclosed(weights, outside, scale, width)

    monkeypatch.setattr(gaussian_noise, "tabulate_enclosed", record)
    table = DiscreteGaussian(Fraction(variance))._table(64)
    [(listed, outside)] = seen
    weights = [mp.exp(-(((i + 1) // 2) ** 2) / (2 * real(variance))) for i in range(2 * listed)]
    rest, total = sum(weights[listed:]), sum(weights)
    assert rest <= real(fraction_upper(outside)) <= real("1.003") * rest
    for low, high, running in zip(table.lows, table.highs, accumulate(weights), strict=False):
        assert low <= running / total * 2**64 <= high <= low + 2


def test_one_word_decides_a_number_from_a_table() -> None:
    bits = CountedBits(HashedBits("words"))
    DiscreteGaussian(Fraction(64)).draw_many(bits, 100)
    assert bits.used == 100 * 64


def test_few_rounds_of_few_proposals_give_many_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    """On the line one of sqrt(2e/π) tries is kept, and of total zero one of sqrt(k)."""
    rounds: list[int] = []

    def record(bits: Bits, variance: Fraction, sizes: Wholes) -> NDArray[np.bool_]:
        rounds.append(len(sizes))
        return toss_coins(bits, variance, sizes)

    monkeypatch.setattr(gaussian_noise, "toss_coins", record)
    number, row = DiscreteGaussian(Fraction(10**12)), ZeroSumGaussian(Fraction(2), 3)
    assert len(number.draw_many(HashedBits("one"), 1)) == 1
    for noise, tries in ((number, math.sqrt(2 * math.e / math.pi)), (row, math.sqrt(3))):
        rounds.clear()
        assert len(noise.draw_many(HashedBits("rounds"), 1000)) == 1000
        assert len(rounds) <= 3
        assert sum(rounds) < 1.4 * tries * 1000


def test_rows_beyond_a_batch_are_drawn_in_several(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gaussian_noise, "_BATCH", 100)
    rows = ZeroSumGaussian(Fraction(2), 3).draw_many(HashedBits("batches"), 50)
    assert rows.shape == (50, 3)
    assert not rows.sum(axis=1).any()


def test_independent_numbers_have_the_product_of_their_totals_and_any_sum() -> None:
    free, bound = IndependentGaussian(Fraction(3), 2), ZeroSumGaussian(Fraction(3), 2)
    with precision(96):
        total = free.log_total()
    meant = 2 * mp.log(sum(mp.exp(-real(t * t) / 6) for t in range(-40, 41)))
    assert real(fraction_lower(total)) <= meant <= real(fraction_upper(total))
    for noise, any_sum in ((free, True), (bound, False)):
        assert [noise.possible(v) for v in ([1, -1], [1, 0], [0, 0, 0])] == [True, any_sum, False]


def test_prepared_noise_is_not_kept_for_ever() -> None:
    assert None not in [kept.cache_parameters()["maxsize"] for kept in (zero_sum_gaussian, independent_gaussian)]
