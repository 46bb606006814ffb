"""Roots between two places of different sign."""

import math

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


def test_a_step_is_found_within_every_distance() -> None:
    for within in (0.3**j for j in range(1, 25)):
        root = root_between(lambda x: -1.0 if x < 1 / 3 else 1.0, 0.0, 1.0, within)
        assert abs(root - 1 / 3) <= within
