"""The majorant of a weight by few exponentials lies above it everywhere, and not far above."""

import math
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


@pytest.mark.every
@pytest.mark.parametrize(
    ("a", "least", "floor", "to", "mean", "terms"),
    [
        (1.0, 1.0, -60.0, 20.0, 0.117, 2),
        (20.0, 1 / 20**2, -60.0, 2.25, 0.07, 12),
        (500.0, 1 / 500**2, -60.0, 0.0036, 0.058, 14),
        (1e5, 1e-10, -60.0, 9e-8, 0.058, 14),
        (200.0, 0.01, -1e4, 20.0, 0.09, 17),
        (3000.0, 0.02, -1e4, 20.0, 0.18, 54),
    ],
)
def test_it_is_tight_where_the_weights_matter_with_few_terms(
    a: float, least: float, floor: float, to: float, mean: float, terms: int
) -> None:
    majorant = exponential_majorant(a, least, floor)
    assert log_ratio(majorant, a, np.geomspace(least, to, 4001)).mean() < mean
    assert len(majorant.rates) <= terms
    assert (np.diff(majorant.rates) > 0).all()
    assert log_ratio(majorant, a, np.geomspace(least, 60.0, 4001)).min() >= 0.5 * CLEARANCE


@pytest.mark.parametrize(("a", "least", "floor"), [(3.0, 0.1, 0.0), (2.0, -math.log1p(-0.25), -1.0)])
def test_a_constant_that_is_enough_stands_alone(a: float, least: float, floor: float) -> None:
    majorant = exponential_majorant(a, least, floor)
    assert (majorant.rates.size, majorant.log_weights.size, majorant.log_constant) == (0, 0, floor)


@pytest.mark.parametrize(
    ("rates", "log_weights", "log_constant", "at"),
    [([0.2, 0.5, 3.0], [-2.0, -1.0, 0.0], -4.0, [0.1, 0.3, 1.0, 4.0, 9.0]), ([0.1], [0.0], -np.inf, range(1, 12))],
)
def test_a_deficit_is_what_chords_exceed_the_higher_of_two_tangents_by(
    rates: list[float], log_weights: list[float], log_constant: float, at: list[float]
) -> None:
    """Here the chords are the majorant's own. The second is a line: its tangents are all the same, and meet nowhere."""
    points = np.array(at, dtype=float)
    terms = np.exp(np.array(log_weights) - np.array(rates) * points[:, None])
    sums = terms.sum(axis=1) + np.exp(log_constant)
    heights, slopes, along = np.log(sums), -(terms @ np.array(rates)) / sums, np.linspace(0, 1, 20_001)
    found, _ = covers._deficits(np.array(rates), np.array(log_weights), log_constant, points, heights)
    for i, deficit in enumerate(found):
        step = along * (points[i + 1] - points[i])
        tangents = heights[i] + slopes[i] * step, heights[i + 1] - slopes[i + 1] * step[::-1]
        chord = heights[i] + (heights[i + 1] - heights[i]) * along
        assert deficit == pytest.approx((chord - np.maximum(*tangents)).max(), abs=1e-3)


def test_a_majorant_that_is_not_raised_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(covers, "_deficits", lambda *_: (np.array([-1.0]), np.zeros((1, 2))))
    ratio = log_ratio(exponential_majorant(20.0, 1e-3, -25.0), 20.0, np.geomspace(1e-3, 60.0, 20_001))
    assert ratio.min() < -0.01
