"""The laws of other people's programs, by bisection: the same as by running them on every uniform number."""

import math
from collections import Counter
from collections.abc import Callable
from fractions import Fraction

import pytest

from bench.audited_laws import exact_loss, grid_law

BITS = 12


def laplace(count: int) -> Callable[[float], int]:
    """Inverse transform and rounding; infinite noise stays where it can be seen."""

    def run(number: float) -> int:
        u = number - 0.5
        return round(count - math.copysign(math.log(1 - 2 * abs(u)), u)) if abs(u) < 0.5 else -999

    return run


def two_sided(count: int) -> Callable[[float], int]:
    """A geometric inverse transform on either side of one half."""

    def run(number: float) -> int:
        u = (number - 0.5) * (1 + math.exp(-1))
        return count + int(math.copysign(math.floor(math.log(abs(u)) / -1), u)) if u else 999

    return run


@pytest.mark.parametrize("program", [laplace, two_sided])
def test_bisection_finds_the_law_that_running_every_number_finds(
    program: Callable[[int], Callable[[float], int]],
) -> None:
    run = program(5)
    counted = Counter(run(i / 2**BITS) for i in range(2**BITS))
    assert grid_law(run, BITS, cuts=(Fraction(1, 2),)) == dict(sorted(counted.items()))


def test_an_output_that_only_one_of_two_neighbours_has_is_an_infinite_loss() -> None:
    loss = exact_loss(lambda count: grid_law(laplace(count), BITS), [(5, 6)], Fraction(1))
    assert math.isinf(loss.epsilon)
    assert 0 < loss.delta < 1e-2


def test_a_law_without_a_grid_has_the_loss_that_it_states() -> None:
    laws = {0: {0: 2**40, 1: 2**38, 2: 2**38}, 1: {0: 2**38, 1: 2**40, 2: 2**38}}
    loss = exact_loss(laws.__getitem__, [(0, 1)], Fraction(2))
    assert loss.epsilon == pytest.approx(math.log(4))
    assert loss.delta == 0
