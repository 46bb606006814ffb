"""Sums from a few terms: never farther off than they say."""

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

from discreet.utility.smooth_sums import next_to_gauss, smooth_sum

Floats = NDArray[np.float64]
Whole = NDArray[np.int64]

SHAPES: dict[str, Callable[[Whole, int], Floats]] = {
    "a hill": lambda c, n: np.sqrt(c * (n - c + 0.0)),
    "a wall at the start": lambda c, n: np.exp(-c / 50),
    "both ends": lambda c, n: 1 / (1.0 + c) + 1 / (1.0 + n - c),
    "weight on the ends alone": lambda c, n: 1e-3 * np.sqrt(c / n) + (c == 0) + 0.5 * (c == n),
    "a bend": lambda c, n: np.abs(c - 0.37 * n),
}


@pytest.mark.parametrize("n", [1, 255, 256, 257, 1000, 10**5])
@pytest.mark.parametrize("shape", SHAPES)
def test_the_sum_is_within_its_stated_error(shape: str, n: int) -> None:
    f = SHAPES[shape]
    total, error, terms = smooth_sum(lambda c: np.stack([f(c, n), 3 * f(c, n)], axis=1), n)
    expected = float(f(np.arange(n + 1), n).sum())
    assert abs(float(total[0]) - expected) <= float(error[0]) + 1e-12 * expected
    assert float(error[0]) <= 1e-8 * expected
    assert total[1] == pytest.approx(3 * total[0])
    assert n < 1000 or terms < n


def test_a_narrow_hill_is_found_by_its_marks() -> None:
    n, at, wide = 10**12, 3.1e11, 2e5
    marks = [at + side * wide * 2.0**j for j in range(6) for side in (-1, 1)]
    total, error, _ = smooth_sum(lambda c: np.exp(-(((c - at) / wide) ** 2) / 2)[:, None], n, [at, *marks])
    assert float(total[0]) == pytest.approx(wide * np.sqrt(2 * np.pi), rel=1e-8)
    assert float(error[0]) <= 1e-8 * float(total[0])


def test_what_is_rough_is_said_to_be_so_after_a_while() -> None:
    """The planted fault: a last digit that jumps cannot be summed from a few terms."""
    n = 10**6
    total, error, terms = smooth_sum(lambda c: (1 + 1e-3 * ((c * 2654435761) % 97) / 97)[:, None], n)
    assert terms < 20_000
    assert float(error[0]) > 1e-6 * float(total[0])
    assert abs(float(total[0]) - 1.0005 * n) <= float(error[0])


def test_places_next_to_those_of_gauss_are_all_different() -> None:
    for row in next_to_gauss(np.array([*range(49, 300), 1000.0, 1e6])[:, None]):
        assert len(np.unique(row)) == 12
