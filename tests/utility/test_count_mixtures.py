"""Mixtures over runs of counts: as the same mixtures component by component."""

import numpy as np
import pytest

from discreet.posteriors.mixtures import BetaMixture
from discreet.utility.count_mixtures import mixture_widths


def test_intervals_are_those_of_the_mixtures_component_by_component() -> None:
    rng = np.random.default_rng(11)
    for turn in range(60):
        size = int(rng.integers(1, 200))
        a = 10 ** rng.uniform(-3, 11 if turn % 2 else 3)
        b = 10 ** rng.uniform(-3, 11 if turn % 3 else 3) + size - 1
        j = np.arange(size)
        weights = np.exp(-np.abs(j - rng.integers(0, size)) * 10 ** rng.uniform(-3, 1))
        low, high = BetaMixture(weights, a + j, b - j).interval(0.95)
        widths = mixture_widths(weights[None, :], a, b, 0.95)
        assert float(widths[0]) == pytest.approx(float(high - low), rel=1e-9, abs=1e-300)


def test_rows_have_places_of_their_own_and_are_worked_out_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("discreet.utility.count_mixtures._CELLS", 20)
    rng = np.random.default_rng(12)
    weights, a, b = rng.random((7, 5)), rng.uniform(1, 50, 7), rng.uniform(5, 50, 7)
    widths = mixture_widths(weights, a, b, 0.8)
    for i in range(7):
        low, high = BetaMixture(weights[i], a[i] + np.arange(5), b[i] - np.arange(5)).interval(0.8)
        assert float(widths[i]) == pytest.approx(float(high - low), rel=1e-11)
