"""The page about the limit shows what its example prints."""

import runpy
from typing import Any

import pytest

from tests.contracts.source import ROOT

PAGE = (ROOT / "docs" / "limit.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def example() -> dict[str, Any]:
    return runpy.run_path(str(ROOT / "docs" / "examples" / "nearer_the_limit.py"))


@pytest.mark.few(1)
@pytest.mark.parametrize(
    ("k", "n"), [(3, 2), (3, 4), *(pytest.param(*case, marks=pytest.mark.soak) for case in ((4, 4), (3, 16)))]
)
def test_ratios_to_the_programme_are_as_shown(example: dict[str, Any], k: int, n: int) -> None:
    ratios = list(example["ratios"](k, n))
    cells = [f"{least:.5f}: {tight:.4f}, {noisy:.4f}" for _, least, tight, noisy in ratios]
    assert f"| {k} | {n} | {' | '.join(cells)} |" in PAGE
    if n >= k:
        assert max(tight for _, _, tight, _ in ratios) <= 1.005


@pytest.mark.parametrize("place", [0, 1, 2, *(pytest.param(i, marks=pytest.mark.soak) for i in range(20))])
def test_gaps_are_as_shown(example: dict[str, Any], place: int) -> None:
    prior, n, epsilon = example["SPACES"][place]
    bound, geometric, programme, _ = example["gap"](prior, n, epsilon)
    assert f"| {n:,} | {epsilon} | {bound:.6g} | " in PAGE
    assert programme is None or bound <= programme * (1 + 1e-7)
    assert len(prior) > 2 or bound >= 0.95 * geometric


def test_the_family_is_as_shown(example: dict[str, Any]) -> None:
    error, beta, x = example["family"](5, 5, 1.0)
    assert f"| 5 | 5 | 1.0 | {error:.4f} | {beta:g}, {x:.3f} | " in PAGE
