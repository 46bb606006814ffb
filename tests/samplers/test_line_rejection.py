"""Blocks of a line: each candidate is in one of them, and few proposals are thrown back, however long the line is."""

import math
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest

from discreet.arithmetic.numbers import ball, fixed_lower, precision
from discreet.samplers.bits import CHUNK
from discreet.samplers.line_rejection import TRIES, UNIT, LineRejection
from discreet.testing import CountedBits, HashedBits


def sampler(rate: float, left: int, right: int, error: float = 1e-12) -> LineRejection:
    """Weights e^(-rate·distance), with floats that are off by a relative error."""

    def near(offset: int, share: float) -> float:
        return math.exp(-rate * abs(offset)) * share

    return LineRejection(
        lambda offset: (-ball(Fraction(rate)) * abs(offset)).exp(),
        lambda offset: near(offset, 1 - error),
        lambda offset: near(offset, 1 + error),
        left,
        right,
    )


@pytest.mark.parametrize("rate", [0.0, 0.001, 0.3, 20.0])
@pytest.mark.parametrize(("left", "right"), [(0, 5), (7, 0), (3000, 40_000)])
def test_a_draw_takes_few_tries_on_average(rate: float, left: int, right: int) -> None:
    line = sampler(rate, left, right)
    covered = Counter(side * at for side, near, far in line._blocks for at in range(near, far + 1))
    assert covered == Counter(range(-left, right + 1))
    total = math.fsum(math.exp(-rate * abs(offset)) for offset in covered)
    assert sum(line._masses) / 2**UNIT <= TRIES * total * (1 + 1e-9)


def test_draws_stay_on_the_line_and_reach_both_ends() -> None:
    line, bits = sampler(0.1, 2, 3), HashedBits("both ends")
    assert {line.draw(bits) for _ in range(300)} == {-2, -1, 0, 1, 2, 3}


def test_where_floats_decide_nothing_enclosures_decide_every_coin() -> None:
    rate, size = 0.3, 4000
    line = sampler(rate, 2, 3)
    drawn = line.draw_many(
        HashedBits("no floats"), size, lambda at: (np.full(at.shape, -np.inf), np.full(at.shape, np.inf))
    )
    weights = np.exp(-rate * np.abs(np.arange(-2, 4)))
    chances = weights / weights.sum()
    shares = np.array([(drawn == offset).mean() for offset in range(-2, 4)])
    assert (np.abs(shares - chances) < 6.5 * np.sqrt(chances / size)).all()


def test_a_coin_next_to_its_probability_falls_as_the_exact_weight_says() -> None:
    """However sharp floats are, about 10⁷ of the 2⁶⁴ tosses on either side are left to the enclosure."""
    line, rate = sampler(0.3, 2, 3, error=1e-15), ball(Fraction(0.3))
    with precision(200):
        for offset, bound in zip((-2, -1, 1, 2), (1 << UNIT, 1 << (UNIT + 3)) * 2, strict=True):
            chance = fixed_lower((-rate * abs(offset)).exp() * (1 << UNIT) / bound, CHUNK)
            for near in (1, 10**6):
                assert line._keep(HashedBits("kept"), offset, bound, chance - near)
                assert not line._keep(HashedBits("thrown back"), offset, bound, chance + near)


@pytest.mark.parametrize(
    ("line", "offsets", "used"),
    [
        ((0.3, 20, 30), [-4, 4, 2, -1, 0, -11, 2, -6], 1004),
        ((0.001, 3000, 40_000), [-806, -193, 739, -2659, 2150, -535, 454, 46], 1787),
    ],
)
def test_the_same_bits_give_the_same_draws(line: tuple[float, int, int], offsets: list[int], used: int) -> None:
    drawn_from, bits = sampler(*line), CountedBits(HashedBits("the same"))
    assert [drawn_from.draw(bits) for _ in offsets] == offsets
    assert bits.used == used
