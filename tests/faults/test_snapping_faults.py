"""Every planted fault is caught: by its exact loss, by comparison with the exact distribution, or by the attack."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Any

import pytest

from discreet import Snapping
from tests.contracts.source import ROOT
from tests.faults import snapping as faults

PAGE = "docs/snapping.md"


def distributions_differ(fault: type[Snapping], value: str, **parameters: Any) -> bool:
    """Whether the fault's exact distribution is not the right one, in any bit of any mass."""
    wrong = fault(**parameters).distribution(value)
    assert wrong.mass_is_one
    return wrong.probabilities() != Snapping(**parameters).distribution(value).probabilities()


CASES: list[tuple[type[Snapping], dict[str, Any], str]] = [
    (faults.LogOneUnitOff, {"epsilon": 1, "bound": 20}, "0.3"),
    (faults.TowardZero, {"epsilon": 1, "bound": 20}, "0.3"),
    (faults.TiesToEven, {"epsilon": "1/3", "bound": 40}, "2"),
    (faults.FixedGrid, {"epsilon": 1, "bound": 20}, "0.3"),
    (faults.LatticeTooSmall, {"epsilon": 1, "bound": 20}, "0.3"),
    (faults.ScaledInFloats, {"epsilon": 1, "bound": 4, "sensitivity": "0.1"}, "0.3"),
    (faults.ScaleTooSmall, {"epsilon": 1, "bound": 20}, "0.3"),
    (faults.EndsWithBinary64, {"epsilon": 1, "bound": 1000}, "0"),
]


@pytest.mark.parametrize(("fault", "parameters", "value"), CASES)
def test_a_fault_has_another_distribution(fault: type[Snapping], parameters: dict[str, Any], value: str) -> None:
    assert distributions_differ(fault, value, **parameters)


def test_uniforms_on_a_fixed_grid_lose_infinitely_much() -> None:
    found = faults.FixedGrid(epsilon=1, bound=60).verify(0, "0.5")
    assert found.ratio is None
    assert found.mass_is_one
    assert Snapping(epsilon=1, bound=60).verify(0, "0.5").holds


def test_uniforms_that_end_where_binary64_ends_lose_infinitely_much_under_a_wide_bound() -> None:
    wide = {"epsilon": 1, "bound": 1000}
    assert faults.EndsWithBinary64(**wide).verify("0.5", "1.5").ratio is None
    assert Snapping(**wide).verify("0.5", "1.5").holds
    narrow = faults.EndsWithBinary64(epsilon=1, bound=300)
    assert narrow.distribution("0.5").masses == Snapping(epsilon=1, bound=300).distribution("0.5").masses


def test_a_scale_too_small_by_a_millionth_loses_more_than_its_epsilon() -> None:
    found = faults.ScaleTooSmall(epsilon=1, bound=100).verify(0, 1)
    assert found.loss is not None
    assert found.loss.lower > 1
    assert not found.holds


def test_scaling_in_floats_moves_neighbours_farther_apart_than_their_sensitivity() -> None:
    wrong = faults.ScaledInFloats(epsilon=1, bound=4, sensitivity="0.1")
    assert abs(wrong.scaled("0.4") - wrong.scaled("0.3")) > 1
    found = wrong.verify(Fraction("0.3"), Fraction("0.4"))
    assert found.loss is not None
    right = Snapping(epsilon=1, bound=4, sensitivity="0.1").verify("0.3", "0.4").loss
    assert right is not None
    assert found.loss.lower > right.upper


def test_ties_to_even_differ_only_where_the_sum_is_exactly_a_tie() -> None:
    parameters: dict[str, Any] = {"epsilon": "1/3", "bound": 40}
    wrong, right = faults.TiesToEven(**parameters).distribution(2), Snapping(**parameters).distribution(2)
    gaps = [abs(p.minus(q).fraction()) for p, q in zip(wrong.masses, right.masses, strict=True)]
    assert 0 < max(gaps) < 1e-14


def test_the_right_mechanism_is_not_caught() -> None:
    assert not distributions_differ(Snapping, "0.3", epsilon=1, bound=20)


def test_the_page_names_every_fault_and_how_it_is_caught() -> None:
    page = (ROOT / PAGE).read_text(encoding="utf-8")
    planted = {name for name, kind in vars(faults).items() if isinstance(kind, type) and issubclass(kind, Snapping)}
    assert planted - {"Snapping"} <= set(re.findall(r"`(\w+)`", page))
