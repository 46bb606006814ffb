"""The majorant of a weight by few exponentials lies above it everywhere, and not far above."""

import random

import numpy as np
import pytest

from discreet.samplers import exponential_majorant as covers
from discreet.samplers.exponential_majorant import CLEARANCE, ExponentialMajorant, exponential_majorant


def log_ratio(majorant: ExponentialMajorant, a: float, at: np.ndarray) -> np.ndarray:
    """ln of the majorant over the weight, at many L."""
    terms = majorant.log_weights - majorant.rates * at[:, None]
    logs = np.concatenate([terms, np.full((at.size, 1), majorant.log_constant)], axis=1)
    top = logs.max(axis=1)
    shown: np.ndarray = top + np.log(np.exp(logs - top[:, None]).sum(axis=1)) + a * np.sqrt(-np.expm1(-at))
    return shown


@pytest.mark.parametrize("seed", range(60))
def test_it_is_above_the_weight_between_all_points_of_its_grid_and_beyond_them(seed: int) -> None:
    chance = random.Random(seed)  # noqa: S311 - a fixed sample
    a, least = 10 ** chance.uniform(-4, 6), 10 ** chance.uniform(-12, 1)
    floor = -chance.uniform(0, 200)
    majorant = exponential_majorant(a, least, floor)
    at = np.concatenate([np.geomspace(least, max(60.0, 10 * least), 40_001), [1e3, 1e6]])
    ratio = log_ratio(majorant, a, at)
    assert ratio.min() >= 0.5 * CLEARANCE
    assert majorant.log_constant >= floor
    assert len(majorant.rates) < 150


def test_it_is_tight_where_the_weights_matter() -> None:
    for a in (1.0, 20.0, 500.0, 1e5):
        least = 1 / a**2
        ratio = log_ratio(exponential_majorant(a, least, -60.0), a, np.geomspace(least, min(20.0, (30 / a) ** 2), 4001))
        assert ratio.mean() < 0.3, a


def test_a_majorant_that_is_not_raised_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(covers, "_deficits", lambda *_: (np.array([-1.0]), np.zeros((1, 2))))
    ratio = log_ratio(exponential_majorant(20.0, 1e-3, -25.0), 20.0, np.geomspace(1e-3, 60.0, 20_001))
    assert ratio.min() < -0.01
