"""Discrete Gaussian noise: draws have their law; 30 per cent more or less, or no acceptance step, is noticed."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from discreet.samplers import gaussian_noise
from discreet.samplers.gaussian_noise import DiscreteGaussian, ZeroSumGaussian, toss_coins
from discreet.testing import HashedBits
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


def test_a_coin_of_a_size_beyond_64_bits_is_decided_all_the_same() -> None:
    assert toss_coins(HashedBits("far"), Fraction(10**12), np.array([0, 2**33, -(2**40)])).tolist() == [
        True,
        False,
        False,
    ]
