"""Roots between two places of different sign."""

import math
from collections.abc import Callable, Iterator

import pytest

from discreet.arithmetic.roots import root_between


@pytest.mark.parametrize("within", [1e-3, 1e-9, 1e-14])
@pytest.mark.parametrize(
    ("f", "low", "high", "root"),
    [
        (lambda x: math.tanh(1e3 * (x - 0.3)), -1.0, 1.0, 0.3),
        (lambda x: 1e-9 - x**9, 0.0, 7.0, 0.1),
        (lambda x: -1.0 if x < 0.25 else 1.0, 0.0, 1.0, 0.25),
        (lambda x: x - 5.0, 5.0, 9.0, 5.0),
    ],
    ids=["steep", "flat", "a step", "at an end"],
)
def test_a_root_is_found_within_the_distance(f, low: float, high: float, root: float, within: float) -> None:  # type: ignore[no-untyped-def]
    asked: list[float] = []

    def counted(x: float) -> float:
        asked.append(x)
        assert len(asked) < 150
        return float(f(x))

    found = root_between(counted, low, high, within)
    assert abs(found - root) <= within + 4 * math.ulp(root)
    backward = root_between(f, high, low, within)
    assert abs(backward - root) <= within + 4 * math.ulp(root)


def count_asked(f: Callable[[float], float], low: float, high: float, within: float) -> int:
    """How often f is asked for. Never outside, and what is returned is the best of all that was asked."""
    asked: dict[float, float] = {}

    def noted(x: float) -> float:
        assert low <= x <= high
        assert len(asked) < 150
        return asked.setdefault(x, f(x))

    root = root_between(noted, low, high, within)
    assert abs(asked[root]) == min(map(abs, asked.values()))
    return len(asked)


@pytest.mark.parametrize(
    ("f", "low", "high"),
    [
        (lambda x: x - 0.3, 0.0, 1.0),
        (lambda x: x**3 - 2, 0.0, 2.0),
        (lambda x: x**2 - 2, 0.0, 100.0),
        (lambda x: math.exp(x) - 3, -5.0, 5.0),
        (lambda x: math.log(x) - 1, 1e-3, 100.0),
        (lambda x: math.erf(x) - 0.9, -8.0, 8.0),
    ],
    ids=["line", "cube", "square", "exponential", "logarithm", "distribution"],
)
def test_a_root_of_a_smooth_function_takes_a_third_of_the_places_of_halving(
    f: Callable[[float], float], low: float, high: float
) -> None:
    for within in (1e-3, 1e-9, 1e-13):
        assert count_asked(f, low, high, within) <= 16


@pytest.mark.parametrize("power", [0.5, 3, 9, 19])
@pytest.mark.parametrize("root", [-0.8752799455058697, -0.1, 0.6])
def test_no_function_takes_many_more_places_than_halving(power: float, root: float) -> None:
    for within in (1e-3, 1e-9, 1e-13):
        number = count_asked(lambda x: math.copysign(abs(x - root) ** power, x - root), -1.0, 1.0, within)
        assert number <= 1.3 * math.log2(2 / within) + 3


def test_a_root_beside_an_end_is_not_approached_from_one_side_alone() -> None:
    assert count_asked(lambda x: x - 1e-20, 0.0, 800.0, 1e-9) <= 6


def test_a_search_that_asks_for_more_than_floats_have_ends_four_steps_of_theirs_away_at_most() -> None:
    for high in (1.0, 3.0, 5.0, 7.0):
        for root in (0.1 + 0.01 * j for j in range(80)):
            sides = iter([1.0] * 100)  # and no more, so that it ends

            def step(x: float, root: float = root, sides: Iterator[float] = sides) -> float:
                return math.copysign(next(sides), x - root)

            at = root_between(step, 0.0, high, 0.0)
            assert abs(at - root) <= 4 * math.ulp(root)


def test_between_equal_places_there_is_that_place_alone() -> None:
    assert root_between(lambda x: 0.5, 2.0, 2.0, 0.0) == 2.0


def test_a_step_is_found_within_every_distance() -> None:
    for within in (0.3**j for j in range(1, 25)):
        root = root_between(lambda x: -1.0 if x < 1 / 3 else 1.0, 0.0, 1.0, within)
        assert abs(root - 1 / 3) <= within
