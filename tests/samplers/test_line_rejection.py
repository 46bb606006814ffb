"""Blocks of a line: each candidate is in one of them, and few proposals are thrown back, however long the line is."""

import math
from collections import Counter
from fractions import Fraction
from typing import NoReturn

import numpy as np
import pytest
from numpy.typing import NDArray

from discreet.arithmetic.numbers import ball, fixed_lower, precision
from discreet.samplers import line_rejection
from discreet.samplers.bits import CHUNK, Bits, draw_words
from discreet.samplers.line_rejection import TRIES, UNIT, LineRejection
from discreet.testing import CountedBits, FixedBits, HashedBits


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


def test_bounds_are_no_less_than_weights_that_floats_tell_exactly() -> None:
    line = sampler(0.0, 5, 7, error=0.0)
    assert all(mass >= size << UNIT for mass, size in zip(line._masses, line._sizes, strict=True))


def test_draws_stay_on_the_line_and_reach_both_ends() -> None:
    line, bits = sampler(0.1, 2, 3), HashedBits("both ends")
    assert {line.draw(bits) for _ in range(300)} == {-2, -1, 0, 1, 2, 3}
    assert line.draw(FixedBits("1" * (CHUNK + 3))) == 0  # the last block has no end to wait for


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
    for rest, answer in (("0", True), ("1", False)):  # the chance is 0.53 of the first of the 2⁶⁴ tosses
        assert sampler(0.3, 0, 200)._keep(FixedBits(rest * CHUNK), 150, 1 << UNIT, 0) is answer


def test_floats_that_are_certain_ask_for_nothing_sharper() -> None:
    def never(offset: int) -> NoReturn:
        raise AssertionError(offset)

    def weight(offset: int) -> float:
        return math.exp(-0.3 * abs(offset))

    bits = HashedBits("certain")
    assert len({LineRejection(never, weight, weight, 20, 30).draw(bits) for _ in range(50)}) > 9
    line = LineRejection(never, never, weight, 20, 30)
    for size in (1, 300):
        assert len(line.draw_many(bits, size, lambda at: (-0.3 * np.abs(at), -0.3 * np.abs(at)))) == size


def test_one_round_of_few_proposals_gives_many_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    rounds: list[int] = []

    def record(bits: Bits, size: int) -> NDArray[np.uint64]:
        rounds.append(size)
        return draw_words(bits, size)

    monkeypatch.setattr(line_rejection, "draw_words", record)
    line = sampler(0.001, 3000, 40_000)
    line.draw_many(HashedBits("rounds"), 1000, lambda at: (-0.001 * np.abs(at) - 1e-9, -0.001 * np.abs(at) + 1e-9))
    assert len(rounds) == 1
    assert rounds[0] < 1.3 * TRIES * 1000


@pytest.mark.every
@pytest.mark.parametrize(
    ("word", "low", "high"),
    [
        (2**63 - 1, math.log(1 / 2) + 1e-13, math.inf),
        (2**63 - 1, -math.inf, math.log(1 / 2) - 1e-13),
        (1, math.log(1.5 / 2**64), math.log(1.5 / 2**64)),
        (0, -math.inf, -1000.0),
    ],
)
def test_tosses_that_floats_cannot_tell_from_their_chance_are_left_to_the_enclosure(
    word: int, low: float, high: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The bound is 1/2, and the bounds on the logarithm of the chance are next to those of the toss."""
    asked = []

    def least(offset: int) -> float:
        asked.append(offset)
        return 0.0

    line = LineRejection(lambda _: ball(Fraction(1, 4)), least, lambda _: 0.5, 0, 1)
    monkeypatch.setattr(line_rejection, "draw_words", lambda _, size: np.full(size, word, dtype=np.uint64))
    line.draw_many(
        HashedBits("left"), 20, lambda at: (np.full(at.shape, low - math.log(2)), np.full(at.shape, high - math.log(2)))
    )
    assert set(asked) == {1}


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
