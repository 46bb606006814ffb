"""The mean error beside the linear programme's, as the example prints it."""

import runpy
from pathlib import Path
from typing import Any

import pytest

EXAMPLE = Path(__file__).parents[2] / "docs" / "examples" / "distance_to_the_limit.py"


@pytest.fixture(scope="module")
def example() -> dict[str, Any]:
    return runpy.run_path(str(EXAMPLE))


@pytest.mark.few(1)
@pytest.mark.parametrize("place", range(5))
def test_with_two_categories_geometric_meets_the_limit(example: dict[str, Any], place: int) -> None:
    for epsilon in example["EPSILONS"]:
        for n in (10, 60):
            row = example["compare"](example["PRIORS"][place], n, epsilon)
            assert abs(row.excess) < 1e-4


@pytest.mark.few(1)
@pytest.mark.parametrize(("k", "n", "greatest"), [(3, 8, 0.061), (4, 5, 0.129)])
def test_with_more_it_comes_near(example: dict[str, Any], k: int, n: int, greatest: float) -> None:
    for epsilon in example["EPSILONS"]:
        row = example["compare"](("1",) * k, n, epsilon)
        assert 0 < row.excess < (greatest if epsilon == "2" else 0.03)


@pytest.mark.soak
def test_with_three_the_distance_falls_as_records_grow(example: dict[str, Any]) -> None:
    excess = [row.excess for row in example["growing"]()]
    assert excess == sorted(excess, reverse=True)
    assert excess == pytest.approx([0.040, 0.027, 0.018, 0.0126], abs=6e-4)
