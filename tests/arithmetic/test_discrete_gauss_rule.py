"""Sums over blocks from a few places: exact for polynomials, and the plain sum for short blocks."""

import math

import numpy as np
import pytest

from discreet.arithmetic.discrete_gauss_rule import block_rule, gauss_rule


@pytest.mark.parametrize("length", [8, 9, 40, 10**4])
def test_eight_places_sum_polynomials_of_degree_fifteen(length: int) -> None:
    at, weight = gauss_rule([length])
    assert at.shape == weight.shape == (1, 8)
    for degree in (0, 1, 7, 15):
        powers = (at[0] / length) ** degree
        truth = math.fsum((x / length) ** degree for x in range(length))
        assert float(weight[0] @ powers) == pytest.approx(truth, rel=1e-10)


@pytest.mark.parametrize("places", range(2, 9))
def test_no_place_is_outside_of_its_block(places: int) -> None:
    lengths = np.arange(places, 200)
    at, weight = gauss_rule(lengths, places)
    assert (at >= 0).all()
    assert (at <= lengths[:, None] - 1).all()
    assert (weight > 0).all()


def test_lengths_may_be_repeated_and_in_any_order() -> None:
    at, weight = gauss_rule([40, 9, 40])
    for row, length in enumerate([40, 9, 40]):
        assert at[row].tolist() == pytest.approx(gauss_rule([length])[0][0].tolist(), rel=1e-12)
        assert weight[row] @ at[row] ** 2 == pytest.approx(sum(x**2 for x in range(length)), rel=1e-12)


def test_blocks_of_up_to_eight_numbers_are_summed_as_they_are_and_longer_ones_by_eight_places() -> None:
    places, weights, numbers = block_rule([0, 8, 20], [8, 12, 2])
    assert places[:8].tolist() == list(range(8))
    assert places[-2:].tolist() == [20, 21]
    assert numbers.tolist() == [0] * 8 + [1] * 8 + [2] * 2
    assert weights[numbers != 1].tolist() == [1] * 10
    assert np.bincount(numbers, weights * places**3) == pytest.approx(
        [sum(x**3 for x in block) for block in (range(8), range(8, 20), range(20, 22))], rel=1e-12
    )


def test_blocks_of_one_kind_alone_are_summed_too() -> None:
    for starts, lengths in (([3, 5], [2, 4]), ([3, 50], [47, 90])):
        places, weights, numbers = block_rule(starts, lengths)
        assert np.bincount(numbers, weights) == pytest.approx(lengths, rel=1e-12)
        assert len(places) == sum(min(length, 8) for length in lengths)
