"""Integer noise: masses meet the oracles, samplers meet the masses, and 30 per cent more or less is noticed."""

import math
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from discreet.arithmetic.numbers import precision
from discreet.samplers.bits import Bits
from discreet.samplers.noise import Geometric, RoundedLaplace, Rounding, TwoSided, ZeroSum, geometric, zero_sum
from discreet.testing import HashedBits
from tests.oracles import geometric as oracle
from tests.oracles.mechanisms import laplace_interval
from tests.oracles.precision import mp, real
from tests.support.statistics import Outcome, fits, tally

RATES = ["0.01", "1/8", "0.3", "1", "5/2", "20"]
ROUNDINGS: list[Rounding] = ["nearest", "floor"]


def samples(one: Callable[[Bits], int], many: Callable[[Bits, int], object], name: str) -> list[Counter[Outcome]]:
    """A few thousand draws one by one, and more at once."""
    bits = HashedBits(f"{name}, one by one")
    singles = tally([one(bits)] for _ in range(4000))
    drawn = many(HashedBits(f"{name}, many"), 40_000)
    assert isinstance(drawn, np.ndarray)
    return [singles, tally([x] for x in drawn.tolist())]


def binned(seen: Counter[Outcome], width: int) -> Counter[Outcome]:
    found: Counter[Outcome] = Counter()
    for (x,), count in seen.items():
        found[(x // width,)] += count
    return found


# One-sided


def geometric_law(rate: float, width: int) -> dict[Outcome, float]:
    """P(⌊t/width⌋)."""
    return {(t,): math.exp(-rate * width * t) * -math.expm1(-rate * width) for t in range(200)}


@pytest.mark.few(4)
@pytest.mark.parametrize("rate", [*RATES, "1e-5", "1e-12"])
def test_geometric_draws_have_its_law_at_every_rate(rate: str) -> None:
    noise = Geometric(Fraction(rate))
    width = max(1, round(0.1 / float(Fraction(rate))))
    for seen in samples(noise.draw, noise.draw_many, f"geometric {rate}"):
        assert fits(binned(seen, width), geometric_law(float(Fraction(rate)), width))
        if float(Fraction(rate)) < 3:
            assert not fits(binned(seen, width), geometric_law(1.3 * float(Fraction(rate)), width))
            assert not fits(binned(seen, width), geometric_law(0.7 * float(Fraction(rate)), width))


@pytest.mark.parametrize("rate", ["0.01", "1e-5"])
def test_the_low_digits_of_a_small_rate_are_drawn_too(rate: str) -> None:
    """Coins of nearly a half each: their product must be the law of t modulo a power of two."""
    noise, modulus = Geometric(Fraction(rate)), 16
    q = math.exp(-float(Fraction(rate)))
    law: dict[Outcome, float] = {(t,): (1 - q) * q**t / (1 - q**modulus) for t in range(modulus)}
    assert fits(tally([x % modulus] for x in noise.draw_many(HashedBits(f"digits {rate}"), 60_000).tolist()), law)


def test_the_noise_of_a_rate_is_prepared_once() -> None:
    assert geometric(Fraction(1, 3)) is geometric(Fraction(1, 3))
    assert zero_sum(Fraction(1, 3), 4) is zero_sum(Fraction(1, 3), 4)


# Laplace, rounded


@pytest.mark.few(4)
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
        for ball, exact, logarithm in zip(found, expected, (f[i] for f in floats), strict=True):
            assert float(ball) == pytest.approx(float(exact), rel=1e-14)
            assert logarithm == pytest.approx(float(mp.log(exact)), rel=1e-12, abs=1e-12)


@pytest.mark.few(4)
@pytest.mark.parametrize("rounding", ROUNDINGS)
@pytest.mark.parametrize("rate", RATES)
def test_masses_of_rounded_laplace_sum_to_one_and_to_their_tails(rate: str, rounding: Rounding) -> None:
    noise = RoundedLaplace(Fraction(rate), rounding)
    with precision(128):
        inside = sum((noise.mass(t) for t in range(-30, 31)), noise.at_most(-31)) + noise.at_least(31)
        assert inside.contains(1)
        for t in (-3, -1, 0, 1, 5):
            assert (noise.at_most(t - 1) + noise.at_least(t)).contains(1)
            assert (noise.at_most(t) - noise.at_most(t - 1)).overlaps(noise.mass(t))


@pytest.mark.few(3)
@pytest.mark.parametrize("rounding", ROUNDINGS)
@pytest.mark.parametrize("rate", RATES[1:])
def test_rounded_laplace_draws_have_its_law(rate: str, rounding: Rounding) -> None:
    def law(factor: Fraction) -> dict[Outcome, float]:
        with precision(64):
            return {(t,): float(RoundedLaplace(factor, rounding).mass(t)) for t in range(-250, 251)}

    value = Fraction(rate)
    noise = RoundedLaplace(value, rounding)
    for seen in samples(noise.draw, noise.draw_many, f"laplace {rate} {rounding}"):
        assert fits(seen, law(value))
        if Fraction(1, 8) < value < 3:
            assert not fits(seen, law(value * 13 / 10))
            assert not fits(seen, law(value * 7 / 10))


# Two-sided


@pytest.mark.parametrize("rate", [*RATES, "0.126", "0.124"])
def test_two_sided_draws_have_their_law_by_either_way_of_drawing(rate: str) -> None:
    def law(factor: float) -> dict[Outcome, float]:
        return {(d,): math.tanh(factor / 2) * math.exp(-factor * abs(d)) for d in range(-1500, 1501)}

    value = float(Fraction(rate))
    noise = TwoSided(Fraction(rate))
    for seen in samples(noise.draw, noise.draw_many, f"two-sided {rate}"):
        assert fits(seen, law(value))
        if 0.1 < value < 3:
            assert not fits(seen, law(1.3 * value))
            assert not fits(seen, law(0.7 * value))


# Noise that sums to zero


@pytest.mark.few(5)
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


def gains_law(k: int, epsilon: float, longest: int, width: int) -> dict[Outcome, float]:
    """P(⌊m/width⌋) where m = ‖v‖₁/2, from the number of v of each length: `oracle` counts them."""
    logs = np.array([math.log(oracle._sphere(k, m)) - epsilon * m for m in range(longest)])
    mass = np.exp(logs - logs.max())
    mass /= mass.sum()
    found: dict[Outcome, float] = {}
    for m, p in enumerate(mass):
        found[(m // width,)] = found.get((m // width,), 0.0) + float(p)
    return found


@pytest.mark.few(2)
@pytest.mark.parametrize(
    ("k", "epsilon", "longest", "width"),
    [(6, 1.0, 200, 1), (40, 2.0, 400, 2), (12, 0.05, 6000, 40), (3, 0.0005, 10**5, 900)],
)
def test_lengths_of_zero_sum_noise_have_their_law_in_many_dimensions_and_at_small_rates(
    k: int, epsilon: float, longest: int, width: int
) -> None:
    """The last one is beyond the tables of totals, and drawn by rejection."""
    noise, bits = ZeroSum(Fraction(str(epsilon)) / 2, k), HashedBits(f"lengths {k} {epsilon}")
    law, wrong = (gains_law(k, factor * epsilon, longest, width) for factor in (1.0, 1.3))
    for drawn in ([noise.draw(bits) for _ in range(1500)], noise.draw_many(bits, 8000).tolist()):
        seen = tally([sum(map(abs, v)) // 2 // width] for v in drawn)
        assert fits(seen, law)
        assert not fits(seen, wrong)


@pytest.mark.parametrize(("k", "rate"), [(3, "1/2"), (50, "1/20"), (200, "1")])
def test_totals_are_drawn_from_their_law_also_where_the_left_tail_is_cut(k: int, rate: str) -> None:
    noise, bits = ZeroSum(Fraction(rate), k), HashedBits(f"totals {k}")
    logs = np.array(
        [
            2 * (math.lgamma(t + k) - math.lgamma(k) - math.lgamma(t + 1)) - 2 * float(Fraction(rate)) * t
            for t in range(6000)
        ]
    )
    mass = np.exp(logs - logs.max())
    law: dict[Outcome, float] = {(t,): float(p) for t, p in enumerate(mass / mass.sum())}
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
