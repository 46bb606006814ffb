"""Blocks of a line: each candidate is in one of them, and few proposals are thrown back, however long the line is."""

import math
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest

from discreet.arithmetic.numbers import ball
from discreet.samplers.line_rejection import TRIES, UNIT, LineRejection
from discreet.testing import HashedBits


def sampler(rate: float, left: int, right: int) -> LineRejection:
    """Weights e^(-rate·distance)."""

    def near(offset: int, share: float) -> float:
        return math.exp(-rate * abs(offset)) * share

    return LineRejection(
        lambda offset: (-ball(Fraction(rate)) * abs(offset)).exp(),
        lambda offset: near(offset, 1 - 1e-12),
        lambda offset: near(offset, 1 + 1e-12),
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
